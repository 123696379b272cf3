/* SPDX-License-Identifier: MIT */
/* What the files of `publish` share. */
#ifndef CLI_PUBLISH_H
#define CLI_PUBLISH_H

#include "args.h"
#include "keys.h"
#include "ultrafilter.h"

struct publish {
    const struct args *args;
    struct keys_format format;
    struct source *source; /* the first operand, or standard input; closed by whoever reads it */
    uf_context context;
    const char *mechanism; /* dpset, ultra, dime, nickel or published */
    int exact;             /* the operand is a filter, not keys */
    const char *universe;  /* --universe; NULL: not given */
    double epsilon;
    double count_cost;            /* of a noisy count; 0: the capacity was declared */
    char id[UF_FINGERPRINT_SIZE]; /* of the file; known once it is built */
    uf_design better;             /* than the copy of an exact filter, in the same size; k is 0 when there is none */
};

/* A filter of a released set. */
extern const struct option option_odds; /* of publish_set */
int publish_set(const struct publish *job, uf_filter **out);

/* Warns of an exact filter with more keys than planned: the rates that its copy claims are those of the plan. */
void publish_warn_overfull(const char *path, const uf_filter *exact);

/* Looks whether another exact filter of this size would give a better copy, and warns. */
void publish_compare(struct publish *job, const uf_filter *copy);

/* The report of a filter that was written, and of its ledger, if any. EXIT_FINE, or EXIT_ERROR after a message. */
int publish_print(const struct publish *job, const uf_filter *filter, const uf_ledger_state *state);
int publish_print_json(const struct publish *job, const uf_filter *filter, const uf_ledger_state *state);

#endif
