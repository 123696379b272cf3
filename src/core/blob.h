/* SPDX-License-Identifier: MIT */
/* Bytes to be read at any place: those of a file, or some in memory. */
#ifndef UF_BLOB_H
#define UF_BLOB_H

#include <stddef.h>
#include <stdint.h>

#include "ultrafilter.h"

struct blob {
    int fd; /* -1: in memory */
    const unsigned char *data;
    uint64_t bytes;
};

/* A regular file; closed with blob_close. */
int blob_open(struct blob *blob, const char *path, uf_error *why);
void blob_close(struct blob *blob);

/* Borrows the bytes. */
struct blob blob_of_bytes(const void *data, size_t bytes);

/* Exactly `bytes` at `offset`, or UF_EFORMAT when it ends too early. */
int blob_read(const struct blob *blob, void *out, size_t bytes, uint64_t offset, uf_error *why);

#endif
