/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <string.h>

#include "keying.h"
#include "models.h"
#include "region_plan.h"
#include "sized.h"
#include "status.h"

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
                    struct learned_report *out)
{
    const struct regions *regions = &design->regions;
    const uf_model *model = learner->learning.model;
    uf_learned *about = &out->about;
    *about = (uf_learned){.children = learner->request.children->name,
                          .adversarial_share = learner->ops->learned->own_keys ? learner->request.alpha : NAN,
                          .auc = design->auc,
                          .valid = design->valid,
                          .overlap = design->overlap,
                          .first_fpr = regions->first,
                          .regions = regions->count,
                          .fpr_valid = filter ? learned_rate(filter, LEARNED_AS_PLANNED, 0) : regions->fpr,
                          .repeated = design->repeated,
                          .trained = design->known};
    about->model_bytes = (filter ? filter->word_count : model ? model->fit.model.word_count : 0) * sizeof(uint64_t);
    about->bytes = about->model_bytes;
    for (unsigned i = 0; i < regions->count; i++) {
        report_region(learner, &regions->region[i], i, filter, &out->region[i]);
        about->keys += learner->request.whole && i ? 0 : regions->region[i].keys;
        about->bytes += out->region[i].bytes;
    }
    if (regions->first < 1)
        about->first_bytes =
            filter ? child_bytes(filter, 0) : planned_bytes(learner->request.children, about->keys, regions->first);
    about->bytes += about->first_bytes;
    about->plain_bytes = planned_bytes(learner->request.children, about->keys, learner->request.fpr);
}

int report_keep(uf_filter *filter, const struct learned_report *report, uf_error *why)
{
    filter->alternative = mem_alloc_dirty(&filter->mem, sizeof *report, 1);
    if (!filter->alternative)
        return fail(why, UF_ENOMEM, "no memory for a report of %zu bytes", sizeof *report);
    filter->alternative_bytes = sizeof *report;
    memcpy(filter->alternative, report, sizeof *report);
    return UF_OK;
}

static int report_of(const uf_filter *filter, struct learned_report *out)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    struct learner like = {.ops = filter->ops, .request = learned->request};
    if (filter->alternative)
        memcpy(out, filter->alternative, sizeof *out);
    if (filter->alternative)
        return UF_OK;
    if (!filter->ops->learned)
        return UF_EUNSUPPORTED;
    const struct learned_counts *counted = &learned->counted;
    struct region_design design = {learned->regions, learned->auc,      0,
                                   counted->overlap, counted->repeated, counted->trained};
    for (unsigned i = 0; i < learned->regions.count; i++)
        design.valid += learned->regions.region[i].negatives;
    learner_report(&like, &design, filter, out);
    return UF_OK;
}

int uf_get_learned(const uf_filter *filter, uf_learned *out, size_t size)
{
    struct learned_report report;
    int status = report_of(filter, &report);
    return status == UF_OK ? sized_write(&report.about, sizeof report.about, out, size) : status;
}

int uf_get_regions(const uf_filter *filter, uf_region *out, size_t size, size_t capacity)
{
    struct learned_report report;
    int status = report_of(filter, &report);
    for (size_t i = 0; status == UF_OK && i < capacity && i < report.about.regions; i++)
        status = sized_write(&report.region[i], sizeof(uf_region), (char *)out + i * size, size);
    return status;
}
