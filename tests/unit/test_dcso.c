/* SPDX-License-Identifier: MIT */
/*
 * DCSO's format: the tool's own formulas written a second time, data behind the filter, and files whose fields do not
 * belong together. Against files of the tool itself: tests/golden and tests/cli.
 */
#include <math.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "keys.h"
#include "wire.h"

enum { KEYS = 500, HEADER = 48 };

static uf_filter *build(const char *text, const struct keys *keys)
{
    uf_spec spec = spec_of(text);
    uf_filter *filter;
    uf_error why;
    assert_status(UF_OK, uf_build(&spec, keys->key, keys->count, NULL, &filter, &why), &why);
    return filter;
}

struct head {
    uint64_t flags, n, k, m, count;
    double p;
};

static struct head head_of(const struct bytes *file)
{
    struct reader reader = {file->data, file->size, 0};
    struct head head;
    head.flags = read_uint(&reader, 8);
    head.n = read_uint(&reader, 8);
    head.p = read_double(&reader);
    head.k = read_uint(&reader, 8);
    head.m = read_uint(&reader, 8);
    head.count = read_uint(&reader, 8);
    return head;
}

/* By hand: FNV-1, then k times h = h * g mod 2^64 mod P, and bit h mod m. */
static int contains_by_hand(const struct bytes *file, uf_key key)
{
    const uint64_t prime = UINT64_C(18446744073709551557), factor = UINT64_C(18446744073709550147);
    struct head head = head_of(file);
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < key.size; i++)
        h = h * UINT64_C(1099511628211) ^ ((const unsigned char *)key.data)[i];
    h %= prime;
    for (uint64_t i = 0; i < head.k; i++) {
        h = h * factor % prime;
        uint64_t bit = h % head.m;
        if (!(file->data[HEADER + bit / 8] >> bit % 8 & 1)) /* little-endian words: bytes in order */
            return 0;
    }
    return 1;
}

static void test_format_by_hand(void **state)
{
    struct keys keys = keys_make("key", KEYS), probes = keys_make("probe", 5000);
    uf_filter *filter = build("dcso:n=500,fpr=0.05", &keys);
    struct bytes file = bytes_of(filter, UF_FORMAT_DCSO);
    struct head head = head_of(&file);
    (void)state;
    assert_true(head.flags == 1 && head.n == 500 && head.p == 0.05);
    assert_true(head.m == (uint64_t)fabs(ceil(500 * log(0.05) / pow(log(2), 2))));
    assert_true(head.k == (uint64_t)ceil(log(2) * (double)head.m / 500));
    assert_int_equal(file.size, HEADER + (head.m + 63) / 64 * 8);
    assert_true(head.count > KEYS * 9 / 10 && head.count <= KEYS);
    for (size_t i = 0; i < keys.count; i++)
        assert_true(contains_by_hand(&file, keys.key[i]) && uf_query(filter, keys.key[i]));
    for (size_t i = 0; i < probes.count; i++)
        assert_int_equal(contains_by_hand(&file, probes.key[i]), uf_query(filter, probes.key[i]));
    bytes_free(&file);
    uf_free(filter);
    keys_free(&keys);
    keys_free(&probes);
}

/* N counts the keys that set a new bit: not the same key again. */
static void test_count_of_new_keys(void **state)
{
    struct keys keys = keys_make("key", KEYS);
    uf_filter *filter = build("dcso:n=5000", &keys);
    struct bytes once = bytes_of(filter, UF_FORMAT_DCSO);
    (void)state;
    assert_int_equal(head_of(&once).count, KEYS); /* with ten times the room every key is new */
    assert_status(UF_OK, uf_insert_many(filter, keys.key, KEYS, NULL), NULL);
    struct bytes twice = bytes_of(filter, UF_FORMAT_DCSO);
    assert_true(bytes_equal(&once, &twice));
    bytes_free(&once);
    bytes_free(&twice);
    uf_free(filter);
    keys_free(&keys);
}

static void check_attached(const uf_filter *filter, const char *expected, size_t size)
{
    const void *data = "untouched";
    size_t bytes = 99;
    assert_int_equal(uf_get_attached(filter, &data, &bytes), UF_OK);
    assert_int_equal(bytes, size);
    if (size)
        assert_memory_equal(data, expected, size);
    else
        assert_null(data);
}

static void test_attached_data_changes(void **state)
{
    struct keys keys = keys_make("key", KEYS);
    uf_filter *filter = build("dcso:n=500", &keys), *other = build("bloom:n=500,fpr=0.01", &keys), *copy;
    struct bytes bare = bytes_of(filter, UF_FORMAT_DCSO);
    const void *data;
    size_t bytes;
    uf_error why;
    (void)state;
    check_attached(filter, NULL, 0);
    assert_status(UF_OK, uf_set_attached(filter, "one\0two", 7, &why), &why);
    assert_status(UF_OK, uf_copy(filter, NULL, &copy, &why), &why);
    assert_int_equal(uf_get_attached(filter, &data, &bytes), UF_OK);
    assert_status(UF_OK, uf_set_attached(filter, (const char *)data + 4, 3, &why), &why); /* a part of itself */
    check_attached(filter, "two", 3);
    check_attached(copy, "one\0two", 7);
    assert_status(UF_OK, uf_merge(filter, copy, &why), &why);
    check_attached(filter, "two", 3);
    assert_status(UF_OK, uf_set_attached(copy, NULL, 0, &why), &why);
    struct bytes dropped = bytes_of(copy, UF_FORMAT_DCSO), ours = bytes_of(copy, UF_FORMAT_UF);
    assert_true(bytes_equal(&bare, &dropped));
    assert_refused(UF_EUNSUPPORTED, uf_set_attached(other, "x", 1, &why), &why);
    assert_status(UF_OK, uf_set_attached(other, NULL, 0, &why), &why);
    assert_refused(UF_EINVAL, uf_set_attached(filter, NULL, 1, &why), &why);
    assert_refused(UF_EINVAL, uf_set_attached(NULL, "x", 1, &why), &why);
    assert_int_equal(uf_get_attached(NULL, &data, &bytes), UF_EINVAL);
    check_attached(filter, "two", 3);
    bytes_free(&bare);
    bytes_free(&dropped);
    bytes_free(&ours);
    uf_free(filter);
    uf_free(other);
    uf_free(copy);
    keys_free(&keys);
}

/* What the tool keeps behind a filter is kept; our own format has no place for it and says so. */
static void test_attached_data(void **state)
{
    struct keys keys = keys_make("key", KEYS);
    uf_filter *filter = build("dcso:n=500", &keys), *loaded;
    struct bytes file = bytes_of(filter, UF_FORMAT_DCSO), none = {NULL, 0, 0};
    uf_error why;
    (void)state;
    bytes_put(&file, "{\"made\":\"by hand\"}", 18);
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_DCSO, NULL, &loaded, &why), &why);
    assert_int_equal(keys_found(loaded, &keys), KEYS);
    struct bytes again = bytes_of(loaded, UF_FORMAT_DCSO);
    assert_true(bytes_equal(&file, &again));
    assert_refused(UF_EUNSUPPORTED, uf_write(loaded, UF_FORMAT_UF, bytes_put, &none, &why), &why);
    assert_int_equal(none.size, 0);
    check_attached(loaded, "{\"made\":\"by hand\"}", 18);
    bytes_free(&again);
    bytes_free(&file);
    uf_free(loaded);
    uf_free(filter);
    keys_free(&keys);
}

static void test_only_dcso_is_written_as_dcso(void **state)
{
    struct keys keys = keys_make("key", 10);
    (void)state;
    for (size_t i = 0; uf_kind_name(i); i++) {
        if (kind_is_learned(uf_kind_name(i)))
            continue; /* made of kinds that are tried here */
        uf_filter *filter = build(simple_spec(uf_kind_name(i)).text, &keys);
        struct bytes out = {NULL, 0, 0};
        uf_error why = {0, 0, ""};
        int status = uf_write(filter, UF_FORMAT_DCSO, bytes_put, &out, &why);
        if (!strcmp(uf_kind_name(i), "dcso"))
            assert_status(UF_OK, status, &why);
        else
            assert_refused(UF_EUNSUPPORTED, status, &why);
        bytes_free(&out);
        uf_free(filter);
    }
    keys_free(&keys);
}

static void test_not_dcso_files(void **state)
{
    unsigned char gzip[100] = {0x1f, 0x8b, 8}, ours[100] = "\x89UFL\r\n\x1a\n", other[100] = {2};
    unsigned char *const wrong[] = {gzip, ours, other};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uf_filter *filter = NULL;
        uf_error why;
        assert_refused(UF_EFORMAT, uf_load_bytes(wrong[i], 100, UF_FORMAT_DCSO, NULL, &filter, &why), &why);
        assert_int_equal(strstr(why.text, "gunzip") != NULL, i == 0);
        assert_null(filter);
    }
}

/* ---- fields that do not belong together ---- */

/* The bytes of a filter of n = 500, p = 0.01, but with this many bits and positions, and so many words behind it. */
static struct bytes crafted_bytes(uint64_t m, uint64_t k, uint64_t words)
{
    struct bytes file = {NULL, 0, 0};
    unsigned char head[HEADER];
    struct writer writer = {head, sizeof head, 0};
    write_uint(&writer, 1, 8);
    write_uint(&writer, 500, 8);
    write_double(&writer, 0.01);
    write_uint(&writer, k, 8);
    write_uint(&writer, m, 8);
    write_uint(&writer, 0, 8);
    bytes_put(&file, head, sizeof head);
    for (uint64_t i = 0; i < words; i++)
        bytes_put(&file, "\0\0\0\0\0\0\0", 8);
    return file;
}

static uf_filter *crafted(uint64_t m, uint64_t k)
{
    struct bytes file = crafted_bytes(m, k, (m + 63) / 64);
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_DCSO, NULL, &filter, &why), &why);
    bytes_free(&file);
    return filter;
}

/* k is rounded up, and so is what is claimed: by 2.6 % at 0.1. */
static void test_claims_the_rate_it_has(void **state)
{
    static const double rates[] = {0.3, 0.1, 0.05, 0.01, 0.001, 1e-6};
    struct keys keys = keys_make("key", KEYS);
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        char text[64];
        uf_claim claim;
        (void)snprintf(text, sizeof text, "dcso:n=%d,fpr=%g", KEYS, rates[i]);
        uf_filter *filter = build(text, &keys);
        struct bytes file = bytes_of(filter, UF_FORMAT_DCSO);
        const struct head head = head_of(&file);
        const double fill = 1 - pow(1 - 1 / (double)head.m, (double)head.k * KEYS), rate = pow(fill, (double)head.k);
        assert_status(UF_OK, uf_get_claim(filter, &claim, sizeof claim), NULL);
        assert_that(claim.fpr >= head.p && claim.fpr > rate * 0.999, "%s claims %.9g and has %.9g", text, claim.fpr,
                    rate);
        assert_that(claim.fpr < rates[i] * 1.03, "%s claims %.9g", text, claim.fpr);
        bytes_free(&file);
        uf_free(filter);
    }
    keys_free(&keys);
}

/* 17 GB and more, claimed by files of 48, 56 and 128 bytes: refused before any memory is taken for it. */
static void test_claims_take_no_memory(void **state)
{
    static const uint64_t claims[] = {UINT64_C(17) << 33, 1281, UINT64_C(1) << 46, UINT64_C(1) << 63, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++)
        for (uint64_t words = 0; words <= 10; words = 10 * words + !words) {
            struct counting counting = {0};
            uf_context ctx = counting_context(&counting);
            struct bytes file = crafted_bytes(claims[i], 7, words);
            uf_filter *filter = NULL;
            uf_error why;
            assert_refused(UF_EFORMAT, uf_load_bytes(file.data, file.size, UF_FORMAT_DCSO, &ctx, &filter, &why), &why);
            assert_true(!filter && counting.peak < 4096 && counting_is_clean(&counting));
            bytes_free(&file);
        }
}

/* Each allocation of loading fails once, that of attached data too; and what is mapped takes none. */
static void test_memory_of_loading(void **state)
{
    struct bytes file = crafted_bytes(640, 7, 10);
    int status = UF_ENOMEM;
    size_t refused = 0;
    (void)state;
    bytes_put(&file, "attached", 8);
    for (; status == UF_ENOMEM; refused++) {
        struct counting counting = {.fail_at = refused + 1};
        uf_context ctx = counting_context(&counting);
        uf_filter *filter = NULL;
        uf_error why;
        status = uf_load_bytes(file.data, file.size, UF_FORMAT_DCSO, &ctx, &filter, &why);
        assert_true(status == UF_OK ? filter != NULL : why.status == UF_ENOMEM && !filter);
        uf_free(filter);
        assert_true(counting_is_clean(&counting));
    }
    assert_int_equal(status, UF_OK);
    assert_int_equal(refused, 4); /* the handle, its words, what is attached, and none */
    bytes_free(&file);
}

static void test_what_cannot_carry(void **state)
{
    uf_filter *filter = crafted(640, 7), *view = NULL;
    struct bytes file = bytes_of(filter, UF_FORMAT_UF), out = {NULL, 0, 0};
    unsigned char *place = aligned_alloc(64, (file.size + 63) / 64 * 64);
    uf_error why;
    (void)state;
    memcpy(place, file.data, file.size);
    if (views_work()) {
        assert_status(UF_OK, uf_load_view(place, file.size, NULL, &view, &why), &why);
        assert_refused(UF_EREADONLY, uf_set_attached(view, "x", 1, &why), &why);
    }
    assert_int_equal(uf_set_normal(filter, UF_NORMAL_LOWERCASE), UF_OK);
    assert_refused(UF_EUNSUPPORTED, uf_write(filter, UF_FORMAT_DCSO, bytes_put, &out, &why), &why);
    assert_int_equal(out.size, 0);
    uf_free(view);
    uf_free(filter);
    free(place);
    bytes_free(&file);
}

/* n and p are equal, m and k are not: merging these would read behind the smaller one. */
static void test_merge_looks_at_the_size(void **state)
{
    uf_filter *large = crafted(640000, 7), *small = crafted(64, 7), *other_k = crafted(640000, 3);
    uf_error why;
    (void)state;
    assert_refused(UF_EMISMATCH, uf_merge(large, small, &why), &why);
    assert_refused(UF_EMISMATCH, uf_merge(small, large, &why), &why);
    assert_refused(UF_EMISMATCH, uf_merge(large, other_k, &why), &why);
    uf_free(large);
    uf_free(small);
    uf_free(other_k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_by_hand),         cmocka_unit_test(test_count_of_new_keys),
        cmocka_unit_test(test_claims_take_no_memory),  cmocka_unit_test(test_attached_data),
        cmocka_unit_test(test_attached_data_changes),  cmocka_unit_test(test_only_dcso_is_written_as_dcso),
        cmocka_unit_test(test_memory_of_loading),      cmocka_unit_test(test_what_cannot_carry),
        cmocka_unit_test(test_not_dcso_files),         cmocka_unit_test(test_merge_looks_at_the_size),
        cmocka_unit_test(test_claims_the_rate_it_has),
    };
    return cmocka_run_group_tests_name("dcso", tests, NULL, NULL);
}
