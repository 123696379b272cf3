/* SPDX-License-Identifier: MIT */
/*
 * Files of filters with children: every truncation, every flipped bit, every field at its limits under correct
 * checksums, children that are not those of the regions. Refused with words, or a filter that can be asked; never a
 * crash, and no allocation beyond the file.
 */
#include "counting.h"
#include "filter.h"
#include "folder.h"
#include "random.h"
#include "samples.h"
#include "secrets.h"
#include "subjects.h"

static const char *const specs[] = {
    "partition:fpr=1e-6,regions=3,seed=0x1",
    "sandwich:fpr=1e-6,children=bloom,seed=0x1",
    "partition:fpr=1e-6,regions=2,children=blocked,seed=0x1",
    "robust:fpr=1e-6,alpha=1e-6,regions=3,seed=0x1",
};

enum { SPECS = sizeof specs / sizeof specs[0], COUNT = 60, PARAMS_AT = 72, CHILDREN_AT = 64, PARAMS_BYTES_AT = 52 };

static struct bytes file_of(const char *spec)
{
    struct keys keys = keys_make("key", COUNT);
    uf_filter *filter = build(spec, keys.key, keys.count, NULL);
    assert_true(filter->children > 0);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_free(filter);
    keys_free(&keys);
    return bytes;
}

static int load(const struct bytes *file, size_t size, uf_filter **out, uf_error *why)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    ctx.secret = secret_number(0);
    unsigned char *copy = malloc(size ? size : 1); /* of exactly its size, so that a sanitizer sees more */
    assert_non_null(copy);
    memcpy(copy, file->data, size);
    *out = NULL;
    int status = uf_load_bytes(copy, size, UF_FORMAT_UF, &ctx, out, why);
    free(copy);
    assert_true(counting.peak < size + 65536); /* and the handles */
    if (status == UF_OK) {
        struct keys probes = keys_make("probe", 50);
        (void)keys_found(*out, &probes);
        keys_free(&probes);
    }
    uf_free(*out);
    assert_true(counting_is_clean(&counting));
    return status;
}

static void check_bad(const struct bytes *file, size_t size, const char *what, size_t where)
{
    uf_filter *filter;
    uf_error why = {0, 0, ""};
    int status = load(file, size, &filter, &why);
    assert_that(is_format_error(status) && why.status == status && why.text[0], "%s %zu gave %d: %s", what, where,
                status, why.text);
}

static void test_every_truncation_and_bit(void **state)
{
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        struct bytes file = file_of(specs[s]);
        size_t step = test_small() ? 7 : 1;
        for (size_t size = 0; size < file.size; size += step)
            check_bad(&file, size, "size", size);
        for (size_t bit = 0; bit < 8 * file.size; bit += step) {
            if (bit / 8 >= 10 && bit / 8 < 12)
                continue; /* the minor version may be any */
            file.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            check_bad(&file, file.size, "bit", bit);
            file.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        bytes_free(&file);
    }
}

static uint64_t get(const struct bytes *file, size_t at, unsigned bytes)
{
    struct reader reader = {file->data + at, bytes, 0};
    return read_uint(&reader, bytes);
}

/* Every 4 bytes of the description at its limits, the header's checksum made to fit. The bytes of the payload that
 * follows stay: most of these mean another size, and all must be refused or give a filter that answers. */
static void test_every_field(void **state)
{
    static const uint32_t values[] = {0,          1,          2,          17,         0x7fffffff,
                                      0x80000000, 0xfffffffe, 0xffffffff, 0x7ff00000, 0x7ff80000};
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        struct bytes file = file_of(specs[s]);
        size_t end = PARAMS_AT + 1500, accepted = 0;
        unsigned char kept[4];
        for (size_t at = PARAMS_BYTES_AT; at < end; at += 4)
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                uf_filter *filter;
                uf_error why = {0, 0, ""};
                struct writer writer = {file.data + at, 4, 0};
                memcpy(kept, file.data + at, 4);
                write_uint(&writer, values[v], 4);
                reseal_header(file.data);
                int status = load(&file, file.size, &filter, &why);
                assert_that(status == UF_OK || is_format_error(status) || status == UF_ENOMEM || status == UF_EKEY,
                            "field %zu: %d", at, status);
                accepted += status == UF_OK;
                memcpy(file.data + at, kept, 4);
            }
        reseal_header(file.data);
        assert_true(accepted > 10); /* seeds, rates, counts of negatives: legal as any */
        bytes_free(&file);
    }
}

/* A payload with something between its parts, or a weight that no training gives, with its checksums. */
static void reseal_payload(struct bytes *file)
{
    size_t payload = (size_t)get(file, 32, 8);
    struct writer writer = {file->data + HEADER_BYTES + payload, 16, 0};
    assert_true(payload <= CHUNK_BYTES);
    write_uint(&writer, checksum(file->data + HEADER_BYTES, payload, 0), 8);
    write_uint(&writer, checksum(file->data + HEADER_BYTES + payload, 8, 1), 8);
}

static void test_payload(void **state)
{
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        struct bytes file = file_of(specs[s]);
        file.data[HEADER_BYTES] = 0; /* two weights */
        reseal_payload(&file);
        check_bad(&file, file.size, "weight", 0);
        bytes_free(&file);
        file = file_of(specs[s]);
        size_t last = HEADER_BYTES + (size_t)get(&file, 32, 8) - 1;
        file.data[last] ^= 1; /* padding, or a part of the last child that must be zero */
        reseal_payload(&file);
        if (s != 2) /* blocks have no such part */
            check_bad(&file, file.size, "last byte", last);
        bytes_free(&file);
    }
}

/* More or fewer children than the regions have, or of another kind. */
static void test_children(void **state)
{
    struct bytes file = file_of(specs[0]);
    size_t params = (size_t)get(&file, PARAMS_BYTES_AT, 4), children = (size_t)get(&file, CHILDREN_AT, 4);
    struct writer count = {file.data + CHILDREN_AT, 4, 0}, kind = {file.data + PARAMS_AT + params, 2, 0};
    (void)state;
    assert_int_equal(get(&file, PARAMS_AT + params, 2), 3);
    write_uint(&count, children + 1, 4);
    reseal_header(file.data);
    check_bad(&file, file.size, "children", children + 1);
    count = (struct writer){file.data + CHILDREN_AT, 4, 0};
    write_uint(&count, 0, 4);
    reseal_header(file.data);
    check_bad(&file, file.size, "children", 0);
    count = (struct writer){file.data + CHILDREN_AT, 4, 0};
    write_uint(&count, children, 4);
    for (uint64_t id = 0; id <= 30; id++) {
        kind = (struct writer){file.data + PARAMS_AT + params, 2, 0};
        write_uint(&kind, id, 2);
        reseal_header(file.data);
        if (id != 3)
            check_bad(&file, file.size, "kind", (size_t)id);
    }
    bytes_free(&file);
}

/* A kind without children that claims some. */
static void test_children_of_the_childless(void **state)
{
    struct bytes file = sample_of("bloom:n=3,fpr=0.01,seed=0x1", 3);
    struct writer count = {file.data + CHILDREN_AT, 4, 0};
    (void)state;
    write_uint(&count, 1, 4);
    reseal_header(file.data);
    check_bad(&file, file.size, "children", 1);
    bytes_free(&file);
}

static void test_every_allocation_of_a_load(void **state)
{
    struct bytes file = file_of(specs[0]);
    int status = UF_ENOMEM;
    (void)state;
    for (size_t k = 1; status == UF_ENOMEM; k++) {
        struct counting counting = {.fail_at = k};
        uf_context ctx = counting_context(&counting);
        uf_filter *filter = NULL;
        status = uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &filter, NULL);
        assert_true(status == UF_OK || (status == UF_ENOMEM && !filter));
        uf_free(filter);
        assert_true(counting_is_clean(&counting));
    }
    assert_status(UF_OK, status, NULL);
    bytes_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_truncation_and_bit),
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_payload),
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_children_of_the_childless),
        cmocka_unit_test(test_every_allocation_of_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
