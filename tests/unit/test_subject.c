/* SPDX-License-Identifier: MIT */
/* core/subject: who a sentence is about. */
#include "subject.h"

#include "check.h"
#include "status.h"

static void test_sentences(void **state)
{
    static const struct {
        const char *said, *of_file, *of_bytes;
    } cases[] = {
        {"is damaged: x", "F.uf is damaged: x", "these bytes are damaged: x"},
        {"was made with another key", "F.uf was made with another key", "these bytes were made with another key"},
        {"has a path that is too long", "F.uf has a path that is too long", "these bytes have a path that is too long"},
        {"cannot be opened: x", "F.uf cannot be opened: x", "these bytes cannot be opened: x"},
        {"needs features", "F.uf needs features", "these bytes need features"},
        {"no memory for 3 bytes", "F.uf: no memory for 3 bytes", "these bytes: no memory for 3 bytes"},
        {"island", "F.uf: island", "these bytes: island"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uf_error why;
        (void)fail_because(&why, UF_EIO, 5, "%s", cases[i].said);
        assert_int_equal(subject_file(UF_EIO, "F.uf", &why), UF_EIO);
        assert_string_equal(why.text, cases[i].of_file);
        assert_true(why.status == UF_EIO && why.reason == 5);
        (void)fail(&why, UF_EFORMAT, "%s", cases[i].said);
        assert_int_equal(subject_bytes(UF_EFORMAT, &why), UF_EFORMAT);
        assert_string_equal(why.text, cases[i].of_bytes);
    }
}

static void test_nothing_to_say(void **state)
{
    uf_error why = {0, 0, ""};
    (void)state;
    assert_int_equal(subject_file(UF_OK, "F.uf", &why), UF_OK);
    assert_string_equal(why.text, "");
    assert_int_equal(subject_file(UF_EIO, "F.uf", NULL), UF_EIO);
}

/* Of a long name the end is shown, and what is wrong is not lost. */
static void test_long_names(void **state)
{
    char name[3000];
    uf_error why;
    (void)state;
    memset(name, 'x', sizeof name);
    strcpy(name + sizeof name - 6, "/a.uf");
    (void)fail(&why, UF_EFORMAT, "is damaged: the reason");
    (void)subject_file(UF_EFORMAT, name, &why);
    assert_non_null(strstr(why.text, "x/a.uf is damaged: the reason"));
    assert_int_equal(strncmp(why.text, "...x", 4), 0);
    (void)fail(&why, UF_EFORMAT, "is damaged");
    (void)subject_file(UF_EFORMAT, "a\nb", &why);
    assert_string_equal(why.text, "a?b is damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_nothing_to_say),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
