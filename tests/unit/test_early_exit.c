/* SPDX-License-Identifier: MIT */
/*
 * UF_KNOB_EARLY_EXIT changes when a query ends, never its answer: in small and large arrays, which have loops of their
 * own, with one cell a key and many, one by one and in batches of every length around a tile's.
 */
#include <stdlib.h>

#include "check.h"

/* Keys of 8 bytes. */
static uint64_t *words(size_t count)
{
    uint64_t *out = malloc(count * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        out[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    return out;
}

/* The last of `members` keys, and as many that are none. */
static void check(const char *text, const uint64_t *keys, size_t members, size_t probes)
{
    static const size_t batches[] = {1, 2, 15, 63, 64, 65, 1000};
    uf_spec spec = spec_of(text);
    uf_builder *builder = NULL;
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    uint8_t *all = calloc(probes, 1), *early = calloc(probes, 1);
    const uint64_t *probe = keys + members - probes / 2;
    assert_non_null(all);
    assert_non_null(early);
    assert_status(UF_OK, uf_builder_new(&spec, NULL, &builder, &why), &why);
    assert_status(UF_OK, uf_builder_add_fixed(builder, keys, 8, members, &why), &why);
    assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
    uf_query_fixed(filter, probe, 8, probes, all);
    for (size_t i = 0; i < probes / 2; i++)
        assert_int_equal(all[i], 1);
    assert_status(UF_OK, uf_tune(filter, UF_KNOB_EARLY_EXIT, 1), NULL);
    for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++) {
        for (size_t i = 0; i < probes; i++)
            early[i] = 2;
        for (size_t i = 0; i < probes; i += batches[b])
            uf_query_fixed(filter, probe + i, 8, probes - i < batches[b] ? probes - i : batches[b], early + i);
        assert_memory_equal(all, early, probes);
    }
    for (size_t i = 0; i < probes; i++)
        assert_int_equal(uf_query(filter, (uf_key){&probe[i], 8}), all[i]);
    free(all);
    free(early);
    uf_free(filter);
    uf_builder_free(builder);
}

static void test_answers(void **state)
{
    static const struct {
        const char *spec;
        size_t large; /* keys of more than CELLS_NEAR */
    } cases[] = {{"bloom:fpr=0.5", 4000000},      {"bloom:fpr=0.3", 2000000},    {"bloom:fpr=0.1", 1000000},
                 {"bloom:fpr=0.01", 500000},      {"bloom:fpr=0.001", 300000},   {"counting:fpr=0.01", 150000},
                 {"deletable:fpr=0.01", 1000000}, {"tombstone:fpr=0.01", 500000}};
    enum { SMALL = 5000, MOST = 4000000, PROBES = 2 * SMALL };
    uint64_t *keys = words(MOST + SMALL);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check(cases[i].spec, keys, SMALL, PROBES);
        check(cases[i].spec, keys, cases[i].large, PROBES);
    }
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
