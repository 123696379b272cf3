/* SPDX-License-Identifier: MIT */
/*
 * lab/known, corpus, text and inquiry: what the experiments on learned filters stand on. Above all that a mutant which
 * is in the set, or was asked for before, is never taken for a false positive.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "oracle.h"

static uf_key key_of(const char *text)
{
    return (uf_key){text, strlen(text)};
}

static struct stream stream_of(uint64_t number)
{
    struct stream stream;
    assert_int_equal(0, stream_open(&stream, (struct stream_seed){1, 5}, number));
    return stream;
}

/* ---- known ---- */

static void test_known(void **state)
{
    struct key_set known = {.entry = NULL};
    char text[16];
    (void)state;
    assert_false(key_set_has(&known, key_of("1")));
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            (void)snprintf(text, sizeof text, "%d", i);
            assert_int_equal(key_set_has(&known, key_of(text)), round);
            assert_int_equal(key_set_add(&known, key_of(text)), !round);
        }
    assert_int_equal(known.count, 1000);
    assert_false(key_set_has(&known, key_of("1000")));
    assert_false(key_set_has(&known, key_of("")));
    assert_int_equal(key_set_add(&known, key_of("")), 1);
    assert_true(key_set_has(&known, key_of("")));
    key_set_free(&known);
}

/* ---- corpus ---- */

static int is_in(struct corpus_list list, uf_key key)
{
    for (size_t i = 0; i < list.count; i++)
        if (list.keys[i].size == key.size && !memcmp(list.keys[i].data, key.data, key.size))
            return 1;
    return 0;
}

static void test_made_up(void **state)
{
    struct stream stream = stream_of(1), again = stream_of(1);
    struct corpus corpus, same;
    uf_error why;
    (void)state;
    assert_status(UF_OK, corpus_make(500, 300, &stream, &corpus, &why), &why);
    assert_status(UF_OK, corpus_make(500, 300, &again, &same, &why), &why);
    assert_true(corpus.members.count == 500 && corpus.negatives.count == 500);
    assert_true(corpus.valid.count == 300 && corpus.fresh.count == 300);
    for (size_t i = 0; i < 300; i++) {
        uf_key key = corpus.fresh.keys[i];
        assert_true(key_set_has(&corpus.set, corpus.members.keys[i]));
        assert_false(key_set_has(&corpus.set, key));
        assert_false(is_in(corpus.negatives, key) || is_in(corpus.valid, key));
        assert_true(is_in((struct corpus_list){&same.fresh.keys[i], 1}, key)); /* the same seed, the same names */
    }
    assert_in_range(corpus.letters, 30, 40);
    corpus_free(&corpus);
    corpus_free(&same);
}

static void test_given(void **state)
{
    const uf_key members[] = {key_of("aa"), key_of("ab"), key_of("c")}, negatives[] = {key_of("bb")};
    const uf_key valid[] = {key_of("x1"), key_of("ab"), key_of("x2"), key_of("x3"), key_of("c")};
    struct corpus corpus;
    uf_error why;
    (void)state;
    assert_status(UF_OK,
                  corpus_take((struct corpus_list){members, 3}, (struct corpus_list){negatives, 1},
                              (struct corpus_list){valid, 5}, &corpus, &why),
                  &why);
    assert_true(corpus.valid.count == 2 && is_in(corpus.valid, key_of("x1")) && is_in(corpus.valid, key_of("x3")));
    assert_true(corpus.fresh.count == 1 && is_in(corpus.fresh, key_of("x2")));
    assert_memory_equal(corpus.letter, "abc", corpus.letters);
    assert_int_equal(corpus.letters, 3);
    corpus_free(&corpus);
    assert_refused(UF_EINVAL,
                   corpus_take((struct corpus_list){members, 3}, (struct corpus_list){negatives, 1},
                               (struct corpus_list){members, 3}, &corpus, &why),
                   &why);
    assert_refused(UF_EINVAL,
                   corpus_take((struct corpus_list){members, 0}, (struct corpus_list){negatives, 1},
                               (struct corpus_list){valid, 5}, &corpus, &why),
                   &why);
    assert_refused(UF_EINVAL,
                   corpus_take((struct corpus_list){members, 3}, (struct corpus_list){negatives, 0},
                               (struct corpus_list){valid, 5}, &corpus, &why),
                   &why);
}

/* ---- texts ---- */

/* Of four texts of two letters these are members; the rest is not. */
static void small_corpus(struct corpus *out, size_t members)
{
    static const uf_key all[] = {{"aa", 2}, {"ab", 2}, {"ba", 2}, {"bb", 2}};
    static const uf_key others[] = {{"ca", 2}, {"cb", 2}};
    uf_error why;
    assert_status(UF_OK,
                  corpus_take((struct corpus_list){all, members}, (struct corpus_list){all, 4},
                              (struct corpus_list){others, 2}, out, &why),
                  &why);
    assert_int_equal(out->letters, 2);
}

static void test_mutate(void **state)
{
    struct corpus corpus;
    struct stream stream = stream_of(2);
    struct text text;
    (void)state;
    small_corpus(&corpus, 3);
    assert_false(text_take((uf_key){"", 0}, &text));
    assert_false(text_take((uf_key){text.bytes, TEXT_MOST + 1}, &text));
    for (int i = 0; i < 100; i++) {
        assert_true(text_take(key_of("aa"), &text));
        assert_true(text_mutate(&text, 1u << EDIT_SUBSTITUTE, &corpus, &stream));
        assert_true(text.size == 2 && (text.bytes[0] == 'b') + (text.bytes[1] == 'b') == 1);
    }
    corpus_free(&corpus);
}

/* What each edit makes of a text, and that it makes nothing else. */
static void check_edit(enum text_edit edit, const char *from, const char *const *to)
{
    struct corpus corpus;
    struct stream stream = stream_of(5);
    unsigned seen = 0, count = 0;
    small_corpus(&corpus, 3);
    while (to[count])
        count++;
    for (int i = 0; i < 300; i++) {
        struct text text;
        unsigned which = 0;
        assert_true(text_take(key_of(from), &text));
        assert_true(text_mutate(&text, 1u << edit, &corpus, &stream));
        while (which < count && (strlen(to[which]) != text.size || memcmp(to[which], text.bytes, text.size)))
            which++;
        assert_that(which < count, "%s became %.*s", from, text.size, text.bytes);
        seen |= 1u << which;
    }
    assert_int_equal(seen, (1u << count) - 1);
    corpus_free(&corpus);
}

static void test_edits(void **state)
{
    struct corpus corpus;
    struct stream stream = stream_of(5);
    struct text text = {.size = 1, .bytes = "a"};
    (void)state;
    check_edit(EDIT_SUBSTITUTE, "ab", (const char *const[]){"bb", "aa", NULL});
    check_edit(EDIT_INSERT, "a", (const char *const[]){"aa", "ba", "ab", NULL});
    check_edit(EDIT_DELETE, "abc", (const char *const[]){"bc", "ac", "ab", NULL});
    check_edit(EDIT_SWAP, "aabc", (const char *const[]){"abac", "aacb", NULL});
    check_edit(EDIT_PREFIX, "https://a",
               (const char *const[]){"http://a", "a", "www.https://a", "m.https://a", "http://https://a", NULL});
    check_edit(EDIT_PREFIX, "www.a", (const char *const[]){"a", "m.www.a", "http://www.a", "https://www.a", NULL});
    check_edit(EDIT_SUFFIX, "as", (const char *const[]){"a", "as/", "as/index.html", "as.", "as:443", NULL});
    small_corpus(&corpus, 3);
    assert_false(text_mutate(&text, 1u << EDIT_DELETE | 1u << EDIT_SWAP, &corpus, &stream)); /* nothing is left */
    assert_int_equal(text.size, 1);
    corpus_free(&corpus);
}

/* What is in the set or was asked for is passed over, until there is nothing left. */
static void test_no_false_alarm(void **state)
{
    struct corpus corpus;
    struct stream stream = stream_of(3);
    struct text parent, mutant;
    (void)state;
    small_corpus(&corpus, 3); /* bb is not in it */
    struct oracle oracle = {.corpus = &corpus, .stream = &stream, .edits = 1u << EDIT_SUBSTITUTE};
    assert_true(text_take(key_of("ab"), &parent));
    for (int i = 0; i < 20; i++) {
        assert_true(oracle_mutate(&oracle, &parent, &mutant));
        assert_memory_equal(mutant.bytes, "bb", 2);
    }
    assert_int_equal(key_set_add(&oracle.asked, text_key(&mutant)), 1);
    assert_false(oracle_mutate(&oracle, &parent, &mutant));
    oracle_close(&oracle);
    corpus_free(&corpus);
    small_corpus(&corpus, 4);
    assert_false(oracle_mutate(&oracle, &parent, &mutant));
    corpus_free(&corpus);
}

static struct text_value count_b(const void *arg, const struct text *text)
{
    const double *rate = arg;
    struct text_value value = {*rate, 0};
    for (unsigned i = 0; i < text->size; i++)
        value.score += text->bytes[i] == 'b' ? (int32_t)i + 1 : 0;
    return value;
}

static void test_improve(void **state)
{
    struct corpus corpus;
    struct text text;
    const double rate = 0.5;
    (void)state;
    small_corpus(&corpus, 2); /* aa and ab */
    assert_true(text_take(key_of("aaa"), &text));
    assert_true(text_improve(&text, 1u << EDIT_SUBSTITUTE, &corpus, count_b, &rate));
    assert_memory_equal(text.bytes, "aab", 3);
    assert_true(text_improve(&text, 1u << EDIT_SUBSTITUTE, &corpus, count_b, &rate));
    assert_memory_equal(text.bytes, "abb", 3);
    assert_true(text_take(key_of("aa"), &text)); /* ab would be better and is in the set */
    assert_true(text_improve(&text, 1u << EDIT_SUBSTITUTE, &corpus, count_b, &rate));
    assert_memory_equal(text.bytes, "ba", 2);
    corpus_free(&corpus);
    small_corpus(&corpus, 4);
    assert_false(text_improve(&text, 1u << EDIT_SUBSTITUTE, &corpus, count_b, &rate));
    corpus_free(&corpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),   cmocka_unit_test(test_made_up), cmocka_unit_test(test_given),
        cmocka_unit_test(test_edits),   cmocka_unit_test(test_mutate),  cmocka_unit_test(test_no_false_alarm),
        cmocka_unit_test(test_improve),
    };
    return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
