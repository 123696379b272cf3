/* SPDX-License-Identifier: MIT */
/* Digests to the parts that they belong to, all parts at once, and the answers back in the order of the digests. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "cluster_layout.h"

enum ask_verb { ASK_EXISTS, ASK_ADD };

/* Answers to ASK_ADD; those to ASK_EXISTS are 1 and 0. */
enum { ASK_KNOWN, ASK_NEW, ASK_REFUSED };

/* Of one call to a server, as its module has it. */
enum { ASK_MOST_DIGESTS = 1 << 14 };

/* Memory for batches, and connections: of one thread. */
struct ask;
int ask_open(const struct router *known, struct ask **out); /* EXIT_FINE, or EXIT_ERROR after a message */
void ask_close(struct ask *ask);                            /* NULL is fine */

/* EXIT_FINE, or EXIT_ERROR after a message. */
int ask_run(struct ask *ask, const struct layout *layout, enum ask_verb verb, const uf_digest *digests, size_t count,
            uint8_t *answers);

#endif
