/* SPDX-License-Identifier: MIT */
/*
 * Every allocation fails once: each call of the library is run with the k-th allocation refused, for every k (every
 * 60th, from the 60th on) until nothing is refused any more. It must succeed or say UF_ENOMEM, hand out nothing when it
 * fails, and give all memory back, wiped and with its right size.
 */
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "derive.h"
#include "folder.h"
#include "keys.h"
#include "secrets.h"

/* A label makes the library look at all keys first, group by group: hundreds of allocations that are alike. */
enum { KEYS = 3000, MOST_IN_ROW = 60 };

static const char *const specs[] = {
    "bloom:n=3000,seed=0x1",
    "bloom:seed=0x1",
    "blocked:n=3000,seed=0x1",
    "blocked:seed=0x1",
    "ribbon:n=3000",
    "ribbon:band=128,fpr=0.3",
    "dcso:n=3000",
    "dcso",
    "counting:n=3000",
    "deletable:n=3000",
    "tombstone:n=3000",
    "deletable:seed=0x1",
    "keyed(blocked:n=3000,prf=aes)",
    "keyed(ribbon)",
};

/* Without a secret, then with one. */
static const char *const private_specs[] = {
    "dpset:n=3000,epsilon=3",
    "dpset:n=70000,epsilon=1,variant=integer",
    "dpset:epsilon=3,count_epsilon=1",
    "ultra:n=3000,epsilon=3",
    "ultra:epsilon=3,count_epsilon=1,mechanism=published",
};

enum { SPECS = sizeof specs / sizeof specs[0], PRIVATE_SPECS = sizeof private_specs / sizeof private_specs[0] };

/* What the calls work on. */
struct fixture {
    const char *spec;
    const uf_secret *secret;
    const uf_filter *exact; /* for releases */
    int misses_keys;        /* a private kind: not all keys are found */
    struct keys keys;
    struct bytes file;
    struct folder folder;
    char path[1024];
    struct counting counting;
    uf_context ctx;
    uf_filter *out;
    uf_error why;
};

typedef int call(struct fixture *fixture);

static int call_build(struct fixture *fixture)
{
    uf_spec spec = spec_of(fixture->spec);
    return uf_build(&spec, fixture->keys.key, KEYS, &fixture->ctx, &fixture->out, &fixture->why);
}

/* In batches; failures of the batches come out at the end. */
static int call_builder(struct fixture *fixture)
{
    uf_spec spec = spec_of(fixture->spec);
    uf_builder *builder = NULL;
    int status = uf_builder_new(&spec, &fixture->ctx, &builder, &fixture->why), added = UF_OK;
    if (status != UF_OK) {
        assert_null(builder);
        return status;
    }
    for (size_t i = 0; i < KEYS; i += 100)
        added = uf_builder_add(builder, fixture->keys.key + i, 100, NULL);
    status = uf_builder_finish(builder, &fixture->out, &fixture->why);
    assert_true(added == UF_OK || added == status);
    uf_builder_free(builder);
    return status;
}

static int call_release(struct fixture *fixture)
{
    uf_spec spec = spec_of(fixture->spec);
    return uf_release(fixture->exact, &spec, &fixture->ctx, &fixture->out, &fixture->why);
}

static int call_load_bytes(struct fixture *fixture)
{
    return uf_load_bytes(fixture->file.data, fixture->file.size, UF_FORMAT_UF, &fixture->ctx, &fixture->out,
                         &fixture->why);
}

static int call_load(struct fixture *fixture)
{
    return uf_load(fixture->path, UF_FORMAT_UF, &fixture->ctx, &fixture->out, &fixture->why);
}

static int call_map(struct fixture *fixture)
{
    return uf_load(fixture->path, UF_MAP, &fixture->ctx, &fixture->out, &fixture->why);
}

/* Load, change, and save again, through one allocator. */
static int call_round(struct fixture *fixture)
{
    uf_filter *filter = NULL, *other = NULL;
    const char *path = folder_file(&fixture->folder, "b.uf");
    struct bytes bytes = {NULL, 0, 0};
    int status = uf_load(fixture->path, UF_FORMAT_UF, &fixture->ctx, &filter, &fixture->why);
    if (status == UF_OK)
        status = uf_load(fixture->path, UF_FORMAT_UF, &fixture->ctx, &other, &fixture->why);
    if (status == UF_OK)
        status = uf_merge(filter, other, &fixture->why);
    if (status == UF_OK || status == UF_EUNSUPPORTED)
        status = uf_write(filter, UF_FORMAT_UF, bytes_put, &bytes, &fixture->why);
    if (status == UF_OK)
        status = uf_save(filter, path, UF_FORMAT_UF, &fixture->why);
    bytes_free(&bytes);
    uf_free(filter);
    uf_free(other);
    return status;
}

static void check_call(struct fixture *fixture, const char *name, call *run, unsigned threads)
{
    size_t k = 0, refused = 0;
    int fired = 1;
    while (fired) {
        k += k < MOST_IN_ROW ? 1 : MOST_IN_ROW;
        fixture->counting = (struct counting){.fail_at = k};
        fixture->ctx = counting_context(&fixture->counting);
        fixture->ctx.threads = threads;
        fixture->ctx.secret = fixture->secret;
        fixture->ctx.label = fixture->secret ? "spring" : NULL;
        fixture->out = NULL;
        fixture->why = (uf_error){0, 0, ""};
        int status = run(fixture);
        fired = fixture->counting.calls >= k;
        assert_that(status == UF_OK || (fired && status == UF_ENOMEM), "%s of %s gave %d at allocation %zu: %s", name,
                    fixture->spec, status, k, fixture->why.text);
        assert_that(status == UF_OK || (!fixture->out && fixture->why.status == UF_ENOMEM && fixture->why.text[0]),
                    "%s of %s failed at allocation %zu with an output, or without a word", name, fixture->spec, k);
        if (fixture->out && !fixture->misses_keys)
            assert_int_equal(keys_found(fixture->out, &fixture->keys), KEYS);
        uf_free(fixture->out);
        assert_that(counting_is_clean(&fixture->counting),
                    "%s of %s, allocation %zu refused: %zu blocks left, %zu wrong", name, fixture->spec, k,
                    fixture->counting.blocks, fixture->counting.wrong);
        refused += status == UF_ENOMEM;
    }
    assert_that(refused > 0 && k < 1000, "%s of %s never ran out of memory", name, fixture->spec);
}

static void check_spec(const char *spec, const uf_secret *secret)
{
    struct fixture fixture = {.spec = spec, .secret = secret, .keys = keys_make("key", KEYS), .folder = folder_make()};
    fixture.misses_keys = strstr(spec, "epsilon") != NULL;
    (void)snprintf(fixture.path, sizeof fixture.path, "%s/a.uf", fixture.folder.path);
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.secret = secret;
    ctx.label = secret ? "spring" : NULL;
    fixture.file = bytes_of_build(spec, fixture.keys.key, KEYS, &ctx);
    file_put_all(fixture.path, fixture.file.data, fixture.file.size);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        check_call(&fixture, "build", call_build, threads);
        check_call(&fixture, "builder", call_builder, threads);
        check_call(&fixture, "load_bytes", call_load_bytes, threads);
        check_call(&fixture, "load", call_load, threads);
    }
    check_call(&fixture, "map", call_map, 1);
    check_call(&fixture, "load, merge, write, save", call_round, 1);
    assert_true(folder_entries(&fixture.folder) <= 2); /* and no temporary file */
    bytes_free(&fixture.file);
    keys_free(&fixture.keys);
    folder_remove(&fixture.folder);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++)
        check_spec(specs[i], strncmp(specs[i], "keyed(", 6) ? NULL : secret_number(0));
}

static void test_private_kinds(void **state)
{
    static const struct uf_secret secret = {{1}};
    (void)state;
    for (size_t i = 0; i < PRIVATE_SPECS; i++) {
        check_spec(private_specs[i], NULL);
        check_spec(private_specs[i], &secret);
    }
}

static void test_releases(void **state)
{
    static const struct uf_secret secret = {{1}};
    struct fixture fixture = {.spec = "ultra:epsilon=3", .keys = keys_make("key", KEYS), .misses_keys = 1};
    uf_spec spec = spec_of("bloom:n=200000"); /* several chunks of noise */
    uf_filter *exact;
    (void)state;
    assert_status(UF_OK, uf_build(&spec, fixture.keys.key, KEYS, NULL, &exact, NULL), NULL);
    fixture.exact = exact;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        fixture.secret = threads == 1 ? NULL : &secret;
        check_call(&fixture, "release", call_release, threads);
    }
    uf_free(exact);
    keys_free(&fixture.keys);
}

/* A filter whose save failed for lack of memory is as good as before. */
static void test_save_may_be_tried_again(void **state)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    uf_spec spec = spec_of("bloom:n=100,seed=0x1");
    uf_filter *filter;
    struct bytes bytes = {NULL, 0, 0};
    (void)state;
    assert_status(UF_OK, uf_build(&spec, &(uf_key){"a", 1}, 1, &ctx, &filter, NULL), NULL);
    counting.fail_at = counting.calls + 1;
    assert_status(UF_ENOMEM, uf_write(filter, UF_FORMAT_UF, bytes_put, &bytes, NULL), NULL);
    assert_status(UF_OK, uf_write(filter, UF_FORMAT_UF, bytes_put, &bytes, NULL), NULL);
    bytes_free(&bytes);
    uf_free(filter);
    assert_true(counting_is_clean(&counting));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_private_kinds),
        cmocka_unit_test(test_releases),
        cmocka_unit_test(test_save_may_be_tried_again),
    };
    return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}
