/* SPDX-License-Identifier: MIT */
#include "formula.h"

#include <math.h>

double f1_of(struct rates rates)
{
    return 2 * (1 - rates.fn) / (2 - rates.fn + rates.fp);
}

double keep_of(double epsilon)
{
    return 1 / (1 + exp(-epsilon));
}

double f1_limit(double epsilon)
{
    return fmax(2.0 / 3, keep_of(epsilon));
}

double fill_of(double keys, double bits, unsigned k)
{
    return -expm1(keys * log1p(-(double)k / bits));
}

/* P[Bin(k, p) >= t]. */
static double at_least(unsigned k, unsigned t, double p)
{
    double sum = 0;
    for (unsigned i = t; i <= k; i++)
        sum += exp(lgamma(k + 1.0) - lgamma(i + 1.0) - lgamma(k - i + 1.0)) * pow(p, i) * pow(1 - p, k - i);
    return sum;
}

struct rates array_rates(double keys, double bits, unsigned k, unsigned t, double a, double b)
{
    double one = b + (a - b) * fill_of(keys, bits, k);
    return (struct rates){at_least(k, t, one), 1 - at_least(k, t, a)};
}

double paper_equation(double p, double keys, double bits, double l)
{
    return pow(-expm1(keys * l * log1p(-p / bits)), l);
}
