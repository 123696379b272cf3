/* SPDX-License-Identifier: MIT */
/* core/spec and the spec functions of the header: grammar, limits, canonical text, names that a kind does not have. */
#include <stdio.h>

#include "check.h"
#include "spec.h"

static void test_valid_specs_are_their_own_canonical_text(void **state)
{
    static const char *const valid[] = {
        "bloom",
        "blocked:n=1e6,fpr=0.01",
        "ribbon:n=0,band=128,slack=0.05,seed=0xff",
        "dcso:n=1,fpr=0.5",
        "bloom:bits_per_key=9.6,k=7",
        "bloom:seed=0x0123456789abcdef",
    };
    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
        uf_spec once = spec_of(valid[i]), twice = spec_of(once.text);
        assert_string_equal(once.text, valid[i]);
        assert_string_equal(twice.text, once.text);
    }
}

static void test_invalid_specs_are_refused(void **state)
{
    static const char *const invalid[] = {
        "",
        ":",
        ":n=1",
        "=",
        "bloom:n",
        "bloom:n=",
        "bloom:=5",
        "bloom:n=1,",
        "bloom:,n=1",
        "bloom:n=1,,k=2",
        "bloom n=1",
        "Bloom:n=1",
        "bloom:N=1",
        " bloom",
        "bloom ",
        "bloom:n=1,n=2",
        "bloom:n=1;k=2,",
        "bloom:n=1O000",
        "bloom:n=12abc",
        "bloom:n=0x10",
        "bloom:n=1e",
        "bloom:n=1_000",
        "bloom:n=nan",
        "bloom:n=1000;fpr=0.01",
        "bloom:n=1000,fpr=1%",
        "bloom:n=1000,k=seven",
        "blocked:n=1000,bits=8kb",
        "ribbon:n=1000,band=64x",
        "deletable:n=1000,region=a",
        "tombstone:n=1000,removed=10%",
        "robust:n=1000,alpha=.05.1",
        "dpset:n=1O000,epsilon=1",
        "dpset:n=1000;epsilon=1",
        "dpset:n=1000,epsilon=0x1",
        "ultra:epsilon=1,count_epsilon=x",
        "keyed(dpset:n=12abc,epsilon=1)",
        "bloom:seed=1",
        "bloom:seed=0x",
        "bloom:seed=0xg",
        "bloom:seed=-0x1",
        "bloom:seed=0x12345678901234567",
        "blo\xc3\xb6m:n=1",
        "bloom:n\x01=1",
        "bloom:n,",
        "bloom:n=1\x7f",
        "a_kind_whose_name_is_longer_than_any_that_there_is",
        "bloom:a_parameter_without_a_value_that_is_longer_than_an_error",
    };
    (void)state;
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        uf_spec out = {"untouched"};
        uf_error why = {0, 0, ""};
        int status = uf_spec_parse(invalid[i], &out, &why);
        assert_that(status == UF_EINVAL && why.status == UF_EINVAL && why.text[0], "'%s' gave %d", invalid[i], status);
        assert_string_equal(out.text, "untouched");
    }
}

/* spec.h: "values are anything without commas and spaces". */
static void test_values_have_no_spaces_or_control_characters(void **state)
{
    static const char *const invalid[] = {"bloom:n=1 0", "bloom:n= 1", "bloom:n=1 ", "bloom:n=1\t", "bloom:n=1\n"};
    (void)state;
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        uf_spec out;
        assert_that(uf_spec_parse(invalid[i], &out, NULL) == UF_EINVAL, "'%s' was accepted", invalid[i]);
    }
}

/* ultrafilter.h: an error is "one sentence, NUL-terminated, no newline", whatever is in the text at fault. */
static void test_error_text_is_one_line(void **state)
{
    static const char *const odd[] = {"blo\nom:n=1", "bloom:n\n=1", "bloom:fpr\r", "bloom:n=1\n2", "bloom:seed=\n"};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        uf_spec out;
        uf_error why = {0, 0, ""};
        if (uf_spec_parse(odd[i], &out, &why) == UF_OK)
            (void)uf_plan(&out, &out, &why);
        assert_that(!strpbrk(why.text, "\r\n"), "the error of '%s' has more than one line: %s", odd[i], why.text);
    }
}

static void test_unknown_names_are_named(void **state)
{
    uf_spec out;
    uf_error why;
    (void)state;
    assert_refused(UF_EINVAL, uf_spec_parse("cuckoo:n=1", &out, &why), &why);
    assert_non_null(strstr(why.text, "cuckoo"));
    for (size_t i = 0; uf_kind_name(i); i++)
        assert_that(strstr(why.text, uf_kind_name(i)) != NULL, "'%s' does not offer %s", why.text, uf_kind_name(i));
    assert_refused(UF_EINVAL, uf_spec_parse("bloom:band=64", &out, &why), &why);
    assert_non_null(strstr(why.text, "band"));
    assert_non_null(strstr(why.text, "bits_per_key"));
    assert_refused(UF_EINVAL, uf_spec_parse("dcso:seed=0x1", &out, &why), &why);
    assert_non_null(strstr(why.text, "seed"));
}

static void test_kinds_are_listed(void **state)
{
    size_t kinds = 0;
    (void)state;
    while (uf_kind_name(kinds))
        assert_non_null(uf_kind_about(uf_kind_name(kinds++)));
    assert_true(kinds >= 12);
    assert_null(uf_kind_name(kinds));
    assert_null(uf_kind_name(SIZE_MAX));
    assert_null(uf_kind_about("cuckoo"));
    assert_null(uf_kind_about(NULL));
}

static void test_set_and_get(void **state)
{
    uf_spec spec = spec_of("bloom:n=1000,fpr=0.01");
    double value = 0;
    (void)state;
    assert_status(UF_OK, uf_spec_get(&spec, "n", &value), NULL);
    assert_true(value == 1000);
    assert_status(UF_OK, uf_spec_set(&spec, "n", "2e3", NULL), NULL);
    assert_status(UF_OK, uf_spec_get(&spec, "n", &value), NULL);
    assert_true(value == 2000);
    assert_status(UF_OK, uf_spec_set(&spec, "fpr", NULL, NULL), NULL);
    assert_status(UF_OK, uf_spec_set(&spec, "k", "7", NULL), NULL);
    assert_string_equal(spec.text, "bloom:n=2e3,k=7");
    assert_status(UF_OK, uf_spec_set(&spec, "fpr", NULL, NULL), NULL);
    assert_string_equal(spec.text, "bloom:n=2e3,k=7");
    value = 5;
    assert_status(UF_EINVAL, uf_spec_get(&spec, "fpr", &value), NULL);
    assert_true(value == 5);
    assert_status(UF_EINVAL, uf_spec_get(&spec, NULL, &value), NULL);
    assert_status(UF_EINVAL, uf_spec_get(NULL, "n", &value), NULL);
}

/* A value is one value: it must not bring further parameters with it. */
static void test_set_refuses_what_is_not_one_value(void **state)
{
    static const struct {
        const char *name, *value;
    } wrong[] = {{"band", "64"}, {"n", ""}, {"n", "1,k=3"}, {"n=1,k", "3"}, {"", "1"}, {"seed", "zero"}, {"N", "1"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uf_spec spec = spec_of("bloom:fpr=0.01");
        uf_error why;
        int status = uf_spec_set(&spec, wrong[i].name, wrong[i].value, &why);
        assert_that(status == UF_EINVAL, "setting '%s' to '%s' made %s", wrong[i].name, wrong[i].value, spec.text);
        assert_string_equal(spec.text, "bloom:fpr=0.01");
    }
}

static void test_missing_arguments(void **state)
{
    uf_spec spec = spec_of("bloom:n=1");
    uf_error why;
    (void)state;
    assert_refused(UF_EINVAL, uf_spec_parse(NULL, &spec, &why), &why);
    assert_refused(UF_EINVAL, uf_spec_parse("bloom", NULL, &why), &why);
    assert_refused(UF_EINVAL, uf_spec_set(NULL, "n", "1", &why), &why);
    assert_refused(UF_EINVAL, uf_spec_set(&spec, NULL, "1", &why), &why);
    assert_refused(UF_EINVAL, uf_plan(NULL, &spec, &why), &why);
    assert_refused(UF_EINVAL, uf_plan(&spec, NULL, &why), &why);
    assert_status(UF_EINVAL, uf_spec_parse("cuckoo", &spec, NULL), NULL);
}

/* ---- limits of the inner grammar, which knows no kinds ---- */

/* A letter, `length` times. */
static char *repeat(char *out, char letter, size_t length)
{
    memset(out, letter, length);
    out[length] = 0;
    return out;
}

static void test_longest_names_and_values(void **state)
{
    char name[64], value[64], text[256];
    struct spec spec;
    (void)state;
    for (size_t size = 1; size <= SPEC_NAME + 1; size++) {
        int fits = size < SPEC_NAME;
        (void)snprintf(text, sizeof text, "%s:n=1", repeat(name, 'a', size));
        assert_int_equal(spec_parse(text, &spec, NULL), fits ? UF_OK : UF_EINVAL);
        (void)snprintf(text, sizeof text, "kind:%s=1", name);
        assert_int_equal(spec_parse(text, &spec, NULL), fits ? UF_OK : UF_EINVAL);
        spec = (struct spec){.count = 0};
        assert_int_equal(spec_set_text(&spec, name, "1", NULL), fits ? UF_OK : UF_EINVAL);
    }
    for (size_t size = 1; size <= SPEC_VALUE + 1; size++) {
        (void)snprintf(text, sizeof text, "kind:n=%s", repeat(value, '1', size));
        assert_int_equal(spec_parse(text, &spec, NULL), size < SPEC_VALUE ? UF_OK : UF_EINVAL);
        if (size < SPEC_VALUE)
            assert_string_equal(spec_text(&spec, "n"), value);
        spec = (struct spec){.count = 0};
        assert_int_equal(spec_set_text(&spec, "n", value, NULL), size < SPEC_VALUE ? UF_OK : UF_EINVAL);
        assert_int_equal(spec.count, size < SPEC_VALUE);
    }
}

/* "kind:p0=1,p1=1,..." with `count` parameters of `digits` digits each. */
static void many_params(char *text, size_t capacity, unsigned count, size_t digits)
{
    char value[64];
    size_t used = (size_t)snprintf(text, capacity, "kind");
    for (unsigned i = 0; i < count; i++)
        used +=
            (size_t)snprintf(text + used, capacity - used, "%cp%u=%s", i ? ',' : ':', i, repeat(value, '1', digits));
}

static void test_most_parameters(void **state)
{
    char text[2048];
    struct spec spec;
    uf_spec printed;
    (void)state;
    for (unsigned count = 0; count <= SPEC_PARAMS + 1; count++) {
        many_params(text, sizeof text, count, 1);
        assert_int_equal(spec_parse(text, &spec, NULL), count <= SPEC_PARAMS ? UF_OK : UF_EINVAL);
        if (count > SPEC_PARAMS)
            continue;
        assert_int_equal(spec.count, count);
        assert_status(UF_OK, spec_print(&spec, &printed, NULL), NULL);
        assert_string_equal(printed.text, text);
    }
}

static void test_longest_text(void **state)
{
    char text[2048];
    struct spec spec;
    uf_spec printed = {"untouched"};
    uf_error why;
    (void)state;
    for (size_t digits = 1; digits < SPEC_VALUE; digits++) {
        many_params(text, sizeof text, SPEC_PARAMS, digits);
        assert_status(UF_OK, spec_parse(text, &spec, NULL), NULL);
        int fits = strlen(text) < sizeof printed.text;
        assert_int_equal(spec_print(&spec, &printed, &why), fits ? UF_OK : UF_EINVAL);
        if (fits)
            assert_string_equal(printed.text, text);
        assert_true(strlen(printed.text) < sizeof printed.text);
    }
}

static void test_remove_keeps_the_others_in_order(void **state)
{
    (void)state;
    for (unsigned gone = 0; gone < 4; gone++) {
        struct spec spec;
        char name[4] = {'p', (char)('0' + gone), 0, 0};
        assert_status(UF_OK, spec_parse("kind:p0=a,p1=b,p2=c,p3=d", &spec, NULL), NULL);
        spec_remove(&spec, name);
        spec_remove(&spec, "never");
        assert_int_equal(spec.count, 3);
        assert_null(spec_text(&spec, name));
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(spec.param[i].name[1], '0' + i + (i >= gone));
    }
}

static void test_numbers_in_specs(void **state)
{
    struct spec spec;
    double number = -1;
    uint64_t count = 1, seed = 1;
    uf_error why;
    (void)state;
    assert_status(UF_OK, spec_parse("kind:a=0.5,b=1e3,c=0xff,d=x", &spec, NULL), NULL);
    assert_int_equal(spec_get_number(&spec, "a", &number, &why), 1);
    assert_true(number == 0.5);
    assert_int_equal(spec_get_count(&spec, "b", &count, &why), 1);
    assert_int_equal(count, 1000);
    assert_int_equal(spec_get_seed(&spec, "c", &seed, &why), 1);
    assert_int_equal(seed, 255);
    assert_int_equal(spec_get_number(&spec, "z", &number, &why), 0);
    assert_refused(UF_EINVAL, spec_get_number(&spec, "d", &number, &why), &why);
    assert_refused(UF_EINVAL, spec_get_count(&spec, "a", &count, &why), &why);
    assert_refused(UF_EINVAL, spec_get_seed(&spec, "b", &seed, &why), &why);
}

/* Six digits, never below the rate itself, and a rate with six digits stays as it is. */
static void test_rates_are_rounded_up(void **state)
{
    static const double rates[] = {0.5,    0.01,      0.001,  0.123456,  0.1234561, 1e-9,
                                   1e-300, 0.9999999, 5e-324, 0.3333333, 1};
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct spec spec = {.count = 0};
        double read = 0;
        spec_set_rate(&spec, "fpr", rates[i]);
        int got = spec_get_number(&spec, "fpr", &read, NULL);
        assert_that(got == 1 && read >= rates[i] && read <= rates[i] * 1.00001 + 1e-323, "%.17g became '%s'", rates[i],
                    spec_text(&spec, "fpr"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_specs_are_their_own_canonical_text),
        cmocka_unit_test(test_invalid_specs_are_refused),
        cmocka_unit_test(test_values_have_no_spaces_or_control_characters),
        cmocka_unit_test(test_error_text_is_one_line),
        cmocka_unit_test(test_unknown_names_are_named),
        cmocka_unit_test(test_kinds_are_listed),
        cmocka_unit_test(test_set_and_get),
        cmocka_unit_test(test_set_refuses_what_is_not_one_value),
        cmocka_unit_test(test_missing_arguments),
        cmocka_unit_test(test_longest_names_and_values),
        cmocka_unit_test(test_most_parameters),
        cmocka_unit_test(test_longest_text),
        cmocka_unit_test(test_remove_keeps_the_others_in_order),
        cmocka_unit_test(test_numbers_in_specs),
        cmocka_unit_test(test_rates_are_rounded_up),
    };
    return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
