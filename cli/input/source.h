/* SPDX-License-Identifier: MIT */
/*
 * Bytes to read: of a file, a pipe, standard input. Each is opened and read once, since what was read from a pipe is
 * gone. What they are is seen from how they begin (content.h); the bytes looked at come again with the first read. What
 * is compressed is unpacked on the way (unpack.h), and `content` is then what came out.
 */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "content.h"

struct unpacking;

struct source {
    int fd;           /* -1: not open */
    const char *path; /* as it was given, "-" for standard input; borrowed */
    const char *name; /* for messages */
    bool regular;     /* a plain file: its size is known, it can be read twice, reading never waits */
    int64_t start;    /* where reading began */
    uint64_t bytes;   /* from there to the end; 0 when not known */
    uint64_t taken;   /* of these so far */
    const struct content *content;
    struct unpacking *unpacking; /* NULL: the bytes come as they are */
    int raw_fd;                  /* of the compressed file then */
    size_t head_size, head_at;
    unsigned char head[CONTENT_HEAD]; /* what was looked at and must come again; not of a regular file */
};

/* Opens the file at `path`, standard input being "-". `what` is what it should be, "the keys". EXIT_FINE, or EXIT_ERROR
 * after a message. */
int source_open(const char *path, const char *what, struct source *out);
/* The same with every byte as it is: nothing is unpacked. */
int source_open_raw(const char *path, const char *what, struct source *out);

/* Bytes that are at hand, copied; `name` is what messages call them. */
int source_open_bytes(const char *name, const void *data, size_t size, struct source *out);

/* A plain file that whoever has its path can open. */
bool source_is_file(const struct source *source);

/* The next bytes, as many as there are at once. 0 at the end, -1 after a message. */
ssize_t source_read(struct source *source, void *out, size_t size);
/* The same without a message: errno. */
ssize_t source_fetch(struct source *source, void *out, size_t size);

/* What follows `ahead` bytes further on in a plain file, without moving: as many as there are, 0 where it is none. */
size_t source_peek(const struct source *source, uint64_t ahead, void *out, size_t size);

/* The next `size` bytes of a plain file, for another thread to read: they count as read, and it gets a descriptor of
 * its own, which it closes, and where they begin. -1 where that cannot be. */
int source_lend(struct source *source, size_t size, int64_t *at);

/* All that is left, in memory that the caller frees, also after an error. EXIT_FINE, or EXIT_ERROR after a message. */
int source_read_all(struct source *source, char **data, size_t *size);

/* How many bytes of the file, as it lies there, were read so far. */
uint64_t source_taken(const struct source *source);

/* Back to the start of a regular one. EXIT_FINE, or EXIT_ERROR after a message. */
int source_rewind(struct source *source);

/* Of one that is not open, too. */
void source_close(struct source *source);

#endif
