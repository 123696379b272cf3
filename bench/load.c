/* SPDX-License-Identifier: MIT */
/*
 * Loading reads every byte once and checks its checksum, so its limit is the sequential read of that many bytes.
 * Mapping reads the header alone. The filter has its full size but holds only 10^6 keys: loading cannot tell.
 */
#include "load.h"

#include "clock.h"
#include "keys.h"
#include "team.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <ultrafilter.h>
#include <unistd.h>

enum { KEY_COUNT = 1000000, BITS_PER_KEY = 11 };

static int make_file(const char *path, uint64_t bytes, const struct keys *keys, uf_info *info, uf_error *why)
{
    char text[128];
    uf_spec spec;
    uf_builder *builder = NULL;
    uf_filter *filter = NULL;
    unsigned long long bits = bytes * 8;
    snprintf(text, sizeof text, "blocked:n=%llu,bits=%llu", bits / BITS_PER_KEY, bits);
    int status = uf_spec_parse(text, &spec, why);
    if (status == UF_OK) {
        status = uf_builder_new(&spec, NULL, &builder, why);
    }
    if (status == UF_OK) {
        status = uf_builder_add_fixed(builder, keys->at, keys->width, (size_t)keys->count, NULL);
    }
    if (status == UF_OK) {
        status = uf_builder_finish(builder, &filter, why);
    }
    uf_builder_free(builder);
    if (status == UF_OK) {
        uf_get_info(filter, info, sizeof *info);
        status = uf_save(filter, path, UF_FORMAT_UF, why);
    }
    uf_free(filter);
    return status;
}

/* Nanoseconds from the call of uf_load to the first answer, which must be right. */
static int load_once(const char *path, unsigned how, unsigned threads, uf_key member, double *ns, uf_error *why)
{
    uf_context context = UF_CONTEXT_INIT;
    uf_filter *filter = NULL;
    context.threads = threads;
    double start = clock_ns();
    int status = uf_load(path, how, &context, &filter, why);
    if (status != UF_OK) {
        return status;
    }
    int found = uf_query(filter, member);
    *ns = clock_ns() - start;
    uf_free(filter);
    if (!found) {
        snprintf(why->text, sizeof why->text, "a key is missing from the loaded filter");
        return UF_EFORMAT;
    }
    return UF_OK;
}

static int measure_how(const char *path, unsigned how, const struct effort *effort, uf_key member, struct result *row,
                       uf_error *why)
{
    double spent = 0;
    row->ns = INFINITY;
    row->runs = 0;
    team_settle(row->threads);
    while (effort_again(effort, row->runs, spent)) {
        double ns = 0;
        int status = load_once(path, how, row->threads, member, &ns, why);
        if (status != UF_OK) {
            return status;
        }
        row->ns = fmin(row->ns, ns);
        row->runs++;
        spent += ns;
    }
    return UF_OK;
}

/* uf_load on 1 and on `threads` threads, then mapped. */
static int measure_all(const char *path, unsigned threads, const struct effort *effort, uf_key member,
                       const struct limits *limits, struct result *row, struct results *results, uf_error *why)
{
    for (unsigned t = 1; t <= threads; t = t == 1 && threads > 1 ? threads : threads + 1) {
        row->op = OP_LOAD;
        row->threads = t;
        int status = measure_how(path, UF_FORMAT_UF, effort, member, row, why);
        if (status != UF_OK) {
            return status;
        }
        const struct plain_limit *limit = limits_plain(limits, "sequential_read", t);
        row->ratio_limit = limit ? row->ns / (limit->ns * (double)row->bytes) : NAN;
        results_add(results, row);
    }
    row->op = OP_LOAD_MAP;
    row->threads = 1;
    row->ratio_limit = NAN;
    int status = measure_how(path, UF_FORMAT_UF | UF_MAP, effort, member, row, why);
    if (status == UF_OK) {
        results_add(results, row);
    }
    return status;
}

int load_measure(const char *folder, uint64_t bytes, unsigned threads, const struct effort *effort,
                 const struct limits *limits, struct results *results)
{
    char path[4096];
    uf_error why = {0};
    uf_info info;
    struct keys keys;
    if (keys_make(&keys, 0, KEY_COUNT, 8) != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/uf_bench.%ld.uf", folder, (long)getpid());
    int status = make_file(path, bytes, &keys, &info, &why);
    if (status == UF_OK) {
        struct result row = {.peer = &peer_blocked, .key_bytes = keys.width, .n = info.capacity};
        row.bytes = info.bytes;
        row.bits_per_key = (double)info.bytes * 8 / (double)info.capacity;
        row.ratio_libbloom = NAN;
        row.fpr = NAN;
        status = measure_all(path, threads, effort, (uf_key){keys.at, keys.width}, limits, &row, results, &why);
    }
    if (status != UF_OK) {
        fprintf(stderr, "uf_bench: loading a filter of %llu bytes from %s: %s: %s\n", (unsigned long long)bytes, path,
                uf_status_text(status), why.text);
    }
    unlink(path);
    keys_free(&keys);
    return status == UF_OK ? 0 : -1;
}
