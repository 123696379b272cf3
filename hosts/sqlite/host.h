/* SPDX-License-Identifier: MIT */
/* What every file of the extension starts with. extension.c has the pointer to SQLite's functions. */
#ifndef ULTRAFILTER_SQLITE_HOST_H
#define ULTRAFILTER_SQLITE_HOST_H

#include <sqlite3ext.h>

#include "ultrafilter.h"

extern const sqlite3_api_routines *sqlite3_api;

#endif
