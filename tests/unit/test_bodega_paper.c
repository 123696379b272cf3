/* SPDX-License-Identifier: MIT */
/*
 * experiments/bodega*: theorem 4 against real filters, 40 of 2,000 keys with 5,000 queries each, within 3 standard
 * deviations of the mean; the other definition of what A and B hold, and the fixed split of an adversary who does not
 * keep to it, are controls and must be further than 5 away. The paper's numbers. Corpora: samples, parts, and errors.
 */
#include <math.h>
#include <stdio.h>

#include "bodega.h"
#include "check.h"
#include "hybrid.h"
#include "dataset.h"
#include "folder.h"

/* ---- theorems ---- */

static const struct setup setup = {.keys = PAPER_KEYS, .trials = {.threads = 2, .seed = {1, 11}}};

static struct oracle_result measure(int definition, double alpha_p, double alpha_n)
{
    const struct oracle_world world = {.keys = 2000,
                                       .queries = 5000,
                                       .model_fpr = 0.05,
                                       .model_fnr = 0.55,
                                       .bits_a = 6400,
                                       .bits_b = 17600,
                                       .definition = definition,
                                       .alpha_p = alpha_p,
                                       .alpha_n = alpha_n};
    struct oracle_result result;
    uf_error why = {0};
    assert_status(UF_OK, oracle_measure(&setup, &world, 40, 1, &result, &why), &why);
    return result;
}

static void check_world(int definition, double alpha_p, double alpha_n)
{
    struct oracle_result result = measure(definition, alpha_p, alpha_n);
    double off = fabs(result.measured - result.theorem) / result.spread;
    double control = fabs(result.measured - result.control) / result.spread;
    assert_that(off <= 3, "%g + %g: %.5f is %.1f sigma from the theorem's %.5f", alpha_p, alpha_n, result.measured, off,
                result.theorem);
    assert_that(control > 5, "%g + %g: the other definition passes, %.1f sigma off", alpha_p, alpha_n, control);
}

static void test_theorems(void **state)
{
    static const double shares[][2] = {{0, 0}, {0.1, 0.1}, {0.3, 0}, {0, 0.3}};
    (void)state;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        check_world(DOWNTOWN_SPLIT, shares[i][0], shares[i][1]);
        check_world(DOWNTOWN_PAPER, shares[i][0], shares[i][1]);
    }
}

/* Theorem 4 for an even split does not hold against an adversary who asks A only. */
static void test_split(void **state)
{
    struct oracle_result even = measure(DOWNTOWN_SPLIT, 0.15, 0.15), worst = measure(DOWNTOWN_SPLIT, 0.3, 0);
    (void)state;
    assert_true(worst.measured > even.theorem + 5 * worst.spread);
}

/* The same numbers with any number of threads. */
static void test_threads(void **state)
{
    const struct oracle_world world = {
        .keys = 500, .queries = 500, .model_fpr = 0.2, .model_fnr = 0.5, .bits_a = 2000, .bits_b = 2000};
    struct setup one = setup;
    struct oracle_result first, second;
    (void)state;
    one.trials.threads = 1;
    assert_status(UF_OK, oracle_measure(&setup, &world, 10, 1, &first, NULL), NULL);
    assert_status(UF_OK, oracle_measure(&one, &world, 10, 1, &second, NULL), NULL);
    assert_memory_equal(&first, &second, sizeof first);
}

static void test_paper(void **state)
{
    struct report report = {0};
    uf_error why = {0};
    (void)state;
    assert_status(UF_OK, bodega_paper(&report, &why), &why);
    struct report_summary summary = report_compare(&report);
    assert_int_equal(0, summary.failed);
    assert_true(summary.checked > 100 && !report.out_of_memory);
    report.table[0].row[0].cell[0].value *= 1.001; /* one that is a little off is noticed */
    assert_int_equal(1, report_compare(&report).failed);
    report_free(&report);
}

/* ---- corpora ---- */

static void write_lines(const struct folder *folder, const char *name, unsigned from, unsigned to, const char *more)
{
    FILE *out = fopen(folder_file(folder, name), "w");
    assert_non_null(out);
    for (unsigned i = from; i < to; i++)
        (void)fprintf(out, "%u\n", i);
    (void)fputs(more, out);
    assert_int_equal(0, fclose(out));
}

static struct folder write_dataset(void)
{
    struct folder folder = folder_make();
    write_lines(&folder, "pos.txt", 10000, 11000, "");
    write_lines(&folder, "neg_train.txt", 20000, 20500, "10007\r\n\n\n10009\nlast");
    write_lines(&folder, "neg_valid.txt", 21000, 21400, "");
    write_lines(&folder, "neg_test.txt", 10990, 11300, "");
    return folder;
}

static void test_dataset(void **state)
{
    struct folder folder = write_dataset();
    struct dataset dataset;
    uf_error why = {0};
    (void)state;
    assert_status(UF_OK, dataset_read(folder.path, UINT64_MAX, &dataset, &why), &why);
    assert_int_equal(1000, dataset.members.count);
    assert_int_equal(501, dataset.others[DATASET_TRAIN].count); /* two are members */
    assert_int_equal(400, dataset.others[DATASET_VALID].count);
    assert_int_equal(300, dataset.others[DATASET_TEST].count);
    assert_true(dataset_has(&dataset, (uf_key){"10007", 5}));
    assert_false(dataset_has(&dataset, (uf_key){"1000", 4}));
    assert_false(dataset_has(&dataset, (uf_key){"last", 4}));
    dataset_free(&dataset);
    /* About half of everything, the same one each time. */
    assert_status(UF_OK, dataset_read(folder.path, 500, &dataset, &why), &why);
    assert_in_range(dataset.members.count, 420, 580);
    assert_in_range(dataset.others[DATASET_VALID].count, 150, 250);
    dataset_free(&dataset);
    folder_remove(&folder);
}

static void test_dataset_errors(void **state)
{
    struct folder folder = write_dataset();
    struct dataset dataset;
    uf_error why = {0};
    (void)state;
    assert_int_equal(UF_EINVAL, dataset_read(folder.path, 50, &dataset, &why));
    assert_non_null(strstr(why.text, "too few keys"));
    assert_int_equal(0, remove(folder_file(&folder, "neg_valid.txt")));
    assert_int_equal(UF_EIO, dataset_read(folder.path, 1000, &dataset, &why));
    assert_non_null(strstr(why.text, "neg_valid.txt: cannot read it: No such file"));
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_theorems), cmocka_unit_test(test_split),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_paper),    cmocka_unit_test(test_dataset), cmocka_unit_test(test_dataset_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
