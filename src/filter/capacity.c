/* SPDX-License-Identifier: MIT */
#include "capacity.h"

#include <math.h>
#include <string.h>

#include "filter.h"
#include "status.h"

enum { SLICE = 256 };

/* ---- policies ---- */

static const char *const names[FULL_POLICIES] = {"warn", "refuse", "scale"};

const char *capacity_name(uint32_t policy)
{
    return names[policy];
}

uint32_t capacity_default(int keyed)
{
    return keyed ? FULL_REFUSE : FULL_WARN;
}

int capacity_policy(const struct spec *spec, const struct filter_ops *ops, uint32_t *out, uf_error *why)
{
    const char *said = spec_text(spec, "full");
    *out = capacity_applies(ops) ? capacity_default(spec->keyed) : FULL_WARN;
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

/* Where keys go: into the last child of a filter that grows. */
static uf_filter *target_of(uf_filter *filter)
{
    return filter->ops->grow ? filter->child[filter->children - 1] : filter;
}

/*
 * When a share 1 - e^-t of the bits is set, the estimate of n keys with k bits each wanders by
 *
 *     sigma = sqrt(n/k (e^t - t - 1) / t)        0.67 sqrt(n/k) at one half; measured 0.64 to 0.71
 *
 * where the rate is about (1 - e^-t)^k, also for blocked. More than six times as much is not chance: it
 * would happen to one filter in a hundred million that is filled as planned.
 */
static double tolerance_of(const struct planned *planned)
{
    double n = (double)planned->n, k = planned->k;
    double t = planned->fpr > 0 && planned->fpr < 1 ? -log1p(-pow(planned->fpr, 1 / k)) : M_LN2;
    return 6 * sqrt(n / k * (expm1(t) - t) / t) + 1;
}

void capacity_open(uf_filter *filter, uint32_t policy, uint64_t count)
{
    const uf_filter *target = target_of(filter);
    struct planned planned;
    target->ops->capacity(target, &planned);
    filter->capacity =
        (struct capacity){.policy = policy, .n = planned.n, .count = count, .tolerance = tolerance_of(&planned)};
    capacity_doubt(filter);
}

/* ---- the fill ---- */

static uint64_t least_step(const struct capacity *capacity)
{
    return capacity->n / 1024 ? capacity->n / 1024 : 1;
}

void capacity_doubt(uf_filter *filter)
{
    filter->capacity.due = 0;
    filter->capacity.since = least_step(&filter->capacity);
    filter->capacity.seen = -1;
}

void capacity_look(uf_filter *filter)
{
    if (filter->capacity.policy != FULL_WARN)
        filter->capacity.seen = filter->ops->keys_by_fill(filter);
}

/* One pass, unless someone has looked since the words changed; they are about to change. */
static double take_look(uf_filter *filter)
{
    double seen = filter->capacity.seen;
    filter->capacity.seen = -1;
    return seen >= 0 ? seen : filter->ops->keys_by_fill(filter);
}

/* Returns 1 when the count was another than the fill explains, and was set right. */
static int recount(uf_filter *filter)
{
    struct capacity *capacity = &filter->capacity;
    double keys = take_look(filter), left = (double)capacity->n + capacity->tolerance - keys;
    int wrong = fabs(keys - (double)capacity->count) > capacity->tolerance;
    if (wrong)
        capacity->count = left < 0 ? capacity->n : (uint64_t)ceil(fmin(keys, (double)capacity->n));
    capacity->due = (uint64_t)fmax(left / 4, (double)least_step(capacity));
    capacity->since = 0;
    return wrong;
}

static uint64_t reserve_shared(struct capacity *capacity, uint64_t want)
{
    if (__atomic_load_n(&capacity->count, __ATOMIC_RELAXED) >= capacity->n)
        return 0;
    uint64_t before = __atomic_fetch_add(&capacity->count, want, __ATOMIC_RELAXED);
    uint64_t granted = before >= capacity->n ? 0 : want < capacity->n - before ? want : capacity->n - before;
    if (granted < want)
        __atomic_fetch_sub(&capacity->count, want - granted, __ATOMIC_RELAXED);
    return granted;
}

/* Of `want` keys, how many are granted to this thread. At a boundary the fill is looked at, but not for every key. */
static uint64_t reserve(uf_filter *filter, uint64_t want)
{
    struct capacity *capacity = &filter->capacity;
    if (filter->shared)
        return reserve_shared(capacity, want);
    if ((capacity->count >= capacity->n || !capacity->due) && capacity->since >= least_step(capacity))
        (void)recount(filter);
    uint64_t left = capacity->count < capacity->n ? capacity->n - capacity->count : 0;
    left = left < capacity->due ? left : capacity->due;
    uint64_t granted = want < left ? want : left;
    capacity->count += granted;
    capacity->due -= granted;
    capacity->since += granted;
    return granted;
}

static void give_back(uf_filter *filter, uint64_t granted)
{
    struct capacity *capacity = &filter->capacity;
    if (!granted)
        return; /* threads that are refused leave the count in everyone's cache */
    if (filter->shared) {
        __atomic_fetch_sub(&capacity->count, granted, __ATOMIC_RELAXED);
        return;
    }
    capacity->count -= granted;
    capacity->due += granted;
    capacity->since -= granted;
}

/* ---- inserts ---- */

static int insert_all(uf_filter *filter, struct hash_source *source, size_t count)
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
    int status = insert_all(target_of(filter), &source, 1);
    *granted -= !known && status == UF_OK;
    return status;
}

/* A key that it answers to takes no room, so it is not what a level is made for. */
static int needs_level(const uf_filter *filter, struct hash128 hash)
{
    return filter->capacity.policy == FULL_SCALE && !filter->calls.query(filter, hash);
}

static int insert_in_turn(uf_filter *filter, const struct hash128 *hash, size_t count)
{
    uint64_t granted = 0;
    int status = UF_OK, stuck = UF_OK;
    for (size_t i = 0; i < count && stuck == UF_OK; i++) {
        granted = granted ? granted : reserve(filter, count - i);
        while (!granted && stuck == UF_OK && needs_level(filter, hash[i])) {
            stuck = filter->ops->grow(filter, NULL);
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
        return insert_all(target_of(filter), &source, count);
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
    int status = filter->ops->remove_many ? insert_all(filter, &source, first) : UF_OK;
    return worse(status, insert_fresh(filter, hash + first, count - first));
}

int capacity_insert(uf_filter *filter, struct hash_source *source, size_t count)
{
    struct hash128 hash[SLICE];
    int status = UF_OK;
    if (filter->capacity.policy == FULL_WARN)
        return insert_all(filter, source, count);
    while (count && (status == UF_OK || filter->capacity.policy == FULL_REFUSE)) {
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
    struct capacity *capacity = &filter->capacity;
    capacity->count = total;
    capacity->seen = filter->ops->keys_by_fill(filter);
    double most = (double)capacity->n, keys = capacity->seen;
    int corrected = recount(filter);
    if (fmin(corrected ? keys - capacity->tolerance : INFINITY, (double)total) > most)
        return fail(why, UF_EFULL,
                    "%llu keys are too many for a filter of n=%llu: plan a larger n, or say full=scale to let it grow, "
                    "or full=warn to let its rate grow",
                    (unsigned long long)total, (unsigned long long)capacity->n);
    if (capacity->count > capacity->n)
        capacity->count = capacity->n;
    return UF_OK;
}

int capacity_settle(uf_filter *filter, uint64_t total, uf_error *why)
{
    struct capacity *capacity = &filter->capacity;
    if (capacity->policy == FULL_REFUSE)
        return settle(filter, total, why);
    if (capacity->policy == FULL_SCALE && filter->children == 1) {
        capacity->count = total < capacity->n ? total : capacity->n;
        (void)recount(filter);
    }
    return UF_OK;
}

void capacity_removed(uf_filter *filter, uint64_t count)
{
    struct capacity *capacity = &filter->capacity;
    if (capacity->policy != FULL_REFUSE || filter->ops->admit)
        return; /* what a tombstone covers still takes room */
    capacity->count -= count < capacity->count ? count : capacity->count;
    capacity->since += count;
    capacity->seen = -1;
}

static uint64_t keys_in(const uf_filter *filter)
{
    double keys =
        filter->capacity.policy == FULL_REFUSE ? (double)filter->capacity.count : filter->ops->keys_by_fill(filter);
    return (uint64_t)ceil(fmin(keys, 0x1p53));
}

/* Words to merge into: a copy where it may have to be given up, otherwise those of the filter. */
static int merge_target(const uf_filter *into, struct progress *progress, uint64_t **out, uf_error *why)
{
    const size_t step = PROGRESS_STEP / sizeof **out;
    *out = into->words;
    if (into->capacity.policy == FULL_WARN && !into->progress)
        return UF_OK;
    *out = mem_alloc_dirty(&into->mem, into->word_count, sizeof **out);
    if (!*out)
        return fail(why, UF_ENOMEM, "no memory for a copy of the filter");
    for (size_t at = 0; at < into->word_count; at += step) {
        size_t count = into->word_count - at < step ? into->word_count - at : step;
        memcpy(*out + at, into->words + at, count * sizeof **out);
        if (progress_add(progress, count * sizeof **out) != UF_OK)
            return progress_stopped(progress, why);
    }
    return UF_OK;
}

static int merge_words(uf_filter *into, const uf_filter *from, struct progress *progress, uf_error *why)
{
    const size_t step = PROGRESS_STEP / sizeof *into->words;
    for (size_t at = 0; at < into->word_count; at += step) {
        size_t count = into->word_count - at < step ? into->word_count - at : step;
        into->ops->merge(into, from, at, count);
        if (at + count < into->word_count && progress_add(progress, count * sizeof *into->words) != UF_OK)
            return progress_stopped(progress, why);
    }
    return UF_OK;
}

int capacity_merge(uf_filter *into, const uf_filter *from, uf_error *why)
{
    const struct capacity old = into->capacity;
    struct progress progress;
    uint64_t *before = into->words, *target, total = 0;
    filter_progress(into, 2 * (uint64_t)into->word_count * sizeof *target, &progress);
    int status = merge_target(into, &progress, &target, why);
    if (status == UF_OK) {
        if (old.policy != FULL_WARN)
            total = keys_in(into) + keys_in(from);
        into->words = target;
        status = merge_words(into, from, &progress, why);
        if (status == UF_OK && old.policy != FULL_WARN)
            status = settle(into, total, why);
    }
    progress_end(&progress);
    uint64_t *left = status == UF_OK ? before : target; /* over */
    if (status != UF_OK) {
        into->words = before;
        into->capacity = old;
    }
    if (left != into->words)
        mem_free(&into->mem, left, into->word_count, sizeof *left);
    return status;
}

/* ---- what is known ---- */

void capacity_info(const uf_filter *filter, uf_info *out)
{
    const struct capacity *capacity = &filter->capacity;
    out->levels = capacity->policy == FULL_SCALE ? filter->children : 1;
    if (capacity_applies(filter->ops) && !is_released(filter))
        out->full = names[capacity->policy];
    if (capacity->policy == FULL_REFUSE)
        out->count = (double)capacity->count;
}
