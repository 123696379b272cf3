/* SPDX-License-Identifier: MIT */
/* Parts of blocked filters: where keys belong, and that all parts together are the whole, byte for byte. */
#include "arith.h"
#include "bytes.h"
#include "check.h"
#include "keys.h"
#include "random.h"
#include "secrets.h"

enum { KEYS = 3000, MOST_PARTS = 100 };

static uf_context context(void)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.secret = secret_number(0);
    return ctx;
}

__attribute__((format(printf, 1, 2))) static uf_spec spec_for(const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return spec_of(text);
}

static uf_filter *built(const uf_spec *spec, const uf_key *keys, size_t count, unsigned threads)
{
    uf_context ctx = context();
    uf_filter *filter = NULL;
    uf_error why;
    ctx.threads = threads;
    assert_status(UF_OK, uf_build(spec, keys, count, &ctx, &filter, &why), &why);
    return filter;
}

static void assert_same(const uf_filter *a, const uf_filter *b)
{
    struct bytes one = bytes_of(a, UF_FORMAT_UF), two = bytes_of(b, UF_FORMAT_UF);
    assert_true(bytes_equal(&one, &two));
    bytes_free(&one);
    bytes_free(&two);
}

/* ---- where a key belongs ---- */

static void check_place(uint64_t hi, uint64_t parts, uint64_t blocks)
{
    uint64_t part = mul_high(hi, parts), inside = mul_high(hi * parts, blocks);
    assert_true(part < parts && inside < blocks);
    assert_true(mul_high(hi, parts * blocks) == part * blocks + inside);
}

/* Many of any, and the edges of parts, where rounding would show. */
static void test_arithmetic(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < 200000; i++) {
        uint64_t parts = 1 + random_below(&seed, 65536), blocks = 1 + random_below(&seed, UINT64_C(1) << 20), hi;
        (void)random_bytes(&seed, (unsigned char *)&hi, sizeof hi);
        check_place(hi, parts, blocks);
        uint64_t edge = UINT64_MAX / parts * (1 + random_below(&seed, parts));
        for (uint64_t near = edge - 2; near != edge + 3; near++)
            check_place(near, parts, blocks);
    }
    check_place(0, 65536, 1);
    check_place(UINT64_MAX, 65536, UINT64_C(1) << 20);
}

/* ---- all parts are the whole ---- */

static const char *const wholes[] = {
    "blocked:n=3000,fpr=0.01,seed=0x5",
    "blocked:n=3000,fpr=1e-6,k=16,seed=0x6",
    "blocked:n=3000,fpr=0.01,full=refuse,seed=0x7",
    "keyed(blocked:n=3000,fpr=0.01,seed=0x8)",
    "keyed(blocked:n=3000,fpr=0.001,prf=aes,full=warn,seed=0x9)",
    "blocked:n=3000,fpr=0.01,seed=derived",
    "blocked:fpr=0.01,seed=0xa", /* n is the number of all keys, those of other parts among them */
};

enum { WHOLES = sizeof wholes / sizeof wholes[0] };

static uf_spec with_param(const char *text, const char *name, const char *format, ...)
{
    uf_spec spec = spec_of(text);
    char value[32];
    uf_error why;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(value, sizeof value, format, args);
    va_end(args);
    assert_status(UF_OK, uf_spec_set(&spec, name, value, &why), &why);
    return spec;
}

/* Built from all keys, and filled one by one: each key is in its own part, and the others refuse it. */
static uf_filter *filled(const uf_spec *spec, const struct keys *keys)
{
    uf_filter *filter = built(spec, NULL, 0, 1);
    int8_t verdict[KEYS];
    uf_error why;
    int status = uf_add_many(filter, keys->key, KEYS / 2, verdict, &why);
    assert_true(status == UF_OK || status == UF_EPART);
    for (size_t i = KEYS / 2; i < KEYS; i++)
        verdict[i] = (int8_t)uf_add(filter, keys->key[i], &why);
    for (size_t i = 0; i < KEYS; i++) {
        assert_true(verdict[i] >= 0 || verdict[i] == UF_EPART);
        assert_true(uf_query(filter, keys->key[i]) == (verdict[i] >= 0));
    }
    return filter;
}

static void check_whole(const char *text, unsigned count)
{
    struct keys keys = keys_make("key", KEYS);
    uf_spec spec = with_param(text, "parts", "%u", count);
    uf_filter *whole = built(&spec, keys.key, KEYS, 1), *part[MOST_PARTS], *joined, *cut;
    uf_context ctx = context();
    uint8_t found[KEYS] = {0}, answers[KEYS];
    uf_error why;
    for (unsigned p = 0; p < count; p++) {
        unsigned at = (p * 7 + 3) % count; /* 7 is prime to every count here: each part once, in another order */
        spec = with_param(text, "part", "%u/%u", at, count);
        part[p] = built(&spec, keys.key, KEYS, 1 + p % 3);
        uf_query_many(part[p], keys.key, KEYS, answers);
        for (size_t i = 0; i < KEYS; i++)
            found[i] = (uint8_t)(found[i] + answers[i]);
        assert_status(UF_OK, uf_split(whole, count, at, &ctx, &cut, &why), &why);
        struct bytes one = bytes_of(cut, UF_FORMAT_UF), two = bytes_of(part[p], UF_FORMAT_UF);
        assert_true(one.size == two.size && !memcmp(one.data + 4096, two.data + 4096, one.size - 4096));
        bytes_free(&one);
        bytes_free(&two);
        uf_free(cut);
    }
    for (size_t i = 0; i < KEYS; i++)
        assert_int_equal(found[i], 1); /* one part has it, the others say no */
    assert_status(UF_OK, uf_join((const uf_filter *const *)part, count, &ctx, &joined, &why), &why);
    assert_same(whole, joined);
    for (unsigned p = 0; p < count; p++)
        uf_free(part[p]);
    uf_free(joined);
    uf_free(whole);
    keys_free(&keys);
}

static void test_whole(void **state)
{
    static const unsigned counts[] = {1, 2, 3, 16, MOST_PARTS};
    (void)state;
    for (size_t w = 0; w < WHOLES; w++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            check_whole(wholes[w], counts[c]);
}

/* Splitting and joining again loses nothing, the count of one that refuses included. */
static void test_round_trip(void **state)
{
    enum { PARTS = 16 };
    struct keys keys = keys_make("key", KEYS);
    uf_context ctx = context();
    uf_filter *part[PARTS], *joined, *one_by_one[PARTS];
    uf_error why;
    (void)state;
    for (size_t w = 0; w < WHOLES; w++) {
        uf_spec spec = with_param(wholes[w], "parts", "%d", PARTS);
        uf_filter *whole = built(&spec, keys.key, KEYS, 1);
        if (!strstr(wholes[w], "n=3000")) {
            uf_free(whole);
            continue;
        }
        for (unsigned p = 0; p < PARTS; p++) {
            assert_status(UF_OK, uf_split(whole, PARTS, p, &ctx, &part[p], &why), &why);
            spec = with_param(wholes[w], "part", "%u/%d", p, PARTS);
            one_by_one[p] = filled(&spec, &keys);
        }
        assert_status(UF_OK, uf_join((const uf_filter *const *)part, PARTS, &ctx, &joined, &why), &why);
        assert_same(whole, joined);
        uf_free(joined);
        assert_status(UF_OK, uf_join((const uf_filter *const *)one_by_one, PARTS, &ctx, &joined, &why), &why);
        for (size_t i = 0; i < KEYS; i++)
            assert_int_equal(uf_query(joined, keys.key[i]), 1);
        for (unsigned p = 0; p < PARTS; p++) {
            uf_free(part[p]);
            uf_free(one_by_one[p]);
        }
        uf_free(joined);
        uf_free(whole);
    }
    keys_free(&keys);
}

/* ---- how full a part gets ---- */

/* n keys that nobody chose fit into all parts, of which some get more than n/N; keys that all belong to one do not. */
static void test_refuse(void **state)
{
    enum { PARTS = 10, SEEDS = 20, N = 1000, MANY = 40000 };
    struct keys keys = keys_make("key", MANY);
    (void)state;
    unsigned above = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        for (unsigned p = 0; p < PARTS; p++) {
            uf_spec spec = spec_for("blocked:n=%d,fpr=0.01,full=refuse,seed=0x%x,part=%u/%d", N, seed, p, PARTS);
            uf_filter *part = built(&spec, keys.key, N, 1);
            uf_info info;
            assert_int_equal(uf_get_info(part, &info, sizeof info), UF_OK);
            above += info.count > (double)N / PARTS;
            assert_true(info.parts == PARTS && info.part == p && info.capacity > N / PARTS && info.capacity < N / 4);
            uf_free(part);
        }
    assert_true(above > SEEDS * PARTS / 4); /* without a margin these would have been refused */
    uf_spec spec = spec_for("blocked:n=%d,fpr=0.01,full=refuse,seed=0x1,part=4/%d", N, PARTS);
    uf_filter *part = built(&spec, NULL, 0, 1);
    uf_info info;
    uf_error why;
    int8_t verdict[MANY];
    size_t in = 0, full = 0;
    assert_refused(UF_EFULL, uf_add_many(part, keys.key, MANY, verdict, &why), &why);
    for (size_t i = 0; i < MANY; i++)
        in += verdict[i] == 1, full += verdict[i] == UF_EFULL;
    (void)uf_get_info(part, &info, sizeof info);
    assert_true(full > 0 && in <= info.capacity && info.count == (double)in);
    assert_true(info.fpr_now < 0.2); /* a share of 100 keys may be twice as many */
    uf_free(part);
    keys_free(&keys);
}

/* ---- what is refused ---- */

static void test_foreign(void **state)
{
    struct keys keys = keys_make("key", 100);
    uf_error why;
    (void)state;
    for (size_t w = 0; w < WHOLES; w++) {
        uf_spec spec = with_param(wholes[w], "part", "1/2");
        uf_filter *part = built(&spec, keys.key, 100, 1), *same = built(&spec, keys.key, 100, 1);
        size_t other = 0;
        while (uf_query(part, keys.key[other]))
            other++;
        assert_refused(UF_EPART, uf_insert(part, keys.key[other], &why), &why);
        assert_non_null(strstr(why.text, "part 1/2"));
        assert_refused(UF_EPART, uf_add(part, keys.key[other], &why), &why);
        assert_refused(UF_EPART, uf_insert_many(part, keys.key, 100, &why), &why);
        assert_int_equal(uf_tune(part, UF_KNOB_SHARED, 1), UF_EUNSUPPORTED);
        assert_same(part, same);
        uf_free(part);
        uf_free(same);
    }
    keys_free(&keys);
}

static void test_strangers(void **state)
{
    const char *text = "blocked:n=1000,fpr=0.01,seed=0x5";
    struct keys keys = keys_make("key", 1000);
    uf_filter *part[4], *twin, *other, *whole, *out = NULL;
    uf_context ctx = context();
    uf_error why;
    (void)state;
    for (unsigned p = 0; p < 4; p++) {
        uf_spec spec = with_param(text, "part", "%u/4", p);
        part[p] = built(&spec, keys.key, 1000, 1);
    }
    const uf_filter *list[5] = {part[0], part[2], part[3], part[1], part[2]};
    assert_refused(UF_EMISMATCH, uf_join(list, 3, &ctx, &out, &why), &why);
    assert_non_null(strstr(why.text, "part 1 of 4 is missing"));
    assert_refused(UF_EMISMATCH, uf_join(list, 1, &ctx, &out, &why), &why);
    assert_non_null(strstr(why.text, "parts 1, 2 and 3 of 4 are missing"));
    assert_refused(UF_EMISMATCH, uf_join(list, 5, &ctx, &out, &why), &why);
    assert_non_null(strstr(why.text, "part 2 of 4 is there twice"));
    assert_refused(UF_EINVAL, uf_join(list, 0, &ctx, &out, &why), &why);

    uf_spec spec = spec_of("blocked:n=1000,fpr=0.01,seed=0x6,part=1/4");
    other = built(&spec, keys.key, 1000, 1);
    list[3] = other;
    assert_refused(UF_EMISMATCH, uf_join(list, 4, &ctx, &out, &why), &why);
    uf_free(other);
    spec = spec_of("blocked:n=1000,fpr=0.01,seed=0x5,part=1/5");
    other = built(&spec, keys.key, 1000, 1);
    list[3] = other;
    assert_refused(UF_EMISMATCH, uf_join(list, 4, &ctx, &out, &why), &why);
    uf_free(other);

    spec = with_param(text, "parts", "4");
    whole = built(&spec, keys.key, 1000, 1);
    list[3] = whole;
    assert_refused(UF_EMISMATCH, uf_join(list, 4, &ctx, &out, &why), &why);
    assert_refused(UF_EMISMATCH, uf_merge(part[0], part[1], &why), &why);
    assert_non_null(strstr(why.text, "join"));
    assert_refused(UF_EMISMATCH, uf_merge(whole, part[1], &why), &why);
    assert_refused(UF_EMISMATCH, uf_merge(part[1], whole, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_split(part[1], 2, 0, &ctx, &out, &why), &why);
    assert_refused(UF_EMISMATCH, uf_split(whole, 7, 0, &ctx, &out, &why), &why);
    assert_non_null(strstr(why.text, "parts=7"));
    assert_refused(UF_EINVAL, uf_split(whole, 4, 4, &ctx, &out, &why), &why);
    assert_refused(UF_EINVAL, uf_split(whole, 0, 0, &ctx, &out, &why), &why);
    spec = spec_of("bloom:n=1000");
    other = built(&spec, keys.key, 1000, 1);
    assert_refused(UF_EUNSUPPORTED, uf_split(other, 4, 0, &ctx, &out, &why), &why);
    uf_free(other);
    assert_null(out);

    /* The same part of two builds is united as any twins are. */
    spec = with_param(text, "part", "0/4");
    other = built(&spec, keys.key, 300, 1);
    twin = built(&spec, keys.key + 200, 800, 1);
    assert_status(UF_OK, uf_merge(other, twin, &why), &why);
    assert_same(other, part[0]);
    uf_free(other);
    uf_free(twin);
    for (unsigned p = 0; p < 4; p++)
        uf_free(part[p]);
    uf_free(whole);
    keys_free(&keys);
}

static void test_specs(void **state)
{
    static const char *const bad[] = {
        "blocked:n=10,part=4/4",
        "blocked:n=10,part=1",
        "blocked:n=10,part=01/4",
        "blocked:n=10,part=1/1e1",
        "blocked:n=10,part=0/65537",
        "blocked:n=10,part=0/0",
        "blocked:n=10,part=/4",
        "blocked:n=10,part=1/",
        "blocked:n=10,part=-1/4",
        "blocked:n=10,parts=0",
        "blocked:n=10,parts=65537",
        "blocked:n=10,parts=1.5",
        "blocked:n=10,parts=4/4",
        "blocked:n=10,parts=4,part=1/4",
        "bloom:n=10,part=1/4",
        "blocked:n=10,part=1/4,window=3",
        "blocked:n=10,parts=4,full=scale",
    };
    uf_spec spec, plan, again;
    uf_sizes sizes, whole;
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(UF_EINVAL, uf_spec_parse(bad[i], &spec, &why), &why);
    spec = spec_of("blocked:n=1000,bits=2048,parts=5");
    assert_refused(UF_EIMPOSSIBLE, uf_plan(&spec, &plan, &why), &why);
    for (unsigned parts = 1; parts <= 70; parts += 3) {
        double bits[2], fpr;
        spec = spec_for("blocked:n=1000,fpr=0.01,part=0/%u", parts);
        assert_status(UF_OK, uf_plan(&spec, &plan, &why), &why);
        assert_status(UF_OK, uf_plan(&plan, &again, &why), &why);
        assert_string_equal(plan.text, again.text);
        assert_true(uf_spec_get(&plan, "bits", &bits[0]) == UF_OK && uf_spec_get(&plan, "fpr", &fpr) == UF_OK);
        assert_status(UF_OK, uf_plan_sizes(&spec, &sizes, sizeof sizes, &why), &why);
        spec = spec_for("blocked:n=1000,fpr=0.01,parts=%u", parts);
        assert_status(UF_OK, uf_plan(&spec, &plan, &why), &why);
        assert_status(UF_OK, uf_plan_sizes(&spec, &whole, sizeof whole, &why), &why);
        assert_true(uf_spec_get(&plan, "bits", &bits[1]) == UF_OK && bits[0] == bits[1] && fpr <= 0.01);
        assert_true(sizes.payload_bytes * parts == whole.payload_bytes && whole.payload_bytes * 8 == (uint64_t)bits[1]);
    }
    spec = spec_of("blocked:n=1000,bits=20000,parts=16"); /* a size is not exceeded */
    assert_status(UF_OK, uf_plan(&spec, &plan, &why), &why);
    assert_non_null(strstr(plan.text, "bits=16384,"));
}

/* Who lacks the key can cut, join and store; the whole is unlocked with it. */
static void test_locked(void **state)
{
    struct keys keys = keys_make("key", 500);
    uf_spec spec = spec_of("keyed(blocked:n=500,fpr=0.01,seed=0x5,parts=4)");
    uf_filter *whole = built(&spec, keys.key, 500, 1), *locked, *part[4], *joined;
    struct bytes bytes = bytes_of(whole, UF_FORMAT_UF);
    uf_context ctx = context();
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_WITHOUT_KEY, NULL, &locked, &why), &why);
    for (unsigned p = 0; p < 4; p++) {
        assert_status(UF_OK, uf_split(locked, 4, p, NULL, &part[p], &why), &why);
        assert_true(uf_is_locked(part[p]) && uf_query(part[p], keys.key[0]) == 1);
        assert_refused(UF_EKEY, uf_insert(part[p], keys.key[0], &why), &why);
    }
    assert_status(UF_OK, uf_join((const uf_filter *const *)part, 4, NULL, &joined, &why), &why);
    assert_same(whole, joined);
    assert_true(uf_is_locked(joined));
    assert_status(UF_OK, uf_unlock(joined, &ctx, &why), &why);
    assert_status(UF_OK, uf_unlock(part[0], &ctx, &why), &why);
    assert_int_equal(keys_found(joined, &keys), 500);
    assert_true(keys_found(part[0], &keys) < 250);
    for (unsigned p = 0; p < 4; p++)
        uf_free(part[p]);
    bytes_free(&bytes);
    uf_free(joined);
    uf_free(locked);
    uf_free(whole);
    keys_free(&keys);
}

static uf_filter *reloaded(const uf_filter *filter, unsigned how)
{
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_filter *again = NULL;
    uf_error why;
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, how, NULL, &again, &why), &why);
    bytes_free(&file);
    return again;
}

/* Alike but for the key, what was done to their keys, or a lock. */
static void test_near_strangers(void **state)
{
    struct keys keys = keys_make("key", 100);
    uf_spec spec[2] = {spec_of("keyed(blocked:n=1000,part=0/2,seed=0x1)"),
                       spec_of("keyed(blocked:n=1000,part=1/2,seed=0x1)")};
    uf_context other = context();
    uf_filter *one = built(&spec[0], keys.key, 100, 1), *two = built(&spec[1], keys.key, 100, 1), *foreign, *out = NULL;
    uf_error why;
    (void)state;
    other.secret = secret_number(1);
    assert_status(UF_OK, uf_build(&spec[1], keys.key, 100, &other, &foreign, &why), &why);
    uf_filter *locked = reloaded(two, UF_WITHOUT_KEY);
    assert_refused(UF_EMISMATCH, uf_join((const uf_filter *const[]){one, foreign}, 2, NULL, &out, &why), &why);
    assert_non_null(strstr(why.text, "different keys"));
    assert_refused(UF_EKEY, uf_join((const uf_filter *const[]){one, locked}, 2, NULL, &out, &why), &why);
    assert_non_null(strstr(why.text, "part 1 is locked"));
    assert_refused(UF_EKEY, uf_join((const uf_filter *const[]){locked, one}, 2, NULL, &out, &why), &why);
    assert_non_null(strstr(why.text, "part 1 is locked"));
    assert_int_equal(uf_set_normal(one, UF_NORMAL_LOWERCASE), UF_OK);
    assert_refused(UF_EMISMATCH, uf_join((const uf_filter *const[]){one, two}, 2, NULL, &out, &why), &why);
    assert_non_null(strstr(why.text, "normalised"));
    assert_null(out);
    uf_free(one);
    uf_free(two);
    uf_free(foreign);
    uf_free(locked);
    keys_free(&keys);
}

/* What has no parts; parts that nobody can name one by one; and those of nothing. */
static void test_odd_wholes(void **state)
{
    uf_spec window = spec_of("blocked:n=1000,window=2,seed=0x1"),
            hundredth = spec_of("blocked:n=1000,part=0/100,seed=0x1");
    uf_spec empty = spec_of("blocked:n=1000,full=refuse,parts=2,seed=0x1"), set_spec = spec_of("blocked:seed=0x1");
    uf_filter *many = built(&hundredth, NULL, 0, 1), *windows = built(&window, NULL, 0, 1);
    uf_filter *whole = built(&empty, NULL, 0, 1), *released, *out = NULL;
    uf_universe *universe;
    uf_set *set, *noisy;
    uf_info info;
    uf_error why;
    (void)state;
    assert_refused(UF_EMISMATCH, uf_join((const uf_filter *const *)&many, 1, NULL, &out, &why), &why);
    assert_non_null(strstr(why.text, "and more of 100"));
    assert_refused(UF_EUNSUPPORTED, uf_split(windows, 2, 0, NULL, &out, &why), &why);
    assert_refused(UF_EINVAL, uf_split(whole, UINT32_MAX, 0, NULL, &out, &why), &why);
    assert_status(UF_OK, uf_universe_parse("range:1-1000", NULL, &universe, &why), &why);
    assert_status(UF_OK, uf_set_new(universe, NULL, &set, &why), &why);
    assert_status(UF_OK, uf_set_release(set, "dime:epsilon=3", NULL, &noisy, &why), &why);
    assert_status(UF_OK, uf_build_set(&set_spec, noisy, NULL, &released, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_split(released, 1, 0, NULL, &out, &why), &why);
    assert_null(out);
    assert_status(UF_OK, uf_split(whole, 2, 1, NULL, &out, &why), &why);
    assert_status(UF_OK, uf_get_info(out, &info, sizeof info), NULL);
    assert_true(info.count_estimate == 0);
    uf_free(out);
    uf_free(released);
    uf_set_free(noisy);
    uf_set_free(set);
    uf_universe_free(universe);
    uf_free(many);
    uf_free(windows);
    uf_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_whole),   cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refuse),     cmocka_unit_test(test_foreign), cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_specs),      cmocka_unit_test(test_locked),  cmocka_unit_test(test_near_strangers),
        cmocka_unit_test(test_odd_wholes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
