/* SPDX-License-Identifier: MIT */
#include "radix.h"

#include <math.h>

#include "arith.h"
#include "rounding.h"
#include "shards.h"

static int legal_radices(const struct radix_design *design)
{
    uint8_t power[DIGITS_FIELDS];
    uint32_t first = design->radix[0], second = design->radix[1];
    if (first > DIGITS_MOST_RADIX || !digits_factor(first, power))
        return 0;
    if (design->groups == 1)
        return design->accept == 1 && second == 0;
    return design->groups == 2 && second <= RADIX_MOST_SECOND && digits_factor(second, power) &&
           design->accept > second && design->accept < 2 * second;
}

int radix_legal(const struct radix_design *design)
{
    return legal_radices(design) && design->slack <= 4 && radix_eta(design->band, design->slack, 1) > 0;
}

uint64_t radix_values(const struct radix_design *design)
{
    return (uint64_t)design->radix[0] * (design->groups > 1 ? design->radix[1] : 1);
}

void radix_rates(const struct radix_design *design, double *fpr, double *fnr)
{
    *fpr = (double)design->accept / (double)radix_values(design);
    *fnr = threshold_rate(design->erase) * (1 - *fpr);
}

double radix_charge(const struct radix_design *design)
{
    return radix_epsilon(design->erase, radix_values(design), design->accept, radix_design_eta(design));
}

/* ---- packing ---- */

/* The bits of R^k - 1, and 99 when they are more than 63. */
static uint32_t bits_of(uint32_t radix, uint32_t k)
{
    uint64_t power = 1;
    for (uint32_t i = 0; i < k; i++) {
        if (power > (UINT64_C(1) << 63) / radix)
            return 99;
        power *= radix;
    }
    return power < 2 ? 0 : 64 - (uint32_t)__builtin_clzll(power - 1);
}

/* The last bit of a byte at which a pack of so many bits can begin. */
static uint32_t last_start(uint32_t bits)
{
    return bits % 8 == 0 ? 0 : bits % 4 == 0 ? 4 : bits % 2 == 0 ? 6 : 7;
}

static struct radix_packing densest(uint32_t radix, uint32_t most_bits)
{
    struct radix_packing best = {0, 0};
    for (uint32_t k = 1; k <= DIGITS_MOST_PACKED; k++) {
        uint32_t bits = bits_of(radix, k);
        if (bits <= most_bits && bits + last_start(bits) <= 64 &&
            (!best.numbers || bits * best.numbers < best.bits * k))
            best = (struct radix_packing){k, bits};
    }
    return best;
}

struct radix_packing radix_pack(uint32_t radix, uint32_t band)
{
    struct radix_packing dense = densest(radix, 64), narrow = densest(radix, 32);
    /* 200 / 203 of its bits are 1.5 % fewer */
    uint64_t least = (uint64_t)dense.bits * narrow.numbers * 203, bits = (uint64_t)narrow.bits * dense.numbers * 200;
    return band == 64 && bits <= least ? narrow : dense;
}

/* ---- sizes ---- */

static uint64_t root_up(uint64_t x)
{
    uint64_t root = 0;
    for (int bit = 31; bit >= 0; bit--)
        if ((root | UINT64_C(1) << bit) * (root | UINT64_C(1) << bit) <= x)
            root |= UINT64_C(1) << bit;
    return root + (root * root < x);
}

/* Of n keys, how many a shard plants on average, rounded up: n (2^64 - erase) / 2^64 / shards. */
static uint64_t planted(uint64_t n, uint64_t erase, uint32_t shards)
{
    uint64_t whole = mul_high(n, 0 - erase) + 1;
    return ceil_div(whole < n ? whole : n, shards);
}

enum { MANY_SHARDS = 4096 };

/* Of very many shards one would nearly always have more than the others need. */
static uint32_t most_planted(uint64_t mean, uint64_t n, uint32_t shards)
{
    uint64_t variance = n ? mean - mean * mean / n : 0, room = shards > MANY_SHARDS ? 36 : 20;
    uint64_t most = mean + root_up(room * variance) + 8;
    return (uint32_t)(most < n ? most : n);
}

void radix_layout(const struct radix_design *design, uint64_t n, struct radix_layout *out)
{
    uint64_t words = 0, spare = (uint64_t)ceil(design->slack * 0x1p16); /* exact but for the ceil */
    *out = (struct radix_layout){.shards = shards_for(n, RADIX_SHARD_KEYS)};
    uint64_t mean = planted(n, design->erase, out->shards);
    for (uint32_t i = 0; i < design->groups; i++) {
        struct radix_group *group = &out->group[i];
        if (i)
            mean = ceil_div(mean * (design->accept - design->radix[1]), design->accept);
        group->most = most_planted(mean, n, out->shards);
        group->packing = radix_pack(design->radix[i], design->band);
        uint64_t slots = group->most + ceil_div(group->most * spare, 1 << 16) + design->band;
        uint64_t packs = ceil_div(slots, group->packing.numbers);
        group->slots = (uint32_t)(packs * group->packing.numbers);
        group->offset = (uint32_t)words;
        words += ceil_div(packs * group->packing.bits, 64);
    }
    out->shard_words = (uint32_t)words;
}

double radix_bits(const struct radix_design *design, uint64_t n)
{
    struct radix_layout layout;
    radix_layout(design, n, &layout);
    return 64.0 * layout.shard_words * layout.shards / (double)n;
}
