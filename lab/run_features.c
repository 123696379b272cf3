/* SPDX-License-Identifier: MIT */
#include "run_features.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char magic[] = "\x89UFL\r\n\x1a\n";
enum { MAGIC_BYTES = 8, PAYLOAD_AT = 32 /* its size, in the header of a .uf file: docs/format.md */ };

static const char *const names[FEATURE_COUNTS] = {
    [FEATURE_EXISTS] = "that there is a file",
    [FEATURE_STATUS] = "the exit status",
    [FEATURE_SIZE] = "the size of the file",
    [FEATURE_ONES] = "the ones in its bits",
    [FEATURE_ZERO_BYTES] = "its zero bytes",
    [FEATURE_ZERO_WORDS] = "its zero words",
    [FEATURE_FILE] = "the hash of the file",
    [FEATURE_PRINTED_SIZE] = "the bytes printed",
    [FEATURE_PRINTED] = "the hash of what was printed",
    [FEATURE_ANSWER] = "the answer to x",
    [FEATURE_BITS] = "the bits of x that are set",
};

void feature_name(unsigned feature, char *out, size_t capacity)
{
    if (feature < FEATURE_COUNTS)
        (void)snprintf(out, capacity, "%s", names[feature]);
    else if (feature < FEATURE_COUNTS + FEATURE_HEAD)
        (void)snprintf(out, capacity, "byte %u of the file", feature - FEATURE_COUNTS);
    else
        (void)snprintf(out, capacity, "byte %u of its body", feature - FEATURE_COUNTS - FEATURE_HEAD);
}

struct body {
    const unsigned char *data;
    size_t size;
};

/* A .uf file that is cut, or promises more than it has, is looked at whole. */
static struct body body_of(const struct seen_bytes *file)
{
    uint64_t payload = 0;
    if (file->size < UF_HEADER_BYTES || memcmp(file->data, magic, MAGIC_BYTES) != 0)
        return (struct body){file->data, file->size};
    for (unsigned i = 0; i < 8; i++)
        payload |= (uint64_t)file->data[PAYLOAD_AT + i] << 8 * i;
    if (payload > file->size - UF_HEADER_BYTES)
        return (struct body){file->data, file->size};
    return (struct body){file->data + UF_HEADER_BYTES, (size_t)payload};
}

static void count_body(struct body body, struct features *out)
{
    for (size_t i = 0; i < body.size; i += 8) {
        uint64_t word = 0;
        for (size_t j = i; j < body.size && j < i + 8; j++) {
            word = word << 8 | body.data[j];
            out->count[FEATURE_ZERO_BYTES] += !body.data[j];
        }
        out->count[FEATURE_ONES] += __builtin_popcountll(word);
        out->count[FEATURE_ZERO_WORDS] += !word;
    }
}

static void copy(unsigned char *to, size_t room, const unsigned char *from, size_t size)
{
    if (size)
        memcpy(to, from, size < room ? size : room);
}

static int64_t hash_of(const struct seen_bytes *seen)
{
    return (int64_t)XXH3_64bits(seen->data, seen->size);
}

void features_of(const struct observation *observation, struct features *out)
{
    const struct seen_bytes *file = &observation->file, *printed = &observation->printed;
    struct body body = body_of(file);
    *out = (struct features){0};
    out->count[FEATURE_EXISTS] = observation->exists;
    out->count[FEATURE_STATUS] = observation->status;
    out->count[FEATURE_SIZE] = (int64_t)file->size;
    out->count[FEATURE_FILE] = hash_of(file);
    out->count[FEATURE_PRINTED_SIZE] = (int64_t)printed->size;
    out->count[FEATURE_PRINTED] = hash_of(printed);
    out->count[FEATURE_ANSWER] = observation->answer;
    out->count[FEATURE_BITS] = observation->bits;
    count_body(body, out);
    copy(out->byte, FEATURE_HEAD, file->data, file->size);
    if (body.data != file->data)
        copy(out->byte + FEATURE_HEAD, FEATURE_BODY, body.data, body.size);
    else if (file->size > FEATURE_HEAD)
        copy(out->byte + FEATURE_HEAD, FEATURE_BODY, file->data + FEATURE_HEAD, file->size - FEATURE_HEAD);
}
