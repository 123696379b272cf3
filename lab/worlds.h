/* SPDX-License-Identifier: MIT */
/*
 * What learned games are played in: for each choice of S and D (choice.h) some sets and data, and a model trained on
 * each. A world whose data the library refuses has no filters: nobody wins there.
 */
#ifndef LAB_WORLDS_H
#define LAB_WORLDS_H

#include "choice.h"
#include "learned_target.h"
#include "trials.h"

struct world {
    const struct choice *choice;
    struct corpus corpus;
    struct learned_setup setup;
    int refused; /* a status: training was, and */
    uf_error why;
};

struct worlds {
    struct world *world; /* owned; those of one choice are together */
    size_t choices, each;
    struct stock *stock; /* owned */
};

struct worlds_request {
    const struct corpus *corpus; /* outlives the worlds */
    const struct choice *choice; /* NULL: all of them */
    size_t n, each;
    struct learned_plan plan;
    struct trials trials; /* threads, seed and progress */
};

int worlds_open(const struct worlds_request *request, struct worlds *out, uf_error *why);
void worlds_free(struct worlds *worlds);

/* That of a game: choices take turns. */
static inline const struct world *world_of(const struct worlds *worlds, uint64_t game)
{
    return &worlds->world[game % worlds->choices * worlds->each + game / worlds->choices % worlds->each];
}

#endif
