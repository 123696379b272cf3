/* SPDX-License-Identifier: MIT */
/*
 * model/feature: against a second implementation, written from the text of feature.h alone, and fixed numbers, which
 * are part of the file format: a model that is loaded on another machine must see the same features.
 */
#include <string.h>

#include "check.h"
#include "feature_inline.h"
#include "random.h"

/* ---- the same, slowly ---- */

struct slow {
    unsigned char b[FEATURES_WINDOW + 2]; /* 2, window, 3 */
    size_t window, size;
    unsigned log;
    uint32_t out[FEATURES_MOST];
    size_t count;
};

static uint32_t upper_bits(uint64_t product, unsigned log)
{
    return (uint32_t)(product >> (64 - log));
}

static uint64_t bytes_ending_at(const struct slow *slow, size_t last, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | (last >= i ? slow->b[last - i] : 0);
    return value; /* the last byte on top */
}

static void slow_token(struct slow *slow, uint64_t tag, uint64_t value)
{
    slow->out[slow->count++] =
        upper_bits((tag * UINT64_C(0xe7037ed1a0b428db) + value) * UINT64_C(0x8cb92ba72f3d8dd7), slow->log);
}

static int is_of(const char *set, unsigned char byte)
{
    return byte && strchr(set, byte) != NULL;
}

static unsigned count_in(const struct slow *slow, size_t from, size_t to, const char *set)
{
    unsigned count = 0;
    for (size_t i = from; i < to; i++)
        count += (unsigned)is_of(set, slow->b[1 + i]);
    return count;
}

#define DIGITS "0123456789"
#define VOWELS "aeiouAEIOU"
#define CONSONANTS "bcdfghjklmnpqrstvwxyzBCDFGHJKLMNPQRSTVWXYZ"

static unsigned slow_run(const struct slow *slow)
{
    unsigned run = 0, longest = 0;
    for (size_t i = 0; i < slow->window; i++) {
        run = is_of(CONSONANTS, slow->b[1 + i]) ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* One past the last dot before `end`, 0 when there is none. */
static size_t after_dot(const struct slow *slow, size_t end)
{
    while (end && slow->b[end] != '.')
        end--;
    return end;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t length_of(size_t size)
{
    uint64_t steps = 64;
    if (size < 64)
        return size;
    while (size >>= 1)
        steps++;
    return steps;
}

static uint64_t slow_ending(const struct slow *slow, size_t last)
{
    size_t size = slow->window - last;
    if (!last || !size || size > 8)
        size = (size_t)least(slow->window, 3);
    uint64_t bytes = 0;
    for (size_t i = 0; i < size; i++)
        bytes |= (uint64_t)slow->b[1 + slow->window - size + i] << 8 * i;
    return size ? bytes * UINT64_C(0x9e3779b97f4a7c15) >> 28 : 0;
}

static void slow_tokens(struct slow *slow)
{
    size_t n = slow->window, last = after_dot(slow, n), before = last ? after_dot(slow, last - 1) : 0;
    size_t from = last ? before : 0, to = last ? last - 1 : n;
    uint64_t digits = count_in(slow, 0, n, DIGITS), hyphens = count_in(slow, 0, n, "-_");
    uint64_t dots = count_in(slow, 0, n, "."), length = length_of(slow->size), high = 0;
    uint64_t ending = slow_ending(slow, last) << 8, label = least(to - from, 30);
    for (size_t i = 0; i < n; i++)
        high += slow->b[1 + i] >> 7;
    slow_token(slow, 1, length);
    slow_token(slow, 2, least(digits, 20));
    slow_token(slow, 3, least(hyphens, 10));
    slow_token(slow, 4, least(dots, 15));
    slow_token(slow, 5, least(count_in(slow, 0, n, "/?&=:#%@"), 15));
    slow_token(slow, 6, least(high, 15));
    slow_token(slow, 7, count_in(slow, 0, n, VOWELS) * 16 / (n + 1));
    slow_token(slow, 8, least(slow_run(slow), 12));
    slow_token(slow, 9, ending);
    slow_token(slow, 10, least(dots, 15) << 16 | (digits ? 512u : 0u) | (hyphens ? 256u : 0u) | n / 3);
    slow_token(slow, 11, ending | least(hyphens, 3) << 3 | least(digits, 4));
    slow_token(slow, 12, ending | length);
    slow_token(slow, 13, ending | least(dots, 7));
    slow_token(slow, 14,
               label << 16 | least(count_in(slow, from, to, VOWELS), 15) << 8 |
                   least(count_in(slow, from, to, DIGITS), 7));
    slow_token(slow, 15, ending | label);
}

static void slow_features(struct slow *slow, uf_key key, unsigned log)
{
    const unsigned char *data = key.data;
    *slow = (struct slow){.size = key.size, .log = log};
    slow->window = (size_t)least(key.size, FEATURES_WINDOW);
    slow->b[0] = 2;
    for (size_t i = 0; i < slow->window; i++)
        slow->b[1 + i] =
            data[key.size > FEATURES_WINDOW && i >= FEATURES_WINDOW / 2 ? key.size - FEATURES_WINDOW + i : i];
    slow->b[1 + slow->window] = 3;
    for (size_t last = 2; slow->window && last <= slow->window + 1; last++) {
        slow->out[slow->count++] = upper_bits(bytes_ending_at(slow, last, 3) * UINT64_C(0xd6e8feb86659fd93), log);
        slow->out[slow->count++] = upper_bits(bytes_ending_at(slow, last, 4) * UINT64_C(0xa0761d6478bd642f), log);
    }
    slow_tokens(slow);
}

/* ---- tests ---- */

static void check_key(uf_key key, unsigned log)
{
    uint32_t out[FEATURES_MOST];
    struct slow slow;
    unsigned char *copy = malloc(key.size ? key.size : 1); /* of exactly its size, so that a sanitizer sees more */
    assert_non_null(copy);
    if (key.size)
        memcpy(copy, key.data, key.size);
    features_of((uf_key){copy, key.size}, log, out);
    slow_features(&slow, key, log);
    assert_int_equal(slow.count, features_count(key));
    for (size_t i = 0; i < slow.count; i++)
        assert_that(out[i] == slow.out[i] && out[i] >> log == 0, "feature %zu of a key of %zu bytes: %u and not %u", i,
                    key.size, out[i], slow.out[i]);
    free(copy);
}

static void test_texts(void **state)
{
    static const char *const texts[] = {"",
                                        "a",
                                        "ab",
                                        ".",
                                        "..",
                                        "a.",
                                        ".a",
                                        "example.com",
                                        "-_",
                                        "3a",
                                        "AEiou",
                                        "xn--caf-dma.fr",
                                        "a.b.c.d",
                                        "http://u@h:80/p?q=1&r=%20#f",
                                        "name.verylongending",
                                        "strengths",
                                        "\xc3\xa9t\xc3\xa9",
                                        "192.168.0.1"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (unsigned log = FEATURES_LEAST_LOG; log <= FEATURES_MOST_LOG; log += 8)
            check_key((uf_key){texts[i], strlen(texts[i])}, log);
}

/* Every length around the window, of bytes of every kind. */
static void test_lengths(void **state)
{
    unsigned char bytes[1000];
    uint64_t random = 1;
    (void)state;
    for (size_t size = 0; size < sizeof bytes; size += size < 300 ? 1 : 97) {
        for (size_t i = 0; i < size; i++)
            bytes[i] =
                (unsigned char)(size % 2 ? next_random(&random) : (uint64_t) "ab.-9/e"[random_below(&random, 7)]);
        check_key((uf_key){bytes, size}, 16);
    }
}

/* Counts by masks, where there are such, against those byte by byte. */
static void test_counts(void **state)
{
    unsigned char bytes[300];
    uint64_t random = 3;
    (void)state;
    for (size_t size = 0; size < sizeof bytes; size++)
        for (int kind = 0; kind < 2; kind++) {
            struct window window;
            for (size_t i = 0; i < size; i++)
                bytes[i] = (unsigned char)(kind ? next_random(&random)
                                                : (uint64_t) "bcdfghjklmnpaA.-9/"[random_below(&random, 18)]);
            window_open(&window, (uf_key){bytes, size});
            struct feature_counts fast = FEATURE_COUNT(&window), slow = count_in_turn(&window);
            fast.longest = at_most(fast.longest, FEATURE_MOST_RUN);
            slow.longest = at_most(slow.longest, FEATURE_MOST_RUN);
            assert_memory_equal(&fast, &slow, sizeof fast);
        }
}

/* What is between the two halves of the window does not count, but for the length. */
static void test_window(void **state)
{
    uint32_t one[FEATURES_MOST], other[FEATURES_MOST];
    char a[600], b[600];
    (void)state;
    memset(a, 'a', sizeof a);
    memcpy(b, a, sizeof b);
    memset(b + 127, 'z', sizeof b - 254);
    features_of((uf_key){a, sizeof a}, 16, one);
    features_of((uf_key){b, sizeof b}, 16, other);
    assert_memory_equal(one, other, sizeof one);
    features_of((uf_key){b, 300}, 16, other); /* its last half is now z */
    assert_memory_not_equal(one, other, sizeof one);
}

/* Frozen: with 2^16 weights. The sums were computed once, on a little-endian machine of 64 bits. */
static void test_fixed_numbers(void **state)
{
    static const struct {
        const char *key;
        uint64_t sum;
    } fixed[] = {{"", UINT64_C(5840382584625935581)},
                 {"example.com", UINT64_C(9274619083693341164)},
                 {"http://example.org/a-b_c?d=1", UINT64_C(11486010934902419071)}};
    (void)state;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        uint32_t out[FEATURES_MOST];
        uf_key key = {fixed[i].key, strlen(fixed[i].key)};
        uint64_t sum = 0;
        features_of(key, 16, out);
        for (size_t j = 0; j < features_count(key); j++)
            sum = sum * 31 + out[j];
        assert_that(sum == fixed[i].sum, "'%s' has the sum %llu", fixed[i].key, (unsigned long long)sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),  cmocka_unit_test(test_lengths),       cmocka_unit_test(test_counts),
        cmocka_unit_test(test_window), cmocka_unit_test(test_fixed_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
