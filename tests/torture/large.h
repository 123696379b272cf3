/* SPDX-License-Identifier: MIT */
/*
 * Filters of up to 10^8 keys, each built and asked in a process of its own, which says how long that took and how much
 * memory. Keys are 8 bytes, or words of two made-up languages for kinds that learn: members of the first, strangers,
 * those that they are planned with among them, of the second. No stranger is a member.
 */
#ifndef UF_TORTURE_LARGE_H
#define UF_TORTURE_LARGE_H

#include <stdint.h>

struct large {
    const char *spec; /* without n */
    uint64_t n;
    uint64_t members, strangers; /* to ask for: of n, and any number */
    uint64_t seed;               /* of the keys */
};

struct large_result {
    int status; /* of the library; the rest is 0 unless it is UF_OK */
    uint64_t members, missed, strangers, accepted;
    double fpr, fnr; /* that it claims */
    double bytes;    /* of its payload */
    double planned;  /* strangers that its rate was planned with; 0: it is computed */
    double build_seconds, ask_seconds, processor_seconds;
    double peak_kib; /* more than the process had before */
    char why[200];
};

/* Learned kinds: as many strangers to plan with. Once, before anything is run. */
void large_open(uint64_t valid);

struct large_result large_run(const struct large *request);

/* `request` with fewer keys when these would take more memory than there is, or more seconds of a processor than
 * FILTER_SECONDS (600 unless told): a hundredth of it is tried. */
struct large large_fit(const struct large *request);

#endif
