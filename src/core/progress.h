/* SPDX-License-Identifier: MIT */
/* How far a long call is, told to the caller's callback by one thread at a time. */
#ifndef UF_PROGRESS_H
#define UF_PROGRESS_H

#include <pthread.h>

#include "ultrafilter.h"

/* Told at least this often, in bytes: less than a millisecond of work. */
enum { PROGRESS_STEP = 1 << 20 };

struct progress {
    int (*told)(void *arg, uint64_t done, uint64_t total); /* NULL: nobody wants to know */
    void *arg;
    uint64_t done, total;
    int reason; /* what the callback returned that was not 0 */
    pthread_mutex_t lock;
};

void progress_start(struct progress *progress, int (*told)(void *arg, uint64_t done, uint64_t total), void *arg,
                    uint64_t total);

/* So much more is done. UF_ECANCELED when the callback says stop, or has said so before. */
int progress_add(struct progress *progress, uint64_t more);

/* The same as an error with words. */
int progress_stopped(const struct progress *progress, uf_error *why);

void progress_end(struct progress *progress);

#endif
