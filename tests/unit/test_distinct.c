/* SPDX-License-Identifier: MIT */
/* core/distinct: each key once, the first of its kind stays, in the order they came or sorted; hashes that differ in
 * one bit only, or share all that a table looks at, are different keys. */
#include "distinct.h"

#include "check.h"
#include "counting.h"
#include "random.h"

enum { MOST = 5000 };

struct list {
    struct hash128 key[MOST];
    uint64_t count;
};

/* `count` hashes, of `different` different ones. */
static struct list *make_list(uint64_t seed, uint64_t count, uint64_t different)
{
    struct list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    list->count = count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t which = seed * 1000003 + random_below(&seed, different);
        list->key[i] = (struct hash128){next_random(&which), next_random(&which)};
    }
    return list;
}

static int same(struct hash128 a, struct hash128 b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* The first of each, by comparing all pairs. */
static uint64_t slowly(const struct list *list, struct hash128 *out)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        uint64_t j = 0;
        while (j < kept && !same(out[j], list->key[i]))
            j++;
        if (j == kept)
            out[kept++] = list->key[i];
    }
    return kept;
}

static int before(struct hash128 a, struct hash128 b)
{
    return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
}

static void check_list(const struct list *list)
{
    static struct hash128 expected[MOST];
    struct list *hashed = malloc(sizeof *hashed), *sorted = malloc(sizeof *sorted);
    struct counting counting = {0};
    struct mem mem = {counting_allocator(&counting)};
    assert_true(hashed && sorted);
    *hashed = *sorted = *list;
    uint64_t kept = slowly(list, expected);
    assert_status(UF_OK, distinct_keys(&mem, hashed->key, &hashed->count), NULL);
    distinct_sorted(sorted->key, &sorted->count);
    assert_int_equal(hashed->count, kept);
    assert_int_equal(sorted->count, kept);
    assert_memory_equal(hashed->key, expected, kept * sizeof expected[0]);
    for (uint64_t i = 1; i < kept; i++)
        assert_true(before(sorted->key[i - 1], sorted->key[i]));
    distinct_sorted(hashed->key, &hashed->count); /* the same ones */
    assert_memory_equal(hashed->key, sorted->key, kept * sizeof expected[0]);
    assert_true(counting.blocks == 0 && counting_is_clean(&counting));
    free(hashed);
    free(sorted);
}

static void test_random_lists(void **state)
{
    static const uint64_t sizes[] = {0, 1, 2, 15, 16, 17, 100, 1000, MOST};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint64_t different = 1; different <= 100000; different *= 10) {
            struct list *list = make_list(i + 1, sizes[i], different);
            check_list(list);
            free(list);
        }
}

/* All in one chain of the table, and one bit apart: in hi, in the upper part of lo, in the lowest bits. */
static void test_near_misses(void **state)
{
    struct list *list = calloc(1, sizeof *list);
    (void)state;
    assert_non_null(list);
    for (unsigned copy = 0; copy < 3; copy++) {
        list->key[list->count++] = (struct hash128){0, 0};
        for (unsigned bit = 0; bit < 64; bit++) {
            list->key[list->count++] = (struct hash128){UINT64_C(1) << bit, 0};
            list->key[list->count++] = (struct hash128){0, UINT64_C(1) << bit};
        }
    }
    check_list(list);
    distinct_sorted(list->key, &list->count);
    assert_int_equal(list->count, 129);
    free(list);
}

static void test_no_memory(void **state)
{
    struct counting counting = {.fail_at = 1};
    struct mem mem = {counting_allocator(&counting)};
    struct list *list = make_list(5, 100, 10);
    (void)state;
    assert_status(UF_ENOMEM, distinct_keys(&mem, list->key, &list->count), NULL);
    assert_int_equal(list->count, 100);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_lists),
        cmocka_unit_test(test_near_misses),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("distinct", tests, NULL, NULL);
}
