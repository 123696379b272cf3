/* SPDX-License-Identifier: MIT */
/*
 * hosts/packet_gate/patterns: the automaton against the definition of what it counts, the largest number of
 * sequences that do not overlap, on random texts over small alphabets; and over any cut into packets.
 */
#include "check.h"
#include "rng.h"
#include "actors.h"
#include "patterns.h"

enum { MOST_PATTERNS = 6, MOST_LENGTH = 5, TEXT = 60, ROUNDS = 20000 };

struct trial {
    uint8_t bytes[MOST_PATTERNS][MOST_LENGTH], text[TEXT];
    const uint8_t *data[MOST_PATTERNS];
    size_t sizes[MOST_PATTERNS], count;
};

static struct trial *make_trial(uint64_t *random)
{
    static struct trial trial;
    const uint64_t letters = 1 + rng_below(random, 4);
    trial.count = 1 + rng_below(random, MOST_PATTERNS);
    for (size_t i = 0; i < trial.count; i++) {
        trial.sizes[i] = 1 + rng_below(random, MOST_LENGTH);
        trial.data[i] = trial.bytes[i];
        for (size_t j = 0; j < trial.sizes[i]; j++)
            trial.bytes[i][j] = (uint8_t)(250 + rng_below(random, letters));
    }
    for (size_t i = 0; i < TEXT; i++)
        trial.text[i] = (uint8_t)(250 + rng_below(random, letters + 1)); /* one letter that no pattern has */
    return &trial;
}

/* most[i]: in the first i bytes. Each position is either skipped, or the last of a sequence. */
static unsigned most_disjoint(const struct trial *trial)
{
    unsigned most[TEXT + 1] = {0};
    for (size_t end = 1; end <= TEXT; end++) {
        most[end] = most[end - 1];
        for (size_t i = 0; i < trial->count; i++) {
            size_t size = trial->sizes[i];
            if (size <= end && !memcmp(trial->text + end - size, trial->data[i], size) && most[end - size] >= most[end])
                most[end] = most[end - size] + 1;
        }
    }
    return most[TEXT];
}

/* The text in packets of 0 to 7 bytes. With `forget`, what was begun is forgotten at each border with that chance. */
static unsigned scan_in_packets(const struct patterns *patterns, const struct trial *trial, uint64_t *random,
                                double forget)
{
    uint32_t state = 0;
    unsigned found = 0;
    for (size_t at = 0; at < TEXT;) {
        size_t size = rng_below(random, 8);
        size = size < TEXT - at ? size : TEXT - at;
        found += patterns_scan(patterns, &state, trial->text + at, size);
        at += size;
        if (rng_bernoulli(random, forget))
            state = 0;
    }
    return found;
}

static void test_counts_the_most(void **unused)
{
    uint64_t random = 1, fewer = 0;
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        const struct trial *trial = make_trial(&random);
        struct patterns *patterns = patterns_new(trial->data, trial->sizes, trial->count);
        assert_non_null(patterns);
        const unsigned want = most_disjoint(trial);
        unsigned got = scan_in_packets(patterns, trial, &random, 0);
        assert_that(got == want, "round %d: %u sequences found of %u", round, got, want);
        got = scan_in_packets(patterns, trial, &random, 0.5);
        assert_that(got <= want, "round %d: %u sequences found of %u, though some were forgotten", round, got, want);
        fewer += got < want;
        patterns_free(patterns);
    }
    assert_that(fewer > ROUNDS / 10, "the control: forgetting at borders must lose sequences, but only did so %d times",
                (int)fewer);
}

static void test_all_bytes(void **unused)
{
    uint8_t every[256];
    const uint8_t *data = every;
    size_t size = sizeof every;
    uint32_t state = 0;
    (void)unused;
    for (unsigned i = 0; i < 256; i++)
        every[i] = (uint8_t)i;
    struct patterns *patterns = patterns_new(&data, &size, 1);
    assert_non_null(patterns);
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(patterns_scan(patterns, &state, every, 255), 0);
        assert_int_equal(patterns_scan(patterns, &state, every + 255, 1), 1);
        assert_int_equal(state, 0);
    }
    patterns_free(patterns);
}

/* What is known by construction of the generator: patterns of 2 to 65 bytes that are no part of each other, enough of
 * them that the filter is asked and wrong often, in a text that is cut into packets. */
static void test_many(void **unused)
{
    const struct actors_options options = {
        .sources = 4, .attack = 1, .patterns = 20000, .shortest = 2, .longest = 65, .spread = 3, .seed = 8};
    struct actors *actors = actors_new(&options);
    static const uint8_t *data[20000];
    static size_t sizes[20000];
    uint64_t random = 3;
    (void)unused;
    for (size_t i = 0; i < 20000; i++)
        data[i] = actors_pattern(actors, i, &sizes[i]);
    struct patterns *patterns = patterns_new(data, sizes, 20000);
    assert_non_null(patterns);
    assert_int_equal(patterns_count(patterns), 20000);
    uint32_t state = 0;
    for (int round = 0; round < 20000; round++) {
        const size_t which = rng_below(&random, 20000), cut = rng_below(&random, sizes[which]);
        const uint8_t stray[3] = {(uint8_t)(192 + rng_below(&random, 32)), (uint8_t)(128 + rng_below(&random, 64)), 9};
        assert_int_equal(patterns_scan(patterns, &state, stray, sizeof stray), 0);
        unsigned found = patterns_scan(patterns, &state, data[which], cut);
        assert_int_equal(found, 0);
        found = patterns_scan(patterns, &state, data[which] + cut, sizes[which] - cut);
        assert_that(found == 1, "pattern %d, cut after %d of %d bytes: found %u times", (int)which, (int)cut,
                    (int)sizes[which], found);
    }
    patterns_free(patterns);
    actors_free(actors);
}

static void test_limits(void **unused)
{
    static const uint8_t bytes[100000];
    const uint8_t *data[2] = {bytes, bytes};
    (void)unused;
    struct patterns *patterns = patterns_new(data, (size_t[]){sizeof bytes, 1}, 2);
    assert_non_null(patterns);
    assert_int_equal(patterns_count(patterns), 2);
    patterns_free(patterns);
    assert_null(patterns_new(data, (size_t[]){UINT32_MAX, 1}, 2));
    assert_null(patterns_new(data, (size_t[]){0}, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_the_most),
        cmocka_unit_test(test_all_bytes),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
