/* SPDX-License-Identifier: MIT */
#include "learn.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "filter.h"
#include "learner.h"
#include "models.h"
#include "status.h"

enum { BATCH = 256 };

/* ---- making one ---- */

static int learning_read(const uf_learning *given, uf_learning *out, uf_error *why)
{
    *out = (uf_learning)UF_LEARNING_INIT;
    if (given->size < sizeof(size_t) || given->size > sizeof *out)
        return fail(why, UF_EINVAL, "the learning has a size of %zu: start from UF_LEARNING_INIT", given->size);
    memcpy(out, given, given->size);
    out->size = sizeof *out;
    return UF_OK;
}

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

int learner_new(const struct filter_ops *ops, const struct spec *want, const struct hasher *hasher,
                const uf_context *ctx, struct learner **out, uf_error *why)
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
    status = learned_read_wish(ops->learned, want, &learner->wish, why);
    if (status == UF_OK)
        *out = learner;
    else
        learner_free(learner);
    return status;
}

void learner_free(struct learner *learner)
{
    if (!learner)
        return;
    struct mem mem = learner->mem;
    scored_free(&learner->keys);
    uf_model_free(learner->own);
    pthread_mutex_destroy(&learner->lock);
    mem_free(&mem, learner, 1, sizeof *learner);
}

/* ---- scores ---- */

/* Names the key when its bytes can be shown. */
static int no_number(uf_key key, uf_error *why)
{
    const char *text = key.data;
    int shown = key.size > 0 && key.size <= 80;
    for (size_t i = 0; shown && i < key.size; i++)
        shown = isprint((unsigned char)text[i]);
    if (shown)
        return fail(why, UF_EINVAL, "the score of '%.*s' is not a number: every key needs one", (int)key.size, text);
    return fail(why, UF_EINVAL, "the score of a key of %zu bytes is not a number: every key needs one", key.size);
}

static void score_by_model(const uf_model *model, const uf_key *keys, size_t count, int64_t *out)
{
    int32_t score[BATCH];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < BATCH ? count - done : BATCH;
        uf_model_score_many(model, keys + done, step, score);
        for (size_t i = 0; i < step; i++)
            out[done + i] = score[i];
        done += step;
    }
}

static void score_hashes(const uf_model *model, const struct hash128 *hashes, size_t count, int64_t *out)
{
    unsigned char bytes[HASH_BYTES];
    for (size_t i = 0; i < count; i++) {
        hash_bytes(hashes[i], bytes);
        out[i] = model ? uf_model_score(model, (uf_key){bytes, HASH_BYTES}) : 0; /* it is trained when all are there */
    }
}

int learner_score(const struct learner *learner, const uf_key *keys, const struct hash128 *hashes, size_t count,
                  int64_t *out, uf_error *why)
{
    const uf_learning *learning = &learner->learning;
    if (learner->ops->learned->permuted)
        score_hashes(learning->model, hashes, count, out);
    else if (learning->model)
        score_by_model(learning->model, keys, count, out);
    for (size_t i = 0; learning->score && i < count; i++) {
        double own = learning->score(learning->score_arg, keys[i]);
        if (isnan(own))
            return no_number(keys[i], why);
        out[i] = score_order(own);
    }
    return UF_OK;
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

int learner_add(struct learner *learner, const uf_key *keys, size_t count)
{
    int status = UF_OK;
    for (size_t done = 0; status == UF_OK && done < count;) {
        size_t step = count - done < BATCH ? count - done : BATCH;
        status = add_batch(learner, keys + done, step);
        done += step;
    }
    return status;
}

int learner_add_fixed(struct learner *learner, const void *keys, size_t key_bytes, size_t count)
{
    const unsigned char *data = keys;
    uf_key key[BATCH];
    int status = UF_OK;
    for (size_t done = 0; status == UF_OK && done < count;) {
        size_t step = count - done < BATCH ? count - done : BATCH;
        for (size_t i = 0; i < step; i++)
            key[i] = (uf_key){data + (done + i) * key_bytes, key_bytes};
        status = add_batch(learner, key, step);
        done += step;
    }
    return status;
}

uint64_t learner_count(const struct learner *learner)
{
    return learner->keys.count;
}

/* ---- the end ---- */

/* Without keys there is nothing to train on. */
static int finish_empty(const struct learner *learner, uf_filter **out, uf_error *why)
{
    if (learner->learning.design)
        *learner->learning.design = (uf_learned){.children = learner->wish.children->name, .adversarial_share = NAN};
    return learner_build_plain(learner, out, why);
}

int learner_finish(struct learner *learner, uf_filter **out, uf_error *why)
{
    struct design design;
    uf_learned report;
    if (learner->failed) {
        if (why)
            *why = learner->why;
        return learner->failed;
    }
    if (learner->ops->learned->permuted && !learner->keys.count)
        return finish_empty(learner, out, why);
    int status = learner->ops->learned->permuted ? learner_train_permuted(learner, why) : UF_OK;
    if (status == UF_OK)
        status = learner_design(learner, &design, why);
    if (status != UF_OK)
        return status;
    learner_report(learner, &design, NULL, &report);
    int plain = !learner->learning.force && report.bytes >= report.plain_bytes;
    status = plain ? learner_build_plain(learner, out, why) : learner_build(learner, &design, out, why);
    if (status != UF_OK)
        return status;
    if (!plain)
        learner_report(learner, &design, *out, &report);
    if (learner->learning.design)
        *learner->learning.design = report;
    return UF_OK;
}

/* ---- loaded filters ---- */

int learn_attach(uf_filter *filter, const uf_context *ctx, uf_error *why)
{
    struct learned *learned = PARAMS(struct learned, filter);
    uf_learning learning;
    if (learned->source != SCORES_OF_CALLER || !ctx->learning)
        return UF_OK;
    int status = learning_read(ctx->learning, &learning, why);
    if (status != UF_OK)
        return status;
    learned->score = learning.score;
    learned->score_arg = learning.score_arg;
    return UF_OK;
}

int uf_get_learned(const uf_filter *filter, uf_learned *out)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    struct learner like = {.ops = filter->ops, .wish = learned->wish};
    if (!filter->ops->learned)
        return UF_EUNSUPPORTED;
    struct design design = {learned->regions, learned->auc, 0, learned->overlap};
    for (unsigned i = 0; i < learned->regions.count; i++)
        design.valid += learned->regions.region[i].negatives;
    learner_report(&like, &design, filter, out);
    return UF_OK;
}
