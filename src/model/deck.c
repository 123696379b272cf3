/* SPDX-License-Identifier: MIT */
#include "deck.h"

#include <string.h>

#include "arith.h"
#include "rng.h"
#include "wire.h"

/* Every key, or DECK_MOST of them at even distances. */
static size_t sample_size(size_t count)
{
    return count < DECK_MOST ? count : DECK_MOST;
}

static const uf_key *sample_at(const uf_key *keys, size_t count, size_t i)
{
    return &keys[count <= DECK_MOST ? i : (size_t)((double)i * ((double)count / DECK_MOST))];
}

static void take(struct deck *deck, const uf_key *key, int member)
{
    deck->card[deck->count++] = (struct card){*key, member};
    deck->positives += member != 0;
    deck->negatives += member == 0;
}

/* Fisher and Yates. */
static int shuffle(struct deck *deck, uint64_t seed)
{
    unsigned char bytes[32] = {0};
    struct writer writer = {bytes, sizeof bytes, 0};
    struct rng rng;
    write_uint(&writer, seed, 8);
    int status = rng_open_seeded(&rng, bytes);
    if (status != UF_OK)
        return status;
    for (size_t i = deck->count; status == UF_OK && i > 1; i--) {
        uint64_t j;
        status = rng_below(&rng, i, &j);
        if (status == UF_OK) {
            struct card card = deck->card[i - 1];
            deck->card[i - 1] = deck->card[j];
            deck->card[j] = card;
        }
    }
    rng_close(&rng);
    return status;
}

enum { LONG_KEY = 256 };

/* Moves the bytes of the cards next to each other. */
static int gather(struct deck *deck)
{
    for (size_t i = 0; i < deck->count; i++)
        deck->byte_count += deck->card[i].key.size < LONG_KEY ? deck->card[i].key.size : 0;
    deck->bytes = mem_alloc_dirty(&deck->mem, deck->byte_count, 1);
    if (!deck->bytes)
        return UF_ENOMEM;
    unsigned char *at = deck->bytes;
    for (size_t i = 0; i < deck->count; i++) {
        uf_key *key = &deck->card[i].key;
        if (!key->size || key->size >= LONG_KEY)
            continue;
        memcpy(at, key->data, key->size);
        key->data = at;
        at += key->size;
    }
    return UF_OK;
}

int deck_make(const struct mem *mem, const uf_key *positives, size_t positive_count, const uf_key *negatives,
              size_t negative_count, const struct overlap *members, uint64_t seed, struct deck *out)
{
    size_t room = sample_size(positive_count) + sample_size(negative_count);
    struct deck deck = {.mem = *mem, .room = room};
    deck.card = mem_alloc_dirty(mem, room ? room : 1, sizeof *deck.card);
    if (!deck.card)
        return UF_ENOMEM;
    for (size_t i = 0; i < sample_size(positive_count); i++)
        take(&deck, sample_at(positives, positive_count, i), 1);
    for (size_t i = 0; i < sample_size(negative_count); i++) {
        const uf_key *key = sample_at(negatives, negative_count, i);
        if (overlap_has(members, *key))
            deck.overlap++;
        else
            take(&deck, key, 0);
    }
    int status = shuffle(&deck, seed);
    if (status == UF_OK)
        status = gather(&deck);
    if (status == UF_OK)
        *out = deck;
    else
        deck_free(&deck);
    return status;
}

void deck_free(struct deck *deck)
{
    mem_free(&deck->mem, deck->bytes, deck->byte_count, 1);
    mem_free(&deck->mem, deck->card, deck->room ? deck->room : 1, sizeof *deck->card);
}
