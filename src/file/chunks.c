/* SPDX-License-Identifier: MIT */
#include "chunks.h"

#include "bits.h"
#include "checksum.h"
#include "parallel.h"
#include "status.h"

int chunks_fail(struct chunks *chunks, const uf_error *why)
{
    if (!__atomic_exchange_n(&chunks->failed, 1, __ATOMIC_RELAXED) && chunks->why)
        *chunks->why = *why;
    return why->status;
}

size_t chunks_of_piece(const struct chunks *chunks, size_t piece, size_t *first)
{
    size_t all = chunk_count(chunks->payload.bytes), end = (piece + 1) * CHUNKS_PER_PIECE;
    *first = piece * CHUNKS_PER_PIECE;
    return end < all ? end : all;
}

int chunks_tell(struct chunks *chunks, size_t piece)
{
    size_t first, end = chunks_of_piece(chunks, piece, &first);
    uint64_t from = (uint64_t)first * CHUNK_BYTES, to = (uint64_t)end * CHUNK_BYTES;
    uf_error why;
    to = to < chunks->payload.bytes ? to : chunks->payload.bytes;
    if (progress_add(chunks->progress, to - from) == UF_OK)
        return UF_OK;
    (void)progress_stopped(chunks->progress, &why);
    return chunks_fail(chunks, &why);
}

int chunks_check_table(const unsigned char *table, uint64_t payload, uf_error *why)
{
    size_t count = chunk_count(payload);
    struct reader sum = {table + 8 * count, 8, 0};
    if (checksum(table, 8 * count, count) == read_uint(&sum, 8))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: the checksum of the table of checksums does not fit");
}

int chunks_check_sum(struct chunks *chunks, size_t chunk, uint64_t sum)
{
    struct reader stored = {chunks->table + 8 * chunk, 8, 0};
    uint64_t at = chunks->start + (uint64_t)chunk * CHUNK_BYTES;
    uf_error why;
    if (sum == read_uint(&stored, 8))
        return UF_OK;
    (void)fail(&why, UF_EFORMAT, "is damaged: the checksum of bytes %llu to %llu does not fit", (unsigned long long)at,
               (unsigned long long)(at + chunk_size(chunks->payload.bytes, chunk) - 1));
    return chunks_fail(chunks, &why);
}

int chunks_place(struct chunks *chunks, size_t chunk, uint64_t *words, int direct)
{
    size_t bytes = chunk_size(chunks->payload.bytes, chunk);
    uf_error why;
    bits_swap(words, bytes / 8);
    if (direct || payload_scatter(&chunks->payload, (uint64_t)chunk * CHUNK_BYTES, bytes, (unsigned char *)words))
        return UF_OK;
    (void)fail(&why, UF_EFORMAT, "is damaged: there is something between the filters inside");
    return chunks_fail(chunks, &why);
}

struct in_place {
    struct chunks *chunks;
    const unsigned char *start;
};

static int check_piece(void *arg, size_t piece)
{
    const struct in_place *all = arg;
    size_t chunk, end = chunks_of_piece(all->chunks, piece, &chunk);
    int status = UF_OK;
    for (; status == UF_OK && chunk < end; chunk++) {
        size_t bytes = chunk_size(all->chunks->payload.bytes, chunk);
        status = chunks_check_sum(all->chunks, chunk, checksum(all->start + chunk * CHUNK_BYTES, bytes, chunk));
    }
    return status == UF_OK ? chunks_tell(all->chunks, piece) : status;
}

int chunks_check_all(struct chunks *chunks, const unsigned char *start, unsigned threads)
{
    struct in_place all = {chunks, start};
    return parallel_for(threads, chunks_pieces(chunks->payload.bytes), check_piece, &all);
}
