/* SPDX-License-Identifier: MIT */
/*
 * Loading what is not a whole filter: every truncation and every single-bit flip of a small file of every kind, bursts,
 * chunks that changed places, bytes too many, and things that never were a filter. Always UF_EFORMAT or UF_EVERSION,
 * never a filter, and the same from a file as from memory.
 */
#include <fcntl.h>
#include <unistd.h>

#include "folder.h"
#include "checksum.h"
#include "header.h"
#include "random.h"
#include "samples.h"

/* Loads bytes from a block of exactly their size, so that a sanitizer sees a read past it. */
static int load_exactly(const unsigned char *data, size_t size, unsigned how, uf_filter **out, uf_error *why)
{
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    uf_context ctx = secret_context();
    int status = uf_load_bytes(copy, size, how, &ctx, out, why);
    free(copy);
    return status;
}

/* Refused, with words, and nothing handed out. */
static void check_bad(const unsigned char *data, size_t size, const char *what, size_t where)
{
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    int status = load_exactly(data, size, UF_FORMAT_UF, &filter, &why);
    assert_that(is_format_error(status) && !filter && why.status == status && why.text[0], "%s %zu gave %d: %s", what,
                where, status, why.text);
}

static void test_undamaged_loads(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct bytes file = sample_of(samples[i], 3);
        uf_filter *filter;
        assert_status(UF_OK, load_exactly(file.data, file.size, UF_FORMAT_UF, &filter, NULL), NULL);
        uf_free(filter);
        bytes_free(&file);
    }
}

static void test_every_truncation(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct bytes file = sample_of(samples[i], 3);
        for (size_t size = 0; size < file.size; size++)
            check_bad(file.data, size, "size", size);
        bytes_free(&file);
    }
}

static void test_every_bit(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct bytes file = sample_of(samples[i], 3);
        for (size_t bit = 0; bit < 8 * file.size; bit++) {
            file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            check_bad(file.data, file.size, "bit", bit);
            file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        bytes_free(&file);
    }
}

static void test_bytes_too_many(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t more = 1; more <= 4096; more *= 2) {
            struct bytes file = sample_of(samples[i], 3);
            for (size_t j = 0; j < more; j++)
                bytes_put(&file, "", 1);
            check_bad(file.data, file.size, "bytes too many", more);
            bytes_free(&file);
        }
}

/* 20 000 bursts of up to 32 bytes at random places of a filter of several chunks. */
static void test_bursts(void **state)
{
    struct bytes file = sample_of("bloom:n=100000,fpr=0.01,seed=0x5", 1000);
    uint64_t seed = 21;
    unsigned char before[32];
    (void)state;
    for (size_t i = 0, rounds = test_small() ? 1000 : 20000; i < rounds; i++) {
        size_t size = 1 + (size_t)random_below(&seed, 32), at = (size_t)random_below(&seed, file.size - size);
        memcpy(before, file.data + at, size);
        for (size_t j = 0; j < size; j++)
            file.data[at + j] ^= (unsigned char)(next_random(&seed) | (j == 0));
        check_bad(file.data, file.size, "burst at", at);
        memcpy(file.data + at, before, size);
    }
    uf_filter *filter;
    assert_status(UF_OK, load_exactly(file.data, file.size, UF_FORMAT_UF, &filter, NULL), NULL);
    uf_free(filter);
    bytes_free(&file);
}

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char held = a[i];
        a[i] = b[i];
        b[i] = held;
    }
}

/* Two chunks and their checksums change places, and the table is sealed again: only the salt can tell. */
static void test_chunks_that_change_places(void **state)
{
    struct bytes file = sample_of("blocked:n=200000,fpr=0.01,seed=0x6", 5000);
    (void)state;
    size_t chunks = (file.size - HEADER_BYTES - 8) / (CHUNK_BYTES + 8) + 1;
    unsigned char *table = file.data + file.size - 8 - 8 * chunks;
    assert_true(chunks >= 3);
    swap(file.data + HEADER_BYTES, file.data + HEADER_BYTES + CHUNK_BYTES, CHUNK_BYTES);
    swap(table, table + 8, 8);
    struct writer seal = {table + 8 * chunks, 8, 0};
    write_uint(&seal, checksum(table, 8 * chunks, chunks), 8);
    check_bad(file.data, file.size, "swapped chunks of", chunks);
    bytes_free(&file);
}

static void test_things_that_never_were_filters(void **state)
{
    static const size_t sizes[] = {0, 1, 6, 8, 100, 4095, 4096, 4103, 4104, 5000, 100000};
    unsigned char *data = calloc(1, 100000);
    uint64_t seed = 22;
    (void)state;
    assert_non_null(data);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(data, 0, sizes[i]);
        check_bad(data, sizes[i], "zeros", sizes[i]);
        memset(data, 0xff, sizes[i]);
        check_bad(data, sizes[i], "ones", sizes[i]);
        for (size_t j = 0; j < sizes[i]; j++)
            data[j] = (unsigned char)next_random(&seed);
        check_bad(data, sizes[i], "noise", sizes[i]);
        memcpy(data, "\x89UFL\r\n\x1a\n\x01\0\0\0", sizes[i] < 12 ? sizes[i] : 12);
        check_bad(data, sizes[i], "noise after the magic", sizes[i]);
    }
    free(data);
}

/* ---- the same from a file ---- */

/* About "these bytes" and about the file: the same but for the name and the verb. */
static void check_same_words(const char *path, const uf_error *memory, const uf_error *file)
{
    const char *a = memory->text, *b = file->text;
    assert_true(!strncmp(a, "these bytes", 11) && !strncmp(b, path, strlen(path)));
    a += 12 + strcspn(a + 12, " ");
    b += strlen(path) + 1 + strcspn(b + strlen(path) + 1, " ");
    assert_string_equal(a, b);
}

static void check_file_agrees(const char *path, const struct bytes *bytes)
{
    uf_filter *a = NULL, *b = NULL;
    uf_error why_a = {0, 0, ""}, why_b = {0, 0, ""};
    uf_context ctx = secret_context();
    int from_memory = uf_load_bytes(bytes->data, bytes->size, UF_FORMAT_UF, &ctx, &a, &why_a);
    int from_file = uf_load(path, UF_FORMAT_UF, &ctx, &b, &why_b);
    assert_int_equal(from_memory, from_file);
    assert_true(!a == !b);
    if (from_memory != UF_OK)
        check_same_words(path, &why_a, &why_b);
    uf_free(a);
    uf_free(b);
}

/* The change is made in place, in memory and in the file. */
static void flip(struct bytes *bytes, int fd, size_t bit)
{
    bytes->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    assert_int_equal(pwrite(fd, bytes->data + bit / 8, 1, (off_t)(bit / 8)), 1);
}

/* Every 5th bit, so that all bit numbers and all bytes come up, and every 3rd length. */
static void check_files(const char *path, struct bytes *bytes)
{
    file_put_all(path, bytes->data, bytes->size);
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    for (size_t bit = 0; bit < 8 * bytes->size; bit += 5) {
        flip(bytes, fd, bit);
        check_file_agrees(path, bytes);
        flip(bytes, fd, bit);
    }
    while (bytes->size >= 3) {
        check_file_agrees(path, bytes);
        bytes->size -= 3;
        assert_int_equal(ftruncate(fd, (off_t)bytes->size), 0);
    }
    close(fd);
}

static void test_files_and_memory_agree(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct bytes bytes = sample_of(samples[i], 3);
        check_files(path, &bytes);
        bytes_free(&bytes);
    }
    folder_remove(&folder);
}

/* ---- DCSO's format, which has no checksums: no crash, and no filter from too few bytes ---- */

static struct bytes dcso_file(void)
{
    uf_spec spec = spec_of("dcso:n=50,fpr=0.01");
    struct keys keys = keys_make("key", 50);
    uf_filter *filter;
    assert_status(UF_OK, uf_build(&spec, keys.key, keys.count, NULL, &filter, NULL), NULL);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_DCSO);
    uf_free(filter);
    keys_free(&keys);
    return bytes;
}

static void test_dcso_truncations(void **state)
{
    struct bytes file = dcso_file();
    (void)state;
    for (size_t size = 0; size < file.size; size++) {
        uf_filter *filter = NULL;
        uf_error why;
        assert_refused(UF_EFORMAT, load_exactly(file.data, size, UF_FORMAT_DCSO, &filter, &why), &why);
        assert_null(filter);
    }
    bytes_free(&file);
}

/* A flipped bit may make another legal filter; then it must answer, and be written again as it was read. Bits 8 to 63
 * are flags of DCSO's header that nobody reads. */
static void test_dcso_bits(void **state)
{
    struct bytes file = dcso_file();
    size_t loaded = 0;
    (void)state;
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        uf_filter *filter = NULL;
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (load_exactly(file.data, file.size, UF_FORMAT_DCSO, &filter, NULL) == UF_OK) {
            struct bytes again = bytes_of(filter, UF_FORMAT_DCSO);
            (void)uf_query(filter, (uf_key){"key-1", 5});
            assert_that(bytes_equal(&again, &file) || (bit >= 8 && bit < 64), "bit %zu was lost", bit);
            bytes_free(&again);
            uf_free(filter);
            loaded++;
        }
        file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_true(loaded > 8 * (file.size - 48) / 2); /* most of the payload is free to be anything */
    bytes_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undamaged_loads),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_bytes_too_many),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_chunks_that_change_places),
        cmocka_unit_test(test_things_that_never_were_filters),
        cmocka_unit_test(test_files_and_memory_agree),
        cmocka_unit_test(test_dcso_truncations),
        cmocka_unit_test(test_dcso_bits),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
