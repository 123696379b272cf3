/* SPDX-License-Identifier: MIT */
/*
 * Learned filters under attack, and a filter without a model beside them. They are built from one corpus with one
 * model, trained once; each has children of the same kind.
 *
 *   learned    a model and one filter, no key: what scores high is accepted
 *   sandwich   the same behind a filter of all keys
 *   partition  a model and a filter for each range of scores, no key
 *   uptown     a sandwich over what a PRF makes of the keys, with definition=paper; it trains a model of its own, and
 *              only its key can tell the region of a text
 *   downtown   a model and two keyed filters
 *   robust     a model and a keyed filter for each range of scores, none of them weaker than planned
 *   keyed      one keyed filter of all keys
 */
#ifndef LAB_LEARNED_TARGET_H
#define LAB_LEARNED_TARGET_H

#include "text.h"

enum learned_id {
    LEARNED_PLAIN,
    LEARNED_SANDWICH,
    LEARNED_PARTITION,
    LEARNED_UPTOWN,
    LEARNED_DOWNTOWN,
    LEARNED_ROBUST,
    LEARNED_KEYED,
    LEARNED_TARGETS
};

const char *learned_name(enum learned_id id);

struct learned_plan {
    const char *children; /* their kind: bloom or blocked */
    double fpr;
    double share;     /* of the queries that an adversary may choose: what downtown and robust are planned for */
    unsigned regions; /* of partition and robust, at most */
    unsigned levels; /* 0: the model is part of the filter. Or the filter asks for scores in about so many steps, and is
                        planned in a fraction of the time */
};

/* What all targets of an experiment have in common. */
struct learned_setup {
    const struct corpus *corpus;
    struct learned_plan plan;
    uf_model *model;      /* owned */
    double step;          /* of scores */
    uf_learning learning; /* may point to the setup: it stays where it is */
};

int learned_setup_open(const struct corpus *corpus, const struct learned_plan *plan, struct learned_setup *out,
                       uf_error *why);
void learned_setup_close(struct learned_setup *setup);

struct learned_target {
    const struct learned_setup *setup;
    enum learned_id id;
    const char *name;
    uf_spec spec;
    uf_filter *filter; /* owned */
    uf_secret *key;    /* owned; NULL: it has none */
    uf_learned learned;
    uf_region region[UF_MOST_REGIONS];
    double promised; /* its rate for keys like the valid ones */
    double bound;    /* its rate against whoever chooses keys; `promised` where it claims nothing of the kind: */
    int claims;
    double weakest; /* the highest rate of its filters; 1 when there is a region without one */
};

/* With a key of its own, from ctx->random or the system. */
int learned_target_new(const struct learned_setup *setup, enum learned_id id, const uf_context *ctx,
                       struct learned_target *out, uf_error *why);
void learned_target_free(struct learned_target *target);

/* What whoever has the file and the model knows about a text: the rate of the filter that it goes to, and its score. */
struct text_value learned_value(const void *target, const struct text *text);

#endif
