/* SPDX-License-Identifier: MIT */
/*
 * Lists of keys, as the command line reads them: lines, NUL-separated, fields, columns, hexadecimal digits, base64,
 * bytes of one width. The input: u8 of ways · u8 of the field · u8 of the step · the bytes of the file. With step 0 the
 * whole engine reads a file; otherwise the records are cut from pieces of that many bytes, and must be those of one
 * piece.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "message.h"
#include "record.h"

enum { MOST_BYTES = 1 << 16 };

static struct keys_format format_of(unsigned ways, unsigned field)
{
    static const char delimiters[4] = {',', ';', '\t', '|'};
    struct keys_format format = {.separator = ways & 1 ? '\0' : '\n', .delimiter = delimiters[field >> 4 & 3]};
    format.crlf = (enum keys_choice)(ways >> 1 & 3);
    format.bom = format.crlf;
    format.coding = (enum keys_coding)((ways >> 3 & 3) % 3);
    format.normal = ways >> 5 & 3;
    if (field >= 192)
        format.width = 1 + field % 16;
    else if ((field & 15) == 15)
        format.column = "name";
    else
        format.field = field & 15;
    if (format.width) {
        format.field = 0;
        format.coding = CODING_NONE;
    }
    format.raw = ways >> 7 & 1;
    return format;
}

/* What came of a list: how many keys, and a hash of all of them, in which order and length count. */
struct found {
    uint64_t keys, bytes, hash;
};

static void note(struct found *found, const uf_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *byte = keys[i].data;
        for (size_t j = 0; j < keys[i].size; j++)
            found->hash = (found->hash ^ byte[j]) * UINT64_C(0x100000001b3);
        found->hash = (found->hash ^ 256) * UINT64_C(0x100000001b3);
        found->bytes += keys[i].size;
    }
    found->keys += count;
}

static void take_block(struct keys_block *block, struct found *found)
{
    uf_key keys[KEYS_BATCH];
    const char *cursor = NULL;
    for (size_t count; (count = keys_next(block, &cursor, keys));)
        note(found, keys, count);
    fuzz_plant(block->format->coding == CODING_BASE64 && block->field == 2, found->keys == 3);
}

/* ---- the engine ---- */

static enum keys_verdict work(void *arg, struct keys_block *block)
{
    struct found *found = arg;
    const uint64_t before = found->keys;
    take_block(block, found);
    block->keys = found->keys - before;
    return KEYS_GO_ON;
}

static void read_file(const struct keys_format *format, const uint8_t *data, size_t size)
{
    struct found found = {0, 0, 0};
    const struct keys_job job = {.work = work, .arg = &found, .threads = 1};
    struct keys_totals totals;
    struct keys_input input;
    if (keys_open(fuzz_file(data, size), format, &input))
        return;
    fuzz_check(keys_run(&input, &job, &totals) || totals.keys == found.keys);
    keys_close(&input);
}

/* ---- pieces ---- */

/* A block from the front of the buffer, in memory of exactly its size. 0 when a record has no key. */
static int cut_block(const struct keys_format *format, const char *data, size_t size, struct found *found)
{
    struct keys_block block = {.data = malloc(size), .size = size, .format = format, .field = format->field};
    block.name = "list";
    block.scratch = malloc(size);
    fuzz_check(block.data && block.scratch);
    memcpy(block.data, data, size);
    take_block(&block, found);
    free(block.data);
    free(block.scratch);
    return !block.failed;
}

/* 0 when a record has no key, or the last one is not whole. */
static int read_pieces(const struct keys_format *format, const uint8_t *data, size_t size, size_t step,
                       struct found *out)
{
    static char buffer[MOST_BYTES + 1];
    struct record_search search = {0, 0};
    size_t used = 0;
    *out = (struct found){0, 0, 0};
    for (size_t at = 0; at < size; at += step) {
        const size_t more = size - at < step ? size - at : step;
        memcpy(buffer + used, data + at, more);
        used += more;
        size_t whole = record_end(format, &search, buffer, used);
        fuzz_check(whole <= used);
        if (whole && !cut_block(format, buffer, whole, out))
            return 0;
        memmove(buffer, buffer + whole, used - whole);
        used -= whole;
    }
    if (used && format->width)
        return 0;
    if (used)
        buffer[used++] = format->separator;
    return !used || cut_block(format, buffer, used, out);
}

int fuzz_lists(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned ways = tape_byte(&tape), field = tape_byte(&tape), step = tape_byte(&tape);
    struct keys_format format = format_of(ways, field);
    const uint8_t *text;
    size_t bytes = tape_take(&tape, MOST_BYTES, &text);
    struct found whole, pieces;
    if (!step) {
        read_file(&format, text, bytes);
        return 0;
    }
    if (format.column) { /* what the engine makes of the first record */
        format.column = NULL;
        format.field = 1;
    }
    int fine = read_pieces(&format, text, bytes, MOST_BYTES, &whole);
    fuzz_check(read_pieces(&format, text, bytes, step, &pieces) == fine);
    fuzz_check(!fine || (whole.keys == pieces.keys && whole.hash == pieces.hash));
    return 0;
}
