/* SPDX-License-Identifier: MIT */
/*
 * The payload of a file, chunk by chunk: each is compared with the file's table of checksums, then put where it
 * belongs. Every way to load goes through here: from a file or from memory, where the table is read first; in pieces as
 * they come, where it is last; and where the words stay in place, in a mapped file or in borrowed bytes.
 */
#ifndef UF_CHUNKS_H
#define UF_CHUNKS_H

#include "header.h"
#include "payload.h"

struct chunks {
    struct payload payload;
    uint64_t start;             /* where the payload begins in the file */
    const unsigned char *table; /* the file's: 8 bytes for each chunk; borrowed */
    struct progress *progress;  /* borrowed */
    uf_error *why;              /* of the thread that fails first; the others stay silent */
    int failed;
};

/* Chunks are read and checked in runs, while they are still in cache from the reading. */
enum { CHUNKS_PER_PIECE = 16 };

static inline size_t chunks_pieces(uint64_t payload)
{
    return (chunk_count(payload) + CHUNKS_PER_PIECE - 1) / CHUNKS_PER_PIECE;
}

/* The run of a piece: from `first` to before the chunk that is returned. */
size_t chunks_of_piece(const struct chunks *chunks, size_t piece, size_t *first);

static inline size_t chunks_table_bytes(uint64_t payload)
{
    return 8 * chunk_count(payload) + 8;
}

/* The table's own checksum, at its end. */
int chunks_check_table(const unsigned char *table, uint64_t payload, uf_error *why);

/* Whether a chunk with this checksum is the one in the table. */
int chunks_check_sum(struct chunks *chunks, size_t chunk, uint64_t sum);

/* A chunk in file order, as it was read: into words of the filters, unless it was read there (payload_direct). */
int chunks_place(struct chunks *chunks, size_t chunk, uint64_t *words, int direct);

/* All chunks where they are, from `start`. */
int chunks_check_all(struct chunks *chunks, const unsigned char *start, unsigned threads);

/* The first that fails may say why. Returns the status of `why`. */
int chunks_fail(struct chunks *chunks, const uf_error *why);

/* After a piece. UF_ECANCELED when the progress callback asks to stop. */
int chunks_tell(struct chunks *chunks, size_t piece);

#endif
