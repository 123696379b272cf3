/* SPDX-License-Identifier: MIT */
/*
 * What outlives a run, in a folder: good.uf and bad.uf, filter files of the library like any other; table, what is
 * remembered of sources (strikes, whether each was added itself, and how far into a sequence it is, which holds for the
 * same patterns only); and bad.journal, the sources that turned bad since bad.uf was saved, one a line.
 *
 * A line of the journal is written before the next packet is judged, so no kill undoes a verdict. The files are
 * replaced atomically: good.uf, then table, then bad.uf, and only then the journal is emptied. Killed between any two
 * of them, the next run finds a table that claims nothing that good.uf does not have, and a source in bad.uf and in the
 * journal, which is no harm.
 */
#ifndef GATE_KEEP_H
#define GATE_KEEP_H

#include "gate.h"

enum { KEEP_PATH = 4096 };

struct keep {
    char good[KEEP_PATH], bad[KEEP_PATH], table[KEEP_PATH], journal_path[KEEP_PATH];
    int journal;                     /* a descriptor; -1: nothing is kept */
    int failed;                      /* errno of the first line of the journal that could not be written */
    uint8_t digest[PATTERNS_DIGEST]; /* of the patterns that the states in the table belong to */
};

/* Makes the folder if there is none, and keeps other gates out of it. Non-zero, and said on stderr, when it cannot.
 * Must be closed either way. */
int keep_open(struct keep *keep, const char *folder);

/* Gives an open gate the table and the journal, and lets it tell of the sources that it condemns. */
int keep_load(struct keep *keep, struct gate *gate);

/* Non-zero, and said on stderr, when a file could not be saved; the old ones and the journal then still hold. */
int keep_save(struct keep *keep, const struct gate *gate);

void keep_close(struct keep *keep);

#endif
