/* SPDX-License-Identifier: MIT */
/*
 * How many keys a filter takes. Its rate holds for n keys, so one that must keep its rate among hostile people has to
 * say no:
 *
 *   full=refuse   UF_EFULL for a new key once n are in it. The default of keyed filters.
 *   full=warn     takes everything; its rate grows, and info tells. The default of others.
 *   full=scale    grows by a chain of further filters (chain.h), and keeps the rate that was planned for all of them.
 *
 * What counts is a key that the filter did not answer to when it came. One that it answers to, because it is in it or
 * is taken for one that is, sets no bit and takes no room: so a set that comes twice does no harm, and without the key
 * of a keyed filter nobody fills it faster than with n keys of chance.
 *
 * Who knows the hash can choose keys that set more bits. So every now and then the fill is looked at, one pass over the
 * filter, and where it is that of more keys than were counted, by more than chance explains, those are the count. The
 * next look comes after a quarter of what is left, in steps of n/1024 at least: a key of choice sets at most four times
 * the new bits of one of chance while three quarters of all bits are ones, and filters are planned for half. It goes
 * the other way, too: keys that were removed or came twice in a build make room again.
 *
 * While a filter is shared by threads only the number counts; the fill is looked at when they are done.
 */
#ifndef UF_CAPACITY_H
#define UF_CAPACITY_H

#include "ops.h"

/* In files: never renumber. */
enum full_policy { FULL_WARN = 0, FULL_REFUSE = 1, FULL_SCALE = 2, FULL_POLICIES = 3 };

enum { CAPACITY_COUNT_BYTES = 8 };

/* Kinds that can be full: not those that are built once, nor those whose format is someone else's. */
static inline int capacity_applies(const struct filter_ops *ops)
{
    return ops->keys_by_fill != NULL;
}

/* Of those, the kinds that full=scale can make a chain of: what was removed from one level may be in another. */
static inline int capacity_can_grow(const struct filter_ops *ops)
{
    return capacity_applies(ops) && !ops->remove_many;
}

/* What the spec says, or else the default. UF_EINVAL for another word. */
int capacity_policy(const struct spec *spec, const struct filter_ops *ops, uint32_t *out, uf_error *why);
const char *capacity_name(uint32_t policy); /* "warn", "refuse", "scale" */
uint32_t capacity_default(int keyed);

/* Sets policy and n of a filter whose params, and children, are known. `count` keys are in it, which the fill will be
 * asked about before any other comes. */
void capacity_open(uf_filter *filter, uint32_t policy, uint64_t count);

/* What came of keys that were to be added: how many were refused because it is full, and left out for good. */
struct tally {
    uint64_t full, stuck;
    int failed;    /* it could not grow: none was added after that */
    uf_error *why; /* of that; may be NULL */
    /* A chain that nobody asks for verdicts: keys that others of their slice made known count as new. Its files tell
     * when it grew, so this stays. */
    int by_slices;
};

/* Adds keys within the policy, with a verdict for each as calls.add_many gives them, or UF_EFULL, or why it failed.
 * verdict NULL: nobody asks. Returns the worst. */
int capacity_add(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict, struct tally *tally);

/* One key, and its verdict. */
int capacity_add_one(uf_filter *filter, struct hash128 hash, struct tally *tally);

/* After a build of `total` keys, some of which may be the same: UF_EFULL when they were too many. What it counts
 * depends on the filter and on `total` alone, so that it does not matter who came first. */
int capacity_settle(uf_filter *filter, uint64_t total, uf_error *why);

/* After `count` keys were removed. */
void capacity_removed(uf_filter *filter, uint64_t count);

/* The fill is looked at before the next insert. */
void capacity_doubt(uf_filter *filter);

/* The fill is looked at now, so that the next insert need not; nothing changes. One pass. */
void capacity_measure(uf_filter *filter);

/* The union of two; UF_EFULL when it would be too full, UF_ECANCELED when the progress callback of `into` asks to stop,
 * and then `into` is as it was. */
int capacity_merge(uf_filter *into, const uf_filter *from, uf_error *why);

/* What uf_get_info tells of it. */
void capacity_info(const uf_filter *filter, uf_info *out);

#endif
