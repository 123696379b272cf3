/* SPDX-License-Identifier: MIT */
/* Master keys for tests, known ones, so that bytes can be compared. Freed by nobody but the sanitizer's exit. */
#ifndef UF_TEST_SECRETS_H
#define UF_TEST_SECRETS_H

#include "ultrafilter.h"

enum { SECRETS = 2, SECRET_LINE = 100 };

/* What is in the key files of the keys 0 and 1; key 0 has the bytes 00 01 ... 1f. */
extern const char *const secret_lines[SECRETS];

/* One of them; the same handle each time. */
const uf_secret *secret_number(unsigned number);

/* A context with key 0, otherwise the defaults. */
uf_context secret_context(void);

#endif
