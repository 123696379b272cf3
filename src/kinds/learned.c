/* SPDX-License-Identifier: MIT */
/* Learned kinds: children, bytes, and the kinds themselves. What they are is in learned.h. */
#include "learned.h"

#include <string.h>

#include "status.h"
#include "kinds.h"
#include "sized.h"

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

/* Sets child_of, once the regions are known. */
static void learned_bind(struct uf_filter *filter)
{
    struct learned *learned = PARAMS(struct learned, filter);
    unsigned next = has_first(learned);
    for (unsigned i = 0; i < learned->regions.count; i++)
        learned->child_of[i] =
            (unsigned char)(region_has_child(&learned->regions.region[i]) ? next++ : LEARNED_NO_CHILD);
}

/* The hash of the whole, or the same with a key of its own. Whether its check value is right shows when it is unlocked.
 */
static int is_hasher(const struct hasher *own, const struct hasher *its, uint64_t seed)
{
    if (its->kind != own->kind || its->seed != seed)
        return 0;
    return seed == own->seed ? !memcmp(&its->stamp, &own->stamp, sizeof own->stamp)
                             : !memcmp(its->stamp.id, own->stamp.id, sizeof own->stamp.id);
}

/* A child of this kind with that seed, planned for so many keys. */
static int is_child(const struct uf_filter *filter, const struct uf_filter *child, uint64_t seed, uint64_t keys)
{
    struct planned planned;
    if (child->ops != CONST_PARAMS(struct learned, filter)->request.children ||
        child->released.mechanism != RELEASE_NONE || !is_hasher(&filter->hasher, &child->hasher, seed))
        return 0;
    child->ops->capacity(child, &planned);
    return planned.n == keys;
}

uint64_t learned_keys(const struct learned *learned)
{
    uint64_t keys = 0;
    for (unsigned i = 0; i < (learned->request.whole ? 1 : learned->regions.count); i++)
        keys += learned->regions.region[i].keys;
    return keys;
}

static int learned_adopt(const struct uf_filter *filter, uf_error *why)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    const uint64_t seed = filter->hasher.seed;
    unsigned at = 0;
    int fit = filter->children == learned_children(learned);
    if (fit && has_first(learned))
        fit = is_child(filter, filter->child[at++], seed, learned_keys(learned));
    for (unsigned i = 0; fit && i < learned->regions.count; i++)
        if (region_has_child(&learned->regions.region[i]))
            fit = is_child(filter, filter->child[at++], has_own_keys(filter) ? region_seed(seed, i) : seed,
                           learned->regions.region[i].keys);
    return fit ? UF_OK : fail(why, UF_EFORMAT, "is damaged: the filters inside are not those of the regions");
}

/* ---- bytes ---- */

static void learned_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    write_uint(writer, learned->source, 4);
    write_uint(writer, learned->model.log_weights, 4);
    write_uint(writer, learned->model.weight_bits, 4);
    write_uint(writer, learned->request.children->id, 4);
    write_uint(writer, learned->request.regions, 4);
    write_uint(writer, learned->regions.count, 4);
    write_double(writer, learned->request.fpr);
    write_double(writer, learned->auc);
    write_double(writer, learned->regions.first);
    write_uint(writer, learned->overlap, 8);
    if (has_own_keys(filter)) {
        write_double(writer, learned->request.alpha);
        write_uint(writer, (uint64_t)learned->request.whole, 4);
    }
    for (unsigned i = 0; i < learned->regions.count; i++) {
        const struct region *region = &learned->regions.region[i];
        write_uint(writer, (uint64_t)region->from, 8);
        write_uint(writer, region->keys, 8);
        write_uint(writer, region->negatives, 8);
        write_double(writer, region->fpr);
    }
    if (learned->request.in_front)
        write_uint(writer, 1, 4);
}

/* Regions in order, from the lowest score there is; a rate where there are keys, none where there are not. */
static int regions_legal(const struct learned_traits *traits, const struct learned *learned)
{
    const struct regions *regions = &learned->regions;
    uint64_t most = UINT64_C(1) << 53, keys = 0, negatives = 0;
    int legal = regions->first > 0 && regions->first <= 1 && (regions->first == 1 || traits->how == REGIONS_SANDWICH) &&
                (regions->first < 1 || !learned->request.in_front);
    legal = legal && regions->count >= 1 && regions->count <= learned->request.regions &&
            regions->region[0].from == INT64_MIN;
    for (unsigned i = 0; legal && i < regions->count; i++) {
        const struct region *region = &regions->region[i];
        legal = region->keys <= most - keys && region->negatives <= most - negatives &&
                (region->keys ? region->fpr > 0 && region->fpr <= 1 : region->fpr == 0) &&
                (!i || region->from > region[-1].from) &&
                (!learned->request.whole || region->keys == regions->region[0].keys);
        keys += legal ? region->keys : 0;
        negatives += legal ? region->negatives : 0;
    }
    return legal && negatives;
}

static int request_legal(const struct learned_traits *traits, const struct learned_request *request)
{
    return request->children && request->regions >= 2 &&
           request->regions <= (traits->regions ? traits->regions : REGIONS_MOST) && request->fpr > 0 &&
           request->fpr < 1 && request->alpha >= 0 && request->alpha <= 1 &&
           (request->whole == 0 || (request->whole == 1 && traits->regions)) &&
           (request->in_front == 0 || request->in_front == 1);
}

static int source_legal(const struct learned_traits *traits, const struct learned *learned)
{
    if (learned->source == SCORES_OF_CALLER && !traits->permuted)
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
    learned->request.children = child_by_id(read_uint(reader, 4));
    learned->request.regions = (unsigned)read_uint(reader, 4);
    regions->count = (unsigned)read_uint(reader, 4);
    learned->request.fpr = read_double(reader);
    learned->auc = read_double(reader);
    regions->first = read_double(reader);
    learned->overlap = read_uint(reader, 8);
    if (has_own_keys(filter)) {
        learned->request.alpha = read_double(reader);
        learned->request.whole = (int)read_uint(reader, 4);
    }
    for (unsigned i = 0; i < regions->count && i < REGIONS_MOST; i++)
        regions->region[i] = (struct region){(int64_t)read_uint(reader, 8), read_uint(reader, 8), read_uint(reader, 8),
                                             read_double(reader)};
    if (filter->ops->learned->permuted && reader->left) /* files of the planner's own end here */
        learned->request.in_front = read_uint(reader, 4) == 1 ? 1 : -1;
    if (!source_legal(filter->ops->learned, learned) || !request_legal(filter->ops->learned, &learned->request) ||
        !(learned->auc >= 0 && learned->auc <= 1) || !regions_legal(filter->ops->learned, learned))
        return fail(why, UF_EFORMAT, "is damaged: no %s filter has these parameters", filter->ops->name);
    if (learned->source == SCORES_OF_MODEL)
        learned->model.word_count = model_words(learned->model.log_weights, learned->model.weight_bits);
    filter->word_count = learned->model.word_count;
    return UF_OK;
}

int learning_read(const uf_learning *given, uf_learning *out, uf_error *why)
{
    *out = (uf_learning)UF_LEARNING_INIT;
    return sized_read(out, sizeof *out, given, given->size, "UF_LEARNING_INIT", why);
}

static int learned_needs(const struct uf_filter *filter)
{
    return CONST_PARAMS(struct learned, filter)->source == SCORES_OF_CALLER;
}

/* The caller's scores: without them it could only accept everything, which is not what it claims. */
static int learned_attach(struct uf_filter *filter, const uf_context *ctx, uf_error *why)
{
    struct learned *learned = PARAMS(struct learned, filter);
    uf_learning learning = UF_LEARNING_INIT;
    if (!learned_needs(filter))
        return UF_OK;
    int status = ctx->learning ? learning_read(ctx->learning, &learning, why) : UF_OK;
    if (status != UF_OK)
        return status;
    if (!learning.score)
        return fail(why, UF_EINVAL,
                    "was built from scores of someone's own and needs them: give the function that scored its keys as "
                    "uf_learning.score");
    learned->score = learning.score;
    learned->score_arg = learning.score_arg;
    return UF_OK;
}

/* What the children know was checked before. */
static int learned_check(const struct uf_filter *filter, uf_error *why)
{
    struct model model = model_of(filter);
    if (!model.word_count || model_words_legal(&model))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: the model has weights that no training gives");
}

/* ---- the kinds ---- */

static const char *const names[] = {"n", "fpr", "children", NULL};
static const char *const uptown_names[] = {"n", "fpr", "children", "definition", NULL};
static const char *const partition_names[] = {"n", "fpr", "regions", "children", NULL};
static const char *const downtown_names[] = {"n", "fpr", "alpha", "children", "definition", NULL};
static const char *const robust_names[] = {"n", "fpr", "alpha", "regions", "children", NULL};

static const struct learned_traits of_learned = {REGIONS_LEARNED, 2, 0, 0};
static const struct learned_traits of_sandwich = {REGIONS_SANDWICH, 2, 0, 0};
static const struct learned_traits of_partition = {REGIONS_PARTITION, 0, 0, 0};
static const struct learned_traits of_uptown = {REGIONS_SANDWICH, 2, 1, 0};
static const struct learned_traits of_downtown = {REGIONS_PARTITION, 2, 0, 1};
static const struct learned_traits of_robust = {REGIONS_PARTITION, 0, 0, 1};

/* One set of functions; what differs is in the traits. */
#define LEARNED_KIND(its_name, its_about, its_names, its_id, its_traits)                                              \
    .name = its_name, .about = its_about, .names = its_names, .id = its_id, .hash = HASH_XXH3, .learned = its_traits, \
    .builder = &learned_builder, .plan = learned_plan, .shape = learned_shape, .query_key = learned_query_key,        \
    .query_keys = learned_query_keys, .bind = learned_bind, .encode = learned_encode, .decode = learned_decode,       \
    .adopt = learned_adopt, .needs = learned_needs, .attach = learned_attach, .check = learned_check,                 \
    .describe = learned_describe, .capacity = learned_capacity, .info = learned_info, .claim = learned_claim

const struct filter_ops kind_learned = {
    LEARNED_KIND("learned", "a model, and a filter of the keys that it misses", names, 10, &of_learned),
    .own_claim = 1};
const struct filter_ops kind_sandwich = {
    LEARNED_KIND("sandwich", "a filter in front of a model, and one of the keys that it misses", names, 11,
                 &of_sandwich),
    .own_claim = 1};
const struct filter_ops kind_partition = {LEARNED_KIND("partition",
                                                       "a model, and a filter for each range of scores: the smallest",
                                                       partition_names, 12, &of_partition),
                                          .own_claim = 1};
const struct filter_ops kind_uptown = {LEARNED_KIND("uptown",
                                                    "a sandwich over permuted keys, whose model can learn nothing",
                                                    uptown_names, 15, &of_uptown),
                                       .keyed = 1, .own_claim = 1};
const struct filter_ops kind_downtown = {LEARNED_KIND("downtown",
                                                      "a model, and a keyed filter for either side of a score",
                                                      downtown_names, 13, &of_downtown),
                                         .keyed = 1, .own_claim = 1};
const struct filter_ops kind_robust = {
    LEARNED_KIND("robust", "a model, and a keyed filter for each range of scores: small, and holds under attack",
                 robust_names, 14, &of_robust),
    .keyed = 1, .own_claim = 1};
