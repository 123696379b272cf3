/* SPDX-License-Identifier: MIT */
/* crypto/derive: known values, computed with another implementation of BLAKE2b; labels and contexts that never meet. */
#include "check.h"
#include "derive.h"

static const unsigned char counting[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                           16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* Python: hashlib.blake2b(b"label\0context", digest_size=32, key=bytes(range(32))).digest() */
static const unsigned char known[32] = {0xd4, 0xad, 0x97, 0xa9, 0xa0, 0xf2, 0x5c, 0xa7, 0x94, 0x47, 0x97,
                                        0x25, 0x9f, 0xd1, 0xc6, 0x51, 0xd8, 0x3a, 0x91, 0x26, 0x45, 0x63,
                                        0x15, 0x9f, 0xae, 0x65, 0xa1, 0x24, 0xb8, 0x76, 0xed, 0x31};
static const unsigned char known_unkeyed[32] = {0x1f, 0x48, 0x0f, 0x77, 0x43, 0x5b, 0x7e, 0xe5, 0x61, 0xfa, 0x46,
                                                0xb7, 0xd7, 0x0c, 0xd5, 0x64, 0x3f, 0x26, 0xa4, 0x0f, 0xac, 0xad,
                                                0x1c, 0x31, 0xe5, 0x94, 0x32, 0x3b, 0xf6, 0x78, 0x92, 0xc3};

static void test_known_values(void **state)
{
    unsigned char out[32];
    struct digest digest;
    (void)state;
    derive(counting, "label", "context", 7, out);
    assert_memory_equal(out, known, 32);
    digest_start(&digest, NULL, "label");
    digest_add(&digest, "context", 7);
    digest_end(&digest, out);
    assert_memory_equal(out, known_unkeyed, 32);
}

static void test_pieces_join(void **state)
{
    unsigned char data[1000], whole[32], pieces[32];
    struct digest digest;
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    derive(counting, "pieces", data, sizeof data, whole);
    digest_start(&digest, counting, "pieces");
    for (size_t done = 0, step = 0; done < sizeof data; step++) {
        size_t now = step < sizeof data - done ? step : sizeof data - done;
        digest_add(&digest, data + done, now);
        done += now;
    }
    digest_end(&digest, pieces);
    assert_memory_equal(whole, pieces, 32);
}

/* All pairs differ: another key, another label, another context, and bytes that move from the label to the context. */
static void test_uses_are_apart(void **state)
{
    enum { USES = 7 };
    static const unsigned char zeros[32];
    unsigned char out[USES][32];
    (void)state;
    derive(counting, "noise", "a", 1, out[0]);
    derive(counting, "hash", "a", 1, out[1]);
    derive(counting, "noise", "b", 1, out[2]);
    derive(counting, "noise", NULL, 0, out[3]);
    derive(counting, "noisea", NULL, 0, out[4]);
    derive(counting, "noise", "a\0", 2, out[5]);
    derive(zeros, "noise", "a", 1, out[6]);
    for (size_t i = 0; i < USES; i++)
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(out[i], out[j], 32);
}

static void test_the_state_is_wiped(void **state)
{
    static const struct digest zeros;
    unsigned char out[32];
    struct digest digest;
    (void)state;
    digest_start(&digest, counting, "label");
    assert_memory_not_equal(&digest, &zeros, sizeof zeros);
    digest_end(&digest, out);
    assert_memory_equal(&digest, &zeros, sizeof zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_pieces_join),
        cmocka_unit_test(test_uses_are_apart),
        cmocka_unit_test(test_the_state_is_wiped),
    };
    return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
