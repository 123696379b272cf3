/* SPDX-License-Identifier: MIT */
/* core/wire: little-endian reading and writing that stops at the end, at every length. */
#include <math.h>

#include "blob.h"
#include "check.h"
#include "wire.h"

static void test_reads_are_little_endian(void **state)
{
    const unsigned char data[] = {1, 2, 3, 4, 5, 6, 7, 0x88};
    (void)state;
    for (unsigned width = 1; width <= 8; width++) {
        struct reader reader = {data, sizeof data, 0};
        uint64_t expected = 0;
        for (unsigned i = width; i-- > 0;)
            expected = expected << 8 | data[i];
        assert_true(read_uint(&reader, width) == expected);
        assert_int_equal(reader.left, sizeof data - width);
        assert_int_equal(reader.bad, 0);
    }
}

/* Every width against every length: a value when it is there, zero and a mark when it is not, and zero ever after. */
static void test_reads_stop_at_the_end(void **state)
{
    (void)state;
    for (size_t length = 0; length <= 9; length++)
        for (unsigned width = 1; width <= 8; width++) {
            unsigned char *data = malloc(length + 1); /* so that a sanitizer sees one byte too many */
            assert_non_null(data);
            memset(data, 0xff, length);
            struct reader reader = {data, length, 0};
            uint64_t all = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
            for (size_t i = 0; i < length / width; i++)
                assert_true(read_uint(&reader, width) == all);
            assert_int_equal(reader.bad, 0);
            assert_true(read_uint(&reader, width) == 0);
            assert_int_equal(reader.bad, 1);
            assert_true(read_uint(&reader, 1) == 0); /* even if one byte is left */
            assert_int_equal(reader.bad, 1);
            free(data);
        }
}

static void test_read_bytes(void **state)
{
    const unsigned char data[4] = {9, 8, 7, 6};
    struct reader reader = {data, sizeof data, 0};
    (void)state;
    assert_ptr_equal(read_bytes(&reader, 3), data);
    assert_ptr_equal(read_bytes(&reader, 0), data + 3);
    assert_null(read_bytes(&reader, 2));
    assert_int_equal(reader.bad, 1);
    assert_null(read_bytes(&reader, 1));
    reader = (struct reader){data, sizeof data, 0};
    assert_null(read_bytes(&reader, SIZE_MAX));
    assert_int_equal(reader.bad, 1);
}

/* What was written, up to where it no longer fits, and nothing behind that. */
static void check_writes(size_t length, unsigned width)
{
    unsigned char data[16];
    struct writer writer = {data, length, 0};
    memset(data, '#', sizeof data);
    for (size_t i = 0; i < length / width; i++)
        write_uint(&writer, UINT64_C(0x8877665544332211), width);
    assert_int_equal(writer.bad, 0);
    write_uint(&writer, 0, width);
    assert_int_equal(writer.bad, 1);
    write_bytes(&writer, "", 1); /* nothing goes in after a failure */
    for (size_t i = 0; i < sizeof data; i++)
        assert_int_equal(data[i], i < length / width * width ? 0x11 * (i % width + 1) : '#');
}

static void test_writes_stop_at_the_end(void **state)
{
    (void)state;
    for (size_t length = 0; length <= 9; length++)
        for (unsigned width = 1; width <= 8; width++)
            check_writes(length, width);
}

static void test_doubles_keep_their_bits(void **state)
{
    static const double values[] = {0, -0.0, 1, 0.001, 1e300, 5e-324, -2.5};
    unsigned char data[8];
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct writer writer = {data, sizeof data, 0};
        write_double(&writer, values[i]);
        struct reader reader = {data, sizeof data, 0};
        double back = read_double(&reader);
        assert_memory_equal(&back, &values[i], sizeof back);
        assert_int_equal(writer.bad + reader.bad, 0);
    }
    struct writer writer = {data, sizeof data, 0};
    write_double(&writer, 1);
    assert_int_equal(data[7], 0x3f); /* little-endian: the sign and exponent come last */
    struct reader cut = {data, 7, 0};
    assert_true(read_double(&cut) == 0);
    assert_int_equal(cut.bad, 1);
}

/* Bytes as a file: what is not there is not read. */
static void test_blobs(void **state)
{
    const struct blob blob = blob_of_bytes("abc", 3);
    char out[4] = "zzz";
    uf_error why;
    (void)state;
    assert_status(UF_OK, blob_read(&blob, out, 2, 1, &why), &why);
    assert_string_equal(out, "bcz");
    assert_status(UF_OK, blob_read(&blob, out, 0, 3, &why), &why);
    assert_refused(UF_EFORMAT, blob_read(&blob, out, 2, 2, &why), &why);
    assert_refused(UF_EFORMAT, blob_read(&blob, out, 0, 4, &why), &why);
    assert_refused(UF_EFORMAT, blob_read(&blob, out, 1, UINT64_MAX, &why), &why);
    assert_refused(UF_EFORMAT, blob_read(&blob, out, SIZE_MAX, 1, &why), &why);
    assert_string_equal(out, "bcz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_are_little_endian),
        cmocka_unit_test(test_reads_stop_at_the_end),
        cmocka_unit_test(test_read_bytes),
        cmocka_unit_test(test_writes_stop_at_the_end),
        cmocka_unit_test(test_doubles_keep_their_bits),
        cmocka_unit_test(test_blobs),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
