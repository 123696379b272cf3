/* SPDX-License-Identifier: MIT */
/*
 * Attacks: one const struct in a file of its own under attacks/, listed in attack.c. Each one is carried out against
 * every target that is asked for, and reports what it achieved beside what the target was designed for.
 */
#ifndef LAB_ATTACK_H
#define LAB_ATTACK_H

#include "interval.h"
#include "learned_target.h"
#include "target.h"

#define ATTACK_CONFIDENCE 0.999

#define ATTACK_ALL_TARGETS ((1u << TARGETS) - 1)
#define ATTACK_ALL_LEARNED ((1u << LEARNED_TARGETS) - 1)

struct attack_request {
    struct target_plan plan;
    unsigned targets;            /* 1 << enum target_id, or-ed */
    unsigned learned;            /* 1 << enum learned_id, or-ed: of attacks on learned filters */
    double epsilon;              /* of private filters */
    double share;                /* of the queries that an adversary may choose: of learned filters */
    const struct corpus *corpus; /* NULL: made up */
    uint64_t trials;
    struct stream_seed seed;
    int (*progress)(void *arg, uint64_t done, uint64_t total); /* may be NULL; non-zero stops with UF_ECANCELED */
    void *progress_arg;
};

enum attack_unit { ATTACK_SHARE, ATTACK_COUNT };

/* One figure. Interval and design are NaN where there is none. */
struct attack_row {
    char target[24];
    const char *metric; /* for scripts: fpr, hit_rate, ... */
    const char *about;  /* for people */
    enum attack_unit unit;
    double value;
    struct interval interval;
    double design;
    uint64_t trials;
    double cost; /* what one item cost the attacker, in cost_unit; NaN: nothing to speak of */
    const char *cost_unit;
};

/* Of a plot: the rate after so many items. */
struct attack_point {
    char target[24];
    uint64_t items;
    double fpr;
};

enum { ATTACK_ROWS = 96, ATTACK_POINTS = 192 };

struct attack_result {
    struct attack_row row[ATTACK_ROWS];
    size_t rows;
    struct attack_point point[ATTACK_POINTS];
    size_t points;
};

/* What matters to an attack besides n. */
enum attack_takes {
    ATTACK_PLAN = 1,
    /* kind and rate */ ATTACK_EPSILON = 2,
    ATTACK_CORPUS = 4, /* keys of one's own, and the share */
    ATTACK_RATE = 8    /* the rate alone */
};

struct attack {
    const char *name;
    const char *about;   /* one line */
    const char *meaning; /* how to read the result: one or two sentences */
    struct {
        uint64_t n, trials;
        const char *kind; /* NULL: blocked */
    } usual;              /* when the user does not say */
    unsigned takes;       /* enum attack_takes, or-ed */
    int has_plot;
    int (*run)(const struct attack_request *request, struct attack_result *out, uf_error *why);
};

/* By index, NULL past the last; by name, NULL when there is none. */
const struct attack *attack_at(size_t index);
const struct attack *attack_find(const char *name);

/* ---- for the attacks ---- */

/* What an attack on one target works with. */
struct attack_run {
    const struct attack_request *request;
    struct attack_result *result;
    enum target_id id;
    struct stream stream; /* the attacker's randomness */
    struct stream other;  /* the target's, and that of all who are not the attacker */
    uf_context ctx;       /* with the target's randomness */
    void *arg;
    uf_error *why;
};

/* Randomness and a context for run number `number`. */
int attack_open(const struct attack_request *request, struct attack_result *out, uint64_t number,
                struct attack_run *run, uf_error *why);

/* Runs `one` on every target that is asked for, each with randomness of its own; run->arg is `arg`. */
int attack_each(const struct attack_request *request, struct attack_result *out, int (*one)(struct attack_run *run),
                void *arg, uf_error *why);

/* A new target of the run's kind and plan; one that holds n random items already. They take more items than planned, so
 * that attacks meet the hash and nothing else. */
int attack_target(struct attack_run *run, struct target *out);
int attack_full_target(struct attack_run *run, struct target *out);

/* The same with what an attacker sees of it who has the file, for as long as `attack` runs. */
int attack_full_view(struct attack_run *run,
                     int (*attack)(struct attack_run *run, const struct target *target, const struct view *view));

/* Shows as many items as are asked for, which `search` finds in batches with the help of a copy of the target, and
 * returns how many tries that took; then adds a row. */
typedef uint64_t attack_search(const void *copy, struct stream *stream, struct item *out, size_t count);
int attack_show(struct attack_run *run, const struct target *target, attack_search *search, const void *copy,
                const char *metric, const char *about);

/* Adds a row: a share of trials, or a number. Returns it, for what else there is to say. */
struct attack_row *attack_share(struct attack_result *result, const char *target, const char *metric, const char *about,
                                uint64_t hits, uint64_t trials, double design);
struct attack_row *attack_count(struct attack_result *result, const char *target, const char *metric, const char *about,
                                double value, double design);
void attack_cost(struct attack_row *row, double cost, const char *unit);

/* What went wrong in words, where the library did not say. */
int attack_failed(const struct attack_run *run, int status);

/* Tells how far it is. UF_OK, or UF_ECANCELED. */
int attack_progress(const struct attack_run *run, uint64_t done, uint64_t total);

extern const struct attack attack_pollution, attack_saturation, attack_forge, attack_invert, attack_blind,
    attack_transfer, attack_hunt, attack_enumerate, attack_peel, attack_average, attack_churn, attack_mutate,
    attack_concentrate, attack_supply, attack_removal, attack_watch;

#endif
