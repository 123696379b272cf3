/* SPDX-License-Identifier: MIT */
/*
 * eta: the chance that the row of one more key depends on the rows of the planted keys of its shard. The promise of
 * dpset has LEF_ETA = 1e-4 for it (docs/privacy.md#dpset), and this measures it on shards that the build itself has
 * planted: its file is included here. usage: stat_eta [SEED]
 *
 * Given a planted shard, the chance is computed, not sampled. A row is a window of 64 slots that begins at s, with the
 * first coefficient 1 and 63 random ones; of those rows 2^(d - 1) are in the span, d being the dimension of the part of
 * the span that lies within the window, provided that some row of it begins at s. In a basis whose rows begin at
 * different slots and end at different slots, d is the number of rows that lie within the window.
 *
 * Nearly all of eta comes from rare windows that are almost full, so its mean over few shards varies a lot. The mean of
 * the square roots of the same chances is larger, hence a bound, and varies less. The 99.9 % limit of that bound (3.09
 * standard deviations of the mean over shards, above it) must be below LEF_ETA. The full size, UF_TEST_FULL=1, gave
 *
 *     epsilon  variant  keys of a shard  eta               limit of the bound  tries that failed
 *     all      both     1, 2, 10, 100    below 1e-16       2e-9                none
 *     all      both     1000             2e-10 at most     5e-7                none of 27440
 *     20       integer  10000            1.3e-6 +- 1.0e-6  2.0e-5              2 of 4002
 *     8        dyadic   10000            1.6e-6 +- 1.4e-6  2.3e-5              none of 4000
 *     0.5      dyadic   65536            3.9e-8 +- 2.1e-8  1.5e-6              none of 4000
 *     1        dyadic   65536            5.2e-7 +- 3.7e-7  5.9e-6              3 of 4003
 *     3        dyadic   65536            3.4e-6 +- 1.5e-6  2.1e-5              11 of 4011
 *     8        dyadic   65536            4.4e-6 +- 1.6e-6  2.6e-5              10 of 4010
 *     20       integer  65536            1.7e-6 +- 0.4e-6  1.9e-5              11 of 4011
 *     20       integer  67964 (*)        6.5e-6 +- 1.7e-6  6.1e-5              17 of 2017
 *     3        dyadic   67964 (*)        4.9e-6 +- 1.9e-6  5.0e-5              5 of 1005
 *
 * (*) a shard for 65536 keys as full as the build accepts in a filter of 2^40 keys, the largest. Beyond it grows fast:
 * 5 % more keys than a shard was made for have 4e-4, 7 % have 2e-3.
 *
 * Control: shards with 7 % more keys than they were made for must be out. And rows drawn at random depend as often as
 * was computed.
 */
#include "dpset_build.c"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random.h"
#include "rounding.h"

#define LIMIT_SIGMAS 3.09

/* ---- a shard, planted by the build ---- */

struct fixture {
    uf_filter *filter;
    struct shard shard;
    struct rng rng;
    uint64_t keys, failed; /* keys of the shard; tries that failed */
    struct hash128 *key, *row;
    struct linear_row *equations;
};

static void *need_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        exit(1);
    return memory;
}

/* An empty filter: its parameters, and a key for the rows that is the same every time. */
static uf_filter *plan_filter(double epsilon, const char *variant, uint64_t n, uint64_t seed)
{
    char text[160];
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec;
    uf_filter *filter;
    uf_error why;
    ctx.random = random_bytes;
    ctx.random_arg = &seed;
    (void)snprintf(text, sizeof text, "dpset:n=%llu,epsilon=%g,variant=%s", (unsigned long long)n, epsilon, variant);
    if (uf_spec_parse(text, &spec, &why) || uf_build(&spec, NULL, 0, &ctx, &filter, &why)) {
        fprintf(stderr, "%s: %s\n", text, why.text);
        exit(1);
    }
    return filter;
}

/* What the layout was made for, times `load`. */
static uint64_t keys_of_shard(const struct dpset *dpset, double load)
{
    double each = (double)dpset->n / dpset->shards;
    return (uint64_t)((dpset->shards > 1 ? each + 6 * sqrt(each) : each) * load);
}

static void fixture_open(struct fixture *fixture, double epsilon, const char *variant, uint64_t n, double load,
                         uint64_t seed)
{
    unsigned char key[32] = {0};
    fixture->filter = plan_filter(epsilon, variant, n, seed);
    const struct dpset *dpset = CONST_PARAMS(struct dpset, fixture->filter);
    size_t slots = 0;
    fixture->failed = 0;
    fixture->keys = keys_of_shard(dpset, load);
    fixture->key = need_memory((size_t)fixture->keys, sizeof *fixture->key);
    fixture->row = need_memory((size_t)fixture->keys, sizeof *fixture->row);
    for (uint32_t i = 0; i < dpset->groups; i++)
        slots += dpset->group[i].slots;
    struct linear_row *next = fixture->equations = need_memory(slots, sizeof *next);
    fixture->shard = (struct shard){.dpset = dpset, .calls = dpset_calls_for(fixture->filter->cpu)};
    for (uint32_t i = 0; i < dpset->groups; next += dpset->group[i++].slots)
        fixture->shard.system[i] =
            (struct linear){next, dpset->group[i].slots, dpset->group[i].columns, DPSET_BAND, UF_CPU_SCALAR};
    for (uint64_t i = 0; i < fixture->keys; i++)
        fixture->key[i] = (struct hash128){next_random(&seed), next_random(&seed)};
    (void)random_bytes(&seed, key, sizeof key);
    fixture->shard.sampler = need_memory(1, sizeof *fixture->shard.sampler);
    if (rng_open_seeded(&fixture->rng, key) != UF_OK)
        exit(1);
    sampler_start(fixture->shard.sampler, &fixture->rng);
}

static void fixture_close(struct fixture *fixture)
{
    rng_close(&fixture->rng);
    free(fixture->shard.sampler);
    free(fixture->equations);
    free(fixture->key);
    free(fixture->row);
    uf_free(fixture->filter);
}

/* Fresh rows and coins until a try succeeds. */
static void plant_shard(struct fixture *fixture)
{
    struct shard *shard = &fixture->shard;
    for (;; fixture->failed++) {
        uint64_t seed[2] = {sample_u64(shard->sampler), sample_u64(shard->sampler)};
        shard->calls->rows(shard->dpset, seed, fixture->key, fixture->keys, fixture->row);
        if (plant_all(shard, fixture->row, fixture->keys))
            return;
    }
}

/* ---- the chance that one more row depends ---- */

struct chances {
    double plain, root; /* the mean over all starts, and the mean of the square roots */
};

/* A basis in which no two rows end at the same slot: from the last row on, whoever ends where a later one does takes
 * that one in, and so ends earlier. first[e]: where the row that ends at e begins, plus one. */
static void make_ends_differ(const struct linear *system, uint32_t *first, uint64_t *row)
{
    for (size_t s = system->slots; s-- > 0;) {
        uint64_t c = system->row[s].c.lo;
        size_t end = s + 63 - (size_t)__builtin_clzll(c | 1);
        while (c && first[end]) {
            c ^= row[end] << (first[end] - 1 - s);
            end = s + 63 - (size_t)__builtin_clzll(c);
        }
        if (c) {
            first[end] = (uint32_t)s + 1;
            row[end] = c;
        }
    }
}

/* A row from b to e is within the windows that begin at e - 63 to b. */
static struct chances count_windows(const struct linear *system, const uint32_t *first)
{
    size_t starts = system->slots - DPSET_BAND + 1;
    int *change = need_memory(system->slots + 1, sizeof *change), dimension = 0;
    struct chances sum = {0, 0};
    for (size_t end = 0; end < system->slots; end++)
        if (first[end]) {
            change[end >= 63 ? end - 63 : 0]++;
            change[first[end]]--;
        }
    for (size_t s = 0; s < starts; s++) {
        dimension += change[s];
        if (!system->row[s].c.lo)
            continue;
        sum.plain += ldexp(1, dimension - 64);
        sum.root += exp2((dimension - 64) / 2.0);
    }
    free(change);
    return (struct chances){sum.plain / (double)starts, sum.root / (double)starts};
}

static struct chances chances_of_group(const struct linear *system)
{
    uint32_t *first = need_memory(system->slots, sizeof *first);
    uint64_t *row = need_memory(system->slots, sizeof *row);
    make_ends_differ(system, first, row);
    struct chances out = count_windows(system, first);
    free(first);
    free(row);
    return out;
}

/* A planted key reaches group i with the share of accepted numbers that agree with `accept` so far; and it is planted
 * at all with probability 1 - u. */
static struct chances chances_of_shard(const struct shard *shard)
{
    const struct dpset *dpset = shard->dpset;
    struct chances sum = {0, 0};
    uint64_t left = dpset->accept;
    for (uint32_t i = 0; i < dpset->groups; i++) {
        struct chances one = chances_of_group(&shard->system[i]);
        double share = (1 - threshold_rate(dpset->erase)) * (double)left / (double)dpset->accept;
        sum.plain += share * one.plain;
        sum.root += share * one.root;
        left &= (UINT64_C(1) << dpset->group[i].low) - 1;
    }
    return sum;
}

/* ---- many shards ---- */

struct mean {
    double sum, squares, count;
};

static void take(struct mean *mean, double value)
{
    mean->sum += value;
    mean->squares += value * value;
    mean->count++;
}

static double mean_of(const struct mean *mean)
{
    return mean->sum / mean->count;
}

static double sigma_of(const struct mean *mean)
{
    double variance = mean->squares / mean->count - mean_of(mean) * mean_of(mean);
    return sqrt(fmax(variance, 0) / (mean->count - 1));
}

static double limit_of(const struct mean *mean)
{
    return mean_of(mean) + LIMIT_SIGMAS * sigma_of(mean);
}

struct cell {
    double epsilon;
    const char *variant;
    uint64_t n;
    double load;
};

static uint64_t base_seed = 0x5eed;

/* The upper limit of the bound. */
static double measure(const struct cell *cell, unsigned shards, uint64_t *failed)
{
    struct fixture fixture;
    struct mean plain = {0, 0, 0}, root = {0, 0, 0};
    fixture_open(&fixture, cell->epsilon, cell->variant, cell->n, cell->load, base_seed++);
    for (unsigned i = 0; i < shards; i++) {
        plant_shard(&fixture);
        struct chances one = chances_of_shard(&fixture.shard);
        take(&plain, one.plain);
        take(&root, one.root);
    }
    printf("%-7g %-8s %7llu %6llu %7u %7llu  %8.1e +- %-8.1e %8.1e  %8.1e", cell->epsilon, cell->variant,
           (unsigned long long)cell->n, (unsigned long long)fixture.keys, shards, (unsigned long long)fixture.failed,
           mean_of(&plain), sigma_of(&plain), mean_of(&root), limit_of(&root));
    *failed = fixture.failed;
    fixture_close(&fixture);
    return limit_of(&root);
}

/* And at most 2 % of the tries fail, of shards that are full: it is a tenth of that. */
static int check(const struct cell *cell, unsigned shards)
{
    uint64_t failed;
    double limit = measure(cell, shards, &failed);
    int good = limit < LEF_ETA && failed * 50 <= shards;
    printf("  %s\n", good ? "ok" : "OUT");
    return good;
}

/* ---- controls ---- */

/* The row of a fresh key against the equations of a group: is it in their span? */
static int depends(const struct linear *system, struct hash128 g)
{
    const struct linear_row *row = &system->row[shards_scale(g.lo, (uint32_t)system->slots - DPSET_BAND + 1)];
    for (uint64_t c = g.hi | 1; row->c.lo;) {
        c ^= row->c.lo;
        if (!c)
            return 1;
        row += __builtin_ctzll(c);
        c >>= __builtin_ctzll(c);
    }
    return 0;
}

/* Shards that are too full, where rows depend often enough to be counted: 3 sigma of the binomial. */
static int check_sampled(unsigned shards, unsigned rows)
{
    struct fixture fixture;
    double expected = 0, dependent = 0;
    fixture_open(&fixture, 20, "integer", 10000, 1.09, base_seed);
    for (unsigned i = 0; i < shards; i++) {
        plant_shard(&fixture);
        expected += chances_of_shard(&fixture.shard).plain * rows;
        for (unsigned j = 0; j < rows; j++) {
            struct hash128 g = {sample_u64(fixture.shard.sampler), sample_u64(fixture.shard.sampler)};
            dependent += depends(&fixture.shard.system[0], g);
        }
    }
    fixture_close(&fixture);
    int good = expected > 100 && fabs(dependent - expected) < 3 * sqrt(expected);
    printf("of %u rows drawn for shards with 9 %% too many keys, %g depend; computed: %.1f: %s\n", shards * rows,
           dependent, expected, good ? "ok" : "OUT");
    return good;
}

/* The same measurement of shards with 7 % more keys than they were made for. */
static int check_control(void)
{
    uint64_t failed;
    int good = measure(&(struct cell){20, "integer", 10000, 1.07}, 20, &failed) > LEF_ETA;
    printf("  %s\n", good ? "out, as it must be" : "NOT REJECTED");
    return good;
}

/* ---- which cells ---- */

/* At all sizes up to 1000 the bound is far below: a few million keys in all will do. */
static int check_small(int full)
{
    static const double epsilons[] = {0.05, 0.5, 1, 3, 5, 8, 20};
    static const uint64_t sizes[] = {1, 2, 10, 100, 1000};
    int good = 1;
    for (size_t e = 0; e < sizeof epsilons / sizeof epsilons[0]; e++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (int dyadic = 0; dyadic < 2; dyadic++) {
                struct cell cell = {epsilons[e], dyadic ? "dyadic" : "integer", sizes[i], 1};
                good &= check(&cell, (full ? 2000000 : 20000) / (unsigned)(sizes[i] + 20));
            }
    return good;
}

/* The first has the least room of all: every key is planted, in one group. The others are for the full size. */
static int check_large(int full)
{
    static const struct cell cells[] = {
        {20, "integer", 65536, 1},       {20, "integer", 10000, 1},  {8, "dyadic", 10000, 1},
        {3, "dyadic", 10000, 1},         {8, "dyadic", 65536, 1},    {5, "dyadic", 65536, 1},
        {3, "dyadic", 65536, 1},         {3, "integer", 65536, 1},   {1, "dyadic", 65536, 1},
        {0.5, "dyadic", 65536, 1},       {0.05, "dyadic", 65536, 1}, {3, "dyadic", 131072, 1},
        {20, "integer", 131072, 1.0133}, /* what a shard of the largest filter takes */
    };
    int good = check(&cells[0], full ? 4000 : 400);
    for (size_t i = 1; full && i < sizeof cells / sizeof cells[0]; i++)
        good &= check(&cells[i], 4000);
    return good;
}

int main(int argc, char **argv)
{
    int small = getenv("UF_TEST_SMALL") != NULL, full = !small && getenv("UF_TEST_FULL");
    if (argc > 1)
        base_seed = strtoull(argv[1], NULL, 0);
    printf("epsilon variant        n   keys  shards  failed      eta    +-    sigma     bound     limit\n");
    int good = check_small(full);
    if (!small)
        good &= check_large(full);
    good &= check_sampled(20, full ? 500000 : 50000);
    good &= check_control();
    return good ? 0 : 1;
}
