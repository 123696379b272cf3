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

/* Another top byte for each. */
static void turn(void *arg, struct hash128 *hashes, size_t count)
{
    (void)arg;
    for (size_t i = 0; i < count; i++)
        hashes[i].hi = hashes[i].hi << 8 | hashes[i].hi >> 56;
}

/* All hashes, group after group. */
static void read_out(const struct hash_runs *runs, struct hash128 *out)
{
    for (unsigned g = 0; g < RUN_GROUPS; g++)
        for (const struct run_piece *piece = runs->group[g]; piece; piece = piece->next)
            for (uint32_t i = 0; i < piece->used; i++)
                *out++ = piece->hash[i];
}

/* Mixes COUNT hashes, that two threads brought; all are there once, in their new groups. Memory: that of the hashes,
 * and an arena or two of each thread. */
static void mix_with(unsigned threads, const struct hash128 *hashes, struct hash128 *out)
{
    struct counting counting = {0};
    const struct mem mem = {counting_allocator(&counting)};
    struct hash_runs runs = {.mem = &mem}, other = {.mem = &mem};
    uint64_t lows = 0;
    assert_int_equal(runs_mix(&runs, threads, turn, NULL), UF_OK);
    assert_int_equal(runs_add(&runs, hashes, COUNT / 3), UF_OK);
    assert_int_equal(runs_add(&other, hashes + COUNT / 3, COUNT - COUNT / 3), UF_OK);
    runs_join(&runs, &other);
    assert_int_equal(runs_mix(&runs, threads, turn, NULL), UF_OK);
    assert_int_equal(runs_total(&runs), COUNT);
    read_out(&runs, out);
    for (size_t i = 0; i < COUNT; i++) {
        const struct hash128 *was = &hashes[out[i].lo];
        assert_true(out[i].hi == (was->hi << 8 | was->hi >> 56) && (!i || out[i].hi >> 56 >= out[i - 1].hi >> 56));
        lows += out[i].lo;
    }
    assert_int_equal(lows, (uint64_t)COUNT * (COUNT - 1) / 2);
    runs_free(&runs);
    assert_true(counting_is_clean(&counting));
}

/* The order is that of one thread. */
static void test_mix(void **state)
{
    struct hash128 *hashes = some_hashes(5), *one = malloc(COUNT * sizeof *one), *many = malloc(COUNT * sizeof *many);
    (void)state;
    assert_true(one && many);
    mix_with(1, hashes, one);
    for (unsigned threads = 2; threads <= 9; threads += 7) {
        mix_with(threads, hashes, many);
        assert_memory_equal(one, many, COUNT * sizeof *one);
    }
    free(many);
    free(one);
    free(hashes);
}

/* Whichever allocation fails, nothing is left behind. */
static void test_mix_without_memory(void **state)
{
    struct hash128 *hashes = some_hashes(6);
    int status = UF_ENOMEM;
    (void)state;
    for (size_t k = 1; status != UF_OK; k++) {
        struct counting counting = {0};
        const struct mem mem = {counting_allocator(&counting)};
        struct hash_runs runs = {.mem = &mem};
        assert_int_equal(runs_add(&runs, hashes, COUNT), UF_OK);
        counting.fail_at = counting.calls + k;
        status = runs_mix(&runs, 2, turn, NULL);
        assert_true(status == UF_OK || status == UF_ENOMEM);
        runs_free(&runs);
        assert_true(counting_is_clean(&counting));
    }
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
        cmocka_unit_test(test_mix_without_memory),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
