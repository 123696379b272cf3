/* SPDX-License-Identifier: MIT */
/*
 * release/skip and release/coins: bounds against values known otherwise, refinement forced in two ways, gaps and heads
 * against the distributions they must have. Seeds are fixed; a statistic may be 3 standard deviations off, or a
 * chi-square where one in 1000 would be, and beside each stands a control with a wrong probability, which must be out.
 */
#include <math.h>
#include <openssl/crypto.h>

#include "check.h"
#include "coins.h"

static const uint64_t half = UINT64_C(1) << 63;

static uint64_t of_rate(double rate)
{
    return (uint64_t)ldexp(rate, 64);
}

struct stream {
    struct rng rng;
    struct sampler sampler;
};

static void stream_open(struct stream *stream, unsigned char seed)
{
    assert_status(UF_OK, rng_open_seeded(&stream->rng, (unsigned char[32]){seed}), NULL);
    sampler_start(&stream->sampler, &stream->rng);
}

static void stream_close(struct stream *stream)
{
    assert_status(UF_OK, sampler_end(&stream->sampler), NULL);
    rng_close(&stream->rng);
}

/* ---- bounds ---- */

static void test_bounds_are_tight_and_right(void **state)
{
    static const double rates[] = {0.5, 0.1, 1e-3, 1e-6, 2e-9};
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct skip skip;
        assert_status(UF_OK, skip_init(&skip, of_rate(rates[i]), 40, SKIP_PRECISION), NULL);
        for (unsigned j = 0; j <= 40; j++) {
            double r = exp(ldexp(log1p(-rates[i]), (int)j)), want = j < 40 ? r / (1 + r) : r;
            double low = ldexp((double)skip.bound[j].low, -64);
            assert_that(fabs(low - want) <= 1e-10 * want + 1e-17, "rate %g, digit %u: %.17g and not %.17g", rates[i], j,
                        low, want);
            assert_true(skip.bound[j].most >= skip.bound[j].low && skip.bound[j].most - skip.bound[j].low <= 1);
        }
    }
}

/* q = 1/2: digit 0 is 1 with 1/3, digit 1 with 1/5, and a gap is 4 or more with 1/16: all known to the last bit. */
static void test_bounds_in_closed_form(void **state)
{
    struct skip skip;
    (void)state;
    assert_status(UF_OK, skip_init(&skip, half, 2, SKIP_PRECISION), NULL);
    assert_true(skip.bound[0].low == UINT64_MAX / 3 && skip.bound[0].most == UINT64_MAX / 3);
    assert_true(skip.bound[1].low == UINT64_MAX / 5 && skip.bound[1].most == UINT64_MAX / 5);
    assert_true(skip.bound[2].low <= UINT64_C(1) << 60 && skip.bound[2].most >= UINT64_C(1) << 60);
}

/* ---- refinement ---- */

/* Numbers next to the bounds are decided by their first word, and the same way by the slow comparison. */
static void test_refining_what_is_decided(void **state)
{
    struct skip skip;
    struct stream stream;
    (void)state;
    stream_open(&stream, 1);
    assert_status(UF_OK, skip_init(&skip, of_rate(0.01), 12, SKIP_PRECISION), NULL);
    for (unsigned j = 0; j <= 12; j++) {
        assert_int_equal(skip_refine(&skip, j, 0, &stream.sampler), 1);
        assert_int_equal(skip_refine(&skip, j, skip.bound[j].low - 1, &stream.sampler), 1);
        assert_int_equal(skip_refine(&skip, j, skip.bound[j].most + 1, &stream.sampler), 0);
        assert_int_equal(skip_refine(&skip, j, UINT64_MAX, &stream.sampler), 0);
    }
    stream_close(&stream);
}

/* 1/3 is 0.010101... in binary: a number that begins like it for 64 bits is below it with chance 1/3 again, for 1/5 it
 * is 1/5. 20,000 numbers each. Control: 1/2, which is what a comparison without more bits would be worth at best. */
static void test_refining_draws_more_bits(void **state)
{
    enum { DRAWS = 20000 };
    static const double want[] = {1.0 / 3, 1.0 / 5};
    struct skip skip;
    struct stream stream;
    (void)state;
    stream_open(&stream, 2);
    assert_status(UF_OK, skip_init(&skip, half, 2, SKIP_PRECISION), NULL);
    for (unsigned j = 0; j < 2; j++) {
        unsigned below = 0;
        for (int i = 0; i < DRAWS; i++)
            below += (unsigned)skip_refine(&skip, j, skip.bound[j].low, &stream.sampler);
        double sigma = sqrt(want[j] * (1 - want[j]) / DRAWS), share = (double)below / DRAWS;
        assert_that(fabs(share - want[j]) <= 3 * sigma, "digit %u: %.4f below, and not %.4f", j, share, want[j]);
        assert_true(fabs(share - 0.5) > 3 * sigma);
    }
    stream_close(&stream);
}

/* With bounds of a few bits nearly every comparison is refined, and the gaps are the same to the last bit. */
static void test_small_precision_changes_nothing(void **state)
{
    static const unsigned precisions[] = {8, 20, 40, 64, 100};
    static const double rates[] = {0.5, 0.01, 1e-5};
    (void)state;
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++)
        for (size_t r = 0; r < 3; r++) {
            struct skip fine, coarse;
            struct stream a, b;
            stream_open(&a, (unsigned char)i);
            stream_open(&b, (unsigned char)i);
            assert_status(UF_OK, skip_init(&fine, of_rate(rates[r]), 20, SKIP_PRECISION), NULL);
            assert_status(UF_OK, skip_init(&coarse, of_rate(rates[r]), 20, precisions[i]), NULL);
            assert_true(precisions[i] >= 64 || coarse.bound[2].most - coarse.bound[2].low > 2);
            for (int draw = 0; draw < 100; draw++) {
                uint64_t one = 0, other = 0;
                assert_int_equal(skip_next(&fine, &a.sampler, &one), skip_next(&coarse, &b.sampler, &other));
                assert_true(one == other);
            }
            stream_close(&a);
            stream_close(&b);
        }
}

/* ---- distributions ---- */

/* Chi-square of 30 bins and the rest against a geometric distribution. */
static double chi_square(const unsigned *seen, unsigned draws, double q)
{
    double sum = 0, left = draws, p = q;
    for (unsigned g = 0; g < 30; g++, p *= 1 - q) {
        double expected = p * draws;
        sum += (seen[g] - expected) * (seen[g] - expected) / expected;
        left -= expected;
    }
    return sum + (seen[30] - left) * (seen[30] - left) / left;
}

/* 100,000 gaps at q = 0.1, longer ones put together from several: 30 degrees of freedom, one in 1000 is above 59.7.
 * Control: q = 0.103. */
static void test_gaps_are_geometric(void **state)
{
    enum { DRAWS = 100000 };
    struct skip skip;
    struct stream stream;
    unsigned seen[31] = {0};
    (void)state;
    stream_open(&stream, 3);
    assert_status(UF_OK, skip_init(&skip, of_rate(0.1), 3, SKIP_PRECISION), NULL);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t gap = 0, before = 0;
        while (!skip_next(&skip, &stream.sampler, &gap))
            before += 8;
        seen[gap + before < 30 ? gap + before : 30]++;
    }
    assert_that(chi_square(seen, DRAWS, 0.1) < 59.7, "chi-square %.1f", chi_square(seen, DRAWS, 0.1));
    assert_that(chi_square(seen, DRAWS, 0.103) > 59.7, "the control passes: %.1f", chi_square(seen, DRAWS, 0.103));
    stream_close(&stream);
}

enum { RANKS = 1000, RUNS = 2000 };

/* What was seen in RUNS walks over RANKS coins. */
struct tally {
    double heads, squares; /* per walk */
    double pairs;          /* of neighbours that are both heads */
    double of_rank[RANKS];
};

static void take_tally(struct tally *tally, double rate, enum coins_way way)
{
    struct coins coins;
    memset(tally, 0, sizeof *tally);
    for (unsigned run = 0; run < RUNS; run++) {
        struct heads heads;
        uint64_t rank, last = UINT64_MAX - 1, count = 0;
        const unsigned char seed[32] = {(unsigned char)run, (unsigned char)(run >> 8), 9};
        assert_status(UF_OK, coins_init_way(&coins, RANKS, of_rate(rate), seed, way), NULL);
        assert_true(coins_chunks(&coins) == 1);
        heads_open(&heads, &coins, 0);
        while (heads_next(&heads, &rank)) {
            assert_true(rank < RANKS && (!count || rank > last));
            tally->pairs += rank == last + 1;
            tally->of_rank[rank]++;
            last = rank;
            count++;
        }
        assert_status(UF_OK, heads_close(&heads), NULL);
        tally->heads += (double)count;
        tally->squares += (double)count * (double)count;
    }
}

/* The largest distance, in standard deviations, of what a tally of independent coins says about their rate: the number
 * of heads, its variance, pairs of neighbours, and the spread over ranks (chi-square of RANKS coins). */
static double distance(const struct tally *tally, double q)
{
    double coins = (double)RANKS * RUNS, mean = RANKS * q, variance = mean * (1 - q), chi = 0;
    double heads = (tally->heads - coins * q) / sqrt(coins * q * (1 - q));
    double seen = tally->squares / RUNS - pow(tally->heads / RUNS, 2);
    double wide = (seen / variance - 1) / sqrt(2.0 / RUNS);
    double pairs = RUNS * (RANKS - 1) * q * q;
    double close = (tally->pairs - pairs) / sqrt(pairs * (1 - q) * (1 + 3 * q)); /* overlapping pairs share a coin */
    for (size_t i = 0; i < RANKS; i++)
        chi += pow(tally->of_rank[i] - RUNS * q, 2) / (RUNS * q * (1 - q));
    double even = (chi - RANKS) / sqrt(2.0 * RANKS);
    return fmax(fmax(fabs(heads), fabs(wide)), fmax(fabs(close), fabs(even)));
}

/* Scan and skip over the same 1,000 ranks, 2,000 times, at three rates; 3 sigma for each of four figures. Control: a
 * rate that is 3 % off. */
static void test_scan_and_skip_are_the_same_coins(void **state)
{
    static const double rates[] = {0.3, 0.05, 0.01};
    static struct tally tally;
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (enum coins_way way = COINS_SCAN; way <= COINS_SKIP; way++) {
            take_tally(&tally, rates[i], way);
            assert_that(distance(&tally, rates[i]) < 3, "way %d, rate %g: %.2f sigma", way, rates[i],
                        distance(&tally, rates[i]));
            assert_that(distance(&tally, rates[i] * 1.03) > 3, "way %d, rate %g: the control passes", way, rates[i]);
        }
}

/* ---- chunks ---- */

static uint64_t count_heads(const struct coins *coins, uint64_t *last)
{
    uint64_t count = 0, rank;
    for (uint64_t chunk = 0; chunk < coins_chunks(coins); chunk++) {
        struct heads heads;
        heads_open(&heads, coins, chunk);
        while (heads_next(&heads, &rank)) {
            assert_true(rank >> coins->chunk_bits == chunk && rank < coins->size && (!count || rank > *last));
            *last = rank;
            count++;
        }
        assert_status(UF_OK, heads_close(&heads), NULL);
    }
    return count;
}

/* Over many chunks, with the last one cut anywhere: in order, inside, and as many as there should be. */
static void test_chunks(void **state)
{
    static const struct {
        uint64_t size;
        double rate;
        enum coins_way way;
    } cases[] = {{1, 0.5, COINS_SCAN},          {63, 0.5, COINS_SCAN},
                 {65537, 0.3, COINS_SCAN},      {1000001, 0.01, COINS_SCAN},
                 {1, 0.5, COINS_SKIP},          {100001, 0.3, COINS_SKIP},
                 {300000000, 1e-4, COINS_SKIP}, {UINT64_C(1) << 60, 2e-14, COINS_SKIP}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct coins coins;
        uint64_t last = 0;
        const unsigned char seed[32] = {(unsigned char)i, 4};
        assert_status(UF_OK, coins_init_way(&coins, cases[i].size, of_rate(cases[i].rate), seed, cases[i].way), NULL);
        double mean = (double)cases[i].size * cases[i].rate, sigma = sqrt(mean * (1 - cases[i].rate));
        double count = (double)count_heads(&coins, &last);
        assert_that(fabs(count - mean) <= 3 * sigma, "case %zu: %.0f heads, %.0f expected", i, count, mean);
        assert_true((double)count_heads(&coins, &last) == count); /* the same again */
    }
}

/* A universe of one chunk more or less has the same coins where both have some. */
static void test_coins_depend_on_seed_and_rank_only(void **state)
{
    struct coins small, large;
    struct heads a, b;
    uint64_t one, other;
    (void)state;
    assert_status(UF_OK, coins_init(&small, 70000, of_rate(0.2), (unsigned char[32]){5}), NULL);
    assert_status(UF_OK, coins_init(&large, 700000, of_rate(0.2), (unsigned char[32]){5}), NULL);
    heads_open(&a, &small, 1);
    heads_open(&b, &large, 1);
    while (heads_next(&a, &one)) {
        assert_true(heads_next(&b, &other) && one == other);
    }
    assert_true(heads_next(&b, &other) && other >= 70000);
    assert_status(UF_OK, heads_close(&a), NULL);
    assert_status(UF_OK, heads_close(&b), NULL);
    assert_true(small.way == COINS_SCAN);
    assert_status(UF_OK, coins_init(&small, 70000, of_rate(1e-4), (unsigned char[32]){5}), NULL);
    assert_true(small.way == COINS_SKIP);
}

/* ---- no memory ---- */

static struct {
    unsigned calls, at; /* the allocation of OpenSSL to refuse; 0: none */
    int every;          /* all from then on */
} refuse;

static int refused(void)
{
    refuse.calls++;
    return refuse.at && (refuse.every ? refuse.calls >= refuse.at : refuse.calls == refuse.at);
}

static void *take(size_t bytes, const char *file, int line)
{
    (void)file, (void)line;
    return refused() ? NULL : malloc(bytes);
}

static void *resize(void *memory, size_t bytes, const char *file, int line)
{
    (void)file, (void)line;
    return refused() ? NULL : realloc(memory, bytes);
}

static void give(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    free(memory);
}

/* Each allocation of big numbers fails once: that is said, or nobody notices. */
static void test_tables_without_memory(void **state)
{
    struct skip want, skip;
    unsigned failed = 0;
    (void)state;
    assert_status(UF_OK, skip_init(&want, of_rate(0.01), 12, SKIP_PRECISION), NULL);
    for (unsigned at = 1, fired = 1; fired; at++) {
        memset(&skip, 0, sizeof skip);
        refuse.calls = 0, refuse.at = at;
        int status = skip_init(&skip, of_rate(0.01), 12, SKIP_PRECISION);
        fired = refuse.calls >= at;
        refuse.at = 0;
        assert_true(status == UF_ENOMEM ||
                    (status == UF_OK && !memcmp(skip.bound, want.bound, 13 * sizeof want.bound[0])));
        failed += status != UF_OK;
    }
    assert_true(failed > 20);
    struct coins coins;
    refuse.calls = 0, refuse.at = 1;
    assert_status(UF_ENOMEM, coins_init(&coins, 70000, of_rate(1e-4), (unsigned char[32]){5}), NULL);
    refuse.at = 0;
}

static void test_refining_without_memory(void **state)
{
    struct stream stream;
    struct skip skip, coarse;
    uint64_t gap;
    unsigned failed = 0, next_failed = 0;
    (void)state;
    assert_status(UF_OK, skip_init(&skip, of_rate(0.01), 12, SKIP_PRECISION), NULL);
    assert_status(UF_OK, skip_init(&coarse, of_rate(0.01), 12, 8), NULL); /* which leaves much to refine */
    stream_open(&stream, 3);
    for (unsigned which = 0; which <= 12; which += 4) /* the last one is of another kind */
        for (unsigned at = 1, fired = 1; fired; at++) {
            refuse.calls = 0, refuse.at = at;
            int result = skip_refine(&skip, which, skip.bound[which].low, &stream.sampler);
            fired = refuse.calls >= at;
            refuse.at = 0;
            assert_true(result == UF_ENOMEM || result == 0 || result == 1);
            failed += result < 0;
        }
    refuse.every = 1;
    for (unsigned i = 0; i < 2000; i++) {
        refuse.calls = 0, refuse.at = 1;
        int result = skip_next(&coarse, &stream.sampler, &gap);
        refuse.at = 0;
        assert_true(result == UF_ENOMEM || result == 0 || result == 1);
        next_failed += result < 0;
    }
    refuse.every = 0;
    stream_close(&stream);
    assert_that(failed > 20 && next_failed > 0, "%u and %u were refused", failed, next_failed);
}

int main(void)
{
    if (!CRYPTO_set_mem_functions(take, resize, give)) /* before OpenSSL has any */
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_are_tight_and_right),
        cmocka_unit_test(test_bounds_in_closed_form),
        cmocka_unit_test(test_refining_what_is_decided),
        cmocka_unit_test(test_refining_draws_more_bits),
        cmocka_unit_test(test_small_precision_changes_nothing),
        cmocka_unit_test(test_gaps_are_geometric),
        cmocka_unit_test(test_scan_and_skip_are_the_same_coins),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_coins_depend_on_seed_and_rank_only),
        cmocka_unit_test(test_tables_without_memory),
        cmocka_unit_test(test_refining_without_memory),
    };
    return cmocka_run_group_tests_name("coins", tests, NULL, NULL);
}
