/* SPDX-License-Identifier: MIT */
/*
 * Randomness of experiments. A seed and a number give a stream that is the same everywhere, for uf_context.random and
 * for the coins of the experimenter (splitmix64: no secret depends on it). Without a seed the stream starts from the
 * system's randomness.
 */
#ifndef LAB_STREAM_H
#define LAB_STREAM_H

#include <stddef.h>
#include <stdint.h>

struct stream {
    uint64_t state;
};

struct stream_seed {
    int given; /* 0: the system's randomness */
    uint64_t value;
};

/* The stream of this number. 0, or -1 when the system has no randomness. */
int stream_open(struct stream *stream, struct stream_seed seed, uint64_t number);
uint64_t stream_next(struct stream *stream);

/* uf_context.random on a struct stream. */
int stream_fill(void *stream, void *out, size_t bytes);

#endif
