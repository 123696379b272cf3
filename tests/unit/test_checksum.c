/* SPDX-License-Identifier: MIT */
/* core/checksum: every way that the machine has gives the same number, for every length up to several stripes of the
 * widest registers, at every alignment, and for a whole chunk; and one bit anywhere changes it. */
#include <stdlib.h>

#include "check.h"
#include "checksum.h"
#include "random.h"

enum { LONGEST = 65536 + 64, LENGTHS = 1400 };

static const char *const names[CHECKSUM_WAYS] = {"what xxhash.h has", "NEON", "AVX2", "AVX-512"};

static unsigned char *some_bytes(void)
{
    static unsigned char bytes[LONGEST];
    uint64_t random = 1;
    for (size_t i = 0; i < LONGEST; i++)
        bytes[i] = (unsigned char)next_random(&random);
    return bytes;
}

static unsigned char copied[LONGEST + 1];

static void compare(const unsigned char *data, size_t bytes, uint64_t salt)
{
    uint64_t want = checksum_find(CHECKSUM_BASE)(data, bytes, salt);
    assert_true(checksum(data, bytes, salt) == want);
    memset(copied, 0, bytes + 1);
    assert_true(checksum_copy(copied, data, bytes, salt) == want);
    assert_true(!memcmp(copied, data, bytes) && !copied[bytes]);
    for (int way = CHECKSUM_BASE + 1; way < CHECKSUM_WAYS; way++)
        if (checksum_find(way))
            assert_that(checksum_find(way)(data, bytes, salt) == want, "%s: another checksum of %zu bytes", names[way],
                        bytes);
}

static void test_ways_agree(void **state)
{
    const unsigned char *data = some_bytes();
    (void)state;
    for (size_t bytes = 0; bytes < LENGTHS; bytes++)
        compare(data + bytes % 64, bytes, bytes % 3);
    for (size_t at = 0; at < 64; at++)
        compare(data + at, 65536, at);
    for (int way = 0; way < CHECKSUM_WAYS; way++)
        if (!checksum_find(way))
            print_message("the checksum with %s is not tested: this machine has none\n", names[way]);
}

/* XXH3-64 of "ultrafilter" and of 65536 bytes of 'a': what files have that were written before. */
static void test_known_numbers(void **state)
{
    unsigned char *data = some_bytes();
    (void)state;
    memset(data, 'a', 65536);
    assert_true(checksum("ultrafilter", 11, 0) == UINT64_C(0x4680dde359ea191e));
    assert_true(checksum(data, 65536, 0) == UINT64_C(0xa961765b4ecbfa5f));
}

static void test_one_bit_is_noticed(void **state)
{
    unsigned char *data = some_bytes();
    uint64_t random = 2, whole = checksum(data, 65536, 7);
    (void)state;
    assert_true(checksum(data, 65536, 8) != whole);
    for (int i = 0; i < 1000; i++) {
        size_t bit = (size_t)random_below(&random, 65536 * 8);
        data[bit / 8] ^= (unsigned char)(1U << bit % 8);
        assert_true(checksum(data, 65536, 7) != whole);
        data[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    assert_true(checksum(data, 65536, 7) == whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_agree),
        cmocka_unit_test(test_known_numbers),
        cmocka_unit_test(test_one_bit_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
