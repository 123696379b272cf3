/* SPDX-License-Identifier: MIT */
/*
 * Queries that are inlined into a program, and those that hash in their own loop: for every length of keys, one by one,
 * in an array, back to back and as a column, the answers are the same. Through the public headers only.
 */
#include <ultrafilter_inline.h>

#include <stdio.h>

#include "check.h"
#include "random.h"
#include "secrets.h"
#include "subjects.h"

enum { MEMBERS = 3000, NUMBERS = 2 * MEMBERS, WIDEST = 300, STRINGS = 67 };

static const char *const specs[] = {
    "blocked:n=3000,fpr=0.3,seed=0x1",   "blocked:n=3000,fpr=0.03,seed=0x23", "blocked:n=3000,fpr=0.01",
    "blocked:n=3000,fpr=0.001,seed=0x4", "blocked:n=3000,fpr=0.0001",         "blocked:n=3000,k=16,fpr=0.1",
};
enum { SPECS = sizeof specs / sizeof specs[0] };

static uf_key key_of(uint64_t number, unsigned char bytes[8])
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    return (uf_key){bytes, 8};
}

static uint64_t number_at(size_t i)
{
    return (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns how many are found. */
static size_t compare_numbers(const uf_filter *filter, const uf_view *view)
{
    unsigned char bytes[8];
    size_t found = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        int answer = uf_view_query64(view, number_at(i));
        assert_int_equal(answer, uf_query(filter, key_of(number_at(i), bytes)));
        found += (size_t)answer;
    }
    return found;
}

static void test_views(void **state)
{
    (void)state;
    for (size_t s = 0; s < SPECS; s++) {
        unsigned char bytes[8];
        uf_view view;
        uf_filter *filter = build(specs[s], NULL, 0, NULL);
        assert_int_equal(uf_get_view(filter, UF_VIEW_LAYOUT, &view, sizeof view), UF_OK);
        assert_int_equal(compare_numbers(filter, &view), 0);
        for (size_t i = 0; i < MEMBERS; i++)
            assert_true(uf_insert(filter, key_of(number_at(i), bytes), NULL) == UF_OK);
        size_t found = compare_numbers(filter, &view);
        assert_true(found >= MEMBERS && found < NUMBERS);
        uf_free(filter);
    }
}

static void test_refused(void **state)
{
    static const char *const others[] = {"bloom:n=100", "ribbon:n=100", "blocked:n=100,full=scale",
                                         "blocked:n=100,window=3"};
    uf_context ctx = secret_context();
    uf_view view;
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        uf_filter *other = build(others[i], NULL, 0, NULL);
        assert_int_equal(uf_get_view(other, UF_VIEW_LAYOUT, &view, sizeof view), UF_EUNSUPPORTED);
        uf_free(other);
    }
    uf_filter *keyed = build("keyed(blocked:n=100)", NULL, 0, &ctx), *plain = build("blocked:n=100", NULL, 0, NULL);
    assert_int_equal(uf_get_view(keyed, UF_VIEW_LAYOUT, &view, sizeof view), UF_EUNSUPPORTED);
    assert_int_equal(uf_get_view(plain, UF_VIEW_LAYOUT + 1, &view, sizeof view), UF_EUNSUPPORTED);
    assert_int_equal(uf_get_view(plain, UF_VIEW_LAYOUT, &view, 0), UF_EINVAL);
    assert_int_equal(uf_get_view(NULL, UF_VIEW_LAYOUT, &view, sizeof view), UF_EINVAL);
    uf_free(keyed);
    uf_free(plain);
}

static void test_widths(void **state)
{
    static unsigned char data[STRINGS * WIDEST];
    uint8_t answers[STRINGS];
    uint64_t seed = 5;
    (void)state;
    (void)random_bytes(&seed, data, sizeof data);
    for (size_t s = 0; s < SPECS; s += 3)
        for (size_t width = 0; width <= WIDEST; width++) {
            uf_key keys[STRINGS];
            for (size_t i = 0; i < STRINGS; i++)
                keys[i] = (uf_key){data + i * width, width};
            uf_filter *filter = build(specs[s], keys, STRINGS / 2, NULL);
            ask_all_ways(filter, data, width, STRINGS, answers);
            for (size_t i = 0; i < STRINGS / 2; i++)
                assert_int_equal(answers[i], 1);
            uf_free(filter);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
