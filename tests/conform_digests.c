/* SPDX-License-Identifier: MIT */
/* Digests, for every kind through the public header only: a filter does with the digest of a key what it does with the
 * key, or says that it cannot. */
#include "bytes.h"
#include "check.h"
#include "keys.h"
#include "subjects.h"

enum { N = 300, ALL = 2 * N };

static uf_filter *built(const struct subject *subject, const struct keys *keys)
{
    return build(with(subject, "n=%d", ALL), keys->key, N, NULL);
}

/* Where no machine would put them by itself. */
struct odd {
    char before;
    uf_digest digest[ALL + 1];
};

static void digest_all(const uf_filter *filter, const struct keys *keys, struct odd *out)
{
    uf_error why;
    memset(out, 0xa5, sizeof *out);
    assert_status(UF_OK, uf_digest_many(filter, keys->key, ALL, out->digest, &why), &why);
    assert_int_equal(out->digest[ALL].bytes[0], 0xa5); /* nothing is written behind the last */
}

static void check_queries(const struct subject *subject)
{
    struct keys keys = keys_make("key", ALL);
    uf_filter *filter = built(subject, &keys), *twin = built(subject, &keys);
    struct odd odd, again;
    uint8_t want[ALL], got[ALL + 1];
    uf_error why;
    if (!kind_is_learned(subject->kind)) {
        digest_all(filter, &keys, &odd);
        digest_all(twin, &keys, &again);
        assert_memory_equal(&odd, &again, sizeof odd);
        uf_query_many(filter, keys.key, ALL, want);
        for (size_t count = 0; count <= ALL; count += 1 + count / 2) {
            got[count] = 7;
            assert_status(UF_OK, uf_query_digests(filter, odd.digest, count, got, &why), &why);
            assert_memory_equal(want, got, count);
            assert_int_equal(got[count], 7);
        }
        for (size_t i = 1; i < ALL; i++) {
            uf_digest one;
            assert_status(UF_OK, uf_digest_many(filter, &keys.key[i], 1, &one, &why), &why);
            assert_memory_equal(&one, &odd.digest[i], sizeof one);
            assert_memory_not_equal(&one, &odd.digest[0], sizeof one);
        }
    }
    uf_free(filter);
    uf_free(twin);
    keys_free(&keys);
}

static void check_changes(const struct subject *subject)
{
    struct keys keys = keys_make("key", ALL);
    uf_filter *by_key = built(subject, &keys), *by_digest = built(subject, &keys);
    struct odd odd;
    int8_t want[ALL], got[ALL];
    uint8_t out[N], out_too[N];
    uf_error why;
    if (!kind_is_learned(subject->kind) && uf_insert_many(by_key, NULL, 0, NULL) == UF_OK) {
        digest_all(by_key, &keys, &odd);
        int status = uf_add_many(by_key, keys.key, ALL - 1, want, NULL);
        assert_status(status, uf_add_digests(by_digest, odd.digest, ALL - 1, got, &why), &why);
        assert_memory_equal(want, got, ALL - 1);
        int last = uf_add(by_key, keys.key[ALL - 1], NULL);
        assert_status(last < 0 ? last : UF_OK, uf_add_digests(by_digest, odd.digest + ALL - 1, 1, got, &why), &why);
        assert_int_equal(last, got[0]);
        (void)uf_insert_many(by_key, keys.key, 9, NULL);
        (void)uf_add_digests(by_digest, odd.digest, 9, NULL, NULL); /* nobody asks */
        assert_same_bytes(by_key, by_digest, "keys added, and their digests");
        status = uf_remove_many(by_key, keys.key, N, out, NULL);
        assert_status(status, uf_remove_digests(by_digest, odd.digest, N, out_too, &why), &why);
        assert_true(status == UF_EUNSUPPORTED || !memcmp(out, out_too, N));
        assert_same_bytes(by_key, by_digest, "keys removed, and their digests");
    }
    uf_free(by_key);
    uf_free(by_digest);
    keys_free(&keys);
}

static void refuse_all(uf_filter *filter, const uf_key *key)
{
    uf_digest digest = {{7}};
    uint8_t answer = 7;
    int8_t verdict = 7;
    uf_error why;
    assert_refused(UF_EUNSUPPORTED, uf_digest_many(filter, key, 1, &digest, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_query_digests(filter, &digest, 1, &answer, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_add_digests(filter, &digest, 1, &verdict, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_remove_digests(filter, &digest, 1, &answer, &why), &why);
    assert_true(digest.bytes[0] == 7 && answer == 7 && verdict == 7);
}

/* Digests of members and of others, made with the key. */
static void answer_locked(const uf_filter *filter, const uf_filter *locked, const struct keys *keys)
{
    uf_digest digest[ALL];
    uint8_t open[ALL], closed[ALL];
    uf_error why;
    assert_refused(UF_EKEY, uf_digest_many(locked, keys->key, 1, digest, &why), &why);
    assert_status(UF_OK, uf_digest_many(filter, keys->key, ALL, digest, &why), &why);
    assert_status(UF_OK, uf_query_digests(filter, digest, ALL, open, &why), &why);
    assert_status(UF_OK, uf_query_digests(locked, digest, ALL, closed, &why), &why);
    assert_memory_equal(open, closed, ALL);
    assert_status(UF_OK, uf_query_digests(locked, digest + ALL - 1, 1, closed, &why), &why);
    assert_int_equal(open[ALL - 1], closed[0]);
}

/* Learned filters look at keys; those without their key know no hash, but answer to digests, and take them
 * (unit_digests). */
static void check_refusals(const struct subject *subject)
{
    struct keys keys = keys_make("key", ALL);
    uf_filter *filter = built(subject, &keys), *locked;
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_error why;
    assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_WITHOUT_KEY, NULL, &locked, &why), &why);
    if (kind_is_learned(subject->kind))
        refuse_all(filter, keys.key);
    else if (uf_is_locked(locked))
        answer_locked(filter, locked, &keys);
    bytes_free(&bytes);
    uf_free(locked);
    uf_free(filter);
    keys_free(&keys);
}

int main(void)
{
    const struct check checks[] = {
        {"answers to digests are those to keys", check_queries},
        {"digests are added and removed as keys are", check_changes},
        {"filters that look at keys, or lack theirs, say so", check_refusals},
    };
    return subjects_run("conform_digests", checks, sizeof checks / sizeof checks[0]);
}
