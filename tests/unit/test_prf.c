/* SPDX-License-Identifier: MIT */
/*
 * crypto/prf: SipHash-2-4-128 and AES-CMAC against published vectors and against libsodium and libcrypto, on every path
 * of this machine, and the same from keys in every shape.
 */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <sodium/crypto_shorthash_siphash24.h>

#include "check.h"
#include "hash.h"
#include "random.h"
#include "wire.h"

enum { LONGEST = 300 };

static unsigned char text[LONGEST + 16];

static int fill_text(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)next_random(&seed);
    return 0;
}

static void bytes_of_hash(struct hash128 hash, unsigned char out[16])
{
    struct writer writer = {out, 16, 0};
    write_uint(&writer, hash.lo, 8);
    write_uint(&writer, hash.hi, 8);
}

static void unhex(const char *hex, unsigned char *out)
{
    for (; *hex; hex += 2) {
        unsigned byte;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        *out++ = (unsigned char)byte;
    }
}

static void check_one(const struct prf *prf, const void *data, size_t size, const unsigned char want[16])
{
    unsigned char got[16];
    bytes_of_hash(prf->calls->one(&prf->key, (uf_key){data, size}), got);
    assert_memory_equal(got, want, 16);
}

/* ---- SipHash ---- */

/* From the authors' vectors for 128 bits: key 00 01 ... 0f, input 00 01 ... */
static void test_siphash_vectors(void **state)
{
    static const struct {
        size_t size;
        const char *out;
    } vectors[] = {
        {0, "a3817f04ba25a8e66df67214c7550293"}, {1, "da87c1d86b99af44347659119b22fc45"},
        {2, "8177228da4a45dc7fca38bdef60affe4"}, {7, "a1f1ebbed8dbc153c0b84aa61ff08239"},
        {8, "3b62a9ba6258f5610f83e264f31497b4"}, {15, "5493e99933b0a8117e08ec0f97cfc3d9"},
    };
    unsigned char key[16], input[64], want[16];
    struct prf prf;
    (void)state;
    for (unsigned char i = 0; i < 64; i++)
        input[i] = i;
    memcpy(key, input, sizeof key);
    siphash_start(&prf, key);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        unhex(vectors[i].out, want);
        check_one(&prf, input, vectors[i].size, want);
    }
}

static void test_siphash_is_that_of_libsodium(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int round = 0; round < (test_small() ? 3 : 20); round++) {
        unsigned char key[16], want[16];
        struct prf prf;
        (void)random_bytes(&seed, key, sizeof key);
        siphash_start(&prf, key);
        for (size_t size = 0; size <= LONGEST; size++) {
            (void)crypto_shorthash_siphashx24(want, text + round % 16, size, key);
            check_one(&prf, text + round % 16, size, want);
        }
    }
}

/* ---- AES-CMAC ---- */

/* The ways to compute it that this machine has. */
static size_t start_all(struct prf prf[2], const unsigned char key[16])
{
    cmac_start(&prf[0], UF_CPU_SCALAR, key);
    cmac_start(&prf[1], UF_CPU_AUTO, key);
    assert_ptr_equal(prf[0].calls, &cmac_bitsliced);
    if (prf[1].calls != &cmac_bitsliced)
        return 2;
    print_message("skipped: this machine has no instructions for AES\n");
    return 1;
}

static void test_cmac_vectors(void **state)
{
    static const struct {
        size_t size;
        const char *out;
    } vectors[] = {
        {0, "bb1d6929e95937287fa37d129b756746"},
        {16, "070a16b46b4d4144f79bdd9dd04a287c"},
        {40, "dfa66747de9ae63030ca32611497c827"},
        {64, "51f0bebf7e3b9d92fc49741779363cfe"},
    };
    unsigned char key[16], message[64], want[16];
    struct prf prf[2];
    (void)state;
    unhex("2b7e151628aed2a6abf7158809cf4f3c", key);
    unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
          "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
          message);
    size_t ways = start_all(prf, key);
    for (size_t w = 0; w < ways; w++)
        for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
            unhex(vectors[i].out, want);
            check_one(&prf[w], message, vectors[i].size, want);
        }
    unhex("fbeed618357133667c85e08f7236a8de", want);
    assert_memory_equal(prf[0].key.last[0], want, 16);
    unhex("f7ddac306ae266ccf90bc11ee46d513b", want);
    assert_memory_equal(prf[0].key.last[1], want, 16);
}

static void cmac_of_libcrypto(EVP_MAC_CTX *mac, const unsigned char key[16], const void *data, size_t size,
                              unsigned char out[16])
{
    char cipher[] = "AES-128-CBC";
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
                                 OSSL_PARAM_construct_end()};
    size_t made;
    assert_int_equal(EVP_MAC_init(mac, key, 16, params), 1);
    assert_int_equal(EVP_MAC_update(mac, data, size), 1);
    assert_int_equal(EVP_MAC_final(mac, out, &made, 16), 1);
    assert_int_equal(made, 16);
}

static void test_cmac_is_that_of_libcrypto(void **state)
{
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "CMAC", NULL);
    EVP_MAC_CTX *mac = EVP_MAC_CTX_new(algorithm);
    uint64_t seed = 4;
    (void)state;
    assert_non_null(mac);
    for (int round = 0; round < (test_small() ? 3 : 20); round++) {
        unsigned char key[16], want[16];
        struct prf prf[2];
        (void)random_bytes(&seed, key, sizeof key);
        size_t ways = start_all(prf, key);
        for (size_t size = 0; size <= LONGEST; size++) {
            cmac_of_libcrypto(mac, key, text + round % 16, size, want);
            for (size_t w = 0; w < ways; w++)
                check_one(&prf[w], text + round % 16, size, want);
        }
    }
    EVP_MAC_CTX_free(mac);
    EVP_MAC_free(algorithm);
}

/* ---- many keys at once ---- */

enum { MANY = 75 };

/* From a block of exactly its size, so that a sanitizer sees a read past it. */
static void check_fixed(const struct prf *prf, size_t width)
{
    struct hash128 got[MANY + 1];
    for (size_t count = 0; count <= MANY; count += 1 + count / 20) {
        unsigned char *packed = malloc(width * count + 1);
        uint64_t seed = width;
        assert_non_null(packed);
        (void)random_bytes(&seed, packed + 1, width * count);
        memset(got, 7, sizeof got);
        prf->calls->fixed(&prf->key, packed + 1, width, count, got);
        for (size_t i = 0; i < count; i++) {
            struct hash128 want = prf->calls->one(&prf->key, (uf_key){packed + 1 + i * width, width});
            assert_that(want.lo == got[i].lo && want.hi == got[i].hi, "key %zu of %zu, %zu bytes", i, count, width);
        }
        assert_int_equal(got[count].lo, UINT64_C(0x0707070707070707)); /* nothing behind the last */
        free(packed);
    }
}

/* Keys of every length, in an order that leaves lanes idle and refills them. */
static void check_mixed(const struct prf *prf, uint64_t *seed)
{
    uf_key keys[MANY];
    struct hash128 got[MANY + 1];
    for (size_t count = 0; count <= MANY; count++) {
        size_t longest = 1 + (size_t)random_below(seed, 150);
        for (size_t i = 0; i < count; i++) {
            keys[i].size = (size_t)random_below(seed, longest);
            unsigned char *copy = malloc(keys[i].size + 1);
            assert_non_null(copy);
            memcpy(copy, text, keys[i].size);
            keys[i].data = copy;
        }
        memset(got, 7, sizeof got);
        prf->calls->keys(&prf->key, keys, count, got);
        for (size_t i = 0; i < count; i++) {
            struct hash128 want = prf->calls->one(&prf->key, keys[i]);
            assert_that(want.lo == got[i].lo && want.hi == got[i].hi, "key %zu of %zu, %zu bytes", i, count,
                        keys[i].size);
            free((void *)(uintptr_t)keys[i].data);
        }
        assert_int_equal(got[count].lo, UINT64_C(0x0707070707070707));
    }
}

static void test_many_at_once(void **state)
{
    struct prf prf[3];
    uint64_t seed = 6;
    (void)state;
    siphash_start(&prf[2], text);
    size_t ways = start_all(prf, text);
    for (size_t w = 0; w < 3; w++) {
        if (w == 1 && ways == 1)
            continue;
        for (size_t width = 0; width <= 70; width += test_small() && width >= 18 ? 23 : 1) /* 0 to 18, 41, 64 */
            check_fixed(&prf[w], width);
        for (int round = 0; round < 5; round++)
            check_mixed(&prf[w], &seed);
    }
}

/* The hasher hands keys of every shape to the PRF, and a key without bytes may have no address. */
static void test_through_a_hasher(void **state)
{
    static const enum hash_kind kinds[] = {HASH_SIPHASH, HASH_AES};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct hasher hasher = {.kind = kinds[k]};
        uf_key keys[3] = {{text, 8}, {NULL, 0}, {text + 8, 8}};
        struct hash128 out[3], fixed[2];
        if (kinds[k] == HASH_AES)
            cmac_start(&hasher.prf, UF_CPU_AUTO, text);
        else
            siphash_start(&hasher.prf, text);
        struct hash_source of_keys = source_of_keys(&hasher, keys), of_fixed = source_of_fixed(&hasher, text, 8);
        assert_true(of_keys.words == WORDS_NONE && of_fixed.words != WORDS_XXH3);
        of_keys.fill(&of_keys, out, 2);
        of_keys.fill(&of_keys, out + 2, 1);
        of_fixed.fill(&of_fixed, fixed, 2);
        for (size_t i = 0; i < 3; i++) {
            struct hash128 want = hash_key(&hasher, keys[i]);
            assert_true(want.lo == out[i].lo && want.hi == out[i].hi);
        }
        assert_true(fixed[0].lo == out[0].lo && fixed[1].hi == out[2].hi);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_siphash_vectors), cmocka_unit_test(test_siphash_is_that_of_libsodium),
        cmocka_unit_test(test_cmac_vectors),    cmocka_unit_test(test_cmac_is_that_of_libcrypto),
        cmocka_unit_test(test_many_at_once),    cmocka_unit_test(test_through_a_hasher),
    };
    return cmocka_run_group_tests_name("prf", tests, fill_text, NULL);
}
