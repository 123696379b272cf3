/* SPDX-License-Identifier: MIT */
/*
 * kinds/dpset: its layout for every epsilon, shards that are too full, and tries that fail (linear_add is replaced
 * here). What it promises to users is in tests/conform_private.c, its rates in tests/stat.
 */
#define UF_EXPERIMENTAL /* uf_distance */
#include "dpset_query.h"

#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "design.h"
#include "keys.h"
#include "random.h"

/* ---- tries that fail ---- */

/* The rows of the next tries that are refused, and as what; after those, the real thing. */
static struct {
    unsigned fail, failed;
    enum linear_added as;
} fault;

enum linear_added __real_linear_add(struct linear *system, size_t start, struct coefficient c, uint64_t rhs);
enum linear_added __wrap_linear_add(struct linear *system, size_t start, struct coefficient c, uint64_t rhs);
enum linear_added __wrap_linear_add(struct linear *system, size_t start, struct coefficient c, uint64_t rhs)
{
    if (fault.failed >= fault.fail)
        return __real_linear_add(system, start, c, rhs);
    fault.failed++;
    return fault.as;
}

static void expect_failures(unsigned count, enum linear_added as)
{
    fault.fail = count;
    fault.failed = 0;
    fault.as = as;
}

/* Coins from a seed, so that two builds differ only by what failed. Every key is planted at epsilon 20. */
static int build(const char *text, const struct keys *keys, struct counting *counting, uf_filter **out, uf_error *why)
{
    uf_spec spec = spec_of(text);
    uint64_t seed = 1;
    uf_context ctx = counting_context(counting);
    ctx.random = random_bytes;
    ctx.random_arg = &seed;
    return uf_build(&spec, keys->key, keys->count, &ctx, out, why);
}

/* The file has nothing of a try that failed: other seeds, other coins, and all members are there. */
static void test_failed_tries_leave_no_trace(void **state)
{
    static const enum linear_added ways[] = {LINEAR_CONFLICT, LINEAR_REDUNDANT};
    static const char spec[] = "dpset:n=500,epsilon=20,columns=12,accept=195,seed=0x1";
    struct keys keys = keys_make("key", 500);
    struct counting counting = {0};
    uf_filter *first, *later[2];
    uf_error why;
    uint64_t distance, bits;
    (void)state;
    expect_failures(0, LINEAR_ADDED);
    assert_status(UF_OK, build(spec, &keys, &counting, &first, &why), &why);
    for (unsigned i = 0; i < 2; i++) {
        expect_failures(63 - i, ways[i]);
        assert_status(UF_OK, build(spec, &keys, &counting, &later[i], &why), &why);
        assert_int_equal(fault.failed, 63 - i);
        assert_int_equal(keys_found(later[i], &keys), keys.count);
        assert_int_equal(later[i]->word_count, first->word_count);
        assert_status(UF_OK, uf_distance(first, later[i], &distance), NULL);
        assert_true(first->words[0] != later[i]->words[0] && first->words[1] != later[i]->words[1]); /* the seed */
        bits = 64 * (uint64_t)(first->word_count - DPSET_PAD_WORDS);
        assert_true(fabs((double)distance - (double)bits / 2) < 3 * sqrt((double)bits) / 2);
        uf_free(later[i]);
    }
    uf_free(first);
    assert_true(counting_is_clean(&counting));
    keys_free(&keys);
}

static void test_no_filter_when_every_try_fails(void **state)
{
    struct keys keys = keys_make("key", 500);
    struct counting counting = {0};
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    expect_failures(64, LINEAR_CONFLICT);
    assert_refused(UF_EBUILD, build("dpset:n=500,epsilon=20,variant=dyadic", &keys, &counting, &filter, &why), &why);
    assert_null(filter);
    assert_int_equal(fault.failed, 64);
    assert_non_null(strstr(why.text, "slack"));
    assert_true(counting_is_clean(&counting));
    expect_failures(0, LINEAR_ADDED);
    keys_free(&keys);
}

/* ---- shards that are too full ---- */

enum { TWO_SHARDS = 131072 };

/* Numbers that are in the first of two shards, or in the second: by their hash under a seed, and with a filter as its
 * keys are mixed, which nobody knows before there is one. */
static uint64_t *choose_keys(const uf_filter *known, size_t first, size_t second)
{
    static const uint64_t none[2];
    uint64_t *chosen = calloc(first + second, sizeof *chosen);
    struct hasher hasher = {.kind = HASH_XXH3, .seed = 0x5eed};
    size_t count[2] = {0, 0};
    const size_t want[2] = {first, second};
    assert_non_null(chosen);
    for (uint64_t key = 0; count[0] < first || count[1] < second; key++) {
        struct hash128 hash = hash_key(&hasher, (uf_key){&key, sizeof key});
        if (known)
            dpset_calls_for(known->cpu)->rows(CONST_PARAMS(struct dpset, known), none, &hash, 1, &hash);
        unsigned shard = shards_scale(hash.hi, 2);
        if (count[shard] < want[shard])
            chosen[(shard ? first : 0) + count[shard]++] = key;
    }
    return chosen;
}

/* With the same coins every time. */
static int build_numbers(const uint64_t *keys, size_t count, uf_filter **out, uf_error *why)
{
    uf_spec spec = spec_of("dpset:n=131072,epsilon=20,variant=dyadic,seed=0x5eed");
    uf_context ctx = UF_CONTEXT_INIT;
    uint64_t coins = 1;
    uf_builder *builder;
    ctx.random = random_bytes;
    ctx.random_arg = &coins;
    assert_status(UF_OK, uf_builder_new(&spec, &ctx, &builder, why), why);
    assert_status(UF_OK, uf_builder_add_fixed(builder, keys, sizeof *keys, count, NULL), NULL);
    int status = uf_builder_finish(builder, out, why);
    uf_builder_free(builder);
    return status;
}

static int build_shards(const uf_filter *known, size_t first, size_t second, uf_filter **out, uf_error *why)
{
    uint64_t *keys = choose_keys(known, first, second);
    int status = build_numbers(keys, first + second, out, why);
    free(keys);
    return status;
}

/* Whoever knows the seed of the hash cannot make a build fail: as many keys as were declared, nearly all of them in one
 * shard by that hash alone. */
static void test_no_keys_crowd_a_shard(void **state)
{
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    assert_status(UF_OK, build_shards(NULL, TWO_SHARDS - 1, 1, &filter, &why), &why);
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    assert_true(claim.delta == DPSET_CROWDED);
    uf_free(filter);
}

/* A shard of 65536 keys takes 1939 more (dpset.h). Beyond that it is another error than too many keys in all. Only who
 * knows the coins can try. */
static void test_crowded_shards(void **state)
{
    static const size_t most = 65536 + 1939;
    uf_filter *known = NULL, *filter = NULL;
    uf_error why;
    (void)state;
    assert_status(UF_OK, build_numbers(NULL, 0, &known, &why), &why);
    assert_status(UF_OK, build_shards(known, most, 1000, &filter, &why), &why);
    uf_free(filter);
    filter = NULL;
    assert_refused(UF_EBUILD, build_shards(known, most + 1, 1000, &filter, &why), &why);
    assert_null(filter);
    assert_non_null(strstr(why.text, "again"));
    assert_refused(UF_EBUILD, build_shards(known, 1000, most + 1, &filter, &why), &why);
    assert_refused(UF_EFULL, build_shards(known, most + 1, TWO_SHARDS - most, &filter, &why), &why);
    assert_null(filter);
    uf_free(known);
}

/* ---- what a table says about a key ---- */

/* row * Z xor fingerprint, all columns of it. */
static uint64_t number_of(const uf_filter *filter, uf_key key)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    static const uint64_t none[2];
    struct located found = locate(filter, hash_key(&filter->hasher, key));
    dpset_calls_for(filter->cpu)->rows(dpset, none, &found.row, 1, &found.row); /* its seed is in it already */
    uint64_t number = 0;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        const struct dpset_group *group = &dpset->group[i];
        uint64_t bits = stored_bits(group, &found) & ((UINT64_C(1) << group->columns) - 1);
        number |= bits << group->low;
    }
    return number ^ (found.row.lo & ((UINT64_C(1) << dpset->columns) - 1));
}

/* The 99.9 % point of chi-square, after Wilson and Hilferty. */
static double chi_limit(double freedom)
{
    double part = 2 / (9 * freedom);
    return freedom * pow(1 - part + 3.09 * sqrt(part), 3);
}

/* How far the numbers of keys are from this: numbers below accept have `chance` each, the rest share what is left. */
static double chi_square(const uf_filter *filter, const struct keys *keys, double chance)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    size_t numbers = (size_t)1 << dpset->columns, accept = (size_t)dpset->accept;
    double *count = calloc(numbers, sizeof *count), sum = 0,
           rest = (1 - chance * (double)accept) / (double)(numbers - accept);
    assert_non_null(count);
    for (size_t i = 0; i < keys->count; i++)
        count[number_of(filter, keys->key[i])]++;
    for (size_t i = 0; i < numbers; i++) {
        double expected = (double)keys->count * (i < accept ? chance : rest);
        sum += (count[i] - expected) * (count[i] - expected) / expected;
    }
    free(count);
    return sum;
}

/*
 * All that a table says about a key is its number. Of a stranger it is any of 2^columns; of a member it is one of those
 * with probability u, else any of the accepted ones: so no number, accepted or not, speaks for or against membership by
 * more than e^epsilon. 40 000 keys of each, 2^8 numbers. The controls are each other's numbers and twice the epsilon.
 */
static void check_numbers(const char *variant)
{
    struct keys members = keys_make("key", 40000), strangers = keys_make("other", 40000);
    struct counting counting = {0};
    char text[100];
    uf_filter *filter;
    uf_error why;
    (void)snprintf(text, sizeof text, "dpset:n=40000,epsilon=1,columns=8,accept=69,variant=%s,seed=0x1", variant);
    assert_status(UF_OK, build(text, &members, &counting, &filter, &why), &why);
    double even = 1.0 / 256, member = exp(-1) * even + (1 - exp(-1)) / 69, limit = chi_limit(255);
    assert_true(member / even < exp(1) && even / (exp(-1) * even) <= exp(1) * (1 + 1e-12));
    double of_members = chi_square(filter, &members, member), of_strangers = chi_square(filter, &strangers, even);
    assert_that(of_members < limit && of_strangers < limit, "%s: chi-square %g of members, %g of strangers, limit %g",
                variant, of_members, of_strangers, limit);
    assert_true(chi_square(filter, &members, even) > 10 * limit && chi_square(filter, &strangers, member) > 10 * limit);
    assert_true(chi_square(filter, &members, exp(-2) * even + (1 - exp(-2)) / 69) > 2 * limit);
    uf_free(filter);
    keys_free(&members);
    keys_free(&strangers);
}

static void test_numbers(void **state)
{
    (void)state;
    expect_failures(0, LINEAR_ADDED);
    check_numbers("dyadic");
    check_numbers("integer");
}

/* ---- layout ---- */

static uf_filter *empty(double epsilon, const char *variant, uint64_t n)
{
    char text[200];
    uf_spec spec;
    uf_filter *filter;
    uf_error why;
    (void)snprintf(text, sizeof text, "dpset:n=%llu,epsilon=%g,variant=%s", (unsigned long long)n, epsilon, variant);
    spec = spec_of(text);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, NULL, &filter, &why), &why);
    return filter;
}

/* Groups cover the columns from the top down to the lowest one of accept, each ends at a one, and none overlaps. */
static void check_groups(const struct dpset *dpset)
{
    uint32_t top = dpset->columns, words = 0;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        const struct dpset_group *group = &dpset->group[i];
        assert_int_equal(group->low + group->columns, top);
        assert_true(dpset->variant != DPSET_DYADIC || (dpset->accept >> group->low & 1));
        assert_int_equal(group->offset, words);
        assert_int_equal(group->slots % 64, 0);
        words += group->slots / 64 * group->columns;
        top = group->low;
    }
    assert_int_equal(dpset->accept & ((UINT64_C(1) << top) - 1), 0);
    assert_int_equal(words, dpset->shard_words);
}

/* Half a million keys in 8 shards: the size is that of the design, and the margins for chance, at most 6 % more. */
static void check_size(const uf_filter *filter)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    struct lef_design design = dpset_lef_design(dpset);
    assert_true(lef_evaluate(&design, LEF_SLACK));
    double real = 64 * (double)filter->word_count / (double)dpset->n;
    assert_that(real >= design.bits && real <= 1.06 * design.bits + 0.01 * dpset->groups * dpset->columns,
                "%u columns, accept %llu: %.3f bits per key, planned %.3f", dpset->columns,
                (unsigned long long)dpset->accept, real, design.bits);
}

static void test_layout(void **state)
{
    (void)state;
    for (int dyadic = 0; dyadic < 2; dyadic++)
        for (double epsilon = 0.05; epsilon <= 20; epsilon *= 1.3) {
            uf_filter *filter = empty(epsilon, dyadic ? "dyadic" : "integer", 500000);
            const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
            assert_int_equal(dpset->shards, 8);
            assert_int_equal(filter->word_count, 8 * (dpset->shard_words + DPSET_SEED_WORDS) + DPSET_PAD_WORDS);
            check_groups(dpset);
            check_size(filter);
            uf_free(filter);
        }
}

/* Sizes follow from n alone: no keys, one key and all keys take the same. */
static void test_size_tells_nothing(void **state)
{
    static const size_t counts[] = {0, 1, 5000, 10000};
    struct keys keys = keys_make("key", 10000);
    uf_spec spec = spec_of("dpset:n=10000,epsilon=3");
    size_t expected = 0;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        uf_filter *filter;
        assert_status(UF_OK, uf_build(&spec, keys.key, counts[i], NULL, &filter, NULL), NULL);
        expected = i ? expected : filter->word_count;
        assert_int_equal(filter->word_count, expected);
        uf_free(filter);
    }
    keys_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failed_tries_leave_no_trace),
        cmocka_unit_test(test_no_filter_when_every_try_fails),
        cmocka_unit_test(test_no_keys_crowd_a_shard),
        cmocka_unit_test(test_crowded_shards),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_size_tells_nothing),
    };
    return cmocka_run_group_tests_name("dpset", tests, NULL, NULL);
}
