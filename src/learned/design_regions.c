/* SPDX-License-Identifier: MIT */
#include "design_regions.h"

#include <math.h>

#include "overlap.h"
#include "parallel.h"
#include "scores.h"
#include "status.h"

enum { SLICE = 4096 };

/* ---- the negatives ---- */

struct validating {
    const struct learner *learner;
    const struct overlap *members;
    int64_t *score;
    unsigned char *member; /* 1: a key of the set after all */
    uf_error *why;
    int failed;
};

static int validate_slice(void *arg, size_t slice)
{
    struct validating *v = arg;
    const uf_learning *learning = &v->learner->learning;
    size_t from = slice * SLICE, left = learning->valid_count - from, count = left < SLICE ? left : SLICE;
    struct hash_source source = source_of_keys(v->learner->hasher, learning->valid + from);
    struct hash128 hash[SLICE];
    uf_error why;
    source.fill(&source, hash, count);
    for (size_t i = 0; i < count; i++)
        v->member[from + i] = (unsigned char)overlap_holds(v->members, hash[i].lo);
    int status = learner_score(v->learner, learning->valid + from, hash, count, v->score + from, &why);
    if (status != UF_OK && !__atomic_exchange_n(&v->failed, 1, __ATOMIC_RELAXED) && v->why)
        *v->why = why;
    return status;
}

static int gather_members(const struct learner *learner, struct overlap *out)
{
    int status = overlap_new(&learner->mem, learner->keys.count, out);
    for (const struct scored_piece *piece = learner->keys.pieces; status == UF_OK && piece; piece = piece->next)
        for (size_t i = 0; i < piece->used; i++)
            overlap_add(out, piece->item[i].hash.lo);
    return status;
}

/* Scores of the negatives that are no keys, to the front of `score`. */
static int score_valid(const struct learner *learner, int64_t *score, unsigned char *member,
                       struct region_design *design, uf_error *why)
{
    struct overlap members;
    size_t count = learner->learning.valid_count;
    struct validating v = {learner, &members, score, member, why, 0};
    if (gather_members(learner, &members) != UF_OK)
        return fail(why, UF_ENOMEM, "no memory to compare the negatives with the keys");
    int status = parallel_for(learner->ctx.threads, (count + SLICE - 1) / SLICE, validate_slice, &v);
    overlap_free(&members);
    design->valid = design->overlap = 0;
    for (size_t i = 0; status == UF_OK && i < count; i++) {
        score[design->valid] = score[i];
        design->valid += !member[i];
        design->overlap += member[i];
    }
    if (status == UF_OK && !design->valid)
        return fail(why, UF_EINVAL, "all %llu negatives are keys of the set: give keys that are not in it",
                    (unsigned long long)design->overlap);
    return status;
}

/* ---- regions ---- */

struct regions_request learner_regions(const struct learner *learner)
{
    return (struct regions_request){.how = learner->ops->learned->how,
                                    .fpr = learner->request.fpr,
                                    .most = learner->request.regions,
                                    .factor = child_factor(learner->request.children->name),
                                    .child_bits = CHILD_BITS,
                                    .margin = REGIONS_MARGIN,
                                    .alpha = learner->request.alpha,
                                    .whole = learner->request.whole};
}

static int choose(const struct learner *learner, int64_t *keys, int64_t *valid, int64_t *scratch,
                  struct region_design *design)
{
    struct curve curve;
    struct regions_request request = learner_regions(learner);
    scored_scores(&learner->keys, keys);
    scores_sort(keys, scratch, (size_t)learner->keys.count);
    scores_sort(valid, scratch, (size_t)design->valid);
    int status = curve_make(&learner->mem, keys, (size_t)learner->keys.count, valid, (size_t)design->valid,
                            CURVE_MOST_SEGMENTS, &curve);
    if (status != UF_OK)
        return status;
    status = regions_choose(&curve, &request, &design->regions);
    design->auc = isnan(curve.auc) ? 0 : curve.auc;
    curve_free(&curve);
    return status;
}

int learner_design(const struct learner *learner, struct region_design *out, uf_error *why)
{
    size_t keys = (size_t)learner->keys.count, valid = learner->learning.valid_count;
    size_t most = keys > valid ? keys : valid;
    int64_t *key_scores = mem_alloc_dirty(&learner->mem, keys, sizeof *key_scores);
    int64_t *valid_scores = mem_alloc_dirty(&learner->mem, valid, sizeof *valid_scores);
    int64_t *scratch = mem_alloc_dirty(&learner->mem, most, sizeof *scratch);
    unsigned char *member = mem_alloc_dirty(&learner->mem, valid, 1);
    int status = key_scores && valid_scores && scratch && member ? UF_OK : UF_ENOMEM;
    if (status != UF_OK)
        fail(why, status, "no memory for the scores of %zu keys and %zu negatives", keys, valid);
    if (status == UF_OK)
        status = score_valid(learner, valid_scores, member, out, why);
    if (status == UF_OK) {
        status = choose(learner, key_scores, valid_scores, scratch, out);
        if (status != UF_OK)
            fail(why, status, "no memory to choose the regions of %zu keys", keys);
    }
    mem_free(&learner->mem, key_scores, keys, sizeof *key_scores);
    mem_free(&learner->mem, valid_scores, valid, sizeof *valid_scores);
    mem_free(&learner->mem, scratch, most, sizeof *scratch);
    mem_free(&learner->mem, member, valid, 1);
    return status;
}
