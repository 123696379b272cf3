/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include <math.h>

const struct experiment *const experiments[] = {&experiment_ultrafilter, &experiment_nickel_dime, &experiment_bodega,
                                                NULL};

int experiment_fail(uf_error *why, int status)
{
    (void)snprintf(why->text, sizeof why->text, "%s", uf_status_text(status));
    return status;
}

double rate_tolerance(double rate, double trials)
{
    return 4.5 * sqrt(rate * (1 - rate) / trials) + 3 / trials;
}
