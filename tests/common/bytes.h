/* SPDX-License-Identifier: MIT */
/* Filters as bytes in memory, and whole files. */
#ifndef UF_TEST_BYTES_H
#define UF_TEST_BYTES_H

#include "ultrafilter.h"

struct bytes {
    unsigned char *data; /* owned; free with bytes_free */
    size_t size, capacity;
};

int bytes_put(void *bytes, const void *data, size_t size); /* for uf_write */
void bytes_free(struct bytes *bytes);

/* What uf_write makes of a filter. The test fails when it does not. */
struct bytes bytes_of(const uf_filter *filter, unsigned how);
int bytes_equal(const struct bytes *a, const struct bytes *b);

/* The bytes of a filter just built from a spec, which is freed. */
struct bytes bytes_of_build(const char *spec, const uf_key *keys, size_t count, const uf_context *ctx);

/* Whole files; the test fails when the system refuses. */
void file_put_all(const char *path, const void *data, size_t size);
struct bytes file_get_all(const char *path);

#endif
