/* SPDX-License-Identifier: MIT */
/* Worked: 10 of 50 at epsilon 3: q = 0.0498, 2.0 decoys, 10 / 12.0 = 83.4 %; even odds at q = 10 / 40, epsilon 1.39. */
#include "nickel_odds.h"

#include <math.h>
#include <stdio.h>

#include "human.h"

struct nickel_odds nickel_odds(uint64_t members, uint64_t universe, double epsilon)
{
    const double s = (double)members, others = universe > members ? (double)(universe - members) : 0;
    struct nickel_odds out = {.q = exp(-epsilon), .even_q = NAN, .even_epsilon = NAN};
    out.decoys = others * out.q;
    out.posterior = s + out.decoys > 0 ? s / (s + out.decoys) : NAN;
    if (s > 0 && s <= others) {
        out.even_q = s / others;
        out.even_epsilon = log(others / s);
    }
    return out;
}

void nickel_sentence(uint64_t members, uint64_t universe, double epsilon, char out[NICKEL_SENTENCE])
{
    const struct nickel_odds odds = nickel_odds(members, universe, epsilon);
    char few[24];
    (void)snprintf(few, sizeof few, "%.3g", odds.decoys);
    int length =
        snprintf(out, NICKEL_SENTENCE,
                 "With %s member%s among %s keys, %s decoys are expected, and a key that is listed is a member "
                 "with %.1f %%. ",
                 human_count((double)members).text, members == 1 ? "" : "s", human_count((double)universe).text,
                 odds.decoys < 1000 ? few : human_count(rint(odds.decoys)).text,
                 isnan(odds.posterior) ? 0 : 100 * odds.posterior);
    if (length < 0 || length >= NICKEL_SENTENCE)
        return;
    if (isnan(odds.even_q))
        (void)snprintf(out + length, NICKEL_SENTENCE - (size_t)length,
                       "No epsilon gives even odds: that takes as many others as members.");
    else
        (void)snprintf(out + length, NICKEL_SENTENCE - (size_t)length,
                       "Even odds take q = %.3g, which is epsilon %.3g.", odds.even_q, odds.even_epsilon);
}

void nickel_remark(double epsilon, char out[NICKEL_SENTENCE])
{
    (void)snprintf(
        out, NICKEL_SENTENCE,
        "The epsilon of the paper is ln q and negative, %.3g here: the log of the share of others who are listed "
        "as decoys. It is no loss; the loss of whoever is listed is ln(1/q), %.3g.",
        -epsilon, epsilon);
}
