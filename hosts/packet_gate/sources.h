/* SPDX-License-Identifier: MIT */
/*
 * What must be remembered of a source from one packet to the next: how far into a bad sequence it is, its strikes,
 * and whether it was put into the good filter. The table has a fixed number of places. When they are not enough, the
 * source that loses least by it is forgotten, and what was lost is counted.
 */
#ifndef GATE_SOURCES_H
#define GATE_SOURCES_H

#include "address.h"

enum { SOURCE_MOST_STRIKES = 255 };

struct source {
    struct address address;
    uint32_t state; /* of the automaton: 0 when in no sequence */
    uint32_t seen;  /* the packet that was last, modulo 2^32 */
    uint8_t strikes;
    uint8_t owned; /* this source, and not only its look-alikes, is in the good filter */
};

struct sources_counts {
    uint64_t kept;    /* sources in the table now */
    uint64_t evicted; /* times a source was forgotten, for lack of room */
    uint64_t partial; /* of these, in the middle of a sequence */
    uint64_t strikes; /* of these, with strikes; such a source may be in `partial` too */
    uint64_t both;    /* of these, in both */
};

struct sources;

/* The two buckets of a source, and the mark on its place. */
struct sources_home {
    size_t bucket[2];
    uint8_t mark;
};

/* At least `places` of them, a multiple of eight. `key`: 16 secret bytes, so that nobody can aim at a bucket. NULL
 * when memory is short. Give back with sources_free. */
struct sources *sources_new(uint64_t places, const uint8_t key[16]);

/* Where a source belongs; asked once a packet. */
struct sources_home sources_home(const struct sources *table, const struct address *address);

/* The table's own entry, good until the next sources_keep; NULL when the source is not there. */
struct source *sources_find(struct sources *table, const struct sources_home *home, const struct address *address);

/* Whether a source was ever forgotten here. When not, a source that is not there has never been here. */
int sources_forgot(const struct sources *table, const struct sources_home *home);

/* Keeps a source that is not there, or forgets it at once when all others here would lose more. */
void sources_keep(struct sources *table, const struct sources_home *home, const struct source *source);

/* Frees the place of an entry that sources_find gave. Not counted: it has served its purpose. */
void sources_drop(struct sources *table, struct source *entry);

/* From now on any source may have been here before: what the good filter has is from another run. */
void sources_may_be_back(struct sources *table);

/* Walks over all entries: start with *at = 0. NULL past the last. */
const struct source *sources_next(const struct sources *table, size_t *at);

struct sources_counts sources_counted(const struct sources *table);
uint64_t sources_places(const struct sources *table);
size_t sources_bytes(const struct sources *table);
void sources_free(struct sources *table); /* NULL is fine */

#endif
