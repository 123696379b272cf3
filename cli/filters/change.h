/* SPDX-License-Identifier: MIT */
/* Filters changed in place: what insert, remove and rotate have in common. One thread writes; the file is replaced when
 * all keys were worked on. Processes take turns: each holds the file's lock from loading to saving. */
#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include <stdint.h>

#include "args.h"
#include "ultrafilter.h"

/* What became of the keys. */
struct change_tally {
    uint64_t done;
    uint64_t absent; /* were not in the filter */
    uint64_t stuck;  /* the filter cannot change its answer to them */
    uint64_t full;   /* more than the filter was planned for */
};

struct change {
    const char *phase;         /* "inserting": what the progress line says */
    const char *cannot;        /* why a kind may refuse, and what to do; follows "the kind ribbon " */
    const struct option *list; /* prints the keys that are listed, instead of the report */
    /* Changes the filter by up to KEYS_BATCH keys, adds to the tally, and sets listed[i] to 1 for a key of the list and
     * to 0 for others; `listed` is NULL when no list is wanted. A status. */
    int (*apply)(uf_filter *filter, const uf_key *keys, size_t count, uint8_t *listed, struct change_tally *tally);
    /* Reports a filter that was written. EXIT_FINE, or EXIT_NONE when some keys were refused. */
    int (*report)(const struct args *args, const uf_filter *filter, const struct change_tally *tally);
};

/* Loads the first operand, to be saved in this format. Its lock is held from here to the end of the program. */
int change_load(const struct args *args, uf_filter **out, unsigned *format);

/* Nothing is listed before the file is saved: what was printed is so, whatever happens then.
 *
 * A whole run of a command whose operands are F.uf [KEYS|-]. */
int change_run(const struct args *args, const struct change *change);

#endif
