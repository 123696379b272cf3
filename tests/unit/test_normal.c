/* SPDX-License-Identifier: MIT */
/* How keys were normalised: kept in files and copies, one encoding, refused where it does not fit or is not known. */
#include "bytes.h"
#include "check.h"
#include "header.h"
#include "keys.h"
#include "samples.h"

static uf_filter *built(const char *text, unsigned normal)
{
    uf_spec spec = spec_of(text);
    struct keys keys = keys_make("key", 10);
    uf_filter *filter;
    assert_status(UF_OK, uf_build(&spec, keys.key, 10, NULL, &filter, NULL), NULL);
    assert_int_equal(uf_get_normal(filter), 0);
    assert_int_equal(uf_set_normal(filter, normal), UF_OK);
    keys_free(&keys);
    return filter;
}

static void test_kept(void **state)
{
    (void)state;
    for (unsigned normal = 0; normal <= UF_NORMAL_ALL; normal++) {
        uf_filter *filter = built("bloom:n=100,seed=0x1", normal), *again, *copy;
        struct bytes file = bytes_of(filter, UF_FORMAT_UF);
        uf_info info;
        uf_error why;
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &again, &why), &why);
        assert_status(UF_OK, uf_copy(again, NULL, &copy, &why), &why);
        uf_get_info(copy, &info, sizeof info);
        assert_true(uf_get_normal(again) == normal && uf_get_normal(copy) == normal && info.normal == normal);
        struct bytes same = bytes_of(copy, UF_FORMAT_UF);
        assert_true(bytes_equal(&file, &same));
        /* A key is bytes: nothing is done to it. */
        assert_true(uf_query(again, (uf_key){"key-1", 5}) == 1 && uf_query(again, (uf_key){"KEY-1", 5}) == 0);
        bytes_free(&same);
        bytes_free(&file);
        uf_free(copy);
        uf_free(again);
        uf_free(filter);
    }
}

static void test_released(void **state)
{
    uf_filter *exact = built("bloom:n=100,bits=1600,k=1", UF_NORMAL_TRIM), *copy;
    uf_spec how = spec_of("ultra:epsilon=3");
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_release(exact, &how, NULL, &copy, &why), &why);
    assert_int_equal(uf_get_normal(copy), UF_NORMAL_TRIM);
    uf_free(copy);
    uf_free(exact);
}

static void test_refused(void **state)
{
    uf_filter *a = built("bloom:n=100,seed=0x1", UF_NORMAL_LOWERCASE), *b = built("bloom:n=100,seed=0x1", 0);
    uf_filter *dcso = built("dcso:n=100", UF_NORMAL_LOWERCASE), *none = NULL;
    struct bytes out = {NULL, 0, 0}, file = bytes_of(b, UF_FORMAT_UF);
    uf_error why;
    (void)state;
    assert_refused(UF_EMISMATCH, uf_merge(a, b, &why), &why);
    assert_int_equal(uf_set_normal(b, UF_NORMAL_LOWERCASE), UF_OK);
    assert_status(UF_OK, uf_merge(a, b, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_write(dcso, UF_FORMAT_DCSO, bytes_put, &out, &why), &why);
    assert_int_equal(uf_set_normal(a, UF_NORMAL_ALL + 1), UF_EINVAL);
    assert_int_equal(uf_set_normal(NULL, 0), UF_EINVAL);
    file.data[12] = 4; /* the next incompatible feature */
    reseal_header(file.data);
    assert_refused(UF_EVERSION, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &none, &why), &why);
    bytes_free(&file);
    bytes_free(&out);
    uf_free(dcso);
    uf_free(b);
    uf_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_released),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
