/* SPDX-License-Identifier: MIT */
/* What a file is, by how it begins: a filter, a model, a compressed file, something of another program, or text. */
#ifndef CLI_CONTENT_H
#define CLI_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

enum content_type {
    CONTENT_OTHER, /* nothing that is known: keys, as a rule */
    CONTENT_FILTER,
    CONTENT_DCSO,
    CONTENT_MODEL,
    CONTENT_SECRET, /* a master key */
    CONTENT_GZIP,
    CONTENT_XZ,
    CONTENT_ZSTD,
    CONTENT_BZIP2,
    CONTENT_UTF8_MARK, /* text after a byte order mark */
    CONTENT_FOREIGN    /* bytes of another program that are no list */
};

struct content {
    enum content_type type;
    const char *what; /* "a zip archive" */
    const char *hint; /* what to do about it where keys are wanted; NULL: nothing */
};

/* How much of the beginning is looked at. */
enum { CONTENT_HEAD = 512 };

/* Never NULL. */
const struct content *content_of(const void *head, size_t size);

/* There may be more to it than these few bytes: one of the beginnings that are known starts with them. */
bool content_undecided(const void *head, size_t size);

static inline bool content_is_filter(const struct content *content)
{
    return content->type == CONTENT_FILTER || content->type == CONTENT_DCSO;
}

static inline bool content_is_packed(const struct content *content)
{
    return content->type >= CONTENT_GZIP && content->type <= CONTENT_BZIP2;
}

#endif
