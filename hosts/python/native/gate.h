/* SPDX-License-Identifier: MIT */
/*
 * Who may use a filter at the same time: any number of readers, or one writer. The counts change only while the
 * interpreter lock is held, so that asking about one key, which never gives the lock back, needs no more than a look at
 * `writing`. Whoever has to wait gives the interpreter lock back meanwhile.
 */
#ifndef ULTRAFILTER_PYTHON_GATE_H
#define ULTRAFILTER_PYTHON_GATE_H

#include <pthread.h>

#include "host.h"

struct gate {
    unsigned readers, waiting; /* writers wait; new readers let them go first, or they would never come to it */
    int writing;
    uint64_t turns; /* counts those who left, under the mutex: what one who waits has not seen yet */
    pthread_mutex_t mutex;
    pthread_cond_t left;
};

void gate_init(struct gate *gate);
void gate_destroy(struct gate *gate);

/* All of them are called with the interpreter lock. */
void gate_read(struct gate *gate);
void gate_read_done(struct gate *gate);
void gate_write(struct gate *gate);
void gate_write_done(struct gate *gate);

/* Waits until nobody writes, and takes nothing: enough for what keeps the interpreter lock until it is done. */
void gate_look(struct gate *gate);

#endif
