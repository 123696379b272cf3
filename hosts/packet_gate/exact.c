/* SPDX-License-Identifier: MIT */
/* A hash table with linear probing that doubles when it is two thirds full. Nothing is ever taken out. */
#include "exact.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { FIRST_PLACES = 1024 };

struct exact {
    const struct patterns *patterns; /* borrowed */
    unsigned strikes;
    size_t places, used;
    struct exact_source *table; /* owned; `places`, a power of two */
    uint8_t key[crypto_shorthash_KEYBYTES];
};

struct exact *exact_new(const struct patterns *patterns, unsigned strikes)
{
    struct exact *exact = calloc(1, sizeof *exact);
    if (!exact)
        return NULL;
    exact->patterns = patterns;
    exact->strikes = strikes;
    exact->places = FIRST_PLACES;
    exact->table = calloc(exact->places, sizeof *exact->table);
    randombytes_buf(exact->key, sizeof exact->key);
    if (exact->table)
        return exact;
    free(exact);
    return NULL;
}

void exact_free(struct exact *exact)
{
    if (!exact)
        return;
    free(exact->table);
    free(exact);
}

/* Where the address is, or the free place where it belongs. */
static struct exact_source *place_of(const struct exact *exact, const struct address *address)
{
    uint8_t hash[crypto_shorthash_BYTES];
    uint64_t value;
    (void)crypto_shorthash(hash, address->bytes, ADDRESS_BYTES, exact->key);
    memcpy(&value, hash, sizeof value);
    size_t at = (size_t)value & (exact->places - 1);
    while (exact->table[at].verdict != VERDICT_UNKNOWN && memcmp(&exact->table[at].address, address, sizeof *address))
        at = (at + 1) & (exact->places - 1);
    return &exact->table[at];
}

static int grow(struct exact *exact)
{
    struct exact_source *old = exact->table;
    size_t old_places = exact->places;
    struct exact_source *table =
        old_places > SIZE_MAX / 2 / sizeof *table ? NULL : calloc(old_places * 2, sizeof *table);
    if (!table)
        return print_error("not enough memory for exact sets of %zu sources; run without --exact", exact->used);
    exact->table = table;
    exact->places = old_places * 2;
    for (size_t i = 0; i < old_places; i++)
        if (old[i].verdict != VERDICT_UNKNOWN)
            *place_of(exact, &old[i].address) = old[i];
    free(old);
    return EXIT_FINE;
}

/* The entry of an address, which is good unless something else was known. NULL when memory is short. */
static struct exact_source *know(struct exact *exact, const struct address *address)
{
    struct exact_source *source = place_of(exact, address);
    if (source->verdict != VERDICT_UNKNOWN)
        return source;
    if (exact->used >= exact->places / 3 * 2) {
        if (grow(exact))
            return NULL;
        source = place_of(exact, address);
    }
    *source = (struct exact_source){.address = *address, .verdict = VERDICT_GOOD};
    exact->used++;
    return source;
}

int exact_deny(struct exact *exact, const struct address *address)
{
    struct exact_source *source = know(exact, address);
    if (!source)
        return EXIT_ERROR;
    source->verdict = VERDICT_BAD;
    return EXIT_FINE;
}

int exact_packet(struct exact *exact, const struct packet *packet, enum served *out)
{
    struct exact_source *source = know(exact, &packet->source);
    if (!source)
        return EXIT_ERROR;
    *out = source->verdict == VERDICT_BAD ? REFUSED : SERVED;
    if (*out == REFUSED || !exact->patterns)
        return EXIT_FINE;
    source->strikes += patterns_scan(exact->patterns, &source->state, packet->payload, packet->size);
    if (packet->missing)
        source->state = 0;
    if (source->strikes >= exact->strikes)
        source->verdict = VERDICT_BAD;
    return EXIT_FINE;
}

enum verdict exact_verdict(const struct exact *exact, const struct address *address)
{
    return (enum verdict)place_of(exact, address)->verdict;
}

const struct exact_source *exact_next(const struct exact *exact, size_t *at)
{
    while (*at < exact->places && exact->table[*at].verdict == VERDICT_UNKNOWN)
        (*at)++;
    return *at < exact->places ? &exact->table[(*at)++] : NULL;
}
