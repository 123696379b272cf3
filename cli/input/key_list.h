/* SPDX-License-Identifier: MIT */
/* All keys of a file in memory, in their order. */
#ifndef CLI_KEY_LIST_H
#define CLI_KEY_LIST_H

#include <stddef.h>

#include "args.h"
#include "keys_format.h"
#include "ultrafilter.h"

struct key_list {
    uf_key *keys; /* owned, as are the bytes they point to */
    size_t count;
    char *bytes;
    size_t used, capacity, ends;
    size_t *end; /* where each key ends in `bytes` */
};

/* Reads the file at `path`, "-" being standard input. EXIT_FINE, or EXIT_ERROR after a message, and nothing to free. */
int key_list_read(const char *path, const struct keys_format *format, const char *doing, struct key_list *out);
/* The same of all files that are operands. */
int key_list_read_operands(const struct args *args, const struct keys_format *format, const char *doing,
                           struct key_list *out);
void key_list_free(struct key_list *list);

/* Appends keys that are in memory; key_list_finish then makes `keys`. 0 when there is no memory for them. */
int key_list_add(struct key_list *list, const uf_key *keys, size_t count);
int key_list_finish(struct key_list *list);

#endif
