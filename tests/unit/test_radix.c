/* SPDX-License-Identifier: MIT */
/*
 * kinds/dpset in mixed radix: its rates, what a table says about a key, tries that fail and shards that are too full
 * (sparse_add and sample_coin are replaced here), threads, and what the loader refuses. The arithmetic is in
 * test_digits.c and test_sparse.c.
 */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "dpset_query.h"
#include "keys.h"
#include "kinds.h"
#include "random.h"
#include "sample.h"

/* ---- faults ---- */

static struct {
    unsigned fail, calls;    /* so many calls of sparse_add find a dependent row */
    uint64_t planted, coins; /* so many coins plant their key */
} fault;

size_t __real_sparse_add(struct sparse *system, const struct sparse_row *rows, size_t count);
size_t __wrap_sparse_add(struct sparse *system, const struct sparse_row *rows, size_t count);
size_t __wrap_sparse_add(struct sparse *system, const struct sparse_row *rows, size_t count)
{
    unsigned call = __atomic_fetch_add(&fault.calls, 1, __ATOMIC_RELAXED);
    return call < fault.fail ? count - 1 : __real_sparse_add(system, rows, count);
}

int __real_sample_coin(struct sampler *sampler, uint64_t threshold);
int __wrap_sample_coin(struct sampler *sampler, uint64_t threshold);
int __wrap_sample_coin(struct sampler *sampler, uint64_t threshold)
{
    int coin = __real_sample_coin(sampler, threshold);
    return __atomic_fetch_add(&fault.coins, 1, __ATOMIC_RELAXED) < fault.planted ? 0 : coin;
}

static void expect(unsigned fail, uint64_t planted)
{
    memset(&fault, 0, sizeof fault);
    fault.fail = fail;
    fault.planted = planted;
}

/* ---- builds ---- */

static int build(const char *text, const struct keys *keys, unsigned threads, uf_filter **out, uf_error *why)
{
    uf_spec spec = spec_of(text);
    uint64_t seed = 1;
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.random = random_bytes;
    ctx.random_arg = &seed;
    ctx.threads = threads;
    uf_builder *builder;
    int status = uf_builder_new(&spec, &ctx, &builder, why);
    if (status == UF_OK)
        status = uf_builder_add(builder, keys->key, keys->count, why); /* in this order, whatever the threads are */
    if (status == UF_OK)
        status = uf_builder_finish(builder, out, why);
    uf_builder_free(builder);
    return status;
}

static uf_filter *must_build(const char *text, const struct keys *keys, unsigned threads)
{
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, build(text, keys, threads, &filter, &why), &why);
    return filter;
}

static int same_words(const uf_filter *a, const uf_filter *b)
{
    return a->word_count == b->word_count && !memcmp(a->words, b->words, a->word_count * sizeof *a->words);
}

/* ---- rates ---- */

/* Within three deviations, and beyond them of half the rate. */
static void check_rate(const char *what, double found, double keys, double rate)
{
    double off = 3 * sqrt(keys * rate * (1 - rate)) + 1;
    assert_that(fabs(found - keys * rate) < off, "%s: %g of %g, not %g", what, found, keys, keys * rate);
    assert_true(fabs(found - keys * rate / 2) > off || keys * rate < 40);
}

static const char *const specs[] = {
    "dpset:n=12000,epsilon=1,variant=radix,seed=0x1",
    "dpset:n=12000,epsilon=2,variant=radix,seed=0x1",
    "dpset:n=12000,epsilon=3,variant=radix,seed=0x1",
    "dpset:n=12000,epsilon=3,variant=radix,prefer=small,seed=0x1",
    "dpset:n=12000,epsilon=5,variant=radix,prefer=accurate,seed=0x1",
    "dpset:n=12000,epsilon=8,variant=radix,seed=0x1",
    "dpset:n=12000,epsilon=10,variant=radix,prefer=small,seed=0x1",
};

/* 12 000 members and as many others, coins from a seed; one by one and together is the same. */
static void test_rates(void **state)
{
    struct keys members = keys_make("key", 12000), others = keys_make("other", 12000);
    uint8_t *answers = calloc(12000, 1);
    (void)state;
    assert_non_null(answers);
    expect(0, 0);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        uf_filter *filter = must_build(specs[i], &members, 1);
        uf_claim claim;
        uf_get_claim(filter, &claim, sizeof claim);
        check_rate(specs[i], (double)(members.count - keys_found(filter, &members)), 12000, claim.fnr);
        check_rate(specs[i], (double)keys_found(filter, &others), 12000, claim.fpr);
        uf_query_many(filter, others.key, others.count, answers);
        for (size_t k = 0; k < others.count; k++)
            assert_int_equal(answers[k], uf_query(filter, others.key[k]));
        uf_free(filter);
    }
    free(answers);
    keys_free(&members);
    keys_free(&others);
}

/* ---- what a table says about a key ---- */

static struct located found_by(const uf_filter *filter, uf_key key)
{
    static const uint64_t none[2];
    struct located found = locate(filter, hash_key(&filter->hasher, key));
    dpset_calls_for(filter->cpu)->rows(CONST_PARAMS(struct dpset, filter), none, &found.row, 1, &found.row);
    return found;
}

/* How far the numbers of keys are from this: 0 has `zero`, 1 has `one`, all others share what is left. Chi-square. */
static double chi_square(const uf_filter *filter, const struct keys *keys, double zero, double one)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    double count[64] = {0}, sum = 0, radix = dpset->radix[0];
    for (size_t i = 0; i < keys->count; i++) {
        struct located found = found_by(filter, keys->key[i]);
        count[radix_number(dpset, 0, &found)]++;
    }
    for (uint32_t i = 0; i < dpset->radix[0]; i++) {
        double expected = (double)keys->count * (i == 0 ? zero : i == 1 ? one : (1 - zero - one) / (radix - 2));
        sum += (count[i] - expected) * (count[i] - expected) / expected;
    }
    return sum;
}

/* Of a stranger the number is any of R; of a member it is one of those with probability u, else 0, or 1 for those that
 * are planted in the second group. 20 000 keys of each. The limits are the 99.9 % points; each other's are controls. */
static void check_numbers(const char *spec, double epsilon, double limit)
{
    struct keys members = keys_make("key", 20000), strangers = keys_make("other", 20000);
    uf_filter *filter = must_build(spec, &members, 1);
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    double u = exp(-epsilon), even = 1.0 / dpset->radix[0];
    double second = dpset->groups > 1 ? (double)(dpset->accept - dpset->radix[1]) / (double)dpset->accept : 0;
    double zero = u * even + (1 - u) * (1 - second), one = u * even + (1 - u) * second;
    double of_members = chi_square(filter, &members, zero, one),
           of_strangers = chi_square(filter, &strangers, even, even);
    assert_that(of_members < limit && of_strangers < limit, "%s: chi-square %g of members, %g of strangers", spec,
                of_members, of_strangers);
    assert_true(chi_square(filter, &members, even, even) > 10 * limit);
    assert_true(chi_square(filter, &strangers, zero, one) > 10 * limit);
    uf_free(filter);
    keys_free(&members);
    keys_free(&strangers);
}

static void test_numbers(void **state)
{
    (void)state;
    expect(0, 0);
    check_numbers("dpset:n=20000,epsilon=3,radix=21,accept=1,seed=0x1", 3, 45.3);    /* 20 degrees of freedom */
    check_numbers("dpset:n=20000,epsilon=2,radix=9x12,accept=13,seed=0x1", 2, 26.1); /* 8 */
}

/* ---- tries ---- */

/* A filter has nothing of tries that failed: another seed, other coins, and all members but those left out. */
static void test_failed_tries(void **state)
{
    static const char spec[] = "dpset:n=2000,epsilon=3,radix=21,accept=1,seed=0x1";
    struct keys keys = keys_make("key", 2000);
    uf_filter *first, *later = NULL;
    uf_error why;
    (void)state;
    expect(0, 0);
    first = must_build(spec, &keys, 1);
    expect(63, 0);
    later = must_build(spec, &keys, 1);
    assert_int_equal(fault.calls, 63 + 2); /* both fields of the last try */
    assert_true(first->words[0] != later->words[0] && first->words[1] != later->words[1]);
    check_rate("after tries that failed", (double)(2000 - keys_found(later, &keys)), 2000, 0.0474);
    uf_free(later);
    later = NULL;
    expect(64, 0);
    assert_refused(UF_EBUILD, build(spec, &keys, 1, &later, &why), &why);
    assert_null(later);
    uf_free(first);
    keys_free(&keys);
}

/* Too many keys are planted at first: all is drawn again, and the shards of the keys with it. Then they are where a
 * query looks for them. 2 shards of 70 000 keys; with 1 and 2 threads. */
static void test_crowded_shard(void **state)
{
    static const char spec[] = "dpset:n=140000,epsilon=1,radix=4x12,accept=13,seed=0x1";
    struct keys keys = keys_make("key", 140000);
    uf_filter *first, *again, *threads;
    uf_claim claim;
    (void)state;
    expect(0, 0);
    first = must_build(spec, &keys, 1);
    threads = must_build(spec, &keys, 2);
    assert_true(same_words(first, threads));
    assert_int_equal(CONST_PARAMS(struct dpset, first)->shards, 2);
    expect(0, 60000);
    again = must_build(spec, &keys, 1);
    assert_true(fault.coins > 140000 + 40000);
    assert_true(CONST_PARAMS(struct dpset, first)->prf[0] != CONST_PARAMS(struct dpset, again)->prf[0]);
    uf_get_claim(again, &claim, sizeof claim);
    assert_true(claim.delta <= 0 && claim.epsilon <= 1);
    check_rate("drawn again", (double)(keys.count - keys_found(again, &keys)), 140000, claim.fnr);
    uf_free(first);
    uf_free(again);
    uf_free(threads);
    keys_free(&keys);
}

/* As many keys as were declared, or one more; not the coins decide. */
static void test_too_many_keys(void **state)
{
    struct keys keys = keys_make("key", 1001);
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    expect(0, 0);
    assert_refused(UF_EFULL, build("dpset:n=1000,epsilon=3,variant=radix", &keys, 1, &filter, &why), &why);
    expect(0, UINT64_MAX); /* every try is crowded */
    keys.count = 1000;
    assert_refused(UF_EBUILD, build("dpset:n=1000,epsilon=1,variant=radix", &keys, 1, &filter, &why), &why);
    assert_null(filter);
    keys.count = 1001;
    keys_free(&keys);
}

/* ---- the loader ---- */

enum { PARAMS_BYTES = 200 };

static size_t encode(const uf_filter *filter, unsigned char out[PARAMS_BYTES])
{
    struct writer writer = {out, PARAMS_BYTES, 0};
    filter->ops->encode(filter, &writer);
    assert_false(writer.bad);
    return PARAMS_BYTES - writer.left;
}

static int decode(const uf_filter *like, const unsigned char *bytes, size_t size)
{
    static uf_filter copy;
    static uint32_t spread[DPSET_SPREAD];
    struct reader reader = {bytes, size, 0};
    copy.ops = like->ops;
    copy.tail = spread;
    int status = like->ops->decode(&copy, &reader, NULL);
    return status == UF_OK && !reader.bad && !reader.left ? UF_OK : UF_EFORMAT;
}

/* Each field of the parameters is what a plan can make, or the file is refused. */
static void test_parameters(void **state)
{
    static const struct {
        size_t at;
        unsigned char value;
    } wrong[] = {
        {16, 0},    {16, 12},   {16, 24},  {16, 0x0e}, /* accept: 13 of 9 * 12; 14 changes epsilon, but is one */
        {48, 96},   {48, 0},    {48, 128},             /* the band: 128 has other slots */
        {52, 2},    {52, 0},                           /* shards */
        {56, 0},    {56, 5},    {56, 6},   {56, 8},    /* variant: dyadic as well, mixed with one shard, unknown */
        {60, 0},    {60, 1},    {60, 3},               /* groups */
        {71, 0xbf}, {70, 0x7f},                        /* slack: negative, infinite */
        {72, 0xff}, {80, 0xff},                        /* slots */
        {76, 0},    {76, 11},   {76, 10},  {84, 0},    {84, 11}, {84, 65}, /* radices */
    };
    struct keys keys = keys_make("key", 100);
    uf_filter *filter = must_build("dpset:n=100,epsilon=2,radix=9x12,accept=13,seed=0x1", &keys, 1);
    unsigned char bytes[PARAMS_BYTES], trial[PARAMS_BYTES];
    size_t size = encode(filter, bytes);
    (void)state;
    assert_int_equal(size, 88);
    assert_int_equal(decode(filter, bytes, size), UF_OK);
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(decode(filter, bytes, cut), UF_EFORMAT);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(trial, bytes, size);
        trial[wrong[i].at] = wrong[i].value;
        int refused = decode(filter, trial, size) == UF_EFORMAT;
        assert_that(refused || wrong[i].value == 0x0e, "byte %zu may be %u", wrong[i].at, wrong[i].value);
    }
    uf_free(filter);
    keys_free(&keys);
}

/* One encoding for one table: a fraction that is none, and bits behind the last. */
static void test_packs(void **state)
{
    struct keys keys = keys_make("key", 100);
    uf_filter *filter = must_build("dpset:n=100,epsilon=3,radix=21,accept=1,seed=0x1", &keys, 1);
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    uint64_t *words = dpset_shard(filter, 0), kept = words[0], last = words[dpset->shard_words - 1];
    unsigned refused = 0;
    (void)state;
    assert_int_equal(filter->ops->check(filter, NULL), UF_OK);
    for (uint64_t bits = 0; bits < 256; bits++) { /* 21^5 of 2^22 are fractions: 97 % */
        words[0] = (kept & ~UINT64_C(0x3fffff)) | bits << 14 | bits;
        refused += filter->ops->check(filter, NULL) == UF_EFORMAT;
    }
    assert_true(refused > 0 && refused < 30);
    words[0] = kept;
    uint64_t end = (uint64_t)dpset->group[0].slots / 5 * 22;
    assert_true(end % 64 != 0);
    words[dpset->shard_words - 1] = last | UINT64_C(1) << end % 64;
    assert_int_equal(filter->ops->check(filter, NULL), UF_EFORMAT);
    words[dpset->shard_words - 1] = last;
    assert_int_equal(filter->ops->check(filter, NULL), UF_OK);
    uf_free(filter);
    keys_free(&keys);
}

/* ---- plans ---- */

static void check_plan(const char *text, const char *expected)
{
    uf_spec spec = spec_of(text);
    uf_error why;
    assert_status(UF_OK, uf_plan(&spec, &spec, &why), &why);
    assert_string_equal(spec.text, expected);
    assert_status(UF_OK, uf_plan(&spec, &spec, &why), &why); /* a plan is one again */
    assert_string_equal(spec.text, expected);
}

static void test_plans(void **state)
{
    static const char *const refused[] = {
        "dpset:n=9,epsilon=3,variant=radix,columns=5,accept=1",
        "dpset:n=9,epsilon=3,radix=21",
        "dpset:n=9,epsilon=3,radix=22,accept=1",
        "dpset:n=9,epsilon=3,radix=21x,accept=1",
        "dpset:n=9,epsilon=3,radix=24,accept=1",
        "dpset:n=9,epsilon=3,radix=21,accept=2",
        "dpset:n=9,epsilon=3,radix=27x4,accept=4",
        "dpset:n=9,epsilon=3,variant=dyadic,band=64",
        "dpset:n=9,epsilon=3,band=32",
        "dpset:n=9,epsilon=3,variant=radix,slack=0.02",
        "dpset:n=9,epsilon=3,band=64,slack=0.05",
        "dpset:n=9,epsilon=3,prefer=best",
        "dpset:n=9,epsilon=3,prefer=fast,variant=dyadic",
        "dpset:n=9,epsilon=3,prefer=fast,radix=21,accept=1",
    };
    uf_error why;
    (void)state;
    check_plan("dpset:n=1000000,epsilon=3",
               "dpset:n=1000000,epsilon=3,variant=radix,radix=21,accept=1,band=64,slack=0.08");
    check_plan("dpset:n=1000000,epsilon=3,prefer=small",
               "dpset:n=1000000,epsilon=3,variant=radix,radix=21,accept=1,band=128,slack=0.03");
    check_plan("dpset:n=100,epsilon=3,variant=dyadic",
               "dpset:n=100,epsilon=3,variant=dyadic,columns=12,accept=195,slack=0.12");
    check_plan("dpset:n=100,epsilon=3,columns=7,accept=7",
               "dpset:n=100,epsilon=3,columns=7,accept=7,variant=dyadic,slack=0.12");
    check_plan("dpset:n=100,epsilon=3,radix=21,accept=1,band=128",
               "dpset:n=100,epsilon=3,radix=21,accept=1,band=128,variant=radix,slack=0.03");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        uf_spec spec = spec_of(refused[i]);
        assert_refused(UF_EINVAL, uf_plan(&spec, &spec, &why), &why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),         cmocka_unit_test(test_numbers),       cmocka_unit_test(test_failed_tries),
        cmocka_unit_test(test_crowded_shard), cmocka_unit_test(test_too_many_keys), cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_packs),         cmocka_unit_test(test_plans),
    };
    return cmocka_run_group_tests_name("radix", tests, NULL, NULL);
}
