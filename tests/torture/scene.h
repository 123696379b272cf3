/* SPDX-License-Identifier: MIT */
/*
 * Every command of the programs at work in a folder of its own, and what must hold after it, whatever went wrong on its
 * way: each file is the old one or the whole new one; nothing else is there; an error is one line that names the
 * program, with exit status 2; and what ends well did all of it, and printed what it prints otherwise.
 */
#ifndef UF_TORTURE_SCENE_H
#define UF_TORTURE_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "refuse.h"
#include "trace.h"

enum { MOST_FILES = 64, MOST_TARGETS = 4, MOST_CALLS = 4096 };

struct scene {
    const char *words;                 /* the command line, cut at spaces */
    const char *targets[MOST_TARGETS]; /* files that it writes, the one that others depend on last */
    unsigned is;                       /* or-ed: */
};

enum {
    RANDOM = 1, /* its output is another one each time */
    ONCE = 2,   /* it refuses to replace its target */
    SLOW = 4    /* left out of short runs */
};

/* A script that makes what there is before any scene. $UF is the program. */
extern const char scene_preparation[];

extern const struct scene scenes[];
extern const size_t scene_count;

/* A file as it was before. */
struct old_file {
    char name[64];
    struct bytes bytes;
    uint64_t inode, changed; /* when it is still the same file, these are, too */
};

struct stage {
    char program[4096]; /* ultrafilter; ultrafilter-lab is beside it */
    char preload[4096]; /* refuse.c */
    char folder[512];   /* with work/ in it, where commands run */
    char work[600];
    struct old_file old[MOST_FILES];
    size_t old_count;
    struct refusal *refusal; /* of the programs that run */
    /* Of the scene that is on: */
    const struct scene *scene;
    struct bytes made[MOST_TARGETS]; /* what it makes when nothing goes wrong */
    struct bytes printed;
    int status;           /* its exit status then */
    uint64_t allocations; /* and what it takes */
    unsigned calls;
    struct trace_call call[MOST_CALLS];
    uint64_t file_limit; /* on what it may write, 0: none */
    int out[2], err[2];  /* pipes: what a program prints, limits and full disks or not */
};

/* How a run came out. */
struct outcome {
    int status;                      /* as wait gives it */
    int fired;                       /* the plan was carried out */
    int killed;                      /* by us */
    const struct trace_call *struck; /* NULL: none */
    int code;                        /* the errno it was given */
    char how[128];                   /* for complaints */
};

/* Makes a folder with the files that scenes need. `under`: where, NULL for a place of the machine's own. */
void stage_open(struct stage *stage, const char *program, const char *preload, const char *under);
void stage_close(struct stage *stage);

/* Runs the scene as it should be, twice, and keeps what came of it. */
void stage_set(struct stage *stage, const struct scene *scene);

/* Puts every file back. */
void stage_reset(struct stage *stage);

/* Runs the scene's command once: with the refusal that is set, or under ptrace. */
struct outcome stage_run(struct stage *stage);
struct outcome stage_trace(struct stage *stage, const struct trace_plan *plan);

/* Looks at what is there now; complains. Returns 1 when all is well. */
int stage_check(struct stage *stage, const struct outcome *seen);

/* After a death: the next run of the command ends well, and leaves nothing behind. */
int stage_check_next(struct stage *stage, const struct outcome *before);

/* The commands that a program lists have scenes, all of them. Returns how many have none. */
unsigned stage_missing(const struct stage *stage);

/* Runs words as the scenes do, and waits; for preparations and sequences. The exit status, or -signal. */
int stage_command(struct stage *stage, const char *words);
/* The same, killed after so many microseconds. */
int stage_command_killed(struct stage *stage, const char *words, uint64_t microseconds);

#endif
