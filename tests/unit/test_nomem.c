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

/* A secret makes the library look at all keys first, group by group: hundreds of allocations that are alike. */
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
struct scene {
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

typedef int call(struct scene *scene);

static int call_build(struct scene *scene)
{
    uf_spec spec = spec_of(scene->spec);
    return uf_build(&spec, scene->keys.key, KEYS, &scene->ctx, &scene->out, &scene->why);
}

/* In batches; failures of the batches come out at the end. */
static int call_builder(struct scene *scene)
{
    uf_spec spec = spec_of(scene->spec);
    uf_builder *builder = NULL;
    int status = uf_builder_new(&spec, &scene->ctx, &builder, &scene->why), added = UF_OK;
    if (status != UF_OK) {
        assert_null(builder);
        return status;
    }
    for (size_t i = 0; i < KEYS; i += 100)
        added = uf_builder_add(builder, scene->keys.key + i, 100);
    status = uf_builder_finish(builder, &scene->out, &scene->why);
    assert_true(added == UF_OK || added == status);
    uf_builder_free(builder);
    return status;
}

static int call_release(struct scene *scene)
{
    uf_spec spec = spec_of(scene->spec);
    return uf_release(scene->exact, &spec, &scene->ctx, &scene->out, &scene->why);
}

static int call_load_bytes(struct scene *scene)
{
    return uf_load_bytes(scene->file.data, scene->file.size, UF_FORMAT_UF, &scene->ctx, &scene->out, &scene->why);
}

static int call_load(struct scene *scene)
{
    return uf_load(scene->path, UF_FORMAT_UF, &scene->ctx, &scene->out, &scene->why);
}

static int call_map(struct scene *scene)
{
    return uf_load(scene->path, UF_MAP, &scene->ctx, &scene->out, &scene->why);
}

/* Load, change, and save again, through one allocator. */
static int call_round(struct scene *scene)
{
    uf_filter *filter = NULL, *other = NULL;
    const char *path = folder_file(&scene->folder, "b.uf");
    struct bytes bytes = {NULL, 0, 0};
    int status = uf_load(scene->path, UF_FORMAT_UF, &scene->ctx, &filter, &scene->why);
    if (status == UF_OK)
        status = uf_load(scene->path, UF_FORMAT_UF, &scene->ctx, &other, &scene->why);
    if (status == UF_OK)
        status = uf_merge(filter, other, &scene->why);
    if (status == UF_OK || status == UF_EUNSUPPORTED)
        status = uf_write(filter, UF_FORMAT_UF, bytes_put, &bytes, &scene->why);
    if (status == UF_OK)
        status = uf_save(filter, path, UF_FORMAT_UF, &scene->why);
    bytes_free(&bytes);
    uf_free(filter);
    uf_free(other);
    return status;
}

static void check_call(struct scene *scene, const char *name, call *run, unsigned threads)
{
    size_t k = 0, refused = 0;
    int fired = 1;
    while (fired) {
        k += k < MOST_IN_ROW ? 1 : MOST_IN_ROW;
        scene->counting = (struct counting){.fail_at = k};
        scene->ctx = counting_context(&scene->counting);
        scene->ctx.threads = threads;
        scene->ctx.secret = scene->secret;
        scene->out = NULL;
        scene->why = (uf_error){0, ""};
        int status = run(scene);
        fired = scene->counting.calls >= k;
        assert_that(status == UF_OK || (fired && status == UF_ENOMEM), "%s of %s gave %d at allocation %zu: %s", name,
                    scene->spec, status, k, scene->why.text);
        assert_that(status == UF_OK || (!scene->out && scene->why.status == UF_ENOMEM && scene->why.text[0]),
                    "%s of %s failed at allocation %zu with an output, or without a word", name, scene->spec, k);
        if (scene->out && !scene->misses_keys)
            assert_int_equal(keys_found(scene->out, &scene->keys), KEYS);
        uf_free(scene->out);
        assert_that(counting_is_clean(&scene->counting), "%s of %s, allocation %zu refused: %zu blocks left, %zu wrong",
                    name, scene->spec, k, scene->counting.blocks, scene->counting.wrong);
        refused += status == UF_ENOMEM;
    }
    assert_that(refused > 0 && k < 1000, "%s of %s never ran out of memory", name, scene->spec);
}

static void check_spec(const char *spec, const uf_secret *secret)
{
    struct scene scene = {.spec = spec, .secret = secret, .keys = keys_make("key", KEYS), .folder = folder_make()};
    scene.misses_keys = strstr(spec, "epsilon") != NULL;
    (void)snprintf(scene.path, sizeof scene.path, "%s/a.uf", scene.folder.path);
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.secret = secret;
    scene.file = bytes_of_build(spec, scene.keys.key, KEYS, &ctx);
    file_put_all(scene.path, scene.file.data, scene.file.size);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        check_call(&scene, "build", call_build, threads);
        check_call(&scene, "builder", call_builder, threads);
        check_call(&scene, "load_bytes", call_load_bytes, threads);
        check_call(&scene, "load", call_load, threads);
    }
    check_call(&scene, "map", call_map, 1);
    check_call(&scene, "load, merge, write, save", call_round, 1);
    assert_true(folder_entries(&scene.folder) <= 2); /* and no temporary file */
    bytes_free(&scene.file);
    keys_free(&scene.keys);
    folder_remove(&scene.folder);
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
    struct scene scene = {.spec = "ultra:epsilon=3", .keys = keys_make("key", KEYS), .misses_keys = 1};
    uf_spec spec = spec_of("bloom:n=200000"); /* several chunks of noise */
    uf_filter *exact;
    (void)state;
    assert_status(UF_OK, uf_build(&spec, scene.keys.key, KEYS, NULL, &exact, NULL), NULL);
    scene.exact = exact;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        scene.secret = threads == 1 ? NULL : &secret;
        check_call(&scene, "release", call_release, threads);
    }
    uf_free(exact);
    keys_free(&scene.keys);
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
