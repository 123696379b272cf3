/* SPDX-License-Identifier: MIT */
#include "skip.h"

#include <openssl/bn.h>

/* Bounds of a number in [0, 1], as integers of so many bits after the point; and what computing them needs. */
struct bounds {
    unsigned bits;
    BIGNUM *low, *high, *one, *sum;
    BN_CTX *ctx;
};

static void bounds_free(struct bounds *bounds)
{
    BN_free(bounds->low);
    BN_free(bounds->high);
    BN_free(bounds->one);
    BN_free(bounds->sum);
    BN_CTX_free(bounds->ctx);
}

static int set_u64(BIGNUM *out, uint64_t value)
{
    unsigned char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> 8 * (7 - i));
    return BN_bin2bn(bytes, sizeof bytes, out) != NULL;
}

/* The value, or 2^64 - 1 when it is larger. */
static uint64_t get_u64(const BIGNUM *number)
{
    unsigned char bytes[8];
    uint64_t value = 0;
    if (BN_bn2binpad(number, bytes, sizeof bytes) != sizeof bytes)
        return UINT64_MAX;
    for (unsigned i = 0; i < 8; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* To the left, or to the right when negative; rounded down. */
static int shift(BIGNUM *number, int places)
{
    return places < 0 ? BN_rshift(number, number, -places) : BN_lshift(number, number, places);
}

/* r = 1 - q. */
static int bounds_start(struct bounds *bounds, uint64_t threshold, unsigned bits)
{
    *bounds = (struct bounds){bits, BN_new(), BN_new(), BN_new(), BN_new(), BN_CTX_new()};
    return bounds->low && bounds->high && bounds->one && bounds->sum && bounds->ctx && BN_one(bounds->one) &&
           shift(bounds->one, (int)bits) && set_u64(bounds->low, 0 - threshold) && shift(bounds->low, (int)bits - 64) &&
           BN_copy(bounds->high, bounds->low) && BN_add_word(bounds->high, 1);
}

/* r becomes r^2, with what is cut off given to the upper bound. */
static int bounds_square(struct bounds *bounds)
{
    return BN_sqr(bounds->low, bounds->low, bounds->ctx) && shift(bounds->low, -(int)bounds->bits) &&
           BN_sqr(bounds->high, bounds->high, bounds->ctx) && shift(bounds->high, -(int)bounds->bits) &&
           BN_add_word(bounds->high, 1);
}

/* value = value / (1 + value), rounded down. */
static int odds_to_share(struct bounds *bounds, BIGNUM *value)
{
    return BN_add(bounds->sum, bounds->one, value) && shift(value, (int)bounds->bits) &&
           BN_div(value, NULL, value, bounds->sum, bounds->ctx);
}

static int bounds_share(struct bounds *bounds)
{
    return odds_to_share(bounds, bounds->low) && odds_to_share(bounds, bounds->high) && BN_add_word(bounds->high, 1);
}

/* Cut down to the first `bits` bits: a uniform number with so many bits is decided when it is below low or above high.
 */
static int bounds_fit(struct bounds *bounds, unsigned bits)
{
    int places = (int)bits - (int)bounds->bits;
    bounds->bits = bits;
    return shift(bounds->low, places) && shift(bounds->high, places);
}

/* The bounds of comparison `which` (skip.h) in 64 bits, from those of r in `at`, which stay as they are. */
static int table_entry(const struct skip *skip, unsigned which, struct bounds *at, struct skip_bound *out)
{
    struct bounds copy = *at;
    copy.low = BN_dup(at->low);
    copy.high = BN_dup(at->high);
    int good = copy.low && copy.high && (which == skip->digits || bounds_share(&copy)) && bounds_fit(&copy, 64);
    if (good)
        *out = (struct skip_bound){get_u64(copy.low), get_u64(copy.high)};
    BN_free(copy.low);
    BN_free(copy.high);
    return good;
}

int skip_init(struct skip *skip, uint64_t threshold, unsigned digits, unsigned precision)
{
    struct bounds bounds;
    skip->threshold = threshold;
    skip->digits = digits;
    int good = bounds_start(&bounds, threshold, precision);
    for (unsigned j = 0; good && j <= digits; j++)
        good = table_entry(skip, j, &bounds, &skip->bound[j]) && bounds_square(&bounds);
    bounds_free(&bounds);
    return good ? UF_OK : UF_ENOMEM;
}

/* Compares `number`, which has so many words of 64 bits, with bounds that are finer than that: 1 below, 0 not below, 2
 * not decided. Each squaring doubles the error of the one before: 64 bits for all of them, and as many to spare. */
static int compare(const struct skip *skip, unsigned which, const BIGNUM *number, unsigned words)
{
    struct bounds bounds;
    int result = UF_ENOMEM;
    int good = bounds_start(&bounds, skip->threshold, 64 * words + 128);
    for (unsigned j = 0; good && j < which; j++)
        good = bounds_square(&bounds);
    if (good && which < skip->digits)
        good = bounds_share(&bounds);
    if (good && bounds_fit(&bounds, 64 * words))
        result = BN_cmp(number, bounds.low) < 0 ? 1 : BN_cmp(number, bounds.high) > 0 ? 0 : 2;
    bounds_free(&bounds);
    return result;
}

int skip_refine(const struct skip *skip, unsigned which, uint64_t first, struct sampler *sampler)
{
    BIGNUM *number = BN_new(), *more = BN_new();
    int result = number && more && set_u64(number, first) ? compare(skip, which, number, 1) : UF_ENOMEM;
    for (unsigned words = 2; result == 2 && sampler->status == UF_OK; words++) {
        int good = shift(number, 64) && set_u64(more, sample_u64(sampler)) && BN_add(number, number, more);
        result = good ? compare(skip, which, number, words) : UF_ENOMEM;
    }
    BN_free(number);
    BN_free(more);
    return result == 2 ? 0 : result; /* the sampler has failed, and says so */
}

/* Digits are as good as coin tosses: no branch that would guess them. */
static inline int below(const struct skip *skip, unsigned which, struct sampler *sampler)
{
    const struct skip_bound *bound = &skip->bound[which];
    uint64_t u = sample_u64(sampler);
    if (__builtin_expect(u - bound->low <= bound->most - bound->low, 0))
        return skip_refine(skip, which, u, sampler);
    return u < bound->low;
}

int skip_next(const struct skip *skip, struct sampler *sampler, uint64_t *gap)
{
    uint64_t sum = 0;
    int far = below(skip, skip->digits, sampler), failed = far;
    if (far > 0)
        return 0;
    for (unsigned j = 0; j < skip->digits; j++) {
        int digit = below(skip, j, sampler);
        failed |= digit;
        sum |= (uint64_t)(digit & 1) << j;
    }
    *gap = sum;
    return failed < 0 ? UF_ENOMEM : 1;
}
