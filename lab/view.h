/* SPDX-License-Identifier: MIT */
/*
 * A filter as an attacker sees it who has its file, or the memory of its server: the array of bits, and where the bits
 * of an item are. Everything is public (docs/format.md, src/kinds/positions.h and blocked.h; RedisBloom's description)
 * except the key of a keyed filter. Of such a one the attacker has the array and a hash of their own making.
 */
#ifndef LAB_VIEW_H
#define LAB_VIEW_H

#include "item.h"

enum view_scheme {
    VIEW_PARTITIONS, /* bloom, ultra: one bit in each of k partitions; counting: one counter */
    VIEW_BLOCKS,     /* blocked: one bit in each of k lanes of one block */
    VIEW_REDIS       /* (a + i b) mod m */
};

enum { VIEW_MOST_K = 64 };

struct view {
    enum view_scheme scheme;
    uint64_t units;  /* cells of a partition, blocks, or m */
    uint64_t stride; /* partitions: cells from the start of one to that of the next */
    unsigned cell;   /* bits of a cell: 1, or 4 for counters */
    unsigned k;
    uint64_t seed;   /* of the hash; not for redis, where it is public */
    uint64_t bits;   /* that can be set */
    uint64_t *words; /* owned */
    size_t word_count;
};

struct view_hash {
    uint64_t lo, hi; /* or a and b */
};

/* The payload of a filter's file; the caller frees *words. */
int view_payload(const uf_filter *filter, uint64_t **words, size_t *count, uf_error *why);

/* The view of a filter of kind bloom, ultra, blocked or counting, or of one of those that is keyed: then its seed is
 * made up. */
int view_of_filter(const uf_filter *filter, uint64_t made_up, struct view *out, uf_error *why);
int view_of_redis(uint64_t m, unsigned k, const uint64_t *words, struct view *out, uf_error *why);
void view_free(struct view *view);

struct view_hash view_hash(const struct view *view, const struct item *item);
/* The same of a key of any size; not for redis. */
struct view_hash view_hash_key(const struct view *view, uf_key key);
uint64_t view_position(const struct view *view, struct view_hash hash, unsigned i);

/* What a counter says. */
static inline unsigned view_count(const struct view *view, uint64_t position)
{
    uint64_t bit = position * view->cell;
    return (unsigned)(view->words[bit / 64] >> bit % 64 & ((1u << view->cell) - 1));
}

static inline int view_bit(const struct view *view, uint64_t position)
{
    return (int)(view->words[position / 64] >> position % 64 & 1);
}

/* How many of the item's bits are zero; or any number below `least`, as soon as it is clear that they are fewer. */
unsigned view_fresh(const struct view *view, const struct item *item, unsigned least);
/* 1 when the bit at this position is one of the item's. */
int view_touches(const struct view *view, const struct item *item, uint64_t position);
/* 1 when all are set. */
int view_has(const struct view *view, const struct item *item);
/* Sets them; returns how many were zero. */
unsigned view_set(struct view *view, const struct item *item);
uint64_t view_ones(const struct view *view);

#endif
