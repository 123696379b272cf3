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
#include "keys_format.h"
#include "source.h"
#include "ultrafilter.h"

struct keys_input {
    struct source source; /* the file that is read now */
    const char *name;     /* for messages: its name */
    struct keys_format format;
    const char *path; /* the first file */
    char **more;      /* those after it; borrowed */
    size_t count, at; /* how many follow the first, and how many of them were opened */
    bool regular;     /* all of them are: their sizes are known, they can be read twice, reading never waits */
    uint64_t bytes;   /* of all; 0 when not known */
    uint64_t done;    /* of the files before this one */
    unsigned field;   /* of the key in this file; 0: all of a record */
    bool warned;      /* of carriage returns: once is enough */
};

/* Opens the file at `path`, standard input being "-"; or the keys of -e, and all files that the operands from `first`
 * on name, standard input when there are neither. EXIT_FINE, or EXIT_ERROR after a message. */
int keys_open_bytes(const char *path, const struct keys_format *format, struct source *out);
int keys_open(const char *path, const struct keys_format *format, struct keys_input *out);
int keys_open_operands(const struct args *args, size_t first, const struct keys_format *format, struct keys_input *out);
/* The same when the first of these is open already. It is closed with the input, or by an error. */
int keys_open_source(struct source *opened, const struct args *args, size_t first, const struct keys_format *format,
                     struct keys_input *out);

/* On to the next file. 0 when there is none, -1 after a message. */
int keys_next_file(struct keys_input *input);
int keys_rewind(struct keys_input *input);
void keys_close(struct keys_input *input);

/* Bytes of which more come. */
struct keys_text {
    char *data;
    size_t size, capacity;
};

/* 0 when there is no memory. */
int keys_text_add(struct keys_text *to, const char *data, size_t size);

/* Whole keys, each with its separator. The worker that has it may change it. */
struct keys_block {
    char *data;
    size_t size;
    const struct keys_format *format;
    unsigned field;         /* of the key; 0: all of a record */
    const char *name;       /* of the file that they are from */
    uint64_t line;          /* that the first of them is on, where it matters */
    char *scratch;          /* as many bytes, where keys are made and not only found */
    uint64_t returns;       /* carriage returns that were stripped */
    bool failed;            /* a record has no key; a message said so */
    uint64_t keys, hits;    /* set by the worker, summed up by keys_run */
    struct keys_text *text; /* empty; what the worker adds is printed behind the block */
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
    uint64_t keys, hits, returns;
};

/* EXIT_FINE, or EXIT_ERROR after a message; a worker that says KEYS_FAILED gives its own. */
int keys_run(struct keys_input *input, const struct keys_job *job, struct keys_totals *totals);

/* How often the separator stands there. */
uint64_t keys_count_lines(const char *data, size_t size, char separator);

/* Counts the keys without looking at them, then rewinds. For a regular input. */
int keys_count(struct keys_input *input, unsigned threads, uint64_t *count);

/* Cuts up to KEYS_BATCH keys off the block from *cursor on (NULL at first). 0 when none is left. */
enum { KEYS_BATCH = 512 };
size_t keys_next(struct keys_block *block, const char **cursor, uf_key keys[KEYS_BATCH]);
/* The same with the records that they are from, separators included. */
size_t keys_next_records(struct keys_block *block, const char **cursor, uf_key keys[KEYS_BATCH],
                         uf_key records[KEYS_BATCH]);

/* A record without what ends it: a separator, and a carriage return that is no part of the key. */
uf_key keys_record_text(const struct keys_format *format, uf_key record);

#endif
