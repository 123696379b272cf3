/* SPDX-License-Identifier: MIT */
/* All keys of a file in memory, in their order. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "args.h"
#include "ultrafilter.h"

struct list {
    uf_key *keys; /* owned, as are the bytes they point to */
    size_t count;
    char *bytes;
    size_t used, room, ends;
    size_t *end; /* where each key ends in `bytes` */
};

/* Reads the file at `path`, "-" being standard input. EXIT_FINE, or EXIT_ERROR after a message, and nothing to free. */
int list_read(const struct args *args, const char *path, const char *doing, struct list *out);
void list_free(struct list *list);

/* Appends keys that are in memory; list_finish then makes `keys`. 0 when there is no memory for them. */
int list_add(struct list *list, const uf_key *keys, size_t count);
int list_finish(struct list *list);

#endif
