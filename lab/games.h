/* SPDX-License-Identifier: MIT */
/*
 * Games between a dealer, who draws, and an adversary, who guesses. A game is one const struct in a file of its own,
 * listed in games.c; it plays so many rounds and reports how often the adversary won, beside what it may win at most.
 */
#ifndef LAB_GAMES_H
#define LAB_GAMES_H

#include "choice.h"
#include "learned_target.h"
#include "stream.h"
#include "target.h"
#include "ultrafilter.h"

enum game_noise { GAME_NOISE, GAME_NO_NOISE /* the control: the adversary must win */ };

enum game_key { GAME_SECRET_KEY, GAME_LEAKED_KEY /* the control: the adversary must win */ };

struct game_request {
    uint64_t members, trials;
    /* games of release */
    const char *epsilon; /* as the user wrote it */
    uint64_t universe;
    enum game_noise noise;
    uf_spec spec;           /* of a filter of the release */
    const uf_spec *through; /* that spec: the adversary sees such a filter; NULL: the release itself */
    /* games of membership */
    enum target_id target;
    /* learned games */
    enum learned_id learned;
    const struct corpus *corpus; /* keys to choose from; NULL: made up */
    const struct choice *choice; /* of S and D; NULL: all of them, which take turns */
    double share;                /* of the queries that an adversary may choose: what the filter is planned for */
    /* both */
    const char *kind; /* of our filters, or of those inside a learned one: bloom or blocked */
    double fpr;
    uint64_t queries; /* at most, in each game */
    enum game_key key;
    unsigned threads;
    struct stream_seed seed;
    int (*progress)(void *arg, uint64_t done, uint64_t total); /* may be NULL; non-zero stops with UF_ECANCELED */
    void *progress_arg;
};

/* A part shows which adversary or which case did what; together the parts are the whole. */
enum game_extent { GAME_WHOLE, GAME_PART };

/* One figure. */
struct game_figure {
    const char *metric; /* for scripts: win_rate, ... */
    const char *about;  /* for people */
    uint64_t wins, trials;
    double design; /* what theory says is the most that anyone can win */
    int alike;     /* by keys like those that the filter was planned with: also kinds that claim nothing else hold it */
    enum game_extent extent;
};

enum { GAME_FIGURES = 20 };

struct game_result {
    char target[160]; /* what was attacked */
    struct game_figure figure[GAME_FIGURES];
    size_t figures;
    uint64_t refused;   /* games without a filter: the library refused what the adversary handed in */
    uint64_t unclaimed; /* games with a filter that claims nothing against whoever chooses keys */
};

/* What is played for, and so which options there are. */
enum game_family {
    GAME_RELEASE,    /* which of two sets was released */
    GAME_MEMBERSHIP, /* a false positive */
    GAME_LEARNED     /* a false positive of a learned filter */
};

struct game {
    const char *name;
    const char *about; /* one line */
    enum game_family family;
    int (*play)(const struct game_request *request, struct game_result *out, uf_error *why);
};

/* By index, NULL past the last; by name, NULL when there is none. */
const struct game *game_at(size_t index);
const struct game *game_find(const char *name);

extern const struct game game_set_release, game_strict_set_release; /* set_release.c */
extern const struct game game_1, game_2, game_unsteady;             /* membership.c */
extern const struct game game_3, game_4;                            /* learned_games.c */

#endif
