/* SPDX-License-Identifier: MIT */
/*
 * crypto/aes: the vectors of FIPS 197, libcrypto's AES on random keys and blocks, and the processor's instructions
 * against the portable version. The file is compiled for those instructions where the compiler has them.
 */
#include "aes.h"
#include "aes_inline.h"

#include <openssl/evp.h>

#include "check.h"
#include "random.h"
#include "wire.h"

typedef struct hash128 block_function(const struct aes_key *key, struct hash128 in);

#ifdef AES_INLINE
static struct hash128 in_hardware(const struct aes_key *key, struct hash128 in)
{
    return aes_block(key, in);
}
#endif

/* The ways that this machine has: the portable one, then perhaps another. */
static size_t list_ways(block_function *way[2])
{
    way[0] = aes_block_portable;
#ifdef AES_INLINE
    if (aes_in_hardware()) {
        way[1] = in_hardware;
        return 2;
    }
#endif
    print_message("skipped: no AES instructions here\n");
    return 1;
}

/* A block is the bytes of lo, then of hi, each from its lowest on. */
static struct hash128 block_of(const unsigned char bytes[16])
{
    struct reader reader = {bytes, 16, 0};
    uint64_t lo = read_uint(&reader, 8);
    return (struct hash128){lo, read_uint(&reader, 8)};
}

static struct aes_key key_of(const unsigned char bytes[16])
{
    struct hash128 block = block_of(bytes);
    struct aes_key key;
    aes_expand((const uint64_t[2]){block.lo, block.hi}, &key);
    return key;
}

static int same(struct hash128 a, struct hash128 b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* FIPS 197, appendices B and C.1. */
static void test_known_blocks(void **state)
{
    static const struct {
        unsigned char key[16], plain[16], cipher[16];
    } known[] = {
        {{0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c},
         {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34},
         {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb, 0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32}},
        {{0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f},
         {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff},
         {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a}},
    };
    block_function *way[2];
    size_t ways = list_ways(way);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct aes_key key = key_of(known[i].key);
        for (size_t w = 0; w < ways; w++)
            assert_true(same(way[w](&key, block_of(known[i].plain)), block_of(known[i].cipher)));
    }
}

/* FIPS 197, appendix A.1: the first round key made from the key, and the last. */
static void test_known_round_keys(void **state)
{
    static const unsigned char key_bytes[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                                0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c},
                               first[16] = {0xa0, 0xfa, 0xfe, 0x17, 0x88, 0x54, 0x2c, 0xb1,
                                            0x23, 0xa3, 0x39, 0x39, 0x2a, 0x6c, 0x76, 0x05},
                               last[16] = {0xd0, 0x14, 0xf9, 0xa8, 0xc9, 0xee, 0x25, 0x89,
                                           0xe1, 0x3f, 0x0c, 0xc8, 0xb6, 0x63, 0x0c, 0xa6};
    struct aes_key key = key_of(key_bytes);
    (void)state;
    assert_memory_equal(key.round[0], key_bytes, 16);
    assert_memory_equal(key.round[1], first, 16);
    assert_memory_equal(key.round[10], last, 16);
}

static void random_block(uint64_t *seed, unsigned char out[16])
{
    (void)random_bytes(seed, out, 16);
}

static void test_against_libcrypto(void **state)
{
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    uint64_t seed = 41;
    (void)state;
    assert_non_null(cipher);
    for (int i = 0; i < 1000; i++) {
        unsigned char key_bytes[16], plain[16], expected[16];
        int made = 0;
        random_block(&seed, key_bytes);
        random_block(&seed, plain);
        assert_int_equal(EVP_EncryptInit_ex(cipher, EVP_aes_128_ecb(), NULL, key_bytes, NULL), 1);
        assert_int_equal(EVP_EncryptUpdate(cipher, expected, &made, plain, 16), 1);
        assert_int_equal(made, 16);
        struct aes_key key = key_of(key_bytes);
        assert_true(same(aes_block_portable(&key, block_of(plain)), block_of(expected)));
    }
    EVP_CIPHER_CTX_free(cipher);
}

/* 100 000 blocks, under a new key for every hundred. */
static void test_all_ways_agree(void **state)
{
    block_function *way[2];
    size_t ways = list_ways(way);
    uint64_t seed = 42;
    struct aes_key key = {{{0}}};
    (void)state;
    for (int i = 0; ways > 1 && i < 100000; i++) {
        struct hash128 in = {next_random(&seed), next_random(&seed)};
        if (i % 100 == 0)
            aes_expand((const uint64_t[2]){next_random(&seed), next_random(&seed)}, &key);
        assert_true(same(way[0](&key, in), way[1](&key, in)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_blocks),
        cmocka_unit_test(test_known_round_keys),
        cmocka_unit_test(test_against_libcrypto),
        cmocka_unit_test(test_all_ways_agree),
    };
    return cmocka_run_group_tests_name("aes", tests, NULL, NULL);
}
