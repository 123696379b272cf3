/* SPDX-License-Identifier: MIT */
/*
 * What the owner of a Nickel release knows and nobody else may be told, as it gives the number of members away: how
 * sure everybody is who knows that number too that a listed key is a member.
 */
#ifndef CLI_NICKEL_ODDS_H
#define CLI_NICKEL_ODDS_H

#include <stddef.h>
#include <stdint.h>

struct nickel_odds {
    double q;            /* of the others this share is listed: e^-epsilon */
    double decoys;       /* expected: (|U| - |S|) q */
    double posterior;    /* a listed key is a member: |S| / (|S| + decoys). NaN when nobody is listed */
    double even_q;       /* the q at which that is one half; NaN when members are the majority, and no q does it */
    double even_epsilon; /* ln(1 / even_q) */
};

struct nickel_odds nickel_odds(uint64_t members, uint64_t universe, double epsilon);

/* Sentences that say so; and what the negative epsilon of the paper means. */
enum { NICKEL_SENTENCE = 512 };
void nickel_sentence(uint64_t members, uint64_t universe, double epsilon, char out[NICKEL_SENTENCE]);
void nickel_remark(double epsilon, char out[NICKEL_SENTENCE]);

#endif
