/* SPDX-License-Identifier: MIT */
/* What a run found, for people and for programs. */
#ifndef GATE_REPORT_H
#define GATE_REPORT_H

#include <jansson.h>

#include "compare.h"
#include "options.h"

struct outcome {
    const struct options *options;
    const struct gate *gate;
    struct packets_counts packets;
    double seconds;
    uint64_t answers[VERDICTS];
    json_t *answer_list; /* borrowed; NULL when the answers went elsewhere */
    /* Against the words in the file of --ask. */
    struct comparison words;
    uint64_t exact_against_words; /* exact verdicts that are not the words' */
    /* Against exact sets: every source that was seen, listed or asked about. */
    struct comparison exact;
    struct membership good, bad;
    uint64_t refused_wrongly, served_wrongly; /* packets */
};

/* Non-zero, and said on stderr, when it cannot be written. */
int report(const struct outcome *outcome);

#endif
