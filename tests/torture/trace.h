/* SPDX-License-Identifier: MIT */
/*
 * A program under ptrace, one of whose system calls fails, is cut short, or is its last. Calls are numbered from 1, in
 * all of its threads and its children, from where the preloaded refuse.c says that the program begins: whatever library
 * makes them, stdio's own among them.
 */
#ifndef UF_TORTURE_TRACE_H
#define UF_TORTURE_TRACE_H

#include <sys/types.h>

enum trace_what { TRACE_NOTHING, TRACE_ERROR, TRACE_SHORT, TRACE_KILL };

struct trace_plan {
    enum trace_what what;
    unsigned at; /* which call */
    int code;    /* errno of TRACE_ERROR */
    /* Only such calls count, unless `number` is 0: about a path with `path` in it, or about an fd of one, but for the
     * standard ones. So a call is met, whatever the threads do. */
    long number;
    const char *path;
};

/* What the call was that was struck, or one of a list. */
struct trace_call {
    long number;    /* SYS_... */
    int fd;         /* that it is about, or -1 */
    int writes;     /* an fd that is open for writing */
    char path[256]; /* that it is about: of the fd, or its argument; empty: none */
};

struct trace_result {
    int status; /* as wait gives it */
    unsigned calls;
    int fired;
    struct trace_call struck;
};

/* Runs a program to its end. `each`, unless it is NULL, sees every call before it is made. */
struct trace_result trace_run(void (*start)(void *arg), void *arg, const struct trace_plan *plan,
                              void (*each)(void *list, const struct trace_call *call), void *list);

/* The name of a call that trace_codes knows, else NULL. */
const char *trace_name(long number);

/* What a call may fail with, ended by 0: its own list, or one for all. NULL: it is left alone, as nothing but a broken
 * kernel fails it. */
const int *trace_codes(long number);

/* Moves bytes and may move fewer. */
int trace_may_be_short(long number);

#endif
