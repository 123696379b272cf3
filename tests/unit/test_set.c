/* SPDX-License-Identifier: MIT */
/*
 * Sets and released sets, through the public header: members, errors that name a key, and releases against the
 * distribution they must have, element by element. Seeds are fixed, figures may be 3 standard deviations off or a
 * chi-square where one in 1000 would be; a control with a wrong probability stands beside each and must be out.
 */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "counting.h"
#include "random.h"
#include "seed.h"

static uf_universe *universe_of(const char *text)
{
    uf_universe *universe = NULL;
    uf_error why;
    assert_status(UF_OK, uf_universe_parse(text, NULL, &universe, &why), &why);
    return universe;
}

static void add_rank(uf_set *set, const uf_universe *universe, uint64_t rank)
{
    char buffer[24];
    uf_error why;
    uf_key key = uf_universe_key(universe, rank, buffer);
    assert_status(UF_OK, uf_set_add(set, &key, 1, &why), &why);
}

/* The members are the first ranks. */
static uf_set *set_of(const uf_universe *universe, uint64_t members)
{
    uf_set *set = NULL;
    uf_error why;
    assert_status(UF_OK, uf_set_new(universe, NULL, &set, &why), &why);
    for (uint64_t i = 0; i < members; i++)
        add_rank(set, universe, i);
    return set;
}

static uf_set *release(const uf_set *set, const char *how, uint64_t *random)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_set *released = NULL;
    uf_error why;
    ctx.random = random_bytes;
    ctx.random_arg = random;
    assert_status(UF_OK, uf_set_release(set, how, &ctx, &released, &why), &why);
    return released;
}

/* Which ranks a set has, as uf_set_each says; they must come in order. */
struct seen {
    const uf_universe *universe;
    uint64_t count, next;
    unsigned char *has;
};

static int see(void *arg, const uf_key *keys, size_t count)
{
    struct seen *seen = arg;
    for (size_t i = 0; i < count; i++) {
        uint64_t rank;
        assert_status(UF_OK, uf_universe_rank(seen->universe, keys[i], &rank), NULL);
        assert_true(rank >= seen->next);
        seen->next = rank + 1;
        if (seen->has)
            seen->has[rank] = 1;
        seen->count++;
    }
    return 0;
}

static uint64_t look(const uf_set *set, const uf_universe *universe, unsigned char *has)
{
    struct seen seen = {universe, 0, 0, has};
    uf_error why;
    if (has)
        memset(has, 0, (size_t)uf_universe_size(universe));
    assert_status(UF_OK, uf_set_each(set, see, &seen, &why), &why);
    assert_true(seen.count == uf_set_count(set));
    return seen.count;
}

/* ---- plain sets ---- */

static void test_members(void **state)
{
    enum { SIZE = 5000 };
    static unsigned char model[SIZE], has[SIZE];
    uf_universe *universe = universe_of("range:1-5000");
    uf_set *set = set_of(universe, 0);
    uint64_t random = 3, count = 0;
    char buffer[24];
    (void)state;
    assert_true(uf_set_count(set) == 0 && look(set, universe, has) == 0);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 700; i++) {
            uint64_t rank = random_below(&random, SIZE);
            count += !model[rank];
            model[rank] = 1;
            add_rank(set, universe, rank);
        }
        assert_true(uf_set_count(set) == count && look(set, universe, has) == count);
        assert_memory_equal(model, has, SIZE);
        for (uint64_t i = 0; i < SIZE; i++)
            assert_int_equal(uf_set_has(set, uf_universe_key(universe, i, buffer)), model[i]);
    }
    assert_int_equal(uf_set_has(set, (uf_key){"0", 1}), 0);
    assert_int_equal(uf_set_has(set, (uf_key){"elsewhere", 9}), 0);
    uf_set_free(set);
    uf_universe_free(universe);
    uf_set_free(NULL);
}

/* All of a batch or none of it, and an error that names the key, in one line of plain characters. */
static void test_keys_outside(void **state)
{
    static const struct {
        uf_key key;
        const char *says;
    } bad[] = {
        {{"101", 3}, "'101'"},
        {{"", 0}, "''"},
        {{"a\nb\0c\x1b\xff\\", 8}, "'a\\x0ab\\x00c\\x1b\\xff\\x5c'"},
        {{"12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789", 89},
         "'123456789012345678901234567890123456789012345678901234567890123456789012...'"},
    };
    uf_universe *universe = universe_of("range:1-100");
    uf_set *set = set_of(universe, 3);
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const uf_key keys[] = {{"50", 2}, {"51", 2}, bad[i].key, {"52", 2}};
        assert_refused(UF_EINVAL, uf_set_add(set, keys, 4, &why), &why);
        assert_that(strstr(why.text, bad[i].says) && strstr(why.text, "range:1-100"), "%s", why.text);
        assert_true(uf_set_count(set) == 3);
    }
    assert_refused(UF_EINVAL, uf_set_add(set, NULL, 1, &why), &why);
    assert_refused(UF_EINVAL, uf_set_new(NULL, NULL, &set, &why), &why);
    uf_set_free(set);
    uf_universe_free(universe);
}

static int stop_at_second(void *arg, const uf_key *keys, size_t count)
{
    (void)keys, (void)count;
    return ++*(int *)arg == 2;
}

static void test_each_can_be_stopped(void **state)
{
    uf_universe *universe = universe_of("range:1-2000");
    uf_set *set = set_of(universe, 1000);
    uf_error why;
    int calls = 0;
    (void)state;
    assert_refused(UF_ECANCELED, uf_set_each(set, stop_at_second, &calls, &why), &why);
    assert_int_equal(why.reason, 1);
    assert_int_equal(calls, 2);
    uf_set_free(set);
    uf_universe_free(universe);
}

/* ---- releases ---- */

static void test_bad_releases(void **state)
{
    static const struct {
        const char *how, *says;
    } bad[] = {
        {"", "not a way"},
        {"quarter:epsilon=3", "'quarter:epsilon=3' is not a way"},
        {"dimes:epsilon=3", "not a way"},
        {"dim", "not a way"},
        {"dime", "dime needs epsilon"},
        {"nickel:", "nickel needs epsilon"},
        {"dime:epsilon=", "empty"},
        {"dime:epsilon=x", "not a number"},
        {"dime:epsilon=nan", "not a number"},
        {"dime:epsilon=inf", "not a number"},
        {"dime:epsilon=1e999", "not a number"},
        {"dime:epsilon=-1", "from 0.05"},
        {"nickel:epsilon=-3", "from 0.05"},
        {"dime:epsilon=0", "from 0.05"},
        {"nickel:epsilon=0", "from 0.05"},
        {"dime:epsilon=1e-9", "epsilon=1e-9 is out of range"},
        {"dime:epsilon=0.0499", "from 0.05"},
        {"dime:epsilon=25", "to 20"},
        {"nickel:epsilon=1000", "to 20"},
        {"dime:epsilon=3,epsilon=4", "twice"},
        {"dime:epsilon=3,q=0.1", "no parameter 'q'"},
    };
    uf_universe *universe = universe_of("range:1-100");
    uf_set *set = set_of(universe, 10), *released = NULL;
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(UF_EINVAL, uf_set_release(set, bad[i].how, NULL, &released, &why), &why);
        assert_that(strstr(why.text, bad[i].says), "%s: %s", bad[i].how, why.text);
        assert_null(released);
    }
    assert_refused(UF_EINVAL, uf_set_release(set, NULL, NULL, &released, &why), &why);
    assert_refused(UF_EINVAL, uf_set_release(NULL, "dime:epsilon=3", NULL, &released, &why), &why);
    assert_status(UF_OK, uf_set_release(set, "dime:epsilon=3", NULL, &released, &why), &why);
    uf_set *again = NULL;
    assert_refused(UF_EUNSUPPORTED, uf_set_release(released, "dime:epsilon=3", NULL, &again, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_set_add(released, &(uf_key){"7", 1}, 1, &why), &why);
    uf_set_free(released);
    uf_set_free(set);
    uf_universe_free(universe);
}

/* What would never end is refused at once, with the epsilon that would fit. */
static void test_releases_that_are_too_large(void **state)
{
    static const char *const hows[] = {"dime:epsilon=1", "nickel:epsilon=1", "dime:epsilon=15"};
    uf_universe *universe = universe_of("digits:18");
    uf_set *set = set_of(universe, 10), *released = NULL;
    uf_error why;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_refused(UF_EIMPOSSIBLE, uf_set_release(set, hows[i], NULL, &released, &why), &why);
        assert_that(strstr(why.text, "take epsilon 16.5 or more"), "%s", why.text);
    }
    assert_null(released);
    uf_set_free(set);
    uf_universe_free(universe);
}

/* has, count and each are of one mind, for both mechanisms and both ways of drawing; nickel keeps every member, dime
 * does not; a set is not changed by its release. */
static void test_views_of_a_release_agree(void **state)
{
    enum { SIZE = 100000, MEMBERS = 3000 };
    static const char *const hows[] = {"dime:epsilon=2", "nickel:epsilon=2", "dime:epsilon=7", "nickel:epsilon=7"};
    static unsigned char has[SIZE];
    uf_universe *universe = universe_of("digits:5");
    uf_set *set = set_of(universe, MEMBERS);
    uint64_t random = 11;
    char buffer[24];
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        uf_set *released = release(set, hows[i], &random);
        size_t kept = 0, others = 0;
        (void)look(released, universe, has);
        for (uint64_t rank = 0; rank < SIZE; rank += rank < MEMBERS ? 17 : 1999)
            assert_int_equal(uf_set_has(released, uf_universe_key(universe, rank, buffer)), has[rank]);
        for (uint64_t rank = 0; rank < SIZE; rank++)
            *(rank < MEMBERS ? &kept : &others) += has[rank];
        assert_that(i % 2 ? kept == MEMBERS : kept < MEMBERS, "%s kept %zu of %d", hows[i], kept, MEMBERS);
        assert_true(others > 0 && others < SIZE / 5);
        assert_true(uf_set_count(set) == MEMBERS);
        uf_set_free(released);
    }
    uf_set_free(set);
    uf_universe_free(universe);
}

/* E|S~|: dime n (1 - q) + (U - n) q, nickel n + (U - n) q; the number of flips is Binomial(U, q) or Binomial(U - n, q).
 * 400 releases of 200 members of 2,000 keys. Control: the paper's figures 4 and 5 as they are printed, which start from
 * the members anew at every step and so change at most one key. */
static void test_sizes_of_releases(void **state)
{
    enum { RUNS = 400 };
    static const struct {
        const char *how;
        double q, flipped;
    } cases[] = {{"dime:epsilon=1", 1 / (1 + M_E), 2000},
                 {"nickel:epsilon=1", 1 / M_E, 1800},
                 {"dime:epsilon=3", 0.047425873, 2000},
                 {"nickel:epsilon=3", 0.049787068, 1800}};
    static unsigned char has[2000];
    uf_universe *universe = universe_of("range:1-2000");
    uf_set *set = set_of(universe, 200);
    uint64_t random = 5;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        double q = cases[i].q, sizes = 0, flips = 0, squares = 0;
        for (int run = 0; run < RUNS; run++) {
            uf_set *released = release(set, cases[i].how, &random);
            double flipped = 0;
            sizes += (double)look(released, universe, has);
            for (int rank = 0; rank < 2000; rank++)
                flipped += has[rank] != (rank < 200);
            flips += flipped;
            squares += flipped * flipped;
            uf_set_free(released);
        }
        double variance = cases[i].flipped * q * (1 - q), sigma = sqrt(variance / RUNS);
        double expected = (i % 2 ? 200 : 200 * (1 - q)) + 1800 * q;
        assert_that(fabs(sizes / RUNS - expected) < 3 * sigma, "%s: %.2f keys, %.2f expected", cases[i].how,
                    sizes / RUNS, expected);
        assert_that(fabs(flips / RUNS - cases[i].flipped * q) < 3 * sigma, "%s: %.2f flips", cases[i].how,
                    flips / RUNS);
        double wide = (squares - flips * flips / RUNS) / (RUNS - 1) / variance - 1;
        assert_that(fabs(wide) < 3 * sqrt(2.0 / RUNS), "%s: the variance is %+.2f off", cases[i].how, wide);
        assert_true(fabs(1 - cases[i].flipped * q) > 3 * sigma); /* one flip */
    }
    uf_set_free(set);
    uf_universe_free(universe);
}

/* Chi-square of the eight possible releases of {0} from three keys. */
static double eight_outcomes(const unsigned seen[8], double q, int nickel, unsigned runs)
{
    double sum = 0;
    for (unsigned out = 0; out < 8; out++) {
        double p = out & 1 ? (nickel ? 1 : 1 - q) : nickel ? 0 : q;
        for (unsigned bit = 1; bit < 3; bit++)
            p *= out >> bit & 1 ? q : 1 - q;
        if (p > 0)
            sum += pow(seen[out] - p * runs, 2) / (p * runs);
        else if (seen[out])
            return INFINITY;
    }
    return sum;
}

/* 20,000 releases each; 7 and 3 degrees of freedom: one in 1000 is above 24.3 and 16.3. Control: epsilon 10 % off. */
static void test_every_outcome_of_a_small_universe(void **state)
{
    enum { RUNS = 20000 };
    uf_universe *universe = universe_of("range:1-3");
    uf_set *set = set_of(universe, 1);
    uint64_t random = 21;
    (void)state;
    for (int nickel = 0; nickel < 2; nickel++) {
        double limit = nickel ? 16.3 : 24.3, right = nickel ? exp(-1) : 1 / (1 + exp(1)),
               wrong = nickel ? exp(-1.1) : 1 / (1 + exp(1.1));
        unsigned seen[8] = {0};
        for (int run = 0; run < RUNS; run++) {
            unsigned char has[3];
            uf_set *released = release(set, nickel ? "nickel:epsilon=1" : "dime:epsilon=1", &random);
            (void)look(released, universe, has);
            seen[has[0] | has[1] << 1 | has[2] << 2]++;
            uf_set_free(released);
        }
        assert_that(eight_outcomes(seen, right, nickel, RUNS) < limit, "chi-square %.1f",
                    eight_outcomes(seen, right, nickel, RUNS));
        assert_true(eight_outcomes(seen, wrong, nickel, RUNS) > limit);
    }
    uf_set_free(set);
    uf_universe_free(universe);
}

/* 10^10 keys at epsilon 10: about 454,000 decoys, in a second or so; 10^12 keys work too. */
static void test_large_universes(void **state)
{
    static const struct {
        const char *universe, *how;
        double q;
    } cases[] = {{"digits:10", "dime:epsilon=10", 4.5397868702e-5},
                 {"ipv4:0.0.0.0/0", "nickel:epsilon=12", 6.1442123533e-6},
                 {"range:1-1000000000000", "dime:epsilon=17", 4.1399375473e-8}};
    uint64_t random = 8;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uf_universe *universe = universe_of(cases[i].universe);
        uf_set *set = set_of(universe, 100), *released = release(set, cases[i].how, &random);
        double mean = (double)uf_universe_size(universe) * cases[i].q + (i == 1 ? 100 : 100 * (1 - cases[i].q));
        double count = (double)uf_set_count(released);
        assert_that(fabs(count - mean) < 3 * sqrt(mean), "%s: %.0f keys, %.0f expected", cases[i].universe, count,
                    mean);
        assert_true((double)look(released, universe, NULL) == count);
        uf_set_free(released);
        uf_set_free(set);
        uf_universe_free(universe);
    }
}

/* No members at all: decoys alone. A universe of one key. All keys members: nickel has nothing to add. */
static void test_extremes(void **state)
{
    uf_universe *universe = universe_of("range:1-1000"), *single = universe_of("digits:1");
    uf_set *empty = set_of(universe, 0), *all = set_of(universe, 1000), *ten = set_of(single, 10);
    uint64_t random = 4;
    uf_set *released = release(empty, "dime:epsilon=1", &random);
    (void)state;
    assert_true(uf_set_count(released) > 200 && uf_set_count(released) < 340);
    uf_set_free(released);
    released = release(all, "nickel:epsilon=1", &random);
    assert_true(uf_set_count(released) == 1000);
    uf_set_free(released);
    released = release(ten, "dime:epsilon=20", &random);
    assert_true(look(released, single, NULL) == 10);
    uf_set_free(released);
    uf_set_free(empty);
    uf_set_free(all);
    uf_set_free(ten);
    uf_universe_free(universe);
    uf_universe_free(single);
}

/* ---- randomness ---- */

static void test_same_seed_same_release(void **state)
{
    enum { SIZE = 200000 };
    static unsigned char one[SIZE], other[SIZE];
    uf_universe *universe = universe_of("range:1-200000");
    uf_set *set = set_of(universe, 100);
    uint64_t a = 1, b = 1;
    uf_context ctx = UF_CONTEXT_INIT;
    (void)state;
    ctx.random = random_bytes;
    ctx.random_arg = &b;
    ctx.threads = 3; /* threads change nothing */
    for (int i = 0; i < 2; i++) {
        uf_set *first = release(set, "dime:epsilon=2", &a), *second = NULL;
        assert_status(UF_OK, uf_set_release(set, "dime:epsilon=2", &ctx, &second, NULL), NULL);
        assert_true(look(first, universe, one) == look(second, universe, other));
        assert_memory_equal(one, other, SIZE);
        uf_set_free(first);
        uf_set_free(second);
    }
    uf_set *third = release(set, "dime:epsilon=2", &a); /* and another seed is another release */
    (void)look(third, universe, one);
    assert_memory_not_equal(one, other, SIZE);
    uf_set_free(third);
    uf_set_free(set);
    uf_universe_free(universe);
}

static int no_random(void *arg, void *out, size_t bytes)
{
    (void)arg, (void)out, (void)bytes;
    return -1;
}

static int stop(void *arg, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    return ++*(int *)arg == 3;
}

static void test_failures(void **state)
{
    uf_universe *universe = universe_of("digits:8");
    uf_set *set = set_of(universe, 100), *released = NULL;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_error why;
    int calls = 0;
    (void)state;
    ctx.random = no_random;
    assert_refused(UF_ERANDOM, uf_set_release(set, "dime:epsilon=2", &ctx, &released, &why), &why);
    ctx = (uf_context)UF_CONTEXT_INIT;
    ctx.progress = stop;
    ctx.progress_arg = &calls;
    assert_refused(UF_ECANCELED, uf_set_release(set, "dime:epsilon=2", &ctx, &released, &why), &why);
    assert_null(released);
    assert_int_equal(calls, 3);
    uf_set_free(set);
    uf_universe_free(universe);
}

static void test_every_allocation_may_fail(void **state)
{
    uf_universe *universe = universe_of("range:1-1000");
    (void)state;
    for (size_t k = 1, fired = 1; fired; k++) {
        struct counting counting = {.fail_at = k};
        uf_context ctx = counting_context(&counting);
        uf_set *set = NULL, *released = NULL;
        uf_error why;
        int status = uf_set_new(universe, &ctx, &set, &why);
        for (int i = 0; status == UF_OK && i < 100; i++) {
            char buffer[24];
            uf_key key = uf_universe_key(universe, (uint64_t)i * 7 % 1000, buffer);
            status = uf_set_add(set, &key, 1, &why);
        }
        if (status == UF_OK)
            status = uf_set_release(set, "dime:epsilon=1", &ctx, &released, &why);
        fired = counting.calls >= k;
        assert_that(status == (fired ? UF_ENOMEM : UF_OK), "allocation %zu gave %d", k, status);
        uf_set_free(set);
        uf_set_free(released);
        assert_that(counting_is_clean(&counting), "allocation %zu: %zu left, %zu unwiped", k, counting.blocks,
                    counting.unwiped);
    }
    uf_universe_free(universe);
}

/* ---- fingerprints ---- */

struct print {
    unsigned char bytes[32];
};

static struct print print_of(const uf_set *set, struct release_mark how, const char *key)
{
    struct print print;
    seed_digest(set, &how, (const unsigned char *)key, key ? strlen(key) : 0, print.bytes);
    return print;
}

static int same(struct print a, struct print b)
{
    return !memcmp(a.bytes, b.bytes, sizeof a.bytes);
}

/* Everything counts: members, universe, mechanism, threshold, key. The order and repetition of additions do not. */
static void test_fingerprints(void **state)
{
    const uf_key ab[] = {{"a", 1}, {"b", 1}}, ba[] = {{"b", 1}, {"a", 1}}, ac[] = {{"a", 1}, {"c", 1}};
    const struct release_mark how = {RELEASE_DIME, 5, 0}, other = {RELEASE_NICKEL, 5, 0}, more = {RELEASE_DIME, 6, 0};
    uf_universe *small = universe_of("range:0-9"), *digits = universe_of("digits:1"), *lists[3];
    uf_set *set = set_of(small, 3), *twin = set_of(small, 0), *larger = set_of(small, 4), *second = set_of(digits, 3);
    struct print print = print_of(set, how, "key");
    (void)state;
    for (uint64_t i = 6; i--;)
        add_rank(twin, small, i % 3);
    assert_true(same(print, print_of(set, how, "key")) && same(print, print_of(twin, how, "key")));
    assert_false(same(print, print_of(larger, how, "key")) || same(print, print_of(second, how, "key")) ||
                 same(print, print_of(set, other, "key")) || same(print, print_of(set, more, "key")) ||
                 same(print, print_of(set, how, "kez")) || same(print, print_of(set, how, NULL)));
    for (int i = 0; i < 3; i++)
        assert_status(UF_OK, uf_universe_list(i == 0 ? ab : i == 1 ? ba : ac, 2, NULL, &lists[i], NULL), NULL);
    uf_set *listed[3] = {set_of(lists[0], 1), set_of(lists[1], 1), set_of(lists[2], 1)};
    assert_true(same(print_of(listed[0], how, "key"), print_of(listed[1], how, "key")));
    assert_false(same(print_of(listed[0], how, "key"), print_of(listed[2], how, "key")));
    for (int i = 0; i < 3; i++) {
        uf_set_free(listed[i]);
        uf_universe_free(lists[i]);
    }
    uf_set_free(set);
    uf_set_free(twin);
    uf_set_free(larger);
    uf_set_free(second);
    uf_universe_free(small);
    uf_universe_free(digits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_keys_outside),
        cmocka_unit_test(test_each_can_be_stopped),
        cmocka_unit_test(test_bad_releases),
        cmocka_unit_test(test_releases_that_are_too_large),
        cmocka_unit_test(test_views_of_a_release_agree),
        cmocka_unit_test(test_sizes_of_releases),
        cmocka_unit_test(test_every_outcome_of_a_small_universe),
        cmocka_unit_test(test_large_universes),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_same_seed_same_release),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_fingerprints),
    };
    return cmocka_run_group_tests_name("set", tests, NULL, NULL);
}
