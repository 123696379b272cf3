/* SPDX-License-Identifier: MIT */
/* core/bits and core/arith: counting, joining, the upper half of a product, mixing. */
#include "arith.h"
#include "bits.h"
#include "check.h"
#include "random.h"

enum { WORDS = 67 };

static uint64_t count_slowly(const uint64_t *words, size_t count)
{
    uint64_t ones = 0;
    for (size_t i = 0; i < 64 * count; i++)
        ones += words[i / 64] >> i % 64 & 1;
    return ones;
}

static void test_count(void **state)
{
    uint64_t words[WORDS], seed = 1;
    (void)state;
    for (size_t i = 0; i < WORDS; i++)
        words[i] = next_random(&seed) & next_random(&seed);
    for (size_t count = 0; count <= WORDS; count++)
        assert_true(bits_count(words, count) == count_slowly(words, count));
    memset(words, 0xff, sizeof words);
    assert_int_equal(bits_count(words, WORDS), 64 * WORDS);
}

static void test_distance(void **state)
{
    uint64_t a[WORDS], b[WORDS], both[WORDS], seed = 9;
    (void)state;
    for (size_t i = 0; i < WORDS; i++) {
        a[i] = next_random(&seed);
        b[i] = next_random(&seed);
        both[i] = a[i] ^ b[i];
    }
    for (size_t count = 0; count <= WORDS; count++) {
        assert_true(bits_distance(a, b, count) == count_slowly(both, count));
        assert_int_equal(bits_distance(a, a, count), 0);
    }
    a[WORDS - 1] = 0;
    b[WORDS - 1] = UINT64_MAX;
    assert_int_equal(bits_distance(a + WORDS - 1, b + WORDS - 1, 1), 64);
}

static void test_or(void **state)
{
    uint64_t a[WORDS], b[WORDS], before[WORDS], seed = 2;
    (void)state;
    for (size_t i = 0; i < WORDS; i++) {
        before[i] = a[i] = next_random(&seed);
        b[i] = next_random(&seed);
    }
    bits_or(a, b, WORDS - 1);
    for (size_t i = 0; i + 1 < WORDS; i++)
        assert_true(a[i] == (before[i] | b[i]));
    assert_true(a[WORDS - 1] == before[WORDS - 1]);
}

/* In file order the first byte of a word is its lowest, on every machine. */
static void test_swap_gives_file_order(void **state)
{
    uint64_t word = UINT64_C(0x0807060504030201);
    const unsigned char expected[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    bits_swap(&word, 1);
    assert_memory_equal(&word, expected, 8);
    bits_swap(&word, 1);
    assert_true(word == UINT64_C(0x0807060504030201));
}

/* The schoolbook product, in four halves. */
static uint64_t mul_high_slowly(uint64_t a, uint64_t b)
{
    uint64_t high = 0, low = 0;
    for (int i = 63; i >= 0; i--) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if (a >> i & 1) {
            low += b;
            high += low < b;
        }
    }
    return high;
}

static void test_mul_high(void **state)
{
    static const uint64_t edges[] = {0,         1, 2, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX - 1,
                                     UINT64_MAX};
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++)
            assert_true(mul_high(edges[i], edges[j]) == mul_high_slowly(edges[i], edges[j]));
    for (int i = 0; i < 1000; i++) {
        uint64_t a = next_random(&seed), b = next_random(&seed);
        assert_true(mul_high(a, b) == mul_high_slowly(a, b));
    }
}

/* Flipping one input bit flips each output bit about half of the time: 64 * 64 cells of 1000 samples, each within 5
 * sigma (sigma = sqrt(1000)/2 = 15.8) of 500. The identity, as a control, does not. */
static int avalanches(uint64_t (*mix)(uint64_t))
{
    enum { SAMPLES = 1000 };
    unsigned flips[64][64] = {{0}};
    uint64_t seed = 4;
    for (int s = 0; s < SAMPLES; s++) {
        uint64_t x = next_random(&seed), y = mix(x);
        for (unsigned in = 0; in < 64; in++) {
            uint64_t changed = y ^ mix(x ^ UINT64_C(1) << in);
            for (unsigned out = 0; out < 64; out++)
                flips[in][out] += (unsigned)(changed >> out & 1);
        }
    }
    for (unsigned in = 0; in < 64; in++)
        for (unsigned out = 0; out < 64; out++)
            if (flips[in][out] < 421 || flips[in][out] > 579)
                return 0;
    return 1;
}

static uint64_t identity(uint64_t x)
{
    return x;
}

static void test_mix_avalanches(void **state)
{
    (void)state;
    assert_true(avalanches(mix64));
    assert_false(avalanches(identity));
}

static void test_ceil_div(void **state)
{
    (void)state;
    assert_int_equal(ceil_div(0, 64), 0);
    assert_int_equal(ceil_div(1, 64), 1);
    assert_int_equal(ceil_div(64, 64), 1);
    assert_int_equal(ceil_div(65, 64), 2);
    assert_true(ceil_div(UINT64_MAX, 2) == UINT64_C(1) << 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),    cmocka_unit_test(test_distance),
        cmocka_unit_test(test_or),       cmocka_unit_test(test_swap_gives_file_order),
        cmocka_unit_test(test_mul_high), cmocka_unit_test(test_mix_avalanches),
        cmocka_unit_test(test_ceil_div),
    };
    return cmocka_run_group_tests_name("bits", tests, NULL, NULL);
}
