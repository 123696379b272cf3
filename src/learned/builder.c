/* SPDX-License-Identifier: MIT */
/* The builder of learned kinds (filter/ops.h): takes keys in, then chooses between a learned filter and a plain one. */
#include "learner.h"

#include <math.h>
#include <string.h>

#include "design_regions.h"
#include "models.h"
#include "permuted.h"
#include "region_filters.h"
#include "report.h"
#include "scores.h"
#include "status.h"

enum { BATCH = 256 };

/* ---- making one ---- */

/* A model that was made before is of no use for permuted keys. */
static void forget_model(uf_learning *learning)
{
    learning->model = NULL;
    learning->score = NULL;
}

static int check_learning(const uf_learning *learning, const struct filter_ops *ops, uf_error *why)
{
    const char *kind = ops->name;
    if (ops->learned->permuted && (!learning->negatives || !learning->negative_count))
        return fail(why, UF_EINVAL,
                    "a %s filter trains its own model, on what its key makes of the keys: it needs negatives for that",
                    kind);
    if (!ops->learned->permuted && !learning->model == !learning->score)
        return fail(why, UF_EINVAL, "a %s filter needs either a model or a function that scores keys", kind);
    if (!learning->valid || !learning->valid_count)
        return fail(
            why, UF_EINVAL,
            "a %s filter needs negatives to plan its rate with: keys that are asked for, are not in the set, and "
            "were not trained on",
            kind);
    return UF_OK;
}

static int learner_start(const struct filter_ops *ops, const struct spec *want, const struct hasher *hasher,
                         const uf_context *ctx, void **state, uf_error *why)
{
    struct mem mem = {ctx->allocator};
    uf_learning learning;
    if (!ctx->learning)
        return fail(why, UF_EINVAL, "%s is a learned kind: it needs a model, and negatives to plan with", ops->name);
    int status = learning_read(ctx->learning, &learning, why);
    if (status == UF_OK)
        status = check_learning(&learning, ops, why);
    if (status != UF_OK)
        return status;
    struct learner *learner = mem_alloc(&mem, 1, sizeof *learner);
    if (!learner)
        return fail(why, UF_ENOMEM, "no memory for a builder");
    if (ops->learned->permuted)
        forget_model(&learning);
    *learner = (struct learner){.mem = mem, .ctx = *ctx, .learning = learning, .ops = ops, .hasher = hasher};
    learner->keys.mem = &learner->mem;
    pthread_mutex_init(&learner->lock, NULL);
    *state = learner;
    return learned_read_request(ops->learned, want, &learner->request, why);
}

static void learner_free(void *state)
{
    struct learner *learner = state;
    if (!learner)
        return;
    struct mem mem = learner->mem;
    scored_free(&learner->keys);
    uf_model_free(learner->own);
    pthread_mutex_destroy(&learner->lock);
    mem_free(&mem, learner, 1, sizeof *learner);
}

/* ---- adding ---- */

static int add_batch(struct learner *learner, const uf_key *keys, size_t count)
{
    struct hash_source source = source_of_keys(learner->hasher, keys);
    struct hash128 hash[BATCH];
    struct scored item[BATCH];
    int64_t score[BATCH];
    uf_error why;
    source.fill(&source, hash, count);
    int status = learner_score(learner, keys, hash, count, score, &why);
    for (size_t i = 0; status == UF_OK && i < count; i++)
        item[i] = (struct scored){hash[i], score[i]};
    pthread_mutex_lock(&learner->lock);
    if (status == UF_OK && !learner->failed) {
        status = scored_add(&learner->keys, item, count);
        if (status != UF_OK)
            fail(&why, status, "no memory for %llu keys and their scores", (unsigned long long)learner->keys.count);
    }
    if (status != UF_OK && !learner->failed) {
        learner->failed = status;
        learner->why = why;
    }
    status = learner->failed;
    pthread_mutex_unlock(&learner->lock);
    return status;
}

static int learner_add(void *state, const struct key_batch *batch, size_t count)
{
    uf_key key[BATCH];
    int status = UF_OK;
    for (size_t done = 0; status == UF_OK && done < count;) {
        size_t step = count - done < BATCH ? count - done : BATCH;
        batch_copy(batch, done, step, key);
        status = add_batch(state, key, step);
        done += step;
    }
    return status;
}

/* ---- parts ---- */

static int learner_lend(void *state, struct partial *out, uf_error *why)
{
    struct learner *learner = state;
    if (learner->failed) {
        if (why)
            *why = learner->why;
        return learner->failed;
    }
    *out = (struct partial){.total = learner->keys.count, .scored = &learner->keys, .learning = &learner->learning};
    return UF_OK;
}

/* Members must score the same in the filter as they did. */
static int same_scores(const uf_learning *a, const uf_learning *b)
{
    return a->model && b->model ? model_same(a->model, b->model)
                                : a->model == b->model && a->score == b->score && a->score_arg == b->score_arg;
}

static int learner_take(void *state, const struct partial *from, uf_error *why)
{
    struct learner *learner = state;
    struct partial own;
    int status = learner_lend(learner, &own, why);
    if (status != UF_OK)
        return status;
    if (!same_scores(&learner->learning, from->learning))
        return fail(why, UF_EMISMATCH,
                    "the builders have different models, or functions that score keys: give both the same");
    status = scored_take(&learner->keys, from->scored);
    return status == UF_OK
               ? UF_OK
               : fail(why, status, "no memory for %llu keys and their scores", (unsigned long long)from->total);
}

/* ---- the end ---- */

/* A plain filter, which keeps what the learned one would have been. */
static int finish_plain(const struct learner *learner, const struct learned_report *report, uf_filter **out,
                        uf_error *why)
{
    int status = learner_build_plain(learner, out, why);
    if (status != UF_OK)
        return status;
    status = report_keep(*out, report, why);
    if (status != UF_OK)
        uf_free(*out);
    return status;
}

/* Without keys there is nothing to train on. */
static int finish_empty(const struct learner *learner, uf_filter **out, uf_error *why)
{
    struct learned_report report = {.about = {.children = learner->request.children->name, .adversarial_share = NAN}};
    return finish_plain(learner, &report, out, why);
}

static int learner_finish(void *state, uf_filter **out, uint64_t *total, uf_error *why)
{
    struct learner *learner = state;
    struct region_design design;
    struct learned_report report;
    if (learner->failed) {
        if (why)
            *why = learner->why;
        return learner->failed;
    }
    *total = learner->keys.count;
    if (learner->ops->learned->permuted && !learner->keys.count)
        return finish_empty(learner, out, why);
    int status = learner->ops->learned->permuted ? learner_train_permuted(learner, why) : UF_OK;
    if (status == UF_OK)
        status = learner_design(learner, &design, why);
    if (status != UF_OK)
        return status;
    learner_report(learner, &design, NULL, &report);
    if (!learner->learning.force && report.about.bytes >= report.about.plain_bytes)
        return finish_plain(learner, &report, out, why);
    return learner_build(learner, &design, out, why);
}

const struct builder_ops learned_builder = {
    .start = learner_start,
    .add = learner_add,
    .finish = learner_finish,
    .lend = learner_lend,
    .take = learner_take,
    .free = learner_free,
};
