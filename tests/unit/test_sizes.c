/* SPDX-License-Identifier: MIT */
/* Sizes and headers for callers of other ages, and passes over the words that nobody should wait for. */
#include "bytes.h"
#include "check.h"
#include "filter.h"
#include "folder.h"
#include "keys.h"
#include "secrets.h"

static uf_filter *built(const char *text, size_t n)
{
    uf_spec spec = spec_of(text);
    struct keys keys = keys_make("key", n);
    uf_context ctx = secret_context();
    uf_filter *filter;
    assert_status(UF_OK, uf_build(&spec, keys.key, n, &ctx, &filter, NULL), NULL);
    keys_free(&keys);
    return filter;
}

static void test_callers_of_other_ages(void **state)
{
    uf_filter *filter = built("bloom:n=100,seed=0x1", 10);
    struct {
        uf_sizes sizes;
        uint64_t later;
    } newer = {.later = 5};
    uf_sizes sizes = {0};
    uf_spec spec = spec_of("bloom:n=100");
    uf_error why;
    (void)state;
    assert_int_equal(uf_get_sizes(filter, &newer.sizes, sizeof newer), UF_OK);
    assert_true(newer.later == 0 && newer.sizes.capacity == 100);
    assert_int_equal(uf_get_sizes(filter, &sizes, 0), UF_EINVAL);
    assert_refused(UF_EINVAL, uf_plan_sizes(&spec, &sizes, 0, &why), &why);
    assert_int_equal(sizes.memory_bytes, 0);
    uf_free(filter);
}

static void test_headers_that_are_none(void **state)
{
    uf_filter *filter = built("bloom:n=100,seed=0x1", 10);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_header header;
    uf_error why;
    (void)state;
    assert_refused(UF_EFORMAT, uf_read_header(file.data, UF_HEADER_BYTES - 1, &header, sizeof header, &why), &why);
    assert_status(UF_OK, uf_read_header(file.data, UF_HEADER_BYTES, &header, sizeof header, &why), &why);
    for (size_t at = 0; at < UF_HEADER_BYTES; at++) {
        file.data[at] ^= 1;
        assert_true(uf_read_header(file.data, file.size, &header, sizeof header, &why) < 0 && why.text[0]);
        file.data[at] ^= 1;
    }
    assert_refused(UF_EINVAL, uf_read_header(file.data, file.size, &header, 0, &why), &why);
    assert_refused(UF_EFORMAT, uf_read_header(NULL, 0, &header, sizeof header, &why), &why);
    bytes_free(&file);
    file = bytes_of(filter, UF_FORMAT_COMPACT);
    const size_t size = file.data[16];
    for (size_t at = 0; at < size; at++) {
        file.data[at] ^= 4;
        assert_true(uf_read_header(file.data, file.size, &header, sizeof header, &why) < 0 && why.text[0]);
        file.data[at] ^= 4;
        assert_refused(UF_EFORMAT, uf_read_header(file.data, at, &header, sizeof header, &why), &why);
    }
    bytes_free(&file);
    uf_free(filter);
}

/* The measure of a filter that refuses is known when it was loaded, and after each insert. A mapped one takes no
 * inserts, so nobody looks. */
static uint64_t measure_of(const uf_filter *filter)
{
    struct survey survey;
    filter->ops->survey(filter, &survey);
    return survey.measure;
}

static void test_no_pass_is_left_to_inserts(void **state)
{
    static const char *const specs[] = {"bloom:n=1000,full=refuse,seed=0x1", "keyed(blocked:n=1000,seed=0x1)",
                                        "blocked:n=100,full=scale,seed=0x1", "counting:n=1000,full=refuse,seed=0x1"};
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_context ctx = secret_context();
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        uf_filter *filter = built(specs[i], 500), *loaded;
        struct bytes file = bytes_of(filter, UF_FORMAT_UF);
        uf_error why;
        assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, &why), &why);
        if (views_work()) {
            assert_status(UF_OK, uf_load(path, UF_MAP, &ctx, &loaded, &why), &why);
            assert_false(loaded->capacity.measured);
            uf_free(loaded);
        }
        assert_status(UF_OK, uf_load(path, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
        const struct capacity *capacity = &loaded->capacity;
        assert_true(capacity->measured && capacity->limit - capacity->spare.measure == measure_of(loaded));
        struct bytes again = bytes_of(loaded, UF_FORMAT_UF);
        assert_true(bytes_equal(&file, &again));
        assert_int_equal(uf_insert(loaded, (uf_key){"new", 3}, NULL), UF_OK);
        assert_true(capacity->measured && capacity->limit - capacity->spare.measure == measure_of(loaded));
        uf_free(loaded);
        uf_free(filter);
        bytes_free(&file);
        bytes_free(&again);
    }
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callers_of_other_ages),
        cmocka_unit_test(test_headers_that_are_none),
        cmocka_unit_test(test_no_pass_is_left_to_inserts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
