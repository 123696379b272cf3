/* SPDX-License-Identifier: MIT */
/*
 * Every parameter of every kind with values that it may have and values that it may not, alone and in pairs: a plan is
 * made, or refused in words that name something; what was made is its own plan, has a size, and is as large as it says.
 */
#include <stdio.h>

#include "check.h"

static const char *const names[] = {
    "n",       "fpr",     "bits",     "bits_per_key", "k",         "parts",   "part",          "band",   "slack",
    "region",  "removed", "fnr",      "removed_bits", "removed_k", "epsilon", "count_epsilon", "prefer", "variant",
    "columns", "radix",   "accept",   "mechanism",    "hashes",    "t",       "full",          "window", "prf",
    "alpha",   "regions", "children", "definition",   "seed",
};

static const char *const values[] = {"0",     "1",    "2",     "7",    "64",    "128",    "1.5",     "0.5",
                                     "-1",    "1e9",  "1e12",  "1e15", "9e15",  "1e300",  "1e-300",  "0.999999",
                                     "0/2",   "1/2",  "2/2",   "word", "1/0",   "3/",     "0x1",     "refuse",
                                     "scale", "aes",  "radix", "size", "speed", "dyadic", "integer", "published",
                                     "paper", "0.02", "300",   "25"};

/* What makes a plan of most kinds. */
static const char *const bases[] = {"", "n=1000", "n=1000,epsilon=3", "epsilon=3,variant=radix,n=1000"};

enum {
    NAMES = sizeof names / sizeof names[0],
    VALUES = sizeof values / sizeof values[0],
    BASES = sizeof bases / sizeof bases[0]
};

static struct {
    unsigned made, refused;
} seen;

static void check_plan(const uf_spec *want)
{
    uf_spec plan = {"untouched"}, again;
    uf_sizes sizes;
    uf_error why = {0, 0, ""};
    int status = uf_plan(want, &plan, &why);
    if (status != UF_OK) {
        assert_that(why.status == status && why.text[0] && !strcmp(plan.text, "untouched"), "%s gave %d: %s",
                    want->text, status, why.text);
        seen.refused++;
        return;
    }
    seen.made++;
    status = uf_plan(&plan, &again, &why);
    assert_that(status == UF_OK && !strcmp(plan.text, again.text), "%s is planned as %s, and that as %d, %s %s",
                want->text, plan.text, status, again.text, why.text);
    status = uf_plan_sizes(&plan, &sizes, sizeof sizes, &why);
    assert_that(status == UF_OK ? sizes.file_bytes > sizes.payload_bytes : why.text[0] != 0, "%s has sizes %d: %s",
                plan.text, status, why.text);
}

/* Of a kind, with these parameters, when it takes them. */
static void try(const char *kind, const char *base, const char *one, const char *two)
{
    char text[256];
    uf_spec spec;
    uf_error why = {0, 0, ""};
    (void)snprintf(text, sizeof text, "%s%s%s%s%s%s%s", kind, base[0] || one[0] ? ":" : "", base,
                   base[0] && one[0] ? "," : "", one, two[0] ? "," : "", two);
    int status = uf_spec_parse(text, &spec, &why);
    if (status == UF_OK)
        check_plan(&spec);
    else
        assert_that(why.status == status && why.text[0], "%s gave %d", text, status);
}

static void test_each_value(void **state)
{
    char one[64];
    (void)state;
    for (size_t i = 0; uf_kind_name(i); i++)
        for (size_t base = 0; base < BASES; base++)
            for (size_t name = 0; name < NAMES; name++)
                for (size_t value = 0; value < VALUES; value++) {
                    (void)snprintf(one, sizeof one, "%s=%s", names[name], values[value]);
                    try(uf_kind_name(i), bases[base], one, "");
                }
    assert_that(seen.made > 500 && seen.refused > 500, "%u plans were made and %u refused", seen.made, seen.refused);
}

/* Two of them that a kind takes, each at a few values. */
static void test_pairs(void **state)
{
    static const char *const few[] = {"1.5", "0", "7", "1e15"};
    char one[64], two[64];
    (void)state;
    for (size_t i = 0; uf_kind_name(i); i++) {
        const uf_spec kind = spec_of(uf_kind_name(i));
        const char *base = kind_is_private(uf_kind_name(i)) ? "epsilon=3" : "";
        for (size_t a = 0; a < NAMES; a++)
            for (size_t b = a + 1; b < NAMES; b++)
                for (size_t value = 0; value < 16; value++) {
                    if (!uf_spec_takes(&kind, names[a]) || !uf_spec_takes(&kind, names[b]))
                        break;
                    (void)snprintf(one, sizeof one, "%s=%s", names[a], few[value % 4]);
                    (void)snprintf(two, sizeof two, "%s=%s", names[b], few[value / 4]);
                    try(uf_kind_name(i), base, one, two);
                }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_value),
        cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
