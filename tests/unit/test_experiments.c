/* SPDX-License-Identifier: MIT */
/*
 * experiments/: tables that count what is out of tolerance, formulas with known values, and the UltraFilter paper's
 * experiment at 1 / 64 of its size. Control: the same mechanism with ten different hashes must not pass for the paper's
 * numbers.
 */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "experiment.h"
#include "formula.h"
#include "ultrafilter_expected.h"
#include "ultrafilter_grid.h"

static void close_to(double got, double want, double error)
{
    assert_that(fabs(got - want) <= error, "%.12g and not %.12g", got, want);
}

/* ---- tables ---- */

static void make_report(struct report *report)
{
    static const char *const columns[] = {"one", "two", "three", NULL};
    struct table *table = report_table(report, "name", "A title", columns);
    table->head[0] = "row";
    struct row *row = table_row(report, table, "first", "a");
    row_show(row, 0, 0.5);
    row_check(row, 1, 0.25, 0.26, 0.02);
    row = table_row(report, table, "", "b");
    row_check(row, 0, 0.25, 0.3, 0.02);
    row_check(row, 1, NAN, 0.3, 0.02);
    row_compare(report, table, row, 2, 3e-5, 0, 0.001);
}

static void test_table(void **state)
{
    struct report report = {0};
    char *text = NULL;
    size_t size = 0;
    (void)state;
    make_report(&report);
    struct report_summary summary = report_compare(&report);
    assert_int_equal(4, summary.checked);
    assert_int_equal(2, summary.failed); /* too far, and a number that is missing */
    close_to(report.largest, 3e-5, 1e-12);
    assert_string_equal("name, first, three", report.largest_name);
    FILE *out = open_memstream(&text, &size);
    report_print(out, &report);
    table_write(out, &report.table[0]);
    assert_int_equal(0, fclose(out));
    assert_string_equal("A title\n\n"
                        "row           one       two     three \n"
                        "first  a   0.5000    0.2500         - \n"
                        "       b   0.2500!        -!  3.0e-05 \n\n"
                        "row\t\tone\ttwo\tthree\n"
                        "first\ta\t0.5\t0.25\t-\n"
                        "\tb\t0.25\t-\t3e-05\n",
                        text);
    free(text);
    report_free(&report);
}

/* ---- formulas ---- */

static void test_formulas(void **state)
{
    struct rates paper = array_rates(0x1p20, 0x1p24, 1, 1, keep_of(1), 0),
                 ten = array_rates(0x1p20, 0x1p24, 10, 10, keep_of(1), 0);
    (void)state;
    close_to(paper.fp, 0.0443, 1e-4);
    close_to(paper.fn, 0.26894, 1e-5);
    close_to(f1_of(paper), 0.8236, 1e-4);
    close_to(ten.fp, 2.0e-5, 1e-6);
    close_to(ten.fn, 0.9564, 1e-4);
    for (unsigned i = 0; i < 5; i++)
        close_to(f1_of(array_rates(0x1p20, 0x1p24, 10, 10, keep_of(i + 1), 0)), true_ten_f1[i], 1e-4);
    struct rates rr = array_rates(1e6, 8e6, 2, 2, keep_of(4), 1 - keep_of(4));
    close_to(rr.fp, 0.05347, 1e-5);
    close_to(rr.fn, 0.03565, 1e-5);
    close_to(f1_limit(3), 0.952574, 1e-6);
    close_to(f1_limit(0.5), 2.0 / 3, 1e-12);
    close_to(paper_equation(keep_of(1), 0x1p20, 0x1p24, 10), 4.4e-5, 1e-6);
    close_to(paper_equation(1 - keep_of(1), 0x1p20, 0x1p24, 10), 7.9e-9, 1e-10);
}

/* ---- the paper's experiment ---- */

static struct setup small_setup(void)
{
    return (struct setup){.keys = PAPER_KEYS / 64, .trials = {.threads = 2, .seed = {1, 5}}};
}

/* 16384 keys a cell of the paper's: a rate of 0.27 has a standard deviation of 0.0035, F1 less. */
static void test_grid(void **state)
{
    static struct grid grid;
    struct setup setup = small_setup();
    struct hashed_keys keys;
    uf_error why;
    (void)state;
    assert_status(UF_OK, hashed_keys_make(&setup, &keys, &why), &why);
    assert_status(UF_OK, grid_measure(&setup, &keys, &grid, &why), &why);
    hashed_keys_free(&keys);
    for (unsigned phi = 0; phi < PHIS; phi++)
        for (unsigned epsilon = 1; epsilon <= 4; epsilon++) {
            double paper = f1_of(grid_rates(&grid, VARIANT_PAPER, phi, epsilon));
            double control = f1_of(grid_rates(&grid, VARIANT_TEN, phi, epsilon));
            close_to(paper, paper_f1[phi][epsilon], 0.014);
            assert_that(fabs(control - paper_f1[phi][epsilon]) > 0.03, "ten hashes pass for one: %.4f", control);
            for (enum variant variant = VARIANT_PAPER; variant < VARIANTS; variant++) {
                struct rates rates = grid_rates(&grid, variant, phi, epsilon),
                             want = grid_expected(&grid, variant, phi, epsilon);
                double queries = (double)grid.at[variant][phi][epsilon].members;
                assert_true(queries >= (variant == VARIANT_PAPER ? 9000 : variant == VARIANT_DPSET ? 800 : 3000));
                close_to(rates.fp, want.fp, rate_tolerance(want.fp, queries));
                close_to(rates.fn, want.fn, rate_tolerance(want.fn, queries));
            }
        }
    assert_true(isnan(grid_rates(&grid, VARIANT_RR, FULL, 0).fp));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
