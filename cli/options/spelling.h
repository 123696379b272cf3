/* SPDX-License-Identifier: MIT */
/* "Did you mean": the nearest of some names to what was typed. */
#ifndef CLI_SPELLING_H
#define CLI_SPELLING_H

#include <stddef.h>

struct suggestion {
    const char *typed;
    const char *best; /* NULL while nothing is near enough */
    size_t distance;
};

/* Keeps `name` when it is the nearest so far. `name` must outlive the suggestion. */
void suggestion_consider(struct suggestion *suggestion, const char *name);

#endif
