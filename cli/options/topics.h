/* SPDX-License-Identifier: MIT */
/* The pages of docs/, which are part of the program: 'ultrafilter help privacy'. */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include <stdbool.h>
#include <stdio.h>

struct topic {
    const char *name;         /* "privacy", of docs/privacy.md */
    const char *title;        /* its first heading */
    const char *const *lines; /* closed by NULL */
};

extern const struct topic topics[]; /* closed by a NULL name; made by tools/embed */

/* Prints a page, or with "privacy#dpset" one section of it; "docs/privacy.md#dpset", as claims cite it, is the same.
 * false: there is none of that name. */
bool topic_print(FILE *out, const char *wanted);

#endif
