/* SPDX-License-Identifier: MIT */
/* Output that must wait, in constant memory: what does not fit goes to a temporary file without a name. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include <stddef.h>

struct spool;

/* NULL after a message. */
struct spool *spool_new(void);
void spool_free(struct spool *spool); /* NULL is fine */

/* EXIT_FINE, or EXIT_ERROR after a message. */
int spool_add(struct spool *spool, const void *data, size_t size);

/* All of it to stdout, once. EXIT_FINE, or EXIT_ERROR after a message. */
int spool_print(struct spool *spool);

#endif
