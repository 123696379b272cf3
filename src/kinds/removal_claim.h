/* SPDX-License-Identifier: MIT */
/*
 * What a kind promises that takes a key's cells back when it is removed: counting and deletable. Whoever removes a key
 * that is no member takes cells of others, and a key that was removed keeps those that others share with it. So no
 * member is missed as long as the owner removes members only, and of everything else nothing is promised. What came and
 * went may leave it as full as it gets before it refuses; that rate is what holds for fresh keys
 * (docs/threat-model.md#removals).
 */
#ifndef UF_REMOVAL_CLAIM_H
#define UF_REMOVAL_CLAIM_H

#include "filter.h"

static inline void removal_claim(const struct uf_filter *filter, uf_claim *out)
{
    out->fnr_against = UF_AGAINST_ALL & ~(unsigned)UF_AGAINST_ANY_REMOVALS;
    if (!is_keyed(filter)) {
        out->adversary = "keys chosen without knowledge of this file, and removals of members only: removing a false "
                         "positive may hide members";
        return;
    }
    out->adversary = "anyone without its key who asks or inserts, even with this file and all answers at hand, while "
                     "its owner removes members only, each as often as it was inserted";
    out->not_protected = "how many keys there are; anything, from whoever has its key; a false positive that was found "
                         "by asking, until the filter is built anew; removed keys, of which some are accepted again; "
                         "and members, from whoever may remove keys that are none: answers alone lead to those";
    out->proof = "docs/threat-model.md#removals";
}

#endif
