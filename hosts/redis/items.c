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

/* Returns how many were new. */
static uint64_t count_items(struct value *value, const int8_t *verdict, size_t count)
{
    uint64_t before = counters.added;
    int counts_all = value->figures[FIGURE_FAMILY] == FAMILY_CF;
    for (size_t i = 0; i < count; i++) {
        value->figures[FIGURE_ITEMS] += verdict[i] == 1 || (verdict[i] == 0 && counts_all);
        counters.added += verdict[i] == 1;
        counters.refused += verdict[i] < 0;
    }
    return counters.added - before;
}

static void count_changes(struct change *change, const int8_t *verdict, size_t count)
{
    uint64_t fresh = count_items(change->value, verdict, count);
    change->changed |= fresh > 0 || changes_when_known(change->value);
}

void items_tell(const struct change *change, const char *event)
{
    if (!change->changed)
        return;
    (void)RedisModule_SignalModifiedKey(change->ctx, change->key);
    (void)RedisModule_NotifyKeyspaceEvent(change->ctx, REDISMODULE_NOTIFY_MODULE, event, change->key);
}

/* Items on their way into a value: as keys, or as digests where others get them as well. */
struct arriving {
    const uf_key *keys;
    const uf_digest *digests; /* NULL: nobody listens */
    size_t count;
    int8_t *verdict;
    uint8_t *wanted; /* 1: it has to go into the last filter */
    int sends;       /* to others, the digests */
};

/* BF: an item that an earlier filter answers to is known, and does not take room in the last one. */
static int ask_earlier(const struct value *value, const struct arriving *items, uf_error *why)
{
    uint8_t found[ITEMS_SLICE];
    int status = UF_OK;
    memset(items->wanted, 1, items->count);
    memset(items->verdict, 0, items->count);
    for (unsigned i = 0; i + 1 < value->levels && value->figures[FIGURE_FAMILY] == FAMILY_BF && status == UF_OK; i++) {
        if (items->digests)
            status = uf_query_digests(value->filter[i], items->digests, items->count, found, why);
        else
            uf_query_many(value->filter[i], items->keys, items->count, found);
        for (size_t at = 0; at < items->count; at++)
            items->wanted[at] &= !found[at];
    }
    return status;
}

static int add_last(struct value *value, const uf_key *keys, const uf_digest *digests, size_t count, int8_t *verdict,
                    uf_error *why)
{
    return digests ? uf_add_digests(value_last(value), digests, count, verdict, why)
                   : uf_add_many(value_last(value), keys, count, verdict, why);
}

/* Those that are wanted go into the last filter, and get their verdicts. */
static int add_wanted(struct value *value, const struct arriving *items, uf_error *why)
{
    uf_digest digests[ITEMS_SLICE];
    uf_key keys[ITEMS_SLICE];
    int8_t verdict[ITEMS_SLICE];
    size_t count = 0;
    if (!memchr(items->wanted, 0, items->count))
        return add_last(value, items->keys, items->digests, items->count, items->verdict, why);
    for (size_t i = 0; i < items->count; i++)
        if (items->wanted[i] && items->digests)
            digests[count++] = items->digests[i];
        else if (items->wanted[i])
            keys[count++] = items->keys[i];
    if (!count)
        return UF_OK;
    memset(verdict, 0, count);
    int status = add_last(value, keys, items->digests ? digests : NULL, count, verdict, why);
    for (size_t i = 0, at = 0; i < items->count; i++)
        if (items->wanted[i])
            items->verdict[i] = verdict[at++];
    return status;
}

/* Of those that were wanted, replicas get the ones that changed something. */
static void send_changes(const struct change *change, const struct arriving *items)
{
    uf_digest digests[ITEMS_SLICE];
    size_t count = 0;
    for (size_t i = 0; i < items->count; i++)
        if (items->wanted[i] &&
            (items->verdict[i] == 1 || (items->verdict[i] == 0 && changes_when_known(change->value))))
            digests[count++] = items->digests[i];
    if (count)
        replicate_digests(change->ctx, change->key, digests, count);
}

/* Whether any was refused for want of room, which is then what is wanted of the next filter. */
static int want_refused(const struct arriving *items)
{
    int any = 0;
    for (size_t i = 0; i < items->count; i++) {
        items->wanted[i] = items->verdict[i] == UF_EFULL;
        any |= items->wanted[i];
    }
    return any;
}

static int grow(const struct change *change, uf_error *why)
{
    int status = create_level(change->value, why);
    if (status == UF_OK && listeners_any(change->ctx))
        replicate_level(change->ctx, change->key, change->value);
    return status;
}

/* Those that no filter took are told why. */
static int refuse(const struct arriving *items, int status)
{
    for (size_t i = 0; i < items->count; i++)
        items->verdict[i] = items->wanted[i] ? (int8_t)status : items->verdict[i];
    return status;
}

static int add_all(struct change *change, const struct arriving *items, uf_error *why)
{
    struct value *value = change->value;
    int status = ask_earlier(value, items, why);
    while (status == UF_OK) {
        status = add_wanted(value, items, why);
        if (!items_per_item(status))
            return status;
        if (items->sends)
            send_changes(change, items);
        if (!want_refused(items) || !value_grows(value))
            break;
        status = grow(change, why);
        if (status != UF_OK)
            status = refuse(items, items_per_item(status) ? status : UF_ENOMEM);
    }
    if (items_per_item(status))
        count_changes(change, items->verdict, items->count);
    return status;
}

static int add_many(struct change *change, const uf_key *keys, size_t count, int8_t *verdict, uf_error *why)
{
    uf_digest digests[ITEMS_SLICE];
    uint8_t wanted[ITEMS_SLICE];
    int sends = listeners_want(change->ctx);
    const struct arriving items = {keys, sends ? digests : NULL, count, verdict, wanted, sends};
    int status = sends ? uf_digest_many(value_last(change->value), keys, count, digests, why) : UF_OK;
    return status == UF_OK ? add_all(change, &items, why) : status;
}

int items_add_digests(struct change *change, const uf_digest *digests, size_t count, int8_t *verdict, int heard,
                      uf_error *why)
{
    uint8_t wanted[ITEMS_SLICE];
    const struct arriving items = {NULL, digests, count, verdict, wanted, heard};
    return add_all(change, &items, why);
}

/* One item into one filter, and nobody listens: no digest has to be made. */
static int add_one(struct change *change, uf_key key, int8_t *verdict, uf_error *why)
{
    struct value *value = change->value;
    int status = uf_add(value->filter[0], key, why);
    if (status == UF_EFULL && value_grows(value))
        return add_many(change, &key, 1, verdict, why);
    *verdict = (int8_t)status;
    status = status < 0 ? status : UF_OK;
    if (items_per_item(status))
        count_changes(change, verdict, 1);
    return status;
}

int items_add(struct change *change, RedisModuleString **items, size_t count, int8_t *verdict, uf_error *why)
{
    uf_key keys[ITEMS_SLICE];
    keys_of(items, count, keys);
    if (count == 1 && change->value->levels == 1 && !listeners_want(change->ctx))
        return add_one(change, keys[0], verdict, why);
    return add_many(change, keys, count, verdict, why);
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
        (void)count_items(value, verdict, step);
        worst = status == UF_OK ? worst : status;
    }
    return worst;
}

/* ---- removals ---- */

/* From the newest level that has it. 1, 0, or a status. Nobody hears why an item is absent, and to say so takes longer
 * than to find out. */
static int remove_one(struct value *value, const uf_digest *digest, uf_error *why)
{
    for (unsigned level = value->levels; level-- > 0;) {
        int status = uf_remove_digests(value->filter[level], digest, 1, NULL, NULL);
        if (status == UF_OK)
            return 1;
        if (status != UF_EABSENT && status != UF_ESTUCK)
            return uf_remove_digests(value->filter[level], digest, 1, NULL, why);
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

int items_remove(struct change *change, RedisModuleString **items, size_t count, uint8_t *removed, uf_error *why)
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
    change->changed |= kept > 0;
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
