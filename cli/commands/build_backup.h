/* SPDX-License-Identifier: MIT */
#ifndef CLI_BUILD_BACKUP_H
#define CLI_BUILD_BACKUP_H

#include "args.h"
#include "ultrafilter.h"

extern const struct option option_backup_of;

/* What does not go with it, and the whole of `build --backup-of`. */
int build_backup_check(const struct args *args);
int build_backup(const struct args *args, const uf_context *context);

#endif
