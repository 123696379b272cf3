/* SPDX-License-Identifier: MIT */
/*
 * One digest of a whole file, its root: what a signature is made of. The file is cut into the header, runs of 1 MiB of
 * payload, and the table of checksums; so loading computes it from the very bytes that it keeps, by as many threads as
 * there are.
 *
 *     leaf i   BLAKE2b-256 of  "file leaf", a zero byte, u64 i, the bytes     0: header, 1 to n: payload, n + 1: table
 *     root     BLAKE2b-256 of  "file root", a zero byte, u64 bytes of the file, all leaves
 */
#ifndef UF_ROOT_H
#define UF_ROOT_H

#include "derive.h"
#include "mem.h"

enum { DIGEST_BYTES = 32 };

struct file_root {
    unsigned char digest[DIGEST_BYTES];
};

/* A leaf in the making. */
void leaf_start(struct digest *digest, uint64_t index);

void root_of(uint64_t file_bytes, const unsigned char *leaves, uint64_t count, struct file_root *out);

#endif
