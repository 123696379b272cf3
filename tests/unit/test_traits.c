/* SPDX-License-Identifier: MIT */
/* What kinds say they can do is what they do; specs answer what they are. */
#include <stdio.h>
#include <string.h>

#include "check.h"

static const uf_key keys[] = {{"alice", 5}, {"bob", 3}, {"carol", 5}};

static int has(const char *kind, unsigned trait)
{
    return (uf_kind_traits(kind) & trait) != 0;
}

static uf_spec spec_from(const char *format, const char *kind)
{
    char text[128];
    uf_spec spec;
    (void)snprintf(text, sizeof text, format, kind);
    assert_status(UF_OK, uf_spec_parse(text, &spec, NULL), NULL);
    return spec;
}

/* Learned kinds need more than keys; theirs is in test_learned.c. */
static uf_filter *small(const char *kind)
{
    uf_filter *filter = NULL;
    uf_error why = {0};
    uf_spec spec = spec_from(has(kind, UF_TRAIT_PRIVATE) ? "%s:n=1000,epsilon=3" : "%s:n=1000,fpr=0.01", kind);
    assert_status(UF_OK, uf_build(&spec, keys, 3, NULL, &filter, &why), &why);
    return filter;
}

static void check_changes(const char *kind)
{
    uf_filter *filter = small(kind);
    int inserts = uf_insert(filter, keys[0]) == UF_OK, removes = uf_remove(filter, keys[2]) == UF_OK;
    assert_that(inserts == has(kind, UF_TRAIT_INSERTS), "%s %s", kind, inserts ? "inserts" : "does not insert");
    assert_that(removes == has(kind, UF_TRAIT_REMOVES), "%s %s", kind, removes ? "removes" : "does not remove");
    uf_spec plan;
    uf_filter *twin = NULL, *copy = NULL;
    uf_get_plan(filter, &plan);
    assert_status(UF_OK, uf_build(&plan, keys, 3, NULL, &twin, NULL), NULL);
    int merges = uf_merge(filter, twin, NULL) == UF_OK;
    assert_that(merges == has(kind, UF_TRAIT_MERGES), "%s %s", kind, merges ? "merges" : "does not merge");
    uf_spec private = spec_from("%s:epsilon=3", "ultra");
    int copies = uf_release(filter, &private, NULL, &copy, NULL) == UF_OK;
    assert_that(copies == has(kind, UF_TRAIT_COPIES), "%s %s", kind, copies ? "copies" : "does not copy");
    uf_free(copy);
    uf_free(twin);
    uf_free(filter);
}

static int parses(const char *format, const char *kind)
{
    char text[128];
    uf_spec spec;
    (void)snprintf(text, sizeof text, format, kind);
    return uf_spec_parse(text, &spec, NULL) == UF_OK;
}

static void check_words(const char *kind)
{
    assert_int_equal(parses("%s:n=9,full=scale", kind), has(kind, UF_TRAIT_GROWS));
    assert_int_equal(parses("%s:n=9,full=refuse", kind), has(kind, UF_TRAIT_REFUSES));
    assert_int_equal(parses("keyed(%s:n=9)", kind), has(kind, UF_TRAIT_KEYABLE));
    assert_int_equal(parses("%s:n=9,prf=aes", kind), has(kind, UF_TRAIT_KEYED));
    uf_spec spec = spec_from(has(kind, UF_TRAIT_PRIVATE) ? "%s:epsilon=1" : "%s", kind), plan;
    assert_int_equal(uf_plan(&spec, &plan, NULL) != UF_OK, has(kind, UF_TRAIT_NEEDS_N));
}

static void test_kinds_do_what_their_traits_say(void **state)
{
    (void)state;
    size_t kinds = 0;
    for (const char *kind; (kind = uf_kind_name(kinds)); kinds++) {
        check_words(kind);
        if (!has(kind, UF_TRAIT_LEARNED))
            check_changes(kind);
    }
    assert_int_equal(kinds, 15);
    assert_int_equal(uf_kind_traits("nothing"), 0);
    assert_int_equal(uf_kind_traits(NULL), 0);
    assert_true(has("uptown", UF_TRAIT_NEEDS_NEGATIVES) && !has("robust", UF_TRAIT_NEEDS_NEGATIVES));
    assert_true(has("ribbon", UF_TRAIT_STATIC) && has("dpset", UF_TRAIT_STATIC) && !has("bloom", UF_TRAIT_STATIC));
}

static void test_specs_say_what_they_are(void **state)
{
    (void)state;
    uf_spec plain = spec_from("%s:n=9,fpr=0.25", "bloom"), keyed = spec_from("keyed(%s:n=9,prf=aes)", "partition");
    uf_spec always = spec_from("%s:n=9", "robust"), nonsense = {"what:ever=1"};
    char text[8];
    assert_string_equal(uf_spec_kind(&plain), "bloom");
    assert_string_equal(uf_spec_kind(&keyed), "partition");
    assert_null(uf_spec_kind(&nonsense));
    assert_null(uf_spec_kind(NULL));
    assert_true(!uf_spec_is_keyed(&plain) && uf_spec_is_keyed(&keyed) && uf_spec_is_keyed(&always));
    assert_true(!uf_spec_takes(&plain, "prf") && uf_spec_takes(&keyed, "prf") && uf_spec_takes(&plain, "k"));
    assert_true(!uf_spec_takes(&plain, NULL) && !uf_spec_takes(&nonsense, "n"));
    assert_status(UF_OK, uf_spec_get_text(&keyed, "prf", text, sizeof text), NULL);
    assert_string_equal(text, "aes");
    assert_status(UF_EINVAL, uf_spec_get_text(&keyed, "prf", text, 3), NULL);
    assert_status(UF_EINVAL, uf_spec_get_text(&keyed, "k", text, sizeof text), NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_do_what_their_traits_say),
        cmocka_unit_test(test_specs_say_what_they_are),
    };
    return cmocka_run_group_tests_name("traits", tests, NULL, NULL);
}
