/* SPDX-License-Identifier: MIT */
/*
 * A value as a run of pieces, each PIECE bytes at most, and back:
 *
 *     first piece   "UFR1", number of filters (1 byte), 3 zeros, figures (8 bytes each, little-endian)
 *     the others    the .uf files of its filters, one behind the other (docs/format.md)
 *
 * RDB files, append-only files, replicas and BF.SCANDUMP get the same pieces, and all of them come back through the
 * library's own validating loader: no other parser sees bytes from outside.
 */
#ifndef UFR_IMAGE_H
#define UFR_IMAGE_H

#include "value.h"

enum { IMAGE_MAGIC = 4, IMAGE_START = 8, IMAGE_FIRST = IMAGE_START + 8 * FIGURES };

/* Hands all pieces to `put`, which returns 0 or stops it. */
int image_write(const struct value *value, int (*put)(void *arg, const void *data, size_t bytes), void *arg,
                uf_error *why);

/* The other way: pieces in order, of any size but the first. */
struct image;
struct image *image_new(void);
/* For one filter that will go over into another value. */
struct image *image_beside(struct value *other);
int image_feed(struct image *image, const void *data, size_t bytes, uf_error *why);
/* 1 when nothing is missing any more. */
int image_complete(const struct image *image);
/* 1 when these bytes, fed next, would be the last. */
int image_ends_with(const struct image *image, const void *data, size_t bytes);
/* Bytes that came behind the first piece. */
uint64_t image_received(const struct image *image);
/* Hands out the value, or says what is missing. The image is empty afterwards. */
int image_finish(struct image *image, struct value **out, uf_error *why);
void image_free(struct image *image);

/* For a .uf file, which has no first piece: figures come from the filter. */
void image_start_plain(struct image *image);

#endif
