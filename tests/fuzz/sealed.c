/* SPDX-License-Identifier: MIT */
#include "sealed.h"

#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "compact.h"
#include "wire.h"

enum { NODE_AT = 48, KEEPS_CR = 256, NOTE = 512 };

void sealed_put(unsigned char *at, uint64_t value, unsigned bytes)
{
    struct writer writer = {at, bytes, 0};
    write_uint(&writer, value, bytes);
}

/* Whether the minor version is 0, and no feature is set that a library need not know, or that only some kinds keep. */
static int is_plain(const unsigned char *page)
{
    struct reader minor = {page + 10, 2, 0}, features = {page + 16, 4, 0};
    return !read_uint(&minor, 2) && !(read_uint(&features, 4) & ~(uint64_t)(KEEPS_CR | NOTE));
}

static void seal_header(unsigned char *page, unsigned how, size_t header, size_t payload)
{
    if (!(how & SEALED_SIZES)) {
        sealed_put(page + 20, HEADER_BYTES, 4);
        sealed_put(page + 24, file_bytes_of(payload), 8);
        sealed_put(page + 32, payload, 8);
        sealed_put(page + 40, CHUNK_BYTES, 4);
    }
    if (!(how & SEALED_NODES) && header > NODE_AT - 8)
        sealed_put(page + 44, header - (NODE_AT - 8), 4);
    sealed_put(page + HEADER_BYTES - 8, checksum(page, HEADER_BYTES - 8, 0), 8);
}

static void seal_payload(const unsigned char *payload, size_t bytes, unsigned char *table)
{
    size_t chunks = chunk_count(bytes);
    for (size_t i = 0; i < chunks; i++)
        sealed_put(table + 8 * i, checksum(payload + i * CHUNK_BYTES, chunk_size(bytes, i), i), 8);
    sealed_put(table + 8 * chunks, checksum(table, 8 * chunks, chunks), 8);
}

struct sealed sealed_filter(struct tape *tape, unsigned how)
{
    unsigned char page[HEADER_BYTES] = {0}, packed[COMPACT_MOST];
    const uint8_t *header, *payload;
    size_t wanted = (size_t)tape_number(tape, 2) % (HEADER_BYTES - 16);
    size_t header_bytes = tape_take(tape, wanted, &header), bytes = tape_take(tape, SEALED_MOST, &payload);
    size_t start = HEADER_BYTES, table = 8 * chunk_count(bytes) + 8;
    memcpy(page, HEADER_MAGIC, MAGIC_BYTES);
    if (header_bytes)
        memcpy(page + MAGIC_BYTES, header, header_bytes);
    seal_header(page, how, header_bytes, bytes);
    if (how & SEALED_COMPACT)
        start = compact_write(page, packed);
    struct sealed file = {.size = start + bytes + table, .plain = is_plain(page)};
    fuzz_check(!posix_memalign((void **)&file.data, 64, file.size));
    memcpy(file.data, how & SEALED_COMPACT ? packed : page, start);
    if (bytes)
        memcpy(file.data + start, payload, bytes);
    seal_payload(file.data + start, bytes, file.data + start + bytes);
    return file;
}

size_t sealed_head(const uint8_t *data, size_t size, size_t from)
{
    struct tape tape = {data + from, size > from ? size - from : 0};
    return from + 2 + (size_t)tape_number(&tape, 2) % (HEADER_BYTES - 16);
}
