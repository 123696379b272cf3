/* SPDX-License-Identifier: MIT */
/*
 * Digests: a copy that is sent digests stays equal, byte for byte, to the filter that is given the keys; also without
 * the key, while it is locked, through growth, refusal and removal.
 */
#include "check.h"
#include "keys.h"
#include "secrets.h"
#include "bytes.h"

enum { KEYS = 1000, HALF = KEYS / 2 };

static const char *const specs[] = {
    "bloom:n=2000,fpr=0.01",
    "blocked:n=100,fpr=0.01,full=scale",
    "keyed(bloom:n=600,fpr=0.01)",
    "keyed(blocked:n=100,fpr=0.01,full=scale,prf=aes)",
    "keyed(blocked:n=300,fpr=0.01,window=3,full=warn)",
    "keyed(counting:n=600,fpr=0.01)",
    "keyed(tombstone:n=2000,fpr=0.01,removed=900)",
    "deletable:n=2000,fpr=0.01",
};

static void assert_equal(const uf_filter *a, const uf_filter *b, const char *spec)
{
    char first[UF_FINGERPRINT_SIZE], second[UF_FINGERPRINT_SIZE];
    assert_status(UF_OK, uf_fingerprint(a, first, NULL), NULL);
    assert_status(UF_OK, uf_fingerprint(b, second, NULL), NULL);
    assert_that(!strcmp(first, second), "%s: the copy differs", spec);
}

/* A copy as another process has it: without the key. */
static uf_filter *send(const uf_filter *filter)
{
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_filter *copy = NULL;
    uf_error why;
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_WITHOUT_KEY, NULL, &copy, &why), &why);
    bytes_free(&file);
    return copy;
}

static void follow(const char *text, const uf_key *keys)
{
    uf_context ctx = secret_context();
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    uf_digest digest[KEYS];
    int8_t verdict[KEYS], again[KEYS];
    uint8_t removed[HALF], likewise[HALF], answers[KEYS], same[KEYS];
    uf_error why;
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, &why), &why);
    uf_filter *copy = send(filter);
    int locked = uf_is_locked(copy);
    assert_int_equal(locked, uf_spec_is_keyed(&spec));
    assert_status(UF_OK, uf_digest_many(filter, keys, KEYS, digest, &why), &why);
    int status = uf_add_many(filter, keys, KEYS, verdict, NULL);
    assert_status(status, uf_add_digests(copy, digest, KEYS, again, &why), &why);
    assert_memory_equal(verdict, again, KEYS);
    assert_equal(filter, copy, text);
    status = uf_remove_many(filter, keys, HALF, removed, NULL);
    assert_status(status, uf_remove_digests(copy, digest, HALF, likewise, &why), &why);
    if (status != UF_EUNSUPPORTED)
        assert_memory_equal(removed, likewise, HALF);
    assert_equal(filter, copy, text);
    assert_int_equal(uf_is_locked(copy), locked);
    assert_int_equal(uf_query(copy, (uf_key){"never added", 11}) || !locked, 1);
    assert_status(UF_OK, uf_query_digests(filter, digest, KEYS, answers, &why), &why);
    assert_status(UF_OK, uf_query_digests(copy, digest, KEYS, same, &why), &why);
    assert_memory_equal(answers, same, KEYS);
    assert_status(UF_OK, uf_query_digests(copy, digest + HALF, 1, same, &why), &why);
    assert_int_equal(answers[HALF], same[0]);
    assert_status(UF_OK, uf_unlock(copy, &ctx, &why), &why);
    for (int i = 0; i < KEYS; i++)
        assert_int_equal(uf_query(filter, keys[i]), uf_query(copy, keys[i]));
    uf_free(filter);
    uf_free(copy);
}

static void test_copies_follow(void **state)
{
    (void)state;
    struct keys keys = keys_make("key", KEYS);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        follow(specs[i], keys.key);
    keys_free(&keys);
}

/* Without the key there is none to be had, and a copy that is not locked is changed in no other way than by them. */
static void test_locked_filters_give_none(void **state)
{
    (void)state;
    uf_context ctx = secret_context();
    uf_spec spec = spec_of("keyed(bloom:n=100,fpr=0.01)");
    uf_filter *filter = NULL;
    uf_digest digest;
    uf_key key = {"alice", 5};
    uf_error why;
    assert_status(UF_OK, uf_build(&spec, &key, 1, &ctx, &filter, &why), &why);
    uf_filter *copy = send(filter);
    assert_refused(UF_EKEY, uf_digest_many(copy, &key, 1, &digest, &why), &why);
    assert_refused(UF_EKEY, uf_insert(copy, key, &why), &why);
    uf_free(filter);
    uf_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies_follow),
                                       cmocka_unit_test(test_locked_filters_give_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
