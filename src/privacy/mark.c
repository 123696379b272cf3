/* SPDX-License-Identifier: MIT */
#include "mark.h"

#include <stddef.h>

#include "rounding.h"

int mark_known(uint64_t mechanism)
{
    return mechanism <= RELEASE_NICKEL;
}

const char *mark_name(const struct release_mark *mark)
{
    switch (mark->mechanism) {
    case RELEASE_DIME:
        return "dime";
    case RELEASE_NICKEL:
        return "nickel";
    default:
        return NULL;
    }
}

int mark_legal(const struct release_mark *mark)
{
    if (mark->mechanism == RELEASE_NONE)
        return !mark->threshold && !mark->universe;
    if (!mark_known(mark->mechanism) || !mark->threshold || !mark->universe || mark->universe > UNIVERSE_MOST)
        return 0;
    return mark->mechanism == RELEASE_NICKEL || mark->threshold <= UINT64_C(1) << 63;
}

double mark_rate(const struct release_mark *mark)
{
    return threshold_rate(mark->threshold);
}

double mark_bound(const struct release_mark *mark)
{
    return mark->mechanism == RELEASE_DIME ? flip_epsilon(mark->threshold) : erase_epsilon(mark->threshold);
}
