/* SPDX-License-Identifier: MIT */
/*
 * Queries of learned filters, in batches: hash all keys, let the filter in front sort some out, score the rest, bring
 * those of one region together, and ask its filter for all of them at once, which prefetches.
 */
#include "learned.h"

#include <math.h>
#include <string.h>

#include "string_inline.h"

enum { BATCH = 256 };

/* Keys that no filter has decided yet, and where their answers go. */
struct batch {
    size_t count;
    const uf_key *key; /* the caller's, or `kept` */
    uf_key kept[BATCH];
    unsigned char bytes[BATCH][HASH_BYTES]; /* of kept keys that are what the PRF made of others */
    struct hash128 hash[BATCH];
    uint16_t at[BATCH];
    unsigned char region[BATCH];
};

/* 1 and the score, or 0 when it is not a number. */
static int score_of(const struct uf_filter *filter, uf_key key, struct hash128 hash, int64_t *out)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    if (learned->source == SCORES_OF_MODEL) {
        struct model model = model_of(filter);
        unsigned char bytes[HASH_BYTES];
        if (filter->ops->learned->permuted) {
            hash_bytes(hash, bytes);
            key = (uf_key){bytes, HASH_BYTES};
        }
        *out = model_score(&model, key);
        return 1;
    }
    double score = learned->score(learned->score_arg, key);
    if (isnan(score))
        return 0;
    *out = score_order(score);
    return 1;
}

/* From the hash of the whole to that of a region's filter. */
static struct hash128 hash_inside(const struct uf_filter *filter, const struct uf_filter *child, struct hash128 hash)
{
    if (has_own_keys(filter))
        return hash_nested(&child->hasher, hash);
    return has_first(CONST_PARAMS(struct learned, filter)) ? hash_again(hash) : hash;
}

static int ask_child(const struct uf_filter *filter, unsigned region, struct hash128 hash)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    unsigned child = learned->child_of[region];
    if (child == LEARNED_NO_CHILD)
        return learned->regions.region[region].keys != 0;
    return filter->child[child]->calls.query(filter->child[child], hash_inside(filter, filter->child[child], hash));
}

/* A key without a score: every region is asked, since a member is in one of them, whatever became of its score. */
static int ask_all(const struct uf_filter *filter, struct hash128 hash)
{
    int found = 0;
    for (unsigned i = 0; i < CONST_PARAMS(struct learned, filter)->regions.count; i++)
        found |= ask_child(filter, i, hash);
    return found;
}

int learned_query_key(const struct uf_filter *filter, uf_key key)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    struct hash128 hash =
        filter->hasher.kind == HASH_XXH3 ? string_hash(&filter->string, key) : hash_keyed(&filter->hasher, key);
    int64_t score;
    if (has_first(learned) && !filter->child[0]->calls.query(filter->child[0], hash))
        return 0;
    if (!score_of(filter, key, hash, &score))
        return ask_all(filter, hash);
    return ask_child(filter, region_of(&learned->regions, score), hash);
}

/* ---- many ---- */

/* Keeps those that the filter in front accepts. The others have their answer. */
static void pass_first(const struct uf_filter *filter, struct batch *batch, uint8_t *answers)
{
    uint8_t passed[BATCH];
    size_t kept = 0;
    struct hash_source source = source_of_hashes(batch->hash);
    filter->child[0]->calls.query_many(filter->child[0], &source, batch->count, passed);
    for (size_t i = 0; i < batch->count; i++) {
        answers[batch->at[i]] = 0;
        batch->kept[kept] = batch->key[i];
        batch->at[kept] = batch->at[i];
        batch->hash[kept] = batch->hash[i];
        kept += passed[i];
    }
    batch->key = batch->kept;
    batch->count = kept;
}

static void find_regions_by_model(const struct uf_filter *filter, struct batch *batch)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    struct model model = model_of(filter);
    int32_t score[BATCH];
    model_score_many(&model, batch->key, batch->count, score);
    for (size_t i = 0; i < batch->count; i++)
        batch->region[i] = (unsigned char)region_of(&learned->regions, score[i]);
}

/* The model sees what the PRF made of the keys. */
static void permute(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        hash_bytes(batch->hash[i], batch->bytes[i]);
        batch->kept[i] = (uf_key){batch->bytes[i], HASH_BYTES};
    }
    batch->key = batch->kept;
}

/* Those without a score leave the batch with their answer. */
static void find_regions_by_caller(const struct uf_filter *filter, struct batch *batch, uint8_t *answers)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    size_t kept = 0;
    for (size_t i = 0; i < batch->count; i++) {
        int64_t score;
        if (!score_of(filter, batch->key[i], batch->hash[i], &score)) {
            answers[batch->at[i]] = (uint8_t)ask_all(filter, batch->hash[i]);
            continue;
        }
        batch->at[kept] = batch->at[i];
        batch->hash[kept] = batch->hash[i];
        batch->region[kept++] = (unsigned char)region_of(&learned->regions, score);
    }
    batch->count = kept;
}

/* Answers for `count` keys of one region. */
static void ask_region(const struct uf_filter *filter, unsigned region, const struct hash128 *hashes, size_t count,
                       uint8_t *answers)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    if (learned->child_of[region] == LEARNED_NO_CHILD) {
        memset(answers, learned->regions.region[region].keys != 0, count);
        return;
    }
    const struct uf_filter *child = filter->child[learned->child_of[region]];
    struct hash_source source = has_own_keys(filter) ? source_nested(&child->hasher, hashes) : source_of_hashes(hashes);
    child->calls.query_many(child, &source, count, answers);
}

static void count_region(struct learned_tally *tally, unsigned region, const uint8_t *answers, size_t count)
{
    tally->asked[region] += count;
    for (size_t i = 0; i < count; i++)
        tally->accepted[region] += answers[i];
}

/* Sorts the keys by region, so that each filter is asked once. */
static void ask_regions(const struct uf_filter *filter, const struct batch *batch, uint8_t *answers,
                        struct learned_tally *tally)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    const unsigned regions = learned->regions.count, behind = has_first(learned);
    struct hash128 hash[BATCH];
    uint8_t answer[BATCH] = {0};
    uint16_t at[BATCH];
    size_t start[REGIONS_MOST + 1] = {0}, next[REGIONS_MOST] = {0};
    for (size_t i = 0; i < batch->count; i++)
        start[batch->region[i] + 1]++;
    for (unsigned r = 0; r < regions; r++) {
        next[r] = start[r];
        start[r + 1] += start[r];
    }
    for (size_t i = 0; i < batch->count; i++) {
        size_t to = next[batch->region[i]]++;
        hash[to] = behind ? hash_again(batch->hash[i]) : batch->hash[i];
        at[to] = batch->at[i];
    }
    for (unsigned r = 0; r < regions; r++)
        if (start[r + 1] > start[r])
            ask_region(filter, r, hash + start[r], start[r + 1] - start[r], answer + start[r]);
    for (unsigned r = 0; tally && r < regions; r++)
        count_region(tally, r, answer + start[r], start[r + 1] - start[r]);
    for (size_t i = 0; i < batch->count; i++)
        answers[at[i]] = answer[i];
}

static void query_batch(const struct uf_filter *filter, struct batch *batch, uint8_t *answers,
                        struct learned_tally *tally)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    if (has_first(learned))
        pass_first(filter, batch, answers);
    if (filter->ops->learned->permuted)
        permute(batch);
    if (learned->source == SCORES_OF_MODEL)
        find_regions_by_model(filter, batch);
    else
        find_regions_by_caller(filter, batch, answers);
    ask_regions(filter, batch, answers, tally);
}

void learned_query_tally(const struct uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers,
                         struct learned_tally *tally)
{
    struct batch batch;
    for (size_t done = 0; done < count; done += batch.count) {
        struct hash_source source = source_of_keys(&filter->hasher, keys + done);
        size_t size = count - done < BATCH ? count - done : BATCH;
        source.fill(&source, batch.hash, size);
        for (size_t i = 0; i < size; i++)
            batch.at[i] = (uint16_t)i;
        batch.key = keys + done;
        batch.count = size;
        query_batch(filter, &batch, answers + done, tally);
        batch.count = size;
    }
}

void learned_query_keys(const struct uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers)
{
    learned_query_tally(filter, keys, count, answers, NULL);
}
