/* SPDX-License-Identifier: MIT */
/* uf_set_progress on filters of several MiB: told often enough, and whatever is stopped leaves things as they were. */
#include "progress.h"

#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "folder.h"
#include "keys.h"

static const char *const specs[] = {
    "bloom:n=2e6,fpr=0.01,seed=0x1",
    "blocked:n=2e6,fpr=0.01,seed=0x1",
    "blocked:n=2e6,full=refuse,seed=0x1",
    "counting:n=5e5,fpr=0.01,seed=0x1",
    "deletable:n=2e6,fpr=0.01,seed=0x1",
    "tombstone:n=2e6,removed=1e6,seed=0x1",
    "dcso:n=2e6,fpr=0.01",
};
enum { SPECS = sizeof specs / sizeof specs[0], HALF = 3000 };

struct stop {
    unsigned calls, at; /* stops in the at-th call; 0: never */
    uint64_t done, most_step;
};

static int told(void *arg, uint64_t done, uint64_t total)
{
    struct stop *stop = arg;
    assert_true(done > stop->done && done <= total);
    stop->most_step = done - stop->done > stop->most_step ? done - stop->done : stop->most_step;
    stop->done = done;
    return ++stop->calls == stop->at ? -7 : 0;
}

static uf_filter *built(const char *text, const uf_key *keys, size_t count, const uf_context *ctx)
{
    uf_spec spec = spec_of(text);
    uf_filter *filter;
    assert_status(UF_OK, uf_build(&spec, keys, count, ctx, &filter, NULL), NULL);
    return filter;
}

/* Merged slice by slice it is what it would be with all keys inserted; stopped anywhere it is what it was. */
static void test_merges(void **state)
{
    struct keys keys = keys_make("key", 2 * HALF);
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        struct counting counting = {0};
        uf_context ctx = counting_context(&counting);
        uf_filter *a = built(specs[i], keys.key, HALF, &ctx), *b = built(specs[i], keys.key + HALF, HALF, &ctx);
        uf_filter *all = built(specs[i], keys.key, 2 * HALF, NULL);
        struct bytes before = bytes_of(a, UF_FORMAT_UF), want = bytes_of(all, UF_FORMAT_UF);
        uf_error why;
        int status = UF_ECANCELED;
        for (unsigned at = 1; status == UF_ECANCELED; at++) {
            struct stop stop = {.at = at};
            uf_set_progress(a, told, &stop);
            status = uf_merge(a, b, &why);
            uf_set_progress(a, NULL, NULL);
            struct bytes now = bytes_of(a, UF_FORMAT_UF);
            assert_that(bytes_equal(&now, status == UF_OK ? &want : &before), "%s, stopped in call %u", specs[i], at);
            assert_true(why.reason == (status == UF_OK ? 0 : -7) && stop.most_step <= PROGRESS_STEP);
            assert_true(status == UF_ECANCELED || at > 3); /* there were several */
            bytes_free(&now);
        }
        assert_status(UF_OK, status, &why);
        bytes_free(&before);
        bytes_free(&want);
        uf_free(a);
        uf_free(b);
        uf_free(all);
        assert_true(counting_is_clean(&counting));
    }
    keys_free(&keys);
}

static void test_loads(void **state)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    uf_filter *filter = built(specs[0], NULL, 0, NULL), *mapped;
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, &why), &why);
    uf_free(filter);
    for (unsigned threads = 1; threads <= 3; threads++)
        for (unsigned at = 1; at <= 3; at++) {
            struct counting counting = {0};
            struct stop stop = {.at = at};
            uf_context ctx = counting_context(&counting);
            uf_loader *loader;
            uf_filter *none = NULL;
            ctx.threads = threads;
            ctx.progress = told;
            ctx.progress_arg = &stop;
            assert_refused(UF_ECANCELED, uf_load(path, UF_FORMAT_UF, &ctx, &none, &why), &why);
            assert_true(why.reason == -7 && stop.calls == at && stop.most_step <= PROGRESS_STEP && !none);
            stop = (struct stop){.at = at};
            assert_status(UF_OK, uf_loader_new(&ctx, UF_FORMAT_UF, &loader, &why), &why);
            assert_refused(UF_ECANCELED, uf_loader_feed(loader, file.data, file.size, &why), &why);
            assert_true(why.reason == -7 && stop.calls == at);
            uf_loader_free(loader);
            assert_true(counting_is_clean(&counting));
        }
    assert_status(UF_OK, uf_load(path, UF_MAP, NULL, &mapped, &why), &why);
    struct stop stop = {.at = 2};
    uf_set_progress(mapped, told, &stop);
    assert_refused(UF_ECANCELED, uf_verify(mapped, &why), &why);
    stop = (struct stop){.at = 0};
    assert_status(UF_OK, uf_verify(mapped, &why), &why);
    assert_true(stop.calls > 2);
    uf_free(mapped);
    bytes_free(&file);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merges),
        cmocka_unit_test(test_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
