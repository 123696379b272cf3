/* SPDX-License-Identifier: MIT */
/*
 * How many keys a filter takes. Its rate holds for n keys, so one that must keep its rate among hostile people has to
 * say no:
 *
 *   full=refuse   UF_EFULL for a new key once n are in it. The default of keyed filters.
 *   full=warn     takes everything; its rate grows, and info tells. The default of others.
 *   full=scale    grows by a chain of further filters (chain.h), and keeps the rate that was planned for all of them.
 *
 * Two things are kept, exactly and key by key:
 *
 *   the count    of keys that the filter did not answer to when they came. One that it answers to, because it is in it
 *                or is taken for one that is, takes nothing: so a set that comes twice does no harm.
 *   the measure  of the rate, an integer that depends on the words alone: for kinds of partitions the number of cells
 *                that are used, for blocked the sum over all blocks of the share that each accepts, in fixed point.
 *
 * A new key is refused when n were counted, or when it would raise the measure above its limit.
 *
 * (a) n different keys that nobody chose always fit. Before the last of them at most n - 1 were counted. The limit is
 *     what n such keys exceed in one of 10^9 filters at most (limit_cells and limit_blocks in core/rates.h), and as a
 *     measure only rises, those that stay below it in the end were below it all the time. That goes for whatever is in
 *     a filter that removes, at any time; but removed keys of deletable and tombstone leave behind what they share.
 *
 * (b) Whoever chooses the keys, with the hash, the file or the key at hand, the rate is at most that of the limit. For
 *     blocked the measure is the rate. Of k partitions with u of their cells used in all, the rate is the product of
 *     their shares, and by the means' inequality at most (u / (k part))^k; it is that when all are alike. So a filter
 *     for n = 10^6 keys at 1 % has at most 1.009 times its rate (bloom), 1.04 times (blocked); for n = 1000 it is 1.31
 *     and 3.5 times, as n keys of chance do that now and then, too (docs/kinds.md#full-filters).
 *
 * Numbers that come from elsewhere are checked against the words: the measure of a filter that was loaded, built or
 * merged is taken from them, in one pass, and a count that they do not explain, by 6 sigma, becomes the least that they
 * do: so it is never more than there are. That of deletable is never raised, as its bits may be of keys that are gone.
 *
 * Threads that share a filter share both numbers: each takes what a key needs before it sets its bits. Of a key that
 * two of them add at the same moment both may be told that it was new, and then it counts twice.
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
    return ops->survey != NULL;
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

/* Sets policy and n of a filter whose params, and children, are known. `count` keys are in it. Its words are looked at
 * before another comes. */
void capacity_open(uf_filter *filter, uint32_t policy, uint64_t count);

/* The same for one that was just made, with no key and every word 0: then nothing has to be looked at. */
void capacity_empty(uf_filter *filter);

/* What came of keys that were to be added: how many were refused because it is full, and left out for good. */
struct tally {
    uint64_t full, stuck;
    uint64_t foreign; /* and because it is a part of a filter to which they do not belong */
    int failed;       /* it could not grow: none was added after that */
    uf_error *why;    /* of that; may be NULL */
};

/* Adds keys within the policy, with a verdict for each as calls.add_many gives them, or UF_EFULL, or why it failed.
 * verdict NULL: nobody asks; in a chain, keys that others of their slice made known then count as new, which stays so
 * since its files tell when it grew. Returns the worst. */
int capacity_add(uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict, struct tally *tally);

/* One key, and its verdict. */
int capacity_add_one(uf_filter *filter, struct hash128 hash, struct tally *tally);

/* After a build of `total` keys, some of which may be the same: UF_EFULL when they were too many. What it counts
 * depends on the filter and on `total` alone, so that it does not matter who came first. */
int capacity_settle(uf_filter *filter, uint64_t total, uf_error *why);

/* Those of another filter; before its words are copied, so that they have what was counted. */
void capacity_copy(const uf_filter *from, uf_filter *to);

/* How many keys were counted. */
uint64_t capacity_count(const uf_filter *filter);

/* After keys were removed: so many of them are answered to no longer, so many still, and the measure fell. */
void capacity_removed(uf_filter *filter, uint64_t gone, uint64_t still_there, uint64_t fallen);

/* The measure, from the words as they are: so that the next insert need not look. One pass, unless it is known. */
void capacity_measure(uf_filter *filter);

/* Before threads share it: all that inserts would have to look up, which they must not do beside each other. */
void capacity_share(uf_filter *filter);

/* The same for words and a count that came from a file. */
void capacity_check(uf_filter *filter);

/* The union of two; UF_EFULL when it would be too full, UF_ECANCELED when the progress callback of `into` asks to stop,
 * and then `into` is as it was. */
int capacity_merge(uf_filter *into, const uf_filter *from, uf_error *why);

/* What uf_get_info tells of it. */
void capacity_info(const uf_filter *filter, uf_info *out);

#endif
