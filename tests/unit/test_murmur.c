/* SPDX-License-Identifier: MIT */
/* lab/murmur: the hash against its published check value, and items made for hashes of one's choice. */
#include "check.h"
#include "murmur.h"

/*
 * SMHasher's verification of a 64-bit hash: of the keys {}, {0}, {0, 1}, ... {0, ..., 254} with the seeds 256 down to
 * 1, all hashes are hashed with seed 0; the first four bytes of that are 0x1f0d3804 for MurmurHash64A. Every length
 * modulo 8 is among them.
 */
static void test_verification_value(void **state)
{
    unsigned char key[256], hashes[256 * 8];
    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        key[i] = (unsigned char)i;
        uint64_t hash = murmur64(key, i, 256 - i);
        for (unsigned j = 0; j < 8; j++)
            hashes[8 * i + j] = (unsigned char)(hash >> 8 * j);
    }
    assert_int_equal(murmur64(hashes, sizeof hashes, 0) & UINT32_MAX, 0x1f0d3804);
}

static void check_item(const struct item *item, uint64_t a, uint64_t b)
{
    assert_that(murmur64(item->bytes, ITEM_BYTES, MURMUR_PUBLIC_SEED) == a, "the first hash is another");
    assert_that(murmur64(item->bytes, ITEM_BYTES, a) == b, "the second hash is another");
}

/* All solutions of one pair: each is right and no two are the same. */
static void test_craft(void **state)
{
    enum { ROOM = 500 };
    struct stream stream;
    struct item items[ROOM];
    uint64_t steps = 0, pairs = 0;
    (void)state;
    assert_int_equal(0, stream_open(&stream, (struct stream_seed){1, 5}, 0));
    for (uint64_t b = 0; b < 4; b++) {
        uint64_t a;
        size_t found;
        do {
            a = stream_next(&stream);
            found = murmur_craft(a, b, items, ROOM, &steps);
            pairs++;
        } while (!found);
        assert_that(found > 1, "one solution only");
        for (size_t i = 0; i < found; i++) {
            check_item(&items[i], a, b);
            for (size_t j = 0; j < i; j++)
                assert_memory_not_equal(&items[i], &items[j], sizeof items[i]);
        }
    }
    assert_that(pairs > 4 && steps > 0, "every pair has a solution"); /* one in about 1,000 has */
}

static void test_craft_any(void **state)
{
    const uint64_t modulus = 958528, residue = 4711;
    struct stream stream;
    struct item items[3];
    uint64_t steps = 0;
    (void)state;
    assert_int_equal(0, stream_open(&stream, (struct stream_seed){1, 6}, 0));
    size_t found = murmur_craft_any(residue, modulus, 0, &stream, items, 3, &steps);
    assert_in_range(found, 1, 3);
    for (size_t i = 0; i < found; i++) {
        uint64_t a = murmur64(items[i].bytes, ITEM_BYTES, MURMUR_PUBLIC_SEED);
        assert_int_equal(a % modulus, residue);
        check_item(&items[i], a, 0);
    }
    assert_int_equal(0, murmur_craft_any(residue, modulus, 0, &stream, items, 0, &steps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verification_value),
        cmocka_unit_test(test_craft),
        cmocka_unit_test(test_craft_any),
    };
    return cmocka_run_group_tests_name("murmur", tests, NULL, NULL);
}
