/* SPDX-License-Identifier: MIT */
/* Every numbered statement of the papers, one row each: what it is, ours, the paper's, a verdict and the command. */
#ifndef EXPERIMENTS_PAPERS_H
#define EXPERIMENTS_PAPERS_H

#include "table.h"

enum paper_verdict {
    DEFINED,    /* a definition, or a drawing of one: what of ours it is */
    HOLDS,      /* true as it stands */
    REPRODUCED, /* its numbers came out again */
    CORRECTED,  /* not as it stands: ours is what is true instead */
    WRONG,      /* false */
    DIFFERS     /* its numbers did not come out, now */
};

struct paper_item {
    const char *experiment, *number, *what, *ours, *paper;
    enum paper_verdict verdict;
    const char *command;
    const char *table; /* NULL: nothing that is compared here */
};

enum { PAPER_MOST_ITEMS = 128, PAPER_TEXT = 160 };

/* What came of a run: numbers compared for each item, and how many were off. */
struct papers {
    size_t checked[PAPER_MOST_ITEMS], failed[PAPER_MOST_ITEMS];
};

/* By index, NULL past the last. */
const struct paper_item *paper_item(size_t index);
const char *paper_verdict_name(enum paper_verdict verdict);

/* Takes the numbers of an experiment's tables into account. */
void papers_note(struct papers *papers, const char *experiment, const struct report *report);

/* The verdict now; and ours, with how many numbers were compared. */
enum paper_verdict papers_verdict(const struct papers *papers, size_t index);
void papers_ours(const struct papers *papers, size_t index, char out[PAPER_TEXT]);

#endif
