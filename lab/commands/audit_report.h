/* SPDX-License-Identifier: MIT */
/* How the result of an audit is said, in words and as JSON. */
#ifndef LAB_AUDIT_REPORT_H
#define LAB_AUDIT_REPORT_H

#include <stdbool.h>

#include "audit.h"

struct question {
    char name[2 * sizeof(uf_spec) + 16];
    struct audit audit;
    bool own_claim;     /* the filter's, not --claim */
    bool presence_only; /* nickel */
};

/* Each prints and returns the exit status: EXIT_FINE, EXIT_NONE for a claim that is violated, EXIT_ERROR, or
 * EXIT_NO_POWER. */
enum { EXIT_NO_POWER = 3 };
int audit_report_worlds(const struct question *question, const struct audit_worlds *worlds, int json);
int audit_report_run(const struct question *question, const struct audit_run *run, int json);

#endif
