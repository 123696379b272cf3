/* SPDX-License-Identifier: MIT */
/* hosts/packet_gate/sources: nothing is lost while there is room, little is lost when there is not, all of it is
 * counted. */
#include "check.h"
#include "sources.h"

static const uint8_t key[16] = {5};

static struct source number(uint32_t value)
{
    struct source source = {.seen = value};
    word_bytes(value, source.address.bytes + 12);
    return source;
}

static void keep(struct sources *table, const struct source *source)
{
    struct sources_home home = sources_home(table, &source->address);
    sources_keep(table, &home, source);
}

static struct source *find(struct sources *table, uint32_t value)
{
    struct source source = number(value);
    struct sources_home home = sources_home(table, &source.address);
    return sources_find(table, &home, &source.address);
}

static int forgot(struct sources *table, uint32_t value)
{
    struct source source = number(value);
    struct sources_home home = sources_home(table, &source.address);
    return sources_forgot(table, &home);
}

static void test_keeps(void **unused)
{
    struct sources *table = sources_new(4096, key);
    (void)unused;
    assert_non_null(table);
    for (uint32_t i = 0; i < 2048; i++) {
        struct source source = number(i);
        source.state = i * 3;
        assert_null(find(table, i));
        keep(table, &source);
    }
    for (uint32_t i = 0; i < 2048; i++) {
        assert_non_null(find(table, i));
        assert_int_equal(find(table, i)->state, i * 3);
        assert_false(forgot(table, i));
    }
    assert_int_equal(sources_counted(table).kept, 2048);
    assert_int_equal(sources_counted(table).evicted, 0);
    sources_drop(table, find(table, 7));
    assert_null(find(table, 7));
    assert_int_equal(sources_counted(table).kept, 2047);
    sources_free(table);
}

/* Sixteen places, all of which every source may use: two buckets at most. */
static struct sources *full_table(uint32_t from, uint8_t strikes, uint32_t state)
{
    struct sources *table = sources_new(8, key);
    assert_non_null(table);
    for (uint32_t i = 0; i < 8; i++) {
        struct source source = number(from + i);
        source.strikes = strikes;
        source.state = state;
        keep(table, &source);
    }
    assert_int_equal(sources_counted(table).kept, 8);
    return table;
}

static void check_counts(const struct sources *table, uint64_t evicted, uint64_t partial, uint64_t strikes)
{
    struct sources_counts counts = sources_counted(table);
    assert_int_equal(counts.kept, 8);
    assert_int_equal(counts.evicted, evicted);
    assert_int_equal(counts.partial, partial);
    assert_int_equal(counts.strikes, strikes);
}

static void test_who_is_forgotten(void **unused)
{
    (void)unused;
    /* Among equals, the one that was silent for longest. */
    struct sources *table = full_table(100, 0, 0);
    struct source source = number(200);
    assert_false(forgot(table, 100));
    keep(table, &source);
    assert_null(find(table, 100));
    assert_non_null(find(table, 200));
    assert_true(forgot(table, 100));
    check_counts(table, 1, 0, 0);

    /* One in a sequence stays before one that is in none; strikes count more than either. */
    find(table, 101)->state = 9;
    find(table, 102)->strikes = 1;
    for (uint32_t i = 201; i < 250; i++) {
        source = number(i);
        keep(table, &source);
    }
    assert_non_null(find(table, 101));
    assert_non_null(find(table, 102));
    assert_null(find(table, 103));
    check_counts(table, 50, 0, 0);
    sources_free(table);

    /* A newcomer with nothing to lose does not replace one that has; and it is counted. */
    table = full_table(100, 1, 0);
    source = number(300);
    source.state = 4;
    keep(table, &source);
    assert_null(find(table, 300));
    assert_true(forgot(table, 300));
    check_counts(table, 1, 1, 0);
    source.strikes = 2;
    keep(table, &source);
    assert_non_null(find(table, 300));
    check_counts(table, 2, 1, 1);
    sources_free(table);
}

/* "Silent for longest" goes on when the number of packets passes 2^32. */
static void test_clock_wraps(void **unused)
{
    struct sources *table = full_table(UINT32_MAX - 7, 0, 0);
    struct source source = number(2);
    (void)unused;
    keep(table, &source);
    source = number(3);
    keep(table, &source);
    assert_non_null(find(table, 2));
    assert_null(find(table, UINT32_MAX - 7));
    assert_null(find(table, UINT32_MAX - 6));
    sources_free(table);
}

/* 75 % full: 1.4 in 100,000 lose their place; 2 of 98,304 are 1.4 expected. One choice only would lose 5 %. */
static void test_two_choices(void **unused)
{
    struct sources *table = sources_new(131072, key);
    const size_t bytes = sources_bytes(table);
    (void)unused;
    for (uint32_t i = 0; i < 98304; i++) {
        struct source source = number(i);
        keep(table, &source);
    }
    assert_in_range(sources_counted(table).evicted, 0, 10);
    for (uint32_t i = 98304; i < 200000; i++) {
        struct source source = number(i);
        keep(table, &source);
    }
    assert_int_equal(sources_counted(table).kept + sources_counted(table).evicted, 200000);
    assert_in_range(sources_counted(table).kept, 131072 * 0.97, 131072);
    assert_int_equal(sources_bytes(table), bytes);
    sources_free(table);
}

static void test_sizes(void **unused)
{
    (void)unused;
    struct sources *table = sources_new(1, key);
    assert_int_equal(sources_places(table), 8);
    sources_free(table);
    assert_null(sources_new(UINT64_MAX, key));
    assert_null(sources_new(UINT64_MAX / 64, key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keeps),       cmocka_unit_test(test_who_is_forgotten),
        cmocka_unit_test(test_clock_wraps), cmocka_unit_test(test_two_choices),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
