/* SPDX-License-Identifier: MIT */
/* core/sized: structs of other ages, in both directions. */
#include "sized.h"

#include "check.h"

/* Three ages of one struct. */
struct first {
    size_t size;
    int a;
};
struct own {
    size_t size;
    int a, b;
    double c;
};
struct later {
    size_t size;
    int a, b;
    double c, d;
};

static void test_callers_of_all_ages_are_read(void **state)
{
    struct later given = {.a = 1, .b = 2, .c = 3};
    uf_error why;
    (void)state;
    struct own out = {.a = 7, .b = 8, .c = 9};
    assert_status(UF_OK, sized_read(&out, sizeof out, &given, sizeof(struct first), "UF_OWN_INIT", &why), &why);
    assert_true(out.size == sizeof out && out.a == 1 && out.c == 9); /* what an older one lacks stays the default */
    assert_status(UF_OK, sized_read(&out, sizeof out, &given, sizeof out, "UF_OWN_INIT", &why), &why);
    assert_true(out.size == sizeof out && out.a == 1 && out.b == 2 && out.c == 3);
    out.a = 0;
    assert_status(UF_OK, sized_read(&out, sizeof out, &given, sizeof given, "UF_OWN_INIT", &why), &why);
    assert_true(out.size == sizeof out && out.a == 1);
    given.d = 1;
    out.a = 5;
    assert_refused(UF_EVERSION, sized_read(&out, sizeof out, &given, sizeof given, "UF_OWN_INIT", &why), &why);
    assert_non_null(strstr(why.text, "UF_OWN_INIT"));
    assert_int_equal(out.a, 5);
}

static void test_sizes_that_no_struct_has(void **state)
{
    static const size_t wrong[] = {0, 1, sizeof(size_t) - 1, SIZED_MOST + 1, SIZE_MAX};
    static unsigned char large[SIZED_MOST];
    struct own out = {0}, own = {0};
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_refused(UF_EINVAL, sized_read(&out, sizeof out, &own, wrong[i], "UF_OWN_INIT", &why), &why);
        if (!wrong[i] || wrong[i] > SIZED_MOST)
            assert_int_equal(sized_write(&own, sizeof own, &out, wrong[i]), UF_EINVAL);
    }
    assert_status(UF_OK, sized_read(&out, sizeof out, large, SIZED_MOST, "UF_OWN_INIT", &why), &why);
    assert_int_equal(sized_write(&own, sizeof own, large, SIZED_MOST), UF_OK);
}

/* Not a byte behind the size that the caller gave, and none of it left as it was. */
static void test_callers_of_all_ages_are_served(void **state)
{
    const struct own own = {sizeof own, 1, 2, 3};
    unsigned char out[2 * sizeof(struct later)];
    (void)state;
    for (size_t size = sizeof(struct first); size <= sizeof(struct later); size++) {
        memset(out, 0xa5, sizeof out);
        assert_int_equal(sized_write(&own, sizeof own, out, size), UF_OK);
        for (size_t i = 0; i < sizeof out; i++)
            assert_int_equal(out[i], i >= size ? 0xa5 : i < sizeof own ? ((const unsigned char *)&own)[i] : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callers_of_all_ages_are_read),
        cmocka_unit_test(test_sizes_that_no_struct_has),
        cmocka_unit_test(test_callers_of_all_ages_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
