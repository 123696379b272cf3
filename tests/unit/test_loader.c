/* SPDX-License-Identifier: MIT */
/* file/loader: bytes that are wrong, cut, forged, too many, or stop coming; and how much memory it takes. */
#include "bytes.h"
#include "check.h"
#include "checksum.h"
#include "counting.h"
#include "header.h"
#include "keys.h"
#include "subjects.h"

static const char *const specs[] = {
    "bloom:n=1000,fpr=0.01,seed=0x1",    "ribbon:fpr=0.01,seed=0x1",
    "blocked:n=100,full=scale,seed=0x1", "partition:fpr=0.02,children=bloom,seed=0x1",
    "robust:fpr=0.1,seed=0x1",
};
enum { SPECS = sizeof specs / sizeof specs[0] };

static struct bytes file_of(const char *spec, size_t n)
{
    struct keys keys = keys_make("key", n);
    uf_filter *filter = build(spec, keys.key, n, NULL);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_free(filter);
    keys_free(&keys);
    return bytes;
}

static uf_context context_for(const char *spec, struct counting *counting)
{
    uf_context ctx = subject_context();
    ctx.secret = subject_secret(spec);
    if (counting)
        ctx.allocator = counting_allocator(counting);
    return ctx;
}

static int load(const unsigned char *data, size_t bytes, size_t step, const uf_context *ctx, uf_filter **out,
                uf_error *why)
{
    uf_loader *loader;
    assert_status(UF_OK, uf_loader_new(ctx, UF_FORMAT_UF, &loader, why), why);
    int status = UF_OK;
    for (size_t at = 0; status == UF_OK && at < bytes; at += step)
        status = uf_loader_feed(loader, data + at, bytes - at < step ? bytes - at : step, why);
    if (status == UF_OK)
        status = uf_loader_finish(loader, out, why);
    uf_loader_free(loader);
    return status;
}

/* As uf_load_bytes says of the same bytes, and nothing is left behind. */
static void check_bad(const char *spec, const unsigned char *data, size_t bytes, size_t step)
{
    struct counting counting = {0};
    uf_context ctx = context_for(spec, &counting);
    uf_filter *a = NULL, *b = NULL;
    uf_error why, other;
    int status = load(data, bytes, step, &ctx, &a, &why);
    assert_refused(status, status, &why);
    assert_int_equal(uf_load_bytes(data, bytes, UF_FORMAT_UF, &ctx, &b, &other), status);
    assert_true(status < 0 && !a && !b);
    assert_int_equal(strncmp(why.text, "these bytes", 11), 0);
    assert_true(counting_is_clean(&counting));
}

static void test_every_cut(void **state)
{
    static const size_t steps[] = {1000, 4096, SIZE_MAX};
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        struct bytes file = file_of(specs[s], 200);
        for (size_t cut = 0; cut<file.size; cut += cut> 300 && cut + 300 < file.size ? 14 : 1)
            check_bad(specs[s], file.data, cut, steps[cut % 3]);
        for (size_t cut = HEADER_BYTES; cut < HEADER_BYTES + 9; cut++)
            check_bad(specs[s], file.data, cut, 4096);
        bytes_free(&file);
    }
}

static void test_bytes_behind_the_end(void **state)
{
    (void)state;
    struct bytes file = file_of(specs[0], 200);
    unsigned char *more = calloc(1, file.size + 5);
    memcpy(more, file.data, file.size);
    for (size_t extra = 1; extra <= 5; extra++)
        check_bad(specs[0], more, file.size + extra, file.size - 1);
    free(more);
    bytes_free(&file);
}

/* A bit anywhere. */
static void test_every_change(void **state)
{
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        struct bytes file = file_of(specs[s], 200);
        for (size_t at = 0; at<file.size; at += at> HEADER_BYTES ? 6 : at > 200 && at < 4000 ? 18 : 1) {
            file.data[at] ^= (unsigned char)(1 << at % 8);
            if (at < 16 || at >= 20) /* features that it need not know */
                check_bad(specs[s], file.data, file.size, 4096 + at % 100);
            file.data[at] ^= (unsigned char)(1 << at % 8);
        }
        uf_context ctx = context_for(specs[s], NULL);
        uf_filter *filter = NULL;
        uf_error why;
        assert_status(UF_OK, load(file.data, file.size, 777, &ctx, &filter, &why), &why); /* the control */
        uf_free(filter);
        bytes_free(&file);
    }
}

/* A header that is right and promises 17 GB, or what fits into the addresses of this machine. */
static const uint64_t promised = SIZE_MAX > UINT32_MAX ? UINT64_C(17) << 30 : UINT64_C(1) << 30;

static struct bytes forged_header(void)
{
    struct bytes file = {calloc(1, 1 << 20), 1 << 20, 0};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of("blocked:n=1000,seed=0x1");
    uf_filter *filter;
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, NULL), NULL);
    struct bytes small = bytes_of(filter, UF_FORMAT_UF);
    uf_free(filter);
    memcpy(file.data, small.data, HEADER_BYTES);
    bytes_free(&small);
    uint64_t payload = promised;
    struct writer sizes = {file.data + 24, 16, 0}, blocks = {file.data + 48 + 24 + 8, 8, 0};
    struct writer sum = {file.data + HEADER_BYTES - 8, 8, 0};
    write_uint(&sizes, file_bytes_of(payload), 8);
    write_uint(&sizes, payload, 8);
    write_uint(&blocks, payload / 64, 8);
    write_uint(&sum, checksum(file.data, HEADER_BYTES - 8, 0), 8);
    return file;
}

static void test_promises_are_not_believed(void **state)
{
    struct bytes file = forged_header();
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_header header;
    uf_loader *loader;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_read_header(file.data, file.size, &header, sizeof header, &why), &why);
    assert_true(header.file_bytes > promised);
    assert_status(UF_OK, uf_loader_new(&ctx, UF_FORMAT_UF, &loader, &why), &why);
    for (size_t fed = 0; fed < file.size; fed += 4096) {
        assert_status(UF_OK, uf_loader_feed(loader, file.data + fed, 4096, &why), &why);
        assert_true(counting.peak <= 18 * (fed + 4096) + 3 * 65536);
    }
    uf_filter *filter = NULL;
    assert_refused(UF_EFORMAT, uf_loader_finish(loader, &filter, &why), &why);
    assert_non_null(strstr(why.text, "the header says"));
    uf_loader_free(loader);
    assert_true(counting_is_clean(&counting));
    counting = (struct counting){0}; /* the control: it allocates all of what is there */
    struct bytes real = file_of("blocked:n=1e6,seed=0x1", 10);
    assert_status(UF_OK, load(real.data, real.size, 4096, &ctx, &filter, &why), &why);
    assert_true(counting.largest > real.size - 16384);
    assert_true(counting.peak < real.size + real.size / 16 + 250000);
    uf_free(filter);
    bytes_free(&real);
    bytes_free(&file);
}

static void test_calls_out_of_order(void **state)
{
    struct bytes file = file_of(specs[0], 100);
    uf_filter *filter = NULL, *other = NULL;
    uf_loader *loader = NULL;
    uf_error why, again;
    (void)state;
    assert_refused(UF_EUNSUPPORTED, uf_loader_new(NULL, UF_FORMAT_DCSO, &loader, &why), &why);
    assert_refused(UF_EINVAL, uf_loader_new(NULL, UF_MAP, &loader, &why), &why);
    assert_status(UF_OK, uf_loader_new(NULL, UF_FORMAT_UF, &loader, &why), &why);
    assert_status(UF_OK, uf_loader_feed(loader, NULL, 0, &why), &why);
    assert_status(UF_OK, uf_loader_feed(loader, file.data, file.size, &why), &why);
    assert_status(UF_OK, uf_loader_finish(loader, &filter, &why), &why);
    assert_refused(UF_EINVAL, uf_loader_finish(loader, &other, &why), &why);
    assert_refused(UF_EINVAL, uf_loader_feed(loader, file.data, 1, &why), &why);
    uf_loader_free(loader);
    assert_int_equal(uf_query(filter, (uf_key){"key-0", 5}), 1);
    uf_free(filter);
    assert_status(UF_OK, uf_loader_new(NULL, UF_FORMAT_UF, &loader, &why), &why);
    file.data[0] ^= 1;
    assert_refused(UF_EFORMAT, uf_loader_feed(loader, file.data, file.size, &why), &why);
    assert_refused(UF_EFORMAT, uf_loader_feed(loader, file.data, 1, &again), &again); /* it stays so */
    assert_status(UF_EFORMAT, uf_loader_feed(loader, file.data, 1, NULL), NULL);
    assert_string_equal(why.text, again.text);
    assert_refused(UF_EFORMAT, uf_loader_finish(loader, &other, &again), &again);
    assert_string_equal(why.text, again.text);
    assert_null(other);
    uf_loader_free(loader);
    uf_loader_free(NULL);
    bytes_free(&file);
}

/* The key is asked for with the header, before the rest has come. */
static void test_the_key_comes_first(void **state)
{
    struct bytes file = file_of("keyed(bloom:n=1000,seed=0x1)", 100);
    uf_loader *loader;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_loader_new(NULL, UF_FORMAT_UF, &loader, &why), &why);
    assert_status(UF_OK, uf_loader_feed(loader, file.data, UF_HEADER_BYTES - 1, &why), &why);
    assert_refused(UF_EKEY, uf_loader_feed(loader, file.data + UF_HEADER_BYTES - 1, 1, &why), &why);
    uf_loader_free(loader);
    bytes_free(&file);
}

/* Each allocation fails once; with all of them the file is there. */
static void check_no_memory(const char *spec, const struct bytes *file)
{
    int status = UF_ENOMEM;
    for (size_t at = 1; status == UF_ENOMEM; at++) {
        struct counting counting = {.fail_at = at};
        uf_context ctx = context_for(spec, &counting);
        uf_loader *loader = NULL;
        uf_filter *filter = NULL;
        uf_error why;
        status = uf_loader_new(&ctx, UF_FORMAT_UF, &loader, &why);
        if (status == UF_OK)
            status = uf_loader_feed(loader, file->data, file->size, &why);
        if (status == UF_OK)
            status = uf_loader_finish(loader, &filter, &why);
        assert_true(status == UF_OK || (status == UF_ENOMEM && why.status == UF_ENOMEM));
        uf_loader_free(loader);
        counting.fail_at = 0;
        if (filter) {
            struct bytes again = bytes_of(filter, UF_FORMAT_UF);
            assert_true(bytes_equal(&again, file));
            bytes_free(&again);
        }
        uf_free(filter);
        assert_true(counting_is_clean(&counting));
    }
    assert_int_equal(status, UF_OK);
}

static void test_no_memory_at_all_places(void **state)
{
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        struct bytes file = file_of(specs[s], 2000);
        check_no_memory(specs[s], &file);
        bytes_free(&file);
    }
}

/* Filters inside that begin and end in the middle of chunks; a table that is longer than one run of it, whose own
 * checksum is at the end of a run and alone in the next. */
static void test_many_chunks(void **state)
{
    static const char *const large[] = {"blocked:n=90000,window=3,seed=0x1", "blocked:bits=66584576,n=10,seed=0x1",
                                        "blocked:bits=67108864,n=10,seed=0x1", "blocked:bits=67633152,n=10,seed=0x1"};
    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        struct bytes file = file_of(large[i], 10);
        check_no_memory(large[i], &file);
        for (size_t back = 1; back <= 9; back += 8) { /* the table's own, then the last entry */
            file.data[file.size - back] ^= 1;
            check_bad(large[i], file.data, file.size, 1000000);
            file.data[file.size - back] ^= 1;
        }
        bytes_free(&file);
    }
}

/* The short form of the header, with every bit of it changed and every size that it can say. */
static void test_compact_headers(void **state)
{
    uf_filter *filter = build(specs[0], NULL, 0, NULL);
    struct bytes file = bytes_of(filter, UF_FORMAT_COMPACT);
    const size_t header = file.data[16];
    (void)state;
    uf_free(filter);
    for (size_t bit = 0; bit < 8 * header; bit++) {
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        check_bad(specs[0], file.data, file.size, 7);
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (unsigned size = 0; size < 256; size += 8) {
        file.data[16] = (unsigned char)size;
        if (size != header)
            check_bad(specs[0], file.data, file.size, 100); /* of 24, all have come with the first bytes */
    }
    bytes_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_bytes_behind_the_end),
        cmocka_unit_test(test_every_change),
        cmocka_unit_test(test_promises_are_not_believed),
        cmocka_unit_test(test_calls_out_of_order),
        cmocka_unit_test(test_the_key_comes_first),
        cmocka_unit_test(test_no_memory_at_all_places),
        cmocka_unit_test(test_many_chunks),
        cmocka_unit_test(test_compact_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
