/* SPDX-License-Identifier: MIT */
/*
 * The gate: two filters, a table of bounded size, and the rule that moves a source from one filter to the other.
 *
 * Good sources are those that have been seen and have fewer than `strikes` bad sequences; bad ones are on the
 * do-not-serve list or have reached `strikes`. Asked about an address, the bad filter speaks first. What can be wrong:
 *
 *     truly     answered   how often
 *     good      bad        fpr of the bad filter
 *     good      unknown    fnr of the good filter; plus fpr of the good filter, once sources were evicted
 *     unknown   bad        fpr of the bad filter
 *     unknown   good       fpr of the good filter
 *     bad       good       never, but for strikes that were lost to eviction
 *
 * In the first row the rates are those at the end: a bad filter only grows, so a source it accepts wrongly at any time
 * is accepted wrongly at the end.
 */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include <stddef.h>

#include "decode.h"
#include "patterns.h"
#include "sources.h"

enum verdict { VERDICT_UNKNOWN, VERDICT_GOOD, VERDICT_BAD };

enum { VERDICTS = 3 };

const char *verdict_name(enum verdict verdict);

enum served { REFUSED, SERVED };

struct judged {
    enum served served;
    unsigned strikes; /* of the source, after this packet; 0 when it was refused */
};

struct gate_options {
    const char *good, *bad;          /* specs of the filters */
    uint64_t places;                 /* of the table of sources */
    unsigned strikes;                /* until a source is bad: 1 to SOURCE_MOST_STRIKES */
    const struct patterns *patterns; /* borrowed; NULL when there are none */
    int seeded;                      /* 1: filters and table are made from `seed`, for tests; 0: from randomness */
    uint64_t seed;
    const char *good_file, *bad_file; /* loaded when they exist; NULL: there are none */
    int good_given, bad_given;        /* 1: the spec is what a user asked for, and a file must not be of another */
};

/* One filter, and what the gate did with it. */
struct member_filter {
    uf_filter *filter; /* owned */
    uint64_t capacity; /* the rate holds up to here: no key is added beyond */
    uint64_t keys;     /* at most this many are in it; see has_capacity */
    uint64_t added, removed;
    uint64_t freed;       /* removed since `keys` was last set from the fill */
    uint64_t turned_away; /* sources not added, as the filter was full */
    int loaded;           /* 1: from a file, with what was added in other runs */
};

struct gate_counts {
    uint64_t served, refused; /* packets */
    uint64_t strikes;         /* bad sequences found */
    uint64_t moved;           /* sources that reached the last strike */
    uint64_t left;            /* of these, not removed from the good filter: they may be in it under another's name */
};

struct gate {
    struct member_filter good, bad;
    struct sources *sources;         /* owned */
    const struct patterns *patterns; /* borrowed */
    unsigned strikes;
    uint32_t clock; /* packets, modulo 2^32 */
    struct gate_counts counts;
    void (*condemned)(void *arg, const struct address *address); /* told of every source that was moved; or NULL */
    void *condemned_arg;
};

/* Says what is wrong on stderr and returns non-zero when it fails; `gate` must be closed either way. */
int gate_open(struct gate *gate, const struct gate_options *options);
void gate_close(struct gate *gate);

/* Puts an address on the do-not-serve list. Non-zero, and said on stderr, when the bad filter is full. */
int gate_deny(struct gate *gate, const struct address *address);

struct judged gate_packet(struct gate *gate, const struct packet *packet);

/* How often it was forgotten how far a source had come, for lack of room in the table: in the middle of a sequence, or
 * with strikes. At most so many bad sources were missed for it. */
uint64_t gate_lost_history(const struct gate *gate);

enum verdict gate_verdict(const struct gate *gate, const struct address *address);

/* All that the gate holds, in bytes: fixed from the start. */
size_t gate_bytes(const struct gate *gate);

#endif
