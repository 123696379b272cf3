/* SPDX-License-Identifier: MIT */
#include "dataset.h"

#include <string.h>

#include "arith.h"
#include "rng.h"
#include "wire.h"

/* Every key, or DECK_MOST of them at even distances. */
static size_t sample_size(size_t count)
{
    return count < DATASET_MOST ? count : DATASET_MOST;
}

static const uf_key *sample_at(const uf_key *keys, size_t count, size_t i)
{
    return &keys[count <= DATASET_MOST ? i : (size_t)((double)i * ((double)count / DATASET_MOST))];
}

static void take(struct dataset *dataset, const uf_key *key, int member)
{
    dataset->card[dataset->count++] = (struct card){*key, member};
    dataset->positives += member != 0;
    dataset->negatives += member == 0;
}

/* Fisher and Yates. */
static int shuffle(struct dataset *dataset, uint64_t seed)
{
    unsigned char bytes[32] = {0};
    struct writer writer = {bytes, sizeof bytes, 0};
    struct rng rng;
    write_uint(&writer, seed, 8);
    int status = rng_open_seeded(&rng, bytes);
    if (status != UF_OK)
        return status;
    for (size_t i = dataset->count; status == UF_OK && i > 1; i--) {
        uint64_t j;
        status = rng_below(&rng, i, &j);
        if (status == UF_OK) {
            struct card card = dataset->card[i - 1];
            dataset->card[i - 1] = dataset->card[j];
            dataset->card[j] = card;
        }
    }
    rng_close(&rng);
    return status;
}

enum { LONG_KEY = 256 };

/* Moves the bytes of the cards next to each other. */
static int gather(struct dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++)
        dataset->byte_count += dataset->card[i].key.size < LONG_KEY ? dataset->card[i].key.size : 0;
    dataset->bytes = mem_alloc_dirty(&dataset->mem, dataset->byte_count, 1);
    if (!dataset->bytes)
        return UF_ENOMEM;
    unsigned char *at = dataset->bytes;
    for (size_t i = 0; i < dataset->count; i++) {
        uf_key *key = &dataset->card[i].key;
        if (!key->size || key->size >= LONG_KEY)
            continue;
        memcpy(at, key->data, key->size);
        key->data = at;
        at += key->size;
    }
    return UF_OK;
}

int dataset_make(const struct mem *mem, const uf_key *positives, size_t positive_count, const uf_key *negatives,
                 size_t negative_count, const struct overlap *members, uint64_t seed, struct dataset *out)
{
    size_t capacity = sample_size(positive_count) + sample_size(negative_count);
    struct dataset dataset = {.mem = *mem, .capacity = capacity};
    dataset.card = mem_alloc_dirty(mem, capacity ? capacity : 1, sizeof *dataset.card);
    if (!dataset.card)
        return UF_ENOMEM;
    for (size_t i = 0; i < sample_size(positive_count); i++)
        take(&dataset, sample_at(positives, positive_count, i), 1);
    for (size_t i = 0; i < sample_size(negative_count); i++) {
        const uf_key *key = sample_at(negatives, negative_count, i);
        if (overlap_has(members, *key))
            dataset.overlap++;
        else
            take(&dataset, key, 0);
    }
    int status = shuffle(&dataset, seed);
    if (status == UF_OK)
        status = gather(&dataset);
    if (status == UF_OK)
        *out = dataset;
    else
        dataset_free(&dataset);
    return status;
}

void dataset_free(struct dataset *dataset)
{
    mem_free(&dataset->mem, dataset->bytes, dataset->byte_count, 1);
    mem_free(&dataset->mem, dataset->card, dataset->capacity ? dataset->capacity : 1, sizeof *dataset->card);
}
