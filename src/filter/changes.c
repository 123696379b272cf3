/* SPDX-License-Identifier: MIT */
/* Inserts with and without verdicts, removals, and the sentences that say why some keys are not in, or not out. */
#include <string.h>

#include "capacity.h"
#include "describe.h"
#include "filter.h"
#include "filter_hash.h"
#include "locked.h"
#include "status.h"

typedef unsigned long long number;

/* How many keys are worked on between two words to the callback of uf_set_progress: a few milliseconds. */
enum { PROGRESS_KEYS = 1 << 14 };

static size_t next_slice(size_t done, size_t count)
{
    return count - done < PROGRESS_KEYS ? count - done : PROGRESS_KEYS;
}

static const char *article(const char *kind)
{
    return strchr("aeiou", kind[0]) ? "an" : "a";
}

/* ---- inserts ---- */

/* A key that joins after the noise would be there without any. */
static int takes_none(const uf_filter *filter, uf_error *why)
{
    const char *kind = filter->ops->name;
    if (is_released(filter))
        return fail(why, UF_EUNSUPPORTED,
                    "this filter holds a released set and takes no inserts, as a key that joins after the noise would "
                    "be there without any: release the changed set and build it anew");
    if (filter->ops->declared)
        return fail(why, UF_EUNSUPPORTED,
                    "%s %s filter is private and takes no inserts, as a key that joins after the noise would be there "
                    "without any: build it anew from all the keys",
                    article(kind), kind);
    return fail(why, UF_EUNSUPPORTED,
                "%s %s filter is built once and takes no inserts: build it anew from all the keys, or take bloom or "
                "blocked",
                article(kind), kind);
}

static int is_mapped(uf_error *why)
{
    return fail(why, UF_EREADONLY, "this filter is mapped from its file and cannot change: load it without UF_MAP");
}

static int is_locked(uf_error *why)
{
    return fail(why, UF_EKEY,
                "this filter was loaded without its key and cannot change: give it the key with uf_unlock");
}

static int check_insert(const uf_filter *filter, uf_error *why)
{
    if (filter->locked && is_keyed(filter))
        return is_locked(why);
    if ((!filter->calls.add && !filter->calls.add_within) || is_released(filter))
        return takes_none(filter, why);
    return filter->map ? is_mapped(why) : UF_OK;
}

static int is_full(const uf_filter *filter, uint64_t refused, size_t count, uf_error *why)
{
    uint64_t counted = capacity_count(filter);
    if (counted < filter->capacity.n)
        return fail(
            why, UF_EFULL,
            "%llu of %zu keys were refused: this filter has %llu of the n=%llu keys that it was planned for, but "
            "these would raise its false-positive rate above its limit, which keys that nobody chose do not; "
            "plan a larger n, or say full=warn to let its rate grow",
            (number)refused, count, (number)counted, (number)filter->capacity.n);
    if (filter->ops->series)
        return fail(why, UF_EFULL,
                    "%llu of %zu keys were refused: the newest generation has %llu of the n=%llu keys that it was "
                    "planned for; rotate the filter, plan a larger n, or say full=warn to let its rate grow",
                    (number)refused, count, (number)counted, (number)filter->capacity.n);
    return fail(why, UF_EFULL,
                "%llu of %zu keys were refused: this filter has %llu of the n=%llu keys that it was planned for; plan "
                "a larger n, or say %sfull=warn to let its rate grow",
                (number)refused, count, (number)counted, (number)filter->capacity.n,
                filter->ops->remove_many ? "" : "full=scale to let it grow, or ");
}

static int is_hidden(const uf_filter *filter, uint64_t hidden, size_t count, uf_error *why)
{
    return fail(why, UF_ESTUCK,
                "%llu of %zu keys were removed before, or are taken for such, and %s %s filter never takes a removed "
                "key back: build it anew, or take counting",
                (number)hidden, count, article(filter->ops->name), filter->ops->name);
}

static int is_elsewhere(const uf_filter *filter, uint64_t foreign, size_t count, uf_error *why)
{
    struct spec plan;
    plan_of(filter, &plan);
    return fail(why, UF_EPART,
                "%llu of %zu keys belong to other parts of the filter, of which this is part %s: give each key to its "
                "own part (docs/partitions.md)",
                (number)foreign, count, spec_text(&plan, "part"));
}

/* `status` is what came of adding `count` keys. One that could not grow has said so. */
static int explain(const uf_filter *filter, int status, const struct tally *tally, size_t count, uf_error *why)
{
    if (status == UF_EFULL)
        return is_full(filter, tally->full, count, why);
    if (status == UF_EPART)
        return is_elsewhere(filter, tally->foreign, count, why);
    return status == UF_ESTUCK ? is_hidden(filter, tally->stuck, count, why) : status;
}

/* A large batch, slice by slice, for a filter whose callback wants to know. */
static int add_slices(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict, struct tally *tally)
{
    struct progress progress;
    int status = UF_OK;
    filter_progress(filter, count, &progress);
    for (size_t done = 0, slice; done < count; done += slice) {
        slice = next_slice(done, count);
        if (done && progress_add(&progress, PROGRESS_KEYS) != UF_OK) {
            status = progress_stopped(&progress, tally->why);
            if (verdict)
                memset(verdict + done, UF_ECANCELED, count - done);
            break;
        }
        status = capacity_add(filter, source, slice, verdict ? verdict + done : NULL, tally);
    }
    progress_end(&progress);
    return status;
}

static int add_source(uf_filter *filter, struct hash_source source, size_t count, int8_t *verdict, uf_error *why)
{
    struct tally tally = {.why = why};
    error_clear(why);
    int status = check_insert(filter, why);
    if (status != UF_OK)
        return status;
    status = filter->progress && count > PROGRESS_KEYS ? add_slices(filter, &source, count, verdict, &tally)
                                                       : capacity_add(filter, &source, count, verdict, &tally);
    return explain(filter, status, &tally, count, why);
}

static int add_batch(uf_filter *filter, const struct key_batch *batch, size_t count, int8_t *verdict, uf_error *why)
{
    return add_source(filter, source_of_batch(&filter->hasher, batch), count, verdict, why);
}

static int add_offsets(uf_filter *filter, const void *bytes, const void *offsets, int offset_bytes, size_t count,
                       int8_t *verdict, uf_error *why)
{
    struct key_batch batch;
    error_clear(why);
    int status = batch_of_offsets(bytes, offsets, offset_bytes, count, &batch, why);
    return status == UF_OK ? add_batch(filter, &batch, count, verdict, why) : status;
}

int uf_add_many(uf_filter *filter, const uf_key *keys, size_t count, int8_t *verdict, uf_error *why)
{
    struct key_batch batch = batch_of_keys(keys);
    return add_batch(filter, &batch, count, verdict, why);
}

int uf_add_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, int8_t *verdict, uf_error *why)
{
    struct key_batch batch = batch_of_fixed(keys, key_bytes);
    return add_batch(filter, &batch, count, verdict, why);
}

int uf_add_offsets(uf_filter *filter, const void *bytes, const void *offsets, int offset_bytes, size_t count,
                   int8_t *verdict, uf_error *why)
{
    return add_offsets(filter, bytes, offsets, offset_bytes, count, verdict, why);
}

int uf_insert_many(uf_filter *filter, const uf_key *keys, size_t count, uf_error *why)
{
    struct key_batch batch = batch_of_keys(keys);
    return add_batch(filter, &batch, count, NULL, why);
}

int uf_insert_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uf_error *why)
{
    struct key_batch batch = batch_of_fixed(keys, key_bytes);
    return add_batch(filter, &batch, count, NULL, why);
}

int uf_insert_offsets(uf_filter *filter, const void *bytes, const void *offsets, int offset_bytes, size_t count,
                      uf_error *why)
{
    return add_offsets(filter, bytes, offsets, offset_bytes, count, NULL, why);
}

/* One key goes straight to the kind: the machinery of batches would cost more than the rest. */
static inline int add_one(uf_filter *filter, struct hash128 hash, uf_error *why)
{
    struct tally tally = {.why = why};
    if (filter->capacity.policy == FULL_WARN && !filter->shared && !filter->ops->admit)
        return filter->calls.add(filter, hash);
    return explain(filter, capacity_add_one(filter, hash, &tally), &tally, 1, why);
}

/* What ask_and_add comes to where a filter refuses: the key fits or it does not. */
static int add_or_refuse(uf_filter *filter, uf_key key, uf_error *why)
{
    struct hash128 hash = filter_hash(filter, key);
    if (filter->capacity.not_gone)
        return add_one(filter, hash, why);
    int verdict = filter->calls.add_one_within(filter, hash, &filter->capacity.spare);
    struct tally tally = {.full = verdict == UF_EFULL, .stuck = verdict == UF_ESTUCK, .why = why};
    return verdict < 0 ? explain(filter, verdict, &tally, 1, why) : verdict;
}

/* And where it takes all that come, as add_key of the kinds that have it. */
static int add_always(uf_filter *filter, uf_key key, uf_error *why)
{
    (void)why;
    return filter->calls.add(filter, filter_hash(filter, key));
}

/* With all questions. Where their answers are that a key may go straight to its kind, so do all others until one of
 * them may be another (filter_ask_first). */
static int ask_and_add(uf_filter *filter, uf_key key, uf_error *why)
{
    int status = check_insert(filter, why);
    if (status != UF_OK)
        return status;
    if (filter->capacity.policy == FULL_WARN && !filter->shared && !filter->ops->admit)
        filter->add = filter->calls.add_key && filter->hasher.kind == HASH_XXH3 ? filter->calls.add_key : add_always;
    int verdict = add_one(filter, filter_hash(filter, key), why);
    if (filter->capacity.policy == FULL_REFUSE && !filter->shared && !filter->ops->own)
        filter->add = add_or_refuse; /* the measure is known now */
    return verdict;
}

int uf_add(uf_filter *filter, uf_key key, uf_error *why)
{
    error_clear(why);
    return filter->add ? filter->add(filter, key, why) : ask_and_add(filter, key, why);
}

static int add_digest(uf_filter *filter, const uf_digest *digest, int8_t *verdict, uf_error *why)
{
    error_clear(why);
    int status = check_insert(filter, why);
    if (status != UF_OK)
        return status;
    int came = add_one(filter, hash_of_bytes(digest->bytes), why);
    if (verdict)
        *verdict = (int8_t)came;
    return came < 0 ? came : UF_OK;
}

int uf_insert(uf_filter *filter, uf_key key, uf_error *why)
{
    int verdict = uf_add(filter, key, why);
    return verdict < 0 ? verdict : UF_OK;
}

/* ---- removals ---- */

enum { REMOVE_BATCH = 256 };

/* Of the keys that were removed some are gone: others were in it more than once, or are taken for members. */
static void note_gone(uf_filter *filter, const struct hash128 *hash, const signed char *verdict, size_t count,
                      uint64_t fallen)
{
    struct hash_source source = source_of_hashes(hash);
    uint8_t in[REMOVE_BATCH];
    uint64_t removed[2] = {0, 0}; /* gone, and not */
    filter->calls.query_many(filter, &source, count, in);
    for (size_t i = 0; i < count; i++)
        removed[in[i]] += verdict[i] == UF_OK;
    capacity_removed(filter, removed[0], removed[1], fallen);
}

static int check_remove(const uf_filter *filter, uf_error *why)
{
    if (filter->locked && is_keyed(filter))
        return is_locked(why);
    const char *kind = filter->ops->name;
    if (is_released(filter))
        return fail(why, UF_EUNSUPPORTED,
                    "this filter holds a released set, of which no key can be removed: release the changed set and "
                    "build it anew");
    if (!filter->ops->remove_many)
        return fail(why, UF_EUNSUPPORTED,
                    "%s %s filter cannot remove keys: build it anew from those that stay, or take counting, deletable "
                    "or tombstone",
                    article(kind), kind);
    if (filter->shared)
        return fail(why, UF_EUNSUPPORTED,
                    "nothing can be removed while threads share this filter: set UF_KNOB_SHARED to 0 first");
    return filter->map ? is_mapped(why) : UF_OK;
}

/* What came of a removal. */
struct removal {
    int first; /* the status of the first key that was refused */
    uint64_t absent, stuck, full;
};

static int explain_removal(const uf_filter *filter, const struct removal *removal, size_t count, uf_error *why)
{
    const char *kind = filter->ops->name;
    if (removal->first == UF_EABSENT)
        return fail(why, UF_EABSENT, "%llu of %zu keys are not in the filter, and %llu cannot be taken out any more",
                    (number)removal->absent, count, (number)removal->stuck);
    if (removal->first == UF_ESTUCK)
        return fail(why, UF_ESTUCK,
                    "%llu of %zu keys cannot be taken out of %s %s filter any more and still answer 1, and %llu are "
                    "not in it: build it anew from the keys that stay",
                    (number)removal->stuck, count, article(kind), kind, (number)removal->absent);
    if (removal->first == UF_EFULL)
        return fail(why, UF_EFULL,
                    "%llu of %zu keys were not removed: as many were as this filter was planned for, and it refuses "
                    "more: build it anew from the keys that stay, with a larger removed or with full=warn",
                    (number)removal->full, count);
    return removal->first;
}

static void note_removed(struct removal *removal, const signed char *verdict, size_t count, uint8_t *removed)
{
    for (size_t i = 0; i < count; i++) {
        removal->first = removal->first == UF_OK ? verdict[i] : removal->first;
        removal->absent += verdict[i] == UF_EABSENT;
        removal->stuck += verdict[i] == UF_ESTUCK;
        removal->full += verdict[i] == UF_EFULL;
        if (removed)
            removed[i] = verdict[i] == UF_OK;
    }
}

static void remove_slice(uf_filter *filter, struct hash_source *source, size_t count, uint8_t *removed,
                         struct removal *removal)
{
    signed char verdict[REMOVE_BATCH];
    struct hash128 hash[REMOVE_BATCH];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < REMOVE_BATCH ? count - done : REMOVE_BATCH;
        source->fill(source, hash, step);
        struct hash_source ready = source_of_hashes(hash);
        uint64_t fallen = filter->ops->remove_many(filter, &ready, step, verdict);
        if (filter->capacity.policy == FULL_REFUSE)
            note_gone(filter, hash, verdict, step, fallen);
        note_removed(removal, verdict, step, removed ? removed + done : NULL);
        done += step;
    }
}

/* As add_slices. What comes of the keys is in `removal`. */
static int remove_slices(uf_filter *filter, struct hash_source *source, size_t count, uint8_t *removed,
                         struct removal *removal, uf_error *why)
{
    struct progress progress;
    int status = UF_OK;
    filter_progress(filter, count, &progress);
    for (size_t done = 0, slice; done < count; done += slice) {
        slice = next_slice(done, count);
        if (done && progress_add(&progress, PROGRESS_KEYS) != UF_OK) {
            status = progress_stopped(&progress, why);
            if (removed)
                memset(removed + done, 0, count - done);
            break;
        }
        remove_slice(filter, source, slice, removed ? removed + done : NULL, removal);
    }
    progress_end(&progress);
    return status;
}

static int remove_source(uf_filter *filter, struct hash_source source, size_t count, uint8_t *removed, uf_error *why)
{
    struct removal removal = {UF_OK, 0, 0, 0};
    error_clear(why);
    int status = check_remove(filter, why);
    if (status != UF_OK)
        return status;
    if (filter->progress && count > PROGRESS_KEYS)
        status = remove_slices(filter, &source, count, removed, &removal, why);
    else
        remove_slice(filter, &source, count, removed, &removal);
    return status == UF_OK ? explain_removal(filter, &removal, count, why) : status;
}

static int remove_batch(uf_filter *filter, const struct key_batch *batch, size_t count, uint8_t *removed, uf_error *why)
{
    return remove_source(filter, source_of_batch(&filter->hasher, batch), count, removed, why);
}

int uf_remove_many(uf_filter *filter, const uf_key *keys, size_t count, uint8_t *removed, uf_error *why)
{
    struct key_batch batch = batch_of_keys(keys);
    return remove_batch(filter, &batch, count, removed, why);
}

int uf_remove_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *removed,
                    uf_error *why)
{
    struct key_batch batch = batch_of_fixed(keys, key_bytes);
    return remove_batch(filter, &batch, count, removed, why);
}

int uf_remove(uf_filter *filter, uf_key key, uf_error *why)
{
    return uf_remove_many(filter, &key, 1, NULL, why);
}

/* ---- by digests: hashes that this filter made, or a twin of it ---- */

/* A keyed filter needs no key for them: its own calls, and afterwards those of a locked one again. */
static int open_calls(uf_filter *filter)
{
    int locked = filter->locked && is_keyed(filter);
    if (locked) {
        filter->locked = 0;
        filter_bind(filter);
    }
    return locked;
}

static void close_calls(uf_filter *filter, int locked)
{
    if (locked) {
        filter->locked = 1;
        locked_bind(filter);
    }
}

int uf_add_digests(uf_filter *filter, const uf_digest *digests, size_t count, int8_t *verdict, uf_error *why)
{
    int locked = open_calls(filter);
    int status = count == 1 ? add_digest(filter, digests, verdict, why)
                            : add_source(filter, source_of_digests(digests), count, verdict, why);
    close_calls(filter, locked);
    return status;
}

int uf_remove_digests(uf_filter *filter, const uf_digest *digests, size_t count, uint8_t *removed, uf_error *why)
{
    int locked = open_calls(filter), status = remove_source(filter, source_of_digests(digests), count, removed, why);
    close_calls(filter, locked);
    return status;
}
