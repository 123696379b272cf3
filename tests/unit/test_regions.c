/* SPDX-License-Identifier: MIT */
/*
 * model/curve and model/regions: sorting and AUC against slow ways, the dynamic programme against all possible cuts,
 * the rates against the formulas of regions.h.
 */
#include <math.h>

#include "check.h"
#include "random.h"
#include "regions.h"

static const struct mem mem = {{0}};

/* ---- sorting and curves ---- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void test_sorting(void **state)
{
    int64_t scores[1000], sorted[1000], scratch[1000];
    uint64_t random = 3;
    (void)state;
    for (unsigned shift = 0; shift < 64; shift += 7)
        for (size_t count = 0; count <= 1000; count = 3 * count + 1) {
            for (size_t i = 0; i < count; i++)
                sorted[i] = scores[i] = (int64_t)next_random(&random) >> shift;
            scores_sort(scores, scratch, count);
            qsort(sorted, count, sizeof *sorted, compare);
            assert_memory_equal(scores, sorted, count * sizeof *sorted);
        }
}

/* Sums of dice: keys have more of them. */
static void roll(int64_t *scores, size_t count, int dice, uint64_t *random)
{
    int64_t scratch[20000];
    for (size_t i = 0; i < count; i++) {
        scores[i] = -20;
        for (int j = 0; j < dice; j++)
            scores[i] += (int64_t)random_below(random, 8);
    }
    scores_sort(scores, scratch, count);
}

static void test_curve_counts(void **state)
{
    int64_t keys[3000], negatives[2000];
    uint64_t random = 11;
    (void)state;
    roll(keys, 3000, 8, &random);
    roll(negatives, 2000, 5, &random);
    for (size_t segments = 1; segments <= CURVE_MOST_SEGMENTS; segments = 2 * segments + 5) {
        struct curve curve;
        double above = 0;
        assert_status(UF_OK, curve_make(&mem, keys, 3000, negatives, 2000, segments, &curve), NULL);
        assert_true(curve.segments >= 1 && curve.segments <= segments && curve.from[0] == INT64_MIN);
        assert_true(curve_keys(&curve) == 3000 && curve_negatives(&curve) == 2000 && !curve.keys[0]);
        for (size_t s = 1; s < curve.segments; s++) {
            uint64_t below = 0;
            assert_true(curve.from[s] > curve.from[s - 1]);
            for (size_t i = 0; i < 3000; i++)
                below += keys[i] < curve.from[s];
            assert_int_equal(below, curve.keys[s]);
        }
        for (size_t i = 0; i < 3000; i += 10)
            for (size_t j = 0; j < 2000; j++)
                above += keys[i] > negatives[j] ? 1 : keys[i] == negatives[j] ? 0.5 : 0;
        assert_that(fabs(curve.auc - above / 300 / 2000) < 0.01, "AUC %g, counted %g", curve.auc, above / 300 / 2000);
        curve_free(&curve);
    }
}

static void test_curves_of_little(void **state)
{
    static const int64_t two[2] = {-5, 9};
    (void)state;
    for (size_t keys = 0; keys <= 2; keys++)
        for (size_t negatives = 0; negatives <= 2; negatives++) {
            struct curve curve;
            assert_status(UF_OK, curve_make(&mem, two, keys, two, negatives, 10, &curve), NULL);
            assert_true(curve_keys(&curve) == keys && curve_negatives(&curve) == negatives);
            assert_true(isnan(curve.auc) == (!keys || !negatives));
            for (enum regions_how how = REGIONS_LEARNED; how <= REGIONS_PARTITION; how++) {
                struct regions_request request = {how, 0.01, 4, 1.06, 1024, 2, 0, 0, 0, 0};
                struct regions regions;
                assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
                assert_true(regions.count >= 1 && regions.fpr <= 0.01 && regions.region[0].from == INT64_MIN);
            }
            curve_free(&curve);
        }
}

/* ---- regions ---- */

/* A small curve made by hand: shares of keys and negatives in eight segments. */
static struct curve eight(void)
{
    static const uint64_t keys[9] = {0, 10, 40, 100, 200, 350, 550, 800, 1000};
    static const uint64_t negatives[9] = {0, 40000, 70000, 85000, 93000, 97000, 99000, 99900, 100000};
    struct curve curve = {.segments = 8, .capacity = 9};
    curve.from = calloc(9, sizeof *curve.from);
    curve.keys = calloc(9, sizeof *curve.keys);
    curve.negatives = calloc(9, sizeof *curve.negatives);
    assert_true(curve.from && curve.keys && curve.negatives);
    for (int i = 0; i < 9; i++) {
        curve.from[i] = i ? 10 * i : INT64_MIN;
        curve.keys[i] = keys[i];
        curve.negatives[i] = negatives[i];
    }
    return curve;
}

static void eight_free(struct curve *curve)
{
    free(curve->from);
    free(curve->keys);
    free(curve->negatives);
}

static double share(uint64_t negatives)
{
    return ((double)negatives + 1) / 100001;
}

/* Bits of given regions at the best rates for them that are not above a cap, when a share of the queries goes where the
 * rate is highest: found by bisection over lambda, without a margin. */
static double bits_of_cuts(const struct curve *curve, unsigned cuts, double fpr, double factor, double alpha,
                           double cap)
{
    double low = 1e-9, high = 1e5, bits = 0;
    for (int round = 0; round < 60; round++) {
        double lambda = sqrt(low * high), rate = 0, worst = 0;
        size_t begin = 0;
        bits = 0;
        for (size_t end = 1; end <= 8; end++) {
            if (end < 8 && !(cuts >> (end - 1) & 1))
                continue;
            double g = (double)(curve->keys[end] - curve->keys[begin]);
            double h = share(curve->negatives[end] - curve->negatives[begin]), f = fmin(cap, lambda * g / 1000 / h);
            rate += h * f;
            worst = fmax(worst, f);
            bits += f < 1 ? factor * g * log2(1 / f) : 0;
            begin = end;
        }
        if ((1 - alpha) * rate + alpha * worst > fpr)
            high = lambda;
        else
            low = lambda;
    }
    return bits;
}

static unsigned ones(unsigned bits)
{
    return bits ? (bits & 1) + ones(bits >> 1) : 0;
}

static void test_partition_is_best(void **state)
{
    struct curve curve = eight();
    (void)state;
    for (double fpr = 0.0003; fpr < 0.2; fpr *= 3)
        for (unsigned most = 2; most <= 8; most++) {
            struct regions_request request = {REGIONS_PARTITION, fpr, most, 1.44, 0, 0, 0, 0, 0, 0};
            struct regions regions;
            double least = INFINITY;
            assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
            for (unsigned cuts = 0; cuts < 128; cuts++)
                if (ones(cuts) < most)
                    least = fmin(least, bits_of_cuts(&curve, cuts, fpr, 1.44, 0, 1));
            assert_that(regions.bits <= least * 1.001 + 0.01, "fpr %g in %u regions: %g bits, %g are possible", fpr,
                        most, regions.bits, least);
            assert_that(regions.bits >= least * 0.999 - 0.01, "fpr %g in %u regions: %g bits, %g are too few", fpr,
                        most, regions.bits, least);
            assert_that(regions.fpr <= fpr && regions.fpr > 0.99 * fpr, "fpr %g instead of %g", regions.fpr, fpr);
        }
    eight_free(&curve);
}

/* ---- under attack ---- */

/* With the best of all caps that are a tenth apart, the highest included: the bits around the best one differ by less
 * than a hundredth. */
static double bits_with_any_cap(const struct curve *curve, unsigned cuts, double fpr, double alpha)
{
    double most = fmin(1, fpr / alpha), least = bits_of_cuts(curve, cuts, fpr, 1.44, alpha, most);
    for (double cap = fpr; cap < most; cap *= 1.1)
        least = fmin(least, bits_of_cuts(curve, cuts, fpr, 1.44, alpha, cap));
    return least;
}

static double rate_under_attack(const struct regions *regions, double alpha)
{
    double rate = 0, worst = 0;
    for (unsigned i = 0; i < regions->count; i++) {
        rate += share(regions->region[i].negatives) * regions->region[i].fpr;
        worst = fmax(worst, regions->region[i].fpr);
    }
    return (1 - alpha) * rate + alpha * worst;
}

/* All cuts with all caps have no fewer bits, and the rate holds. */
static void test_capped_is_best(void **state)
{
    static const double alphas[] = {0.002, 0.05, 0.3, 0.9};
    struct curve curve = eight();
    (void)state;
    for (size_t a = 0; a < 4; a++)
        for (double fpr = 0.003; fpr < 0.2; fpr *= 7) {
            double bits[128];
            for (unsigned cuts = 0; cuts < 128; cuts++)
                bits[cuts] = bits_with_any_cap(&curve, cuts, fpr, alphas[a]);
            for (unsigned most = 2; most <= 8; most += 3) {
                struct regions_request request = {REGIONS_PARTITION, fpr, most, 1.44, 0, 0, alphas[a], 0, 0, 0};
                struct regions regions;
                double least = INFINITY;
                assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
                for (unsigned cuts = 0; cuts < 128; cuts++)
                    least = ones(cuts) < most ? fmin(least, bits[cuts]) : least;
                assert_that(regions.bits <= least * 1.001 + 0.01 && regions.bits >= least * 0.99,
                            "fpr %g, alpha %g, %u regions: %g bits, %g are possible", fpr, alphas[a], most,
                            regions.bits, least);
                double rate = rate_under_attack(&regions, alphas[a]);
                assert_that(rate <= fpr * (1 + 1e-12) && rate > 0.999 * fpr, "fpr %g, alpha %g: %.17g", fpr, alphas[a],
                            rate);
            }
        }
    eight_free(&curve);
}

/* The more queries are hostile, the more bits, from those of a partition to those of one filter; and the rate under
 * attack falls. The control: what a partition without a cap has for its worst rate breaks the rule at once. */
static void test_from_partition_to_plain(void **state)
{
    struct curve curve = eight();
    struct regions_request request = {REGIONS_PARTITION, 0.01, 6, 1.44, 0, 0, 0, 0, 0, 0};
    struct regions regions;
    double bits, plain = 1.44 * 1000 * log2(100);
    (void)state;
    assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
    assert_true(rate_under_attack(&regions, 0.01) > 0.011);
    bits = regions.bits;
    request.alpha = 1e-9;
    assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
    assert_that(fabs(regions.bits / bits - 1) < 1e-3, "%g bits without an attack, %g with hardly any", bits,
                regions.bits);
    assert_true(regions.region[regions.count - 1].fpr == 1); /* which F / alpha allows */
    for (request.alpha = 0.001; request.alpha < 1; request.alpha *= 2) {
        assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
        assert_that(regions.bits > bits * 0.9999, "alpha %g: %g bits after %g", request.alpha, regions.bits, bits);
        for (unsigned i = 0; i < regions.count; i++)
            assert_true(regions.region[i].fpr <= fmin(1, 0.01 / request.alpha));
        bits = regions.bits;
    }
    request.alpha = 1;
    assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
    assert_that(fabs(regions.bits / plain - 1) < 1e-3, "%g bits when all are hostile, %g for one filter", regions.bits,
                plain);
    eight_free(&curve);
}

/* All keys on both sides: the same threshold, more bits than one filter, and the rate still holds. */
static void test_whole_set_in_both(void **state)
{
    struct curve curve = eight();
    struct regions_request request = {REGIONS_PARTITION, 0.01, 2, 1.44, 0, 0, 0.05, 0, 0, 0}, whole = request;
    struct regions split, paper;
    (void)state;
    whole.whole = 1;
    assert_status(UF_OK, regions_choose(&curve, &request, &split), NULL);
    assert_status(UF_OK, regions_choose(&curve, &whole, &paper), NULL);
    assert_true(split.count == 2 && paper.count == 2 && split.region[1].from == paper.region[1].from);
    assert_true(split.region[0].keys + split.region[1].keys == 1000);
    assert_true(paper.region[0].keys == 1000 && paper.region[1].keys == 1000);
    double plain = 1.44 * 1000 * log2(100), rate = rate_under_attack(&paper, 0.05);
    assert_that(split.bits < plain && paper.bits > plain, "%g, %g and %g bits", split.bits, plain, paper.bits);
    assert_that(rate <= 0.01 && rate > 0.00999, "%g", rate);
    eight_free(&curve);
}

static void test_coarse_curve(void **state)
{
    struct curve curve = eight(), coarse;
    (void)state;
    for (size_t segments = 1; segments <= 9; segments++) {
        assert_status(UF_OK, curve_coarse(&curve, segments, &coarse), NULL);
        assert_true(coarse.segments >= 1 && coarse.segments <= segments && coarse.from[0] == INT64_MIN);
        assert_true(curve_keys(&coarse) == 1000 && curve_negatives(&coarse) == 100000);
        for (size_t i = 1; i < coarse.segments; i++) {
            size_t at = (size_t)coarse.from[i] / 10;
            assert_true(coarse.keys[i] == curve.keys[at] && coarse.negatives[i] == curve.negatives[at]);
        }
        curve_free(&coarse);
    }
    eight_free(&curve);
}

/* ---- all ways ---- */

/* Regions follow each other and hold every key and negative; the rates rise with the scores. */
static void test_regions_are_whole(void **state)
{
    struct curve curve = eight();
    (void)state;
    for (enum regions_how how = REGIONS_LEARNED; how <= REGIONS_PARTITION; how++)
        for (double fpr = 0.0003; fpr < 0.2; fpr *= 3) {
            struct regions_request request = {how, fpr, 5, 1.06, 100, 2, 0, 0, 0, 0};
            struct regions regions;
            uint64_t keys = 0, negatives = 0;
            assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
            for (unsigned i = 0; i < regions.count; i++) {
                keys += regions.region[i].keys;
                negatives += regions.region[i].negatives;
                if (i)
                    assert_true(regions.region[i].from > regions.region[i - 1].from &&
                                regions.region[i].fpr >= regions.region[i - 1].fpr);
            }
            assert_true(keys == 1000 && negatives == 100000 && regions.region[0].from == INT64_MIN);
            assert_true(regions.first > 0 && regions.first <= 1 && (how == REGIONS_SANDWICH || regions.first == 1));
            assert_that(regions.fpr <= fpr, "fpr %g instead of %g", regions.fpr, fpr);
        }
    eight_free(&curve);
}

/* Each way can do what the one before it can, and at these rates does it with fewer bits. */
static void test_order_of_sizes(void **state)
{
    struct curve curve = eight();
    double plain = 1.44 * 1000 * log2(1 / 0.01), before = plain;
    (void)state;
    for (enum regions_how how = REGIONS_LEARNED; how <= REGIONS_PARTITION; how++) {
        struct regions_request request = {how, 0.01, 6, 1.44, 0, 0, 0, 0, 0, 0};
        struct regions regions;
        assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
        assert_that(regions.bits < before, "way %d: %g bits after %g", (int)how, regions.bits, before);
        before = regions.bits;
    }
    eight_free(&curve);
}

/* With a margin the estimate is lower, by about the standard errors asked for. */
static void test_margin(void **state)
{
    struct curve curve = eight();
    struct regions_request request = {REGIONS_PARTITION, 0.001, 6, 1.44, 0, 2, 0, 0, 0, 0};
    struct regions regions;
    double squares = 0;
    (void)state;
    assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
    for (unsigned i = 0; i < regions.count; i++)
        squares += share(regions.region[i].negatives) * regions.region[i].fpr * regions.region[i].fpr;
    double planned = regions.fpr + 2 * sqrt(squares / 100001);
    assert_that(planned <= 0.001 && planned > 0.000999, "%g with its margin", planned);
    eight_free(&curve);
}

/* A model that tells nothing: one plain filter, and no bits saved. */
static void test_useless_scores(void **state)
{
    int64_t keys[4000], negatives[4000];
    uint64_t random = 17;
    struct curve curve;
    (void)state;
    roll(keys, 4000, 6, &random);
    roll(negatives, 4000, 6, &random);
    assert_status(UF_OK, curve_make(&mem, keys, 4000, negatives, 4000, 200, &curve), NULL);
    for (enum regions_how how = REGIONS_LEARNED; how <= REGIONS_PARTITION; how++) {
        struct regions_request request = {how, 0.01, 6, 1.06, 1024, 2, 0, 0, 0, 0};
        struct regions regions;
        assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
        assert_that(regions.bits > 0.98 * 1.06 * 4000 * log2(100), "way %d: %g bits", (int)how, regions.bits);
    }
    curve_free(&curve);
}

/* ---- margins ---- */

enum { DESIGNS = 300, SCALE = 1 << 20, MEMBERS = 2000, STRANGERS = 1000 };

/* Scores of strangers are spread evenly, so the true share of a region is its width; members score high. */
static double true_rate(const struct regions *regions)
{
    double rate = 0;
    for (unsigned i = 0; i < regions->count; i++) {
        double from = i ? (double)regions->region[i].from : 0;
        double to = i + 1 < regions->count ? (double)regions->region[i + 1].from : SCALE;
        rate += (to - from) / SCALE * regions->region[i].fpr;
    }
    return rate;
}

static double design_rate(enum regions_how how, double margin, uint64_t *random)
{
    int64_t members[MEMBERS], strangers[STRANGERS], scratch[MEMBERS];
    struct regions_request request = {how, 0.01, 4, 1.06, 1024, margin, 0, 0, 0, 0};
    const size_t segments = how == REGIONS_LEARNED ? CURVE_MOST_SEGMENTS : 100; /* the programme takes its time */
    struct regions regions;
    struct curve curve;
    for (size_t i = 0; i < MEMBERS; i++)
        members[i] = (int64_t)(SCALE * (1 - pow((double)random_below(random, SCALE) / SCALE, 8)));
    for (size_t i = 0; i < STRANGERS; i++)
        strangers[i] = (int64_t)random_below(random, SCALE);
    scores_sort(members, scratch, MEMBERS);
    scores_sort(strangers, scratch, STRANGERS);
    assert_status(UF_OK, curve_make(&mem, members, MEMBERS, strangers, STRANGERS, segments, &curve), NULL);
    assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
    curve_free(&curve);
    return true_rate(&regions);
}

static double share_above(enum regions_how how, double margin)
{
    uint64_t random = 5;
    unsigned above = 0;
    for (unsigned i = 0; i < DESIGNS; i++)
        above += design_rate(how, margin, &random) > 0.01;
    return (double)above / DESIGNS;
}

/* 300 designs, each with 1000 negatives. Above their plan are 1 to 2 %, give or take 0.8; without a margin, which is
 * the control, more than half. */
static void test_how_often_plans_hold(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        enum regions_how how = i ? REGIONS_PARTITION : REGIONS_LEARNED;
        double with = share_above(how, 3), without = share_above(how, 0);
        assert_that(with < 0.06, "%g of the designs are above their plan", with);
        assert_that(without > 0.3, "without a margin %g are", without);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_curve_counts),
        cmocka_unit_test(test_curves_of_little),
        cmocka_unit_test(test_partition_is_best),
        cmocka_unit_test(test_capped_is_best),
        cmocka_unit_test(test_from_partition_to_plain),
        cmocka_unit_test(test_whole_set_in_both),
        cmocka_unit_test(test_coarse_curve),
        cmocka_unit_test(test_regions_are_whole),
        cmocka_unit_test(test_order_of_sizes),
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_useless_scores),
        cmocka_unit_test(test_how_often_plans_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
