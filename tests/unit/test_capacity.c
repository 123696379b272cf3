/* SPDX-License-Identifier: MIT */
/*
 * Full filters that refuse: what takes room and what does not, where the boundary is, that neither time nor someone who
 * chooses keys moves the rate past the plan, and that a refusal changes nothing. Chains are in test_chain.c.
 */
#include "capacity.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "blocked.h"
#include "counting.h"
#include "hash_inline.h"
#include "kinds.h"
#include "partitions.h"
#include "rates.h"
#include "samples.h"

/* Every kind that can be full, with and without a key. */
static const char *const refusing[] = {
    "bloom:fpr=0.001,full=refuse,seed=0x1,",     "blocked:fpr=0.001,full=refuse,seed=0x2,",
    "counting:fpr=0.001,full=refuse,seed=0x3,",  "deletable:fpr=0.001,full=refuse,seed=0x4,",
    "tombstone:fpr=0.001,full=refuse,seed=0x5,", "keyed(bloom:fpr=0.001,seed=0x6,",
    "keyed(blocked:fpr=0.001,prf=aes,seed=0x7,",
};

enum { REFUSING = sizeof refusing / sizeof refusing[0], N = 2000 };

static int try_build(const char *start, uint64_t n, const uf_key *keys, size_t count, uf_filter **out, uf_error *why)
{
    char text[128];
    uf_context ctx = secret_context();
    (void)snprintf(text, sizeof text, "%sn=%llu%s", start, (unsigned long long)n, *start == 'k' ? ")" : "");
    if (*start != 'k')
        ctx.secret = NULL;
    uf_spec spec = spec_of(text);
    return uf_build(&spec, keys, count, &ctx, out, why);
}

static uf_filter *build(const char *start, uint64_t n, const uf_key *keys, size_t count)
{
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, try_build(start, n, keys, count, &filter, &why), &why);
    return filter;
}

static uint64_t counted(const uf_filter *filter)
{
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    return (uint64_t)info.count;
}

static double rate_now(const uf_filter *filter)
{
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    return info.fpr_now;
}

static double design(const uf_filter *filter)
{
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    return claim.fpr;
}

/* What was kept key by key is what the words say. */
static void assert_exact(const uf_filter *filter)
{
    struct survey survey;
    filter->ops->survey(filter, &survey);
    assert_int_equal(filter->capacity.limit - filter->capacity.spare.measure, survey.measure);
}

/* ---- policies ---- */

static void check_policy(const char *spec, const char *full)
{
    uf_context ctx = secret_context();
    uf_spec parsed = spec_of(spec), plan;
    uf_filter *filter;
    uf_info info;
    uf_error why;
    if (*spec != 'k')
        ctx.secret = NULL;
    assert_status(UF_OK, uf_build(&parsed, NULL, 0, &ctx, &filter, &why), &why);
    uf_get_info(filter, &info, sizeof info);
    uf_get_plan(filter, &plan);
    if (full)
        assert_string_equal(full, info.full);
    else
        assert_null(info.full);
    assert_int_equal(isnan(info.count), !full || strcmp(full, "refuse") != 0);
    assert_int_equal(strstr(plan.text, "full=") != NULL, strstr(spec, "full=") != NULL);
    uf_free(filter);
}

static void test_policies(void **state)
{
    uf_spec spec;
    uf_error why;
    (void)state;
    check_policy("bloom:n=10", "warn");
    check_policy("keyed(bloom:n=10)", "refuse");
    check_policy("bloom:n=10,full=refuse", "refuse");
    check_policy("keyed(counting:n=10,full=warn)", "warn");
    check_policy("blocked:n=10,full=scale", "scale");
    check_policy("keyed(ribbon:n=0)", NULL);
    check_policy("dcso:n=10", NULL);
    assert_refused(UF_EINVAL, uf_spec_parse("bloom:full=grow", &spec, &why), &why);
    assert_non_null(strstr(why.text, "refuse, warn or scale"));
    assert_refused(UF_EINVAL, uf_spec_parse("ribbon:full=warn", &spec, &why), &why);
    assert_refused(UF_EINVAL, uf_spec_parse("learned:full=refuse", &spec, &why), &why);
    assert_refused(UF_EINVAL, uf_spec_parse("dcso:full=refuse", &spec, &why), &why);
    assert_refused(UF_EINVAL, uf_spec_parse("counting:full=scale", &spec, &why), &why);
    assert_non_null(strstr(why.text, "counting"));
}

/* ---- the boundary ---- */

static void test_builds(void **state)
{
    struct keys keys = keys_make("key", N + 1);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++) {
        uf_filter *filter = NULL;
        uf_error why;
        for (size_t count = N - 1; count <= N; count++) {
            filter = build(refusing[i], N, keys.key, count);
            assert_int_equal(counted(filter), count);
            uf_free(filter);
        }
        filter = NULL;
        assert_refused(UF_EFULL, try_build(refusing[i], N, keys.key, N + 1, &filter, &why), &why);
        assert_true(!filter && strstr(why.text, "2001 keys") && strstr(why.text, "n=2000"));
        assert_status(UF_OK, try_build(refusing[i], 0, keys.key, 0, &filter, &why), &why);
        assert_status(UF_EFULL, uf_insert(filter, keys.key[0], NULL), NULL); /* planned for none */
        uf_free(filter);
    }
    keys_free(&keys);
}

/* An array so small that it is full says nothing about how many keys there are. */
static void test_tiny(void **state)
{
    struct keys keys = keys_make("key", 3);
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        char text[64];
        uf_context ctx = UF_CONTEXT_INIT;
        uf_filter *filter = NULL;
        uf_error why;
        ctx.secret = secret_number(0);
        (void)snprintf(text, sizeof text, "keyed(bloom:n=2,fpr=0.9,seed=0x%x)", seed);
        uf_spec spec = spec_of(text);
        assert_status(UF_OK, uf_build(&spec, keys.key, 2, &ctx, &filter, &why), &why);
        uf_free(filter);
    }
    keys_free(&keys);
}

/* At 0.1 % next to none of 2,000 keys is taken for another before it comes: so n go in, and then no more but those. */
static void test_inserts(void **state)
{
    struct keys keys = keys_make("key", 2 * N);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++) {
        uf_filter *filter = build(refusing[i], N, NULL, 0);
        size_t refused = 0;
        assert_status(UF_OK, uf_insert_many(filter, keys.key, N - 1, NULL), NULL);
        assert_status(UF_OK, uf_insert(filter, keys.key[N - 1], NULL), NULL);
        assert_that(counted(filter) >= N - 4 && counted(filter) <= N, "%s: %llu", refusing[i],
                    (unsigned long long)counted(filter));
        assert_status(UF_EFULL, uf_insert_many(filter, keys.key + N, N, NULL), NULL);
        assert_int_equal(counted(filter), N);
        for (size_t j = N; j < 2 * N; j++)
            refused += !uf_query(filter, keys.key[j]);
        assert_that(refused > N - 12, "%s: %zu of %d refused", refusing[i], refused, N);
        assert_exact(filter);
        keys.count = N;
        assert_int_equal(keys_found(filter, &keys), N);
        assert_true(rate_now(filter) < 1.2 * design(filter));
        keys.count = 2 * N;
        uf_free(filter);
    }
    keys_free(&keys);
}

/* A refusal changes no byte, and what is in the filter may come again. */
static void test_refusal(void **state)
{
    struct keys keys = keys_make("key", N), others = keys_make("other", N);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++) {
        uf_filter *filter = build(refusing[i], N, keys.key, N);
        struct bytes before = bytes_of(filter, UF_FORMAT_UF);
        for (size_t j = 0; j < N; j++)
            if (!uf_query(filter, others.key[j]))
                assert_status(UF_EFULL, uf_insert(filter, others.key[j], NULL), NULL);
        struct bytes after = bytes_of(filter, UF_FORMAT_UF);
        assert_true(bytes_equal(&before, &after));
        assert_status(UF_OK, uf_insert_many(filter, keys.key, N, NULL), NULL);
        assert_int_equal(counted(filter), N);
        bytes_free(&before);
        bytes_free(&after);
        uf_free(filter);
    }
    keys_free(&keys);
    keys_free(&others);
}

/* The count is in the file: the boundary is where it was, also for whoever loads it. */
static void test_saved(void **state)
{
    struct keys keys = keys_make("key", N + 1);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++) {
        uf_context ctx = secret_context();
        uf_filter *filter = build(refusing[i], N, keys.key, N - 1), *back;
        struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
        uf_error why;
        assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &ctx, &back, &why), &why);
        assert_int_equal(counted(back), N - 1);
        assert_status(UF_OK, uf_insert(back, keys.key[N - 1], NULL), NULL);
        assert_status(UF_EFULL, uf_insert(back, keys.key[N], NULL), NULL);
        bytes_free(&bytes);
        uf_free(filter);
        uf_free(back);
    }
    keys_free(&keys);
}

/* A count that no build makes. */
static void test_saved_damage(void **state)
{
    struct bytes bytes = sample_of("bloom:n=100,fpr=0.01,full=refuse,seed=0x1", 100);
    enum { POLICY = 70, COUNT = 92 };
    uf_filter *filter;
    uf_error why;
    (void)state;
    assert_int_equal(bytes.data[POLICY], FULL_REFUSE);
    assert_int_equal(bytes.data[COUNT], 100);
    static const struct {
        size_t at;
        unsigned char value;
        int status;
    } change[] = {{COUNT, 101, UF_EFORMAT}, {COUNT, 99, UF_OK},          {COUNT + 7, 1, UF_EFORMAT},
                  {POLICY, 0, UF_EFORMAT},  {POLICY, 2, UF_EFORMAT},     {POLICY, 3, UF_EVERSION},
                  {48, 3, UF_EFORMAT},      {POLICY + 1, 1, UF_EVERSION}};
    for (size_t i = 0; i < sizeof change / sizeof change[0]; i++) {
        unsigned char before = bytes.data[change[i].at];
        bytes.data[change[i].at] = change[i].value;
        reseal_header(bytes.data);
        int status = uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, NULL, &filter, &why);
        assert_status(change[i].status, status, &why);
        if (status == UF_OK)
            uf_free(filter);
        bytes.data[change[i].at] = before;
    }
    bytes_free(&bytes);
}

/* ---- the same keys again, removals, unions ---- */

static void test_duplicates(void **state)
{
    struct keys keys = keys_make("key", N);
    uf_key twice[2 * N];
    (void)state;
    for (size_t i = 0; i < 2 * N; i++)
        twice[i] = keys.key[i / 2];
    for (size_t i = 0; i < REFUSING; i++) {
        uf_filter *filter = build(refusing[i], N, twice, 2 * N);
        assert_true(counted(filter) <= N && counted(filter) > N / 100 * 95);
        uf_free(filter);
        filter = build(refusing[i], N, NULL, 0);
        for (size_t j = 0; j < 3; j++)
            assert_status(UF_OK, uf_insert_many(filter, twice, 2 * N, NULL), NULL);
        assert_true(counted(filter) <= N && counted(filter) > N - 10);
        uf_free(filter);
        filter = build(refusing[i], N, twice, N); /* half of the room is left */
        assert_status(UF_OK, uf_insert_many(filter, keys.key, (size_t)(0.9 * N), NULL), NULL);
        uf_free(filter);
    }
    keys_free(&keys);
}

static void test_removals(void **state)
{
    enum { GONE = 50 };
    struct keys keys = keys_make("key", N), others = keys_make("other", 2 * GONE);
    uf_filter *filter = build("counting:fpr=0.001,full=refuse,seed=0x1,", N, keys.key, N);
    (void)state;
    assert_status(UF_EFULL, uf_insert(filter, others.key[0], NULL), NULL);
    assert_status(UF_OK, uf_insert(filter, keys.key[N - 1], NULL),
                  NULL); /* a second copy takes no room and leaves none */
    assert_status(UF_OK, uf_remove(filter, keys.key[N - 1], NULL), NULL);
    assert_status(UF_EFULL, uf_insert(filter, others.key[0], NULL), NULL);
    assert_status(UF_OK, uf_remove_many(filter, keys.key, GONE, NULL, NULL), NULL);
    assert_true(counted(filter) <= N - GONE + 2);
    assert_status(UF_OK, uf_insert_many(filter, others.key, GONE, NULL), NULL);
    assert_status(UF_EFULL, uf_insert_many(filter, others.key + GONE, GONE, NULL), NULL);
    uf_free(filter);
    filter = build("tombstone:fpr=0.001,full=refuse,seed=0x1,", N, keys.key, N);
    assert_status(UF_OK, uf_remove_many(filter, keys.key, GONE, NULL, NULL), NULL);
    assert_status(UF_EFULL, uf_insert(filter, others.key[0], NULL),
                  NULL); /* what was removed still is in it, covered */
    uf_free(filter);
    keys_free(&keys);
    keys_free(&others);
}

/* Keys come and go for long, some of them while others hide them: the count must not drift away from the truth. */
static void test_churn(void **state)
{
    enum { SMALL = 500 };
    struct keys keys = keys_make("key", 40 * SMALL);
    uf_filter *filter = build("counting:fpr=0.2,full=refuse,seed=0x1,", SMALL, NULL, 0);
    size_t first = 0;
    (void)state;
    for (size_t i = 0; i < keys.count; i++) {
        assert_status(UF_OK, uf_insert(filter, keys.key[i], NULL), NULL);
        for (; i - first >= SMALL / 2; first++)
            assert_status(UF_OK, uf_remove(filter, keys.key[first], NULL), NULL);
    }
    assert_true(counted(filter) <= SMALL);
    assert_exact(filter);
    uf_free(filter);
    keys_free(&keys);
}

static void test_unions(void **state)
{
    struct keys keys = keys_make("key", 2 * N);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++) {
        uf_filter *a = build(refusing[i], N, keys.key, N / 2), *b = build(refusing[i], N, keys.key + N / 2, N / 2);
        uf_filter *c = build(refusing[i], N, keys.key + N, N / 2);
        uf_error why;
        assert_status(UF_OK, uf_merge(a, b, &why), &why);
        assert_int_equal(counted(a), N);
        assert_status(UF_OK, uf_merge(a, b, &why), &why); /* nothing new, by the fill */
        assert_true(counted(a) <= N && counted(a) > N / 100 * 96);
        struct bytes before = bytes_of(a, UF_FORMAT_UF);
        assert_refused(UF_EFULL, uf_merge(a, c, &why), &why);
        struct bytes after = bytes_of(a, UF_FORMAT_UF);
        assert_true(bytes_equal(&before, &after));
        bytes_free(&before);
        bytes_free(&after);
        uf_free(a);
        uf_free(b);
        uf_free(c);
    }
    keys_free(&keys);
}

/* Keys that both have count twice, but no more often than the fill leaves open. */
static void test_unions_again(void **state)
{
    struct keys keys = keys_make("key", N / 2);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++) {
        uf_filter *a = build(refusing[i], N, keys.key, keys.count), *b = build(refusing[i], N, keys.key, keys.count);
        for (unsigned times = 0; times < 10; times++) {
            assert_status(UF_OK, uf_merge(a, b, NULL), NULL);
            assert_true((double)counted(a) <= (double)keys.count + 2 * a->capacity.tolerance);
        }
        uf_free(a);
        uf_free(b);
    }
    keys_free(&keys);
}

/* ---- those who choose keys ---- */

static unsigned fresh_bits(const uf_filter *bloom, struct hash128 hash)
{
    struct positions view = partitions_view(CONST_PARAMS(struct partitions, bloom), bloom->words);
    uint64_t at[POSITIONS_MOST_K];
    unsigned fresh = 0;
    position_all(&view, hash, at);
    for (unsigned i = 0; i < view.k; i++)
        fresh += !(view.words[at[i] / 64] >> at[i] % 64 & 1);
    return fresh;
}

/* Inserts the best of 100 candidates each time, until it is refused or `most` are in. */
static uint64_t pollute(uf_filter *bloom, uint64_t most)
{
    uint64_t candidate = 0;
    for (uint64_t in = 0; in < most; in++) {
        uint64_t best = 0;
        unsigned fresh = 0, k = CONST_PARAMS(struct partitions, bloom)->k;
        for (unsigned i = 0; i < 100 && fresh < k; i++, candidate++) {
            unsigned here = fresh_bits(bloom, hash_any(&bloom->hasher, (uf_key){&candidate, sizeof candidate}));
            best = here > fresh ? candidate : best;
            fresh = here > fresh ? here : fresh;
        }
        if (uf_insert_fixed(bloom, &best, sizeof best, 1, NULL) == UF_EFULL)
            return in;
    }
    return most;
}

/* One who knows the hash fills it with fewer keys, not to a higher rate; where nothing is refused, to a much higher. */
static void test_pollution(void **state)
{
    enum { LARGE = 20000 };
    uf_filter *refuses = build("bloom:fpr=0.01,full=refuse,seed=0x1,", LARGE, NULL, 0);
    uf_filter *takes = build("bloom:fpr=0.01,seed=0x1,", LARGE, NULL, 0);
    (void)state;
    uint64_t in = pollute(refuses, LARGE), control = pollute(takes, LARGE);
    print_message("refused after %llu of %d keys at %.3f times the planned rate; not refused: %.2f times\n",
                  (unsigned long long)in, LARGE, rate_now(refuses) / design(refuses), rate_now(takes) / design(takes));
    assert_that(in > LARGE / 100 * 70 && in < LARGE / 100 * 85, "%llu keys were in", (unsigned long long)in);
    assert_that(rate_now(refuses) < 1.1 * design(refuses), "%.4f", rate_now(refuses));
    assert_true(control == LARGE && rate_now(takes) > 4 * design(takes));
    uf_free(refuses);
    uf_free(takes);
}

/* The rate at which a filter refuses, whatever comes: docs/kinds.md#full-filters. */
static double most_rate(const uf_filter *filter)
{
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    const struct partitions *bits = CONST_PARAMS(struct partitions, filter);
    if (filter->ops != &kind_blocked)
        return pow(limit_cells(bits->n, bits->part, bits->k) / ((double)bits->part * bits->k), bits->k);
    return limit_blocks(blocked->n, blocked->blocks, blocked->k) / (double)blocked->blocks;
}

/* Inserts keys whose blocks are among the first `share` of all, until one is refused or `most` are in. */
static uint64_t concentrate(uf_filter *blocked, double share, uint64_t most)
{
    uint64_t in = 0, blocks = CONST_PARAMS(struct blocked, blocked)->blocks;
    for (uint64_t key = 0; in < most; key++) {
        struct hash128 hash = hash_any(&blocked->hasher, (uf_key){&key, sizeof key});
        if ((double)mul_high(hash.hi, blocks) >= share * (double)blocks)
            continue;
        if (uf_insert_fixed(blocked, &key, sizeof key, 1, NULL) == UF_EFULL)
            return in;
        in++;
    }
    return in;
}

/* All keys into a share of the blocks: the fill stays that of few keys, the rate does not. Whoever knows the hash, or
 * the key, gets no further than the page says; where nothing is refused, to fifty times the plan. */
static void test_concentration(void **state)
{
    enum { LARGE = 20000 };
    static const char *const specs[] = {"blocked:fpr=0.01,full=refuse,seed=0x1,", "keyed(blocked:fpr=0.01,seed=0x2,",
                                        "blocked:fpr=0.01,k=16,full=refuse,seed=0x3,"};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (double share = 0.25; share < 1; share += 0.3) {
            uf_filter *filter = build(specs[i], LARGE, NULL, 0);
            uint64_t in = concentrate(filter, share, LARGE);
            assert_that(in < LARGE && rate_now(filter) <= most_rate(filter), "%s %.2f: %llu keys, %.4f", specs[i],
                        share, (unsigned long long)in, rate_now(filter));
            assert_true(most_rate(filter) < (i < 2 ? 1.4 : 1.6) * design(filter));
            assert_exact(filter);
            uf_free(filter);
        }
    uf_filter *takes = build("blocked:fpr=0.01,seed=0x1,", LARGE, NULL, 0);
    assert_true(concentrate(takes, 0.55, LARGE) == LARGE && rate_now(takes) > 5 * design(takes));
    uf_free(takes);
}

/* The same keys at once, in a build and by threads; and a chain has no level above its rate. */
static void test_concentration_elsewhere(void **state)
{
    enum { LARGE = 20000 };
    uf_filter *all = build("blocked:fpr=0.01,full=warn,seed=0x1,", LARGE, NULL, 0), *filter = NULL;
    uint64_t *chosen = calloc(LARGE, sizeof *chosen), count = 0;
    uf_key *key = calloc(LARGE, sizeof *key);
    uf_error why;
    (void)state;
    for (uint64_t i = 0; count < LARGE; i++)
        if (hash_any(&all->hasher, (uf_key){&i, sizeof i}).hi < UINT64_MAX / 4) {
            chosen[count] = i;
            key[count] = (uf_key){&chosen[count], sizeof i};
            count++;
        }
    static const char spec[] = "blocked:fpr=0.01,full=refuse,seed=0x1,";
    assert_refused(UF_EFULL, try_build(spec, LARGE, key, LARGE, &filter, &why), &why);
    assert_non_null(strstr(why.text, "chose"));
    filter = build(spec, LARGE, NULL, 0);
    assert_status(UF_OK, uf_tune(filter, UF_KNOB_SHARED, 1), NULL);
    assert_status(UF_EFULL, uf_insert_many(filter, key, LARGE, NULL), NULL);
    assert_that(rate_now(filter) <= most_rate(filter), "%.4f", rate_now(filter));
    uf_free(filter);
    filter = build("blocked:fpr=0.01,full=scale,seed=0x1,", LARGE, NULL, 0);
    assert_status(UF_OK, uf_insert_many(filter, key, LARGE, NULL), NULL);
    assert_true(filter->children > 1 && rate_now(filter) < 1.5 * design(filter));
    uf_free(filter);
    uf_free(all);
    free(chosen);
    free(key);
}

/* ---- what files say ---- */

/* The file of a twin with far too many keys, that says it has none: whoever writes it needs no key for that. */
static uf_filter *forged_twin(const uf_filter *filter, const struct keys *others, const uf_context *ctx)
{
    uf_filter *twin = NULL, *forged = NULL;
    uf_error why;
    assert_status(UF_OK, uf_copy(filter, NULL, &twin, &why), &why);
    twin->capacity.policy = FULL_WARN;
    assert_status(UF_OK, uf_insert_many(twin, others->key, others->count, &why), &why);
    twin->capacity.policy = FULL_REFUSE;
    twin->capacity.spare.keys = twin->capacity.n;
    struct bytes bytes = bytes_of(twin, UF_FORMAT_UF);
    assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, ctx, &forged, &why), &why);
    bytes_free(&bytes);
    uf_free(twin);
    return forged;
}

static void test_forged_twins(void **state)
{
    struct keys keys = keys_make("key", N), others = keys_make("other", 5 * N);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++) {
        uf_context ctx = secret_context();
        uf_filter *filter = build(refusing[i], N, keys.key, N / 2), *forged = forged_twin(filter, &others, &ctx);
        uf_error why;
        /* Bits are believed, not the file; but those of deletable may be of keys that are gone. */
        assert_int_equal(counted(forged), forged->ops->leaves_cells ? 0 : N);
        assert_refused(UF_EFULL, uf_merge(filter, forged, &why), &why);
        assert_int_equal(counted(filter), N / 2);
        assert_true(rate_now(filter) < design(filter));
        /* What is far above its limit takes no new key, also when some are removed. */
        if (i == 2)
            assert_status(UF_OK, uf_remove_many(forged, others.key, N, NULL, NULL), NULL);
        assert_status(UF_EFULL, uf_insert_many(forged, keys.key + N / 2, N / 2, NULL), NULL);
        assert_int_equal(forged->capacity.spare.measure, 0);
        uf_free(filter);
        uf_free(forged);
    }
    keys_free(&keys);
    keys_free(&others);
}

/* What a file hides that has more removals than it takes is what it claims. */
static void test_forged_removals(void **state)
{
    struct keys keys = keys_make("key", N);
    uf_filter *filter = build("keyed(tombstone:fpr=0.01,removed=50,seed=0x1,", N, keys.key, N);
    uf_claim claim;
    uf_info info;
    (void)state;
    filter->capacity.policy = FULL_WARN;
    assert_status(UF_OK, uf_remove_many(filter, keys.key, 50, NULL, NULL), NULL);
    (void)uf_remove_many(filter, keys.key, 200, NULL, NULL);
    filter->capacity.policy = FULL_REFUSE;
    uf_get_claim(filter, &claim, sizeof claim);
    uf_get_info(filter, &info, sizeof info);
    assert_true(info.fnr_now > 0.2 && claim.adversarial_fnr >= info.fnr_now);
    uf_free(filter);
    keys_free(&keys);
}

/* A view cannot change, but a copy of it can. */
static void check_copy_of_view(const struct bytes *bytes, const uf_context *ctx, uint64_t count)
{
    uf_filter *view = NULL, *copy = NULL;
    uf_error why;
    assert_status(UF_OK, uf_load_view(bytes->data, bytes->size, ctx, &view, &why), &why);
    assert_status(UF_OK, uf_copy(view, ctx, &copy, &why), &why);
    assert_int_equal(counted(copy), count);
    uf_free(copy);
    uf_free(view);
}

/* A count that is too low is raised to what the bits tell for certain, one that is too high lowered. */
static void test_forged_counts(void **state)
{
    struct keys keys = keys_make("key", N);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++)
        for (unsigned full = 0; full < 2; full++) {
            uf_context ctx = secret_context();
            uf_filter *filter = build(refusing[i], N, keys.key, full ? 0 : N), *back = NULL;
            uf_error why;
            filter->capacity.spare.keys = full ? 0 : N;
            struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
            assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &ctx, &back, &why), &why);
            uint64_t least = full || filter->ops->leaves_cells ? 0 : N / 100 * 90, most = full ? 0 : N;
            assert_that(counted(back) >= least && counted(back) <= most, "%s: %llu", refusing[i],
                        (unsigned long long)counted(back));
            check_copy_of_view(&bytes, &ctx, counted(back));
            bytes_free(&bytes);
            uf_free(filter);
            uf_free(back);
        }
    keys_free(&keys);
}

/* n keys always fit, also with saves in between, of which each may set the count right: at a rate where many of them
 * are taken for others, so that it is far behind. */
static void test_promise_after_loads(void **state)
{
    enum { LARGE = 30000, STEP = LARGE / 10 };
    struct keys keys = keys_make("key", LARGE);
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        char spec[64];
        (void)snprintf(spec, sizeof spec, "%s:fpr=0.5,full=refuse,seed=0x%zx,", i % 2 ? "blocked" : "bloom", i);
        uf_filter *filter = build(spec, LARGE, NULL, 0);
        for (size_t done = 0; done < LARGE;) {
            size_t step = done < LARGE - STEP ? STEP : 10 + (LARGE - 10 - done) / 2;
            step = step < LARGE - done ? step : LARGE - done;
            assert_status(UF_OK, uf_insert_many(filter, keys.key + done, step, NULL), NULL);
            struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
            uf_error why;
            uf_free(filter);
            assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, NULL, &filter, &why), &why);
            bytes_free(&bytes);
            done += step;
        }
        assert_int_equal(keys_found(filter, &keys), LARGE);
        uf_free(filter);
    }
    keys_free(&keys);
}

/* ---- for long ---- */

static size_t resident_pages(void)
{
    size_t all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%zu %zu", &all, &resident) != 2)
        resident = 0;
    if (file)
        (void)fclose(file);
    return resident;
}

/* 10^5 keys too many, 10^7 with UF_TEST_FULL=1: no memory is asked for, and the rate is what it was, the planned one.
 */
static void test_for_long(void **state)
{
    enum { LARGE = 100000, BATCH = 500 };
    struct counting counting = {.calls = 0};
    uf_context ctx = counting_context(&counting);
    uf_spec spec = spec_of("keyed(bloom:n=100000,fpr=0.01,seed=0x1)");
    uint64_t past = test_full() ? 10000000 : LARGE, batch[BATCH], asked = 1000000, hits = 0, next = 0;
    uf_filter *filter;
    uf_error why;
    (void)state;
    ctx.secret = secret_number(0);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, &why), &why);
    size_t calls = counting.calls, pages = 0;
    for (uint64_t done = 0; done < LARGE + past; done += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            batch[i] = next++;
        int status = uf_insert_fixed(filter, batch, sizeof batch[0], BATCH, NULL);
        assert_that(status == UF_OK || status == UF_EFULL, "%d", status);
        if (done == LARGE)
            pages = resident_pages();
    }
    assert_int_equal(counting.calls, calls);
    assert_true(resident_pages() <= pages + 64);
    assert_int_equal(counted(filter), LARGE);
    for (uint64_t i = 0; i < asked; i++) {
        uint64_t probe = UINT64_C(1) << 60 | i;
        hits += (uint64_t)uf_query(filter, (uf_key){&probe, sizeof probe});
    }
    double measured = (double)hits / (double)asked, sigma = sqrt(0.01 / (double)asked);
    print_message("rate after %llu inserts: %.5f, planned %.5f (sigma %.5f)\n", (unsigned long long)(LARGE + past),
                  measured, design(filter), sigma);
    assert_that(fabs(measured / design(filter) - 1) < 0.05, "%.5f", measured); /* five sigma */
    uf_free(filter);
    assert_true(counting_is_clean(&counting));
}

/* ---- threads ---- */

enum { WRITERS = 4 };

struct writer_work {
    uf_filter *filter;
    const struct keys *keys;
    size_t number, refused;
};

static void *write_all(void *arg)
{
    struct writer_work *work = arg;
    for (size_t i = work->number; i < work->keys->count; i += WRITERS)
        work->refused += uf_insert(work->filter, work->keys->key[i], NULL) == UF_EFULL;
    return NULL;
}

static void test_threads(void **state)
{
    enum { LARGE = 20000 };
    struct keys keys = keys_make("key", 2 * LARGE);
    (void)state;
    for (size_t i = 0; i < REFUSING; i++) {
        uf_filter *filter = build(refusing[i], LARGE, NULL, 0);
        pthread_t thread[WRITERS];
        struct writer_work work[WRITERS];
        size_t refused = 0;
        assert_status(UF_OK, uf_tune(filter, UF_KNOB_SHARED, 1), NULL);
        for (size_t t = 0; t < WRITERS; t++) {
            work[t] = (struct writer_work){filter, &keys, t, 0};
            assert_int_equal(pthread_create(&thread[t], NULL, write_all, &work[t]), 0);
        }
        for (size_t t = 0; t < WRITERS; t++) {
            pthread_join(thread[t], NULL);
            refused += work[t].refused;
        }
        assert_status(UF_OK, uf_tune(filter, UF_KNOB_SHARED, 0), NULL);
        assert_int_equal(counted(filter), LARGE);
        assert_that(refused > LARGE - 100 && refused <= LARGE, "%s: %zu", refusing[i], refused);
        assert_true(keys_found(filter, &keys) >= 2 * LARGE - refused);
        assert_true(rate_now(filter) < 1.1 * design(filter));
        assert_exact(filter);
        uf_free(filter);
    }
    keys_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_inserts),
        cmocka_unit_test(test_refusal),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_saved_damage),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_churn),
        cmocka_unit_test(test_removals),
        cmocka_unit_test(test_unions),
        cmocka_unit_test(test_unions_again),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_pollution),
        cmocka_unit_test(test_for_long),
        cmocka_unit_test(test_concentration),
        cmocka_unit_test(test_concentration_elsewhere),
        cmocka_unit_test(test_forged_twins),
        cmocka_unit_test(test_forged_removals),
        cmocka_unit_test(test_forged_counts),
        cmocka_unit_test(test_promise_after_loads),
    };
    return cmocka_run_group_tests_name("room", tests, NULL, NULL);
}
