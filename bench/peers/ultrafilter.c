/* SPDX-License-Identifier: MIT */
/*
 * Our own kinds, through the public header only: uf_builder_add_fixed builds, on as many threads as the job has;
 * uf_query answers one by one, uf_query_fixed in batches of 4096. A peer's variant is its spec; n and the
 * false-positive rate are added where it leaves them open. "early exit" is the classic filter with the knob that lets
 * a query stop soon after a zero bit, as libbloom's does. Keyed filters have a key of zeros but one byte: the time does
 * not depend on it. dpset takes its accuracy from epsilon = 3, whatever false-positive rate is asked.
 */
#include "../peer.h"
#include "../team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ultrafilter.h>

enum { BATCH = 4096 };

static const char early_exit[] = "ultrafilter early exit";

struct self {
    struct peer_job *job;
    uf_spec spec;
    uf_context context;
    uf_secret *secret;
    uf_filter *filter;
    size_t key_bytes;
    unsigned threads;
    int early;
};

/* Writes the spec the job needs; UF_OK or the status in `why`. */
static int make_spec(const char *text, const struct peer_job *job, uf_spec *out, uf_error *why)
{
    char number[40];
    double value;
    int status = uf_spec_parse(text, out, why);
    if (status == UF_OK && uf_spec_get(out, "n", &value) != UF_OK) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)job->n);
        status = uf_spec_set(out, "n", number, why);
    }
    int sized = uf_spec_get(out, "epsilon", &value) == UF_OK || uf_spec_get(out, "fpr", &value) == UF_OK ||
                uf_spec_get(out, "bits", &value) == UF_OK || uf_spec_get(out, "bits_per_key", &value) == UF_OK;
    if (status == UF_OK && !sized) {
        snprintf(number, sizeof number, "%.17g", job->fpr);
        status = uf_spec_set(out, "fpr", number, why);
    }
    return status;
}

static void *ours_open(const struct peer *peer, struct peer_job *job)
{
    uf_error why;
    struct self *self = calloc(1, sizeof *self);
    if (!self) {
        snprintf(job->why, sizeof job->why, "no memory");
        return NULL;
    }
    self->job = job;
    self->context = (uf_context)UF_CONTEXT_INIT;
    self->context.threads = job->threads;
    self->key_bytes = job->key_bytes;
    self->threads = job->threads;
    self->early = strcmp(peer->name, early_exit) == 0;
    int status = make_spec(peer->variant, job, &self->spec, &why);
    if (status == UF_OK && uf_spec_is_keyed(&self->spec)) {
        static const unsigned char bytes[32] = {1};
        status = uf_secret_from_bytes(bytes, sizeof bytes, &self->secret, &why);
        self->context.secret = self->secret;
    }
    if (status != UF_OK) {
        snprintf(job->why, sizeof job->why, "%.190s", why.text);
        free(self);
        return NULL;
    }
    return self;
}

struct adding {
    uf_builder *builder;
    const unsigned char *keys;
    uint64_t count;
    size_t key_bytes;
    unsigned threads;
    int status[TEAM_MAX];
};

static void add_slice(void *arg, unsigned index)
{
    struct adding *adding = arg;
    uint64_t from, to;
    team_slice(adding->count, adding->threads, index, &from, &to);
    adding->status[index] = uf_builder_add_fixed(adding->builder, adding->keys + from * adding->key_bytes,
                                                 adding->key_bytes, (size_t)(to - from), NULL);
}

static int ours_build(void *arg, const void *keys, uint64_t count)
{
    struct self *self = arg;
    uf_error why = {0};
    struct adding adding = {.keys = keys, .count = count, .key_bytes = self->key_bytes, .threads = self->threads};
    int status = uf_builder_new(&self->spec, &self->context, &adding.builder, &why);
    if (status == UF_OK) {
        team_run(self->threads, add_slice, &adding);
        for (unsigned i = 0; i < self->threads && status == UF_OK; i++) {
            status = adding.status[i];
        }
        if (status == UF_OK) {
            status = uf_builder_finish(adding.builder, &self->filter, &why);
        }
        uf_builder_free(adding.builder);
    }
    if (status == UF_OK && self->early) {
        status = uf_tune(self->filter, UF_KNOB_EARLY_EXIT, 1);
    }
    if (status != UF_OK) {
        snprintf(self->job->why, sizeof self->job->why, "%s: %.160s", uf_status_text(status), why.text);
    }
    return status == UF_OK ? 0 : -1;
}

static uint64_t ours_query(const void *arg, const void *keys, uint64_t count)
{
    const struct self *self = arg;
    const unsigned char *key = keys;
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++, key += self->key_bytes) {
        found += (uint64_t)uf_query(self->filter, (uf_key){key, self->key_bytes});
    }
    return found;
}

static uint64_t ours_query_many(const void *arg, const void *keys, uint64_t count)
{
    const struct self *self = arg;
    const unsigned char *key = keys;
    uint8_t answers[BATCH];
    uint64_t found = 0;
    while (count > 0) {
        size_t batch = count < BATCH ? (size_t)count : BATCH;
        uf_query_fixed(self->filter, key, self->key_bytes, batch, answers);
        for (size_t i = 0; i < batch; i++) {
            found += answers[i];
        }
        key += batch * self->key_bytes;
        count -= batch;
    }
    return found;
}

static uint64_t ours_bits(const void *arg)
{
    const struct self *self = arg;
    uf_info info;
    uf_get_info(self->filter, &info, sizeof info);
    return info.bytes * 8;
}

static void ours_close(void *arg)
{
    struct self *self = arg;
    uf_free(self->filter);
    uf_secret_free(self->secret);
    free(self);
}

#define OURS(who, what, text, spec, ...)                                                                   \
    {                                                                                                      \
        .name = who, .kind = what, .label = text, .variant = spec, .parallel_build = 1, .open = ours_open, \
        .build = ours_build, .query = ours_query, .query_many = ours_query_many, .bits = ours_bits,        \
        .close = ours_close, __VA_ARGS__                                                                   \
    }

const struct peer peer_blocked = OURS("ultrafilter", "blocked", "blocked", "blocked:");
const struct peer peer_bloom = OURS("ultrafilter", "bloom", "bloom", "bloom:");
const struct peer peer_bloom_early = OURS(early_exit, "bloom", "bloom early exit", "bloom:");
const struct peer peer_ribbon = OURS("ultrafilter", "ribbon", "ribbon", "ribbon:");
const struct peer peer_dpset = OURS("ultrafilter", "dpset", "dpset epsilon 3", "dpset:epsilon=3", .forgets = 1);
const struct peer peer_keyed = OURS("ultrafilter", "keyed", "keyed blocked", "keyed(blocked:)");
