/* SPDX-License-Identifier: MIT */
/*
 * What every private kind must do, through the public header only: answers, capacity, files, what it knows and claims.
 * With a secret: conform_secret.c; copies of exact filters: conform_release.c; rates: stat/stat_private.c.
 */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "folder.h"
#include "keys.h"
#include "random.h"
#include "subjects.h"

static double of_plan(const uf_filter *filter, const char *name)
{
    uf_spec plan;
    double value = NAN;
    uf_get_plan(filter, &plan);
    (void)uf_spec_get(&plan, name, &value);
    return value;
}

static uf_claim claim_of(const uf_filter *filter)
{
    uf_claim claim;
    memset(&claim, 0, sizeof claim);
    uf_get_claim(filter, &claim, sizeof claim);
    return claim;
}

static int is_published(const struct subject *subject)
{
    return strstr(subject->spec, "published") != NULL;
}

/* How many of `trials` are too many, or too few, for chance alone: four standard deviations, and one. */
static double far(double trials, double rate)
{
    return 4 * sqrt(trials * rate * (1 - rate)) + 1;
}

/* ---- answers ---- */

static void check_all_ways_to_ask(const struct subject *subject)
{
    enum { PACKED = 131 };
    unsigned char data[PACKED * 40 + 1];
    uint8_t answers[PACKED + 1];
    uf_key keys[PACKED];
    for (size_t width = 0; width <= 40; width++) {
        uint64_t seed = width;
        uf_context ctx = seeded_context(&seed);
        (void)random_bytes(&seed, data, sizeof data);
        for (size_t i = 0; i < PACKED; i++)
            keys[i] = (uf_key){data + 1 + i * width, width};
        uf_filter *filter = build(with(subject, "n=%d", PACKED), keys, PACKED / 2, &ctx);
        for (size_t count = 0; count <= PACKED; count += 1 + count / 34 * 5) {
            answers[count] = 7;
            ask_all_ways(filter, data + 1, width, count, answers);
            assert_int_equal(answers[count], 7);
        }
        uf_free(filter);
    }
}

static const char large[1 << 20];

static const uf_key odd[] = {
    {"", 0},          {"\0", 1},       {"\0\0", 2},      {"a", 1},
    {"a\0", 2},       {"a\0b", 3},     {"\n", 1},        {"\xff", 1},
    {"\xff\xfe", 2},  {"\xc3\xa4", 2}, {"a ", 2},        {large, sizeof large},
    {large, 1 << 19}, {large, 4096},   {large + 1, 240}, {"\xe2\x82\xac", 3},
};

enum { ODD = sizeof odd / sizeof odd[0] };

/* Filters of one odd key each: it is found as often as members are, the others no more often than strangers are. */
static void check_odd_keys(const struct subject *subject)
{
    uint64_t seed = 11;
    uf_context ctx = seeded_context(&seed);
    uf_claim claim = {0};
    double members = 0, others = 0;
    for (size_t i = 0; i < ODD; i++) {
        uf_filter *filter = build(with(subject, "n=1000"), &odd[i], 1, &ctx);
        for (size_t j = 0; j < ODD; j++)
            *(j == i ? &members : &others) += uf_query(filter, odd[j]);
        assert_int_equal(uf_query(filter, (uf_key){NULL, 0}), uf_query(filter, odd[0])); /* no bytes, no address */
        claim = claim_of(filter);
        uf_free(filter);
    }
    assert_that(fabs(members - ODD * (1 - claim.fnr)) <= far(ODD, claim.fnr), "%g of %d members found", members, ODD);
    assert_that(others <= ODD * (ODD - 1) * claim.fpr + far(ODD * (ODD - 1), claim.fpr), "%g strangers found", others);
}

/* epsilon 20 leaves out one key in 4 * 10^8. So with any columns and accept, in both variants, all members are found:
 * what is planted is what is asked for. */
static void test_planted_keys_are_found(void **state)
{
    static const unsigned accepts[] = {1, 2, 3, 5, 21, 127, 128, 195, 2047, 2048};
    struct keys keys = keys_make("key", 3000);
    uf_spec spec;
    (void)state;
    for (int columns = 1; columns <= 32; columns += 1 + columns / 12)
        for (size_t i = 0; i < sizeof accepts / sizeof accepts[0]; i++)
            for (int dyadic = 0; dyadic < 2; dyadic++) {
                char text[160];
                double values = pow(2, columns);
                uint64_t seed = 5;
                uf_context ctx = seeded_context(&seed);
                uf_filter *filter;
                (void)snprintf(text, sizeof text, "dpset:n=3000,epsilon=20,columns=%d,accept=%u,variant=%s", columns,
                               accepts[i], dyadic ? "dyadic" : "integer");
                spec = spec_of(text);
                int possible = 2 * accepts[i] <= values && accepts[i] > values * exp(-20);
                int status = uf_build(&spec, keys.key, keys.count, &ctx, &filter, NULL);
                assert_that(status == (possible ? UF_OK : UF_EINVAL), "%s gave %d", text, status);
                if (!possible)
                    continue;
                assert_that(keys_found(filter, &keys) == keys.count, "%s misses keys", text);
                uf_free(filter);
            }
    keys_free(&keys);
}

/* ---- no keys, few keys, too many ---- */

/* No keys at all make a filter that says yes at its rate, and can be saved and loaded. */
static void check_empty(const struct subject *subject)
{
    static const int sizes[] = {0, 1, 1000};
    struct keys probes = keys_make("probe", 4000);
    for (size_t i = 0; i < 3; i++) {
        uint64_t seed = 12;
        uf_context ctx = seeded_context(&seed);
        uf_filter *filter = build(with(subject, "n=%d", sizes[i]), NULL, 0, &ctx), *back;
        struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
        double found = (double)keys_found(filter, &probes), rate = claim_of(filter).fpr, bits = of_plan(filter, "bits");
        double clumped = isnan(bits) ? 1 : 4000 / bits; /* many keys ask for the same bits of a small ultra */
        assert_that(found <= 4000 * rate + far(4000, rate) * sqrt(1 + clumped), "%g of 4000 found, rate %g", found,
                    rate);
        assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, NULL, &back, NULL), NULL);
        assert_same_bytes(filter, back, "an empty filter, saved and loaded");
        bytes_free(&bytes);
        uf_free(back);
        uf_free(filter);
    }
    keys_free(&probes);
}

static int build_counted(const char *text, const uf_key *keys, size_t count, uf_filter **out, uf_error *why)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    int status = uf_build(&spec, keys, count, &ctx, &filter, why);
    *out = filter ? (uf_filter *)&odd : NULL;
    uf_free(filter);
    assert_true(counting_is_clean(&counting));
    return status;
}

/* Exactly as many different keys as declared, each of them three times; and one too many. */
static void check_capacity(const struct subject *subject, size_t count)
{
    struct keys keys = keys_make("key", count);
    uf_key *tripled = calloc(3 * count, sizeof *tripled);
    uf_filter *made;
    uf_error why;
    assert_non_null(tripled);
    for (size_t i = 0; i < 3 * count; i++)
        tripled[i] = keys.key[i % count];
    assert_status(UF_OK, build_counted(with(subject, "n=%zu", count), tripled, 3 * count, &made, &why), &why);
    assert_non_null(made);
    assert_refused(UF_EFULL, build_counted(with(subject, "n=%zu", count - 1), tripled, 3 * count, &made, &why), &why);
    assert_null(made);
    assert_non_null(strstr(why.text, "n=")); /* the declared one, and not the number of keys */
    free(tripled);
    keys_free(&keys);
}

static void check_capacities(const struct subject *subject)
{
    check_capacity(subject, 1);
    check_capacity(subject, 2);
    check_capacity(subject, 300);
}

static void test_capacity_of_many_shards(void **state)
{
    static const struct subject subjects[] = {{.spec = "dpset:epsilon=3,seed=0x1"},
                                              {.spec = "ultra:epsilon=3,seed=0x1"}};
    (void)state;
    check_capacity(&subjects[0], test_small() ? 66000 : 140000);
    check_capacity(&subjects[1], test_small() ? 66000 : 140000);
}

static int stop(void *arg, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    return ++*(int *)arg;
}

static void check_cancel(const struct subject *subject)
{
    struct keys keys = keys_make("key", 1000);
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_spec spec = spec_of(with(subject, "n=1000"));
    uf_filter *filter = NULL;
    uf_error why;
    int calls = 0;
    ctx.progress = stop;
    ctx.progress_arg = &calls;
    assert_refused(UF_ECANCELED, uf_build(&spec, keys.key, keys.count, &ctx, &filter, &why), &why);
    assert_true(!filter && calls == 1 && counting_is_clean(&counting));
    keys_free(&keys);
}

/* ---- free slots ---- */

/* The ones in the payload of `count` keys, where COUNT are declared; `bits` there are, with the seed of the one shard.
 */
static double payload_ones(const struct subject *subject, const struct keys *keys, size_t count, double *bits)
{
    uint64_t seed = 13 + count, ones = 0;
    uf_context ctx = seeded_context(&seed);
    uf_info info;
    uf_filter *filter = build(with(subject, "n=%zu", keys->count), keys->key, count, &ctx);
    uf_get_info(filter, &info, sizeof info);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    *bits = (double)info.bits + 128;
    for (size_t i = 0; i < (size_t)*bits / 8; i++)
        ones += (uint64_t)__builtin_popcount(bytes.data[4096 + i]);
    bytes_free(&bytes);
    uf_free(filter);
    return (double)ones;
}

/* The payload of no keys is as random as that of as many as declared, within 3 sigma: half ones where the columns are
 * binary, which the default need not be. */
static void check_free_slots(const struct subject *subject)
{
    struct keys keys = keys_make("key", 5000);
    if (!strcmp(subject->kind, "dpset")) {
        double bits, none = payload_ones(subject, &keys, 0, &bits),
                     all = payload_ones(subject, &keys, keys.count, &bits);
        assert_that(fabs(none - all) < 3 * sqrt(2 * bits) / 2, "%g and %g of %g bits are set", none, all, bits);
        if (strstr(subject->spec, "variant=dyadic") || strstr(subject->spec, "variant=integer"))
            assert_that(fmax(fabs(none - bits / 2), fabs(all - bits / 2)) < 3 * sqrt(bits) / 2,
                        "%g and %g of %g bits are set, not half of them", none, all, bits);
    }
    keys_free(&keys);
}

/* ---- files ---- */

static int same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_same_facts(const uf_filter *a, const uf_filter *b)
{
    uf_info one, two;
    uf_spec plan[2];
    uf_claim claim[2] = {claim_of(a), claim_of(b)};
    uf_get_info(a, &one, sizeof one);
    uf_get_info(b, &two, sizeof two);
    assert_true(one.bytes == two.bytes && one.bits == two.bits && one.capacity == two.capacity);
    uf_get_plan(a, &plan[0]);
    uf_get_plan(b, &plan[1]);
    assert_string_equal(plan[0].text, plan[1].text);
    assert_true(same_number(claim[0].epsilon, claim[1].epsilon) && claim[0].delta == claim[1].delta);
    assert_true(claim[0].fpr == claim[1].fpr && claim[0].fnr == claim[1].fnr);
    assert_string_equal(claim[0].adversary, claim[1].adversary);
}

static void check_round_trip(const struct subject *subject)
{
    static const size_t sizes[] = {1, 1000, 70000};
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct keys keys = keys_make("key", sizes[i]);
        uf_filter *made = build(with(subject, "n=%zu", sizes[i]), keys.key, sizes[i], NULL), *back;
        uf_error why;
        assert_status(UF_OK, uf_save(made, path, UF_FORMAT_UF, &why), &why);
        for (unsigned how = 0; how <= UF_MAP; how += UF_MAP) {
            assert_status(UF_OK, uf_load(path, how, NULL, &back, &why), &why);
            assert_status(UF_OK, uf_verify(back, &why), &why);
            assert_same_bytes(made, back, "saved and loaded");
            assert_same_answers(made, back, "saved and loaded");
            assert_int_equal(keys_found(back, &keys), keys_found(made, &keys));
            check_same_facts(made, back);
            uf_free(back);
        }
        uf_free(made);
        keys_free(&keys);
    }
    folder_remove(&folder);
}

/* ---- nothing changes a private filter ---- */

static void check_no_changes(const struct subject *subject)
{
    struct keys keys = keys_make("key", 100);
    uf_filter *filter = build(with(subject, "n=200"), keys.key, keys.count, NULL);
    uf_filter *other = build(with(subject, "n=200"), keys.key, keys.count, NULL);
    struct bytes before = bytes_of(filter, UF_FORMAT_UF);
    uf_error why;
    assert_status(UF_EUNSUPPORTED, uf_insert(filter, keys.key[0], NULL), NULL);
    assert_status(UF_EUNSUPPORTED, uf_insert_many(filter, keys.key, 5, NULL), NULL);
    assert_status(UF_EUNSUPPORTED, uf_insert_fixed(filter, "abc", 1, 3, NULL), NULL);
    assert_refused(UF_EUNSUPPORTED, uf_merge(filter, other, &why), &why);
    assert_status(UF_EUNSUPPORTED, uf_tune(filter, UF_KNOB_SHARED, 1), NULL);
    struct bytes after = bytes_of(filter, UF_FORMAT_UF);
    assert_true(bytes_equal(&before, &after));
    bytes_free(&before);
    bytes_free(&after);
    uf_free(filter);
    uf_free(other);
    keys_free(&keys);
}

/* ---- what it knows, and what it claims ---- */

/* Nothing that depends on the keys. */
static void check_info(const struct subject *subject)
{
    struct keys keys = keys_make("key", 100);
    uf_filter *filter = build(with(subject, "n=2000"), keys.key, keys.count, NULL);
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    assert_string_equal(info.kind, subject->kind);
    assert_int_equal(info.capacity, 2000);
    assert_true(info.bytes > 0 && info.bits > 0 && info.bits <= 8 * info.bytes);
    assert_true(isnan(info.count_estimate) && isnan(info.fill) && isnan(info.fpr_now));
    uf_free(filter);
    keys_free(&keys);
}

static double choose(double k, double j)
{
    return round(exp(lgamma(k + 1) - lgamma(j + 1) - lgamma(k - j + 1)));
}

/* P[Bin(k, p) >= t] */
static double at_least(double k, double p, double t)
{
    double sum = 0;
    for (double j = t; j <= k; j++)
        sum += choose(k, j) * pow(p, j) * pow(1 - p, k - j);
    return sum;
}

/* Of a dpset: 2^columns, or the radices, "21" or "9x12". */
static double values_of(const uf_filter *filter)
{
    uf_spec spec;
    char radix[32], *second;
    uf_get_plan(filter, &spec);
    if (uf_spec_get_text(&spec, "radix", radix, sizeof radix) != UF_OK)
        return pow(2, of_plan(filter, "columns"));
    double first = strtod(radix, &second);
    return *second ? first * strtod(second + 1, NULL) : first;
}

/* The formulas of docs/privacy.md, from the numbers of the plan. */
static void expected_rates(const struct subject *subject, const uf_filter *filter, double *fpr, double *fnr)
{
    double epsilon = subject->epsilon, n = of_plan(filter, "n");
    if (!strcmp(subject->kind, "dpset")) {
        *fpr = of_plan(filter, "accept") / values_of(filter);
        *fnr = exp(-epsilon) * (1 - *fpr);
        return;
    }
    double k = strstr(subject->spec, "paper") ? 1 : of_plan(filter, "k"), t = of_plan(filter, "t");
    double z = -expm1(n * log1p(-k / of_plan(filter, "bits")));
    double b = 1 / (1 + exp(is_published(subject) ? epsilon : epsilon / k)), a = 1 - b;
    *fpr = at_least(k, (is_published(subject) ? 0 : b) * (1 - z) + a * z, t);
    *fnr = 1 - at_least(k, a, t);
}

static void check_claim(const struct subject *subject)
{
    uf_filter *filter = build(with(subject, "n=10000"), &(uf_key){"a", 1}, 1, NULL);
    uf_claim claim = claim_of(filter);
    double fpr, fnr;
    expected_rates(subject, filter, &fpr, &fnr);
    assert_that(fabs(claim.fpr / fpr - 1) < 1e-9 && fabs(claim.fnr / fnr - 1) < 1e-9,
                "claims %.12g, %.12g not %.12g, %.12g", claim.fpr, claim.fnr, fpr, fnr);
    if (is_published(subject)) {
        assert_true(isnan(claim.epsilon));
        assert_string_equal(claim.unit, "none");
    } else {
        assert_that(claim.epsilon <= subject->epsilon && claim.epsilon > subject->epsilon - 1e-9,
                    "claims epsilon %.17g", claim.epsilon);
        assert_string_equal(claim.unit, "one key added or removed");
    }
    assert_true(claim.delta == 0 && claim.adversary[0] && claim.not_protected[0]);
    assert_that(!strncmp(claim.proof, "docs/privacy.md#", 16), "the proof is at '%s'", claim.proof);
    assert_true(strcmp(subject->kind, "dpset") ? !claim.rests_on[0] : strstr(claim.rests_on, "not proved") != NULL);
    uf_free(filter);
}

/* The plan of a filter is a plan: it is accepted, generation after generation, and stays the same. */
static void check_twins(const struct subject *subject)
{
    static const size_t sizes[] = {0, 1, 100, 9000, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uf_filter *filter = build(with(subject, "n=%zu", sizes[i]), NULL, 0, NULL);
        uf_spec plan;
        uf_get_plan(filter, &plan);
        for (int generation = 0; generation < 3; generation++) {
            uf_filter *twin = build(plan.text, NULL, 0, NULL);
            check_same_facts(filter, twin);
            uf_free(twin);
        }
        uf_free(filter);
    }
}

static int is_marked(const uf_filter *filter)
{
    return !strncmp(claim_of(filter).adversary, "nobody", 6);
}

/* Noise that someone can repeat protects from nobody, and a file does not forget it. */
static void check_test_randomness_is_marked(const struct subject *subject)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uint64_t seed = 14;
    uf_context ctx = seeded_context(&seed);
    uf_filter *tested = build(with(subject, "n=10"), NULL, 0, &ctx),
              *real = build(with(subject, "n=10"), NULL, 0, NULL);
    uf_filter *back;
    assert_true(is_marked(tested) && !is_marked(real));
    for (unsigned how = 0; how <= UF_MAP; how += UF_MAP) {
        assert_status(UF_OK, uf_save(tested, path, UF_FORMAT_UF, NULL), NULL);
        assert_status(UF_OK, uf_load(path, how, NULL, &back, NULL), NULL);
        assert_true(is_marked(back));
        uf_free(back);
    }
    uf_free(tested);
    uf_free(real);
    folder_remove(&folder);
}

/* ---- the noisy count ---- */

enum { KEYS = 1000, COUNTS = 300 };

/* The mean capacity of filters of 1000 keys that came three times each. */
static double mean_count(const char *text, double epsilon)
{
    struct keys keys = keys_make("key", KEYS);
    uf_key tripled[3 * KEYS];
    uint64_t seed = 15;
    uf_context ctx = seeded_context(&seed);
    double mean = 0;
    for (size_t i = 0; i < 3 * KEYS; i++)
        tripled[i] = keys.key[i % KEYS];
    for (int i = 0; i < COUNTS; i++) {
        uf_filter *filter = build(text, tripled, 3 * KEYS, &ctx);
        uf_claim claim = claim_of(filter);
        uf_info info;
        uf_get_info(filter, &info, sizeof info);
        mean += (double)info.capacity / COUNTS;
        assert_true(info.capacity >= KEYS);
        assert_true(claim.epsilon <= epsilon && claim.epsilon > epsilon - 1e-9);
        assert_true(claim.delta == 0x1p-40 && !strstr(claim.not_protected, "capacity"));
        uf_free(filter);
    }
    keys_free(&keys);
    return mean;
}

/* At count_epsilon 0.5 the noise has a standard deviation of 2.8, its mean over 300 of 0.16. The same sample rejects a
 * count of all 3000, and one without the margin. */
static void test_noisy_count(void **state)
{
    static const char *const specs[] = {"dpset:epsilon=1,count_epsilon=0.5", "ultra:epsilon=1,count_epsilon=0.5"};
    double sigma = sqrt(2 * exp(-0.5)) / (1 - exp(-0.5)) / sqrt(COUNTS), margin = ceil(40 * log(2) / 0.5) + 1;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        double mean = mean_count(specs[i], 1.5);
        assert_that(fabs(mean - KEYS - margin) < 3 * sigma, "the mean is %g, expected %g", mean, KEYS + margin);
        assert_true(fabs(mean - 3 * KEYS - margin) > 3 * sigma && fabs(mean - KEYS) > 3 * sigma);
    }
}

/* What was counted is in the plan as a capacity: a twin costs epsilon alone, and says that n is public. */
static void test_twin_of_a_noisy_count(void **state)
{
    struct keys keys = keys_make("key", 100);
    uf_filter *counted = build("dpset:epsilon=2,count_epsilon=1", keys.key, keys.count, NULL);
    uf_spec plan;
    (void)state;
    uf_get_plan(counted, &plan);
    assert_null(strstr(plan.text, "count_epsilon"));
    uf_filter *twin = build(plan.text, keys.key, keys.count, NULL);
    assert_true(claim_of(counted).epsilon > 2.9 && claim_of(twin).epsilon <= 2);
    assert_true(of_plan(counted, "n") == of_plan(twin, "n"));
    assert_non_null(strstr(claim_of(twin).not_protected, "capacity"));
    uf_free(counted);
    uf_free(twin);
    keys_free(&keys);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    static const struct {
        const char *spec, *named;
        int status;
    } cases[] = {
        {"dpset:n=10", "epsilon", UF_EINVAL},
        {"ultra:n=10", "epsilon", UF_EINVAL},
        {"dpset:epsilon=3", "capacity", UF_EINVAL},
        {"ultra:epsilon=3", "capacity", UF_EINVAL},
        {"dpset:n=1O000,epsilon=1", "n=1O000", UF_EINVAL},
        {"ultra:n=12abc,epsilon=1", "n=12abc", UF_EINVAL},
        {"dpset:n=0x10,epsilon=1", "n=0x10", UF_EINVAL},
        {"dpset:n=1000;epsilon=1", "n=1000;epsilon=1", UF_EINVAL},
        {"dpset:n=10,epsilon=0.0499", "epsilon", UF_EINVAL},
        {"dpset:n=10,epsilon=20.1", "epsilon", UF_EINVAL},
        {"dpset:n=10,epsilon=-1", "epsilon", UF_EINVAL},
        {"dpset:n=10,epsilon=nan", "epsilon", UF_EINVAL},
        {"ultra:n=10,epsilon=0", "epsilon", UF_EINVAL},
        {"ultra:n=10,epsilon=-1,mechanism=published", "epsilon", UF_EINVAL},
        {"dpset:n=10,epsilon=3,count_epsilon=1", "count_epsilon", UF_EINVAL},
        {"ultra:n=10,epsilon=3,count_epsilon=1", "count_epsilon", UF_EINVAL},
        {"dpset:epsilon=3,count_epsilon=0", "count_epsilon", UF_EINVAL},
        {"dpset:epsilon=3,count_epsilon=21", "count_epsilon", UF_EINVAL},
        {"dpset:n=2e12,epsilon=3", "2^40", UF_EIMPOSSIBLE},
        {"dpset:n=10,epsilon=3,slack=0.02", "slack", UF_EINVAL},
        {"dpset:n=10,epsilon=3,slack=0.1,variant=dyadic", "slack", UF_EINVAL},
        {"dpset:n=10,epsilon=3,slack=5", "slack", UF_EINVAL},
        {"dpset:n=10,epsilon=3,variant=other", "variant", UF_EINVAL},
        {"dpset:n=10,epsilon=3,columns=12", "accept", UF_EINVAL},
        {"dpset:n=10,epsilon=3,accept=195", "columns", UF_EINVAL},
        {"dpset:n=10,epsilon=3,columns=12,accept=194", "epsilon", UF_EINVAL}, /* one too few */
        {"dpset:n=10,epsilon=3,columns=12,accept=2049", "columns", UF_EINVAL},
        {"dpset:n=10,epsilon=3,columns=33,accept=500000000", "columns", UF_EINVAL},
        {"dpset:n=10,epsilon=3,columns=14,accept=8191", "columns", UF_EINVAL}, /* 13 groups */
        {"dpset:n=10,epsilon=3,columns=12,accept=195,bits_per_key=7", "bits_per_key", UF_EINVAL},
        {"dpset:n=10,epsilon=3,bits_per_key=0", "bits_per_key", UF_EINVAL},
        {"dpset:n=10,epsilon=3,bits_per_key=0.5", "bits_per_key", UF_EIMPOSSIBLE},
        {"ultra:n=10,epsilon=3,k=0", "k=0", UF_EINVAL},
        {"ultra:n=10,epsilon=3,k=65", "k=65", UF_EINVAL},
        {"ultra:n=10,epsilon=3,k=4,t=5", "t=5", UF_EINVAL},
        {"ultra:n=10,epsilon=3,mechanism=other", "mechanism", UF_EINVAL},
        {"ultra:n=10,epsilon=3,hashes=paper", "hashes", UF_EINVAL},
        {"ultra:n=10,epsilon=3,bits=10,bits_per_key=1", "bits", UF_EINVAL},
        {"ultra:n=10,epsilon=3,bits=3,k=4", "k=4", UF_EINVAL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uf_spec spec = spec_unchecked(cases[i].spec);
        uf_builder *builder = NULL;
        uf_error why;
        int status = uf_builder_new(&spec, NULL, &builder, &why); /* at once, not at the end */
        assert_that(status == cases[i].status && !builder, "%s gave %d", cases[i].spec, status);
        assert_that(strstr(why.text, cases[i].named) != NULL, "%s: '%s' does not name %s", cases[i].spec, why.text,
                    cases[i].named);
    }
}

int main(void)
{
    const struct check checks[] = {
        {"query, query_many and query_fixed agree", check_all_ways_to_ask},
        {"odd keys", check_odd_keys},
        {"no keys", check_empty},
        {"capacity", check_capacities},
        {"cancelled", check_cancel},
        {"free slots", check_free_slots},
        {"saved and loaded", check_round_trip},
        {"insert, merge", check_no_changes},
        {"info", check_info},
        {"claim", check_claim},
        {"twins", check_twins},
        {"test randomness", check_test_randomness_is_marked},
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted_keys_are_found),
        cmocka_unit_test(test_capacity_of_many_shards),
        cmocka_unit_test(test_noisy_count),
        cmocka_unit_test(test_twin_of_a_noisy_count),
        cmocka_unit_test(test_refused),
    };
    int failed = subjects_run_private("conform_private", checks, sizeof checks / sizeof checks[0]);
    return failed | cmocka_run_group_tests_name("private kinds", tests, NULL, NULL);
}
