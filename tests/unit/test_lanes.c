/* SPDX-License-Identifier: MIT */
/* Eight lanes at once (crypto/hash_avx512.h) do what one word does: also with factors that no test has memory for. */
#include "arith.h"
#include "check.h"
#include "cpu.h"
#include "hash_inline.h"
#include "lanes.h"
#include "random.h"

enum { LANES = 8, ROUNDS = 1000 };

static int lacking(void)
{
    if (cpu_choose(UF_CPU_AVX512) == UF_CPU_AVX512)
        return 0;
    print_message("skipped: this machine has no AVX-512\n");
    return 1;
}

/* Random numbers of 1 to 64 bits, and now and then all ones. */
static uint64_t number(uint64_t *state)
{
    uint64_t random = next_random(state);
    unsigned bits = (unsigned)random_below(state, 64);
    return random_below(state, 8) ? random >> bits : UINT64_MAX >> bits;
}

static void numbers(uint64_t *state, uint64_t out[LANES])
{
    for (int l = 0; l < LANES; l++)
        out[l] = number(state);
}

static void test_hash(void **unused)
{
    uint64_t state = 1, words[LANES];
    struct hash128 out[LANES];
    (void)unused;
    if (lacking())
        return;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t seed = number(&state);
        numbers(&state, words);
        assert_true(lanes_hash(words, seed, out));
        for (int l = 0; l < LANES; l++) {
            struct hash128 one = hash_word(&words[l], seed);
            assert_true(out[l].lo == one.lo && out[l].hi == one.hi);
        }
    }
}

static void test_mul_high(void **unused)
{
    uint64_t state = 2, words[LANES], out[LANES];
    (void)unused;
    if (lacking())
        return;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t factor = number(&state);
        numbers(&state, words);
        for (int half = factor <= UINT32_MAX; half >= 0; half--) {
            assert_true(lanes_mul_high(words, factor, half, out));
            for (int l = 0; l < LANES; l++)
                assert_true(out[l] == mul_high(words[l], factor));
        }
    }
}

static void test_load(void **unused)
{
    unsigned char bytes[LANES * 8 + 1];
    uint64_t out[LANES], want[LANES];
    (void)unused;
    if (lacking())
        return;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i + 1);
    for (unsigned left = 0; left <= LANES; left++) {
        memset(want, 0, sizeof want);
        memcpy(want, bytes + 1, left * 8);
        assert_true(lanes_load(bytes + 1, left, out));
        assert_memory_equal(out, want, sizeof want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_mul_high),
        cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
