/* SPDX-License-Identifier: MIT */
/* The library's memory out of Redis': MEMORY USAGE, used_memory and maxmemory count it. */
#ifndef UFR_MEMORY_H
#define UFR_MEMORY_H

#include "host.h"

extern const uf_allocator redis_memory;

#endif
