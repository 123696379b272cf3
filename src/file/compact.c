/* SPDX-License-Identifier: MIT */
#include "compact.h"

#include <string.h>

#include "status.h"
#include "wire.h"

#define COMPACT_MAGIC "\x89UFC\r\n\x1a\n"

enum { SIZE_AT = 16, WORDS_AT = 18, PAGE_AT = 8, PAGE_END = HEADER_BYTES - 8 };

static int is_compact(const unsigned char *first)
{
    return !memcmp(first, COMPACT_MAGIC, MAGIC_BYTES);
}

/* ---- to a page ---- */

int start_size(const unsigned char first[COMPACT_LEAST], size_t *out, uf_error *why)
{
    struct reader reader = {first + SIZE_AT, 2, 0};
    *out = is_compact(first) ? (size_t)read_uint(&reader, 2) : HEADER_BYTES;
    if (*out >= COMPACT_LEAST && *out <= COMPACT_MOST && *out % 8 == 0)
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: a compact header cannot have %zu bytes", *out);
}

/* One word of a page. Flags for a byte that is zero, or is not there, are bad. */
static int unpack_word(struct reader *packed, unsigned char word[8])
{
    uint64_t flags = read_uint(packed, 1);
    for (unsigned i = 0; i < 8; i++) {
        if (!(flags >> i & 1))
            continue;
        word[i] = (unsigned char)read_uint(packed, 1);
        if (!word[i])
            return 0;
    }
    return 1;
}

static int unpack(struct reader *packed, unsigned char page[HEADER_BYTES])
{
    for (size_t at = PAGE_AT; packed->left; at += 8)
        if (at == PAGE_END || !unpack_word(packed, page + at))
            return 0;
    return 1;
}

/* Without the zeros behind the words, of which there are as few as can be. */
static int drop_padding(struct reader *packed)
{
    size_t all = packed->left;
    while (packed->left && !packed->at[packed->left - 1])
        packed->left--;
    return packed->left && all - packed->left < 8;
}

static int compact_read(const unsigned char *header, size_t bytes, unsigned char page[HEADER_BYTES], uf_error *why)
{
    struct reader size = {header + SIZE_AT, 2, 0}, packed = {header + WORDS_AT, bytes - WORDS_AT, 0};
    memset(page, 0, HEADER_BYTES);
    memcpy(page, HEADER_MAGIC, MAGIC_BYTES);
    memcpy(page + PAGE_END, header + 8, 8);
    if (read_uint(&size, 2) == bytes && drop_padding(&packed) && unpack(&packed, page))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is damaged: its compact header is not packed as it should be");
}

int start_read(const unsigned char *header, size_t bytes, struct file_start *out, uf_error *why)
{
    out->bytes = bytes;
    if (is_compact(header))
        return compact_read(header, bytes, out->page, why);
    memcpy(out->page, header, HEADER_BYTES);
    return UF_OK;
}

int start_file_bytes(const struct file_start *start, uint64_t *out, uf_error *why)
{
    int status = header_file_bytes(start->page, out, why);
    *out += (uint64_t)start->bytes - HEADER_BYTES; /* below 0 for a size that header_read refuses */
    return status;
}

/* ---- from a page ---- */

static void pack_word(const unsigned char word[8], struct writer *out)
{
    struct writer flags = *out;
    unsigned set = 0;
    write_uint(out, 0, 1);
    for (unsigned i = 0; i < 8; i++) {
        if (!word[i])
            continue;
        set |= 1u << i;
        write_uint(out, word[i], 1);
    }
    write_uint(&flags, set, 1);
}

size_t compact_write(const unsigned char page[HEADER_BYTES], unsigned char out[COMPACT_MOST])
{
    struct writer words = {out + WORDS_AT, COMPACT_MOST - WORDS_AT, 0}, size = {out + SIZE_AT, 2, 0};
    size_t end = PAGE_END;
    while (end > PAGE_AT && !page[end - 1])
        end--;
    memset(out, 0, COMPACT_MOST);
    memcpy(out, COMPACT_MAGIC, MAGIC_BYTES);
    memcpy(out + 8, page + PAGE_END, 8);
    for (size_t at = PAGE_AT; at < end; at += 8)
        pack_word(page + at, &words);
    const size_t bytes = (COMPACT_MOST - words.left + 7) / 8 * 8;
    write_uint(&size, bytes, 2);
    return bytes;
}
