/* SPDX-License-Identifier: MIT */
/*
 * One program, compiled against this header, one that is smaller and one that is larger (age-header.pl), and run with
 * the same library: whatever their ages, they understand one another, or the library says UF_EVERSION.
 *
 * Every struct that is filled in lies in front of a guard, so that a byte too many shows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ultrafilter.h"

#define CHECK(condition)                                                          \
    do                                                                            \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                              \
        }                                                                         \
    while (0)

enum { GUARD = 64 };

/* A struct of the caller's with a guard behind it, all bytes 0x55. */
#define GUARDED(type)               \
    struct {                        \
        type value;                 \
        unsigned char guard[GUARD]; \
    }

static int intact(const unsigned char *guard)
{
    for (int i = 0; i < GUARD; i++)
        if (guard[i] != 0x55)
            return 0;
    return 1;
}

/* Calls `fill` for a guarded struct `out`; fields that the library does not know are zero. */
#ifdef NEWER
#define NOTHING_NEW(out) CHECK((out).value.from_the_future == 0)
#else
#define NOTHING_NEW(out) ((void)0)
#endif
#define FILLED(out, call)                  \
    do {                                   \
        memset(&(out), 0x55, sizeof(out)); \
        CHECK((call) == UF_OK);            \
        CHECK(intact((out).guard));        \
        NOTHING_NEW(out);                  \
    } while (0)

static double by_length(void *arg, uf_key key)
{
    (void)arg;
    return (double)key.size;
}

static uf_filter *build(const char *text, const uf_context *ctx)
{
    static const uf_key keys[] = {{"alice", 5}, {"bob", 3}, {"carol", 5}};
    uf_filter *filter = NULL;
    uf_spec spec;
    uf_error why = {0};
    CHECK(uf_spec_parse(text, &spec, &why) == UF_OK);
    int status = uf_build(&spec, keys, 3, ctx, &filter, &why);
    if (status != UF_OK)
        (void)fprintf(stderr, "%s: %s\n", text, why.text);
    CHECK(status == UF_OK);
    return filter;
}

static void check_getters(void)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_filter *filter = build("blocked:n=1000,fpr=0.01", &ctx);
    GUARDED(uf_info) info;
    GUARDED(uf_claim) claim;
    GUARDED(uf_released) released;
    GUARDED(uf_limit) limit;
    FILLED(info, uf_get_info(filter, &info.value, sizeof info.value));
    CHECK(!strcmp(info.value.kind, "blocked") && info.value.capacity == 1000);
    FILLED(claim, uf_get_claim(filter, &claim.value, sizeof claim.value));
    CHECK(isnan(claim.value.epsilon) && claim.value.fpr <= 0.01);
    FILLED(released, uf_get_released(filter, &released.value, sizeof released.value));
    CHECK(!released.value.mechanism);
    FILLED(limit, uf_get_limit(1, &limit.value, sizeof limit.value));
    CHECK(fabs(limit.value.fpr - 0.268941) < 1e-6);
    CHECK(uf_get_info(filter, &info.value, 0) == UF_EINVAL);
    uf_free(filter);
}

/* Arrays go by the size that the caller says. */
static void check_designs(void)
{
    struct {
        uf_design value[UF_MOST_DESIGNS];
        unsigned char guard[GUARD];
    } designs;
    size_t count = 0;
    memset(&designs, 0x55, sizeof designs);
    CHECK(uf_designs(3, 1000, 0, 0, designs.value, sizeof designs.value[0], UF_MOST_DESIGNS, &count, NULL) == UF_OK);
    CHECK(count > 3 && intact(designs.guard));
    for (size_t i = 0; i < count; i++)
        CHECK(designs.value[i].mechanism && (designs.value[i].status != UF_OK || designs.value[i].spec.text[0]));
}

static void check_learned(void)
{
    uf_learning learning = UF_LEARNING_INIT;
    uf_context ctx = UF_CONTEXT_INIT;
    static const uf_key valid[] = {{"x", 1}, {"yyyyyyyyy", 9}};
    learning.score = by_length;
    learning.valid = valid;
    learning.valid_count = 2;
#ifndef OLDER
    ctx.learning = &learning;
#else
    /* The older context ends before it: a learned filter cannot be asked for, and that is said. */
    uf_spec spec;
    uf_filter *none = NULL;
    (void)learning;
    CHECK(uf_spec_parse("partition:fpr=0.01", &spec, NULL) == UF_OK);
    CHECK(uf_build(&spec, valid, 2, &ctx, &none, NULL) == UF_EINVAL);
    return;
#endif
    uf_filter *filter = build("partition:fpr=0.01", &ctx);
    GUARDED(uf_learned) learned;
    FILLED(learned, uf_get_learned(filter, &learned.value, sizeof learned.value));
    CHECK(learned.value.keys == 3 && learned.value.plain_bytes);
    uf_free(filter);
}

#ifdef NEWER
static void check_future(void)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec;
    uf_builder *builder = NULL;
    uf_error why = {0};
    CHECK(uf_spec_parse("bloom:n=9", &spec, NULL) == UF_OK);
    ctx.from_the_future = 1;
    CHECK(uf_builder_new(&spec, &ctx, &builder, &why) == UF_EVERSION && strstr(why.text, "newer"));
    uf_training training = UF_TRAINING_INIT;
    uf_model *model = NULL;
    training.from_the_future = 1;
    CHECK(uf_train(&training, NULL, &model, &why) == UF_EVERSION);
}
#endif

int main(void)
{
    check_getters();
    check_designs();
    check_learned();
#ifdef NEWER
    check_future();
#endif
    (void)printf("sizeof(uf_context) %zu, sizeof(uf_info) %zu: understood\n", sizeof(uf_context), sizeof(uf_info));
    return 0;
}
