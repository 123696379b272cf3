/* SPDX-License-Identifier: MIT */
/* build.c and contexts: what a builder refuses, in which order it may be used, progress and cancelling. */
#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "keys.h"

static const char *const kinds[] = {"bloom:seed=0x1",    "blocked:seed=0x1",   "ribbon:seed=0x1",   "dcso",
                                    "counting:seed=0x1", "deletable:seed=0x1", "tombstone:seed=0x1"};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void test_builder_after_its_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        uf_spec spec = spec_of(kinds[i]);
        uf_builder *builder;
        uf_filter *filter, *second = NULL;
        uf_error why;
        assert_status(UF_OK, uf_builder_new(&spec, NULL, &builder, &why), &why);
        assert_status(UF_OK, uf_builder_add(builder, &(uf_key){"a", 1}, 1, NULL), NULL);
        assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
        assert_status(UF_EINVAL, uf_builder_add(builder, &(uf_key){"b", 1}, 1, NULL), NULL);
        assert_status(UF_EINVAL, uf_builder_add_fixed(builder, "b", 1, 1, NULL), NULL);
        assert_refused(UF_EINVAL, uf_builder_finish(builder, &second, &why), &why);
        assert_null(second);
        uf_builder_free(builder);
        assert_int_equal(uf_query(filter, (uf_key){"a", 1}), 1); /* the filter lives on without its builder */
        uf_free(filter);
    }
    uf_builder_free(NULL);
    uf_free(NULL);
}

static void test_builder_abandoned(void **state)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    struct keys keys = keys_make("key", 5000);
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3)
        for (size_t i = 0; i < KINDS; i++) {
            uf_spec spec = spec_of(kinds[i]);
            uf_builder *builder;
            ctx.threads = threads;
            assert_status(UF_OK, uf_builder_new(&spec, &ctx, &builder, NULL), NULL);
            assert_status(UF_OK, uf_builder_add(builder, keys.key, keys.count, NULL), NULL);
            uf_builder_free(builder);
        }
    assert_true(counting.calls && counting_is_clean(&counting));
    keys_free(&keys);
}

/* Filters of 8 MiB and more: threads split them into as many groups as they ever do, and share what is left in the end.
 */
static void test_large_filters_by_threads(void **state)
{
    static const char *const large[] = {"blocked:n=7e6,fpr=0.01,seed=0x1", "bloom:n=8e6,fpr=0.01,seed=0x1",
                                        "counting:n=2e6,fpr=0.01,seed=0x1", "deletable:n=8e6,fpr=0.01,seed=0x1"};
    struct keys keys = keys_make("key", 40000);
    uf_context ctx = UF_CONTEXT_INIT;
    (void)state;
    ctx.threads = 4;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        struct bytes one = bytes_of_build(large[i], keys.key, keys.count, NULL);
        struct bytes many = bytes_of_build(large[i], keys.key, keys.count, &ctx);
        assert_that(one.size > 8 << 20 && bytes_equal(&one, &many), "%s: %zu bytes, other ones by 4 threads", large[i],
                    one.size);
        bytes_free(&one);
        bytes_free(&many);
    }
    keys_free(&keys);
}

/* What is wrong with a spec is said before the first key comes, also when n is not known yet. */
static void test_bad_specs_are_refused_at_once(void **state)
{
    static const char *const wrong[] = {"bloom:fpr=2",    "bloom:k=65",  "ribbon:band=7", "dcso:fpr=0",
                                        "ribbon:slack=9", "blocked:k=9", "bloom:fpr=x",   "bloom:bits=1e15"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uf_spec spec = spec_unchecked(wrong[i]);
        uf_builder *builder = NULL;
        uf_error why = {0, 0, ""};
        int status = uf_builder_new(&spec, NULL, &builder, &why);
        assert_that((status == UF_EINVAL || status == UF_EIMPOSSIBLE) && !builder && why.status == status &&
                        why.text[0],
                    "%s gave %d: %s", wrong[i], status, why.text);
    }
}

static void test_missing_arguments(void **state)
{
    uf_spec spec = spec_of("bloom:n=1"), unknown = {"cuckoo:n=1"}, empty = {""};
    uf_filter *filter = NULL;
    uf_builder *builder = NULL;
    uf_error why;
    uf_key key = {"a", 1};
    (void)state;
    assert_refused(UF_EINVAL, uf_build(NULL, &key, 1, NULL, &filter, &why), &why);
    assert_refused(UF_EINVAL, uf_build(&spec, NULL, 1, NULL, &filter, &why), &why);
    assert_refused(UF_EINVAL, uf_build(&spec, &key, 1, NULL, NULL, &why), &why);
    assert_refused(UF_EINVAL, uf_build(&unknown, &key, 1, NULL, &filter, &why), &why);
    assert_refused(UF_EINVAL, uf_build(&empty, &key, 1, NULL, &filter, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_new(NULL, NULL, &builder, &why), &why);
    assert_refused(UF_EINVAL, uf_builder_new(&spec, NULL, NULL, &why), &why);
    assert_true(!filter && !builder);
}

/* ---- contexts ---- */

static int build_with(uf_context ctx)
{
    uf_spec spec = spec_of("bloom:n=10");
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    int status = uf_build(&spec, &(uf_key){"a", 1}, 1, &ctx, &filter, &why);
    assert_true(status == UF_OK ? filter != NULL : !filter && why.status == status && why.text[0]);
    uf_free(filter);
    return status;
}

static void test_contexts(void **state)
{
    struct counting counting = {0};
    uf_context good = UF_CONTEXT_INIT, ctx = good;
    (void)state;
    assert_status(UF_OK, build_with(good), NULL);
    ctx.threads = 0;
    assert_status(UF_OK, build_with(ctx), NULL);
    ctx = good;
    ctx.size = 0;
    assert_status(UF_EINVAL, build_with(ctx), NULL);
    ctx.size = SIZE_MAX;
    assert_status(UF_EINVAL, build_with(ctx), NULL);
    ctx.size = sizeof(size_t); /* of an older version that had nothing else */
    assert_status(UF_OK, build_with(ctx), NULL);
    ctx = good;
    ctx.cpu = 99;
    assert_status(UF_EUNSUPPORTED, build_with(ctx), NULL);
    ctx = counting_context(&counting);
    ctx.allocator.release = NULL;
    assert_status(UF_EINVAL, build_with(ctx), NULL);
    ctx = counting_context(&counting);
    ctx.allocator.alloc = NULL;
    assert_status(UF_EINVAL, build_with(ctx), NULL);
    assert_int_equal(counting.calls, 0);
}

/* ---- progress ---- */

struct watch {
    uint64_t done, total, calls, stop_at;
};

static int watching(void *arg, uint64_t done, uint64_t total)
{
    struct watch *watch = arg;
    assert_true(done >= watch->done && (!total || done <= total));
    watch->done = done;
    watch->total = total;
    return ++watch->calls == watch->stop_at;
}

static void test_progress_and_cancelling(void **state)
{
    struct keys keys = keys_make("key", 60000);
    uf_spec spec = spec_of("ribbon:seed=0x1");
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    struct watch watch = {0};
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    ctx.progress = watching;
    ctx.progress_arg = &watch;
    assert_status(UF_OK, uf_build(&spec, keys.key, keys.count, &ctx, &filter, &why), &why);
    assert_true(watch.calls > 1 && watch.done == keys.count && watch.total == keys.count);
    uf_free(filter);
    filter = NULL;
    for (uint64_t last = watch.calls, at = 1; at <= last; at++) {
        watch = (struct watch){.stop_at = at};
        assert_refused(UF_ECANCELED, uf_build(&spec, keys.key, keys.count, &ctx, &filter, &why), &why);
        assert_int_equal(watch.calls, at);
        assert_null(filter);
    }
    assert_true(counting_is_clean(&counting));
    keys_free(&keys);
}

/* ---- equations without a solution ---- */

/* 1 % of spare slots is not always enough; then the build says so and what to do, or it worked. */
static void test_builds_that_cannot_work_say_so(void **state)
{
    struct keys keys = keys_make("key", 20000);
    uf_spec spec = spec_of("ribbon:slack=0.01,band=64,seed=0x1");
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    (void)state;
    int status = uf_build(&spec, keys.key, keys.count, NULL, &filter, &why);
    if (status == UF_OK) {
        assert_int_equal(keys_found(filter, &keys), keys.count);
    } else {
        assert_refused(UF_EBUILD, status, &why);
        assert_non_null(strstr(why.text, "slack"));
        assert_null(filter);
    }
    uf_free(filter);
    keys_free(&keys);
}

static void test_knobs(void **state)
{
    uf_spec spec = spec_of("bloom:n=1");
    uf_filter *filter;
    (void)state;
    assert_status(UF_OK, uf_build(&spec, NULL, 0, NULL, &filter, NULL), NULL);
    assert_status(UF_EINVAL, uf_tune(filter, 0, 1), NULL);
    assert_status(UF_EINVAL, uf_tune(filter, 3, 1), NULL);
    assert_status(UF_EINVAL, uf_tune(filter, UF_KNOB_SHARED, 2), NULL);
    assert_status(UF_EINVAL, uf_tune(filter, UF_KNOB_SHARED, -1), NULL);
    assert_status(UF_OK, uf_tune(filter, UF_KNOB_SHARED, 1), NULL);
    assert_status(UF_OK, uf_tune(filter, UF_KNOB_EARLY_EXIT, 1), NULL);
    uf_free(filter);
}

/* A sink that stops is an error of the caller's, with the status for it. */
static int stop_at_once(void *arg, const void *data, size_t bytes)
{
    (void)data, (void)bytes;
    return --*(int *)arg < 0;
}

static void test_writer_that_stops(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        uf_spec spec = spec_of(kinds[i]);
        uf_filter *filter;
        uf_error why = {0, 0, ""};
        assert_status(UF_OK, uf_build(&spec, &(uf_key){"a", 1}, 1, NULL, &filter, NULL), NULL);
        for (int puts = 0; puts < 3; puts++) {
            int left = puts;
            assert_refused(UF_EIO, uf_write(filter, UF_FORMAT_UF, stop_at_once, &left, &why), &why);
        }
        int enough = 100;
        assert_refused(UF_EINVAL, uf_write(filter, 7, stop_at_once, &enough, &why), &why);
        uf_free(filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builder_after_its_end),
        cmocka_unit_test(test_builder_abandoned),
        cmocka_unit_test(test_large_filters_by_threads),
        cmocka_unit_test(test_bad_specs_are_refused_at_once),
        cmocka_unit_test(test_missing_arguments),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_progress_and_cancelling),
        cmocka_unit_test(test_builds_that_cannot_work_say_so),
        cmocka_unit_test(test_knobs),
        cmocka_unit_test(test_writer_that_stops),
    };
    return cmocka_run_group_tests_name("builder", tests, NULL, NULL);
}
