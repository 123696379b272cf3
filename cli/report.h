/* SPDX-License-Identifier: MIT */
/* Results on stdout, for people and as JSON. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <jansson.h>
#include <stdint.h>

#include "args.h"
#include "ultrafilter.h"

/* JSON values that always exist: null for NaN, and '?' where a name is not UTF-8. */
json_t *report_number(double value);
json_t *report_text(const char *text);

json_t *report_claim(const uf_claim *claim);

/* Prints the object and frees it; NULL, as json_pack gives it, is an error. */
int report_json(json_t *object);

/* A filter that was written: one line, or JSON, or with -q nothing; and a warning when it holds more
 * keys than it was planned for. `number` of `noun` were `done`: "3 keys added", which is `field` in JSON. */
struct report_written {
    const char *path;
    const uf_filter *filter;
    uint64_t number;
    const char *noun, *done, *field;
};
int report_written(const struct args *args, const struct report_written *result);

/* The same with what else became of the keys, `count` numbers of it: ", 2 not in it", which is `field` in JSON. */
struct report_extra {
    uint64_t number;
    const char *words, *field;
};
int report_changed(const struct args *args, const struct report_written *result, const struct report_extra *extra,
                   size_t count);

/* Flushes and closes stdout: the last chance to notice a full disk. */
int report_close(void);

#endif
