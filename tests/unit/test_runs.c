/* SPDX-License-Identifier: MIT */
/* core/runs: hashes come out as they went in, grouped by their top byte, joined without loss, memory all returned. */
#include "check.h"
#include "counting.h"
#include "random.h"
#include "runs.h"

enum { COUNT = 300000 };

static struct hash128 *some_hashes(uint64_t seed)
{
    struct hash128 *hashes = malloc(COUNT * sizeof *hashes);
    assert_non_null(hashes);
    for (size_t i = 0; i < COUNT; i++) {
        hashes[i] = (struct hash128){i, next_random(&seed)};
        if (i % 4 == 0)
            hashes[i].hi >>= 8; /* a quarter of all in group 0, so that its pieces grow to their full size */
    }
    return hashes;
}

/* Every group has the hashes of its top byte in the order they were added. Returns how many there are. */
static uint64_t check_groups(const struct hash_runs *runs)
{
    uint64_t all = 0;
    for (unsigned g = 0; g < RUN_GROUPS; g++) {
        uint64_t count = 0, before = 0;
        for (const struct run_piece *piece = runs->group[g]; piece; piece = piece->next) {
            assert_true(piece->used >= 1 && piece->used <= piece->capacity);
            for (uint32_t i = 0; i < piece->used; i++, count++) {
                assert_int_equal(piece->hash[i].hi >> 56, g);
                assert_true(!count || piece->hash[i].lo > before);
                before = piece->hash[i].lo;
            }
        }
        assert_int_equal(runs->count[g], count);
        all += count;
    }
    return all;
}

static void test_grouped_in_order(void **state)
{
    struct counting counting = {0};
    const struct mem mem = {counting_allocator(&counting)};
    struct hash_runs runs = {.mem = &mem};
    struct hash128 *hashes = some_hashes(1);
    (void)state;
    assert_int_equal(runs_total(&runs), 0);
    for (size_t done = 0, step = 1; done < COUNT; step = step % 977 + 1) {
        size_t now = step < COUNT - done ? step : COUNT - done;
        assert_status(UF_OK, runs_add(&runs, hashes + done, now), NULL);
        done += now;
    }
    assert_int_equal(runs_total(&runs), COUNT);
    assert_int_equal(check_groups(&runs), COUNT);
    assert_true(counting.peak < 2 * COUNT * sizeof *hashes); /* 16 bytes a key, and not much more */
    runs_free(&runs);
    assert_int_equal(runs_total(&runs), 0);
    assert_true(!counting.blocks && !counting.wrong);
    free(hashes);
}

static void test_join_moves_everything(void **state)
{
    struct counting counting = {0};
    const struct mem mem = {counting_allocator(&counting)};
    struct hash_runs a = {.mem = &mem}, b = {.mem = &mem}, none = {.mem = &mem};
    struct hash128 *hashes = some_hashes(2);
    (void)state;
    assert_status(UF_OK, runs_add(&a, hashes, COUNT / 3), NULL);
    assert_status(UF_OK, runs_add(&b, hashes + COUNT / 3, COUNT - COUNT / 3), NULL);
    runs_join(&a, &b);
    runs_join(&a, &none);
    assert_int_equal(check_groups(&a), COUNT);
    assert_int_equal(runs_total(&b), 0);
    runs_join(&none, &a);
    assert_int_equal(check_groups(&none), COUNT);
    assert_status(UF_OK, runs_add(&none, hashes, 0), NULL);
    runs_free(&a);
    runs_free(&b);
    runs_free(&none);
    assert_true(!counting.blocks && !counting.wrong);
    free(hashes);
}

/* Another top byte for each, and the sum of all hashes in what `arg` points to. */
static void turn(void *arg, struct hash128 *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hashes[i].hi = hashes[i].hi << 8 | hashes[i].hi >> 56;
        *(uint64_t *)arg += hashes[i].hi;
    }
}

/* All are there once, in their new groups, and the memory is that of the hashes and an arena or two. */
static void test_mix(void **state)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    struct mem mem = {ctx.allocator};
    struct hash_runs runs = {.mem = &mem};
    struct hash128 *hashes = some_hashes(5);
    uint64_t mixed = 0, sum = 0, lows = 0;
    (void)state;
    assert_int_equal(runs_add(&runs, hashes, COUNT), UF_OK);
    assert_int_equal(runs_mix(&runs, turn, &mixed), UF_OK);
    assert_int_equal(runs_total(&runs), COUNT);
    for (unsigned g = 0; g < RUN_GROUPS; g++)
        for (const struct run_piece *piece = runs.group[g]; piece; piece = piece->next)
            for (uint32_t i = 0; i < piece->used; i++) {
                assert_int_equal(piece->hash[i].hi >> 56, g);
                sum += piece->hash[i].hi;
                lows += piece->hash[i].lo;
            }
    assert_true(sum == mixed && lows == (uint64_t)COUNT * (COUNT - 1) / 2);
    runs_free(&runs);
    assert_true(counting_is_clean(&counting));
    free(hashes);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t k = 1; k <= 3; k++) {
        struct counting counting = {.fail_at = k};
        const struct mem mem = {counting_allocator(&counting)};
        struct hash_runs runs = {.mem = &mem};
        struct hash128 *hashes = some_hashes(3);
        assert_status(UF_ENOMEM, runs_add(&runs, hashes, COUNT), NULL);
        check_groups(&runs);
        runs_free(&runs);
        assert_true(!counting.blocks && !counting.wrong);
        free(hashes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grouped_in_order),
        cmocka_unit_test(test_join_moves_everything),
        cmocka_unit_test(test_mix),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
