/* SPDX-License-Identifier: MIT */
/*
 * What is known of a filter whose keys were released (privacy/mark.h). With F and G the filter's own rates of false
 * positives and false negatives, 0 for most kinds,
 *
 *     other keys:  q (1 - G) + (1 - q) F       decoys, then errors of the filter
 *     members:     dime    missed unless they stayed and are found, or left and are found by error:
 *                          1 - (1 - q)(1 - G) - q F, which is q (1 - F) when G = 0
 *                  nickel  G
 *
 * F of a learned kind is that of keys like its negatives. Members are not like these: that those who left are found by
 * error is then not counted, and dime's is 1 - (1 - q)(1 - G).
 *
 * U = 20,000, n = 2,000, 2^15 bits, dime at epsilon 2, k = 5: 0.1353 and 0.1170; measured 0.1352 and 0.1169.
 */
#include "released.h"

#include <math.h>

#include "filter.h"
#include "sized.h"

int uf_get_released(const uf_filter *filter, uf_released *out, size_t size)
{
    const struct release_mark *mark = &filter->released;
    uf_released released = {.bound = NAN};
    if (is_released(filter))
        released = (uf_released){mark_name(mark), mark_rate(mark), mark_bound(mark), mark->universe};
    return sized_write(&released, sizeof released, out, size);
}

/* How many keys there are, and all that would tell it. */
void released_info(const uf_filter *filter, uf_info *out)
{
    (void)filter;
    out->capacity = 0;
    out->count_estimate = out->fill = out->fpr_now = NAN;
}

static void dime_claim(const uf_filter *filter, uf_claim *out)
{
    double q = mark_rate(&filter->released), fpr = out->fpr, fnr = out->fnr;
    double found = filter->ops->learned ? 0 : fpr;
    out->fpr = q * (1 - fnr) + (1 - q) * fpr;
    out->fnr = (1 - q) * fnr + q * (1 - found);
    out->epsilon = mark_bound(&filter->released);
    out->delta = 0;
    out->unit = "one key of the universe added or removed";
    out->not_protected = "groups of related keys (k keys: k times epsilon), " UNPROTECTED_RELEASES ", the "
                         "universe and the size that was planned for";
    out->proof = "docs/privacy.md#dime";
}

static void nickel_claim(const uf_filter *filter, uf_claim *out)
{
    double q = mark_rate(&filter->released);
    out->fpr = q * (1 - out->fnr) + (1 - q) * out->fpr;
    out->epsilon = NAN;
    out->delta = NAN;
    out->unit = "presence only";
    out->not_protected = "absence: a key that this file rejects is certainly not in the set, so this is not "
                         "differential privacy; and groups of related keys, " UNPROTECTED_RELEASES ", the "
                         "universe and the size that was planned for";
    out->proof = "docs/privacy.md#nickel";
}

void released_claim(const uf_filter *filter, uf_claim *out)
{
    if (filter->released.mechanism == RELEASE_DIME)
        dime_claim(filter, out);
    else
        nickel_claim(filter, out);
}
