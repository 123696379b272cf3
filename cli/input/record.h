/* SPDX-License-Identifier: MIT */
/* Records of a file: where they end, and what is the key in one (keys_format.h). */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "keys_format.h"

/* Where the search for the end of a record stands, in bytes that come piece by piece. Zeros at the start of a file. */
struct record_search {
    size_t done; /* bytes of the unfinished record that were looked at */
    int state;
};

/* How many of `size` bytes are whole records: all up to the end of the last that ends among them. */
size_t record_end(const struct keys_format *format, struct record_search *search, const char *data, size_t size);

/* The bytes of the first record, which is whole, with its separator. */
size_t record_length(const struct keys_format *format, const char *data, size_t size);

/* The key of a record, which comes without its separator. Where it is not a part of the record it is written to
 * `scratch`, which has as many bytes as the record and is moved on. NULL, or what is wrong: "is not hexadecimal". */
const char *record_key(const struct keys_format *format, unsigned field, uf_key record, char **scratch, uf_key *out);

/* The number of the field that has this name in a first record, from 1; 0: none has. `scratch` as above. */
unsigned record_find_column(const struct keys_format *format, uf_key record, char *scratch);

#endif
