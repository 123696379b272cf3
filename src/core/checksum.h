/* SPDX-License-Identifier: MIT */
/* Checksum of file bytes: XXH3-64. It notices damage, not forgery. */
#ifndef UF_CHECKSUM_H
#define UF_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* `salt` is the chunk number, so that chunks that swap places are noticed. */
uint64_t checksum(const void *data, size_t bytes, uint64_t salt);

#endif
