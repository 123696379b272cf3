/* SPDX-License-Identifier: MIT */
/* "Did you mean": the nearest of some names to what was typed. */
#ifndef CLI_GUESS_H
#define CLI_GUESS_H

#include <stddef.h>

struct guess {
    const char *typed;
    const char *best; /* NULL while nothing is near enough */
    size_t distance;
};

/* Keeps `name` when it is the nearest so far. `name` must outlive the guess. */
void guess_consider(struct guess *guess, const char *name);

#endif
