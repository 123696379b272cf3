/* SPDX-License-Identifier: MIT */
/*
 * lab/target and lab/view: an attacker's copy gives the answers of the filter it was taken from, bit for bit, and a
 * copy with a wrong seed does not; targets have the rate they are designed for (100,000 items, 99.9 % confidence, fixed
 * seeds).
 */
#include <math.h>

#include "check.h"
#include "interval.h"
#include "target.h"

enum { ITEMS = 20000, SHOWN = 100000 };

static const struct target_plan plans[] = {
    {"bloom", 2000, 0.01, NULL},
    {"bloom", 500, 0.2, NULL},
    {"blocked", 2000, 0.01, NULL},
    {"blocked", 2000, 1e-5, NULL}, /* k = 16 */
};

static uf_context context_of(struct stream *stream)
{
    uf_context ctx = UF_CONTEXT_INIT;
    assert_int_equal(0, stream_open(stream, (struct stream_seed){1, 3}, 0));
    ctx.random = stream_fill;
    ctx.random_arg = stream;
    return ctx;
}

static struct target full_target(enum target_id id, const struct target_plan *plan, struct stream *stream)
{
    struct target target;
    uf_error why;
    uf_context ctx = context_of(stream);
    assert_status(UF_OK, target_new(id, plan, &ctx, &target, &why), &why);
    assert_status(UF_OK, target_fill(&target, stream, plan->n), NULL);
    return target;
}

static struct view view_of(const struct target *target)
{
    struct view view;
    uf_error why;
    assert_status(UF_OK, target_view(target, 99, &view, &why), &why);
    return view;
}

/* In how many of the answers the two agree. */
static unsigned agreement(const struct target *target, const struct view *view, struct stream *stream)
{
    static struct item items[ITEMS];
    static uint8_t answers[ITEMS];
    unsigned equal = 0;
    items_draw(stream, items, ITEMS);
    target_query(target, items, ITEMS, answers);
    for (unsigned i = 0; i < ITEMS; i++)
        equal += answers[i] == view_has(view, &items[i]);
    return equal;
}

static void check_view(enum target_id id, const struct target_plan *plan)
{
    struct stream stream;
    struct target target = full_target(id, plan, &stream);
    struct view view = view_of(&target);
    assert_int_equal(agreement(&target, &view, &stream), ITEMS);
    assert_that(fabs((double)view_ones(&view) / (double)view.bits - target_fill_now(&target)) < 1e-12,
                "%s: the fill is another", plan->kind);
    if (id != TARGET_REDIS && plan->fpr > 0.001) {
        view.seed++;
        assert_that(agreement(&target, &view, &stream) < ITEMS, "%s: any seed will do", plan->kind);
    }
    view_free(&view);
    target_free(&target);
}

static void test_views(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof plans / sizeof plans[0]; i++)
        check_view(TARGET_UNKEYED, &plans[i]);
    check_view(TARGET_REDIS, &plans[0]);
}

/* What the copy says it would set is what the filter sets. */
static void test_inserts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        struct stream stream;
        struct target target = full_target(TARGET_UNKEYED, &plans[i], &stream);
        struct view view = view_of(&target);
        struct item items[50];
        items_draw(&stream, items, 50);
        for (unsigned j = 0; j < 50; j++) {
            unsigned fresh = view_fresh(&view, &items[j], 0);
            assert_int_equal(view_set(&view, &items[j]), fresh);
            assert_true(view_has(&view, &items[j]));
        }
        assert_status(UF_OK, target_insert(&target, items, 50), NULL);
        struct view after = view_of(&target);
        assert_memory_equal(after.words, view.words, 8 * view.word_count);
        view_free(&view);
        view_free(&after);
        target_free(&target);
    }
}

static void test_touches(void **state)
{
    static const enum target_id ids[] = {TARGET_UNKEYED, TARGET_REDIS};
    (void)state;
    for (unsigned i = 0; i < sizeof plans / sizeof plans[0]; i++)
        for (unsigned which = 0; which < 2; which++) {
            struct stream stream;
            struct target target = full_target(ids[which], &plans[i], &stream);
            struct view view = view_of(&target);
            struct item items[2];
            items_draw(&stream, items, 2);
            struct view_hash hash = view_hash(&view, &items[0]);
            for (unsigned j = 0; j < view.k; j++) {
                assert_true(view_touches(&view, &items[0], view_position(&view, hash, j)));
                assert_false(view_touches(&view, &items[1], view_position(&view, hash, j)));
            }
            view_free(&view);
            target_free(&target);
        }
}

static int holds(uint64_t hits, double rate)
{
    struct interval interval = interval_exact(hits, SHOWN, 0.999);
    return interval.low <= rate && rate <= interval.high;
}

static void check_rate(enum target_id id, const struct target_plan *plan)
{
    struct stream stream;
    struct target target = full_target(id, plan, &stream);
    uint64_t hits = target_hits_random(&target, &stream, SHOWN);
    double now = target_rate_now(&target);
    assert_that(holds(hits, now), "%s: %llu hits at a rate of %.5f", target.name, (unsigned long long)hits, now);
    assert_that(fabs(now / target.design - 1) < 0.1, "%s: %.5f by design, %.5f now", target.name, target.design, now);
    assert_false(holds(hits, 1.2 * now));
    target_free(&target);
}

static void test_rates(void **state)
{
    (void)state;
    check_rate(TARGET_UNKEYED, &(struct target_plan){"bloom", 20000, 0.01, NULL});
    check_rate(TARGET_UNKEYED, &(struct target_plan){"blocked", 20000, 0.01, NULL});
    check_rate(TARGET_REDIS, &(struct target_plan){"blocked", 20000, 0.01, NULL});
}

/* A copy by the file treats items as the target does, one made without it does not. */
static void test_copies(void **state)
{
    struct stream stream;
    struct target target = full_target(TARGET_UNKEYED, &plans[0], &stream), copy;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_error why;
    struct item items[1000];
    (void)state;
    items_draw(&stream, items, 1000);
    for (int knows = KNOWS_PLAN; knows <= KNOWS_FILE; knows++) {
        assert_status(UF_OK, target_copy(&target, (enum target_knowledge)knows, &ctx, &copy, &why), &why);
        assert_true(target_fill_now(&copy) == 0);
        assert_status(UF_OK, target_insert(&copy, items, 1000), NULL);
        struct view theirs = view_of(&copy), ours = view_of(&target);
        assert_int_equal(theirs.seed == ours.seed, knows == KNOWS_FILE);
        assert_true(theirs.units == ours.units && theirs.k == ours.k);
        view_free(&theirs);
        view_free(&ours);
        target_free(&copy);
    }
    target_free(&target);
}

/* Of a keyed filter the attacker has the bits, and no idea whose they are; with the key, everything. */
static void test_keyed(void **state)
{
    struct stream stream, members;
    struct target target, copy;
    uf_context ctx = context_of(&stream);
    uf_error why;
    (void)state;
    assert_status(UF_OK, target_new(TARGET_KEYED, &plans[2], &ctx, &target, &why), &why);
    members = stream;
    assert_status(UF_OK, target_fill(&target, &stream, plans[2].n), NULL);
    struct view view = view_of(&target);
    assert_true(view.seed == 99 && view.scheme == VIEW_BLOCKS);
    assert_true(fabs((double)view_ones(&view) / (double)view.bits - target_fill_now(&target)) < 1e-12);
    for (int knows = KNOWS_PLAN; knows <= KNOWS_KEY; knows++) {
        struct stream again = members;
        assert_status(UF_OK, target_copy(&target, (enum target_knowledge)knows, &ctx, &copy, &why), &why);
        assert_status(UF_OK, target_fill(&copy, &again, plans[2].n), NULL);
        struct view theirs = view_of(&copy);
        assert_int_equal(!memcmp(theirs.words, view.words, 8 * view.word_count), knows == KNOWS_KEY);
        view_free(&theirs);
        target_free(&copy);
    }
    view_free(&view);
    target_free(&target);
    check_rate(TARGET_KEYED, &(struct target_plan){"blocked", 20000, 0.01, NULL});
}

static void test_refusals(void **state)
{
    uf_context ctx = UF_CONTEXT_INIT;
    struct target target;
    uf_filter *filter;
    struct view view;
    uf_error why;
    uf_spec spec = spec_of("ribbon:n=10,fpr=0.01");
    (void)state;
    assert_refused(UF_EINVAL,
                   target_new(TARGET_REDIS, &(struct target_plan){"bloom", 1000, 1e-300, NULL}, &ctx, &target, &why),
                   &why);
    assert_refused(UF_EINVAL,
                   target_new(TARGET_UNKEYED, &(struct target_plan){"bloom", 1000, 2, NULL}, &ctx, &target, &why),
                   &why);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, NULL, &filter, &why), &why);
    assert_refused(UF_EINVAL, view_of_filter(filter, 0, &view, &why), &why);
    uf_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),    cmocka_unit_test(test_inserts), cmocka_unit_test(test_touches),
        cmocka_unit_test(test_rates),    cmocka_unit_test(test_copies),  cmocka_unit_test(test_keyed),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
