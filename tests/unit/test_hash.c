/* SPDX-License-Identifier: MIT */
/* crypto/hash: XXH3 and FNV-1 against their own references, the same hashes from keys in every shape, and hashes of
 * hashes. */
#include <sys/mman.h>

#include "check.h"
#include "checksum.h"
#include "hash.h"
#include "random.h"
#include "hash_strings.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LONGEST = 1100 }; /* past 240, where XXH3 changes its ways for the last time */

static unsigned char text[LONGEST + 64];

static int fill_text(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)next_random(&seed);
    return 0;
}

static void test_xxh3_is_xxh3(void **state)
{
    static const uint64_t seeds[] = {0, 1, UINT64_MAX, UINT64_C(0x8000000000000000), UINT64_C(0x123456789abcdef)};
    (void)state;
    for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++)
        for (size_t size = 0; size <= LONGEST; size++) {
            struct hasher hasher = {.kind = HASH_XXH3, .seed = seeds[s]};
            struct hash128 got = hash_key(&hasher, (uf_key){text + s, size});
            XXH128_hash_t expected = XXH3_128bits_withSeed(text + s, size, seeds[s]);
            assert_true(got.lo == expected.low64 && got.hi == expected.high64);
        }
}

/* A published value, so that a header that changed its mind would be noticed. */
static void test_xxh3_of_nothing(void **state)
{
    const struct hasher hasher = {.kind = HASH_XXH3};
    struct hash128 got = hash_key(&hasher, (uf_key){NULL, 0});
    (void)state;
    assert_true(got.hi == UINT64_C(0x99aa06d3014798d8) && got.lo == UINT64_C(0x6001c324468d497f));
}

/* From the FNV authors' test suite (test_fnv.c, FNV-1 64 bits). */
static void test_fnv1_vectors(void **state)
{
    static const struct {
        const char *key;
        size_t size;
        uint64_t hash;
    } vectors[] = {
        {"", 0, UINT64_C(0xcbf29ce484222325)},   {"a", 1, UINT64_C(0xaf63bd4c8601b7be)},
        {"b", 1, UINT64_C(0xaf63bd4c8601b7bd)},  {"foobar", 6, UINT64_C(0x340d8765a4dda9c2)},
        {"\0", 1, UINT64_C(0xaf63bd4c8601b7df)},
    };
    const struct hasher hasher = {.kind = HASH_FNV1};
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        assert_true(hash_key(&hasher, (uf_key){vectors[i].key, vectors[i].size}).lo == vectors[i].hash);
}

/* Drains `count` hashes in steps of 1, 2, 3, ... */
static void drain(struct hash_source source, struct hash128 *out, size_t count)
{
    for (size_t done = 0, step = 1; done < count; step++) {
        size_t now = step < count - done ? step : count - done;
        source.fill(&source, out + done, now);
        done += now;
    }
}

static void check_shapes(const struct hasher *hasher, size_t width)
{
    enum { COUNT = 100 };
    uf_key keys[COUNT];
    unsigned char data[COUNT * 48 + 1];
    struct hash128 of_keys[COUNT], of_fixed[COUNT], again[COUNT];
    uint64_t seed = width;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)next_random(&seed);
    for (size_t i = 0; i < COUNT; i++)
        keys[i] = (uf_key){data + 1 + i * width, width}; /* unaligned on purpose */
    drain(source_of_keys(hasher, keys), of_keys, COUNT);
    drain(source_of_fixed(hasher, data + 1, width), of_fixed, COUNT);
    drain(source_of_hashes(of_keys), again, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        struct hash128 one = hash_key(hasher, keys[i]);
        assert_true(one.lo == of_keys[i].lo && one.hi == of_keys[i].hi);
        assert_true(one.lo == of_fixed[i].lo && one.hi == of_fixed[i].hi);
        assert_true(one.lo == again[i].lo && one.hi == again[i].hi);
    }
}

static void test_every_shape_gives_the_same_hashes(void **state)
{
    const struct hasher xxh3 = {.kind = HASH_XXH3, .seed = 42}, fnv = {.kind = HASH_FNV1};
    (void)state;
    for (size_t width = 0; width <= 48; width++) {
        check_shapes(&xxh3, width);
        check_shapes(&fnv, width);
    }
}

static void test_checksum(void **state)
{
    unsigned char copy[300];
    (void)state;
    memcpy(copy, text, sizeof copy);
    uint64_t sum = checksum(copy, sizeof copy, 3);
    assert_true(sum == XXH3_64bits_withSeed(text, sizeof copy, 3));
    assert_true(sum != checksum(copy, sizeof copy, 4)); /* the same bytes in another place */
    assert_true(sum != checksum(copy, sizeof copy - 1, 3));
    for (size_t bit = 0; bit < 8 * sizeof copy; bit++) {
        copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_true(checksum(copy, sizeof copy, 3) != sum);
        copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

/* Of a hash there are 16 bytes, the same on every machine, and whatever hashes keys hashes these. */
static void test_hashes_of_hashes(void **state)
{
    static const unsigned char bytes[HASH_BYTES] = {8,    7,    6,    5,    4,    3,    2,    1,
                                                    0xf8, 0xf7, 0xf6, 0xf5, 0xf4, 0xf3, 0xf2, 0xf1};
    const struct hash128 known = {UINT64_C(0x0102030405060708), UINT64_C(0xf1f2f3f4f5f6f7f8)};
    struct hasher hasher[3] = {{.kind = HASH_XXH3, .seed = 5}, {.kind = HASH_SIPHASH}, {.kind = HASH_AES}};
    struct hash128 in[200], out[200];
    unsigned char got[HASH_BYTES];
    (void)state;
    hash_bytes(known, got);
    assert_memory_equal(got, bytes, HASH_BYTES);
    siphash_start(&hasher[1].prf, text);
    cmac_start(&hasher[2].prf, UF_CPU_SCALAR, text + 16);
    for (size_t i = 0; i < 200; i++)
        memcpy(&in[i], text + 5 * i, sizeof in[i]);
    in[199] = known;
    for (size_t h = 0; h < 3; h++) {
        struct hash_source source = source_nested(&hasher[h], in);
        source.fill(&source, out, 70); /* in two pieces, across its own room */
        source.fill(&source, out + 70, 130);
        for (size_t i = 0; i < 200; i++) {
            struct hash128 one = hash_nested(&hasher[h], in[i]);
            assert_true(one.lo == out[i].lo && one.hi == out[i].hi);
        }
        struct hash128 direct = hash_key(&hasher[h], (uf_key){bytes, HASH_BYTES});
        assert_true(direct.lo == out[199].lo && direct.hi == out[199].hi);
    }
}

/* ---- strings many at a time ---- */

enum { MANY = 64, PAGE = 1 << 16 };

static void check_strings(const struct hasher *hasher, const uf_key *keys, size_t count)
{
    struct hash128 many[MANY];
    for (int in_row = 0; in_row < 2; in_row++) {
        strings_find()(hasher, keys, count, in_row, many);
        for (size_t i = 0; i < count; i++) {
            struct hash128 one = hash_key(hasher, keys[i]);
            assert_true(many[i].lo == one.lo && many[i].hi == one.hi);
        }
    }
}

/* Of one length, and of lengths around it, from the first byte of a page and up to its last one: beside it nobody may
 * read. */
static void test_strings_many_at_a_time(void **state)
{
    struct hasher hasher = {.kind = HASH_XXH3};
    uint64_t random = 9;
    uf_key keys[MANY];
    (void)state;
    if (!strings_find()) {
        print_message("skipped: this machine has no AVX-512\n");
        return;
    }
    unsigned char *map = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *page = map + PAGE;
    assert_true(map != MAP_FAILED && !mprotect(page, PAGE, PROT_READ | PROT_WRITE));
    for (size_t i = 0; i < PAGE; i++)
        page[i] = (unsigned char)next_random(&random);
    for (size_t size = 0; size <= 150; size++)
        for (size_t spread = 1; spread < 64; spread += 20) {
            hasher.seed = next_random(&random);
            for (size_t i = 0; i < MANY; i++) {
                size_t length = size + (size_t)random_below(&random, spread);
                keys[i] = (uf_key){i % 2 ? page : page + PAGE - length, length};
            }
            check_strings(&hasher, keys, MANY - size % 9);
        }
    munmap(map, 3 * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xxh3_is_xxh3),
        cmocka_unit_test(test_xxh3_of_nothing),
        cmocka_unit_test(test_fnv1_vectors),
        cmocka_unit_test(test_every_shape_gives_the_same_hashes),
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_hashes_of_hashes),
        cmocka_unit_test(test_strings_many_at_a_time),
    };
    return cmocka_run_group_tests_name("hash", tests, fill_text, NULL);
}
