/* SPDX-License-Identifier: MIT */
/*
 * privacy/design: rates against closed forms, against published figures and against the table of 24 designs of
 * docs/privacy.md; searches against trying everything; and nothing below the limit.
 */
#include <math.h>

#include "check.h"
#include "design.h"
#include "design_table.h"
#include "random.h"
#include "rounding.h"

#define assert_near(got, want, tolerance)                                                            \
    assert_that(fabs((got) - (want)) <= (tolerance), "%.9g is not within %g of %.9g", (double)(got), \
                (double)(tolerance), (double)(want))

/* Half a unit of the fourth and fifth decimal, and a little for those who round twice. */
#define FOUR 5.5e-5
#define FIVE 5.5e-6

/* ---- randomized response ---- */

static struct rr_design rates(uint64_t n, uint64_t part, unsigned k, unsigned t, double a, double b)
{
    struct rr_design out = {k, t, NAN, NAN};
    rr_rates(n, part, k, t, a, b, &out.fpr, &out.fnr);
    return out;
}

/* The first three tables of the paper that published the mechanism, which in truth had one hash. */
static void test_published_with_one_hash(void **state)
{
    static const struct {
        double epsilon, fpr, fnr, f1;
    } paper[] = {{0, .0303, .5, .6535}, {5, .0602, .0067, .9674}, {10, .0606, 4.5e-5, .9706}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double keep = 1 / (1 + exp(-paper[i].epsilon));
        struct rr_design got = rates(1 << 20, 1 << 24, 1, 1, keep, 0);
        assert_near(got.fpr, paper[i].fpr, FOUR);
        assert_near(got.fnr, paper[i].fnr, FOUR);
        assert_near(rr_f1(got.fpr, got.fnr), paper[i].f1, FOUR);
    }
}

/* And with the ten hashes that it says it has. */
static void test_published_with_ten_hashes(void **state)
{
    static const double f1[][2] = {{1, .0836}, {2, .4387}, {3, .7616}, {4, .9093}, {5, .9662}, {8, .9981}};
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        double keep = 1 / (1 + exp(-f1[i][0]));
        struct rr_design got = rates(1 << 20, (1 << 24) / 10, 10, 10, keep, 0);
        assert_near(rr_f1(got.fpr, got.fnr), f1[i][1], FOUR);
        if (i == 0) {
            assert_near(got.fpr, 2.0e-5, 5e-7);
            assert_near(got.fnr, .9564, FOUR);
        }
    }
}

static void test_simulated_designs(void **state)
{
    double flip = 1 / (1 + exp(1));
    (void)state;
    struct rr_design symmetric = rates(1 << 14, 1 << 16, 4, 2, 1 - flip, flip);
    struct rr_design other = rates(1 << 14, (1 << 18) / 3, 3, 2, .9, .2);
    assert_near(symmetric.fpr, .4745, FOUR);
    assert_near(symmetric.fnr, .0621, FOUR);
    assert_near(other.fpr, .2413, FOUR);
    assert_near(other.fnr, .0280, FOUR);
}

/* All 2^k outcomes of k bits, one by one. */
static double by_counting(unsigned k, unsigned from, unsigned to, double p)
{
    double sum = 0;
    for (uint32_t bits = 0; bits < 1U << k; bits++) {
        unsigned ones = (unsigned)__builtin_popcount(bits);
        if (ones >= from && ones <= to)
            sum += pow(p, ones) * pow(1 - p, k - ones);
    }
    return sum;
}

static void test_tails_by_counting(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 8; k++)
        for (unsigned t = 0; t <= k + 1; t++) {
            double a = .8, b = .3, z = 1 - pow(1 - 1.0 / 7, 5), c = b + (a - b) * z;
            struct rr_design got = rates(5, 7, k, t, a, b);
            assert_near(got.fpr, by_counting(k, t, k, c), 1e-12);
            assert_near(got.fnr, t ? by_counting(k, 0, t - 1, a) : 0, 1e-12);
        }
}

/* Ends of the range have closed forms, however small. */
static void test_tiny_tails(void **state)
{
    double tiny = 0x1p-40, huge = 1 - tiny;
    (void)state;
    for (unsigned k = 1; k <= RR_MOST_K; k++) {
        struct rr_design one = rates(0, 100, k, 1, huge, tiny), all = rates(0, 100, k, k, huge, tiny);
        assert_near(one.fpr / -expm1(k * log1p(-tiny)), 1, 1e-13);
        assert_near(one.fnr / pow(tiny, k), 1, 1e-13);
        assert_near(all.fpr / pow(tiny, k), 1, 1e-13);
        assert_near(all.fnr / -expm1(k * log1p(-tiny)), 1, 1e-13);
    }
    struct rr_design wide = rates(3, 1 << 20, 1000, 500, .6, .4);
    assert_true(wide.fpr > 1e-11 && wide.fpr < 1e-8 && wide.fnr > 1e-11 && wide.fnr < 1e-8);
}

static void test_odd_sizes(void **state)
{
    (void)state;
    struct rr_design empty = rates(0, 1, 1, 1, .7, .3), full = rates(1, 1, 1, 1, .7, .3),
                     far = rates(UINT64_MAX, 2, 3, 2, .7, .3);
    assert_near(empty.fpr, .3, 1e-15);
    assert_near(full.fpr, .7, 1e-15);
    assert_near(far.fpr, 1 - far.fnr, 1e-15);
    assert_true(rates(5, 10, 4, 0, .7, .3).fpr == 1 && rates(5, 10, 4, 5, .7, .3).fpr == 0);
}

static double sum_of(struct rr_design design)
{
    return design.fpr + design.fnr;
}

/* No other threshold has fewer errors. */
static void test_threshold_is_the_best(void **state)
{
    uint64_t random = 3;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t part = 1 + random_below(&random, 1000), n = random_below(&random, 2 * part);
        unsigned k = 1 + (unsigned)random_below(&random, RR_MOST_K);
        double b = (double)random_below(&random, 1001) / 1000,
               a = b + (1 - b) * (double)random_below(&random, 1001) / 1000;
        unsigned t = rr_threshold(n, part, k, a, b);
        assert_in_range(t, 1, k);
        for (unsigned other = 1; other <= k; other++)
            assert_that(sum_of(rates(n, part, k, t, a, b)) <= sum_of(rates(n, part, k, other, a, b)) + 1e-9,
                        "n %llu of %llu, k %u, a %g, b %g: t = %u is better than %u", (unsigned long long)n,
                        (unsigned long long)part, k, a, b, other, t);
    }
    assert_int_equal(rr_threshold(0, 8, 2, .75, .25), 1); /* 1 and 2 are as good: the lower */
}

/* k and t one by one, with the threshold of the likelihood ratio. */
static void test_best_of_all_k(void **state)
{
    static const uint64_t sizes[][2] = {{0, 64},      {1, 1},        {1, 30},           {10, 80},
                                        {1000, 8000}, {1000, 64000}, {1 << 20, 1 << 24}};
    (void)state;
    for (double epsilon = .05; epsilon <= 20; epsilon += .35)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            uint64_t n = sizes[i][0], bits = sizes[i][1];
            struct rr_design best = {0};
            double least = 2;
            for (unsigned k = 1; k <= RR_MOST_K && k <= bits; k++) {
                double flip = 1 / (1 + exp(epsilon / k));
                unsigned t = rr_threshold(n, bits / k, k, 1 - flip, flip);
                least = fmin(least, sum_of(rates(n, bits / k, k, t, 1 - flip, flip)));
            }
            assert_int_equal(rr_best(epsilon, n, bits, &best), 1);
            assert_near(sum_of(best), least, 1e-11);
            assert_true(best.k >= 1 && best.k <= bits && best.t >= 1 && best.t <= best.k);
        }
}

static void test_no_design(void **state)
{
    struct rr_design rr;
    struct dime_design dime;
    struct lef_design lef;
    (void)state;
    assert_false(rr_best(3, 10, 0, &rr) || rr_best(0, 10, 100, &rr) || rr_best(NAN, 10, 100, &rr));
    assert_false(published_best(3, 10, 0, &rr));
    assert_false(dime_best(3, 10, 9, 100, &dime) || dime_best(3, 10, 20, 0, &dime));
    assert_false(nickel_best(3, 10, 9, 100, &dime) || nickel_best(3, 10, 20, 0, &dime));
    assert_false(lef_choose(3, LEF_SLACK, 0, 1, &lef) || lef_choose(3, LEF_SLACK, 1, 1, &lef));
}

/* ---- the table ---- */

#define LARGE (UINT64_C(1) << 26)

static void test_table_rr(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        double epsilon = table_rr[i].epsilon;
        uint64_t bits = LARGE * (uint64_t)table_rr[i].ratio;
        struct rr_design got;
        assert_int_equal(rr_best(epsilon, LARGE, bits, &got), 1);
        assert_int_equal(got.k, table_rr[i].k);
        assert_int_equal(got.t, table_rr[i].t);
        assert_near(got.fpr, table_rr[i].fpr, FIVE);
        assert_near(got.fnr, table_rr[i].fnr, FIVE);
        assert_near(sum_of(got), table_rr[i].sum, FIVE);
        assert_near(rr_f1(got.fpr, got.fnr), table_rr[i].f1, FOUR);
        double flip = 1 / (1 + exp(epsilon / got.k));
        assert_int_equal(rr_threshold(LARGE, bits / got.k, got.k, 1 - flip, flip), table_rr[i].t);
    }
}

static void test_table_limit(void **state)
{
    static const double corner[][2] = {{1, .268941}, {2, .119203}, {3, .047426},
                                       {4, .017986}, {5, .006693}, {8, .000335}};
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        struct dp_limit got = dp_limit(table_rr[i].epsilon);
        assert_near(got.sum, table_rr[i].limit_sum, FIVE);
        assert_near(got.f1, table_rr[i].limit_f1, FOUR);
    }
    for (size_t i = 0; i < 6; i++) {
        struct dp_limit got = dp_limit(corner[i][0]);
        assert_near(got.fpr, corner[i][1], 5.5e-7);
        assert_near(got.fnr, corner[i][1], 5.5e-7);
    }
    assert_near(dp_limit(log(2)).f1, 2.0 / 3, 1e-15);
    assert_near(dp_limit(.1).f1, 2.0 / 3, 1e-15); /* "always yes" */
}

static double errors_of(const struct lef_design *design)
{
    return design->fpr + design->fnr;
}

/* From accept and columns alone; accept from the formula with room for failed builds. */
static void check_lef(const struct lef_design *got, double epsilon)
{
    double u = exp(-epsilon), f = ldexp((double)got->accept, -(int)got->columns);
    double least = (1 - u) / ((1 - LEF_ETA) / u - u);
    assert_near(got->fpr, f, 1e-15);
    assert_near(got->fnr, u * (1 - f), 1e-12);
    assert_true(got->accept == (uint64_t)ceil(ldexp(least, (int)got->columns)));
    assert_true(got->erase == erase_threshold(epsilon));
    assert_true(lef_epsilon(got->erase, got->columns, got->accept) <= epsilon);
}

/* LEF_ETA, which the table does not have, and the rule that errors within a factor of 1.00005 are the same cost less
 * than 10^-4 of the errors, nowhere a unit of the fourth decimal. More than 16 columns, which the table does not have
 * either, save as much. */
static void check_lef_row(int dyadic, double epsilon, double ratio, double sum, double f1)
{
    struct lef_design got;
    assert_int_equal(lef_choose(epsilon, LEF_SLACK, dyadic, ratio, &got), 1);
    check_lef(&got, epsilon);
    assert_that(errors_of(&got) <= sum * 1.0001 + FIVE && errors_of(&got) >= sum - FOUR, "epsilon %g: %g instead of %g",
                epsilon, errors_of(&got), sum);
    assert_true(errors_of(&got) >= dp_limit(epsilon).sum);
    assert_near(rr_f1(got.fpr, got.fnr), f1, FOUR + 2e-5);
    assert_true(got.bits <= ratio);
}

static void test_table_lef(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        double epsilon = table_lef[i].epsilon, ratio = table_lef[i].ratio;
        check_lef_row(0, epsilon, ratio, table_lef[i].sum, table_lef[i].f1);
        check_lef_row(1, epsilon, ratio, table_lef[i].dyadic_sum, table_lef[i].dyadic_f1);
        struct lef_design theirs = {.erase = erase_threshold(epsilon)};
        theirs.columns = table_lef[i].columns;
        theirs.accept = table_lef[i].accept;
        assert_int_equal(lef_evaluate(&theirs, LEF_SLACK), 1);
        assert_near(errors_of(&theirs), table_lef[i].sum, FIVE);
        assert_near(rr_f1(theirs.fpr, theirs.fnr), table_lef[i].f1, FOUR);
        assert_near(theirs.bits, table_lef[i].bits, .055);
    }
}

static void test_table_dime(void **state)
{
    static const uint64_t universe[] = {2, 16, 1024};
    (void)state;
    for (size_t i = 0; i < 3 * ROWS; i++) {
        double epsilon = table_dime[i / 3].epsilon, q = 1 / (1 + exp(epsilon));
        uint64_t bits = LARGE * (uint64_t)table_dime[i / 3].ratio, times = universe[i % 3];
        struct dime_design got;
        assert_int_equal(dime_best(epsilon, LARGE, times * LARGE, bits, &got), 1);
        assert_near(got.fpr + got.fnr, table_dime[i / 3].in[i % 3].sum, FOUR);
        assert_near(rr_f1(got.fpr, got.fnr), table_dime[i / 3].in[i % 3].f1, FOUR);
        assert_near((double)got.released / (double)LARGE, 1 - q + (double)(times - 1) * q, 1e-6);
        unsigned k = table_dime[i / 3].in[i % 3].k;
        assert_true(got.k == k || (k == 39 && got.k > 39)); /* the table ends there */
    }
}

/* ---- the linear-equation filter ---- */

/* Where each of the values below accept first differs from it. */
static double depth_by_counting(uint64_t accept, uint32_t columns)
{
    double sum = 0;
    for (uint64_t value = 0; value < accept; value++)
        sum += (double)columns - 63 + __builtin_clzll(value ^ accept);
    return sum / (double)accept;
}

static void test_depth_by_counting(void **state)
{
    (void)state;
    for (uint32_t columns = 1; columns <= 9; columns++)
        for (uint64_t accept = 1; accept < UINT64_C(1) << columns; accept++) {
            assert_near(lef_depth(accept, columns, 1), depth_by_counting(accept, columns), 1e-12);
            assert_true(lef_depth(accept, columns, 0) == columns);
        }
    assert_near(lef_depth(35251, 17, 1), 2.3, .05);
}

/* The fewest bits per key of any file with these errors: the divergence of the two answers. */
static double least_bits(const struct lef_design *design)
{
    double hit = 1 - design->fnr, f = design->fpr;
    return hit * log2(hit / f) + (1 - hit) * log2((1 - hit) / (1 - f));
}

/* Bits per key with 12 % of spare slots, and by how much the errors are above the limit. */
static void test_space(void **state)
{
    static const struct {
        double epsilon;
        unsigned columns, accept;
        double bits, above;
    } designs[] = {{1, 7, 35, 4.96, .01},  {2, 8, 31, 7.75, .01},  {3, 10, 49, 10.6, .01}, {4, 11, 37, 12.1, .01},
                   {5, 13, 55, 14.5, .01}, {8, 15, 11, 16.8, .01}, {2, 3, 1, 2.91, .03},   {5, 7, 1, 7.79, .09}};
    (void)state;
    for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++) {
        double epsilon = designs[i].epsilon, limit = dp_limit(epsilon).sum;
        struct lef_design got = {.erase = erase_threshold(epsilon), .accept = designs[i].accept};
        got.columns = designs[i].columns;
        assert_int_equal(lef_evaluate(&got, LEF_SLACK), 1);
        assert_near(got.bits, designs[i].bits, .055);
        assert_true(errors_of(&got) > limit && errors_of(&got) < limit * (1 + designs[i].above));
        assert_true(lef_accept(epsilon, got.columns) == got.accept);
        got.dyadic = 1;
        assert_true(lef_evaluate(&got, 0) && got.bits >= least_bits(&got) && got.bits <= designs[i].bits);
    }
}

/* Without a request for the size: near the best errors, and no larger than any other design that is. */
static void test_free_size(void **state)
{
    (void)state;
    for (double epsilon = EPSILON_LEAST; epsilon <= EPSILON_MOST; epsilon += .0731)
        for (int dyadic = 0; dyadic <= 1; dyadic++) {
            struct lef_design got, best;
            assert_int_equal(lef_choose(epsilon, LEF_SLACK, dyadic, 0, &got), 1);
            assert_int_equal(lef_choose(epsilon, LEF_SLACK, dyadic, 1000, &best), 1);
            check_lef(&got, epsilon);
            assert_true(errors_of(&got) <= 1.002 * errors_of(&best) && got.bits <= best.bits * 1.0102);
            assert_true(!dyadic || __builtin_popcountll(got.accept) <= LEF_MOST_GROUPS);
        }
}

static void test_illegal_designs(void **state)
{
    struct lef_design design = {.erase = 1, .accept = 1, .columns = 0};
    (void)state;
    assert_false(lef_evaluate(&design, LEF_SLACK));
    design.columns = LEF_MOST_COLUMNS + 1;
    assert_false(lef_evaluate(&design, LEF_SLACK));
    design = (struct lef_design){.erase = 1, .accept = 9, .columns = 4};
    assert_false(lef_evaluate(&design, LEF_SLACK));
    design = (struct lef_design){.erase = 1, .accept = 0x1fff, .columns = 20, .dyadic = 1};
    assert_false(lef_evaluate(&design, LEF_SLACK));
    design.dyadic = 0;
    assert_true(lef_evaluate(&design, LEF_SLACK));
}

/* ---- all of them ---- */

/* FNR + e^eps FPR >= 1 and FPR + e^eps FNR >= 1: no design may be better, whatever epsilon. */
static void assert_possible(double epsilon, double fpr, double fnr)
{
    double most = exp(epsilon) * (1 + 1e-9);
    assert_that(fnr + most * fpr >= 1 - 1e-9 && fpr + most * fnr >= 1 - 1e-9,
                "epsilon %g: FPR %g and FNR %g are impossible", epsilon, fpr, fnr);
}

static void test_nothing_beats_the_limit(void **state)
{
    (void)state;
    for (double epsilon = EPSILON_LEAST; epsilon <= EPSILON_MOST; epsilon += .173) {
        struct rr_design rr;
        struct lef_design lef;
        struct dime_design dime;
        assert_true(rr_best(epsilon, 1000, 16000, &rr) && lef_choose(epsilon, LEF_SLACK, 1, 0, &lef));
        assert_true(dime_best(epsilon, 1000, 3000, 64000, &dime));
        assert_possible(epsilon, rr.fpr, rr.fnr);
        assert_possible(epsilon, lef.fpr, lef.fnr);
        assert_possible(epsilon, dime.fpr, dime.fnr);
    }
}

/* The control: what is not differentially private does. */
static void test_published_and_nickel_beat_it(void **state)
{
    struct rr_design rr;
    struct dime_design nickel;
    (void)state;
    assert_true(published_best(1, 1000, 16000, &rr) && sum_of(rr) < dp_limit(1).sum);
    assert_true(nickel_best(3, 1000, 2000, 32000, &nickel) && nickel.fpr + nickel.fnr < dp_limit(3).sum);
    assert_true(nickel.fpr >= exp(-3) && nickel.fnr == 0);
}

/* The paper's example for Nickel, and a size that was simulated: 0.0540 with k = 7, which is near the best. */
static void test_nickel(void **state)
{
    struct dime_design got;
    (void)state;
    assert_true(nickel_best(3, 10, 50, 1000000, &got));
    assert_int_equal(got.released, 12); /* two decoys among 40 */
    assert_true(nickel_best(3, 2000, 20000, 1 << 15, &got));
    assert_near(got.fpr, .0540, 1e-4);
    assert_near((double)got.released, 2000 + 18000 * exp(-3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_with_one_hash),
        cmocka_unit_test(test_published_with_ten_hashes),
        cmocka_unit_test(test_simulated_designs),
        cmocka_unit_test(test_tails_by_counting),
        cmocka_unit_test(test_tiny_tails),
        cmocka_unit_test(test_odd_sizes),
        cmocka_unit_test(test_threshold_is_the_best),
        cmocka_unit_test(test_best_of_all_k),
        cmocka_unit_test(test_no_design),
        cmocka_unit_test(test_table_rr),
        cmocka_unit_test(test_table_limit),
        cmocka_unit_test(test_table_lef),
        cmocka_unit_test(test_table_dime),
        cmocka_unit_test(test_depth_by_counting),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_free_size),
        cmocka_unit_test(test_illegal_designs),
        cmocka_unit_test(test_nothing_beats_the_limit),
        cmocka_unit_test(test_published_and_nickel_beat_it),
        cmocka_unit_test(test_nickel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
