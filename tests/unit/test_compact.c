/* SPDX-License-Identifier: MIT */
/*
 * Compact values: the same filter from fewer bytes, and the same file again from it; every truncation and every bit of
 * small ones; headers that are packed in another way; and random headers, which must be judged as the parser of files
 * judges them.
 */
#include "bits.h"
#include "compact.h"
#include "folder.h"
#include "samples.h"
#include "subjects.h"

static struct bytes convert(const struct bytes *from, unsigned how)
{
    uf_context ctx = secret_context();
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, uf_load_bytes(from->data, from->size, UF_FORMAT_UF, &ctx, &filter, &why), &why);
    struct bytes out = bytes_of(filter, how);
    uf_free(filter);
    return out;
}

/* A .uf file, and the compact one that belongs to it. */
struct pair {
    struct bytes full, compact;
};

static struct pair pair_of(const char *spec)
{
    struct pair pair = {.full = sample_of(spec, 3)};
    pair.compact = convert(&pair.full, UF_FORMAT_COMPACT);
    return pair;
}

static void pair_free(struct pair *pair)
{
    bytes_free(&pair->full);
    bytes_free(&pair->compact);
}

static size_t header_size(const struct bytes *compact)
{
    size_t size;
    assert_status(UF_OK, start_size(compact->data, &size, NULL), NULL);
    return size;
}

/* ---- the same filter ---- */

/* What follows the header is the same, and both ways lead back to the same bytes. */
static void check_pair(const struct pair *pair)
{
    struct bytes full = convert(&pair->compact, UF_FORMAT_UF), compact = convert(&pair->compact, UF_FORMAT_COMPACT);
    size_t header = header_size(&pair->compact);
    assert_true(bytes_equal(&full, &pair->full) && bytes_equal(&compact, &pair->compact));
    assert_int_equal(full.size - HEADER_BYTES, compact.size - header);
    assert_memory_equal(full.data + HEADER_BYTES, compact.data + header, compact.size - header);
    assert_true(header % 8 == 0 && header < 256);
    bytes_free(&full);
    bytes_free(&compact);
}

static void check_headers(const struct pair *pair)
{
    uf_header full, compact;
    uf_error why;
    memset(&full, 0, sizeof full);
    memset(&compact, 0, sizeof compact);
    size_t header = header_size(&pair->compact);
    assert_status(UF_OK, uf_read_header(pair->full.data, HEADER_BYTES, &full, sizeof full, &why), &why);
    assert_status(UF_OK, uf_read_header(pair->compact.data, header, &compact, sizeof compact, &why), &why);
    assert_int_equal(compact.file_bytes, pair->compact.size);
    assert_int_equal(full.file_bytes, pair->full.size);
    compact.file_bytes = full.file_bytes;
    assert_memory_equal(&full, &compact, sizeof full);
    for (size_t cut = 0; cut < header; cut++)
        assert_refused(UF_EFORMAT, uf_read_header(pair->compact.data, cut, &compact, sizeof compact, &why), &why);
}

static void test_there_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct pair pair = pair_of(samples[i]);
        check_pair(&pair);
        check_headers(&pair);
        pair_free(&pair);
    }
}

/* With filters inside, and of several chunks. */
static void test_large_ones(void **state)
{
    static const char *const specs[] = {"blocked:n=200000,fpr=0.01,seed=0x6",
                                        "bloom:n=100,fpr=0.01,seed=0x7,full=scale"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pair pair = {.full = sample_of(specs[i], 5000)};
        pair.compact = convert(&pair.full, UF_FORMAT_COMPACT);
        struct bytes again = convert(&pair.compact, UF_FORMAT_UF);
        assert_true(bytes_equal(&again, &pair.full));
        bytes_free(&again);
        pair_free(&pair);
    }
}

/* Ten keys in 136 bytes, where a file has 4176. */
static void test_ten_keys(void **state)
{
    struct bytes full = sample_of("blocked:n=10,fpr=0.01,seed=0x123456789abcdef1", 10);
    struct bytes compact = convert(&full, UF_FORMAT_COMPACT);
    (void)state;
    assert_int_equal(full.size, 4096 + 64 + 16);
    assert_int_equal(compact.size, 56 + 64 + 16);
    bytes_free(&full);
    bytes_free(&compact);
}

/* ---- every way to load ---- */

static uf_filter *in_pieces(const struct bytes *bytes, size_t step)
{
    uf_context ctx = secret_context();
    uf_loader *loader;
    uf_filter *filter;
    uf_error why;
    assert_status(UF_OK, uf_loader_new(&ctx, UF_FORMAT_UF, &loader, &why), &why);
    for (size_t at = 0; at < bytes->size; at += step)
        assert_status(UF_OK,
                      uf_loader_feed(loader, bytes->data + at, step < bytes->size - at ? step : bytes->size - at, &why),
                      &why);
    assert_status(UF_OK, uf_loader_finish(loader, &filter, &why), &why);
    uf_loader_free(loader);
    return filter;
}

static void check_same(uf_filter *filter, const struct bytes *full)
{
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    assert_true(bytes_equal(&bytes, full));
    bytes_free(&bytes);
    uf_free(filter);
}

static void test_pieces(void **state)
{
    static const size_t steps[] = {1, 7, 23, 24, 25, 1000};
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct pair pair = pair_of(samples[i]);
        for (size_t j = 0; j < sizeof steps / sizeof steps[0]; j++)
            check_same(in_pieces(&pair.compact, steps[j]), &pair.full);
        pair_free(&pair);
    }
}

static void test_view(void **state)
{
    (void)state;
    for (size_t i = 0; !bits_need_swap() && i < SAMPLES; i++) {
        struct pair pair = pair_of(samples[i]);
        uf_context ctx = secret_context();
        uf_filter *view;
        uf_error why;
        assert_status(UF_OK, uf_load_view(pair.compact.data, pair.compact.size, &ctx, &view, &why), &why);
        assert_status(UF_OK, uf_verify(view, &why), &why);
        pair.compact.data[pair.compact.size - 20] ^= 1;
        assert_refused(UF_EFORMAT, uf_verify(view, &why), &why);
        pair.compact.data[pair.compact.size - 20] ^= 1;
        check_same(view, &pair.full);
        pair_free(&pair);
    }
}

static void test_files(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.ufc");
    struct pair pair = pair_of("blocked:n=3,fpr=0.01,seed=0x2");
    uf_filter *filter;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_load_bytes(pair.full.data, pair.full.size, UF_FORMAT_COMPACT, NULL, &filter, &why), &why);
    assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_COMPACT, &why), &why);
    uf_free(filter);
    struct bytes saved = file_get_all(path);
    assert_true(bytes_equal(&saved, &pair.compact));
    bytes_free(&saved);
    assert_status(UF_OK, uf_load(path, UF_FORMAT_UF, NULL, &filter, &why), &why);
    check_same(filter, &pair.full);
    assert_refused(UF_EUNSUPPORTED, uf_load(path, UF_MAP, NULL, &filter, &why), &why);
    pair_free(&pair);
    folder_remove(&folder);
}

/* A signature is of the .uf file: it holds for the compact one, and for one that was altered it does not. */
static void test_signatures(void **state)
{
    struct folder folder = folder_make();
    const char *full = folder_file(&folder, "a.uf"), *compact = folder_file(&folder, "a.ufc");
    const char *signature = folder_file(&folder, "a.uf.sig");
    struct pair pair = pair_of("keyed(bloom:n=3,fpr=0.01,seed=0x5)"), other = pair_of("bloom:n=3,fpr=0.01,seed=0x5");
    uf_context ctx = secret_context();
    uf_filter *filter;
    uf_error why;
    (void)state;
    file_put_all(full, pair.full.data, pair.full.size);
    file_put_all(compact, pair.compact.data, pair.compact.size);
    assert_status(UF_OK, uf_sign(full, signature, UF_SIGN_OWN, &ctx, &why), &why);
    assert_status(UF_OK, uf_load_signed(compact, signature, NULL, &ctx, &filter, &why), &why);
    check_same(filter, &pair.full);
    file_put_all(compact, other.compact.data, other.compact.size);
    assert_refused(UF_ESIGNATURE, uf_load_signed(compact, signature, NULL, &ctx, &filter, &why), &why);
    pair_free(&pair);
    pair_free(&other);
    folder_remove(&folder);
}

/* ---- damage ---- */

/* From a block of exactly their size, so that a sanitizer sees a read past it. */
static int load_exactly(const unsigned char *data, size_t size, uf_filter **out, uf_error *why)
{
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    uf_context ctx = secret_context();
    int status = uf_load_bytes(copy, size, UF_FORMAT_UF, &ctx, out, why);
    free(copy);
    return status;
}

static void check_bad(const unsigned char *data, size_t size, const char *what, size_t where)
{
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    int status = load_exactly(data, size, &filter, &why);
    assert_that(is_format_error(status) && !filter && why.status == status && why.text[0], "%s %zu gave %d: %s", what,
                where, status, why.text);
}

static void check_damage(struct bytes *value)
{
    for (size_t size = 0; size < value->size; size++)
        check_bad(value->data, size, "size", size);
    for (size_t bit = 0; bit < 8 * value->size; bit++) {
        value->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        check_bad(value->data, value->size, "bit", bit);
        value->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t more = 1; more <= 64; more++) {
        bytes_put(value, "", 1);
        check_bad(value->data, value->size, "bytes too many", more);
    }
}

static void test_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct pair pair = pair_of(samples[i]);
        check_damage(&pair.compact);
        pair_free(&pair);
    }
}

/* ---- other ways to pack the same header ---- */

/* A value with this in place of its packed words. */
static void check_packing(const struct bytes *value, const unsigned char *words, size_t size, const char *what)
{
    struct bytes bad = {0};
    size_t header = header_size(value), grown = (18 + size + 7) / 8 * 8;
    unsigned char length[2] = {(unsigned char)grown, (unsigned char)(grown >> 8)};
    (void)bytes_put(&bad, value->data, 16);
    (void)bytes_put(&bad, length, 2);
    (void)bytes_put(&bad, words, size);
    for (size_t i = 18 + size; i < grown; i++)
        (void)bytes_put(&bad, "", 1);
    (void)bytes_put(&bad, value->data + header, value->size - header);
    check_bad(bad.data, bad.size, what, size);
    bytes_free(&bad);
}

static void test_other_packings(void **state)
{
    struct bytes full = sample_of("blocked:n=10,fpr=0.01,seed=0x123456789abcdef1", 10);
    struct bytes value = convert(&full, UF_FORMAT_COMPACT);
    unsigned char words[128] = {0};
    size_t size = header_size(&value) - 18;
    (void)state;
    memcpy(words, value.data + 18, size);
    while (!words[size - 1])
        size--;
    check_packing(&value, words, size + 8, "zeros at the end");
    check_packing(&value, words, size + 24, "zeros at the end");
    memmove(words + 2, words + 1, size); /* the first word: flags, then a zero that has one */
    words[0] |= 2;
    words[2] = 0;
    words[1] = 1;
    check_packing(&value, words, size + 1, "a zero that is there");
    words[0] = 0xff;
    check_packing(&value, words, 1, "flags without bytes");
    memset(words, 1, sizeof words);
    words[0] = 0x01;
    check_packing(&value, words, sizeof words, "other words");
    bytes_free(&full);
    bytes_free(&value);
}

/* More words than a page has, and every size that a header can say. */
static void test_sizes(void **state)
{
    struct bytes value = {0};
    unsigned char page[HEADER_BYTES], packed[COMPACT_MOST];
    (void)state;
    memset(page, 0xff, sizeof page);
    assert_int_equal(compact_write(page, packed), COMPACT_MOST);
    (void)bytes_put(&value, packed, sizeof packed);
    for (size_t i = 0; i < 2 * sizeof packed; i += 2)
        (void)bytes_put(&value, "\x01\x01", 2);
    for (unsigned size = 0; size < 65536; size += size < 64 ? 1 : 8) {
        value.data[16] = (unsigned char)size;
        value.data[17] = (unsigned char)(size >> 8);
        check_bad(value.data, value.size, "a header of", size);
    }
    value.data[16] = (unsigned char)(COMPACT_MOST & 255);
    value.data[17] = COMPACT_MOST >> 8;
    memset(value.data + 18, 1, value.size - 18); /* words of two bytes each: four times as many as a page has */
    check_bad(value.data, value.size, "more words than", HEADER_BYTES);
    memset(value.data + 18, 0, value.size - 18);
    check_bad(value.data, value.size, "zeros after", 18);
    bytes_free(&value);
}

/* A header that changed since its size was read, and a page that has nothing in it. */
static void test_odd_pages(void **state)
{
    unsigned char page[HEADER_BYTES] = {0}, packed[COMPACT_MOST];
    struct file_start start;
    uf_error why;
    (void)state;
    assert_int_equal(compact_write(page, packed), COMPACT_LEAST);
    assert_refused(UF_EFORMAT, start_read(packed, COMPACT_LEAST, &start, &why), &why);
    memset(page, 0xff, sizeof page);
    size_t size = compact_write(page, packed);
    assert_refused(UF_EFORMAT, start_read(packed, size - 8, &start, &why), &why);
    assert_status(UF_OK, start_read(packed, size, &start, &why), &why);
}

/* ---- random ones ---- */

static void test_random_pages(void **state)
{
    uint64_t seed = 31;
    (void)state;
    for (size_t round = 0; round < 2000; round++) {
        unsigned char page[HEADER_BYTES] = {0}, packed[COMPACT_MOST];
        struct file_start start;
        memcpy(page, HEADER_MAGIC, MAGIC_BYTES);
        for (size_t i = 0, bytes = 1 + (size_t)random_below(&seed, 300); i < bytes; i++)
            page[8 + random_below(&seed, round % 2 ? 100 : HEADER_BYTES - 8)] = (unsigned char)next_random(&seed);
        page[8] = 1;
        size_t size = compact_write(page, packed);
        assert_true(size % 8 == 0 && size <= COMPACT_MOST);
        assert_status(UF_OK, start_read(packed, size, &start, NULL), NULL);
        assert_memory_equal(start.page, page, sizeof page);
    }
}

/* Changes a few bytes of a file's header and seals it again. */
static void disturb(struct bytes *full, uint64_t *seed)
{
    for (size_t i = 0, changes = 1 + (size_t)random_below(seed, 3); i < changes; i++) {
        unsigned char *byte = full->data + 8 + random_below(seed, i ? 110 : 60);
        *byte = (unsigned char)(random_below(seed, 3) ? *byte ^ 1u << random_below(seed, 8) : random_below(seed, 4));
    }
    reseal_header(full->data);
}

/* A header that somebody sealed: both forms are refused with the same words, or are the same filter. */
static void check_judged_alike(const struct bytes *full, size_t *loaded)
{
    struct bytes value = {0};
    unsigned char packed[COMPACT_MOST];
    uf_filter *a = NULL, *b = NULL;
    uf_error why_a = {0, 0, ""}, why_b = {0, 0, ""};
    (void)bytes_put(&value, packed, compact_write(full->data, packed));
    (void)bytes_put(&value, full->data + HEADER_BYTES, full->size - HEADER_BYTES);
    int status = load_exactly(full->data, full->size, &a, &why_a);
    assert_int_equal(load_exactly(value.data, value.size, &b, &why_b), status);
    if (!strstr(why_a.text, "too long")) /* which has the sizes */
        assert_string_equal(why_a.text, why_b.text);
    if (status == UF_OK) {
        assert_same_bytes(a, b, "full and compact");
        ++*loaded;
    }
    uf_free(a);
    uf_free(b);
    bytes_free(&value);
}

static void test_random_headers(void **state)
{
    uint64_t seed = 32;
    size_t loaded = 0, rounds = test_small() ? 200 : 2000;
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct bytes full = sample_of(samples[i], 3);
        unsigned char before[HEADER_BYTES];
        memcpy(before, full.data, HEADER_BYTES);
        for (size_t round = 0; round < rounds; round++) {
            disturb(&full, &seed);
            check_judged_alike(&full, &loaded);
            memcpy(full.data, before, HEADER_BYTES);
        }
        bytes_free(&full);
    }
    assert_true(loaded > rounds / 10); /* seeds, counts and features may be any number */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_large_ones), cmocka_unit_test(test_ten_keys),
        cmocka_unit_test(test_pieces),         cmocka_unit_test(test_view),       cmocka_unit_test(test_files),
        cmocka_unit_test(test_signatures),     cmocka_unit_test(test_damage),     cmocka_unit_test(test_other_packings),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_odd_pages),  cmocka_unit_test(test_random_pages),
        cmocka_unit_test(test_random_headers),
    };
    return cmocka_run_group_tests_name("compact", tests, NULL, NULL);
}
