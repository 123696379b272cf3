/* SPDX-License-Identifier: MIT */
/*
 * release/universe: ranks and keys of every universe, both ways and in order; keys that look like members and are none;
 * texts that are no universe; lists with duplicates, in any order, of any bytes.
 */
#include <stdio.h>

#include "check.h"
#include "counting.h"
#include "random.h"

static uf_universe *parse(const char *text)
{
    uf_universe *universe = NULL;
    uf_error why;
    assert_status(UF_OK, uf_universe_parse(text, NULL, &universe, &why), &why);
    return universe;
}

static uf_key key_of(const char *text)
{
    return (uf_key){text, strlen(text)};
}

/* The key of a rank is this text, and the rank of the text is that rank. */
static void check_pair(const uf_universe *universe, uint64_t rank, const char *text)
{
    char buffer[24];
    uint64_t back = UINT64_MAX;
    uf_key key = uf_universe_key(universe, rank, buffer);
    assert_that(key.size == strlen(text) && !memcmp(key.data, text, key.size), "rank %llu is '%.*s' and not '%s'",
                (unsigned long long)rank, (int)key.size, (const char *)key.data, text);
    assert_status(UF_OK, uf_universe_rank(universe, key, &back), NULL);
    assert_true(back == rank);
}

static void check_outside(const uf_universe *universe, const char *const *texts)
{
    uint64_t rank = 77;
    for (; *texts; texts++)
        assert_that(uf_universe_rank(universe, key_of(*texts), &rank) == UF_EINVAL && rank == 77, "'%s' is a key",
                    *texts);
}

static void test_range(void **state)
{
    static const char *const others[] = {"",
                                         "4",
                                         "1001",
                                         "05",
                                         "005",
                                         " 5",
                                         "5 ",
                                         "+5",
                                         "-5",
                                         "5.0",
                                         "5e0",
                                         "0x5",
                                         "five",
                                         "1e2",
                                         "99999999999999999999",
                                         "18446744073709551621",
                                         NULL};
    uf_universe *universe = parse("range:5-1000");
    (void)state;
    assert_true(uf_universe_size(universe) == 996);
    check_pair(universe, 0, "5");
    check_pair(universe, 5, "10");
    check_pair(universe, 995, "1000");
    check_outside(universe, others);
    assert_int_equal(uf_universe_rank(universe, (uf_key){NULL, 0}, &(uint64_t){0}), UF_EINVAL);
    assert_int_equal(uf_universe_rank(universe, (uf_key){"5\0", 2}, &(uint64_t){0}), UF_EINVAL);
    assert_true(uf_universe_key(universe, 996, (char[24]){0}).size == 0);
    uf_universe_free(universe);
    universe = parse("range:0-1000000000000000000");
    check_pair(universe, 0, "0");
    check_pair(universe, UINT64_C(1000000000000000000), "1000000000000000000");
    check_outside(universe, (const char *const[]){"00", "1000000000000000001", "9999999999999999999", NULL});
    uf_universe_free(universe);
    universe = parse("range:7-7");
    assert_true(uf_universe_size(universe) == 1);
    check_pair(universe, 0, "7");
    uf_universe_free(universe);
}

static void test_ipv4(void **state)
{
    static const char *const others[] = {
        "",          "10",          "10.1.2",          "10.1.2.3.4", "10.1.2.256",  "10.01.2.3",
        "10.1.2.3 ", "11.0.0.0",    "9.255.255.255",   "10.1.2.",    ".1.2.3",      "10..2.3",
        "10.1.2.-3", "10.1.2.3/32", "::ffff:10.1.2.3", "a.b.c.d",    "10.1.2.0003", "167838211",
        NULL};
    uf_universe *universe = parse("ipv4:10.0.0.0/8");
    (void)state;
    assert_true(uf_universe_size(universe) == 1 << 24);
    check_pair(universe, 0, "10.0.0.0");
    check_pair(universe, 258, "10.0.1.2");
    check_pair(universe, (1 << 24) - 1, "10.255.255.255");
    check_outside(universe, others);
    uf_universe_free(universe);
    universe = parse("ipv4:0.0.0.0/0");
    assert_true(uf_universe_size(universe) == UINT64_C(1) << 32);
    check_pair(universe, 0, "0.0.0.0");
    check_pair(universe, UINT32_MAX, "255.255.255.255");
    uf_universe_free(universe);
    universe = parse("ipv4:192.168.1.9/32");
    assert_true(uf_universe_size(universe) == 1);
    check_pair(universe, 0, "192.168.1.9");
    uf_universe_free(universe);
}

static void test_digits(void **state)
{
    uf_universe *universe = parse("digits:10");
    (void)state;
    assert_true(uf_universe_size(universe) == UINT64_C(10000000000));
    check_pair(universe, 7, "0000000007");
    check_pair(universe, UINT64_C(9999999999), "9999999999");
    check_outside(universe,
                  (const char *const[]){"", "7", "000000007", "00000000007", "000000000a", "-000000007", NULL});
    uf_universe_free(universe);
    universe = parse("digits:18");
    check_pair(universe, UINT64_C(999999999999999999), "999999999999999999");
    uf_universe_free(universe);
}

/* Each with what its error must say. */
static void test_texts_that_are_no_universe(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "range:1-1000000"},
        {"words", "'words' is not a universe"},
        {"range", "is not a universe"},
        {"Range:1-5", "is not a universe"},
        {"range:", "two numbers"},
        {"range:5", "two numbers"},
        {"range:5-", "two numbers"},
        {"range:-5", "two numbers"},
        {"range:1-2-3", "two numbers"},
        {"range:a-b", "two numbers"},
        {"range:1-1e6", "two numbers"},
        {"range: 1-5", "two numbers"},
        {"range:5-1", "write range:1-5"},
        {"range:1-1000000000000000001", "10^18"},
        {"range:1-99999999999999999999999999", "10^18"},
        {"ipv4:", "ipv4:10.0.0.0/8"},
        {"ipv4:1.2.3/8", "ipv4:1.2.3/8 is not an address"},
        {"ipv4:1.2.3.4", "is not an address and a prefix"},
        {"ipv4:1.2.3.256/32", "0 to 255"},
        {"ipv4:10.0.0.0/33", "prefix from 0 to 32"},
        {"ipv4:10.0.0.0/", "prefix from 0 to 32"},
        {"ipv4:10.0.0.0/08", "prefix from 0 to 32"},
        {"ipv4:10.1.2.3/8", "write ipv4:10.0.0.0/8"},
        {"ipv4:255.255.255.255/0", "write ipv4:0.0.0.0/0"},
        {"digits:", "from 1 to 18"},
        {"digits:0", "from 1 to 18"},
        {"digits:19", "from 1 to 18"},
        {"digits:1000000000000", "from 1 to 18"},
        {"digits:3.5", "from 1 to 18"},
        {"digits:-1", "from 1 to 18"},
    };
    uf_universe *universe = NULL;
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(UF_EINVAL, uf_universe_parse(bad[i].text, NULL, &universe, &why), &why);
        assert_that(strstr(why.text, bad[i].says), "'%s': %s", bad[i].text, why.text);
        assert_null(universe);
    }
    assert_refused(UF_EINVAL, uf_universe_parse(NULL, NULL, &universe, &why), &why);
    assert_refused(UF_EINVAL, uf_universe_parse("digits:3", NULL, NULL, &why), &why);
    assert_refused(UF_EINVAL, uf_universe_list(NULL, 0, NULL, &universe, &why), &why);
    assert_non_null(strstr(why.text, "no keys"));
    assert_refused(UF_EINVAL, uf_universe_list(NULL, 3, NULL, &universe, &why), &why);
    uf_universe_free(NULL);
}

/* ---- lists ---- */

static uf_universe *list(const uf_key *keys, size_t count)
{
    uf_universe *universe = NULL;
    uf_error why;
    assert_status(UF_OK, uf_universe_list(keys, count, NULL, &universe, &why), &why);
    return universe;
}

static void test_list(void **state)
{
    static const uf_key keys[] = {{"pear", 4}, {"", 0},  {"apple", 5}, {"pear", 4},         {"a\0b", 3},
                                  {"a", 1},    {"a", 1}, {"\xff", 1},  {"longer than", 11}, {"longer tham", 11},
                                  {"a\0", 2},  {NULL, 0}};
    static const uf_key order[] = {
        {"", 0},     {"a", 1},   {"a\0", 2}, {"a\0b", 3}, {"apple", 5}, {"longer tham", 11}, {"longer than", 11},
        {"pear", 4}, {"\xff", 1}};
    uf_universe *universe = list(keys, sizeof keys / sizeof keys[0]);
    uint64_t rank;
    (void)state;
    assert_true(uf_universe_size(universe) == 9);
    for (size_t i = 0; i < 9; i++) {
        uf_key key = uf_universe_key(universe, i, NULL);
        assert_true(key.size == order[i].size && !memcmp(key.data, order[i].data, key.size));
        assert_status(UF_OK, uf_universe_rank(universe, order[i], &rank), NULL);
        assert_true(rank == i);
    }
    check_outside(universe, (const char *const[]){"b", "appl", "apple ", "longer thao", "longer tha", NULL});
    uf_universe_free(universe);
}

/* Random short keys over three letters, so that many are equal or begin each other: the same as a slow search. */
static void test_list_against_search(void **state)
{
    enum { KEYS = 700 };
    static char text[KEYS][8];
    uf_key keys[KEYS];
    uint64_t random = 7, distinct = 0, rank;
    (void)state;
    for (size_t i = 0; i < KEYS; i++) {
        keys[i] = (uf_key){text[i], random_below(&random, 7)};
        for (size_t j = 0; j < keys[i].size; j++)
            text[i][j] = "\0ab"[random_below(&random, 3)];
        size_t same = 0;
        while (same < i && (keys[same].size != keys[i].size || memcmp(keys[same].data, keys[i].data, keys[i].size)))
            same++;
        distinct += same == i;
    }
    uf_universe *universe = list(keys, KEYS), *reversed;
    assert_true(distinct < KEYS && uf_universe_size(universe) == distinct);
    for (size_t i = 0; i < KEYS; i++) {
        assert_status(UF_OK, uf_universe_rank(universe, keys[i], &rank), NULL);
        uf_key key = uf_universe_key(universe, rank, NULL);
        assert_true(key.size == keys[i].size && !memcmp(key.data, keys[i].data, key.size));
    }
    for (size_t i = 0; i < KEYS / 2; i++) {
        uf_key swap = keys[i];
        keys[i] = keys[KEYS - 1 - i];
        keys[KEYS - 1 - i] = swap;
    }
    reversed = list(keys, KEYS);
    assert_true(uf_universe_size(reversed) == distinct);
    for (uint64_t i = 0; i < distinct; i++) {
        assert_status(UF_OK, uf_universe_rank(reversed, uf_universe_key(universe, i, NULL), &rank), NULL);
        assert_true(rank == i);
    }
    uf_universe_free(universe);
    uf_universe_free(reversed);
}

static void test_lengths_that_overflow(void **state)
{
    const uf_key keys[] = {{"a", SIZE_MAX}, {"b", SIZE_MAX}};
    uf_universe *universe = NULL;
    uf_error why;
    (void)state;
    assert_refused(UF_ENOMEM, uf_universe_list(keys, 2, NULL, &universe, &why), &why);
    assert_refused(UF_ENOMEM, uf_universe_list(keys, 1, NULL, &universe, &why), &why);
}

static void test_every_allocation_may_fail(void **state)
{
    const uf_key keys[] = {{"pear", 4}, {"apple", 5}, {"pear", 4}};
    (void)state;
    for (size_t k = 1, fired = 1; fired; k++) {
        struct counting counting = {.fail_at = k};
        uf_context ctx = counting_context(&counting);
        uf_universe *one = NULL, *other = NULL;
        uf_error why;
        int first = uf_universe_parse("digits:3", &ctx, &one, &why);
        int second = uf_universe_list(keys, 3, &ctx, &other, &why);
        fired = counting.calls >= k;
        assert_that((first == UF_ENOMEM || second == UF_ENOMEM) == (fired != 0), "allocation %zu", k);
        assert_true((first == UF_OK) == !!one && (second == UF_OK) == !!other);
        uf_universe_free(one);
        uf_universe_free(other);
        assert_true(counting_is_clean(&counting));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_ipv4),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_texts_that_are_no_universe),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_list_against_search),
        cmocka_unit_test(test_lengths_that_overflow),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("universe", tests, NULL, NULL);
}
