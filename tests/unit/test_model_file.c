/* SPDX-License-Identifier: MIT */
/*
 * .ufm files: what is saved loads with the same scores; every truncation, every flipped bit, every field out of its
 * range is refused with words and without a model; no allocation is larger than the file.
 */
#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "folder.h"
#include "checksum.h"
#include "hash.h"
#include "random.h"
#include "wire.h"
#include "words.h"

enum { WORDS = 2000 };

static uf_model *small_model(unsigned weight_bits)
{
    struct keys positives = words_make(0, 12, WORDS, 1), negatives = words_make(1, 12, WORDS, 2);
    struct keys valid = words_make(1, 12, WORDS, 3);
    uf_training how = UF_TRAINING_INIT;
    uf_model *model;
    uf_error why;
    how.positives = positives.key, how.positive_count = WORDS;
    how.negatives = negatives.key, how.negative_count = WORDS;
    how.valid = valid.key, how.valid_count = WORDS;
    how.budget = 128;
    how.weight_bits = weight_bits;
    assert_status(UF_OK, uf_train(&how, NULL, &model, &why), &why);
    keys_free(&positives);
    keys_free(&negatives);
    keys_free(&valid);
    return model;
}

static struct bytes file_of(const uf_model *model)
{
    struct folder folder = folder_make();
    uf_error why;
    assert_status(UF_OK, uf_model_save(model, folder_file(&folder, "m.ufm"), &why), &why);
    assert_int_equal(folder_entries(&folder), 1);
    struct bytes bytes = file_get_all(folder_file(&folder, "m.ufm"));
    folder_remove(&folder);
    return bytes;
}

/* From a block of exactly their size, so that a sanitizer sees a read past it. */
static int load(const unsigned char *data, size_t size, uf_model **out, uf_error *why)
{
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    int status = uf_model_load_bytes(copy, size, NULL, out, why);
    free(copy);
    return status;
}

static void check_bad(const unsigned char *data, size_t size, const char *what, size_t where)
{
    uf_model *model = NULL;
    uf_error why = {0, 0, ""};
    int status = load(data, size, &model, &why);
    assert_that((status == UF_EFORMAT || status == UF_EVERSION) && !model && why.text[0], "%s %zu gave %d: %s", what,
                where, status, why.text);
}

static void test_round_trip(void **state)
{
    struct folder folder = folder_make();
    struct keys words = words_make(0, 8, 500, 9);
    (void)state;
    for (unsigned bits = 4; bits <= 8; bits += 4) {
        uf_model *model = small_model(bits), *loaded;
        int32_t before[500], after[500];
        uf_model_info a, b;
        uf_error why;
        const char *path = folder_file(&folder, "model.ufm");
        assert_status(UF_OK, uf_model_save(model, path, &why), &why);
        assert_status(UF_OK, uf_model_load(path, NULL, &loaded, &why), &why);
        uf_model_score_many(model, words.key, words.count, before);
        uf_model_score_many(loaded, words.key, words.count, after);
        assert_memory_equal(before, after, sizeof before);
        uf_model_get_info(model, &a, sizeof a);
        uf_model_get_info(loaded, &b, sizeof b);
        assert_true(a.auc == b.auc && a.bytes == b.bytes && a.weights == b.weights && a.weight_bits == b.weight_bits &&
                    a.positives == b.positives && a.negatives == b.negatives && a.valid == b.valid &&
                    a.overlap == b.overlap && a.seed == b.seed);
        struct bytes one = file_of(model), two = file_of(loaded);
        assert_true(bytes_equal(&one, &two));
        bytes_free(&one);
        bytes_free(&two);
        uf_model_free(model);
        uf_model_free(loaded);
    }
    folder_remove(&folder);
    keys_free(&words);
}

static void test_every_truncation_and_bit(void **state)
{
    uf_model *model = small_model(4);
    struct bytes file = file_of(model);
    (void)state;
    for (size_t size = 0; size < file.size; size++)
        check_bad(file.data, size, "size", size);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        if (bit / 8 >= 10 && bit / 8 < 12)
            continue; /* the minor version: below */
        file.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        check_bad(file.data, file.size, "bit", bit);
        file.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    bytes_free(&file);
    uf_model_free(model);
}

static void put(struct bytes *file, size_t at, uint64_t value, unsigned size)
{
    struct writer writer = {file->data + at, size, 0};
    write_uint(&writer, value, size);
}

/* The checksums as they should be. */
static void seal(struct bytes *file)
{
    put(file, 120, checksum(file->data, 120, 0), 8);
    put(file, file->size - 8, checksum(file->data + 128, file->size - 136, 1), 8);
}

/* Fields with another value than they have, under correct checksums. */
static void test_fields(void **state)
{
    static const struct {
        size_t at;
        unsigned size;
        const char *name;
        int free; /* any value is fine */
    } fields[] = {{0, 8, "magic", 0},        {8, 2, "major", 0},        {10, 2, "minor", 1},
                  {12, 4, "features", 0},    {16, 4, "compatible", 1},  {20, 4, "header", 0},
                  {24, 8, "file bytes", 0},  {32, 8, "payload", 0},     {40, 4, "features version", 0},
                  {44, 4, "log weights", 0}, {48, 4, "weight bits", 0}, {52, 4, "zero", 0},
                  {56, 8, "positives", 1},   {64, 8, "negatives", 1},   {72, 8, "valid", 1},
                  {80, 8, "overlap", 1},     {96, 8, "seed", 1},        {104, 8, "rest", 0},
                  {112, 8, "rest", 0}};
    uf_model *model = small_model(8);
    struct bytes file = file_of(model);
    unsigned char head[128];
    (void)state;
    memcpy(head, file.data, sizeof head);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint64_t top = UINT64_MAX >> (64 - 8 * fields[i].size);
        const uint64_t values[] = {1, 5, 7, top, top - 1, top / 2 + 1};
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            uf_model *loaded = NULL;
            put(&file, fields[i].at, values[v], fields[i].size);
            if (!memcmp(file.data, head, 120))
                continue;
            seal(&file);
            if (fields[i].free) {
                assert_status(UF_OK, load(file.data, file.size, &loaded, NULL), NULL);
                uf_model_free(loaded);
            } else {
                check_bad(file.data, file.size, fields[i].name, (size_t)values[v]);
            }
            memcpy(file.data, head, sizeof head);
        }
    }
    bytes_free(&file);
    uf_model_free(model);
}

static void test_auc_and_weights(void **state)
{
    static const double values[] = {-0.001, 1.001, 1e300};
    uf_model *model = small_model(8);
    struct bytes file = file_of(model);
    unsigned char kept[8];
    (void)state;
    memcpy(kept, file.data + 88, 8);
    for (size_t i = 0; i < 4; i++) {
        struct writer writer = {file.data + 88, 8, 0};
        if (i < 3)
            write_double(&writer, values[i]);
        else
            write_uint(&writer, UINT64_C(0x7ff8000000000000), 8); /* NaN */
        seal(&file);
        check_bad(file.data, file.size, "auc", i);
    }
    memcpy(file.data + 88, kept, 8);
    file.data[130] = 0; /* a weight of -128 */
    seal(&file);
    check_bad(file.data, file.size, "weight", 0);
    file.data[130] = 1;
    seal(&file);
    uf_model *loaded = NULL;
    assert_status(UF_OK, load(file.data, file.size, &loaded, NULL), NULL);
    uf_model_free(loaded);
    bytes_free(&file);
    uf_model_free(model);
}

/* A header that means a large table, before 128 bytes: refused without asking for memory. */
static void test_allocates_what_is_there(void **state)
{
    uf_model *model = small_model(4), *loaded = NULL;
    struct bytes file = file_of(model);
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_error why;
    (void)state;
    put(&file, 44, 22, 4);
    seal(&file);
    assert_refused(UF_EFORMAT, uf_model_load_bytes(file.data, file.size, &ctx, &loaded, &why), &why);
    assert_int_equal(counting.calls, 0);
    bytes_free(&file);
    file = file_of(model);
    assert_status(UF_OK, uf_model_load_bytes(file.data, file.size, &ctx, &loaded, &why), &why);
    assert_true(counting.peak < file.size + 1024);
    uf_model_free(loaded);
    for (size_t k = 1; k <= 2; k++) {
        struct counting failing = {.fail_at = k};
        ctx = counting_context(&failing);
        loaded = NULL;
        assert_refused(UF_ENOMEM, uf_model_load_bytes(file.data, file.size, &ctx, &loaded, &why), &why);
        assert_true(!loaded && counting_is_clean(&failing));
    }
    assert_true(counting_is_clean(&counting));
    bytes_free(&file);
    uf_model_free(model);
}

/* A file that is as long as it says, and longer than any model. */
static void test_longer_than_any(void **state)
{
    const size_t most = 128 + (8u << 22) + 8, size = most + 8;
    uf_model *model = small_model(4);
    struct bytes file = file_of(model), large = {calloc(1, size), size, size};
    (void)state;
    assert_non_null(large.data);
    memcpy(large.data, file.data, 128);
    put(&large, 24, size, 8);
    put(&large, 32, size - 136, 8);
    put(&large, 120, checksum(large.data, 120, 0), 8);
    uf_model *loaded = NULL;
    uf_error why;
    assert_refused(UF_EFORMAT, uf_model_load_bytes(large.data, large.size, NULL, &loaded, &why), &why);
    assert_non_null(strstr(why.text, "sizes"));
    assert_null(loaded);
    bytes_free(&large);
    bytes_free(&file);
    uf_model_free(model);
}

/* Saving takes memory, and without it the file that is there stays. */
static void test_no_memory_to_save(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "m.ufm");
    uf_model *model = small_model(4), *counted = NULL;
    struct bytes file = file_of(model);
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_error why;
    (void)state;
    file_put_all(path, "old", 3);
    assert_status(UF_OK, uf_model_load_bytes(file.data, file.size, &ctx, &counted, &why), &why);
    counting.fail_at = counting.calls + 1;
    assert_refused(UF_ENOMEM, uf_model_save(counted, path, &why), &why);
    struct bytes old = file_get_all(path);
    assert_int_equal(old.size, 3);
    assert_int_equal(folder_entries(&folder), 1);
    assert_status(UF_OK, uf_model_save(counted, path, &why), &why);
    uf_model_free(counted);
    assert_true(counting_is_clean(&counting));
    bytes_free(&old);
    bytes_free(&file);
    uf_model_free(model);
    folder_remove(&folder);
}

static void test_missing_file(void **state)
{
    struct folder folder = folder_make();
    uf_model *model = small_model(4), *loaded = NULL;
    uf_error why;
    (void)state;
    assert_refused(UF_EIO, uf_model_load(folder_file(&folder, "none.ufm"), NULL, &loaded, &why), &why);
    assert_refused(UF_EIO, uf_model_save(model, folder_file(&folder, "no/such/folder.ufm"), &why), &why);
    assert_refused(UF_EINVAL, uf_model_load(NULL, NULL, &loaded, &why), &why);
    assert_int_equal(folder_entries(&folder), 0);
    uf_model_free(model);
    uf_model_free(NULL);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_every_truncation_and_bit),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_auc_and_weights),
        cmocka_unit_test(test_allocates_what_is_there),
        cmocka_unit_test(test_longer_than_any),
        cmocka_unit_test(test_no_memory_to_save),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
