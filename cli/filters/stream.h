/* SPDX-License-Identifier: MIT */
/* Filters that go to a pipe: standard output, written "-", or one that has a name. A filter comes whole or, when
 * writing fails, cut off, which whoever loads it notices. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "ultrafilter.h"

/* The path is no file that could be replaced, locked or looked at. */
bool stream_is(const char *path);

/* What reports call it. */
const char *stream_name(const char *path);

/* Refuses a terminal. EXIT_FINE, or EXIT_ERROR after a message. */
int stream_check(const char *path);

/* Writes the filter. Once it went to standard output, what is printed goes to stderr instead. */
int stream_save(const uf_filter *filter, const char *path, unsigned how);

/* Of the last one. */
uint64_t stream_bytes(void);

#endif
