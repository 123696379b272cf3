/* SPDX-License-Identifier: MIT */
/*
 * No branch and no address depends on a key, nor on the bits of a filter. valgrind is told that those bytes are
 * undefined and complains about every jump and every access that depends on one; it must not, and its silence is no
 * accident: what came out must be undefined as well, and code that does leak must be noticed.
 *
 * Where a filter is looked at depends on the hash, and so on the key, as in any filter: hashes are taken as public
 * here.
 */
#include <valgrind/memcheck.h>

#include "check.h"
#include "ctr.h"
#include "derive.h"
#include "filter.h"
#include "keying.h"
#include "keys.h"
#include "ribbon.h"
#include "secrets.h"

enum { BATCH = 37, WIDTH = 21 };

static unsigned complaints(void)
{
    return (unsigned)VALGRIND_COUNT_ERRORS;
}

static int is_undefined(const void *data, size_t bytes)
{
    unsigned char bits[1024];
    assert_true(bytes <= sizeof bits && VALGRIND_GET_VBITS(data, bits, bytes) == 1);
    for (size_t i = 0; i < bytes; i++)
        if (bits[i])
            return 1;
    return 0;
}

static void test_valgrind_is_there(void **state)
{
    (void)state;
    assert_that(RUNNING_ON_VALGRIND, "this test means nothing without valgrind: valgrind -q test_constant_time");
}

/* ---- controls: what must be noticed ---- */

/* volatile: a compiler may not read on past the first difference, so it has to branch. */
static int differ_early(const volatile unsigned char *a, const unsigned char *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (a[i] != b[i])
            return 1;
    return 0;
}

static void test_a_branch_is_noticed(void **state)
{
    unsigned char a[2] = {1}, b[2] = {1};
    unsigned before = complaints();
    volatile int differ;
    (void)state;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(a, sizeof a);
    differ = differ_early(a, b, sizeof a);
    (void)differ;
    assert_that(complaints() > before, "a comparison that stops at the first difference was not noticed");
}

static void test_an_address_is_noticed(void **state)
{
    static volatile unsigned char table[256];
    unsigned char secret = 7;
    unsigned before = complaints();
    volatile unsigned char looked_up;
    (void)state;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(&secret, 1);
    looked_up = table[secret];
    (void)looked_up;
    assert_that(complaints() > before, "a look into a table at a secret place was not noticed");
}

/* ---- the PRFs ---- */

static void check_prf(const struct prf *prf, const char *name)
{
    static unsigned char text[BATCH * WIDTH];
    struct hash128 one, many[BATCH], fixed[BATCH];
    uf_key keys[BATCH];
    unsigned before = complaints();
    for (size_t i = 0; i < BATCH; i++)
        keys[i] = (uf_key){text, i};
    one = prf->calls->one(&prf->key, keys[3]);
    prf->calls->keys(&prf->key, keys, BATCH, many);
    prf->calls->fixed(&prf->key, text, WIDTH, BATCH, fixed);
    assert_that(complaints() == before, "%s: valgrind complained %u times", name, complaints() - before);
    assert_that(is_undefined(&one, sizeof one), "%s: the hash of one key does not depend on the secret", name);
    assert_that(is_undefined(many, sizeof many), "%s: the hashes of keys do not depend on the secret", name);
    assert_that(is_undefined(fixed, sizeof fixed), "%s: the hashes of fixed keys do not depend on the secret", name);
}

static void test_prfs(void **state)
{
    unsigned char secret[PRF_KEY_BYTES] = {1, 2, 3};
    unsigned before = complaints();
    struct prf prf;
    (void)state;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof secret);
    siphash_start(&prf, secret);
    check_prf(&prf, "SipHash");
    cmac_start(&prf, UF_CPU_SCALAR, secret);
    check_prf(&prf, "AES-CMAC, portable");
    cmac_start(&prf, UF_CPU_AUTO, secret);
    check_prf(&prf, "AES-CMAC on this machine");
    assert_int_equal(complaints(), before);
}

/* ---- the keystream ---- */

static void test_keystream(void **state)
{
    static const unsigned char key[32] = {1, 2, 3};
    unsigned before = complaints();
    struct aes256_key sliced;
    unsigned char blocks[11][16], bytes[37], secret[32];
    struct ctr ctr;
    (void)state;
    memcpy(secret, key, sizeof secret);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof secret);
    aes256_expand(secret, AES_BITSLICED, &sliced);
    ctr_bitsliced(&sliced, 0, blocks, 11);
    ctr_start(&ctr, secret);
    ctr_bytes(&ctr, bytes, sizeof bytes);
    assert_that(complaints() == before, "valgrind complained %u times", complaints() - before);
    assert_true(is_undefined(blocks, sizeof blocks) && is_undefined(bytes, sizeof bytes));
}

/* ---- from the master key to hashes ---- */

static void check_keying(enum hash_kind kind)
{
    struct uf_secret secret = {{9}};
    struct hasher hasher = {.kind = kind, .seed = 5}, other = {.kind = kind, .seed = 6};
    unsigned before = complaints();
    (void)VALGRIND_MAKE_MEM_UNDEFINED(&secret, sizeof secret);
    keying_start(&hasher, UF_CPU_AUTO, &secret);
    keying_start(&other, UF_CPU_AUTO, &secret);
    struct hash128 hash = hash_key(&hasher, (uf_key){"key", 3});
    int same = keying_same(&hasher.stamp, &other.stamp);
    assert_that(complaints() == before, "valgrind complained %u times", complaints() - before);
    assert_true(is_undefined(&hash, sizeof hash));
    assert_true(is_undefined(&same, sizeof same));
}

static void test_keying(void **state)
{
    (void)state;
    check_keying(HASH_SIPHASH);
    check_keying(HASH_AES);
}

/* ---- the bits of a filter ---- */

enum { KEYS = 300, ASKED = 70 };

/* A ribbon starts with a table of where its shards are, which is no secret. */
static void hide_bits(uf_filter *filter)
{
    size_t table = strcmp(filter->ops->name, "ribbon") ? 0 : RIBBON_TABLE_WORDS;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(filter->words + table, (filter->word_count - table) * sizeof *filter->words);
}

/* Asks for members and others, with every bit of the filter undefined. How often valgrind complained. */
static unsigned ask(const char *text, int early_exit)
{
    struct keys keys = keys_make("key", KEYS + ASKED);
    uf_context ctx = secret_context();
    uf_spec spec = spec_of(text);
    uf_filter *filter;
    uint8_t found[2 * ASKED];
    assert_status(UF_OK, uf_build(&spec, keys.key, KEYS, &ctx, &filter, NULL), NULL);
    if (early_exit)
        assert_status(UF_OK, uf_tune(filter, UF_KNOB_EARLY_EXIT, 1), NULL);
    hide_bits(filter);
    unsigned before = complaints();
    uf_query_many(filter, keys.key + KEYS - ASKED, sizeof found, found);
    int one = uf_query(filter, keys.key[0]);
    unsigned after = complaints();
    assert_true(early_exit || (is_undefined(found, sizeof found) && is_undefined(&one, sizeof one)));
    uf_free(filter);
    keys_free(&keys);
    return after - before;
}

static void test_bits(void **state)
{
    static const char *const specs[] = {
        "keyed(bloom:n=300,fpr=0.01)",          "keyed(bloom:n=300,fpr=0.0001,prf=aes)",
        "keyed(blocked:n=300,fpr=0.01)",        "keyed(blocked:n=300,fpr=0.00001,prf=aes)",
        "keyed(ribbon:n=300,fpr=0.01,prf=aes)", "bloom:n=300,fpr=0.01",
    };
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        assert_that(!ask(specs[i], 0), "%s: an answer took a way that depends on the filter's bits", specs[i]);
}

static void test_an_early_exit_is_noticed(void **state)
{
    (void)state;
    assert_that(ask("keyed(bloom:n=300,fpr=0.01)", 1), "leaving early was not noticed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valgrind_is_there),
        cmocka_unit_test(test_a_branch_is_noticed),
        cmocka_unit_test(test_an_address_is_noticed),
        cmocka_unit_test(test_prfs),
        cmocka_unit_test(test_keystream),
        cmocka_unit_test(test_keying),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_an_early_exit_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
