/* SPDX-License-Identifier: MIT */
/*
 * Keys from a file or a pipe, block by block, worked on by several threads in constant memory.
 * A key is what stands before each separator; a last key without one counts too.
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "ultrafilter.h"

struct keys_input {
    int fd;
    const char *name; /* for messages */
    char separator;
    bool regular;   /* a plain file: its size is known, it can be read twice, reading never waits */
    int64_t start;  /* where reading began */
    uint64_t bytes; /* from there to the end; 0 when not known */
};

/* What ends a key: a newline, or with -0 a NUL byte. */
char keys_separator(const struct args *args);

/* Opens the file at `path`, standard input being "-". EXIT_FINE, or EXIT_ERROR after a message. */
int keys_open(const char *path, char separator, struct keys_input *out);
int keys_rewind(const struct keys_input *input);
void keys_close(struct keys_input *input);

/* Whole keys, each with its separator. The worker that has it may change it. */
struct keys_block {
    char *data;
    size_t size;
    char separator;
    uint64_t keys, hits; /* set by the worker, summed up by keys_run */
};

enum keys_verdict { KEYS_GO_ON, KEYS_STOP, KEYS_FAILED };

/* Called with one block after the other, by several threads at once. */
typedef enum keys_verdict keys_worker(void *arg, struct keys_block *block);

struct keys_job {
    keys_worker *work;
    void *arg;
    unsigned threads;
    bool print; /* what the worker leaves in the block goes to stdout, in the order of the input */
};

struct keys_totals {
    uint64_t keys, hits;
};

/* EXIT_FINE, or EXIT_ERROR after a message; a worker that says KEYS_FAILED gives its own. */
int keys_run(const struct keys_input *input, const struct keys_job *job, struct keys_totals *totals);

/* Counts the keys without looking at them, then rewinds. For a regular input. */
int keys_count(const struct keys_input *input, unsigned threads, uint64_t *count);

/* Cuts up to KEYS_BATCH keys off the block from *cursor on (NULL at first). 0 when none is left. */
enum { KEYS_BATCH = 512 };
size_t keys_next(const struct keys_block *block, const char **cursor, uf_key keys[KEYS_BATCH]);

#endif
