/* SPDX-License-Identifier: MIT */
/*
 * Attackers plan three to five sequences and are in a hurry; a few of the innocent have one or two by accident.
 * Everybody now and then sends the beginning of a pattern and breaks off, which must not count.
 */
#include "actors.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"

enum role { INNOCENT, CARELESS, ATTACKER };

struct actor {
    uint32_t pattern;      /* the sequence it is in */
    uint16_t offset, left; /* left is 0 when in none */
    uint8_t role, listed, seen;
    uint8_t planned, whole; /* sequences still to begin; sequences sent */
    uint8_t broken;         /* the sequence it is in will break off */
    uint8_t pause;          /* a background byte comes next */
};

struct actors {
    struct actors_options options;
    uint64_t random;
    struct actor *actor; /* owned */
    uint8_t *patterns;   /* owned: `longest` bytes each */
    uint8_t *lengths;    /* owned */
};

static void cast(struct actors *actors, struct actor *actor)
{
    uint64_t *random = &actors->random;
    if (rng_bernoulli(random, actors->options.attack))
        *actor = (struct actor){.role = ATTACKER, .planned = (uint8_t)(ACTORS_STRIKES + rng_below(random, 3))};
    else if (rng_bernoulli(random, 0.125))
        *actor = (struct actor){.role = CARELESS, .planned = (uint8_t)(1 + rng_below(random, ACTORS_STRIKES - 1))};
    actor->listed = (uint8_t)rng_bernoulli(random, actors->options.listed);
}

/* Two may be the same, which does no harm. */
static void make_pattern(struct actors *actors, uint64_t index)
{
    const uint64_t shortest = actors->options.shortest, longest = actors->options.longest;
    const size_t length =
        (size_t)shortest + (shortest < longest ? rng_below(&actors->random, longest - shortest + 1) : 0);
    uint8_t *pattern = actors->patterns + index * longest;
    actors->lengths[index] = (uint8_t)length;
    for (size_t i = 0; i < length; i++)
        pattern[i] = (uint8_t)(128 + rng_below(&actors->random, shortest < longest ? 64 : 128));
    if (shortest < longest) {
        pattern[0] = (uint8_t)(192 + pattern[0] % 32);
        pattern[length - 1] = (uint8_t)(224 + pattern[length - 1] % 32);
    }
}

struct actors *actors_new(const struct actors_options *options)
{
    struct actors *actors = calloc(1, sizeof *actors);
    if (!actors)
        return NULL;
    actors->options = *options;
    actors->random = options->seed;
    actors->actor = calloc(options->sources, sizeof *actors->actor);
    actors->patterns = calloc(options->patterns, options->longest);
    actors->lengths = calloc(options->patterns, 1);
    if (!actors->actor || !actors->patterns || !actors->lengths) {
        actors_free(actors);
        return NULL;
    }
    for (uint64_t i = 0; i < options->patterns; i++)
        make_pattern(actors, i);
    for (uint64_t i = 0; i < options->sources; i++)
        cast(actors, &actors->actor[i]);
    return actors;
}

void actors_free(struct actors *actors)
{
    if (!actors)
        return;
    free(actors->actor);
    free(actors->patterns);
    free(actors->lengths);
    free(actors);
}

/* A permutation of 32-bit numbers, so that no two sources share an address. */
static uint32_t scramble(uint32_t x, uint64_t seed)
{
    x += (uint32_t)rng_mix(seed);
    x = (x ^ x >> 16) * 0x85ebca6bU;
    x = (x ^ x >> 13) * 0xc2b2ae35U;
    return x ^ x >> 16;
}

struct address actors_address(const struct actors *actors, uint64_t index)
{
    const uint64_t seed = actors->options.seed;
    uint8_t bytes[ADDRESS_BYTES] = {0x20, 1, 0x0d, 0xb8}; /* 2001:db8::/32, for documentation */
    uint64_t chance = rng_mix(seed ^ index << 1);
    word_bytes(scramble((uint32_t)index, seed), bytes + 12);
    if ((double)(chance >> 11) * 0x1p-53 < actors->options.ipv6)
        return address_v6(bytes);
    return address_v4(bytes + 12);
}

int actors_listed(const struct actors *actors, uint64_t index)
{
    return index < actors->options.sources && actors->actor[index].listed;
}

const uint8_t *actors_pattern(const struct actors *actors, uint64_t index, size_t *size)
{
    *size = actors->lengths[index];
    return actors->patterns + index * actors->options.longest;
}

uint64_t actors_choose(struct actors *actors)
{
    return rng_below(&actors->random, actors->options.sources);
}

/* Perhaps begins a sequence. */
static void consider(struct actors *actors, struct actor *actor)
{
    uint64_t *random = &actors->random;
    if (!rng_bernoulli(random, actor->role == ATTACKER ? 0.25 : 0.03))
        return;
    actor->broken = !actor->planned || rng_bernoulli(random, 0.25);
    actor->planned = (uint8_t)(actor->planned - !actor->broken);
    actor->pattern = rng_below(random, actors->options.patterns);
    actor->offset = 0;
    actor->left = actors->lengths[actor->pattern];
    if (actor->broken)
        actor->left = (uint16_t)(1 + rng_below(random, actor->left - 1U));
}

/* Sends at most `space` bytes of the sequence; returns how many. */
static size_t send_piece(struct actors *actors, struct actor *actor, uint8_t *out, size_t space)
{
    size_t size = space < actor->left ? space : actor->left;
    size_t length;
    memcpy(out, actors_pattern(actors, actor->pattern, &length) + actor->offset, size);
    actor->offset = (uint16_t)(actor->offset + size);
    actor->left = (uint16_t)(actor->left - size);
    if (actor->left == 0) {
        actor->pause = 1;
        actor->whole = (uint8_t)(actor->whole + (!actor->broken && actor->whole < UINT8_MAX));
    }
    return size;
}

/* The length of a piece: with L/spread on average, a sequence takes about `spread` packets. */
static size_t piece_size(struct actors *actors, const struct actor *actor, size_t space)
{
    uint64_t most = 2 * (uint64_t)actors->lengths[actor->pattern] / actors->options.spread;
    size_t piece = 1 + rng_below(&actors->random, most ? most : 1);
    return piece < space ? piece : space;
}

size_t actors_speak(struct actors *actors, uint64_t index, uint8_t *out, size_t least, size_t most)
{
    struct actor *actor = &actors->actor[index];
    uint64_t *random = &actors->random;
    const size_t want = least + rng_below(random, most - least + 1);
    const int fixed = least == most;
    size_t at = 0;
    actor->seen = 1;
    while (at < want) {
        if (actor->left) {
            at += send_piece(actors, actor, out + at, fixed ? want - at : piece_size(actors, actor, want - at));
            if (actor->left && !fixed)
                return at;
            continue;
        }
        out[at++] = (uint8_t)rng_below(random, 128);
        if (!actor->pause)
            consider(actors, actor);
        actor->pause = 0;
    }
    return at;
}

enum verdict actors_truth(const struct actors *actors, uint64_t index)
{
    if (index >= actors->options.sources)
        return VERDICT_UNKNOWN;
    const struct actor *actor = &actors->actor[index];
    if (actor->listed || actor->whole >= ACTORS_STRIKES)
        return VERDICT_BAD;
    return actor->seen ? VERDICT_GOOD : VERDICT_UNKNOWN;
}
