/* SPDX-License-Identifier: MIT */
/* Arguments of functions: keys and filters. */
#ifndef ULTRAFILTER_SQLITE_VALUES_H
#define ULTRAFILTER_SQLITE_VALUES_H

#include "call.h"

enum { INTEGER_BYTES = 8 };

/* The bytes of a key are the same in every host (docs/hosts.md): text is its UTF-8, a blob is itself, an integer is
 * eight bytes, little-endian, which are put into `room`. Not for NULL. UF_EINVAL: a floating-point number. */
int value_key(sqlite3_value *value, unsigned char room[INTEGER_BYTES], uf_key *out, uf_error *why);

/* The filter of an argument, a blob or a name: a new user, or NULL and a reason. */
struct shared_filter *value_filter(struct state *state, sqlite3_value *value, uf_error *why);

/* Text of an argument, never NULL: "" for NULL. */
const char *value_text(sqlite3_value *value);

#endif
