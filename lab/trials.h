/* SPDX-License-Identifier: MIT */
/*
 * Many independent trials on several threads. With a seed each trial has a stream of its own, by its number: the result
 * does not depend on how many threads there are, nor on which of them runs what.
 */
#ifndef LAB_TRIALS_H
#define LAB_TRIALS_H

#include "stream.h"
#include "ultrafilter.h"

struct trials {
    uint64_t first, count; /* trials have the numbers first to first + count - 1 */
    unsigned threads;
    struct stream_seed seed;
    /* As uf_context.progress; NULL: nobody is told. Called by one thread at a time. */
    int (*progress)(void *arg, uint64_t done, uint64_t total);
    void *progress_arg;
};

/* One trial. `ctx` is its own: one thread, and its stream of randomness. */
typedef int trial(void *arg, uint64_t number, const uf_context *ctx, uf_error *why);

/* Runs every trial, or stops soon after one fails and returns its status. */
int trials_run(const struct trials *trials, trial *one, void *arg, uf_error *why);

/* The context of trial `number`; `stream` must live as long as it. Without a seed the library asks the system itself.
 */
int trials_context(const struct trials *trials, uint64_t number, struct stream *stream, uf_context *out);

#endif
