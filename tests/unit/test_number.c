/* SPDX-License-Identifier: MIT */
/*
 * core/number: what counts as a number, round trips, and independence of the caller's locale. Locales with a decimal
 * comma (de_DE) and with a decimal mark of two bytes (ps_AF) are made with localedef when the system has none.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "folder.h"
#include "number.h"
#include "random.h"
#include "spec.h"

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        double value;
    } valid[] = {{"0", 0},    {"12", 12},       {"1e6", 1e6},   {"1E6", 1e6}, {"1.5e3", 1500},       {"0.01", 0.01},
                 {".5", 0.5}, {"5.", 5},        {"-2.5", -2.5}, {"+3", 3},    {"1e-3", 0.001},       {"1e+3", 1000},
                 {"007", 7},  {"1e308", 1e308}, {"-0", 0},      {"0e0", 0},   {"4.9e-324", 4.9e-324}};
    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
        double value = -1;
        assert_that(number_parse(valid[i].text, &value) == 1, "'%s' was refused", valid[i].text);
        assert_that(value == valid[i].value, "'%s' became %.17g", valid[i].text, value);
    }
}

static void test_not_numbers(void **state)
{
    static const char *const invalid[] = {"",      " 1",     "1 ",  "1,5",   "0x10", "inf", "-inf", "nan",
                                          "1e",    "e5",     ".",   "-",     "+",    "--1", "1-",   "1e999",
                                          "1.2.3", "1e5e5",  "1_0", "1f",    "1\n",  "\t1", "1e+",  "1e1.5",
                                          "INF",   "NAN(1)", "٣",   "1'000", "0x1p3"};
    (void)state;
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        double value = 5;
        assert_that(number_parse(invalid[i], &value) == 0, "'%s' was accepted as %g", invalid[i], value);
        assert_true(value == 5);
    }
}

static void test_counts(void **state)
{
    static const struct {
        const char *text;
        int ok;
        uint64_t value;
    } cases[] = {
        {"0", 1, 0},
        {"1", 1, 1},
        {"1e6", 1, 1000000},
        {"1.5e3", 1, 1500},
        {"10e-1", 1, 1},
        {"9007199254740991", 1, UINT64_C(9007199254740991)},
        {"9007199254740992", 1, UINT64_C(9007199254740992)},
        {"9007199254740994", 0, 0},
        {"1e300", 0, 0},
        {"1.5", 0, 0},
        {"-1", 0, 0},
        {"1e-3", 0, 0},
        {"", 0, 0},
        {"x", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t value = 77;
        assert_that(number_parse_count(cases[i].text, &value) == cases[i].ok, "'%s'", cases[i].text);
        assert_true(value == (cases[i].ok ? cases[i].value : 77));
    }
}

/* 2^53 + 1 is no double: it must not slip through as 2^53. */
static void test_count_just_above_the_limit(void **state)
{
    uint64_t value = 77;
    (void)state;
    assert_int_equal(number_parse_count("9007199254740993", &value), 0);
}

static void test_hexadecimal(void **state)
{
    static const char *const invalid[] = {"",     "0x",   "0",    "ff",   "0xg",  "0X1",  "0x12345678901234567",
                                          "-0x1", "0x 1", "0x+1", "0x1 ", " 0x1", "0x0x1"};
    uint64_t value = 77;
    (void)state;
    assert_int_equal(number_parse_hex("0x0", &value), 1);
    assert_int_equal(value, 0);
    assert_int_equal(number_parse_hex("0xFfFfFfFfFfFfFfFf", &value), 1);
    assert_true(value == UINT64_MAX);
    assert_int_equal(number_parse_hex("0x000000000000000a", &value), 1);
    assert_int_equal(value, 10);
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        assert_that(number_parse_hex(invalid[i], &value) == 0, "'%s' was accepted", invalid[i]);
}

static void check_round_trip(double value)
{
    char text[48];
    double back = NAN;
    number_format(value, text, sizeof text);
    assert_that(number_parse(text, &back) == 1 && back == value, "%.17g became '%s'", value, text);
}

static void test_text_reads_back_as_the_same_number(void **state)
{
    static const double special[] = {
        0, 1, 0.1, 1e-9, 1e15, 0x1p53, 0x1p53 + 2, 1e300, 5e-324, 0x1.fffffffffffffp1023, 1.0 / 3, 123456.5};
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        check_round_trip(special[i]);
    for (int i = 0; i < (test_small() ? 4000 : 20000); i++) {
        uint64_t bits = next_random(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            check_round_trip(value);
        check_round_trip((double)(bits >> 20));
    }
}

static void test_text_is_short(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.001, "0.001"}, {1e6, "1000000"}, {0.05, "0.05"}, {64, "64"}, {0, "0"}, {1e-9, "1e-09"}};
    char text[48];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        number_format(cases[i].value, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

/* ---- locales ---- */

/* Makes a locale with localedef where the system has none. 1 when it is now the process's. */
static int enter_locale(const char *name, const struct folder *folder)
{
    char command[2048], full[64];
    (void)snprintf(full, sizeof full, "%s.UTF-8", name);
    if (setlocale(LC_ALL, full))
        return 1;
    (void)snprintf(command, sizeof command, "localedef -i %s -f UTF-8 %s/%s >/dev/null 2>&1", name, folder->path, full);
    if (system(command) == -1)
        return 0;
    setenv("LOCPATH", folder->path, 1);
    return setlocale(LC_ALL, full) != NULL;
}

static void check_this_locale(void)
{
    struct spec spec = {.count = 0};
    char text[48];
    double value = 0;
    uf_spec plan = spec_of("bloom:n=1000,fpr=0.01");
    (void)snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_not_equal(text, "0.5"); /* the locale is in force */
    assert_int_equal(number_parse("0.5", &value), 1);
    assert_true(value == 0.5);
    assert_int_equal(number_parse("0,5", &value), 0);
    number_format(0.25, text, sizeof text);
    assert_string_equal(text, "0.25");
    spec_set_rate(&spec, "fpr", 0.125);
    assert_string_equal(spec_text(&spec, "fpr"), "0.125");
    assert_status(UF_OK, uf_plan(&plan, &plan, NULL), NULL);
    assert_status(UF_OK, uf_plan(&plan, &plan, NULL), NULL);
    (void)snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_not_equal(text, "0.5"); /* and was not changed for the caller */
}

static int no_locale;

locale_t __real_newlocale(int mask, const char *name, locale_t base);
locale_t __wrap_newlocale(int mask, const char *name, locale_t base);
locale_t __wrap_newlocale(int mask, const char *name, locale_t base)
{
    return no_locale ? (locale_t)0 : __real_newlocale(mask, name, base);
}

/* Without memory for one nothing is read, so that no number is taken for another; printing does what it can. */
static void test_no_locale(void **state)
{
    char text[32];
    double value = 7;
    uint64_t count = 7;
    (void)state;
    no_locale = 1;
    assert_int_equal(number_parse("0.5", &value), 0);
    assert_int_equal(number_parse_count("5", &count), 0);
    number_format(25, text, sizeof text);
    assert_string_equal(text, "25");
    no_locale = 0;
    assert_true(value == 7 && count == 7);
    assert_int_equal(number_parse("0.5", &value), 1);
}

static void test_locale(void **state)
{
    const char *name = *state;
    struct folder folder = folder_make();
    int there = enter_locale(name, &folder);
    if (there)
        check_this_locale();
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    folder_remove(&folder);
    if (!there) {
        print_message("skipped: no locale %s here and localedef cannot make it\n", name);
        skip();
    }
}

int main(void)
{
    char comma[] = "de_DE", two_bytes[] = "ps_AF";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_not_numbers),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_count_just_above_the_limit),
        cmocka_unit_test(test_hexadecimal),
        cmocka_unit_test(test_text_reads_back_as_the_same_number),
        cmocka_unit_test(test_text_is_short),
        cmocka_unit_test(test_no_locale),
        cmocka_unit_test_prestate(test_locale, comma),
        {"test_locale_with_a_long_decimal_mark", test_locale, NULL, NULL, two_bytes},
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
