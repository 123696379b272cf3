/* SPDX-License-Identifier: MIT */
/*
 * Keyed filters: nothing is answered without the key or with another one, whatever is done to the file; no secret byte
 * is in any file; twins need the same key; and what is said about a file without its key is what its owner reads.
 */
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "derive.h"
#include "filter.h"
#include "folder.h"
#include "keying.h"
#include "keys.h"
#include "samples.h"
#include "secrets.h"

static const char *const specs[] = {
    "keyed(bloom:n=1000,fpr=0.01,seed=0x1)",           "keyed(bloom:n=1000,fpr=0.01,seed=0x1,prf=aes)",
    "keyed(blocked:n=1000,fpr=0.01,seed=0x1,prf=aes)", "keyed(ribbon:n=1000,fpr=0.01,seed=0x1)",
    "keyed(dpset:n=1000,epsilon=3,seed=0x1)",          "keyed(ultra:n=1000,epsilon=3,seed=0x1,prf=aes)",
};

enum { SPECS = sizeof specs / sizeof specs[0], KEYS = 1000 };

static uf_context context_with(const uf_secret *secret)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.secret = secret;
    return ctx;
}

static struct bytes file_of(const char *spec, unsigned number)
{
    struct keys keys = keys_make("key", KEYS);
    uf_context ctx = context_with(secret_number(number));
    struct bytes bytes = bytes_of_build(spec, keys.key, keys.count, &ctx);
    keys_free(&keys);
    return bytes;
}

/* ---- no key, no answers ---- */

static void test_building_needs_a_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        uf_spec spec = spec_of(specs[i]);
        uf_filter *filter = NULL;
        uf_builder *builder = NULL;
        uf_error why = {0, 0, ""};
        assert_refused(UF_EKEY, uf_build(&spec, NULL, 0, NULL, &filter, &why), &why);
        assert_refused(UF_EKEY, uf_builder_new(&spec, NULL, &builder, &why), &why);
        assert_true(!filter && !builder);
    }
}

/* Refused with the text, from memory, read and mapped. */
static void check_refused_everywhere(const struct bytes *file, const uf_secret *secret, const char *says)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_context ctx = context_with(secret);
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    file_put_all(path, file->data, file->size);
    assert_refused(UF_EKEY, uf_load_bytes(file->data, file->size, UF_FORMAT_UF, &ctx, &filter, &why), &why);
    assert_that(strstr(why.text, says) != NULL, "'%s' does not say '%s'", why.text, says);
    for (unsigned how = 0; how <= UF_MAP; how += UF_MAP)
        assert_refused(UF_EKEY, uf_load(path, how, &ctx, &filter, &why), &why);
    assert_null(filter);
    folder_remove(&folder);
}

static void test_loading_needs_the_key(void **state)
{
    char id[2][17];
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        uf_secret_id(secret_number(i), id[i]);
    for (size_t i = 0; i < SPECS; i++) {
        struct bytes file = file_of(specs[i], 0);
        check_refused_everywhere(&file, NULL, id[0]);
        check_refused_everywhere(&file, secret_number(1), id[0]);
        check_refused_everywhere(&file, secret_number(1), id[1]);
        bytes_free(&file);
    }
}

static void test_the_right_key_loads(void **state)
{
    struct keys keys = keys_make("key", KEYS);
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        struct bytes file = file_of(specs[i], 0);
        struct counting counting = {0};
        uf_context ctx = counting_context(&counting);
        uf_filter *filter;
        uf_error why;
        ctx.secret = secret_number(0);
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &filter, &why), &why);
        assert_true(keys_found(filter, &keys) >= (strstr(specs[i], "epsilon") ? KEYS * 9 / 10 : KEYS));
        uf_free(filter);
        assert_true(counting_is_clean(&counting)); /* wiped, too */
        bytes_free(&file);
    }
    keys_free(&keys);
}

/* ---- keys by id ---- */

/* A key ring: what was asked, and how often. */
struct ring {
    unsigned keys; /* of secret_number, from 0 on */
    unsigned asked;
    char last[UF_KEY_ID_SIZE];
};

static const uf_secret *from_ring(void *arg, const char *key_id)
{
    struct ring *ring = arg;
    char id[UF_KEY_ID_SIZE];
    ring->asked++;
    (void)snprintf(ring->last, sizeof ring->last, "%s", key_id);
    for (unsigned i = 0; i < ring->keys; i++) {
        uf_secret_id(secret_number(i), id);
        if (!strcmp(id, key_id))
            return secret_number(i);
    }
    return NULL;
}

static const uf_secret *wrong_key(void *arg, const char *key_id)
{
    (void)arg, (void)key_id;
    return secret_number(1);
}

/* Files of two keys, loaded with a ring that has both, with and without a secret at hand. */
static void test_a_ring_of_keys(void **state)
{
    struct keys keys = keys_make("key", KEYS);
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct ring ring = {.keys = 2};
        struct bytes file = file_of(specs[i], i % 2);
        uf_context ctx = context_with(i < 2 ? NULL : secret_number(0));
        uf_filter *filter;
        uf_error why;
        ctx.secret_by_id = from_ring;
        ctx.secret_arg = &ring;
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &filter, &why), &why);
        assert_int_equal(keys_found(filter, &keys), KEYS);
        assert_true(ring.asked > 0 || i == 2); /* the key at hand was the right one */
        assert_true(i != 2 || !ring.asked);
        uf_free(filter);
        bytes_free(&file);
    }
    keys_free(&keys);
}

static void test_a_ring_without_the_key(void **state)
{
    struct ring ring = {.keys = 0};
    struct bytes file = file_of(specs[0], 0);
    uf_context ctx = context_with(NULL);
    uf_filter *filter = NULL;
    char id[UF_KEY_ID_SIZE];
    uf_error why;
    (void)state;
    uf_secret_id(secret_number(0), id);
    ctx.secret_by_id = from_ring;
    ctx.secret_arg = &ring;
    assert_refused(UF_EKEY, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &filter, &why), &why);
    assert_string_equal(ring.last, id);
    assert_non_null(strstr(why.text, id));
    ctx.secret_by_id = wrong_key; /* one that lies */
    assert_refused(UF_EKEY, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &filter, &why), &why);
    assert_null(filter);
    bytes_free(&file);
}

/* Whatever someone writes into the stamp, the hash or the seed, with a checksum that fits: an error, no filter. */
static void test_an_altered_stamp_is_an_error(void **state)
{
    const struct {
        size_t at;
        unsigned char flip;
    } changes[] = {{92, 1}, {99, 128}, {100, 1}, {107, 128}, {56, 1}, {63, 1}, {50, 3 ^ 4}};
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct bytes file = file_of(specs[0], 0); /* 20 bytes of parameters, so the stamp is at 92 */
        file.data[changes[i].at] ^= changes[i].flip;
        reseal_header(file.data);
        check_refused_everywhere(&file, secret_number(0), i < 2 ? "another key" : "altered");
        bytes_free(&file);
    }
}

/* A keyed file that claims to be an unkeyed one has 16 bytes too many, and the other way round too few. */
static void test_a_hash_that_lies_is_an_error(void **state)
{
    static const char *const both[] = {"keyed(bloom:n=10,seed=0x1)", "bloom:n=10,seed=0x1", "dcso:n=10"};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (unsigned char hash = 0; hash < 8; hash++) {
            struct bytes file = sample_of(both[i], 3);
            uf_context ctx = secret_context();
            uf_filter *filter = NULL;
            int same = file.data[50] == hash, prf = !i && hash == HASH_AES;
            file.data[50] = hash;
            reseal_header(file.data);
            int status = uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &filter, NULL);
            assert_int_equal(status, same ? UF_OK : prf ? UF_EKEY : UF_EFORMAT);
            uf_free(filter);
            bytes_free(&file);
        }
}

/* ---- nothing secret in a file ---- */

/* Any eight bytes in a row. */
static void check_absent(const struct bytes *file, const void *secret, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i++)
        assert_null(memmem(file->data, file->size, (const unsigned char *)secret + i, 8));
}

static void test_no_secret_is_in_a_file(void **state)
{
    const uf_secret *secret = secret_number(0);
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        struct bytes file = file_of(specs[i], 0);
        struct hasher hasher = {.kind = strstr(specs[i], "aes") ? HASH_AES : HASH_SIPHASH, .seed = 1};
        unsigned char context[10] = {1, 0, 0, 0, 0, 0, 0, 0, (unsigned char)hasher.kind, 0}, derived[32];
        derive(secret->master, "filter hash", context, sizeof context, derived);
        keying_start(&hasher, UF_CPU_SCALAR, secret);
        check_absent(&file, secret->master, SECRET_BYTES);
        check_absent(&file, secret_lines[0] + 18, 64);
        check_absent(&file, derived, sizeof derived);
        if (hasher.kind == HASH_AES)
            check_absent(&file, hasher.prf.key.round, sizeof hasher.prf.key.round + sizeof hasher.prf.key.last);
        else
            check_absent(&file, hasher.prf.key.word, sizeof hasher.prf.key.word);
        assert_non_null(memmem(file.data, HEADER_BYTES, hasher.stamp.id, 8)); /* the control: this is found */
        assert_non_null(memmem(file.data, HEADER_BYTES, hasher.stamp.check, 8));
        bytes_free(&file);
    }
}

/* The id is public; the rest of what is derived has nothing to do with it. */
static void test_ids(void **state)
{
    char id[2][17];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uf_secret_id(secret_number(i), id[i]);
        assert_int_equal(strlen(id[i]), 16);
        assert_int_equal(strspn(id[i], "0123456789abcdef"), 16);
    }
    assert_string_not_equal(id[0], id[1]);
    assert_string_equal(id[0], "8f0db63f0537dd75"); /* frozen: it is in files */
}

/* ---- twins ---- */

static void test_seeds_and_keys_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct bytes a = file_of(specs[i], 0), b = file_of(specs[i], 0), other = file_of(specs[i], 1);
        assert_true(bytes_equal(&a, &b));
        assert_int_equal(a.size, other.size);
        assert_memory_not_equal(a.data + HEADER_BYTES, other.data + HEADER_BYTES, a.size - HEADER_BYTES);
        bytes_free(&a);
        bytes_free(&b);
        bytes_free(&other);
    }
    /* One key, no seed: a new one each time, so that building anew ends what was found. */
    struct bytes a = file_of("keyed(bloom:n=1000)", 0), b = file_of("keyed(bloom:n=1000)", 0);
    assert_memory_not_equal(a.data + 56, b.data + 56, 8);
    bytes_free(&a);
    bytes_free(&b);
    /* A private filter has another one, too, since it has no label. */
    a = file_of("keyed(dpset:n=1000,epsilon=3)", 0);
    b = file_of("keyed(dpset:n=1000,epsilon=3)", 0);
    assert_false(bytes_equal(&a, &b));
    bytes_free(&a);
    bytes_free(&b);
}

static uf_filter *build_with(const char *text, unsigned number)
{
    struct keys keys = keys_make("key", 100);
    uf_context ctx = context_with(secret_number(number));
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, uf_build(&spec, keys.key, keys.count, &ctx, &filter, &why), &why);
    keys_free(&keys);
    return filter;
}

static void check_merge(const char *a, unsigned key_a, const char *b, unsigned key_b, int want, const char *says)
{
    uf_filter *into = build_with(a, key_a), *from = build_with(b, key_b);
    uf_error why = {0, 0, ""};
    int status = uf_merge(into, from, &why);
    assert_that(status == want && (!says || strstr(why.text, says)), "%s and %s gave %d: %s", a, b, status, why.text);
    uf_free(into);
    uf_free(from);
}

static void test_merging_needs_the_same_key(void **state)
{
    static const char keyed[] = "keyed(bloom:n=100,seed=0x1)", plain[] = "bloom:n=100,seed=0x1";
    static const char aes[] = "keyed(bloom:n=100,seed=0x1,prf=aes)";
    (void)state;
    check_merge(keyed, 0, keyed, 0, UF_OK, NULL);
    check_merge(keyed, 0, keyed, 1, UF_EMISMATCH, "different keys");
    check_merge(keyed, 0, plain, 0, UF_EMISMATCH, NULL);
    check_merge(plain, 0, keyed, 0, UF_EMISMATCH, "keyed");
    check_merge(keyed, 0, aes, 0, UF_EMISMATCH, "prf");
}

/* ---- specs ---- */

static void test_specs(void **state)
{
    static const char *const valid[] = {"keyed(bloom)", "keyed(bloom:n=1e6,fpr=0.01)",
                                        "keyed(blocked:n=1e6,prf=aes,seed=0x1)"};
    static const char *const invalid[] = {
        "keyed",         "keyed(",         "keyed()",      "keyed(bloom",   "keyed(bloom:n=1",   "keyed(bloom:n=1))",
        "keyed(bloom)x", "keyed:bloom",    "Keyed(bloom)", "keyed(dcso)",   "keyed(cuckoo)",     "keyed(bloom:prf=md5)",
        "bloom:prf=aes", "keyed(bloom:)n", "(bloom)",      "keyed (bloom)", "keyed(bloom:n=1,)", "keyed(keyed(bloom))",
        "bloom)",        "bloom:n=(1)"};
    uf_spec spec;
    uf_error why;
    double n;
    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++)
        assert_string_equal(spec_of(valid[i]).text, valid[i]);
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        assert_that(uf_spec_parse(invalid[i], &spec, &why) == UF_EINVAL && why.text[0], "'%s' was taken", invalid[i]);
    assert_refused(UF_EINVAL, uf_spec_parse("keyed(bloom:what=1)", &spec, &why), &why);
    assert_non_null(strstr(why.text, "prf"));
    spec = spec_of("keyed(bloom:n=1000)");
    assert_status(UF_OK, uf_spec_set(&spec, "fpr", "0.5", &why), &why);
    assert_status(UF_OK, uf_spec_set(&spec, "prf", "aes", &why), &why);
    assert_string_equal(spec.text, "keyed(bloom:n=1000,fpr=0.5,prf=aes)");
    assert_status(UF_OK, uf_spec_get(&spec, "n", &n), NULL);
    assert_true(n == 1000);
    assert_status(UF_OK, uf_spec_set(&spec, "prf", NULL, &why), &why);
    assert_status(UF_OK, uf_plan(&spec, &spec, &why), &why);
    assert_non_null(strstr(spec.text, "prf=siphash)"));
}

/* A spec of the greatest length, and one character more. */
static void test_long_specs(void **state)
{
    char text[700];
    uf_spec spec;
    uf_error why;
    (void)state;
    (void)snprintf(text, sizeof text, "keyed(bloom:n=1,fpr=0.%0600d)", 1);
    assert_refused(UF_EINVAL, uf_spec_parse(text, &spec, &why), &why);
}

/* ---- what is said ---- */

static void test_descriptions_need_no_key(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        struct bytes file = file_of(specs[i], 0);
        uf_context ctx = secret_context();
        uf_filter *filter, *locked;
        uf_spec plan[2];
        uf_info info[2];
        uf_claim claim[2];
        uf_error why;
        char id[2][17];
        file_put_all(path, file.data, file.size);
        assert_status(UF_OK, uf_load(path, UF_FORMAT_UF, &ctx, &filter, &why), &why);
        for (unsigned how = 0; how <= UF_MAP; how += UF_MAP) {
            const uf_filter *both[2];
            assert_status(UF_OK, uf_load(path, how | UF_WITHOUT_KEY, NULL, &locked, &why), &why);
            both[0] = filter;
            both[1] = locked;
            for (int j = 0; j < 2; j++) {
                uf_get_plan(both[j], &plan[j]);
                uf_get_info(both[j], &info[j], sizeof info[j]);
                uf_get_claim(both[j], &claim[j], sizeof claim[j]);
                uf_get_key_id(both[j], id[j]);
            }
            assert_string_equal(plan[0].text, plan[1].text);
            assert_int_equal(strncmp(plan[0].text, "keyed(", 6), 0);
            assert_string_equal(id[0], id[1]);
            assert_true(info[0].bits == info[1].bits && claim[0].fpr == claim[1].fpr);
            assert_string_equal(claim[0].adversary, claim[1].adversary);
            uf_free(locked);
        }
        uf_free(filter);
        file.data[HEADER_BYTES] ^= 1;
        file_put_all(path, file.data, file.size);
        assert_refused(UF_EFORMAT, uf_load(path, UF_WITHOUT_KEY, NULL, &locked, &why), &why);
        bytes_free(&file);
    }
    folder_remove(&folder);
}

/* One flag does without the key, and what it gives is locked. */
static void test_no_other_flag_avoids_the_key(void **state)
{
    struct bytes file = file_of(specs[0], 0);
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++) {
        uf_filter *filter = NULL;
        int status = uf_load_bytes(file.data, file.size, 1u << bit, NULL, &filter, NULL);
        assert_true(1u << bit == UF_WITHOUT_KEY ? status == UF_OK && uf_is_locked(filter) : status < 0 && !filter);
        uf_free(filter);
    }
    bytes_free(&file);
}

static void test_claims(void **state)
{
    uf_filter *keyed = build_with(specs[0], 0), *plain = build_with("bloom:n=1000,fpr=0.01,seed=0x1", 0);
    uf_filter *private = build_with(specs[4], 0);
    uf_claim a, b;
    char id[17];
    (void)state;
    uf_get_claim(keyed, &a, sizeof a);
    uf_get_claim(plain, &b, sizeof b);
    assert_true(a.fpr == b.fpr);
    assert_non_null(strstr(a.adversary, "without its key"));
    assert_string_equal(a.proof, "docs/threat-model.md#keyed");
    uf_get_claim(private, &a, sizeof a);
    assert_non_null(strstr(a.proof, "privacy.md"));
    uf_get_key_id(plain, id);
    assert_string_equal(id, "");
    uf_free(keyed);
    uf_free(plain);
    uf_free(private);
}

/* ---- releases ---- */

static void test_a_release_keeps_the_key(void **state)
{
    uf_filter *exact = build_with("keyed(bloom:n=100,bits=1600,k=1,seed=0x1)", 0), *copy = NULL;
    uf_context ctx = secret_context();
    uf_spec how = spec_of("ultra:epsilon=5"), keyed = spec_of("keyed(ultra:epsilon=5)"), plan;
    struct keys keys = keys_make("key", 100);
    uf_error why;
    (void)state;
    assert_refused(UF_EINVAL, uf_release(exact, &keyed, &ctx, &copy, &why), &why);
    assert_status(UF_OK, uf_release(exact, &how, &ctx, &copy, &why), &why);
    assert_true(keys_found(copy, &keys) > 90);
    uf_get_plan(copy, &plan);
    assert_int_equal(strncmp(plan.text, "keyed(ultra", 11), 0);
    struct bytes file = bytes_of(copy, UF_FORMAT_UF);
    check_refused_everywhere(&file, NULL, "is needed");
    bytes_free(&file);
    uf_free(copy);
    uf_free(exact);
    keys_free(&keys);
}

static void test_a_labelled_set_has_one_file(void **state)
{
    uf_context ctx = secret_context();
    uf_spec spec = spec_of("keyed(bloom:fpr=0.01)");
    uf_universe *universe;
    uf_set *set, *released;
    struct bytes file[2];
    (void)state;
    ctx.label = "spring";
    assert_status(UF_OK, uf_universe_parse("range:1-2000", NULL, &universe, NULL), NULL);
    assert_status(UF_OK, uf_set_new(universe, NULL, &set, NULL), NULL);
    assert_status(UF_OK, uf_set_add(set, &(uf_key){"77", 2}, 1, NULL), NULL);
    for (int i = 0; i < 2; i++) {
        uf_filter *filter;
        assert_status(UF_OK, uf_set_release(set, "dime:epsilon=3", &ctx, &released, NULL), NULL);
        assert_status(UF_OK, uf_build_set(&spec, released, &ctx, &filter, NULL), NULL);
        file[i] = bytes_of(filter, UF_FORMAT_UF);
        check_refused_everywhere(&file[i], secret_number(1), "another key"); /* mark and stamp together */
        uf_filter *back;
        assert_status(UF_OK, uf_load_bytes(file[i].data, file[i].size, UF_FORMAT_UF, &ctx, &back, NULL), NULL);
        uf_free(back);
        uf_free(filter);
        uf_set_free(released);
    }
    assert_true(bytes_equal(&file[0], &file[1]));
    bytes_free(&file[0]);
    bytes_free(&file[1]);
    uf_set_free(set);
    uf_universe_free(universe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_building_needs_a_key),
        cmocka_unit_test(test_loading_needs_the_key),
        cmocka_unit_test(test_the_right_key_loads),
        cmocka_unit_test(test_a_ring_of_keys),
        cmocka_unit_test(test_a_ring_without_the_key),
        cmocka_unit_test(test_an_altered_stamp_is_an_error),
        cmocka_unit_test(test_a_hash_that_lies_is_an_error),
        cmocka_unit_test(test_no_secret_is_in_a_file),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_seeds_and_keys_decide),
        cmocka_unit_test(test_merging_needs_the_same_key),
        cmocka_unit_test(test_specs),
        cmocka_unit_test(test_long_specs),
        cmocka_unit_test(test_descriptions_need_no_key),
        cmocka_unit_test(test_no_other_flag_avoids_the_key),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_a_release_keeps_the_key),
        cmocka_unit_test(test_a_labelled_set_has_one_file),
    };
    return cmocka_run_group_tests_name("keyed", tests, NULL, NULL);
}
