/* SPDX-License-Identifier: MIT */
/*
 * Numbers below R = 2^a 3^b 7^c as digits of GF(2), GF(3) and GF(7): in mixed radix, least significant first, a digits
 * of 2, then b of 3, then c of 7. 21 = 3 * 7: the number 17 has the digits 2 and 5, 2 + 3 * 5.
 *
 * A table of them is packed: K numbers x0 ... make one number V = x0 R^(K-1) + x1 R^(K-2) + ... below R^K <= 2^B,
 * stored as the fraction F = ceil(V 2^B / R^K) of B bits. Number j is the integer part of R frac(R^j F / 2^B): two
 * multiplications. It is exact, since the error of F is below 1 / 2^B, and R^j times that is at most the distance of
 * the fractions, R^j / R^K; and whatever the bits are, what comes out is below R. Of the 2^B fractions those are used
 * for which F R^K mod 2^B is below R^K, one for each V.
 *
 * To add up numbers, digit by digit, each digit gets a lane of a word, wide enough for nine of them: one lookup and one
 * addition per number. A number of more than 512 is looked up in two parts.
 */
#ifndef UF_DIGITS_H
#define UF_DIGITS_H

#include <stdint.h>

enum {
    DIGITS_FIELDS = 3,
    DIGITS_MOST_RADIX = 1 << 15,
    DIGITS_MOST_COLUMNS = 15,
    DIGITS_MOST_PACKED = 16,
    DIGITS_ENTRIES = 576, /* of both parts: at most 549 */
    DIGITS_TERMS = 9      /* numbers that a sum may have */
};

extern const unsigned digits_prime[DIGITS_FIELDS]; /* 2, 3, 7 */

/* R = 2^power[0] 3^power[1] 7^power[2]; 0 when it is not, or R is below 2. */
int digits_factor(uint32_t radix, uint8_t power[DIGITS_FIELDS]);

struct digits {
    uint32_t radix;                     /* R */
    uint32_t low, high;                 /* R = low * high, the parts of a lookup; high = 1 where there is one */
    uint32_t numbers, bits;             /* K, B */
    uint32_t per_pack;                  /* 2^31 / K, rounded up: slot / K = slot * per_pack >> 31 to 2^27 / K */
    uint32_t low_bits;                  /* of the lanes of the low part */
    uint8_t power[DIGITS_FIELDS];       /* columns of each field */
    uint8_t columns, low_columns;       /* of all, of the low part */
    uint64_t whole;                     /* R^K */
    uint64_t scale[DIGITS_MOST_PACKED]; /* R^j 2^(64 - B), and 2^(32 - B) where B is at most 32 */
};

/* packs: numbers and bits, as radix_pack of privacy/radix.h has them. spread: low + high entries are written. */
void digits_start(uint32_t radix, uint32_t numbers, uint32_t bits, struct digits *out, uint32_t *spread);

/* The field of a column. */
static inline unsigned digits_field(const struct digits *digits, unsigned column)
{
    return column < digits->power[0] ? 0 : column < (unsigned)digits->power[0] + digits->power[1] ? 1 : 2;
}

/* The bits of a lane for nine digits: 9 * 1, 9 * 2 and 9 * 6 at most. Lanes come in the order of columns. */
static inline unsigned digits_lane(unsigned field)
{
    return 4 + field;
}

/* What is left of a sum of nine digits, modulo 2, 3 or 7. */
static inline uint32_t digits_rest(unsigned field, uint32_t sum)
{
    return field == 0 ? sum & 1 : field == 1 ? sum - 3 * (sum * 86 >> 8) : sum - 7 * (sum * 37 >> 8);
}

/* The fraction of K numbers, and whether a fraction is one. digits_ratio: (2^B - R^K) / R^K of 2^64, for digits_pack.
 */
uint64_t digits_ratio(const struct digits *digits);
uint64_t digits_pack(const struct digits *digits, uint64_t ratio, const uint16_t *number);

static inline int digits_is_fraction(const struct digits *digits, uint64_t fraction)
{
    return (fraction * digits->whole & ((UINT64_C(1) << digits->bits) - 1)) < digits->whole;
}

#endif
