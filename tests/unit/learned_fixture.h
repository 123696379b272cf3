/* SPDX-License-Identifier: MIT */
/* What tests of learned kinds are played with: words of two made-up languages, a model of them, and filters of one. */
#ifndef UF_TEST_LEARNED_FIXTURE_H
#define UF_TEST_LEARNED_FIXTURE_H

#include "check.h"
#include "counting.h"
#include "subjects.h"
#include "words.h"

enum { KEYS = 20000, VALID = 40000, FRESH = 40000 };

static struct keys keys, valid, fresh;
static uf_model *model;

static inline int set_up(void **state)
{
    struct keys negatives = words_make(1, 12, KEYS, 2);
    uf_training how = UF_TRAINING_INIT;
    uf_error why;
    (void)state;
    keys = words_make(0, 12, KEYS, 1);
    valid = words_make(1, 12, VALID, 3);
    fresh = words_make(1, 12, FRESH, 4);
    how.positives = keys.key, how.positive_count = KEYS;
    how.negatives = negatives.key, how.negative_count = KEYS;
    how.valid = valid.key, how.valid_count = VALID;
    assert_status(UF_OK, uf_train(&how, NULL, &model, &why), &why);
    keys_free(&negatives);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    uf_model_free(model);
    keys_free(&keys);
    keys_free(&valid);
    keys_free(&fresh);
    return 0;
}

static inline uf_learning with_model(void)
{
    uf_learning learning = UF_LEARNING_INIT;
    learning.model = model;
    learning.valid = valid.key;
    learning.valid_count = valid.count;
    return learning;
}

static inline int try_build(const char *text, const uf_learning *learning, unsigned threads, uf_filter **out,
                            uf_error *why)
{
    uf_spec spec = spec_of(text);
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.learning = learning;
    ctx.threads = threads;
    ctx.secret = subject_secret(text);
    return uf_build(&spec, keys.key, keys.count, &ctx, out, why);
}

static inline uf_filter *build_with(const char *text, const uf_learning *learning, unsigned threads)
{
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, try_build(text, learning, threads, &filter, &why), &why);
    return filter;
}

static inline const char *kind_of(const uf_filter *filter)
{
    uf_info info;
    uf_get_info(filter, &info);
    return info.kind;
}

/* Builds a filter of the first `count` keys again and again, each time with the next allocation failing, until none
 * does. */
static inline void fail_each_allocation(const char *text, const uf_learning *learning, size_t count)
{
    int status = UF_ENOMEM;
    for (size_t k = 1; status == UF_ENOMEM; k++) {
        struct counting counting = {.fail_at = k};
        uf_context ctx = counting_context(&counting);
        uf_spec spec = spec_of(text);
        uf_filter *filter = NULL;
        uf_error why;
        ctx.learning = learning;
        ctx.secret = subject_secret(text);
        status = uf_build(&spec, keys.key, count, &ctx, &filter, &why);
        assert_that(status == UF_OK || (status == UF_ENOMEM && !filter), "allocation %zu of %s: %d", k, text, status);
        uf_free(filter);
        assert_that(counting_is_clean(&counting), "allocation %zu of %s leaks", k, text);
    }
    assert_status(UF_OK, status, NULL);
}

#endif
