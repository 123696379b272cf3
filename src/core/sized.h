/* SPDX-License-Identifier: MIT */
/*
 * Public structs that can grow, so that a program and a library of different ages understand one another.
 *
 * What the library reads starts with its size, which the caller's initializer sets: missing fields are defaults,
 * unknown ones must be zero, which asks for nothing new.
 *
 * What the library fills in comes with the caller's sizeof: fields that the caller does not know are left out, those
 * that the library does not know become zero.
 */
#ifndef UF_SIZED_H
#define UF_SIZED_H

#include <stddef.h>

#include "ultrafilter.h"

/* More than any struct will ever have: a size above it was never set. */
enum { SIZED_MOST = 65536 };

/* Copies what the caller gave over the defaults that `out` has, and sets the size in it to `own`. `what` is the
 * initializer that sets the size. UF_EINVAL: no such size; UF_EVERSION: the caller asks for something newer. */
int sized_read(void *out, size_t own, const void *given, size_t size, const char *what, uf_error *why);

/* Copies a struct of `own_size` bytes into one of the caller's. UF_EINVAL, and nothing was written: no such size. */
int sized_write(const void *own, size_t own_size, void *out, size_t out_size);

#endif
