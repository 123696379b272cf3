/* SPDX-License-Identifier: MIT */
#include "rounding.h"

#include <math.h>

/* exp, log and the arithmetic around them err by a few units in the last place, 2^-52 of the value. Integers get 2^-44
 * of themselves and more; results in nats get 2^-50 of themselves and 2^-50 more. The first guard is the larger
 * one, up to 40 nats, so that an epsilon recomputed from its integers does not exceed what was asked for. */
static uint64_t up(double value)
{
    uint64_t whole = (uint64_t)value;
    return whole + (whole >> 44) + 2;
}

static double up_nats(double value)
{
    return value + fabs(value) * 0x1p-50 + 0x1p-50;
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

uint64_t flip_threshold(double epsilon)
{
    return clamp(up(0x1p64 / (1 + exp(epsilon))), 1, UINT64_C(1) << 63);
}

double flip_epsilon(uint64_t threshold)
{
    return up_nats(log((0x1p64 - (double)threshold) / (double)threshold));
}

uint64_t erase_threshold(double epsilon)
{
    double value = 0x1p64 * exp(-epsilon);
    return value >= 0x1p64 * (1 - 0x1p-43) ? UINT64_MAX : up(value);
}

double erase_epsilon(uint64_t threshold)
{
    return up_nats(-log(threshold_rate(threshold)));
}

/* `up` undone, to a few units in the last place. */
static double before_up(uint64_t threshold)
{
    return fmax(((double)threshold - 2) * (1 - 0x1p-44), 1);
}

/* Decimals first, then steps as fine as a double or a threshold can tell: `about` is good to a few of them. */
static double search(double about, unsigned bits, uint64_t threshold, uint64_t (*make)(double epsilon))
{
    double scale = 1, step = fmax(about * 0x1p-53, bits * 0x1p-55);
    for (int digits = 0; digits <= 16; digits++, scale *= 10) {
        double trial = round(about * scale) / scale;
        if (make(trial / bits) == threshold)
            return trial;
    }
    for (int i = 0; i < 128; i++) {
        double trial = about + (i % 2 ? -step : step) * (i / 2);
        if (trial >= 0 && make(trial / bits) == threshold)
            return trial;
    }
    return about;
}

double flip_asked(uint64_t threshold, unsigned bits)
{
    double flipped = before_up(threshold);
    return search(fmax(log((0x1p64 - flipped) / flipped), 0) * bits, bits, threshold, flip_threshold);
}

double erase_asked(uint64_t threshold)
{
    return search(fmax(-log(before_up(threshold) * 0x1p-64), 0), 1, threshold, erase_threshold);
}

double threshold_rate(uint64_t threshold)
{
    return (double)threshold * 0x1p-64;
}

/* Knuth's exact error of an addition: sum + error == spent + more. */
double sum_up(double spent, double more)
{
    double sum = spent + more;
    double part = sum - spent;
    double error = (spent - (sum - part)) + (more - part);
    return error > 0 ? nextafter(sum, INFINITY) : sum;
}

double rest_down(double budget, double spent)
{
    return -sum_up(spent, -budget);
}

/* f = (1 - u) / ((1 - eta)/u - u), u = e^-eps: then ln(1 - p' + p'/f) - ln(1 - eta) = eps with p' = 1 - u. */
uint64_t radix_accept(double epsilon, uint64_t values, double eta)
{
    double u = exp(-epsilon);
    double f = -expm1(-epsilon) / ((1 - eta) / u - u);
    double accept = ceil(f * (double)values * (1 + 1e-12));
    return clamp((uint64_t)accept, 1, values);
}

double radix_epsilon(uint64_t erase, uint64_t values, uint64_t accept, double eta)
{
    double left_out = threshold_rate(erase), f = (double)accept / (double)values;
    double down = erase_epsilon(erase);
    double high = up_nats(log(left_out + (1 - left_out) / f) - log1p(-eta));
    return fmax(down, high);
}

uint64_t lef_accept(double epsilon, unsigned columns)
{
    return radix_accept(epsilon, UINT64_C(1) << columns, LEF_ETA);
}

double lef_epsilon(uint64_t erase, unsigned columns, uint64_t accept)
{
    return radix_epsilon(erase, UINT64_C(1) << columns, accept, LEF_ETA);
}
