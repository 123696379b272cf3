/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for as much of Redis as the load path needs, so that it runs under the sanitizers: memory is malloc's, and
 * an RDB stream is a run of strings in memory, each behind 4 bytes of length.
 */
#ifndef UFR_STANDIN_H
#define UFR_STANDIN_H

#include "host.h"

struct RedisModuleIO {
    unsigned char *bytes; /* owned */
    size_t count, at;
    int failed;
};

/* Sets the functions of the module's interface that there are. */
void standin_start(void);

void standin_free(struct RedisModuleIO *io);

#endif
