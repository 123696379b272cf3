/* SPDX-License-Identifier: MIT */
#include "room.h"

#include <math.h>
#include <string.h>

#include "chain.h"
#include "filter.h"
#include "status.h"

enum { SLICE = 256 };

/* ---- policies ---- */

static const char *const names[FULL_POLICIES] = {"warn", "refuse", "scale"};

const char *room_name(uint32_t policy)
{
    return names[policy];
}

uint32_t room_default(int keyed)
{
    return keyed ? FULL_REFUSE : FULL_WARN;
}

int room_policy(const struct spec *spec, const struct filter_ops *ops, uint32_t *out, uf_error *why)
{
    const char *said = spec_text(spec, "full");
    *out = room_applies(ops) ? room_default(spec->keyed) : FULL_WARN;
    if (!said)
        return UF_OK;
    for (*out = 0; *out < FULL_POLICIES && strcmp(said, names[*out]) != 0;)
        ++*out;
    if (*out == FULL_POLICIES)
        return fail(why, UF_EINVAL, "full=%s is not known: it is refuse, warn or scale", said);
    if (*out == FULL_SCALE && ops->remove_many)
        return fail(why, UF_EINVAL, "%s filters cannot grow with full=scale: bloom and blocked can", ops->name);
    return UF_OK;
}

/* Where keys go: into the last level of a chain. */
static uf_filter *target_of(uf_filter *filter)
{
    return filter->room.policy == FULL_SCALE ? chain_last(filter) : filter;
}

/*
 * When a share 1 - e^-t of the bits is set, the estimate of n keys with k bits each wanders by
 *
 *     sigma = sqrt(n/k (e^t - t - 1) / t)        0.67 sqrt(n/k) at one half; measured 0.64 to 0.71
 *
 * where the rate is about (1 - e^-t)^k, also for blocked. More than six times as much is not chance: it
 * would happen to one filter in a hundred million that is filled as planned.
 */
static double chance_of(const struct spec *plan)
{
    double n = 0, k = 1, fpr = 0;
    (void)spec_get_number(plan, "n", &n, NULL);
    (void)spec_get_number(plan, "k", &k, NULL);
    double t = spec_get_number(plan, "fpr", &fpr, NULL) == 1 ? -log1p(-pow(fpr, 1 / k)) : M_LN2;
    return 6 * sqrt(n / k * (expm1(t) - t) / t) + 1;
}

void room_open(uf_filter *filter, uint32_t policy, uint64_t count)
{
    struct spec plan = {.count = 0};
    filter->room = (struct room){.policy = policy, .count = count};
    const uf_filter *target = target_of(filter);
    target->ops->describe(target, &plan);
    (void)spec_get_count(&plan, "n", &filter->room.n, NULL); /* every plan of a kind that grows has it */
    filter->room.chance = chance_of(&plan);
    room_doubt(filter);
}

/* ---- the fill ---- */

static uint64_t least_step(const struct room *room)
{
    return room->n / 1024 ? room->n / 1024 : 1;
}

void room_doubt(uf_filter *filter)
{
    filter->room.due = 0;
    filter->room.since = least_step(&filter->room);
}

/* Returns 1 when the count was another than the fill explains, and was set right. */
static int look(uf_filter *filter)
{
    struct room *room = &filter->room;
    double keys = filter->ops->keys_by_fill(filter), left = (double)room->n + room->chance - keys;
    int wrong = fabs(keys - (double)room->count) > room->chance;
    if (wrong)
        room->count = left < 0 ? room->n : (uint64_t)ceil(fmin(keys, (double)room->n));
    room->due = (uint64_t)fmax(left / 4, (double)least_step(room));
    room->since = 0;
    return wrong;
}

static uint64_t reserve_shared(struct room *room, uint64_t want)
{
    if (__atomic_load_n(&room->count, __ATOMIC_RELAXED) >= room->n)
        return 0;
    uint64_t before = __atomic_fetch_add(&room->count, want, __ATOMIC_RELAXED);
    uint64_t granted = before >= room->n ? 0 : want < room->n - before ? want : room->n - before;
    if (granted < want)
        __atomic_fetch_sub(&room->count, want - granted, __ATOMIC_RELAXED);
    return granted;
}

/* Of `want` keys, how many are granted to this thread. At a boundary the fill is looked at, but not for every key. */
static uint64_t reserve(uf_filter *filter, uint64_t want)
{
    struct room *room = &filter->room;
    if (filter->shared)
        return reserve_shared(room, want);
    if ((room->count >= room->n || !room->due) && room->since >= least_step(room))
        (void)look(filter);
    uint64_t left = room->count < room->n ? room->n - room->count : 0;
    left = left < room->due ? left : room->due;
    uint64_t granted = want < left ? want : left;
    room->count += granted;
    room->due -= granted;
    room->since += granted;
    return granted;
}

static void give_back(uf_filter *filter, uint64_t granted)
{
    struct room *room = &filter->room;
    if (!granted)
        return; /* threads that are refused leave the count in everyone's cache */
    if (filter->shared) {
        __atomic_fetch_sub(&room->count, granted, __ATOMIC_RELAXED);
        return;
    }
    room->count -= granted;
    room->due += granted;
    room->since -= granted;
}

/* ---- inserts ---- */

static int put(uf_filter *filter, struct hash_source *source, size_t count)
{
    if (filter->ops->admit)
        return filter->ops->admit(filter, source, count);
    if (filter->shared)
        filter->ops->insert_shared(filter, source, count);
    else
        filter->calls.insert_many(filter, source, count);
    return UF_OK;
}

/* A full filter is what callers must hear of first. */
static int worse(int before, int now)
{
    return before == UF_OK || now == UF_EFULL ? now : before;
}

/* Asked again, as one of the keys before it may have been the same. */
static int insert_one(uf_filter *filter, struct hash128 hash, uint64_t *granted)
{
    struct hash_source source = source_of_hashes(&hash);
    int known = filter->calls.query(filter, hash);
    if (!known && !*granted)
        return UF_EFULL;
    if (known && !filter->ops->remove_many)
        return UF_OK;
    int status = put(target_of(filter), &source, 1);
    *granted -= !known && status == UF_OK;
    return status;
}

/* A key that it answers to takes no room, so it is not what a level is made for. */
static int needs_level(const uf_filter *filter, struct hash128 hash)
{
    return filter->room.policy == FULL_SCALE && !filter->calls.query(filter, hash);
}

static int insert_in_turn(uf_filter *filter, const struct hash128 *hash, size_t count)
{
    uint64_t granted = 0;
    int status = UF_OK, stuck = UF_OK;
    for (size_t i = 0; i < count && stuck == UF_OK; i++) {
        granted = granted ? granted : reserve(filter, count - i);
        while (!granted && stuck == UF_OK && needs_level(filter, hash[i])) {
            stuck = chain_grow(filter, NULL);
            granted = stuck == UF_OK ? reserve(filter, count - i) : 0;
        }
        status = worse(status, stuck == UF_OK ? insert_one(filter, hash[i], &granted) : stuck);
    }
    give_back(filter, granted);
    return status;
}

/* How many of a slice are different. */
static size_t count_distinct(const struct hash128 *hash, size_t count)
{
    uint16_t table[2 * SLICE] = {0}; /* 1 + index of a hash, near the place that its bits say */
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = hash[i].lo % (2 * SLICE);
        while (table[at] && (hash[table[at] - 1].lo != hash[i].lo || hash[table[at] - 1].hi != hash[i].hi))
            at = (at + 1) % (2 * SLICE);
        distinct += !table[at];
        table[at] = (uint16_t)(i + 1);
    }
    return distinct;
}

/* At once when there is room for all of them. */
static int insert_fresh(uf_filter *filter, const struct hash128 *hash, size_t count)
{
    struct hash_source source = source_of_hashes(hash);
    size_t distinct = filter->ops->admit ? 0 : count_distinct(hash, count);
    uint64_t granted = distinct ? reserve(filter, distinct) : 0;
    if (granted == distinct && !filter->ops->admit)
        return put(target_of(filter), &source, count);
    give_back(filter, granted);
    return insert_in_turn(filter, hash, count);
}

/* Keys that the filter answers to go first: they take no room, but kinds that remove count them. */
static int insert_slice(uf_filter *filter, struct hash128 *hash, size_t count)
{
    uint8_t known[SLICE];
    size_t first = 0;
    struct hash_source source = source_of_hashes(hash);
    if (count == 1)
        return insert_in_turn(filter, hash, count);
    filter->calls.query_many(filter, &source, count, known);
    for (size_t i = 0; i < count; i++)
        if (known[i]) {
            struct hash128 other = hash[first];
            hash[first++] = hash[i];
            hash[i] = other;
        }
    source = source_of_hashes(hash);
    int status = filter->ops->remove_many ? put(filter, &source, first) : UF_OK;
    return worse(status, insert_fresh(filter, hash + first, count - first));
}

int room_insert(uf_filter *filter, struct hash_source *source, size_t count)
{
    struct hash128 hash[SLICE];
    int status = UF_OK;
    if (filter->room.policy == FULL_WARN)
        return put(filter, source, count);
    while (count && (status == UF_OK || filter->room.policy == FULL_REFUSE)) {
        size_t step = count < SLICE ? count : SLICE;
        source->fill(source, hash, step);
        status = worse(status, insert_slice(filter, hash, step));
        count -= step;
    }
    return status;
}

/* ---- builds, removals, unions ---- */

/* Keys that are all different must be n at most. Where some came more often the fill says how many there are, more or
 * less; never more than came, which a tiny array that is full would say. */
static int settle(uf_filter *filter, uint64_t total, uf_error *why)
{
    struct room *room = &filter->room;
    room->count = total;
    double most = (double)room->n, keys = filter->ops->keys_by_fill(filter);
    int corrected = look(filter);
    if (fmin(corrected ? keys - room->chance : INFINITY, (double)total) > most)
        return fail(why, UF_EFULL,
                    "%llu keys are too many for a filter of n=%llu: plan a larger n, or say full=scale to let it grow, "
                    "or full=warn to let its rate grow",
                    (unsigned long long)total, (unsigned long long)room->n);
    if (room->count > room->n)
        room->count = room->n;
    return UF_OK;
}

int room_settle(uf_filter *filter, uint64_t total, uf_error *why)
{
    struct room *room = &filter->room;
    if (room->policy == FULL_REFUSE)
        return settle(filter, total, why);
    if (room->policy == FULL_SCALE && filter->children == 1) {
        room->count = total < room->n ? total : room->n;
        (void)look(filter);
    }
    return UF_OK;
}

void room_removed(uf_filter *filter, uint64_t count)
{
    struct room *room = &filter->room;
    if (room->policy != FULL_REFUSE || filter->ops->admit)
        return; /* what a tombstone covers still takes room */
    room->count -= count < room->count ? count : room->count;
    room->since += count;
}

static uint64_t keys_in(const uf_filter *filter)
{
    double keys = filter->room.policy == FULL_REFUSE ? (double)filter->room.count : filter->ops->keys_by_fill(filter);
    return (uint64_t)ceil(fmin(keys, 0x1p53));
}

int room_merge(uf_filter *into, const uf_filter *from, uf_error *why)
{
    size_t bytes = into->word_count * sizeof *into->words;
    if (into->room.policy == FULL_WARN) {
        into->ops->merge(into, from);
        return UF_OK;
    }
    uint64_t *before = mem_alloc_dirty(&into->mem, into->word_count, sizeof *before);
    if (!before)
        return fail(why, UF_ENOMEM, "no memory for a copy of the filter");
    memcpy(before, into->words, bytes);
    struct room old = into->room;
    uint64_t total = keys_in(into) + keys_in(from);
    into->ops->merge(into, from);
    int status = settle(into, total, why);
    if (status != UF_OK) {
        memcpy(into->words, before, bytes);
        into->room = old;
    }
    mem_free(&into->mem, before, into->word_count, sizeof *before);
    return status;
}

/* ---- what is known ---- */

void room_info(const uf_filter *filter, uf_info *out)
{
    const struct room *room = &filter->room;
    out->levels = room->policy == FULL_SCALE ? filter->children : 1;
    if (room_applies(filter->ops) && !is_released(filter))
        out->full = names[room->policy];
    if (room->policy == FULL_REFUSE)
        out->count = (double)room->count;
}
