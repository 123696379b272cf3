/* SPDX-License-Identifier: MIT */
/* Names, comments and dates in files: kept by files, copies and changes; which texts are refused, also in files. */
#include <string.h>

#include "bytes.h"
#include "check.h"
#include "header.h"
#include "keys.h"
#include "samples.h"
#include "visible.h"

enum { DATE = 1794763334 };

static uf_filter *built(const char *text)
{
    uf_spec spec = spec_of(text);
    struct keys keys = keys_make("key", 10);
    uf_filter *filter;
    uf_error why;
    assert_status(UF_OK, uf_build(&spec, keys.key, 10, NULL, &filter, &why), &why);
    keys_free(&keys);
    return filter;
}

static void assert_note(const uf_filter *filter, const char *name, const char *comment, uint64_t date)
{
    uf_note note;
    assert_status(UF_OK, uf_get_note(filter, &note, sizeof note), NULL);
    assert_string_equal(note.name, name);
    assert_string_equal(note.comment, comment);
    assert_true(note.date == date);
}

/* Through files, copies, inserts and rotations; and without one the file is what it was. */
static void test_kept(void **state)
{
    static const char *const specs[] = {"bloom:n=100,seed=0x1", "blocked:n=100,seed=0x2,window=3", "ribbon:seed=0x3",
                                        "bloom:n=100,seed=0x4,full=scale"};
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        uf_filter *filter = built(specs[i]), *again, *copy;
        struct bytes plain = bytes_of(filter, UF_FORMAT_UF);
        assert_note(filter, "", "", 0);
        assert_status(UF_OK, uf_set_note(filter, "Sperrliste – März", "from a, b & c", DATE, &why), &why);
        struct bytes file = bytes_of(filter, UF_FORMAT_UF);
        assert_true(file.size == plain.size && !bytes_equal(&file, &plain));
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &again, &why), &why);
        assert_status(UF_OK, uf_copy(again, NULL, &copy, &why), &why);
        (void)uf_insert(copy, (uf_key){"more", 4}, NULL);
        (void)uf_rotate(copy, NULL);
        assert_note(again, "Sperrliste – März", "from a, b & c", DATE);
        assert_note(copy, "Sperrliste – März", "from a, b & c", DATE);
        assert_status(UF_OK, uf_set_note(again, NULL, "", 0, &why), &why);
        struct bytes back = bytes_of(again, UF_FORMAT_UF);
        assert_true(bytes_equal(&back, &plain));
        bytes_free(&back);
        bytes_free(&file);
        bytes_free(&plain);
        uf_free(filter);
        uf_free(again);
        uf_free(copy);
    }
}

/* Each of them is enough. */
static void test_each_alone(void **state)
{
    static const struct {
        const char *name, *comment;
        uint64_t date;
    } notes[] = {{"name", "", 0}, {"", "comment", 0}, {"", "", DATE}};
    (void)state;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        uf_filter *filter = built("bloom:n=100,seed=0x1"), *again;
        uf_error why;
        assert_status(UF_OK, uf_set_note(filter, notes[i].name, notes[i].comment, notes[i].date, &why), &why);
        struct bytes file = bytes_of(filter, UF_FORMAT_UF);
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &again, &why), &why);
        assert_note(again, notes[i].name, notes[i].comment, notes[i].date);
        bytes_free(&file);
        uf_free(again);
        uf_free(filter);
    }
}

/* A private copy of a filter says nothing that was not asked for. */
static void test_released(void **state)
{
    uf_filter *exact = built("bloom:n=100,bits=1600,k=1"), *copy;
    uf_spec how = spec_of("ultra:epsilon=3");
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_set_note(exact, "patients", NULL, DATE, &why), &why);
    assert_status(UF_OK, uf_release(exact, &how, NULL, &copy, &why), &why);
    assert_note(copy, "", "", 0);
    uf_free(copy);
    uf_free(exact);
}

static void test_texts(void **state)
{
    static const char *const good[] = {"", "a", "a b", "é", "漢字", "😀", "\xf4\x8f\xbf\xbd"};
    static const char *const bad[] = {"\n",           "a\tb",         "\x7f",        "\xc2\x85",
                                      "\xe2\x80\xae", "\xe2\x80\xa8", "\xff",        "\xc0\xaf",
                                      "\xed\xa0\x80", "\xe2\x82",     "\xc3(",       "\xf4\x90\x80\x80",
                                      "\xef\xbf\xbf", "\xef\xbb\xbf", "\xe0\x80\xaf"};
    char text[UF_NOTE_COMMENT_SIZE + 1];
    uf_filter *filter = built("bloom:n=100,seed=0x1");
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_that(is_visible(good[i], strlen(good[i])), "good text %zu", i);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_that(!is_visible(bad[i], strlen(bad[i])), "bad text %zu", i);
        assert_refused(UF_EINVAL, uf_set_note(filter, bad[i], NULL, 0, &why), &why);
        assert_refused(UF_EINVAL, uf_set_note(filter, NULL, bad[i], 0, &why), &why);
    }
    assert_false(is_visible("a\0b", 3));
    memset(text, 'x', sizeof text);
    text[UF_NOTE_COMMENT_SIZE] = 0;
    assert_refused(UF_EINVAL, uf_set_note(filter, NULL, text, 0, &why), &why);
    assert_refused(UF_EINVAL, uf_set_note(filter, text + UF_NOTE_COMMENT_SIZE - 64, NULL, 0, &why), &why);
    assert_refused(UF_EINVAL, uf_set_note(filter, NULL, NULL, UINT64_C(253402300800), &why), &why);
    assert_note(filter, "", "", 0);
    assert_status(UF_OK, uf_set_note(filter, text + UF_NOTE_COMMENT_SIZE - 63, text + 1, UINT64_C(253402300799), &why),
                  &why);
    uf_free(filter);
}

/* The longest note fits beside the most generations. */
static void test_space(void **state)
{
    uf_context ctx = secret_context();
    uf_spec spec = spec_of("keyed(bloom:n=10,window=32,seed=0x1)");
    char text[UF_NOTE_COMMENT_SIZE];
    uf_filter *filter;
    uf_error why;
    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, &why), &why);
    assert_status(UF_OK, uf_set_note(filter, text + sizeof text - 64, text, DATE, &why), &why);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    bytes_free(&file);
    uf_free(filter);
}

/* A file that someone sealed with what no note is. */
static void test_files(void **state)
{
    enum { AT = 48 + 24 + 20, FLAG = 17 };
    static const struct {
        const char *what;
        size_t at;
        unsigned char value;
    } change[] = {
        {"no note at all", FLAG, 0},
        {"a date after 9999", AT + 7, 1},
        {"a name longer than the text", AT + 8, 200},
        {"a name that ends elsewhere", AT + 8, 3},
        {"a comment past the end", AT + 11, 0xff},
        {"a control character", AT + 12, '\n'},
        {"no UTF-8", AT + 13, 0xff},
        {"something behind it", AT + 12 + 4 + 7, 'x'},
    };
    uf_filter *filter = built("bloom:n=100,seed=0x1"), *again;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_set_note(filter, "name", "comment", DATE, &why), &why);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    assert_true(!memcmp(file.data + AT + 12, "namecomment", 11) && file.data[FLAG] == 2);
    for (size_t i = 0; i < sizeof change / sizeof change[0]; i++) {
        unsigned char old = file.data[change[i].at];
        file.data[change[i].at] = change[i].value;
        reseal_header(file.data);
        int status = uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &again, &why);
        assert_that(status == UF_EFORMAT, "%s: %d", change[i].what, status);
        file.data[change[i].at] = old;
    }
    reseal_header(file.data);
    assert_status(UF_OK, uf_load_view(file.data, file.size, NULL, &again, &why), &why);
    assert_note(again, "name", "comment", DATE);
    assert_refused(UF_EREADONLY, uf_set_note(again, "other", NULL, 0, &why), &why);
    uf_free(again);
    memset(file.data + AT, 0, 64); /* the bit, and nothing there */
    reseal_header(file.data);
    assert_status(UF_EFORMAT, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &again, &why), NULL);
    bytes_free(&file);
    uf_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),  cmocka_unit_test(test_each_alone), cmocka_unit_test(test_released),
        cmocka_unit_test(test_texts), cmocka_unit_test(test_space),      cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests_name("note", tests, NULL, NULL);
}
