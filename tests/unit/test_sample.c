/* SPDX-License-Identifier: MIT */
/*
 * crypto/sample: each lane is exactly "u < T" of a 64-bit number u, and how many words are drawn follows from T and the
 * words alone; rates of many draws, with controls that must fail; and a failing source is never papered over.
 * rng_bytes is replaced here, so that a test can say which words come.
 */
#include <math.h>

#include "check.h"
#include "random.h"
#include "arith.h"
#include "sample.h"
#include "wire.h"

/* ---- a source that the test decides ---- */

enum { BATCH = sizeof((struct sampler *)0)->word / sizeof(uint64_t) };

static struct {
    const uint64_t *script; /* these words first ... */
    size_t length;
    uint64_t state; /* ... then those of a seed */
    size_t calls;
    size_t fails_at; /* this call fails, counted from 1, and the next one in another way; 0: none */
    int broken;      /* every call fails */
} source;

static void start_source(const uint64_t *script, size_t length, uint64_t seed)
{
    source.script = script;
    source.length = length;
    source.state = seed;
    source.calls = source.fails_at = 0;
    source.broken = 0;
}

/* The words of a seed again, for the one who checks. */
static uint64_t next_word(void)
{
    if (!source.length)
        return next_random(&source.state);
    source.length--;
    return *source.script++;
}

int __wrap_rng_bytes(struct rng *rng, void *out, size_t bytes);
int __wrap_rng_bytes(struct rng *rng, void *out, size_t bytes)
{
    struct writer writer = {out, bytes, 0};
    (void)rng;
    source.calls++;
    if (source.broken || source.calls == source.fails_at)
        return UF_ERANDOM;
    if (source.fails_at && source.calls == source.fails_at + 1)
        return UF_EIO;
    for (size_t i = 0; i < bytes / 8; i++)
        write_uint(&writer, next_word(), 8);
    return UF_OK;
}

static struct sampler *begin(const uint64_t *script, size_t length, uint64_t seed)
{
    static struct sampler sampler;
    start_source(script, length, seed);
    sampler_start(&sampler, NULL);
    return &sampler;
}

/* ---- exactness ---- */

/* What sample_lanes reads when lane i has the number u[i]: bit 63 of all, then bit 62, down to bit 0. */
static void slice(const uint64_t u[64], uint64_t words[64])
{
    for (int bit = 0; bit < 64; bit++) {
        words[63 - bit] = 0;
        for (int lane = 0; lane < 64; lane++)
            words[63 - bit] |= (u[lane] >> bit & 1) << lane;
    }
}

static const uint64_t thresholds[] = {0,
                                      1,
                                      2,
                                      UINT64_C(1) << 63,
                                      (UINT64_C(1) << 63) - 1,
                                      (UINT64_C(1) << 63) + 1,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      UINT64_C(0x44d921f5b5a4cd0c),
                                      UINT64_C(0x5555555555555555)};

enum { THRESHOLDS = sizeof thresholds / sizeof thresholds[0] };

/* A number near T, at either end of the range, or anywhere. */
static uint64_t chosen(uint64_t threshold, int lane, uint64_t *random)
{
    switch (lane % 8) {
    case 0:
        return threshold - 1;
    case 1:
        return threshold;
    case 2:
        return threshold + 1;
    case 3:
        return 0;
    case 4:
        return UINT64_MAX;
    case 5:
        return threshold ^ (UINT64_C(1) << random_below(random, 64));
    default:
        return next_random(random);
    }
}

/* Numbers equal to T need all 64 words: the word behind them is the next one drawn. */
static void test_lanes_at_the_edge(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (size_t round = 0; round < 100 * THRESHOLDS; round++) {
        uint64_t threshold = thresholds[round % THRESHOLDS], u[64], words[65], want = 0;
        for (int lane = 0; lane < 64; lane++) {
            u[lane] = chosen(threshold, lane, &random);
            want |= (uint64_t)(u[lane] < threshold) << lane;
        }
        slice(u, words);
        words[64] = 12345;
        struct sampler *sampler = begin(words, 65, 0);
        uint64_t got = sample_lanes(sampler, threshold);
        assert_that(got == want, "T = %llx: lanes %llx are wrong", (unsigned long long)threshold,
                    (unsigned long long)(got ^ want));
        assert_true(sample_u64(sampler) == 12345);
    }
}

/* The lanes that 64 words make, and how many of the words are used for it: eight, or those up to the first bit in which
 * each lane differs from T. */
static uint64_t lanes_slowly(const uint64_t *words, uint64_t threshold, size_t *used)
{
    uint64_t lanes = 0;
    *used = 8;
    for (int lane = 0; lane < 64; lane++) {
        uint64_t u = 0;
        for (int i = 0; i < 64; i++)
            u |= (words[i] >> lane & 1) << (63 - i);
        size_t needed = u == threshold ? 64 : 1 + (size_t)__builtin_clzll(u ^ threshold);
        *used = needed > *used ? needed : *used;
        lanes |= (uint64_t)(u < threshold) << lane;
    }
    return lanes;
}

/* One long stream in which every call begins where the one before ended, through many refills; lanes want 64 words in
 * hand, so that they skip what a refill left when that is less. */
static void test_words_drawn(void **state)
{
    enum { CALLS = 3000, WORDS = CALLS * 24 };
    static uint64_t words[WORDS];
    size_t at = 0, used;
    (void)state;
    start_source(NULL, 0, 99);
    for (size_t i = 0; i < WORDS; i++)
        words[i] = next_word();
    struct sampler *sampler = begin(NULL, 0, 99);
    for (size_t i = 0; i < CALLS && at + 64 < WORDS; i++) {
        uint64_t threshold = thresholds[i % THRESHOLDS];
        if (at % BATCH > BATCH - 64)
            at += BATCH - at % BATCH;
        uint64_t want = lanes_slowly(words + at, threshold, &used);
        assert_true(sample_lanes(sampler, threshold) == want);
        at += used;
        assert_int_equal(sample_coin(sampler, threshold), words[at++] < threshold);
    }
    assert_true(sample_u64(sampler) == words[at]);
    assert_true(at > 9 * CALLS && at < 12 * CALLS); /* 8.6 words for 64 lanes, one for the coin, and the skips */
    assert_int_equal(source.calls, at / BATCH + 1);
    assert_int_equal(sampler_end(sampler), UF_OK);
}

static void test_coins_at_the_edge(void **state)
{
    (void)state;
    for (size_t i = 0; i < THRESHOLDS; i++) {
        uint64_t threshold = thresholds[i], words[] = {threshold - 1, threshold, threshold + 1, 0, UINT64_MAX};
        struct sampler *sampler = begin(words, 5, 0);
        for (size_t j = 0; j < 5; j++)
            assert_int_equal(sample_coin(sampler, threshold), words[j] < threshold);
    }
}

/* The number whose product with an odd `bound` has the lower half 1: Newton's iteration doubles the good bits. */
static uint64_t inverse(uint64_t bound)
{
    uint64_t x = bound;
    for (int i = 0; i < 6; i++)
        x *= 2 - bound * x;
    return x;
}

/* 2^64 mod bound draws are thrown away, those whose product has a lower half below it: no more and no fewer. */
static void test_below_throws_the_right_draws_away(void **state)
{
    static const uint64_t bounds[] = {3, 7, 389, 1000000007, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        uint64_t bound = bounds[i], thrown = (0 - bound) % bound;
        uint64_t last_bad = (thrown - 1) * inverse(bound), first_good = thrown * inverse(bound);
        uint64_t words[] = {0, last_bad, first_good, UINT64_MAX};
        struct sampler *sampler = begin(words, 4, 0);
        assert_true(sample_below(sampler, bound) == mul_high(first_good, bound));
        assert_true(sample_below(sampler, bound) == bound - 1);
    }
    uint64_t words[] = {0, 77};
    assert_true(sample_below(begin(words, 2, 0), UINT64_C(1) << 40) == 0); /* a power of two wastes nothing */
    assert_true(sample_below(begin(words, 2, 0), 1) == 0);
}

/* ---- rates ---- */

enum { ROUNDS = 20000 };

/* How far the number of ones among 64 * ROUNDS lanes (1 280 000) is from what `rate` lets expect, in standard
 * deviations; and, in *evenness, the chi-square of the 64 lanes against each other. */
static double deviation(uint64_t threshold, double rate, uint64_t seed, double *evenness)
{
    double count[64] = {0}, total = 0, draws = 64.0 * ROUNDS;
    struct sampler *sampler = begin(NULL, 0, seed);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t lanes = sample_lanes(sampler, threshold);
        for (int lane = 0; lane < 64; lane++)
            count[lane] += (double)(lanes >> lane & 1);
    }
    for (int lane = 0; lane < 64; lane++)
        total += count[lane];
    double mean = total / 64;
    *evenness = 0;
    for (int lane = 0; lane < 64; lane++)
        *evenness += (count[lane] - mean) * (count[lane] - mean) / (mean * (1 - mean / ROUNDS));
    return fabs(total - draws * rate) / sqrt(draws * rate * (1 - rate));
}

/* Three standard deviations; 103.4 is the 99.9 % point of chi-square with 63 degrees of freedom. */
static void test_rates(void **state)
{
    static const double rates[] = {0.5, 0.26894142136999512, 0.1, 0.9, 0.001, 0.0474};
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double evenness, off = deviation((uint64_t)(rates[i] * 0x1p64), rates[i], i, &evenness);
        assert_that(off < 3 && evenness < 103.4, "rate %g: off by %.2f, lanes uneven by %.1f", rates[i], off, evenness);
    }
}

/* The control: a threshold that is 1 % too large is seen. */
static void test_a_wrong_rate_is_seen(void **state)
{
    double evenness;
    (void)state;
    assert_true(deviation((uint64_t)(0.27163 * 0x1p64), 0.26894, 1, &evenness) > 3);
    assert_true(deviation((uint64_t)(0.505 * 0x1p64), 0.5, 3, &evenness) > 3);
}

typedef uint64_t draw(struct sampler *sampler, uint64_t bound);

/* The mistake that sample_below does not make. */
static uint64_t naive_below(struct sampler *sampler, uint64_t bound)
{
    return sample_u64(sampler) % bound;
}

/* Chi-square of 60 000 draws over `cells` equal parts of [0, bound). */
static double chi_square(draw *below, uint64_t bound, uint64_t cells)
{
    enum { DRAWS = 60000 };
    double count[16] = {0}, sum = 0, expected = (double)DRAWS / (double)cells;
    struct sampler *sampler = begin(NULL, 0, bound);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = below(sampler, bound);
        assert_true(value < bound);
        count[value / (bound / cells + (bound % cells != 0))]++;
    }
    for (uint64_t c = 0; c < cells; c++)
        sum += (count[c] - expected) * (count[c] - expected) / expected;
    return sum;
}

/* The 99.9 % points with 1, 2, 5 and 9 degrees of freedom are 10.8, 13.8, 20.5 and 27.9. */
static void test_below_is_uniform(void **state)
{
    (void)state;
    assert_true(chi_square(sample_below, 2, 2) < 10.8);
    assert_true(chi_square(sample_below, 3, 3) < 13.8);
    assert_true(chi_square(sample_below, 6, 6) < 20.5);
    assert_true(chi_square(sample_below, 10, 10) < 27.9);
    assert_true(chi_square(sample_below, UINT64_C(3) << 62, 3) < 13.8);
    assert_true(chi_square(sample_below, (UINT64_C(1) << 63) + 2, 2) < 10.8);
    assert_true(chi_square(naive_below, UINT64_C(3) << 62, 3) > 1000); /* the control */
}

/* ---- failures, and what is left behind ---- */

static void test_a_failure_is_kept(void **state)
{
    (void)state;
    for (size_t fails_at = 1; fails_at <= 3; fails_at++) {
        struct sampler *sampler = begin(NULL, 0, 5);
        source.fails_at = fails_at;
        for (size_t i = 0; i < 5 * BATCH; i++) /* later calls work again */
            (void)sample_u64(sampler);
        assert_int_equal(source.calls, 5);
        assert_int_equal(sampler_end(sampler), UF_ERANDOM);
    }
    struct sampler *sampler = begin(NULL, 0, 5);
    (void)sample_lanes(sampler, 1);
    assert_int_equal(sampler_end(sampler), UF_OK); /* the control */
}

/* A source that never works leaves zeros, which sample_below would throw away for ever. */
static void test_no_endless_loop_without_randomness(void **state)
{
    struct sampler *sampler = begin(NULL, 0, 5);
    (void)state;
    memset(sampler->word, 0, sizeof sampler->word);
    source.broken = 1;
    (void)sample_below(sampler, UINT64_C(3) << 62);
    (void)sample_lanes(sampler, UINT64_MAX);
    (void)sample_coin(sampler, 1);
    assert_int_equal(sampler_end(sampler), UF_ERANDOM);
}

static void test_the_end_wipes(void **state)
{
    struct sampler *sampler = begin(NULL, 0, 6);
    uint64_t kept = 0;
    (void)state;
    (void)sample_u64(sampler);
    for (size_t i = 0; i < BATCH; i++)
        kept |= sampler->word[i];
    assert_true(kept != 0);
    assert_int_equal(sampler_end(sampler), UF_OK);
    for (size_t i = 0; i < BATCH; i++)
        assert_true(sampler->word[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_at_the_edge),
        cmocka_unit_test(test_words_drawn),
        cmocka_unit_test(test_coins_at_the_edge),
        cmocka_unit_test(test_below_throws_the_right_draws_away),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_a_wrong_rate_is_seen),
        cmocka_unit_test(test_below_is_uniform),
        cmocka_unit_test(test_a_failure_is_kept),
        cmocka_unit_test(test_no_endless_loop_without_randomness),
        cmocka_unit_test(test_the_end_wipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
