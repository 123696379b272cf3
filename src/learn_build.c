/* SPDX-License-Identifier: MIT */
/* From scores to a filter: which regions, what they take, and the filters themselves. */
#include <math.h>
#include <string.h>

#include "filter.h"
#include "keying.h"
#include "learner.h"
#include "models.h"
#include "overlap.h"
#include "parallel.h"
#include "plan.h"
#include "room.h"
#include "runs.h"
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
            overlap_put(out, piece->item[i].hash.lo);
    return status;
}

/* Scores of the negatives that are no keys, to the front of `score`. */
static int score_valid(const struct learner *learner, int64_t *score, unsigned char *member, struct design *design,
                       uf_error *why)
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

struct regions_wish learner_regions(const struct learner *learner)
{
    return (struct regions_wish){.how = learner->ops->learned->how,
                                 .fpr = learner->wish.fpr,
                                 .most = learner->wish.regions,
                                 .factor = child_factor(learner->wish.children->name),
                                 .child_bits = CHILD_BITS,
                                 .margin = REGIONS_MARGIN,
                                 .alpha = learner->wish.alpha,
                                 .whole = learner->wish.whole};
}

static int choose(const struct learner *learner, int64_t *keys, int64_t *valid, int64_t *scratch, struct design *design)
{
    struct curve curve;
    struct regions_wish wish = learner_regions(learner);
    scored_scores(&learner->keys, keys);
    scores_sort(keys, scratch, (size_t)learner->keys.count);
    scores_sort(valid, scratch, (size_t)design->valid);
    int status = curve_make(&learner->mem, keys, (size_t)learner->keys.count, valid, (size_t)design->valid,
                            CURVE_MOST_SEGMENTS, &curve);
    if (status != UF_OK)
        return status;
    status = regions_choose(&curve, &wish, &design->regions);
    design->auc = isnan(curve.auc) ? 0 : curve.auc;
    curve_free(&curve);
    return status;
}

int learner_design(const struct learner *learner, struct design *out, uf_error *why)
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

/* ---- sizes ---- */

static int plan_child(const struct filter_ops *ops, uint64_t keys, double fpr, struct spec *plan, uf_error *why)
{
    *plan = (struct spec){.count = 0};
    strcpy(plan->kind, ops->name);
    spec_set_number(plan, "n", (double)keys);
    spec_set_number(plan, "fpr", fpr);
    return ops->plan(plan, why);
}

/* Bytes of a filter as planned; nothing where there is none. */
static uint64_t planned_bytes(const struct filter_ops *ops, uint64_t keys, double fpr)
{
    struct spec plan;
    uint64_t bits = 0;
    if (!keys || fpr >= 1 || plan_child(ops, keys, fpr, &plan, NULL) != UF_OK)
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
        out->bytes = planned_bytes(learner->wish.children, region->keys, region->fpr);
}

void learner_report(const struct learner *learner, const struct design *design, const uf_filter *filter,
                    uf_learned *out)
{
    const struct regions *regions = &design->regions;
    const uf_model *model = learner->learning.model;
    *out = (uf_learned){.children = learner->wish.children->name,
                        .adversarial_share = learner->ops->learned->own_keys ? learner->wish.alpha : NAN,
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
        out->keys += learner->wish.whole && i ? 0 : regions->region[i].keys;
        out->bytes += out->region[i].bytes;
    }
    if (regions->first < 1)
        out->first_bytes =
            filter ? child_bytes(filter, 0) : planned_bytes(learner->wish.children, out->keys, regions->first);
    out->bytes += out->first_bytes;
    out->plain_bytes = planned_bytes(learner->wish.children, out->keys, learner->wish.fpr);
}

/* ---- filters ---- */

static void insert_runs(uf_filter *filter, const struct hash_runs *runs)
{
    for (unsigned g = 0; g < RUN_GROUPS; g++)
        for (const struct run_piece *piece = runs->group[g]; piece; piece = piece->next) {
            struct hash_source source = source_of_hashes(piece->hash);
            filter->calls.insert_many(filter, &source, piece->used);
        }
}

/* A filter of its own from hashes, which were made with `hasher`. */
static int fill_child(const struct learner *learner, struct hash_runs *runs, const struct hasher *hasher, double fpr,
                      uf_filter *filter, uf_error *why)
{
    const struct filter_ops *ops = filter->ops;
    struct spec plan;
    filter->hasher = *hasher;
    int status = plan_child(ops, runs_total(runs), fpr, &plan, why);
    if (status != UF_OK)
        return status;
    if (ops->solve) {
        status = ops->solve(filter, &plan, runs, &learner->ctx, why);
    } else {
        status = ops->shape(filter, &plan, why);
        if (status == UF_OK)
            status = filter_allocate(filter, why);
    }
    if (status == UF_OK && ops->bind)
        ops->bind(filter);
    if (status == UF_OK && !ops->solve)
        insert_runs(filter, runs);
    return status;
}

static int build_child(const struct learner *learner, const struct scored_range *range, const struct hasher *hasher,
                       double fpr, uf_filter **out, uf_error *why)
{
    struct hash_runs *runs = mem_alloc(&learner->mem, 1, sizeof *runs);
    uf_filter *filter = NULL;
    if (!runs)
        return fail(why, UF_ENOMEM, "no memory for a filter inside");
    runs->mem = &learner->mem;
    int status = scored_select(&learner->keys, range, runs);
    if (status != UF_OK)
        fail(why, status, "no memory for the keys of a filter inside");
    if (status == UF_OK)
        status = filter_new(learner->wish.children, &learner->ctx, &filter, why);
    if (status == UF_OK)
        status = fill_child(learner, runs, hasher, fpr, filter, why);
    runs_free(runs);
    mem_free(&learner->mem, runs, 1, sizeof *runs);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

static const struct scored_range all_of_them = {INT64_MIN, INT64_MAX, NULL, NULL};

int learner_build_plain(const struct learner *learner, uf_filter **out, uf_error *why)
{
    int status = build_child(learner, &all_of_them, learner->hasher, learner->wish.fpr, out, why);
    if (status == UF_OK && room_applies((*out)->ops))
        room_open(*out, room_default(is_keyed(*out)), learner->keys.count);
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
    if (learner->wish.whole)
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

static void set_params(const struct learner *learner, const struct design *design, uf_filter *filter)
{
    struct learned *learned = PARAMS(struct learned, filter);
    const uf_learning *learning = &learner->learning;
    *learned = (struct learned){.source = learning->model ? SCORES_OF_MODEL : SCORES_OF_CALLER,
                                .wish = learner->wish,
                                .auc = design->auc,
                                .overlap = design->overlap,
                                .regions = design->regions,
                                .score = learning->score,
                                .score_arg = learning->score_arg};
    if (learning->model)
        learned->model = learning->model->fit.model;
    filter->word_count = learned->model.word_count;
    filter->hasher = *learner->hasher;
}

int learner_build(const struct learner *learner, const struct design *design, uf_filter **out, uf_error *why)
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
    learned_bind(filter);
    *out = filter;
    return UF_OK;
}
