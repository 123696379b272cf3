/* SPDX-License-Identifier: MIT */
/*
 * kind ribbon: where shards and segments lie, rows within their shard, crafted hashes, and the many copies of one key
 * that must not make a filter which cannot be loaded again.
 */
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "cpu.h"
#include "keys.h"
#include "paths.h"
#include "random.h"
#include "ribbon.h"
#include "runs.h"

static void test_shards_nest_in_groups(void **state)
{
    static const uint64_t counts[] = {0,       1,       8192,     8193,      100000,
                                      2097152, 2097153, 10000000, 123456789, RIBBON_MOST_KEYS};
    uint64_t seed = 41;
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint32_t shards = shards_for(counts[i], RIBBON_SHARD_KEYS);
        assert_true(shards >= 1 && (uint64_t)shards * RIBBON_SHARD_KEYS >= counts[i]);
        for (int j = 0; j < 1000; j++) {
            uint64_t hi = next_random(&seed) | (j % 3 ? 0 : UINT64_C(0xffffffff) << 24);
            uint32_t shard = shards_scale(hi, shards), group = (uint32_t)(hi >> 56);
            assert_true(shard < shards);
            if (shards >= RUN_GROUPS)
                assert_int_equal(shard / (shards / RUN_GROUPS), group);
            else
                assert_int_equal(shard, group / (RUN_GROUPS / shards));
        }
    }
}

/* Segments follow each other without gaps, and those that a start at the boundary or above can touch have the column.
 */
static void check_segments(uint32_t slots, uint32_t columns, uint32_t extra, uint32_t band)
{
    const struct ribbon ribbon = {.columns = columns, .extra = extra, .band = band};
    uint32_t starts = slots - band + 1, boundary = ribbon_boundary(starts, extra), at = 0;
    assert_true(!extra ? boundary >= starts : boundary < starts);
    for (uint32_t g = 0; g < slots / 64; g++) {
        uint32_t end = ribbon_segment(&ribbon, boundary, g + 1);
        assert_int_equal(ribbon_segment(&ribbon, boundary, g), at);
        assert_int_equal(end - at, columns + (extra && g >= boundary / 64));
        at = end;
    }
    assert_int_equal(ribbon_shard_words(&ribbon, slots), at);
}

static void test_segments(void **state)
{
    static const uint32_t extras[] = {0, 1, 1u << 31, UINT32_MAX};
    (void)state;
    for (uint32_t band = 64; band <= 128; band *= 2)
        for (uint32_t slots = band; slots < 2000; slots += 64)
            for (size_t i = 0; i < 4; i++)
                for (uint32_t columns = 0; columns <= RIBBON_MOST_COLUMNS; columns += 20)
                    check_segments(slots, columns, extras[i], band);
}

static void test_rows_stay_in_their_shard(void **state)
{
    static const uint64_t odd[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, UINT32_MAX, UINT64_C(0xffffffff00000000)};
    uint64_t seed = 42;
    (void)state;
    for (uint32_t band = 64; band <= 128; band *= 2)
        for (size_t i = 0; i < 2000; i++) {
            struct hash128 hash = {next_random(&seed), next_random(&seed)};
            if (i < 36)
                hash = (struct hash128){odd[i % 6], odd[i / 6]};
            uint32_t slots = band + 64 * (uint32_t)random_below(&seed, 200), starts = slots - band + 1;
            struct ribbon_row row = ribbon_row_of(hash, (uint32_t)i * 77777, starts, band);
            assert_true(row.start < starts && (row.c.lo & 1));
            assert_true(band == 128 || row.c.hi == 0);
        }
}

/* All rates and both bands at sizes around the edges of shards and segments: no false negative. */
static void test_sizes_around_the_edges(void **state)
{
    static const size_t sizes[] = {1, 61, 62, 121, 122, 8191, 8192, 8193, 16384, 16385};
    static const char *const params[] = {"fpr=0.999", "fpr=0.6",   "fpr=0.26",          "fpr=0.25",
                                         "fpr=0.002", "fpr=1e-18", "fpr=0.26,band=128", "fpr=1e-9,band=128,slack=0.02"};
    char text[128];
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j < sizeof params / sizeof params[0]; j++) {
            struct keys keys = keys_make("key", sizes[i]);
            uf_filter *filter = NULL;
            uf_error why;
            (void)snprintf(text, sizeof text, "ribbon:%s,seed=0x1", params[j]);
            uf_spec spec = spec_of(text);
            assert_status(UF_OK, uf_build(&spec, keys.key, keys.count, NULL, &filter, &why), &why);
            assert_int_equal(keys_found(filter, &keys), keys.count);
            uf_free(filter);
            keys_free(&keys);
        }
}

/* ---- every path of this machine: the same words, and the same answers one by one and many at a time ---- */

enum { ASKED = 6000 };

static uf_filter *build_on(const char *text, const uint64_t *keys, size_t count, int cpu)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of(text);
    uf_builder *builder;
    uf_filter *filter = NULL;
    uf_error why;
    ctx.cpu = cpu;
    assert_status(UF_OK, uf_builder_new(&spec, &ctx, &builder, &why), &why);
    assert_status(UF_OK, uf_builder_add_fixed(builder, keys, sizeof *keys, count, NULL), NULL);
    assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
    uf_builder_free(builder);
    return filter;
}

/* In all the ways that there are to ask; half of the keys are members. */
static void check_path(const char *text, const uf_filter *plain, const uint64_t *keys, int cpu)
{
    uf_filter *filter = build_on(text, keys, ASKED / 2, cpu);
    uint8_t expected[ASKED], answers[ASKED];
    assert_int_equal(filter->word_count, plain->word_count);
    assert_memory_equal(filter->words, plain->words, plain->word_count * sizeof *plain->words);
    uf_query_fixed(plain, keys, sizeof *keys, ASKED, expected);
    uf_query_fixed(filter, keys, sizeof *keys, ASKED, answers);
    assert_memory_equal(answers, expected, ASKED);
    for (size_t i = 0; i < ASKED; i++) {
        assert_true(i >= ASKED / 2 || expected[i]);
        assert_int_equal(uf_query(filter, (uf_key){&keys[i], sizeof *keys}), expected[i]);
        answers[i] = (uint8_t)(uf_query(filter, (uf_key){&keys[i], 7}) != uf_query(plain, (uf_key){&keys[i], 7}));
        assert_int_equal(answers[i], 0);
    }
    uf_free(filter);
}

static void test_paths(void **state)
{
    static const char *const params[] = {
        "fpr=0.999",   "fpr=0.6",       "fpr=0.01",  "fpr=0.0078125",    "fpr=0.00390625",    "fpr=0.0039",
        "fpr=0.00002", "fpr=0.0000152", "fpr=1e-18", "fpr=0.3,band=128", "fpr=0.01,band=128", "fpr=1e-9,band=128"};
    uint64_t keys[ASKED], seed = 43;
    char text[128];
    (void)state;
    for (size_t i = 0; i < ASKED; i++)
        keys[i] = next_random(&seed);
    for (size_t j = 0; j < sizeof params / sizeof params[0]; j++) {
        (void)snprintf(text, sizeof text, "ribbon:%s,seed=0x1", params[j]);
        uf_filter *plain = build_on(text, keys, ASKED / 2, UF_CPU_SCALAR);
        for (int cpu = UF_CPU_AUTO; cpu <= LAST_PATH; cpu++)
            if (cpu == UF_CPU_AUTO || cpu_choose(cpu) >= 0)
                check_path(text, plain, keys, cpu);
            else if (!j)
                print_message("skipped: this machine has no %s\n", path_name(cpu));
        uf_free(plain);
    }
}

/* What is built can be loaded, also when one shard has very many copies of a key. Needs 0.5 GB: full tests only. */
static void test_copies_of_one_key(void **state)
{
    uf_spec spec = spec_of("ribbon:slack=4,fpr=0.3,seed=0x1");
    uf_key copies[1000];
    uf_builder *builder;
    uf_filter *filter, *back = NULL;
    uf_error why;
    (void)state;
    if (!test_full()) {
        print_message("skipped: set UF_TEST_FULL=1\n");
        skip();
    }
    for (size_t i = 0; i < 1000; i++)
        copies[i] = (uf_key){"alice", 5};
    assert_status(UF_OK, uf_builder_new(&spec, NULL, &builder, &why), &why);
    for (size_t i = 0; i < 3500; i++)
        assert_status(UF_OK, uf_builder_add(builder, copies, 1000, NULL), NULL);
    int status = uf_builder_finish(builder, &filter, &why);
    uf_builder_free(builder);
    if (status != UF_OK) {
        assert_refused(UF_EBUILD, status, &why); /* to be refused is fine, to be lost later is not */
        return;
    }
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, NULL, &back, &why), &why);
    assert_int_equal(uf_query(back, copies[0]), 1);
    bytes_free(&bytes);
    uf_free(back);
    uf_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shards_nest_in_groups),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_rows_stay_in_their_shard),
        cmocka_unit_test(test_sizes_around_the_edges),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_copies_of_one_key),
    };
    return cmocka_run_group_tests_name("ribbon", tests, NULL, NULL);
}
