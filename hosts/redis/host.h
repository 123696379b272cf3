/* SPDX-License-Identifier: MIT */
/* What every file of the module sees: Redis' module interface, the library, and the names of the module itself. */
#ifndef UFR_HOST_H
#define UFR_HOST_H

#include <redismodule.h>

#include "ultrafilter.h"

#define MODULE_NAME "ultrafilter"
#define TYPE_NAME "uf-filter" /* nine characters, in RDB files: never another */
enum { MODULE_VERSION = 1, TYPE_VERSION = 1 };

/* Bytes that go over the wire, or into a file, in one piece at most. */
enum { PIECE = 1 << 20 };

/* What takes longer than about a millisecond goes to a thread: passes over so many bytes. */
enum { QUICK_BYTES = 4 << 20 };

#endif
