/* SPDX-License-Identifier: MIT */
/* The report of a command that wrote a filter. */
#ifndef CLI_WRITTEN_H
#define CLI_WRITTEN_H

#include <stdint.h>

#include "args.h"
#include "ultrafilter.h"

/* A filter that was written: one line, or JSON, or with -q nothing; and a warning when it holds more
 * keys than it was planned for. `number` of `noun` were `done`: "3 lines added", which is `field` in JSON. */
struct report_written {
    const char *path;
    const uf_filter *filter;
    uint64_t number;
    const char *noun, *done, *field;
    bool changed; /* it was a filter before: its rate may be any */
    bool silent;  /* stdout is for something else */
};
int report_written(const struct args *args, const struct report_written *result);

/* The same with what else became of the keys, `count` numbers of it: ", 2 not in it", which is `field` in JSON. */
struct report_extra {
    uint64_t number;
    const char *words, *field;
};
int report_changed(const struct args *args, const struct report_written *result, const struct report_extra *extra,
                   size_t count);

/* Does it hold more keys than it was planned for, by more than chance explains? */
bool report_is_overfull(const uf_info *info);

#endif
