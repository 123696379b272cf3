/* SPDX-License-Identifier: MIT */
#include "capacity.h"

#include <math.h>
#include <string.h>

#include "filter.h"
#include "status.h"

enum { SLICE = 256, BULK = 4096 };

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
    if (*out == FULL_SCALE && !capacity_can_grow(ops))
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

void capacity_measure(uf_filter *filter)
{
    if (filter->capacity.policy != FULL_WARN)
        filter->capacity.seen = filter->ops->keys_by_fill(filter);
}

/* One pass, unless someone has looked since the words changed; they are about to change. */
static double measured_keys(uf_filter *filter)
{
    double seen = filter->capacity.seen;
    filter->capacity.seen = -1;
    return seen >= 0 ? seen : filter->ops->keys_by_fill(filter);
}

/* Returns 1 when the count was another than the fill explains, and was set right. */
static int recount(uf_filter *filter)
{
    struct capacity *capacity = &filter->capacity;
    double keys = measured_keys(filter), left = (double)capacity->n + capacity->tolerance - keys;
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

/* What came of a batch. */
static void count_verdict(struct tally *tally, int verdict)
{
    tally->full += verdict == UF_EFULL;
    tally->stuck += verdict == UF_ESTUCK;
}

static int status_of(const struct tally *tally)
{
    if (tally->failed)
        return tally->failed;
    return tally->full ? UF_EFULL : tally->stuck ? UF_ESTUCK : UF_OK;
}

/* Inserts keys that there is room for. */
static void insert_all(uf_filter *filter, struct hash_source *source, size_t count, struct tally *tally)
{
    if (filter->ops->admit)
        tally->stuck += filter->ops->admit(filter, source, count);
    else
        (filter->shared ? filter->ops->add_shared : filter->calls.add_many)(filter, source, count, NULL);
}

/* The same with verdicts. Returns how many were new. */
static uint64_t add_all(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                        struct tally *tally)
{
    uint64_t fresh = 0;
    if (filter->shared)
        filter->ops->add_shared(filter, source, count, verdict);
    else
        filter->calls.add_many(filter, source, count, verdict);
    for (size_t i = 0; i < count; i++)
        fresh += verdict[i] == 1;
    for (size_t i = 0; filter->ops->admit && i < count; i++)
        tally->stuck += verdict[i] == UF_ESTUCK;
    return fresh;
}

static int add_one(uf_filter *filter, struct hash128 hash)
{
    struct hash_source source = source_of_hashes(&hash);
    int8_t verdict;
    if (!filter->shared)
        return filter->calls.add(filter, hash);
    filter->ops->add_shared(filter, &source, 1, &verdict);
    return verdict;
}

/* Of keys that all were unknown some may be the same. A key that it answers to takes no room, so it is not what a level
 * is made for; kinds that remove count it all the same. */
static int add_next(uf_filter *filter, struct hash128 hash, uint64_t left, uint64_t *granted, struct tally *tally)
{
    int known = 0;
    *granted = *granted ? *granted : reserve(filter, left);
    while (!*granted && !(known = filter->calls.query(filter, hash))) {
        if (filter->capacity.policy != FULL_SCALE)
            return UF_EFULL;
        tally->failed = filter->ops->grow(filter, tally->why);
        if (tally->failed)
            return tally->failed;
        *granted = reserve(filter, left);
    }
    if (known && !filter->ops->remove_many)
        return 0;
    int verdict = add_one(filter, hash);
    *granted -= verdict == 1;
    return verdict;
}

static void add_in_turn(uf_filter *filter, const struct hash128 *hash, size_t count, int8_t *verdict,
                        struct tally *tally)
{
    uint64_t granted = 0;
    for (size_t i = 0; i < count; i++) {
        verdict[i] = (int8_t)(tally->failed ? tally->failed : add_next(filter, hash[i], count - i, &granted, tally));
        count_verdict(tally, verdict[i]);
    }
    give_back(filter, granted);
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
static void add_unknown(uf_filter *filter, const struct hash128 *hash, size_t count, int8_t *verdict,
                        struct tally *tally)
{
    struct hash_source source = source_of_hashes(hash);
    uint64_t wanted = count_distinct(hash, count), granted = wanted ? reserve(filter, wanted) : 0;
    if (granted == wanted && tally->by_slices) {
        insert_all(target_of(filter), &source, count, tally);
        return;
    }
    if (granted == wanted) {
        give_back(filter, wanted - add_all(filter, &source, count, verdict, tally));
        return;
    }
    give_back(filter, granted);
    add_in_turn(filter, hash, count, verdict, tally);
}

/* Those of the keys for which known[i] is `which`, in their order. */
static size_t pick(const struct hash128 *hash, const uint8_t *known, size_t count, int which, struct hash128 *out)
{
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        out[picked] = hash[i];
        picked += known[i] == which;
    }
    return picked;
}

/* Where there may be no room for all, keys that the filter answers to go first: they take none, but kinds that remove
 * count them. */
static void add_slice(uf_filter *filter, const struct hash128 *hash, size_t count, int8_t *verdict, struct tally *tally)
{
    struct hash_source source = source_of_hashes(hash);
    struct hash128 some[SLICE];
    int8_t found[SLICE];
    uint8_t known[SLICE];
    filter->calls.query_many(filter, &source, count, known);
    if (filter->ops->remove_many) {
        source = source_of_hashes(some);
        insert_all(filter, &source, pick(hash, known, count, 1, some), tally);
    }
    add_unknown(filter, some, pick(hash, known, count, 0, some), found, tally);
    for (size_t i = 0, next = 0; i < count; i++)
        verdict[i] = known[i] ? 0 : found[next++];
}

/* The same for a chain that nobody asks for verdicts. Which key is in which level shows in its files, so those that it
 * does not answer to come in the order that swapping the others to the front leaves them in. */
static void grow_by_slice(uf_filter *filter, struct hash128 *hash, size_t count, struct tally *tally)
{
    struct hash_source source = source_of_hashes(hash);
    int8_t unasked[SLICE];
    uint8_t known[SLICE];
    size_t first = 0;
    if (count == 1) {
        add_in_turn(filter, hash, count, unasked, tally);
        return;
    }
    filter->calls.query_many(filter, &source, count, known);
    for (size_t i = 0; i < count; i++)
        if (known[i]) {
            struct hash128 other = hash[first];
            hash[first++] = hash[i];
            hash[i] = other;
        }
    add_unknown(filter, hash + first, count - first, unasked, tally);
}

static void add_sliced(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                       struct tally *tally)
{
    struct hash128 hash[SLICE];
    source->fill(source, hash, count);
    if (tally->failed)
        memset(verdict, tally->failed, count);
    else if (tally->by_slices)
        grow_by_slice(filter, hash, count, tally);
    else
        add_slice(filter, hash, count, verdict, tally);
}

/* Adds some of `count` keys, and returns how many. Room is taken for them and given back for those that were known: one
 * look at each key. Threads that share a filter would refuse keys meanwhile. */
static size_t add_step(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                       struct tally *tally)
{
    size_t slice = count < SLICE ? count : SLICE;
    uint64_t granted = tally->by_slices || tally->failed || filter->shared ? 0 : reserve(filter, count);
    if (granted >= slice) {
        give_back(filter, granted - add_all(filter, source, (size_t)granted, verdict, tally));
        return (size_t)granted;
    }
    give_back(filter, granted);
    add_sliced(filter, source, slice, verdict, tally);
    return slice;
}

int capacity_add(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict, struct tally *tally)
{
    int8_t unasked[BULK];
    int counts = filter->capacity.policy != FULL_WARN;
    tally->by_slices = filter->capacity.policy == FULL_SCALE && !verdict;
    if (!counts && !verdict)
        insert_all(filter, source, count, tally);
    else if (!counts)
        (void)add_all(filter, source, count, verdict, tally);
    for (size_t done = 0; counts && done < count && (verdict || !tally->failed);) {
        size_t left = count - done < BULK ? count - done : BULK;
        done += add_step(filter, source, left, verdict ? verdict + done : unasked, tally);
    }
    return status_of(tally);
}

int capacity_add_one(uf_filter *filter, struct hash128 hash, struct tally *tally)
{
    uint64_t granted = 0;
    int verdict =
        filter->capacity.policy == FULL_WARN ? add_one(filter, hash) : add_next(filter, hash, 1, &granted, tally);
    give_back(filter, granted);
    count_verdict(tally, verdict);
    return verdict;
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
