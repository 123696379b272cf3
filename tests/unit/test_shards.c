/* SPDX-License-Identifier: MIT */
/* core/shards: every key comes to its own shard, once, whatever the number of shards and threads; failures end it. */
#include "check.h"
#include "counting.h"
#include "random.h"
#include "shards.h"

enum { KEYS = 50000 };

/* Keys numbered in `lo`, with the top bytes all over the groups, and some groups empty. */
static void fill(struct hash_runs *runs, uint64_t seed)
{
    for (uint64_t i = 0; i < KEYS; i++) {
        struct hash128 hash = {i, next_random(&seed) & UINT64_C(0xfcffffffffffffff)};
        assert_status(UF_OK, runs_add(runs, &hash, 1), NULL);
    }
}

struct visit {
    struct shards *shards;
    unsigned seen[KEYS];
    unsigned shards_done;
    uint32_t fails_at;
};

static int visit_shard(void *arg, uint32_t shard, struct hash128 *keys)
{
    struct visit *visit = arg;
    int status = shard == visit->fails_at ? UF_EBUILD : UF_OK;
    for (uint64_t i = 0; i < visit->shards->keys[shard]; i++) {
        __atomic_add_fetch(&visit->seen[keys[i].lo], 1, __ATOMIC_RELAXED);
        if (shards_scale(keys[i].hi, visit->shards->count) != shard)
            status = UF_EINVAL;
        keys[i] = (struct hash128){0, 0}; /* the callee may change them */
    }
    __atomic_add_fetch(&visit->shards_done, 1, __ATOMIC_RELAXED);
    return status;
}

/* All of it, for some number of shards and threads: with the accounts of memory. */
static int run(uint32_t count, uf_context ctx, struct counting *counting, struct visit *visit)
{
    const struct mem mem = {counting_allocator(counting)};
    struct hash_runs runs = {.mem = &mem};
    struct shards shards = {.runs = &runs, .ctx = &ctx, .mem = &mem, .count = count};
    uint32_t fails_at = visit->fails_at;
    size_t no_failure = counting->fail_at;
    memset(visit, 0, sizeof *visit);
    visit->shards = &shards;
    visit->fails_at = fails_at;
    counting->fail_at = 0;
    fill(&runs, count);
    counting->calls = 0;
    counting->fail_at = no_failure;
    int status = shards_count(&shards);
    if (status == UF_OK)
        status = shards_run(&shards, visit_shard, visit);
    shards_end(&shards);
    runs_free(&runs);
    return status;
}

static void test_every_key_once(void **state)
{
    static const uint32_t counts[] = {1, 2, 16, 256, 512, 1024};
    static struct visit visit;
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (unsigned threads = 1; threads <= 8; threads *= 2) {
            struct counting counting = {0};
            uf_context ctx = UF_CONTEXT_INIT;
            ctx.threads = threads;
            visit.fails_at = UINT32_MAX;
            assert_status(UF_OK, run(counts[i], ctx, &counting, &visit), NULL);
            assert_int_equal(visit.shards_done, counts[i]);
            for (size_t k = 0; k < KEYS; k++)
                assert_int_equal(visit.seen[k], 1);
            assert_true(counting_is_clean(&counting));
        }
}

static void test_first_failure_is_returned(void **state)
{
    static struct visit visit;
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads *= 4) {
        struct counting counting = {0};
        uf_context ctx = UF_CONTEXT_INIT;
        ctx.threads = threads;
        visit.fails_at = 100;
        assert_status(UF_EBUILD, run(256, ctx, &counting, &visit), NULL);
        assert_true(counting_is_clean(&counting));
    }
}

static void test_no_memory(void **state)
{
    static struct visit visit;
    int status = UF_ENOMEM;
    size_t refused = 0;
    (void)state;
    for (size_t k = 1; status == UF_ENOMEM; k++, refused++) {
        struct counting counting = {.fail_at = k};
        uf_context ctx = UF_CONTEXT_INIT;
        visit.fails_at = UINT32_MAX;
        status = run(4, ctx, &counting, &visit);
        assert_true(counting_is_clean(&counting));
    }
    assert_status(UF_OK, status, NULL);
    assert_true(refused > 3);
}

struct watch {
    uint64_t done;
    unsigned calls, stop_at;
};

static int watching(void *arg, uint64_t done, uint64_t total)
{
    struct watch *watch = arg;
    assert_true(done >= watch->done && done <= total && total == KEYS);
    watch->done = done;
    return ++watch->calls == watch->stop_at;
}

static void test_progress(void **state)
{
    static struct visit visit;
    struct counting counting = {0};
    struct watch watch = {0};
    uf_context ctx = UF_CONTEXT_INIT;
    (void)state;
    ctx.progress = watching;
    ctx.progress_arg = &watch;
    visit.fails_at = UINT32_MAX;
    assert_status(UF_OK, run(16, ctx, &counting, &visit), NULL);
    assert_int_equal(watch.done, KEYS);
    watch = (struct watch){.stop_at = 3};
    assert_status(UF_ECANCELED, run(16, ctx, &counting, &visit), NULL);
    assert_int_equal(visit.shards_done, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_once),
        cmocka_unit_test(test_first_failure_is_returned),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests_name("shards", tests, NULL, NULL);
}
