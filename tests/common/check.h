/* SPDX-License-Identifier: MIT */
/* cmocka with what it needs in front of it, and checks that print the library's own words when they fail. */
#ifndef UF_TEST_CHECK_H
#define UF_TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma push_macro("fail")
#undef fail
#include <cmocka.h>
/* cmocka's macro has the name of a function of core/status.h. */
#undef fail
#pragma pop_macro("fail")

#include "ultrafilter.h"

/* The call must give this status. `why` may be NULL. */
#define assert_status(want, call, why) check_status((want), (call), (why), #call, __FILE__, __LINE__)

/* The call must be refused with this status, and say why in one line. */
#define assert_refused(want, call, why) check_refused((want), (call), (why), #call, __FILE__, __LINE__)

/* A condition in words, for places where the values alone would not tell what went wrong. */
#define assert_that(condition, ...) check_that(!!(condition), __FILE__, __LINE__, __VA_ARGS__)

static inline void check_status(int want, int got, const uf_error *why, const char *call, const char *file, int line)
{
    if (got == want)
        return;
    print_error("%s\n    gave %d (%s) and not %d (%s)%s%s\n", call, got, uf_status_text(got), want,
                uf_status_text(want), why && got ? ": " : "", why && got ? why->text : "");
    _fail(file, line);
}

static inline void check_refused(int want, int got, const uf_error *why, const char *call, const char *file, int line)
{
    check_status(want, got, why, call, file, line);
    if (why->status == want && why->text[0] && !strpbrk(why->text, "\r\n"))
        return;
    print_error("%s\n    was refused with status %d in its error and the text '%s'\n", call, why->status, why->text);
    _fail(file, line);
}

__attribute__((format(printf, 4, 5))) static inline void check_that(int holds, const char *file, int line,
                                                                    const char *format, ...)
{
    va_list args;
    if (holds)
        return;
    va_start(args, format);
    vprint_error(format, args);
    va_end(args);
    print_error("\n");
    _fail(file, line);
}

/* Words in files are little-endian: elsewhere they cannot stay where they are. */
static inline int views_work(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static inline uf_spec spec_of(const char *text)
{
    uf_spec spec;
    uf_error why;
    check_status(UF_OK, uf_spec_parse(text, &spec, &why), &why, text, __FILE__, __LINE__);
    return spec;
}

/* A text that need not be a spec, for calls that must notice. */
static inline uf_spec spec_unchecked(const char *text)
{
    uf_spec spec;
    (void)snprintf(spec.text, sizeof spec.text, "%s", text);
    return spec;
}

/* Private kinds promise other things and need epsilon: tests/conform_private.c. */
static inline int kind_is_private(const char *kind)
{
    uf_spec spec = spec_of(kind);
    return uf_spec_set(&spec, "epsilon", "3", NULL) == UF_OK;
}

/* Learned kinds need a model and negatives: subjects.h. */
static inline int kind_is_learned(const char *kind)
{
    uf_spec spec = spec_of(kind);
    return uf_spec_set(&spec, "children", "bloom", NULL) == UF_OK;
}

/* The least that can be said of a kind. */
static inline uf_spec simple_spec(const char *kind)
{
    uf_spec spec = spec_of(kind);
    if (uf_spec_set(&spec, "epsilon", "3", NULL) == UF_OK)
        (void)uf_spec_set(&spec, "n", "1000", NULL);
    return spec;
}

/* Sizes of a test: small under sanitizers (UF_TEST_SMALL=1), full on demand (UF_TEST_FULL=1), else the middle one. */
static inline int test_small(void)
{
    return getenv("UF_TEST_SMALL") != NULL;
}

static inline int test_full(void)
{
    return !test_small() && getenv("UF_TEST_FULL") != NULL;
}

#endif
