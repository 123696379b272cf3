/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include <math.h>

#include "rounding.h"
#include "shards.h"

/* The groups of `accept`, and the share of planted keys that reach each. */
static uint32_t cut_groups(const struct lef_design *design, struct lef_group group[LEF_MOST_GROUPS],
                           double share[LEF_MOST_GROUPS])
{
    uint32_t groups = 0, top = design->columns;
    double left = 1;
    if (!design->dyadic) {
        group[0] = (struct lef_group){.columns = design->columns};
        share[0] = 1;
        return 1;
    }
    for (uint32_t bit = design->columns; bit-- > 0;) {
        if (!(design->accept >> bit & 1))
            continue;
        if (groups == LEF_MOST_GROUPS)
            return 0;
        group[groups] = (struct lef_group){.low = bit, .columns = top - bit};
        share[groups++] = left;
        left -= ldexp(1, (int)bit) / (double)design->accept; /* decided here */
        top = bit;
    }
    return groups;
}

/* Sizes come from the capacity of a shard, that is its share of n and six standard deviations, and for each group of
 * the keys that reach it and four of theirs. */
void lef_layout(const struct lef_design *design, uint64_t n, double slack, struct lef_layout *out)
{
    out->shards = shards_for(n, LEF_SHARD_KEYS);
    double share[LEF_MOST_GROUPS], each = (double)n / out->shards;
    double planted = 1 - threshold_rate(design->erase), capacity = out->shards > 1 ? each + 6 * sqrt(each) : each;
    out->groups = cut_groups(design, out->group, share);
    for (uint32_t i = 0; i < out->groups; i++) {
        double reach = planted * share[i], keys = capacity * reach;
        double slots = (keys + 4 * sqrt(keys * (1 - reach) + 1)) * (1 + slack) + LEF_BAND;
        out->group[i].slots = (uint32_t)(ceil(slots / 64) * 64);
    }
}

double lef_bits(const struct lef_design *design, uint64_t n, double slack)
{
    struct lef_layout layout;
    double bits = 0;
    lef_layout(design, n, slack, &layout);
    for (uint32_t i = 0; i < layout.groups; i++)
        bits += (double)layout.group[i].slots * layout.group[i].columns;
    return bits * layout.shards / (double)n;
}

/* From the best design that the formula allows down to the best that really fits. */
int lef_fit(double epsilon, double slack, int dyadic, double most_bits, uint64_t n, struct lef_design *out)
{
    double most = most_bits;
    int found = lef_choose(epsilon, slack, dyadic, most, out);
    while (found && most > 0 && n && lef_bits(out, n, slack) > most_bits) {
        most = nextafter(out->bits, 0);
        found = most > 0 && lef_choose(epsilon, slack, dyadic, most, out);
    }
    return found;
}
