/* SPDX-License-Identifier: MIT */
/* Text files with one address a line: the do-not-serve list, and what is asked. */
#ifndef GATE_LIST_H
#define GATE_LIST_H

#include "address.h"

/* Called for each address; `word` is the second word of its line, or NULL. Non-zero stops the reading. */
typedef int list_visit(void *arg, const struct address *address, const char *word);

/* Reads `path` ("-": standard input), skipping empty lines and those that begin with #. Says on stderr what is wrong,
 * with the number of the line, and returns non-zero when it fails. `what` names the list in messages. */
int list_read(const char *path, const char *what, list_visit *visit, void *arg);

#endif
