/* SPDX-License-Identifier: MIT */
/*
 * A thread reads the sources and makes a new value; the main thread puts it in place, unless what was there has changed
 * meanwhile. Replicas get the result as bytes: of a release, which is drawn by chance, each would otherwise draw its
 * own, and their average would undo the noise; of a union, items that came meanwhile would be in one and not in the
 * other.
 */
#include "combine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "create.h"
#include "jobs.h"
#include "open.h"
#include "reply.h"
#include "settings.h"

enum { MOST_SOURCES = 64 };

struct combine {
    struct job job;
    RedisModuleString *name;            /* where the result goes */
    struct value *before;               /* what is there, held; NULL: nothing */
    struct value *source[MOST_SOURCES]; /* lent */
    size_t sources;
    struct value *result; /* owned until it is in place */
    struct record *record;
    const char *event;
    /* releases */
    uf_spec how;
    uf_context ctx; /* with the key, which stays as it is while jobs run: master_keys.h */
    char label[UF_LABEL_SIZE], data_set[64];
    int charged; /* LEDGER */
};

static void free_combine(struct job *job)
{
    struct combine *combine = (struct combine *)job;
    for (size_t i = 0; i < combine->sources; i++)
        value_give_back(combine->source[i]);
    if (combine->before)
        value_give_back(combine->before);
    value_release(combine->result);
    record_free(combine->record);
    RedisModule_FreeString(NULL, combine->name);
    RedisModule_Free(combine);
}

static int put_in_place(RedisModuleCtx *ctx, struct job *job)
{
    struct combine *combine = (struct combine *)job;
    struct value *there = NULL;
    if (job->status != UF_OK)
        return reply_why(ctx, &job->why);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, combine->name, WRITING);
    enum found found = open_value(key, FAMILY_UF, &there);
    if (found == OTHER_TYPE || there != combine->before) {
        RedisModule_CloseKey(key);
        return RedisModule_ReplyWithError(ctx, "TRYAGAIN the key was changed by others meanwhile");
    }
    open_set(ctx, combine->name, key, combine->result, combine->record, combine->event);
    combine->result = NULL;
    RedisModule_CloseKey(key);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

static struct combine *combine_new(RedisModuleString *name, const char *event, void (*run)(struct job *))
{
    struct combine *combine = RedisModule_Calloc(1, sizeof *combine);
    combine->job = (struct job){.run = run, .done = put_in_place, .free = free_combine};
    combine->name = RedisModule_HoldString(NULL, name);
    combine->event = event;
    return combine;
}

/* Borrows the value of a key. 1: it did; 0: there is none, and `optional`; otherwise it replied, and -1. */
static int borrow(RedisModuleCtx *ctx, RedisModuleString *name, int optional, struct value **out)
{
    struct value *value = NULL;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, REDISMODULE_READ);
    enum found found = open_value(key, FAMILY_UF, &value);
    RedisModule_CloseKey(key);
    if (found == MISSING && optional)
        return 0;
    if (found != FOUND) {
        (void)open_refuse(ctx, found);
        return -1;
    }
    if (open_is_locked(ctx, value))
        return -1;
    if (value->levels > 1) {
        (void)RedisModule_ReplyWithError(ctx,
                                         "ERR this value has grown to several filters, which this command does not "
                                         "take: reserve it for all of its items, with EXPANSION 0");
        return -1;
    }
    value_lend(value);
    *out = value;
    return 1;
}

static int is_quick(const struct combine *combine)
{
    size_t sum = 0;
    for (size_t i = 0; i < combine->sources; i++)
        sum += value_memory(combine->source[i]);
    return sum <= QUICK_BYTES;
}

/* ---- UF.MERGE destination source ... ---- */

static void estimate_items(struct value *value)
{
    uf_info info = {.count_estimate = NAN};
    if (uf_get_info(value->filter[0], &info, sizeof info) == UF_OK && info.count_estimate >= 0)
        value->figures[FIGURE_ITEMS] = (uint64_t)llround(info.count_estimate);
}

static void run_merge(struct job *job)
{
    struct combine *combine = (struct combine *)job;
    const struct value *first = combine->before ? combine->before : combine->source[0];
    combine->result = value_copy(first, &job->why);
    job->status = combine->result ? UF_OK : job->why.status;
    for (size_t i = combine->before ? 0 : 1; job->status == UF_OK && i < combine->sources; i++)
        job->status = uf_merge(combine->result->filter[0], combine->source[i]->filter[0], &job->why);
    if (job->status != UF_OK)
        return;
    estimate_items(combine->result);
    combine->record = record_make(combine->result);
}

int command_uf_merge(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc < 3 || argc - 2 > MOST_SOURCES)
        return RedisModule_WrongArity(ctx);
    struct combine *combine = combine_new(argv[1], "uf.merge", run_merge);
    int found = borrow(ctx, argv[1], 1, &combine->before);
    for (int i = 2; found >= 0 && i < argc; i++) {
        found = borrow(ctx, argv[i], 0, &combine->source[combine->sources]);
        combine->sources += found > 0;
    }
    if (found < 0) {
        free_combine(&combine->job);
        return REDISMODULE_OK;
    }
    if (combine->before)
        combine->before->frozen = 1; /* what came meanwhile would be lost with it */
    return job_start(ctx, &combine->job, argv, argc, is_quick(combine));
}

/* ---- UF.RELEASE source destination EPSILON e [MECHANISM m] [LABEL l] [LEDGER] ---- */

static int charge(struct combine *combine, const uf_filter *released, uf_error *why)
{
    char id[UF_FINGERPRINT_SIZE];
    uf_claim claim;
    uf_charge cost = UF_CHARGE_INIT;
    int status = uf_fingerprint(released, id, why);
    if (status == UF_OK)
        status = uf_get_claim(released, &claim, sizeof claim);
    if (status != UF_OK)
        return status;
    cost.data_set = combine->data_set;
    cost.mechanism = "ultra";
    cost.id = id;
    cost.epsilon = claim.epsilon;
    cost.delta = claim.delta;
    cost.budget = settings.ledger_budget;
    cost.label = combine->label[0] ? combine->label : NULL;
    return uf_ledger_charge(settings.ledger, &cost, NULL, 0, why);
}

static void run_release(struct job *job)
{
    struct combine *combine = (struct combine *)job;
    uf_filter *released = NULL;
    combine->ctx.label = combine->label[0] ? combine->label : NULL;
    job->status = uf_release(combine->source[0]->filter[0], &combine->how, &combine->ctx, &released, &job->why);
    if (job->status == UF_OK && combine->charged)
        job->status = charge(combine, released, &job->why);
    if (job->status != UF_OK) {
        uf_free(released);
        return;
    }
    (void)value_add_level(combine->result, released);
    combine->record = record_make(combine->result);
    __atomic_add_fetch(&counters.releases, 1, __ATOMIC_RELAXED);
}

/* A word of an argument that ends up inside a spec: nothing but letters, digits and a point. */
static int read_word(const RedisModuleString *argument, char *out, size_t capacity, const char *what, uf_error *why)
{
    int status = argument_text(argument, out, capacity, what, why);
    if (status == UF_OK && out[strspn(out, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.")])
        status = reply_set(why, UF_EINVAL, "%s is not possible: it is a word or a number", what);
    return status;
}

static int read_release(RedisModuleString **argv, int argc, struct combine *combine, uf_error *why)
{
    char epsilon[32] = "", mechanism[32] = "", text[sizeof(uf_spec)];
    int status = argument_text(argv[1], combine->data_set, sizeof combine->data_set, "the name of the source", why);
    combine->charged = 0;
    if (status != UF_OK)
        combine->data_set[0] = '\0', status = UF_OK;
    for (int i = 3; status == UF_OK && i < argc; i++) {
        int more = i + 1 < argc;
        if (argument_is(argv[i], "LEDGER"))
            combine->charged = 1;
        else if (more && argument_is(argv[i], "EPSILON"))
            status = read_word(argv[++i], epsilon, sizeof epsilon, "EPSILON", why);
        else if (more && argument_is(argv[i], "MECHANISM"))
            status = read_word(argv[++i], mechanism, sizeof mechanism, "MECHANISM", why);
        else if (more && argument_is(argv[i], "LABEL"))
            status = argument_text(argv[++i], combine->label, sizeof combine->label, "LABEL", why);
        else
            status = reply_set(why, UF_EINVAL,
                               "argument %d is not known: there are EPSILON e, MECHANISM m, LABEL l and "
                               "LEDGER",
                               i);
    }
    if (status == UF_OK && !epsilon[0])
        status = reply_set(why, UF_EINVAL, "a release needs EPSILON and a number: what any one item may tell");
    if (status == UF_OK && combine->charged && !settings.ledger[0])
        status = reply_set(why, UF_EINVAL, "there is no ledger: name its file in ultrafilter.ledger");
    if (status == UF_OK && combine->charged && !combine->data_set[0])
        status = reply_set(why, UF_EINVAL, "the name of the source is its data set in the ledger: 63 bytes at most");
    if (status != UF_OK)
        return status;
    (void)snprintf(text, sizeof text, "ultra:epsilon=%s%s%s", epsilon, mechanism[0] ? ",mechanism=" : "", mechanism);
    return uf_spec_parse(text, &combine->how, why);
}

int command_uf_release(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    uf_error why = {0, 0, ""};
    struct value *there = NULL;
    if (argc < 5)
        return RedisModule_WrongArity(ctx);
    struct combine *combine = combine_new(argv[2], "uf.release", run_release);
    combine->result = value_new();
    combine->ctx = value_context(combine->result);
    int replied = 0;
    if (read_release(argv, argc, combine, &why) != UF_OK) {
        replied = 1;
        (void)reply_why(ctx, &why);
    } else if (borrow(ctx, argv[1], 0, &combine->source[0]) < 0) {
        replied = 1;
    } else {
        combine->sources = 1;
        RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[2], REDISMODULE_READ);
        if (open_value(key, FAMILY_UF, &there) != MISSING) {
            replied = 1;
            (void)RedisModule_ReplyWithError(ctx, "ERR item exists");
        }
        RedisModule_CloseKey(key);
    }
    if (replied) {
        free_combine(&combine->job);
        return REDISMODULE_OK;
    }
    return job_start(ctx, &combine->job, argv, argc, is_quick(combine) && !combine->charged);
}
