/* SPDX-License-Identifier: MIT */
#include "promise.h"

#include <math.h>
#include <stdio.h>

#include "human.h"

/* Up in the third digit: 20.08 becomes 20.1. What is above by less than rounding of ours stays. */
static double up(double value)
{
    double unit = pow(10, floor(log10(value)) - 2);
    return ceil(value / unit - 1e-9) * unit;
}

static void differential(const uf_claim *claim, char out[PROMISE_TEXT])
{
    char delta[64] = "";
    if (claim->delta > 0)
        (void)snprintf(delta, sizeof delta, ", delta %.2g", up(claim->delta));
    (void)snprintf(out, PROMISE_TEXT,
                   "For any one key, this file changes the odds that it is in the set by at most a factor of %.3g "
                   "(epsilon %.3g per key%s, %s; %s).",
                   up(exp(claim->epsilon)), up(claim->epsilon), delta, claim->unit, claim->proof);
}

static void presence(const uf_released *released, const uf_claim *claim, char out[PROMISE_TEXT])
{
    (void)snprintf(out, PROMISE_TEXT,
                   "Presence only: for a key that this file accepts, the odds that it is in the set rise by at most a "
                   "factor of %.3g. A key that it rejects is certainly not in the set (%s).",
                   up(exp(released->bound)), claim->proof);
}

void promise_privacy(const uf_claim *claim, const uf_released *released, char out[PROMISE_TEXT])
{
    if (!isnan(claim->epsilon))
        differential(claim, out);
    else if (released->mechanism)
        presence(released, claim, out);
    else
        (void)snprintf(out, PROMISE_TEXT,
                       "None in numbers: no epsilon bounds what this file tells about who is in the set (%s).",
                       claim->proof);
}

void promise_accuracy(const uf_claim *claim, char out[PROMISE_TEXT])
{
    char missed[64] = "No member is missed", limit[160] = "";
    double best = 2 / (1 + exp(claim->epsilon)), sum = claim->fpr + claim->fnr;
    if (claim->fnr > 0)
        (void)snprintf(missed, sizeof missed, "%s of members are missed", human_percent(claim->fnr).text);
    if (sum <= 1.005 * best)
        (void)snprintf(limit, sizeof limit, " No file with this promise can do better.");
    else if (!isnan(best))
        (void)snprintf(limit, sizeof limit, " The limit for this promise is %s of each.", human_percent(best / 2).text);
    (void)snprintf(out, PROMISE_TEXT, "%s, %s of others are accepted.%s", missed, human_percent(claim->fpr).text,
                   limit);
}
