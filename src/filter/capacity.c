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

/* Where keys go. */
static uf_filter *target_of(uf_filter *filter)
{
    return filter->ops->series ? filter->child[filter->children - 1] : filter;
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
    filter->capacity = (struct capacity){.policy = policy, .n = planned.n, .tolerance = tolerance_of(&planned)};
    filter->capacity.spare.keys = count < planned.n ? planned.n - count : 0;
    filter_ask_first(filter);
    if (policy != FULL_WARN)
        filter->capacity.limit = filter->ops->limit(filter);
}

void capacity_copy(const uf_filter *from, uf_filter *to)
{
    const struct capacity *old = &from->capacity;
    to->capacity = (struct capacity){.policy = old->policy,
                                     .n = old->n,
                                     .tolerance = old->tolerance,
                                     .limit = old->limit,
                                     .not_gone = old->not_gone};
    filter_ask_first(to);
    to->capacity.spare.keys = __atomic_load_n(&old->spare.keys, __ATOMIC_RELAXED);
    if (from->shared)
        return; /* what others insert meanwhile may be in the words */
    to->capacity.spare.measure = old->spare.measure;
    to->capacity.over = old->over;
    to->capacity.measured = old->measured;
}

uint64_t capacity_count(const uf_filter *filter)
{
    return filter->capacity.n - __atomic_load_n(&filter->capacity.spare.keys, __ATOMIC_RELAXED);
}

/* ---- the words ---- */

static void set_measure(struct capacity *capacity, uint64_t measure)
{
    capacity->spare.measure = measure < capacity->limit ? capacity->limit - measure : 0;
    capacity->over = measure > capacity->limit ? measure - capacity->limit : 0;
    capacity->measured = 1;
}

void capacity_measure(uf_filter *filter)
{
    struct survey survey;
    if (filter->capacity.policy == FULL_WARN || filter->capacity.measured)
        return;
    filter->ops->survey(filter, &survey);
    set_measure(&filter->capacity, survey.measure);
}

/* The count, unless the fill is that of more or fewer keys by more than chance explains: then the fewest that explain
 * it. So it is never more than there are, and who was promised n keys has not lost one. */
static double believed(const struct capacity *capacity, double count, const struct survey *survey)
{
    return fabs(survey->keys - count) > capacity->tolerance ? fmax(survey->keys - capacity->tolerance, 0) : count;
}

static void set_count(struct capacity *capacity, double count)
{
    double left = (double)capacity->n - ceil(count);
    capacity->spare.keys = left > 0 ? (uint64_t)left : 0;
}

void capacity_check(uf_filter *filter)
{
    struct capacity *capacity = &filter->capacity;
    struct survey survey;
    if (capacity->policy == FULL_WARN)
        return;
    filter->ops->survey(filter, &survey);
    set_measure(capacity, survey.measure);
    double count = (double)capacity_count(filter), least = believed(capacity, count, &survey);
    set_count(capacity, filter->ops->leaves_cells ? fmin(count, least) : least);
}

void capacity_empty(uf_filter *filter)
{
    if (filter->capacity.policy == FULL_WARN)
        return;
    set_measure(&filter->capacity, 0);
    set_count(&filter->capacity, 0);
}

/* A key that was removed and is still answered to was counted, if it was new when it came. So copies are counted, of
 * which there is at least one for each key. */
static void recount(uf_filter *filter)
{
    struct capacity *capacity = &filter->capacity;
    uint64_t most = filter->ops->most_keys ? filter->ops->most_keys(filter) : capacity->n;
    if (most < capacity_count(filter))
        set_count(capacity, (double)most);
    capacity->not_gone = 0;
}

void capacity_share(uf_filter *filter)
{
    capacity_measure(filter);
    if (filter->capacity.not_gone)
        recount(filter);
}

/* Before `count` keys come: what is to be known then. Threads find it so. */
static void prepare(uf_filter *filter, size_t count)
{
    if (filter->shared)
        return;
    capacity_measure(filter);
    if (filter->capacity.not_gone && filter->capacity.spare.keys < count)
        recount(filter);
}

/* ---- inserts ---- */

/* What came of a batch. */
static void count_verdict(struct tally *tally, int verdict)
{
    tally->full += verdict == UF_EFULL;
    tally->stuck += verdict == UF_ESTUCK;
}

/* The same of parts alone, so that others need not look. */
static void count_foreign(const uf_filter *filter, struct tally *tally, const int8_t *verdict, size_t count)
{
    for (size_t i = 0; filter->ops->own && i < count; i++)
        tally->foreign += verdict[i] == UF_EPART;
}

static int status_of(const struct tally *tally)
{
    if (tally->failed)
        return tally->failed;
    return tally->full ? UF_EFULL : tally->stuck ? UF_ESTUCK : tally->foreign ? UF_EPART : UF_OK;
}

/* full=warn: all of them. */
static void add_all(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict, struct tally *tally)
{
    if (!verdict && filter->ops->admit)
        *(filter->ops->own ? &tally->foreign : &tally->stuck) += filter->ops->admit(filter, source, count);
    else
        (filter->shared ? filter->ops->add_shared : filter->calls.add_many)(filter, source, count, verdict);
    for (size_t i = 0; verdict && filter->ops->admit && i < count; i++)
        count_verdict(tally, verdict[i]);
    count_foreign(filter, tally, verdict, verdict ? count : 0);
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

/* full=refuse: what fits. */
static void add_within(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                       struct tally *tally)
{
    int8_t unasked[BULK];
    prepare(filter, count);
    for (size_t done = 0, step; done < count; done += step) {
        int8_t *here = verdict ? verdict + done : unasked;
        step = count - done < BULK ? count - done : BULK;
        filter->calls.add_within(filter, source, step, here, &filter->capacity.spare);
        for (size_t i = 0; i < step; i++)
            count_verdict(tally, here[i]);
        count_foreign(filter, tally, here, step);
    }
}

/* ---- inserts into a chain, some at a time ---- */

static int grow(uf_filter *filter, struct tally *tally)
{
    tally->failed = filter->ops->grow(filter, tally->why);
    if (tally->failed == UF_OK)
        capacity_measure(filter);
    return tally->failed;
}

/* Adds them, with a new level whenever one does not fit. */
static void grow_in_turn(uf_filter *filter, const struct hash128 *hash, size_t count, int8_t *verdict,
                         struct tally *tally)
{
    struct hash128 left[SLICE];
    int8_t found[SLICE];
    size_t place[SLICE], kept = count;
    memcpy(left, hash, count * sizeof *hash);
    for (size_t i = 0; i < count; i++)
        place[i] = i;
    do {
        struct hash_source source = source_of_hashes(left);
        size_t tried = kept;
        filter->calls.add_within(filter, &source, tried, found, &filter->capacity.spare);
        kept = 0;
        for (size_t i = 0; i < tried; i++) {
            verdict[place[i]] = found[i];
            left[kept] = left[i];
            place[kept] = place[i];
            kept += found[i] == UF_EFULL;
        }
    } while (kept && grow(filter, tally) == UF_OK);
    for (size_t i = 0; i < kept; i++)
        verdict[place[i]] = (int8_t)tally->failed;
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

/* Keys that no level answers to, in a chain that nobody asks for verdicts: at once when there is room for all of them.
 * What does not fit for its measure goes into the next level, and gets back what it was counted. */
static void grow_at_once(uf_filter *filter, struct hash128 *hash, size_t count, struct tally *tally)
{
    struct spare *spare = &filter->capacity.spare;
    struct hash_source source = source_of_hashes(hash);
    uf_filter *level = target_of(filter);
    int8_t unasked[SLICE];
    uint64_t distinct = count_distinct(hash, count);
    size_t refused = 0;
    if (distinct > spare->keys) {
        grow_in_turn(filter, hash, count, unasked, tally);
        return;
    }
    struct spare uncounted = {UINT64_MAX, spare->measure};
    level->calls.add_within(level, &source, count, unasked, &uncounted);
    for (size_t i = 0; i < count; i++)
        if (unasked[i] == UF_EFULL)
            hash[refused++] = hash[i];
    *spare = (struct spare){spare->keys - distinct + count_distinct(hash, refused), uncounted.measure};
    if (refused)
        grow_in_turn(filter, hash, refused, unasked, tally);
}

/* Which key is in which level shows in its files, so those that it does not answer to come in the order that swapping
 * the others to the front leaves them in. */
static void grow_by_slice(uf_filter *filter, struct hash128 *hash, size_t count, struct tally *tally)
{
    struct hash_source source = source_of_hashes(hash);
    uint8_t known[SLICE];
    size_t first = 0;
    filter->calls.query_many(filter, &source, count, known);
    for (size_t i = 0; i < count; i++)
        if (known[i]) {
            struct hash128 other = hash[first];
            hash[first++] = hash[i];
            hash[i] = other;
        }
    grow_at_once(filter, hash + first, count - first, tally);
}

/* full=scale: what does not fit makes the next level. */
static void add_growing(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                        struct tally *tally)
{
    struct hash128 hash[SLICE];
    prepare(filter, count);
    for (size_t done = 0, step; done < count && (verdict || !tally->failed); done += step) {
        step = count - done < SLICE ? count - done : SLICE;
        source->fill(source, hash, step);
        if (tally->failed)
            memset(verdict + done, tally->failed, step);
        else if (verdict)
            grow_in_turn(filter, hash, step, verdict + done, tally);
        else
            grow_by_slice(filter, hash, step, tally);
    }
}

int capacity_add(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict, struct tally *tally)
{
    switch (filter->capacity.policy) {
    case FULL_REFUSE:
        add_within(filter, source, count, verdict, tally);
        break;
    case FULL_SCALE:
        add_growing(filter, source, count, verdict, tally);
        break;
    default:
        add_all(filter, source, count, verdict, tally);
    }
    return status_of(tally);
}

int capacity_add_one(uf_filter *filter, struct hash128 hash, struct tally *tally)
{
    struct capacity *capacity = &filter->capacity;
    int verdict;
    if (capacity->policy == FULL_WARN) {
        verdict = add_one(filter, hash);
    } else {
        prepare(filter, 1);
        verdict = filter->calls.add_one_within(filter, hash, &capacity->spare);
        while (verdict == UF_EFULL && capacity->policy == FULL_SCALE)
            verdict = grow(filter, tally) == UF_OK ? filter->calls.add_one_within(filter, hash, &capacity->spare)
                                                   : tally->failed;
    }
    count_verdict(tally, verdict);
    tally->foreign += verdict == UF_EPART;
    return verdict;
}

/* ---- builds, removals, unions ---- */

static int too_many(const struct capacity *capacity, uint64_t total, uf_error *why)
{
    return fail(why, UF_EFULL,
                "%llu keys are too many for a filter of n=%llu: plan a larger n, or say full=scale to let it grow, or "
                "full=warn to let its rate grow",
                (unsigned long long)total, (unsigned long long)capacity->n);
}

static int too_full(const uf_filter *filter, uf_error *why)
{
    uf_info info = {.fpr_now = 0};
    struct planned planned;
    filter->ops->info(filter, &info);
    filter->ops->capacity(filter, &planned);
    return fail(why, UF_EFULL,
                "the keys would fill the filter to a false-positive rate of %.3g where it was planned for %.3g, which "
                "n=%llu keys that nobody chose do not: someone chose them, or altered a file; plan a larger n, or say "
                "full=warn to let its rate grow",
                info.fpr_now, planned.fpr, (unsigned long long)filter->capacity.n);
}

/* After `total` keys came, of which some may be the same: then the fill says how many there are at least; never more
 * than came, which a tiny array that is full would say. */
static int settle(uf_filter *filter, uint64_t total, const struct survey *survey, double keys, uf_error *why)
{
    struct capacity *capacity = &filter->capacity;
    keys = fmin(keys, (double)total);
    if (keys > (double)capacity->n)
        return too_many(capacity, total, why);
    set_measure(capacity, survey->measure);
    set_count(capacity, keys);
    if (capacity->over)
        return too_full(filter, why);
    return filter->ops->check_removed ? filter->ops->check_removed(filter, why) : UF_OK;
}

/* Keys that are all different must be n at most. */
static int settle_build(uf_filter *filter, uint64_t total, uf_error *why)
{
    struct survey survey;
    filter->ops->survey(filter, &survey);
    return settle(filter, total, &survey, believed(&filter->capacity, (double)total, &survey), why);
}

/* Of a union of filters with `total` keys together it is not known how many both had. */
static int settle_union(uf_filter *filter, uint64_t total, uf_error *why)
{
    struct survey survey;
    filter->ops->survey(filter, &survey);
    double keys = believed(&filter->capacity, (double)total, &survey);
    if (keys > (double)filter->capacity.n)
        keys = fmax(survey.keys - filter->capacity.tolerance, 0);
    return settle(filter, total, &survey, keys, why);
}

int capacity_settle(uf_filter *filter, uint64_t total, uf_error *why)
{
    struct capacity *capacity = &filter->capacity;
    if (!total)
        capacity_empty(filter);
    else if (capacity->policy == FULL_REFUSE)
        return settle_build(filter, total, why);
    else if (capacity->policy == FULL_SCALE && filter->children == 1) {
        set_count(capacity, (double)(total < capacity->n ? total : capacity->n));
        capacity_check(filter);
    }
    return UF_OK;
}

/* What a file put there above the limit goes first. */
static void lower_measure(struct capacity *capacity, uint64_t by)
{
    uint64_t over = by < capacity->over ? by : capacity->over;
    capacity->over -= over;
    capacity->spare.measure += by - over;
}

void capacity_removed(uf_filter *filter, uint64_t gone, uint64_t still_there, uint64_t fallen)
{
    struct capacity *capacity = &filter->capacity;
    if (capacity->policy != FULL_REFUSE || filter->ops->admit)
        return; /* what a tombstone covers still takes room */
    uint64_t count = capacity_count(filter);
    capacity->spare.keys += gone < count ? gone : count;
    capacity->not_gone += still_there;
    lower_measure(capacity, fallen);
}

static uint64_t keys_in(const uf_filter *filter)
{
    struct survey survey;
    filter->ops->survey(filter, &survey);
    double keys = filter->capacity.policy == FULL_REFUSE
                      ? believed(&filter->capacity, (double)capacity_count(filter), &survey)
                      : fmax(survey.keys - filter->capacity.tolerance, 0);
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
            status = settle_union(into, total, why);
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
        out->count = (double)capacity_count(filter);
}
