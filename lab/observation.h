/* SPDX-License-Identifier: MIT */
/*
 * All that someone else sees of one run of a mechanism: whether there is a file, its bytes, what was printed, how it
 * ended; and, where the file is a filter, what it says about the key x.
 */
#ifndef LAB_OBSERVATION_H
#define LAB_OBSERVATION_H

#include "ultrafilter.h"

struct seen_bytes {
    unsigned char *data; /* owned */
    size_t size;
};

struct observation {
    int exists; /* 1: there is a file */
    int status; /* of the library, or the exit status of a command */
    struct seen_bytes file, printed;
    int answer; /* 1: x is accepted, 0: it is not, -1: nobody can be asked */
    int bits;   /* of x that are set in the array; -1: there is none */
};

/* An observation of nothing. */
struct observation observation_new(void);
void observation_free(struct observation *observation);

/* Appends; 0, or -1 when there is no memory. */
int seen_append(struct seen_bytes *seen, const void *data, size_t size);

/* The file of a filter, and what it says about x. */
int observe_filter(const uf_filter *filter, uf_key x, struct observation *out, uf_error *why);

/* What the bytes of a file say about x, when they are those of a filter that needs no key. */
void observe_bytes(struct observation *observation, uf_key x);

#endif
