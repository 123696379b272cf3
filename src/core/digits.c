/* SPDX-License-Identifier: MIT */
#include "digits.h"

#include <string.h>

#include "arith.h"

const unsigned digits_prime[DIGITS_FIELDS] = {2, 3, 7};

enum { WORD = 32, MOST_PART = 512 };

int digits_factor(uint32_t radix, uint8_t power[DIGITS_FIELDS])
{
    if (radix < 2)
        return 0;
    for (unsigned i = 0; i < DIGITS_FIELDS; i++)
        for (power[i] = 0; radix % digits_prime[i] == 0; power[i]++)
            radix /= digits_prime[i];
    return radix == 1;
}

/* ---- parts ---- */

/* Lanes of the columns from `first` on, as many as fit into a word: how many, and the product of their primes. */
static uint32_t part_of(const struct digits *digits, unsigned first, unsigned end, unsigned *bits)
{
    uint32_t product = 1;
    *bits = 0;
    for (unsigned j = first; j < end; j++) {
        product *= digits_prime[digits_field(digits, j)];
        *bits += digits_lane(digits_field(digits, j));
    }
    return product;
}

/* One part where it is small enough, else where the larger of two is smallest. */
static void cut(struct digits *digits)
{
    unsigned bits, other;
    uint32_t least = UINT32_MAX;
    digits->low = part_of(digits, 0, digits->columns, &bits);
    digits->high = 1;
    digits->low_columns = digits->columns;
    if (digits->radix <= MOST_PART && bits <= WORD)
        return;
    for (unsigned end = 1; end < digits->columns; end++) {
        uint32_t low = part_of(digits, 0, end, &bits), high = part_of(digits, end, digits->columns, &other);
        uint32_t larger = low > high ? low : high;
        if (bits > WORD || other > WORD || larger >= least)
            continue;
        least = larger;
        digits->low = low;
        digits->high = high;
        digits->low_columns = (uint8_t)end;
    }
}

/* The digits of `number`, each in its lane, from column `first` on. */
static uint32_t spread_of(const struct digits *digits, uint32_t number, unsigned first, unsigned end)
{
    uint32_t word = 0;
    unsigned shift = 0;
    for (unsigned j = first; j < end; j++) {
        uint32_t prime = digits_prime[digits_field(digits, j)];
        word |= number % prime << shift;
        number /= prime;
        shift += digits_lane(digits_field(digits, j));
    }
    return word;
}

void digits_start(uint32_t radix, uint32_t numbers, uint32_t bits, struct digits *out, uint32_t *spread)
{
    memset(out, 0, sizeof *out);
    out->radix = radix;
    out->numbers = numbers;
    out->bits = bits;
    out->per_pack = (UINT32_C(1) << 31) / numbers + 1;
    (void)digits_factor(radix, out->power);
    out->columns = (uint8_t)(out->power[0] + out->power[1] + out->power[2]);
    cut(out);
    (void)part_of(out, 0, out->low_columns, &out->low_bits);
    for (uint32_t i = 0; i < out->low; i++)
        spread[i] = spread_of(out, i, 0, out->low_columns);
    for (uint32_t i = 0; i < out->high; i++)
        spread[out->low + i] = spread_of(out, i, out->low_columns, out->columns);
    out->whole = 1;
    for (uint32_t i = 0; i < numbers; i++) {
        out->scale[i] = out->whole << ((bits <= 32 ? 32 : 64) - bits);
        out->whole *= radix;
    }
}

/* ---- packing ---- */

/* floor(a 2^64 / b), a < b < 2^63: bit by bit. */
static uint64_t divide(uint64_t a, uint64_t b)
{
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        a <<= 1;
        quotient = quotient << 1 | (a >= b);
        a -= a >= b ? b : 0;
    }
    return quotient;
}

uint64_t digits_ratio(const struct digits *digits)
{
    return divide((UINT64_C(1) << digits->bits) - digits->whole, digits->whole);
}

/* With W = R^K and 2^B = W + D: F = V + ceil(V D / W), and V times the ratio D / W is at most two too low. */
uint64_t digits_pack(const struct digits *digits, uint64_t ratio, const uint16_t *number)
{
    uint64_t whole = digits->whole, v = 0;
    for (uint32_t i = 0; i < digits->numbers; i++)
        v = v * digits->radix + number[i];
    uint64_t fraction = v + mul_high(v, ratio);
    for (int64_t over = (int64_t)(fraction * whole - (v << digits->bits)); over < 0; over += (int64_t)whole)
        fraction++;
    return fraction;
}
