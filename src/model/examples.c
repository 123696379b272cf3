/* SPDX-License-Identifier: MIT */
#include "examples.h"

#include <string.h>

#include "arith.h"
#include "rng.h"
#include "wire.h"

/* Every key, or EXAMPLES_MOST of them at even distances. */
static size_t sample_size(size_t count)
{
    return count < EXAMPLES_MOST ? count : EXAMPLES_MOST;
}

static const uf_key *sample_at(const uf_key *keys, size_t count, size_t i)
{
    return &keys[count <= EXAMPLES_MOST ? i : (size_t)((double)i * ((double)count / EXAMPLES_MOST))];
}

static void take(struct examples *examples, const uf_key *key, int member)
{
    examples->example[examples->count++] = (struct example){*key, member};
    examples->positives += member != 0;
    examples->negatives += member == 0;
}

/* Fisher and Yates. */
static int shuffle(struct examples *examples, uint64_t seed)
{
    unsigned char bytes[32] = {0};
    struct writer writer = {bytes, sizeof bytes, 0};
    struct rng rng;
    write_uint(&writer, seed, 8);
    int status = rng_open_seeded(&rng, bytes);
    if (status != UF_OK)
        return status;
    for (size_t i = examples->count; status == UF_OK && i > 1; i--) {
        uint64_t j;
        status = rng_below(&rng, i, &j);
        if (status == UF_OK) {
            struct example other = examples->example[i - 1];
            examples->example[i - 1] = examples->example[j];
            examples->example[j] = other;
        }
    }
    rng_close(&rng);
    return status;
}

enum { LONG_KEY = 256 };

/* Moves the bytes of the keys next to each other. */
static int gather(struct examples *examples)
{
    for (size_t i = 0; i < examples->count; i++)
        examples->byte_count += examples->example[i].key.size < LONG_KEY ? examples->example[i].key.size : 0;
    examples->bytes = mem_alloc_dirty(&examples->mem, examples->byte_count, 1);
    if (!examples->bytes)
        return UF_ENOMEM;
    unsigned char *at = examples->bytes;
    for (size_t i = 0; i < examples->count; i++) {
        uf_key *key = &examples->example[i].key;
        if (!key->size || key->size >= LONG_KEY)
            continue;
        memcpy(at, key->data, key->size);
        key->data = at;
        at += key->size;
    }
    return UF_OK;
}

/* Each counts once: whoever supplies the list cannot drown the others, or make a model remember one key. */
static int take_negatives(struct examples *examples, const uf_key *negatives, size_t count,
                          const struct overlap *members)
{
    struct overlap seen;
    int status = overlap_new(&examples->mem, sample_size(count), &seen);
    if (status != UF_OK)
        return status;
    for (size_t i = 0; i < sample_size(count); i++) {
        const uf_key *key = sample_at(negatives, count, i);
        if (!overlap_add_key(&seen, *key))
            continue;
        if (overlap_has(members, *key))
            examples->overlap++;
        else
            take(examples, key, 0);
    }
    overlap_free(&seen);
    return UF_OK;
}

int examples_make(const struct mem *mem, const uf_key *positives, size_t positive_count, const uf_key *negatives,
                  size_t negative_count, const struct overlap *members, uint64_t seed, struct examples *out)
{
    size_t capacity = sample_size(positive_count) + sample_size(negative_count);
    struct examples examples = {.mem = *mem, .capacity = capacity};
    examples.example = mem_alloc_dirty(mem, capacity ? capacity : 1, sizeof *examples.example);
    if (!examples.example)
        return UF_ENOMEM;
    for (size_t i = 0; i < sample_size(positive_count); i++)
        take(&examples, sample_at(positives, positive_count, i), 1);
    int status = take_negatives(&examples, negatives, negative_count, members);
    if (status == UF_OK)
        status = shuffle(&examples, seed);
    if (status == UF_OK)
        status = gather(&examples);
    if (status == UF_OK)
        *out = examples;
    else
        examples_free(&examples);
    return status;
}

void examples_free(struct examples *examples)
{
    mem_free(&examples->mem, examples->bytes, examples->byte_count, 1);
    mem_free(&examples->mem, examples->example, examples->capacity ? examples->capacity : 1, sizeof *examples->example);
}
