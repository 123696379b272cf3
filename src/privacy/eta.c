/* SPDX-License-Identifier: MIT */
#include "eta.h"

#include <stddef.h>

static const struct eta_layout layouts[] = {
    {64, 0.08, 1e-3},
    {128, 0.03, 1.5e-3},
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

const struct eta_layout *eta_layout(unsigned index)
{
    return index < LAYOUTS ? &layouts[index] : NULL;
}

double radix_eta(unsigned band, double slack, unsigned fields)
{
    for (unsigned i = 0; i < LAYOUTS; i++)
        if (layouts[i].band == band && slack >= layouts[i].least_slack)
            return fields * layouts[i].eta;
    return 0;
}
