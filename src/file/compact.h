/* SPDX-License-Identifier: MIT */
/*
 * Compact values: the same file with its header packed, for filters that are stored as values, many of them small, and
 * are not mapped. Nothing else differs, so that one parser reads both: a packed header is unpacked into the page that
 * the file has, and that page is read.
 *
 *     offset  size
 *     0       8     magic 89 55 46 43 0D 0A 1A 0A
 *     8       8     checksum of the file's header, its bytes 4088 to 4095
 *     16      2     bytes of this header, a multiple of 8
 *     18            bytes 8 to 4087 of the file's header, in words of 8 up to the last that is not zero: of each word a
 *                   byte of flags, whose bit i says that byte i is not zero, then those bytes
 *                   zeros up to a multiple of 8
 *
 * The last byte of a packed word is never zero, unless all of the word is: so the zeros at the end are told from words.
 * There is one way to pack a page, and a reader refuses others. A bloom or blocked filter of ten keys has 56 bytes.
 */
#ifndef UF_COMPACT_H
#define UF_COMPACT_H

#include "header.h"

enum {
    COMPACT_LEAST = 24,                              /* so many bytes tell how long the header is */
    COMPACT_MOST = 18 + (HEADER_BYTES - 16) / 8 * 9, /* a multiple of 8 */
};

/* What a file begins with, in either form. */
struct file_start {
    unsigned char page[HEADER_BYTES]; /* the header, unpacked */
    size_t bytes;                     /* of the header as it is in the file; the payload follows */
};

/* Of a file that has so many bytes as it is: those that it has, or would have, when it is not compact. */
static inline uint64_t start_full_bytes(const struct file_start *start, uint64_t bytes)
{
    return bytes - start->bytes + HEADER_BYTES;
}

/* How many bytes its header has, by the first COMPACT_LEAST bytes of a file. What is not compact has HEADER_BYTES. */
int start_size(const unsigned char first[COMPACT_LEAST], size_t *out, uf_error *why);

/* From that many bytes. The checksum was not looked at. */
int start_read(const unsigned char *header, size_t bytes, struct file_start *out, uf_error *why);

/* What the header says of the whole file as it is, for whoever does not have that yet. Checks its checksum. */
int start_file_bytes(const struct file_start *start, uint64_t *out, uf_error *why);

/* Packs a page. Returns the bytes. */
size_t compact_write(const unsigned char page[HEADER_BYTES], unsigned char out[COMPACT_MOST]);

#endif
