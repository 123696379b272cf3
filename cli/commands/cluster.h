/* SPDX-License-Identifier: MIT */
/* What the files of `cluster` share: its actions, each of which returns the exit status. */
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H

#include "args.h"

/* -q: of `query` that of grep, of the others no line about the result. */
extern const struct option option_cluster_quiet;

int cluster_create(const struct args *args);
int cluster_load(const struct args *args);
int cluster_add(const struct args *args);
int cluster_query(const struct args *args);
int cluster_info(const struct args *args);
int cluster_save(const struct args *args);

#endif
