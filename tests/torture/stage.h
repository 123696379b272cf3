/* SPDX-License-Identifier: MIT */
/* The folder that commands work in, and the files that were there before: what scene.c and its checks share. */
#ifndef UF_TORTURE_STAGE_H
#define UF_TORTURE_STAGE_H

#include "scene.h"

/* The path of a file of the folder. The text lives until the next call but three. */
const char *stage_path(const struct stage *stage, const char *name);

/* A whole file; nothing when there is none. */
struct bytes stage_read(const char *path);

/* Calls `each` for every name in the folder. */
void stage_walk(struct stage *stage, void (*each)(struct stage *stage, const char *name, void *arg), void *arg);

/* For stage_walk: the file is one of those that were there before. */
void stage_keep(struct stage *stage, const char *name, void *arg);

/* The file of that name that was there before, or NULL. */
const struct old_file *stage_old(const struct stage *stage, const char *name);

/* Nobody has written to it, or put another one in its place. */
int stage_is_untouched(const struct stage *stage, const struct old_file *file);

/* The old file is there, be it the same or another with its bytes. */
int stage_is_old(const struct stage *stage, const struct old_file *file);

/* Which of the targets of the scene that is, or -1. */
int stage_target(const struct stage *stage, const char *name);

/* Empties a pipe. */
struct bytes stage_drain(int fd);

/* The exit status, or -signal. */
int stage_code(int status);

#endif
