/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>

#include "keying.h"
#include "models.h"
#include "region_plan.h"

/* Bytes of a filter as planned; nothing where there is none. */
static uint64_t planned_bytes(const struct filter_ops *ops, uint64_t keys, double fpr)
{
    struct spec plan;
    uint64_t bits = 0;
    if (!keys || fpr >= 1 || region_plan(ops, keys, fpr, &plan, NULL) != UF_OK)
        return 0;
    (void)spec_get_count(&plan, "bits", &bits, NULL);
    return (bits + 511) / 512 * 64;
}

static uint64_t child_bytes(const uf_filter *filter, unsigned index)
{
    return filter->child[index]->word_count * sizeof(uint64_t);
}

static void report_filter(const uf_filter *filter, const uf_filter *child, uf_region *out)
{
    out->bytes = child->word_count * sizeof(uint64_t);
    if (has_own_keys(filter))
        keying_check_text(&child->hasher.stamp, out->key);
}

static void report_region(const struct learner *learner, const struct region *region, unsigned index,
                          const uf_filter *filter, uf_region *out)
{
    const struct learned *learned = filter ? CONST_PARAMS(struct learned, filter) : NULL;
    int own = learned ? learned->source == SCORES_OF_CALLER : learner->learning.model == NULL;
    *out = (uf_region){.keys = region->keys, .negatives = region->negatives, .fpr = region->fpr};
    out->from = !index ? -INFINITY : own ? score_of_order(region->from) : (double)region->from;
    if (learned && learned->child_of[index] != LEARNED_NO_CHILD)
        report_filter(filter, filter->child[learned->child_of[index]], out);
    else if (!learned)
        out->bytes = planned_bytes(learner->request.children, region->keys, region->fpr);
}

void learner_report(const struct learner *learner, const struct region_design *design, const uf_filter *filter,
                    uf_learned *out)
{
    const struct regions *regions = &design->regions;
    const uf_model *model = learner->learning.model;
    *out = (uf_learned){.children = learner->request.children->name,
                        .adversarial_share = learner->ops->learned->own_keys ? learner->request.alpha : NAN,
                        .auc = design->auc,
                        .valid = design->valid,
                        .overlap = design->overlap,
                        .first_fpr = regions->first,
                        .regions = regions->count,
                        .fpr_valid = filter ? learned_rate(filter, 0) : regions->fpr};
    out->model_bytes = (filter ? filter->word_count : model ? model->fit.model.word_count : 0) * sizeof(uint64_t);
    out->bytes = out->model_bytes;
    for (unsigned i = 0; i < regions->count; i++) {
        report_region(learner, &regions->region[i], i, filter, &out->region[i]);
        out->keys += learner->request.whole && i ? 0 : regions->region[i].keys;
        out->bytes += out->region[i].bytes;
    }
    if (regions->first < 1)
        out->first_bytes =
            filter ? child_bytes(filter, 0) : planned_bytes(learner->request.children, out->keys, regions->first);
    out->bytes += out->first_bytes;
    out->plain_bytes = planned_bytes(learner->request.children, out->keys, learner->request.fpr);
}

int uf_get_learned(const uf_filter *filter, uf_learned *out)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    struct learner like = {.ops = filter->ops, .request = learned->request};
    if (!filter->ops->learned)
        return UF_EUNSUPPORTED;
    struct region_design design = {learned->regions, learned->auc, 0, learned->overlap};
    for (unsigned i = 0; i < learned->regions.count; i++)
        design.valid += learned->regions.region[i].negatives;
    learner_report(&like, &design, filter, out);
    return UF_OK;
}
