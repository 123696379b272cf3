/* SPDX-License-Identifier: MIT */
/*
 * What the extension keeps for a connection: a master key, filters that were opened under a name, and the filters of
 * the last few blobs. A filter in a column comes as a blob with every row, and loading one of 10 MB takes milliseconds;
 * a blob with the same bytes as one before is the same filter, which costs a comparison.
 */
#ifndef ULTRAFILTER_SQLITE_STATE_H
#define ULTRAFILTER_SQLITE_STATE_H

#include "host.h"

/* A filter with those who use it. */
struct shared_filter {
    uf_filter *filter;
    unsigned users;
};

struct shared_filter *shared_new(uf_filter *filter); /* takes it over; NULL: no memory */
void shared_drop(struct shared_filter *shared);      /* NULL is fine */

enum { CACHED_BLOBS = 4, CACHED_BYTES = 64 << 20 /* larger ones are loaded each time: uf_open */ };

struct cached_blob {
    struct shared_filter *filter;
    unsigned char *bytes; /* a copy */
    size_t size;
    uint64_t used;
};

struct named_filter {
    struct named_filter *next;
    struct shared_filter *filter;
    char name[];
};

/* A statement that runs may still use a key that was replaced: all stay until the connection ends. */
struct old_secret {
    struct old_secret *next;
    uf_secret *secret;
};

struct state {
    unsigned users; /* functions that point here */
    sqlite3 *db;
    const uf_secret *secret; /* NULL: none */
    struct old_secret *secrets;
    struct named_filter *named;
    struct cached_blob cached[CACHED_BLOBS];
    uint64_t clock;
};

struct state *state_new(sqlite3 *db);
void state_drop(void *state);

/* Another key; what was loaded with the old one is forgotten. Takes it over. 0, or -1 when there is no memory. */
int state_set_secret(struct state *state, uf_secret *secret);

/* The filter of a blob, from memory or loaded: a new user, or NULL and a reason. */
struct shared_filter *state_load(struct state *state, const void *data, size_t size, uf_error *why);

/* Names: opening takes the filter over and replaces what had that name. 0, or -1 when there is no memory. */
int state_open(struct state *state, const char *name, uf_filter *filter);
int state_close(struct state *state, const char *name); /* 1: it was open */
struct shared_filter *state_named(struct state *state, const char *name);

#endif
