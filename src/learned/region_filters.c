/* SPDX-License-Identifier: MIT */
#include "region_filters.h"

#include <string.h>

#include "capacity.h"
#include "filter.h"
#include "keying.h"
#include "models.h"
#include "region_plan.h"
#include "runs.h"
#include "status.h"

static void insert_runs(uf_filter *filter, const struct hash_runs *runs)
{
    for (unsigned g = 0; g < RUN_GROUPS; g++)
        for (const struct run_piece *piece = runs->group[g]; piece; piece = piece->next) {
            struct hash_source source = source_of_hashes(piece->hash);
            filter->calls.add_many(filter, &source, piece->used, NULL);
        }
}

/* A filter of its own from hashes, which were made with `hasher`. */
static int fill_filter(const struct learner *learner, struct hash_runs *runs, const struct hasher *hasher, double fpr,
                       uf_filter **out, uf_error *why)
{
    const struct filter_ops *ops = learner->request.children;
    struct spec plan;
    int status = region_plan(ops, runs_total(runs), fpr, &plan, why);
    if (status != UF_OK)
        return status;
    if (ops->solve)
        return filter_solve(ops, &plan, hasher, runs, &learner->ctx, out, why);
    status = filter_make(ops, &plan, hasher, &learner->ctx, out, why);
    if (status == UF_OK)
        insert_runs(*out, runs);
    return status;
}

static int build_child(const struct learner *learner, const struct scored_range *range, const struct hasher *hasher,
                       double fpr, uf_filter **out, uf_error *why)
{
    struct hash_runs *runs = mem_alloc(&learner->mem, 1, sizeof *runs);
    if (!runs)
        return fail(why, UF_ENOMEM, "no memory for a filter inside");
    runs->mem = &learner->mem;
    int status = scored_select(&learner->keys, range, runs);
    if (status != UF_OK)
        fail(why, status, "no memory for the keys of a filter inside");
    if (status == UF_OK)
        status = fill_filter(learner, runs, hasher, fpr, out, why);
    runs_free(runs);
    mem_free(&learner->mem, runs, 1, sizeof *runs);
    return status;
}

static const struct scored_range all_of_them = {INT64_MIN, INT64_MAX, NULL, NULL};

int learner_build_plain(const struct learner *learner, uf_filter **out, uf_error *why)
{
    int status = build_child(learner, &all_of_them, learner->hasher, learner->request.fpr, out, why);
    if (status == UF_OK && capacity_applies((*out)->ops))
        capacity_open(*out, capacity_default(is_keyed(*out)), learner->keys.count);
    return status;
}

/* Plans round rates up, in the sixth digit: asking for so much less keeps the sum below what was promised. */
static double a_little_less(double fpr)
{
    return fpr * (1 - 1e-5);
}

/* Builds a filter and puts it inside. */
static int add_child(const struct learner *learner, const struct scored_range *range, const struct hasher *hasher,
                     double fpr, uf_filter *filter, uf_error *why)
{
    uf_filter *child;
    int status = build_child(learner, range, hasher, a_little_less(fpr), &child, why);
    if (status != UF_OK)
        return status;
    status = filter_add_child(filter, child, why);
    if (status != UF_OK)
        uf_free(child);
    return status;
}

static struct hash128 mix_again(const void *arg, struct hash128 hash)
{
    (void)arg;
    return hash_again(hash);
}

static struct hash128 hash_with(const void *hasher, struct hash128 hash)
{
    return hash_nested(hasher, hash);
}

/* The filter of a region: what its hashes are is in learned.h. */
static int add_region(const struct learner *learner, const struct regions *regions, unsigned index, uf_filter *filter,
                      uf_error *why)
{
    const struct region *region = &regions->region[index];
    const int own_key = learner->ops->learned->own_keys;
    struct scored_range range = {region->from, index + 1 < regions->count ? region[1].from - 1 : INT64_MAX, NULL, NULL};
    struct hasher hasher = *learner->hasher;
    if (learner->request.whole)
        range = all_of_them;
    if (own_key) {
        hasher.seed = region_seed(hasher.seed, index);
        keying_start(&hasher, learner->ctx.cpu, learner->ctx.secret);
        range.change = hash_with;
        range.arg = &hasher;
    } else if (regions->first < 1) {
        range.change = mix_again;
    }
    int status = add_child(learner, &range, &hasher, region->fpr, filter, why);
    explicit_bzero(&hasher, sizeof hasher);
    return status;
}

static int add_children(const struct learner *learner, const struct regions *regions, uf_filter *filter, uf_error *why)
{
    int status = UF_OK;
    if (regions->first < 1)
        status = add_child(learner, &all_of_them, learner->hasher, regions->first, filter, why);
    for (unsigned i = 0; status == UF_OK && i < regions->count; i++)
        if (region_has_child(&regions->region[i]))
            status = add_region(learner, regions, i, filter, why);
    return status;
}

static void set_params(const struct learner *learner, const struct region_design *design, uf_filter *filter)
{
    struct learned *learned = PARAMS(struct learned, filter);
    const uf_learning *learning = &learner->learning;
    *learned = (struct learned){.source = learning->model ? SCORES_OF_MODEL : SCORES_OF_CALLER,
                                .request = learner->request,
                                .auc = design->auc,
                                .counted = {design->overlap, design->repeated, design->known},
                                .regions = design->regions,
                                .score = learning->score,
                                .score_arg = learning->score_arg};
    if (learning->model)
        learned->model = learning->model->fit.model;
    filter->word_count = learned->model.word_count;
    filter->hasher = *learner->hasher;
}

int learner_build(const struct learner *learner, const struct region_design *design, uf_filter **out, uf_error *why)
{
    uf_filter *filter;
    int status = filter_new(learner->ops, &learner->ctx, &filter, why);
    if (status != UF_OK)
        return status;
    set_params(learner, design, filter);
    if (filter->word_count)
        status = filter_allocate(filter, why);
    if (status == UF_OK && filter->word_count)
        memcpy(filter->words, learner->learning.model->fit.words, filter->word_count * sizeof *filter->words);
    if (status == UF_OK)
        status = add_children(learner, &design->regions, filter, why);
    if (status != UF_OK) {
        uf_free(filter);
        return status;
    }
    filter_bind(filter);
    *out = filter;
    return UF_OK;
}
