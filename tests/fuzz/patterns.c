/* SPDX-License-Identifier: MIT */
/*
 * packet_gate: files of patterns, and the search for them in packets, held against a search that tries every pattern at
 * every place. The input: u8 bytes of a packet, 0 for the text form · patterns · what is searched. Patterns are a
 * number, and each its length and its bytes; the text form is u16 bytes, and so many.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "patterns.h"

enum { MOST_PATTERNS = 8, MOST_LENGTH = 16 };

struct some {
    const uint8_t *data[MOST_PATTERNS];
    size_t sizes[MOST_PATTERNS], count;
};

static void read_some(struct tape *tape, struct some *out)
{
    const size_t wanted = 1 + tape_byte(tape) % MOST_PATTERNS;
    out->count = 0;
    while (out->count < wanted) {
        const size_t length = 1 + tape_byte(tape) % MOST_LENGTH;
        out->sizes[out->count] = tape_take(tape, length, &out->data[out->count]);
        if (!out->sizes[out->count])
            return;
        out->count++;
    }
}

static int ends_at(const struct some *some, const uint8_t *data, size_t from, size_t end)
{
    for (size_t i = 0; i < some->count; i++)
        if (some->sizes[i] <= end - from && !memcmp(data + end - some->sizes[i], some->data[i], some->sizes[i]))
            return 1;
    return 0;
}

/* The search starts anew behind each that was found. */
static unsigned count_all(const struct some *some, const uint8_t *data, size_t size)
{
    unsigned found = 0;
    size_t from = 0;
    for (size_t end = 1; end <= size; end++)
        if (ends_at(some, data, from, end)) {
            found++;
            from = end;
        }
    return found;
}

static unsigned scan(const struct patterns *patterns, const uint8_t *data, size_t size, size_t step)
{
    uint32_t state = 0;
    unsigned found = 0;
    for (size_t at = 0; at < size; at += step) {
        const size_t piece = size - at < step ? size - at : step;
        uint8_t *packet = malloc(piece); /* of exactly its size */
        fuzz_check(packet);
        memcpy(packet, data + at, piece);
        found += patterns_scan(patterns, &state, packet, piece);
        free(packet);
    }
    return found;
}

static void from_text(struct tape *tape)
{
    const uint8_t *text;
    size_t bytes = tape_take(tape, (size_t)tape_number(tape, 2), &text);
    struct patterns *patterns = patterns_load(fuzz_file(text, bytes));
    if (!patterns)
        return;
    fuzz_check(patterns_count(patterns) && patterns_bytes(patterns));
    fuzz_check(scan(patterns, tape->at, tape->left, 3) == scan(patterns, tape->at, tape->left, 1000));
    patterns_free(patterns);
}

static void from_bytes(struct tape *tape, size_t step)
{
    struct some some;
    read_some(tape, &some);
    if (!some.count)
        return;
    struct patterns *patterns = patterns_new(some.data, some.sizes, some.count);
    fuzz_check(patterns);
    const unsigned found = scan(patterns, tape->at, tape->left, step);
    fuzz_check(found == count_all(&some, tape->at, tape->left));
    fuzz_plant(some.sizes[0] == 5, found == 2);
    patterns_free(patterns);
}

int fuzz_patterns(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const size_t step = tape_byte(&tape);
    if (step)
        from_bytes(&tape, step);
    else
        from_text(&tape);
    return 0;
}
