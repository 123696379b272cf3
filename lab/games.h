/* SPDX-License-Identifier: MIT */
/*
 * Games between a dealer, who draws, and an adversary, who guesses. A game is one const struct in a file of its own,
 * listed in games.c; it plays so many rounds and reports how often the adversary won, beside what it may win at most.
 */
#ifndef LAB_GAMES_H
#define LAB_GAMES_H

#include "chance.h"
#include "ultrafilter.h"

enum game_noise { GAME_NOISE, GAME_NO_NOISE /* the control: the adversary must win */ };

struct game_wish {
    const char *epsilon; /* as the user wrote it */
    uint64_t universe, members, trials;
    enum game_noise noise;
    struct chance *chance;
    int (*progress)(void *arg, uint64_t done, uint64_t total); /* may be NULL; non-zero stops with UF_ECANCELED */
    void *progress_arg;
};

/* One figure. */
struct game_figure {
    const char *metric; /* for scripts: win_rate, ... */
    const char *about;  /* for people */
    uint64_t wins, trials;
    double design; /* what theory says is the most that anyone can win */
};

enum { GAME_FIGURES = 4 };

struct game_result {
    char target[64]; /* what was attacked */
    struct game_figure figure[GAME_FIGURES];
    size_t figures;
};

struct game {
    const char *name;
    const char *about; /* one line */
    int (*play)(const struct game_wish *wish, struct game_result *out, uf_error *why);
};

/* By index, NULL past the last; by name, NULL when there is none. */
const struct game *game_at(size_t index);
const struct game *game_find(const char *name);

extern const struct game game_set_release, game_strict_set_release; /* set_release.c */

#endif
