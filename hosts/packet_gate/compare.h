/* SPDX-License-Identifier: MIT */
/* The gate's verdicts against true ones: how many are wrong, and how many the filters' rates allow. */
#ifndef GATE_COMPARE_H
#define GATE_COMPARE_H

#include "gate.h"

struct difference {
    struct address address;
    uint8_t said, truly; /* enum verdict */
};

struct comparison {
    uint64_t verdicts[VERDICTS][VERDICTS]; /* [truly][said] */
    struct difference *differences;        /* owned: all of them, by address once compare_finish was called */
    size_t count, capacity;
};

/* One filter against the exact set. */
struct membership {
    uint64_t members, missing; /* keys of the set; of these, not accepted: false negatives */
    uint64_t others, accepted; /* other keys; of these, accepted: false positives */
};

/* What the filters state, and what follows for the verdicts compared. */
struct comparison_rates {
    uint64_t compared, wrong;
    double expected; /* wrong verdicts, at the filters' fill now */
    double planned;  /* wrong verdicts, at the rates the filters claim when full */
    uint64_t bad;    /* truly bad, of those compared */
    uint64_t missed; /* of `wrong`: truly bad, but not said so. No filter's rate excuses these */
    uint64_t lost;   /* at most this many of these are explained by what the table had to forget */
    int worse;       /* 1: more is wrong than planned + 3 sigma, or more missed than lost */
};

/* Non-zero, and said on stderr, when memory is short. */
int compare_one(struct comparison *comparison, const struct address *address, enum verdict said, enum verdict truly);
void compare_member(struct membership *membership, int member, int accepted);
void compare_finish(struct comparison *comparison);
void compare_free(struct comparison *comparison);

struct comparison_rates compare_rates(const struct comparison *comparison, const struct gate *gate);

#endif
