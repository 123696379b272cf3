/* SPDX-License-Identifier: MIT */
/* From blocks to keys: one by one, and how many there are. */
#include "keys.h"

#include <inttypes.h>
#include <string.h>

#include "message.h"
#include "progress.h"
#include "record.h"

/* Sums up to 255 at a time in bytes: the form that compilers turn into vector instructions. */
uint64_t keys_count_lines(const char *data, size_t size, char separator)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < size;) {
        size_t end = size - i > 255 ? i + 255 : size;
        unsigned char sum = 0;
        for (; i < end; i++)
            sum = (unsigned char)(sum + (data[i] == separator));
        lines += sum;
    }
    return lines;
}

static enum keys_verdict count_block(void *unused, struct keys_block *block)
{
    uf_key keys[KEYS_BATCH];
    const char *cursor = NULL;
    (void)unused;
    if (!keys_are_shaped(block->format))
        block->keys = keys_count_lines(block->data, block->size, block->format->separator);
    else
        for (size_t count; (count = keys_next(block, &cursor, keys));)
            block->keys += count;
    return KEYS_GO_ON;
}

int keys_count(struct keys_input *input, unsigned threads, uint64_t *count)
{
    const struct keys_job job = {.work = count_block, .threads = threads};
    struct keys_totals totals;
    progress_phase("counting", input->bytes);
    if (keys_run(input, &job, &totals) || keys_rewind(input))
        return EXIT_ERROR;
    *count = totals.keys;
    return EXIT_FINE;
}

/* One memchr a key: 15 ns for 34 bytes. Masks of 64 bytes at a time in plain C were no faster here. */
static size_t next_plain(struct keys_block *block, const char **cursor, uf_key keys[KEYS_BATCH], uf_key *records)
{
    const char *at = *cursor, *end = block->data + block->size;
    const char separator = block->format->separator;
    const bool strip = keys_are_lines(block->format) && block->format->crlf < KEEP_AND_WARN;
    size_t count = 0;
    for (; at < end && count < KEYS_BATCH; count++) {
        const char *stop = memchr(at, separator, (size_t)(end - at));
        const bool returns = strip && stop > at && stop[-1] == '\r';
        keys[count] = (uf_key){at, (size_t)(stop - at) - returns};
        block->returns += returns;
        if (records)
            records[count] = (uf_key){at, (size_t)(stop - at) + 1};
        at = stop + 1;
    }
    *cursor = at;
    return count;
}

static void say_wrong(const struct keys_block *block, const char *at, const char *wrong)
{
    const char separator = block->format->separator;
    uint64_t line = block->line + keys_count_lines(block->data, (size_t)(at - block->data), separator) + 1;
    (void)print_error("%s: %s %" PRIu64 " %s", block->name, separator ? "line" : "record", line, wrong);
}

static size_t next_shaped(struct keys_block *block, const char **cursor, uf_key keys[KEYS_BATCH], uf_key *records)
{
    const struct keys_format *format = block->format;
    const char *at = *cursor, *end = block->data + block->size;
    const bool strip = keys_are_lines(format) && format->crlf < KEEP_AND_WARN;
    char *scratch = block->scratch;
    size_t count = 0;
    while (at < end && count < KEYS_BATCH) {
        size_t length = record_length(format, at, (size_t)(end - at));
        uf_key record = {at, length - !format->width};
        const bool returns = strip && record.size && at[record.size - 1] == '\r';
        record.size -= returns;
        block->returns += returns;
        if (record.size || !block->field) { /* an empty line has no fields, and is none */
            const char *wrong = record_key(format, block->field, record, &scratch, &keys[count]);
            if (wrong) {
                say_wrong(block, at, wrong);
                block->failed = true;
                return 0;
            }
            if (records)
                records[count] = (uf_key){at, length};
            count++;
        }
        at += length;
    }
    *cursor = at;
    return count;
}

uf_key keys_record_text(const struct keys_format *format, uf_key record)
{
    const char *data = record.data;
    record.size -= !format->width;
    if (keys_are_lines(format) && format->crlf < KEEP_AND_WARN && record.size && data[record.size - 1] == '\r')
        record.size--;
    return record;
}

size_t keys_next_records(struct keys_block *block, const char **cursor, uf_key keys[KEYS_BATCH],
                         uf_key records[KEYS_BATCH])
{
    if (!*cursor)
        *cursor = block->data;
    return keys_are_shaped(block->format) ? next_shaped(block, cursor, keys, records)
                                          : next_plain(block, cursor, keys, records);
}

size_t keys_next(struct keys_block *block, const char **cursor, uf_key keys[KEYS_BATCH])
{
    return keys_next_records(block, cursor, keys, NULL);
}
