/* SPDX-License-Identifier: MIT */
/* Results on stdout, for people and as JSON. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>
#include <stdbool.h>

#include "ultrafilter.h"

/* Before anything is reported. */
void report_open(void);

/* JSON values that always exist: null for NaN, and '?' where a name is not UTF-8. */
json_t *report_number(double value);
json_t *report_text(const char *text);

json_t *report_claim(const uf_claim *claim);

/* Prints the object and frees it. NULL, as json_pack gives it, is an error, and so is any part of it that there was no
 * memory for. */
int report_json(json_t *object);

/* Bytes as they are, past what is buffered. EXIT_FINE, or EXIT_ERROR after a message. */
int report_write(const char *data, size_t size);

/* Whether all of it has gone out so far. What went wrong is said by report_close. */
bool report_flush(void);

/* Flushes and closes stdout: the last chance to notice a full disk. */
int report_close(void);

#endif
