/* SPDX-License-Identifier: MIT */
/*
 * A value of the keyspace: one filter, or for BF.* and CF.* the filters that it grew by, and the figures that
 * RedisBloom's INFO commands report and a filter does not keep.
 *
 * A thread that works on a value holds it, so that DEL does not take it away, and says whether it must not change
 * meanwhile.
 */
#ifndef UFR_VALUE_H
#define UFR_VALUE_H

#include "host.h"

struct account;

/* Stored in this order: never renumber, new ones at the end. */
enum figure {
    FIGURE_FAMILY,    /* enum family */
    FIGURE_ITEMS,     /* that were new when they were added; CF: that were added */
    FIGURE_DELETED,   /* CF */
    FIGURE_CAPACITY,  /* that was asked for */
    FIGURE_EXPANSION, /* likewise; 0: does not grow */
    FIGURE_BUCKET,    /* CF: BUCKETSIZE */
    FIGURE_ITERATIONS,
    FIGURES
};

enum family { FAMILY_UF, FAMILY_BF, FAMILY_CF, FAMILIES };

enum { MOST_LEVELS = 32 };

/* Whether adding an item that a filter answers to already changes something. */
enum known { KNOWN_UNASKED, KNOWN_DOES_NOTHING, KNOWN_CHANGES };

struct value {
    uf_filter *filter[MOST_LEVELS]; /* owned; the last one takes items */
    struct account *account;        /* of the memory of all of them */
    unsigned levels;
    int open;       /* no filter is locked */
    unsigned tried; /* keys_generation when it could not be unlocked */
    enum known known;
    unsigned borrowers; /* threads that read it */
    int frozen;         /* it must not change meanwhile */
    int holders;        /* 1 for the keyspace; counted atomically */
    uint64_t figures[FIGURES];
};

/* Zeroed, with no filter; never NULL. */
struct value *value_new(void);
/* The same for filters that will go over into another value. */
struct value *value_beside(const struct value *other);
/* What its filters are made with: the keys, and memory that is counted for it. */
uf_context value_context(const struct value *value);
void value_hold(struct value *value);
void value_release(struct value *value);

/* For a thread that reads it, until it is given back; both in the main thread. Items may come meanwhile where the
 * library allows that (UF_KNOB_SHARED); otherwise it is frozen, and commands that change it are told to try again. */
void value_lend(struct value *value);
void value_give_back(struct value *value);

/* Makes `filter` its last one, which it owns then. UF_EFULL: it has MOST_LEVELS. */
int value_add_level(struct value *value, uf_filter *filter);

/* Moves the one filter of a value that was made beside this one. UF_EFULL: likewise. */
int value_take_level(struct value *value, struct value *from);

/* 1: it gets a further filter when the last one is full. */
static inline int value_grows(const struct value *value)
{
    return value->figures[FIGURE_FAMILY] != FAMILY_UF && value->figures[FIGURE_EXPANSION];
}

/* Bytes of memory of everything, as the allocator rounds them. */
size_t value_memory(const struct value *value);

/* The sum of what the filters were planned for. */
uint64_t value_capacity(const struct value *value);

/* Number of filters that make it up, levels of a growing one included. */
uint64_t value_filters(const struct value *value);

/* 1 when a key is missing, once those at hand were tried. */
int value_try_keys(struct value *value);

static inline int value_is_locked(struct value *value)
{
    return !value->open && value_try_keys(value);
}

/* The filter that takes items, and the one that stands for the value where it has only one. */
static inline uf_filter *value_last(const struct value *value)
{
    return value->filter[value->levels - 1];
}

/* Who sees a filter of this plan that UF made: CF, when it counts. */
enum family value_family(const uf_spec *plan);

/* A copy in Redis' memory, or NULL. */
struct value *value_copy(const struct value *value, uf_error *why);

#endif
