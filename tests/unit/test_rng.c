/* SPDX-License-Identifier: MIT */
/*
 * crypto/rng: a known stream for a known seed, numbers below a bound without bias, and no randomness rather than bad
 * randomness: failures of the system (getrandom is replaced here) and of the caller's callback, and forked children.
 */
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "counting.h"
#include "rng.h"
#include "subjects.h"
#include "wire.h"

static const unsigned char counting_seed[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* openssl enc -aes-256-ctr -K 000102...1f -iv 0 < /dev/zero: bytes 0 to 15, and from 1024 on. */
static const unsigned char first16[16] = {0xf2, 0x90, 0x00, 0xb6, 0x2a, 0x49, 0x9f, 0xd0,
                                          0xa9, 0xf3, 0x9a, 0x6a, 0xdd, 0x2e, 0x77, 0x80};
static const unsigned char at1024[16] = {0x1f, 0xf1, 0x93, 0x41, 0xed, 0xce, 0x8e, 0x0c,
                                         0x8b, 0xb3, 0x43, 0xd7, 0xb7, 0x04, 0x94, 0x23};

static const char *const ways[CTR_WAYS] = {"bitsliced", "AES instructions", "VAES"};

/* Every way to compute it, against libcrypto: counters that carry, and every number of blocks up to three groups. */
static void test_against_libcrypto(void **state)
{
    enum { MOST = 48 };
    static const uint64_t starts[] = {0, 1, 0xfff0, UINT64_C(0xfffffff8), UINT64_C(0xffffffffffff)};
    static const unsigned char zeros[16 * MOST];
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    (void)state;
    assert_non_null(cipher);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        unsigned char iv[16] = {0}, want[16 * MOST], got[MOST + 1][16];
        int made = 0;
        for (int j = 0; j < 8; j++)
            iv[15 - j] = (unsigned char)(starts[i] >> 8 * j);
        assert_int_equal(EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), NULL, counting_seed, iv), 1);
        assert_int_equal(EVP_EncryptUpdate(cipher, want, &made, zeros, sizeof want), 1);
        for (int way = 0; way < CTR_WAYS; way++)
            for (size_t count = 0; count <= MOST && ctr_find(way); count++) {
                struct aes256_key key;
                memset(got, 7, sizeof got);
                aes256_expand(counting_seed, ctr_keys(way), &key);
                ctr_find(way)(&key, starts[i], got, count);
                assert_memory_equal(got, want, 16 * count);
                assert_int_equal(got[count][0], 7); /* nothing behind the last */
            }
    }
    EVP_CIPHER_CTX_free(cipher);
    for (int way = 0; way < CTR_WAYS; way++)
        if (!ctr_find(way))
            print_message("the keystream with %s is not tested: this machine has none\n", ways[way]);
}

static void test_known_bytes(void **state)
{
    unsigned char bytes[1040];
    struct rng rng;
    (void)state;
    assert_status(UF_OK, rng_open_seeded(&rng, counting_seed), NULL);
    assert_status(UF_OK, rng_bytes(&rng, bytes, sizeof bytes), NULL);
    assert_memory_equal(bytes, first16, 16);
    assert_memory_equal(bytes + 1024, at1024, 16);
    rng_close(&rng);
}

/* The same stream as words, read little-endian on every machine. 1024 is past the first buffer. */
static void test_known_words(void **state)
{
    struct rng rng;
    uint64_t word = 0;
    struct reader first = {first16, 16, 0}, later = {at1024, 16, 0};
    (void)state;
    assert_status(UF_OK, rng_open_seeded(&rng, counting_seed), NULL);
    for (size_t i = 0; i <= 129; i++) {
        assert_status(UF_OK, rng_u64(&rng, &word), NULL);
        if (i < 2)
            assert_true(word == read_uint(&first, 8));
        if (i >= 128)
            assert_true(word == read_uint(&later, 8));
    }
    rng_close(&rng);
}

/* In pieces of any size, the stream is the same. */
static void test_pieces_join(void **state)
{
    unsigned char whole[10000], pieces[10000];
    struct rng a, b;
    (void)state;
    assert_status(UF_OK, rng_open_seeded(&a, counting_seed), NULL);
    assert_status(UF_OK, rng_open_seeded(&b, counting_seed), NULL);
    assert_status(UF_OK, rng_bytes(&a, whole, sizeof whole), NULL);
    for (size_t done = 0, step = 0; done < sizeof pieces; step++) {
        size_t now = step < sizeof pieces - done ? step : sizeof pieces - done;
        assert_status(UF_OK, rng_bytes(&b, pieces + done, now), NULL);
        done += now;
    }
    assert_memory_equal(whole, pieces, sizeof whole);
    rng_close(&a);
    rng_close(&b);
}

/* ---- bias ---- */

typedef int draw(struct rng *rng, uint64_t bound, uint64_t *out);

/* The mistake that rng_below does not make. */
static int naive_below(struct rng *rng, uint64_t bound, uint64_t *out)
{
    int status = rng_u64(rng, out);
    *out %= bound;
    return status;
}

/* Pearson's chi-square of 60 000 draws over `cells` equal parts of [0, bound). */
static double chi_square(draw *below, uint64_t bound, uint64_t cells)
{
    enum { DRAWS = 60000 };
    double counts[16] = {0}, sum = 0, expected = (double)DRAWS / (double)cells;
    struct rng rng;
    assert_status(UF_OK, rng_open_seeded(&rng, counting_seed), NULL);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t value;
        assert_status(UF_OK, below(&rng, bound, &value), NULL);
        assert_true(value < bound);
        counts[value / (bound / cells + (bound % cells != 0))]++;
    }
    rng_close(&rng);
    for (uint64_t c = 0; c < cells; c++)
        sum += (counts[c] - expected) * (counts[c] - expected) / expected;
    return sum;
}

/* The 99.9 % points of chi-square with 1, 2, 5 and 9 degrees of freedom are 10.8, 13.8, 20.5 and 27.9. */
static void test_below_is_uniform(void **state)
{
    (void)state;
    assert_true(chi_square(rng_below, 2, 2) < 10.8);
    assert_true(chi_square(rng_below, 3, 3) < 13.8);
    assert_true(chi_square(rng_below, 6, 6) < 20.5);
    assert_true(chi_square(rng_below, 10, 10) < 27.9);
    assert_true(chi_square(rng_below, UINT64_C(3) << 62, 3) < 13.8);
    assert_true(chi_square(rng_below, (UINT64_C(1) << 63) + 2, 2) < 10.8);
}

/* The control: draws that wrap around make the lowest third twice as likely, and the same test sees it. */
static void test_naive_draws_are_rejected(void **state)
{
    (void)state;
    assert_true(chi_square(naive_below, UINT64_C(3) << 62, 3) > 1000);
}

static void test_below_one_and_the_largest(void **state)
{
    struct rng rng;
    uint64_t value = 5;
    (void)state;
    assert_status(UF_OK, rng_open_seeded(&rng, counting_seed), NULL);
    assert_status(UF_OK, rng_below(&rng, 1, &value), NULL);
    assert_int_equal(value, 0);
    assert_status(UF_OK, rng_below(&rng, UINT64_MAX, &value), NULL);
    rng_close(&rng);
}

/* ---- failures ---- */

/* What the system does next, one letter a call: a = all bytes, s = one byte, i = interrupted, f = failed, z = none. */
static const char *script = "";
static size_t script_at;

ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    char step = script[script_at] ? script[script_at++] : 'a';
    (void)flags;
    if (step == 'i' || step == 'f') {
        errno = step == 'i' ? EINTR : ENOSYS;
        return -1;
    }
    size_t given = step == 'a' ? bytes : step == 's';
    memset(out, 0x5a, given);
    return (ssize_t)given;
}

static int open_with(const char *steps)
{
    struct rng rng;
    script = steps;
    script_at = 0;
    int status = rng_open(&rng, NULL);
    if (status == UF_OK)
        rng_close(&rng);
    script = "";
    script_at = 0;
    return status;
}

static void test_system_failures(void **state)
{
    (void)state;
    assert_status(UF_OK, open_with("a"), NULL);
    assert_status(UF_OK, open_with("iia"), NULL);
    assert_status(UF_OK, open_with("sisisia"), NULL);
    assert_status(UF_ERANDOM, open_with("f"), NULL);
    assert_status(UF_ERANDOM, open_with("sssf"), NULL);
    assert_status(UF_ERANDOM, open_with("z"), NULL);
    assert_status(UF_ERANDOM, open_with("sz"), NULL);
}

static int no_random(void *arg, void *out, size_t bytes)
{
    (void)out, (void)bytes;
    ++*(int *)arg;
    return 1;
}

static int fixed_random(void *arg, void *out, size_t bytes)
{
    memset(out, *(int *)arg, bytes);
    return 0;
}

static void test_no_filter_without_randomness(void **state)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    int asked = 0;
    (void)state;
    ctx.random = no_random;
    ctx.random_arg = &asked;
    for (size_t i = 0; uf_kind_name(i); i++) {
        uf_spec spec = simple_spec(uf_kind_name(i));
        uf_filter *filter = (uf_filter *)&counting;
        uf_error why;
        if (uf_spec_set(&spec, "seed", "0x1", NULL) != UF_OK)
            continue; /* this kind draws nothing */
        uf_spec_set(&spec, "seed", NULL, NULL);
        ctx.secret = subject_secret(spec.text);
        asked = 0;
        assert_refused(UF_ERANDOM, uf_build(&spec, &(uf_key){"a", 1}, 1, &ctx, &filter, &why), &why);
        assert_int_equal(asked, 1);
        assert_ptr_equal(filter, &counting);
    }
    assert_true(counting.calls && counting_is_clean(&counting));
}

/* With the seed in the spec nothing is drawn; with the callback's randomness the seed follows from it. */
static void test_seed_comes_from_where_it_should(void **state)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of("bloom:n=1,seed=0x2a"), plan[3];
    int asked = 0, fill[3] = {1, 1, 2};
    (void)state;
    uf_filter *filter;
    ctx.random = no_random;
    ctx.random_arg = &asked;
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, NULL), NULL);
    assert_int_equal(asked, 0);
    uf_free(filter);
    spec = spec_of("bloom:n=1");
    ctx.random = fixed_random;
    for (int i = 0; i < 3; i++) {
        ctx.random_arg = &fill[i];
        assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, NULL), NULL);
        uf_get_plan(filter, &plan[i]);
        uf_free(filter);
    }
    assert_string_equal(plan[0].text, plan[1].text);
    assert_string_not_equal(plan[0].text, plan[2].text);
}

/* In the child every way to draw must be refused, also with words left in the buffer. */
static int child_is_refused(struct rng *rng)
{
    uint64_t word;
    unsigned char byte;
    return rng_u64(rng, &word) == UF_ERANDOM && rng_bytes(rng, &byte, 1) == UF_ERANDOM &&
           rng_below(rng, 10, &word) == UF_ERANDOM;
}

static void test_forked_child_gets_nothing(void **state)
{
    struct rng rng;
    uint64_t word;
    int result;
    (void)state;
    assert_status(UF_OK, rng_open(&rng, NULL), NULL);
    assert_status(UF_OK, rng_u64(&rng, &word), NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        _exit(child_is_refused(&rng) ? 0 : 1);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    assert_status(UF_OK, rng_u64(&rng, &word), NULL); /* the parent goes on */
    rng_close(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_bytes),
        cmocka_unit_test(test_against_libcrypto),
        cmocka_unit_test(test_known_words),
        cmocka_unit_test(test_pieces_join),
        cmocka_unit_test(test_below_is_uniform),
        cmocka_unit_test(test_naive_draws_are_rejected),
        cmocka_unit_test(test_below_one_and_the_largest),
        cmocka_unit_test(test_system_failures),
        cmocka_unit_test(test_no_filter_without_randomness),
        cmocka_unit_test(test_seed_comes_from_where_it_should),
        cmocka_unit_test(test_forked_child_gets_nothing),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
