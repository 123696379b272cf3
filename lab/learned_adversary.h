/* SPDX-License-Identifier: MIT */
/*
 * Adversaries of the learned games (learned_games.c): each asks a filter of a known set, and names a text that is
 * neither in the set nor was asked for. It wins when the filter accepts that text.
 */
#ifndef LAB_LEARNED_ADVERSARY_H
#define LAB_LEARNED_ADVERSARY_H

#include "oracle.h"

/* One game, as its adversary sees it. */
struct learned_challenge {
    struct oracle oracle;
    uint64_t most;         /* questions */
    const uf_filter *copy; /* answers as the target does: of whoever has all that it takes to load the file. Or NULL */
};

struct learned_adversary {
    const char *metric, *about;
    int alike; /* it keeps to keys like the negatives that the filter was planned with */
    /* 1 and a text, 0 when it gives up, negative when there is no memory. */
    int (*answer)(struct learned_challenge *challenge, struct text *out);
};

/* The last one looks into the model: it is for game 4 only. */
enum { LEARNED_BLACK_BOX = 4, LEARNED_ADVERSARIES };
extern const struct learned_adversary *const learned_adversaries[LEARNED_ADVERSARIES];

#endif
