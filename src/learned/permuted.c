/* SPDX-License-Identifier: MIT */
/*
 * Training on what a PRF makes of keys, for uptown: its seed is drawn with the builder, so nobody could have trained a
 * model before. Keys are kept as hashes anyway; here their 16 bytes become keys of a model, and get their scores.
 */
#include "permuted.h"

#include "design_regions.h"
#include "distinct.h"
#include "models.h"
#include "status.h"

/* So many keys of either side are enough to learn nothing from. */
enum { MOST_EXAMPLES = 1 << 15 };

/* Keys of 16 bytes, back to back, as a model takes them. */
struct permuted {
    unsigned char (*bytes)[HASH_BYTES]; /* owned */
    uf_key *keys;                       /* owned */
    size_t count;
};

static void permuted_free(const struct mem *mem, struct permuted *list)
{
    mem_free(mem, list->bytes, list->count, sizeof *list->bytes);
    mem_free(mem, list->keys, list->count, sizeof *list->keys);
}

static int permuted_new(const struct mem *mem, size_t count, struct permuted *out)
{
    out->count = count;
    out->bytes = mem_alloc_dirty(mem, count, sizeof *out->bytes);
    out->keys = mem_alloc_dirty(mem, count, sizeof *out->keys);
    if (!out->bytes || !out->keys)
        return UF_ENOMEM;
    for (size_t i = 0; i < count; i++)
        out->keys[i] = (uf_key){out->bytes[i], HASH_BYTES};
    return UF_OK;
}

/* In an order that does not depend on how they came: training does. The first ones of random bytes are a sample. */
static int permute_members(const struct learner *learner, struct permuted *out)
{
    uint64_t count = learner->keys.count, at = 0;
    struct hash128 *sorted = mem_alloc_dirty(&learner->mem, (size_t)count, sizeof *sorted);
    if (!sorted)
        return UF_ENOMEM;
    for (const struct scored_piece *piece = learner->keys.pieces; piece; piece = piece->next)
        for (size_t i = 0; i < piece->used; i++)
            sorted[at++] = piece->item[i].hash;
    distinct_sorted(sorted, &count);
    count = count < MOST_EXAMPLES ? count : MOST_EXAMPLES;
    int status = permuted_new(&learner->mem, (size_t)count, out);
    for (size_t i = 0; status == UF_OK && i < count; i++)
        hash_bytes(sorted[i], out->bytes[i]);
    mem_free(&learner->mem, sorted, (size_t)learner->keys.count, sizeof *sorted);
    return status;
}

/* At most so many, from all over the list. */
static int permute(const struct learner *learner, const uf_key *keys, size_t count, size_t most, struct permuted *out)
{
    size_t step = (count + most - 1) / most, used = (count + step - 1) / step;
    int status = permuted_new(&learner->mem, used, out);
    for (size_t i = 0; status == UF_OK && i < used; i++)
        hash_bytes(hash_key(learner->hasher, keys[i * step]), out->bytes[i]);
    return status;
}

static struct fit_keys as_keys(const struct permuted *list)
{
    return (struct fit_keys){list->keys, list->count};
}

static int fit(struct learner *learner, const struct permuted lists[3], uf_error *why)
{
    enum { WEIGHT_BITS = 4, ORDER = 1 };
    struct fit_request request = {
        .positives = as_keys(&lists[0]),
        .negatives = as_keys(&lists[1]),
        .valid = as_keys(&lists[2]),
        .weight_bits = WEIGHT_BITS,
        .seed = ORDER,
        .filter = learner_regions(learner),
    };
    struct fit fit;
    int status = fit_model(&request, &learner->ctx, &fit, why);
    return status == UF_OK ? model_new(&fit, ORDER, &learner->own, why) : status;
}

static void score_members(struct learner *learner)
{
    for (struct scored_piece *piece = learner->keys.pieces; piece; piece = piece->next)
        for (size_t i = 0; i < piece->used; i++) {
            unsigned char bytes[HASH_BYTES];
            hash_bytes(piece->item[i].hash, bytes);
            piece->item[i].score = uf_model_score(learner->own, (uf_key){bytes, HASH_BYTES});
        }
}

int learner_train_permuted(struct learner *learner, uf_error *why)
{
    const uf_learning *learning = &learner->learning;
    struct permuted lists[3] = {{NULL, NULL, 0}, {NULL, NULL, 0}, {NULL, NULL, 0}};
    int status = permute_members(learner, &lists[0]);
    if (status == UF_OK)
        status = permute(learner, learning->negatives, learning->negative_count, MOST_EXAMPLES, &lists[1]);
    if (status == UF_OK)
        status = permute(learner, learning->valid, learning->valid_count, MOST_EXAMPLES, &lists[2]);
    status = status == UF_OK ? fit(learner, lists, why) : fail(why, status, "no memory for the keys of a model");
    for (size_t i = 0; i < 3; i++)
        permuted_free(&learner->mem, &lists[i]);
    if (status != UF_OK)
        return status;
    score_members(learner);
    learner->learning.model = learner->own;
    return UF_OK;
}
