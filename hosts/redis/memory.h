/* SPDX-License-Identifier: MIT */
/*
 * The library's memory out of Redis': used_memory and maxmemory count it. An account counts what the filters of one
 * value hold, as large as the allocator made the blocks: that is what MEMORY USAGE tells.
 */
#ifndef UFR_MEMORY_H
#define UFR_MEMORY_H

#include "host.h"

/* Without an account. */
extern const uf_allocator redis_memory;

struct account;

/* Never NULL. Filters of an account are freed before the last one who holds it lets go. */
struct account *account_new(void);
void account_hold(struct account *account);
void account_release(struct account *account); /* NULL is fine */

/* Its own bytes included. */
size_t account_bytes(const struct account *account);

/* Memory that is counted there. */
uf_allocator account_memory(struct account *account);

#endif
