/* SPDX-License-Identifier: MIT */
/*
 * Master keys: the one that new filters are made with, and the one before it, which a rotation leaves in place until no
 * filter needs it. Filters of a key that is not here stay locked: kept, copied and saved, but not asked.
 */
#ifndef UFR_MASTER_KEYS_H
#define UFR_MASTER_KEYS_H

#include "host.h"

enum key_slot { KEY_CURRENT, KEY_OLD, KEY_SLOTS };

/* Reads the file of a slot anew; an empty path takes the key away. On failure the slot is as it was. */
int keys_load(enum key_slot slot, const char *path, uf_error *why);

int keys_present(void);

/* Grows with every change of the keys, so that a filter is tried once for each. */
unsigned keys_generation(void);

/* Their ids, empty where there is none. */
void keys_id(enum key_slot slot, char out[UF_KEY_ID_SIZE]);

/* Redis' memory and the keys. With `current` 0 for filters that are made without one. */
uf_context keys_context(void);

void keys_forget(void);

#endif
