/* SPDX-License-Identifier: MIT */
/* learned, sandwich, partition: plans, bytes, figures. What they are is in learned.h, queries in learned_query.c. */
#include "learned.h"

#include <math.h>
#include <string.h>

#include "plan.h"
#include "status.h"

enum { DEFAULT_REGIONS = 8 };

enum regions_how learned_how(const struct filter_ops *ops)
{
    return ops == &kind_partition ? REGIONS_PARTITION : ops == &kind_sandwich ? REGIONS_SANDWICH : REGIONS_LEARNED;
}

/* ---- plans ---- */

int learned_read_plan(const struct spec *plan, double *fpr, unsigned *most, const struct filter_ops **children,
                      uf_error *why)
{
    const char *kind = spec_text(plan, "children");
    uint64_t regions = DEFAULT_REGIONS;
    *fpr = PLAN_DEFAULT_FPR;
    if (spec_get_number(plan, "fpr", fpr, why) < 0 || spec_get_count(plan, "regions", &regions, why) < 0)
        return UF_EINVAL;
    if (regions < 2 || regions > REGIONS_MOST)
        return fail(why, UF_EINVAL, "regions=%llu is not possible: it is 2 to %d", (unsigned long long)regions,
                    REGIONS_MOST);
    *most = (unsigned)regions;
    *children = child_by_name(kind ? kind : "ribbon");
    if (!*children)
        return fail(why, UF_EINVAL, "children=%s is not possible: take ribbon, bloom or blocked", kind);
    return plan_check_fpr(*fpr, why);
}

/* The sizes follow from keys and negatives, which a plan does not know. */
static int learned_plan(struct spec *spec, uf_error *why)
{
    const struct filter_ops *children;
    unsigned most;
    uint64_t n = 0;
    double fpr;
    int known = spec_get_count(spec, "n", &n, why);
    int status = known < 0 ? UF_EINVAL : learned_read_plan(spec, &fpr, &most, &children, why);
    if (status != UF_OK)
        return status;
    if (known)
        spec_set_number(spec, "n", (double)n);
    spec_set_number(spec, "fpr", fpr);
    if (!strcmp(spec->kind, "partition"))
        spec_set_number(spec, "regions", most);
    return spec_set_text(spec, "children", children->name, why);
}

static int learned_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    (void)filter, (void)plan;
    return fail(why, UF_EUNSUPPORTED, "a learned filter has no shape before its keys are known");
}

/* ---- children ---- */

unsigned learned_children(const struct learned *learned)
{
    unsigned count = has_first(learned);
    for (unsigned i = 0; i < learned->regions.count; i++)
        count += (unsigned)region_has_child(&learned->regions.region[i]);
    return count;
}

void learned_bind(struct uf_filter *filter)
{
    struct learned *learned = PARAMS(struct learned, filter);
    unsigned next = has_first(learned);
    for (unsigned i = 0; i < learned->regions.count; i++)
        learned->child_of[i] =
            (unsigned char)(region_has_child(&learned->regions.region[i]) ? next++ : LEARNED_NO_CHILD);
}

/* A child of this kind with the hash of the whole, planned for so many keys. */
static int is_child(const struct uf_filter *filter, const struct uf_filter *child, uint64_t keys)
{
    const struct hasher *own = &filter->hasher, *its = &child->hasher;
    struct spec plan = {.count = 0};
    uint64_t n = 0;
    if (child->ops != CONST_PARAMS(struct learned, filter)->children || child->released.mechanism != RELEASE_NONE ||
        its->kind != own->kind || its->seed != own->seed || memcmp(&its->stamp, &own->stamp, sizeof own->stamp) != 0)
        return 0;
    child->ops->describe(child, &plan);
    return spec_get_count(&plan, "n", &n, NULL) == 1 && n == keys;
}

static uint64_t all_keys(const struct regions *regions)
{
    uint64_t keys = 0;
    for (unsigned i = 0; i < regions->count; i++)
        keys += regions->region[i].keys;
    return keys;
}

static int learned_adopt(const struct uf_filter *filter, uf_error *why)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    unsigned at = 0;
    int fit = filter->children == learned_children(learned);
    if (fit && has_first(learned))
        fit = is_child(filter, filter->child[at++], all_keys(&learned->regions));
    for (unsigned i = 0; fit && i < learned->regions.count; i++)
        if (region_has_child(&learned->regions.region[i]))
            fit = is_child(filter, filter->child[at++], learned->regions.region[i].keys);
    return fit ? UF_OK : fail(why, UF_EFORMAT, "is damaged: the filters inside it are not those of its regions");
}

/* ---- bytes ---- */

static void learned_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    write_uint(writer, learned->source, 4);
    write_uint(writer, learned->model.log_weights, 4);
    write_uint(writer, learned->model.weight_bits, 4);
    write_uint(writer, learned->children->id, 4);
    write_uint(writer, learned->most, 4);
    write_uint(writer, learned->regions.count, 4);
    write_double(writer, learned->fpr);
    write_double(writer, learned->auc);
    write_double(writer, learned->regions.first);
    write_uint(writer, learned->overlap, 8);
    for (unsigned i = 0; i < learned->regions.count; i++) {
        const struct region *region = &learned->regions.region[i];
        write_uint(writer, (uint64_t)region->from, 8);
        write_uint(writer, region->keys, 8);
        write_uint(writer, region->negatives, 8);
        write_double(writer, region->fpr);
    }
}

/* Regions in order, from the lowest score there is; a rate where there are keys, none where there are not. */
static int regions_legal(const struct filter_ops *ops, const struct learned *learned)
{
    const struct regions *regions = &learned->regions;
    uint64_t most = UINT64_C(1) << 53, keys = 0, negatives = 0;
    int legal = regions->first > 0 && regions->first <= 1 && (regions->first == 1 || ops == &kind_sandwich);
    legal = legal && regions->count >= 1 && regions->count <= learned->most && regions->region[0].from == INT64_MIN;
    for (unsigned i = 0; legal && i < regions->count; i++) {
        const struct region *region = &regions->region[i];
        legal = region->keys <= most - keys && region->negatives <= most - negatives &&
                (region->keys ? region->fpr > 0 && region->fpr <= 1 : region->fpr == 0) &&
                (!i || region->from > region[-1].from);
        keys += legal ? region->keys : 0;
        negatives += legal ? region->negatives : 0;
    }
    return legal && negatives;
}

static int source_legal(const struct learned *learned)
{
    if (learned->source == SCORES_OF_CALLER)
        return !learned->model.log_weights && !learned->model.weight_bits;
    return learned->source == SCORES_OF_MODEL &&
           model_shape_legal(learned->model.log_weights, learned->model.weight_bits);
}

static int learned_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct learned *learned = PARAMS(struct learned, filter);
    struct regions *regions = &learned->regions;
    learned->source = (enum learned_source)read_uint(reader, 4);
    learned->model.log_weights = (unsigned)read_uint(reader, 4);
    learned->model.weight_bits = (unsigned)read_uint(reader, 4);
    learned->children = child_by_id(read_uint(reader, 4));
    learned->most = (unsigned)read_uint(reader, 4);
    regions->count = (unsigned)read_uint(reader, 4);
    learned->fpr = read_double(reader);
    learned->auc = read_double(reader);
    regions->first = read_double(reader);
    learned->overlap = read_uint(reader, 8);
    for (unsigned i = 0; i < regions->count && i < REGIONS_MOST; i++)
        regions->region[i] = (struct region){(int64_t)read_uint(reader, 8), read_uint(reader, 8), read_uint(reader, 8),
                                             read_double(reader)};
    if (!source_legal(learned) || !learned->children || learned->most < 2 || learned->most > REGIONS_MOST ||
        !(learned->fpr > 0 && learned->fpr < 1) || !(learned->auc >= 0 && learned->auc <= 1) ||
        !regions_legal(filter->ops, learned))
        return fail(why, UF_EFORMAT, "is damaged: no %s filter has these parameters", filter->ops->name);
    if (learned->source == SCORES_OF_MODEL)
        learned->model.word_count = model_words(learned->model.log_weights, learned->model.weight_bits);
    filter->word_count = learned->model.word_count;
    return UF_OK;
}

/* What the children know was checked before. */
static int learned_check(const struct uf_filter *filter, uf_error *why)
{
    struct model model = model_of(filter);
    if (!model.word_count || model_words_legal(&model))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: its model has weights that no training gives");
}

/* ---- figures ---- */

static void learned_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    spec_set_number(plan, "n", (double)all_keys(&learned->regions));
    spec_set_number(plan, "fpr", learned->fpr);
    if (filter->ops == &kind_partition)
        spec_set_number(plan, "regions", learned->most);
    (void)spec_set_text(plan, "children", learned->children->name, NULL);
}

static double child_rate(const struct uf_filter *child)
{
    uf_claim claim = {.fpr = 1};
    child->ops->claim(child, &claim);
    return claim.fpr;
}

/* As model/regions.c has it, with the rates that the children really have. */
double learned_rate(const struct uf_filter *filter, double margin)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    const struct regions *regions = &learned->regions;
    double rate = 0, squares = 0, seen = 1;
    for (unsigned i = 0; i < regions->count; i++)
        seen += (double)regions->region[i].negatives;
    for (unsigned i = 0; i < regions->count; i++) {
        const struct region *region = &regions->region[i];
        double share = ((double)region->negatives + 1) / seen, fpr = region->fpr;
        if (learned->child_of[i] != LEARNED_NO_CHILD)
            fpr = child_rate(filter->child[learned->child_of[i]]);
        rate += share * fpr;
        squares += share * fpr * fpr;
    }
    rate = fmin(rate + margin * sqrt(squares / seen), 1);
    return has_first(learned) ? child_rate(filter->child[0]) * rate : rate;
}

static void learned_info(const struct uf_filter *filter, uf_info *out)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    out->capacity = all_keys(&learned->regions);
    double filled = 0, bits = 0;
    for (unsigned i = 0; i < filter->children; i++) {
        uf_info child = {.bits = 0};
        filter->child[i]->ops->info(filter->child[i], &child);
        filled += child.fill * (double)child.bits;
        bits += (double)child.bits;
    }
    out->bits = (uint64_t)filter->word_count * 64 + (uint64_t)bits;
    out->fill = bits > 0 ? filled / bits : 0; /* of the filters inside */
    out->count_estimate = (double)out->capacity;
    out->fpr_now = learned_rate(filter, 0);
}

/* A key changes nothing about the model, which everyone can read: whoever looks for keys with high scores finds those
 * that are accepted without a filter. */
static void learned_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    out->fpr = learned_rate(filter, REGIONS_MARGIN);
    out->adversary =
        "keys like the negatives it was planned with; whoever changes a few letters of a key that it accepts "
        "finds false positives";
    out->not_protected = "the keys: whoever has this file can test any guess against it, and its model tells what they "
                         "look like";
    if (hash_is_keyed(filter->hasher.kind))
        out->not_protected = "what the keys look like: whoever has this file has its model; with its key any guess can "
                             "be tested, too";
    else if (learned->source == SCORES_OF_CALLER)
        out->not_protected = "the keys: whoever has this file and the scores can test any guess against it";
    out->proof = "docs/learned.md#promise";
}

/* ---- the kinds ---- */

static const char *const names[] = {"n", "fpr", "children", NULL};
static const char *const partition_names[] = {"n", "fpr", "regions", "children", NULL};

/* One set of functions; what differs is how regions are chosen. */
#define LEARNED_KIND(its_name, its_about, its_names, its_id)                                                        \
    {                                                                                                               \
        .name = its_name, .about = its_about, .names = its_names, .id = its_id, .hash = HASH_XXH3, .learned = 1,    \
        .plan = learned_plan, .shape = learned_shape, .query_key = learned_query_key,                               \
        .query_keys = learned_query_keys, .bind = learned_bind, .encode = learned_encode, .decode = learned_decode, \
        .adopt = learned_adopt, .check = learned_check, .describe = learned_describe, .info = learned_info,         \
        .claim = learned_claim,                                                                                     \
    }

const struct filter_ops kind_learned =
    LEARNED_KIND("learned", "a model, and a filter of the keys that it misses", names, 10);
const struct filter_ops kind_sandwich =
    LEARNED_KIND("sandwich", "a filter in front of a model, and one of the keys that it misses", names, 11);
const struct filter_ops kind_partition =
    LEARNED_KIND("partition", "a model, and a filter for each range of scores: the smallest", partition_names, 12);
