/* SPDX-License-Identifier: MIT */
#include "design_regions.h"

#include <math.h>

#include "negatives.h"
#include "scores.h"
#include "status.h"

/* Keys in every region of a filter that hides them. It costs next to nothing: a region with few keys has a filter of
 * few bits. */
enum { LEAST_KEYS = 16 };

/* What negatives that are keys may hide of the rate. */
static const double tolerance = 1.01;

/*
 * A filter with a key hides its keys from those who lack it, whoever chose the negatives. So its regions do not depend
 * on which negatives are keys: those count as if they were none. They begin at scores of negatives, and none is
 * without keys, which would rule out every guess that scores there.
 */
static int hides_keys(const struct learner *learner)
{
    return hash_is_keyed(learner->hasher->kind);
}

struct regions_request learner_regions(const struct learner *learner)
{
    return (struct regions_request){.how = learner->ops->learned->how,
                                    .fpr = learner->request.fpr,
                                    .most = learner->request.regions,
                                    .factor = child_factor(learner->request.children->name),
                                    .child_bits = CHILD_BITS,
                                    .margin = REGIONS_MARGIN,
                                    .alpha = learner->request.alpha,
                                    .whole = learner->request.whole,
                                    .in_front = learner->request.in_front,
                                    .least = hides_keys(learner) ? LEAST_KEYS : 0};
}

/* The rate without the negatives that are keys: these could hide it, if they score as no other key does. */
static int check_hidden(const struct learner *learner, const struct negatives *negatives,
                        const struct region_design *design, uf_error *why)
{
    struct regions_request request = learner_regions(learner);
    struct regions fresh = design->regions;
    for (size_t i = 0; i < negatives->members; i++)
        fresh.region[region_of(&fresh, negatives->member[i])].negatives--;
    if (regions_rate(&fresh, &request) <= fmax(request.fpr, regions_rate(&design->regions, &request)) * tolerance)
        return UF_OK;
    return fail(why, UF_EINVAL,
                "%zu of %zu negatives are keys of the set, and hide how often others are accepted: give negatives "
                "that are not in it",
                negatives->members, negatives->members + negatives->fresh);
}

static int choose(const struct learner *learner, const struct negatives *negatives, int64_t *keys, int64_t *scratch,
                  struct region_design *design)
{
    const size_t key_count = (size_t)learner->keys.count, count = (size_t)design->valid;
    struct curve curve;
    struct regions_request request = learner_regions(learner);
    scored_scores(&learner->keys, keys);
    scores_sort(keys, scratch, key_count);
    scores_sort(negatives->score, scratch, count);
    int status = (hides_keys(learner) ? curve_make_public : curve_make)(
        &learner->mem, keys, key_count, negatives->score, count, CURVE_MOST_SEGMENTS, &curve);
    if (status != UF_OK)
        return status;
    status = regions_choose(&curve, &request, &design->regions);
    if (status == UF_OK && hides_keys(learner))
        design->auc = regions_auc(&design->regions);
    else
        design->auc = isnan(curve.auc) ? 0 : curve.auc;
    curve_free(&curve);
    return status;
}

static int design_with(const struct learner *learner, const struct negatives *negatives, struct region_design *out,
                       uf_error *why)
{
    size_t keys = (size_t)learner->keys.count, most = keys > negatives->lines ? keys : negatives->lines;
    int64_t *key_scores = mem_alloc_dirty(&learner->mem, keys, sizeof *key_scores);
    int64_t *scratch = mem_alloc_dirty(&learner->mem, most, sizeof *scratch);
    *out = (struct region_design){.valid = negatives->fresh + (hides_keys(learner) ? negatives->members : 0),
                                  .overlap = negatives->members,
                                  .repeated = negatives->repeated,
                                  .known = negatives->known};
    int status = key_scores && scratch ? choose(learner, negatives, key_scores, scratch, out) : UF_ENOMEM;
    if (status != UF_OK)
        fail(why, status, "no memory to choose the regions of %zu keys", keys);
    else if (hides_keys(learner) && negatives->members)
        status = check_hidden(learner, negatives, out, why);
    mem_free(&learner->mem, key_scores, keys, sizeof *key_scores);
    mem_free(&learner->mem, scratch, most, sizeof *scratch);
    return status;
}

int learner_design(const struct learner *learner, struct region_design *out, uf_error *why)
{
    struct negatives negatives;
    int status = negatives_read(learner, &negatives, why);
    if (status != UF_OK)
        return status;
    status = design_with(learner, &negatives, out, why);
    negatives_free(&negatives);
    return status;
}
