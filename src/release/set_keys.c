/* SPDX-License-Identifier: MIT */
#include "set_keys.h"

/* Ranks become keys on their way. */
struct taker {
    const uf_universe *universe;
    int (*take)(void *arg, const uf_key *keys, size_t count);
    void *arg;
};

static int take_ranks(void *arg, const uint64_t *ranks, size_t count)
{
    const struct taker *taker = arg;
    char text[SET_BATCH][UNIVERSE_KEY];
    uf_key keys[SET_BATCH];
    for (size_t i = 0; i < count; i++)
        keys[i] = universe_key(taker->universe, ranks[i], text[i]);
    return taker->take(taker->arg, keys, count);
}

int set_walk_keys(const uf_set *set, unsigned threads, const uf_context *ctx,
                  int (*take)(void *arg, const uf_key *keys, size_t count), void *arg)
{
    struct taker taker = {set->universe, take, arg};
    return set_walk(set, threads, ctx, take_ranks, &taker);
}
