/* SPDX-License-Identifier: MIT */
/*
 * Events that tell two worlds apart: an event is one to three tests of features, all of which hold. They are chosen on
 * runs of their own and counted on others, so that choosing costs nothing: of thousands of candidates only those few
 * that are counted need a correction.
 *
 * The candidates: for each feature the best of "is v", "is not v", "at least v", "below v" and, of bytes, "bit j is
 * set" or not, for either world; then conjunctions of two and three of the best.
 */
#ifndef LAB_EVENTS_H
#define LAB_EVENTS_H

#include "run_features.h"

enum event_test { EVENT_IS, EVENT_IS_NOT, EVENT_AT_LEAST, EVENT_BELOW, EVENT_BIT_SET, EVENT_BIT_CLEAR };

struct event_term {
    unsigned feature;
    enum event_test test;
    int64_t value; /* or which bit */
};

enum { EVENT_MOST_TERMS = 3, EVENTS_MOST = 8 };

struct event {
    struct event_term term[EVENT_MOST_TERMS];
    unsigned terms;
    unsigned likelier; /* in which world it should happen more often */
};

int event_happened(const struct event *event, const struct features *features);

/* "the size of the file is 4472 and bit 3 of byte 72 of the file is set" */
void event_text(const struct event *event, char *out, size_t capacity);

/*
 * The events that distinguish best, from `runs` runs of each world: row 2i is one of world 0, row 2i + 1 one of
 * world 1. Those about the answer to x are always among them, where x can be asked. `delta` is what the claim lets
 * pass. Fills in up to EVENTS_MOST and returns how many; negative when there is no memory.
 */
int events_choose(const struct features *rows, size_t runs, double delta, struct event *out);

#endif
