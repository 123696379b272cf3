/* SPDX-License-Identifier: MIT */
#include "items.h"

#include <string.h>

#include "counters.h"
#include "create.h"
#include "listeners.h"
#include "replicate.h"

static void keys_of(RedisModuleString **items, size_t count, uf_key *keys)
{
    for (size_t i = 0; i < count; i++)
        keys[i].data = RedisModule_StringPtrLen(items[i], &keys[i].size);
}

/* ---- queries ---- */

static void query_levels(const struct value *value, const uf_key *keys, size_t count, uint8_t *answers)
{
    uint8_t found[ITEMS_SLICE];
    memset(answers, 0, count);
    for (unsigned level = 0; level < value->levels; level++) {
        uf_query_many(value->filter[level], keys, count, found);
        for (size_t i = 0; i < count; i++)
            answers[i] |= found[i];
    }
}

void items_query(const struct value *value, RedisModuleString **items, size_t count, uint8_t *answers)
{
    uf_key keys[ITEMS_SLICE];
    counters.queried += count;
    keys_of(items, count, keys);
    if (value->levels == 1 && count == 1)
        answers[0] = (uint8_t)uf_query(value->filter[0], keys[0]);
    else if (value->levels == 1)
        uf_query_many(value->filter[0], keys, count, answers);
    else
        query_levels(value, keys, count, answers);
}

int items_query_digests(const struct value *value, const uf_digest *digests, size_t count, uint8_t *answers,
                        uf_error *why)
{
    uint8_t found[ITEMS_SLICE];
    int status = UF_OK;
    counters.queried += count;
    memset(answers, 0, count);
    for (unsigned level = 0; status == UF_OK && level < value->levels; level++) {
        status = uf_query_digests(value->filter[level], digests, count, found, why);
        for (size_t i = 0; status == UF_OK && i < count; i++)
            answers[i] |= found[i];
    }
    return status;
}

/* ---- inserts ---- */

/* Kinds that count, and those with a window, change with an item that they know. */
static int changes_when_known(struct value *value)
{
    uf_spec plan;
    double generations;
    if (value->known == KNOWN_UNASKED) {
        uf_get_plan(value_last(value), &plan);
        const char *kind = uf_spec_kind(&plan);
        int changes =
            (kind && (uf_kind_traits(kind) & UF_TRAIT_REMOVES)) || uf_spec_get(&plan, "window", &generations) == UF_OK;
        value->known = changes ? KNOWN_CHANGES : KNOWN_DOES_NOTHING;
    }
    return value->known == KNOWN_CHANGES;
}

/* Of the digests, those that changed something, moved to the front. */
static size_t keep_changes(struct value *value, uf_digest *digests, const int8_t *verdict, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (verdict[i] == 1 || (verdict[i] == 0 && changes_when_known(value)))
            digests[kept++] = digests[i];
    return kept;
}

static void count_items(struct value *value, const int8_t *verdict, size_t count)
{
    int counts_all = value->figures[FIGURE_FAMILY] == FAMILY_CF;
    for (size_t i = 0; i < count; i++) {
        value->figures[FIGURE_ITEMS] += verdict[i] == 1 || (verdict[i] == 0 && counts_all);
        counters.added += verdict[i] == 1;
        counters.refused += verdict[i] < 0;
    }
}

/* Into the last level; what that refuses goes into a new one, where the value may have one. */
static int add_digests(struct value *value, const uf_digest *digests, size_t count, int8_t *verdict, uf_error *why)
{
    int status = uf_add_digests(value_last(value), digests, count, verdict, why);
    while (status == UF_EFULL && value->figures[FIGURE_FAMILY] == FAMILY_CF && value->figures[FIGURE_EXPANSION]) {
        if (items_grow(value, why) != UF_OK)
            return UF_EFULL;
        status = UF_OK;
        for (size_t i = 0; i < count; i++) {
            if (verdict[i] == UF_EFULL)
                verdict[i] = (int8_t)uf_add_digests(value_last(value), &digests[i], 1, NULL, why);
            else
                continue;
            verdict[i] = verdict[i] == UF_OK ? 1 : verdict[i];
            status = verdict[i] < status ? verdict[i] : status;
        }
    }
    return status;
}

int items_add_digests(const struct change *change, uf_digest *digests, size_t count, int8_t *verdict, int heard,
                      uf_error *why)
{
    struct value *value = change->value;
    unsigned levels = value->levels;
    memset(verdict, 0, count);
    int status = add_digests(value, digests, count, verdict, why);
    if (!items_per_item(status))
        return status;
    count_items(value, verdict, count);
    if (value->levels != levels) {
        replicate_value(change->ctx, change->key, value);
        return status;
    }
    size_t kept = heard ? keep_changes(value, digests, verdict, count) : 0;
    if (kept)
        replicate_digests(change->ctx, change->key, digests, kept);
    return status;
}

/* Items as digests, which replicas get as well. */
static int add_for_others(const struct change *change, const uf_key *keys, size_t count, int8_t *verdict, uf_error *why)
{
    uf_digest digests[ITEMS_SLICE];
    int status = uf_digest_many(value_last(change->value), keys, count, digests, why);
    return status == UF_OK ? items_add_digests(change, digests, count, verdict, 1, why) : status;
}

/* The same where nobody listens: no digest has to be made. */
static int add_alone(struct value *value, const uf_key *keys, size_t count, int8_t *verdict, uf_error *why)
{
    int status;
    if (count == 1) {
        status = uf_add(value_last(value), keys[0], why);
        verdict[0] = (int8_t)status;
        status = status < 0 ? status : UF_OK;
    } else {
        status = uf_add_many(value_last(value), keys, count, verdict, why);
    }
    if (items_per_item(status))
        count_items(value, verdict, count);
    return status;
}

int items_add(const struct change *change, RedisModuleString **items, size_t count, int8_t *verdict, uf_error *why)
{
    struct value *value = change->value;
    uf_key keys[ITEMS_SLICE];
    int grows_here = value->figures[FIGURE_FAMILY] == FAMILY_CF && value->figures[FIGURE_EXPANSION];
    keys_of(items, count, keys);
    if (listeners_want(change->ctx) || (grows_here && count > 1))
        return add_for_others(change, keys, count, verdict, why);
    int status = add_alone(value, keys, count, verdict, why);
    return status == UF_EFULL && grows_here ? add_for_others(change, keys, count, verdict, why) : status;
}

int items_apply(struct value *value, const uf_digest *digests, size_t count, uf_error *why)
{
    int8_t verdict[ITEMS_SLICE];
    int worst = UF_OK;
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < ITEMS_SLICE ? count - done : ITEMS_SLICE;
        memset(verdict, 0, step);
        int status = uf_add_digests(value_last(value), digests + done, step, verdict, why);
        if (!items_per_item(status))
            return status;
        count_items(value, verdict, step);
        worst = status == UF_OK ? worst : status;
    }
    return worst;
}

/* ---- removals ---- */

/* From the newest level that has it. 1, 0, or a status. */
static int remove_one(struct value *value, const uf_digest *digest, uf_error *why)
{
    for (unsigned level = value->levels; level-- > 0;) {
        int status = uf_remove_digests(value->filter[level], digest, 1, NULL, why);
        if (status == UF_OK)
            return 1;
        if (status != UF_EABSENT && status != UF_ESTUCK)
            return status;
    }
    return 0;
}

static int remove_all(struct value *value, const uf_digest *digests, size_t count, uint8_t *removed, uf_error *why)
{
    for (size_t i = 0; i < count; i++) {
        int done = remove_one(value, &digests[i], why);
        if (done < 0)
            return done;
        removed[i] = (uint8_t)done;
        value->figures[FIGURE_DELETED] += (uint64_t)done;
        value->figures[FIGURE_ITEMS] -= done && value->figures[FIGURE_ITEMS];
        counters.removed += (uint64_t)done;
    }
    return UF_OK;
}

int items_remove(const struct change *change, RedisModuleString **items, size_t count, uint8_t *removed, uf_error *why)
{
    uf_digest digests[ITEMS_SLICE];
    uf_key keys[ITEMS_SLICE];
    size_t kept = 0;
    if (!count)
        return UF_OK;
    memset(removed, 0, count);
    keys_of(items, count, keys);
    int status = uf_digest_many(value_last(change->value), keys, count, digests, why);
    if (status == UF_OK)
        status = remove_all(change->value, digests, count, removed, why);
    for (size_t i = 0; i < count; i++)
        if (removed[i])
            digests[kept++] = digests[i];
    if (kept)
        replicate_removed(change->ctx, change->key, digests, kept);
    return status;
}

int items_unapply(struct value *value, const uf_digest *digests, size_t count, uf_error *why)
{
    uint8_t removed[ITEMS_SLICE];
    int status = UF_OK;
    for (size_t done = 0, step; status == UF_OK && done < count; done += step) {
        step = count - done < ITEMS_SLICE ? count - done : ITEMS_SLICE;
        status = remove_all(value, digests + done, step, removed, why);
    }
    return status;
}

int items_grow(struct value *value, uf_error *why)
{
    uf_filter *level = NULL;
    int status = create_level(value, &level, why);
    return status == UF_OK ? value_add_level(value, level) : status;
}
