/* SPDX-License-Identifier: MIT */
/* core/status: frozen numbers, a text for each, and error sentences that fit their room. */
#include "check.h"
#include "status.h"

static const struct {
    int status, number;
} frozen[] = {
    {UF_OK, 0},        {UF_EINVAL, -1},       {UF_ENOMEM, -2},     {UF_EIO, -3},         {UF_EFORMAT, -4},
    {UF_EVERSION, -5}, {UF_EUNSUPPORTED, -6}, {UF_EFULL, -7},      {UF_EMISMATCH, -8},   {UF_EIMPOSSIBLE, -9},
    {UF_ERANDOM, -10}, {UF_EBUILD, -11},      {UF_EREADONLY, -12}, {UF_ECANCELED, -13},  {UF_EBUDGET, -14},
    {UF_EABSENT, -15}, {UF_ESTUCK, -16},      {UF_EKEY, -17},      {UF_ESIGNATURE, -18}, {UF_EUNDECLARED, -19},
    {UF_EPART, -20},
};

enum { FROZEN = sizeof frozen / sizeof frozen[0] };

static void test_numbers_are_frozen(void **state)
{
    (void)state;
    for (size_t i = 0; i < FROZEN; i++)
        assert_int_equal(frozen[i].status, frozen[i].number);
}

static void test_every_status_has_its_own_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < FROZEN; i++) {
        assert_string_not_equal(uf_status_text(frozen[i].status), "unknown status");
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(uf_status_text(frozen[i].status), uf_status_text(frozen[j].status));
    }
    assert_string_equal(uf_status_text(1), "unknown status");
    assert_string_equal(uf_status_text(-99), "unknown status");
    assert_string_equal(uf_status_text(INT32_MIN), "unknown status");
}

static void test_fail_fills_the_error(void **state)
{
    uf_error why = {0, 0, "before"};
    (void)state;
    assert_int_equal(fail(&why, UF_EIO, "cannot %s: %d", "open", 7), UF_EIO);
    assert_int_equal(why.status, UF_EIO);
    assert_string_equal(why.text, "cannot open: 7");
    assert_int_equal(fail(NULL, UF_EFULL, "nobody listens"), UF_EFULL);
}

static void test_long_sentences_are_cut_not_spilled(void **state)
{
    struct {
        uf_error why;
        char guard[16];
    } capacity;
    char longer[1000];
    (void)state;
    memset(&capacity, '#', sizeof capacity);
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    fail(&capacity.why, UF_EINVAL, "%s", longer);
    assert_int_equal(strlen(capacity.why.text), sizeof capacity.why.text - 1);
    for (size_t i = 0; i < sizeof capacity.guard; i++)
        assert_int_equal(capacity.guard[i], '#');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_frozen),
        cmocka_unit_test(test_every_status_has_its_own_text),
        cmocka_unit_test(test_fail_fills_the_error),
        cmocka_unit_test(test_long_sentences_are_cut_not_spilled),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
