/* SPDX-License-Identifier: MIT */
/*
 * Every public call that takes a uf_error leaves it empty when it succeeds, whatever was in it. why.sh compares the
 * calls here with the header, so that a new one cannot be forgotten.
 */
#define UF_EXPERIMENTAL
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "folder.h"
#include "keys.h"
#include "secrets.h"
#include "words.h"

enum { KEYS = 100, WORDS = 2000 };

static uf_error why; /* of the call under test */

static uf_error *dirty(void)
{
    memset(&why, 0x55, sizeof why);
    return &why;
}

/* Of a call that takes dirty(): UF_OK, or 1, which is uf_add's verdict on a new key. */
#define quiet(call) check_quiet((call), #call, __LINE__)

static void check_quiet(int status, const char *call, int line)
{
    check_that(status >= 0, __FILE__, line, "%s gave %d: %s", call, status, why.text);
    check_that(why.status == UF_OK && !why.reason && !why.text[0], __FILE__, line,
               "%s succeeded and left status %d, reason %d, '%.60s'", call, why.status, why.reason, why.text);
}

struct fixture {
    struct folder folder;
    struct keys keys;
    uf_spec spec;
    uf_filter *filter; /* of kind counting, which does most */
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->folder = folder_make();
    fixture->keys = keys_make("key", 2 * KEYS);
    fixture->spec = spec_of("counting:n=1000,fpr=0.01,seed=0x1");
    assert_status(UF_OK, uf_build(&fixture->spec, fixture->keys.key, KEYS, NULL, &fixture->filter, NULL), NULL);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    uf_free(fixture->filter);
    keys_free(&fixture->keys);
    folder_remove(&fixture->folder);
    free(fixture);
    return 0;
}

static void test_secrets(void **state)
{
    const struct fixture *fixture = *state;
    const char *path = folder_file(&fixture->folder, "a.key");
    const unsigned char bytes[UF_SECRET_BYTES] = {1};
    uf_secret *secret;
    int ends[2];
    quiet(uf_secret_create(path, dirty()));
    quiet(uf_secret_load(path, &secret, dirty()));
    uf_secret_free(secret);
    quiet(uf_secret_from_bytes(bytes, sizeof bytes, &secret, dirty()));
    uf_secret_free(secret);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], secret_lines[0], SECRET_LINE), SECRET_LINE);
    close(ends[1]);
    quiet(uf_secret_load_fd(ends[0], &secret, dirty()));
    close(ends[0]);
    uf_secret_free(secret);
}

static void test_specs(void **state)
{
    uf_design designs[UF_MOST_DESIGNS];
    uf_sizes sizes;
    uf_spec spec;
    size_t count;
    (void)state;
    quiet(uf_spec_parse("blocked:n=1e6", &spec, dirty()));
    quiet(uf_spec_set(&spec, "fpr", "0.01", dirty()));
    quiet(uf_plan(&spec, &spec, dirty()));
    quiet(uf_plan_sizes(&spec, &sizes, sizeof sizes, dirty()));
    /* Some of these are not possible, each with an error of its own. */
    quiet(uf_designs(0.05, 1000, 1, 0, designs, sizeof designs[0], UF_MOST_DESIGNS, &count, dirty()));
}

static void build_one(uf_builder *builder, uf_filter **out)
{
    static const int32_t offsets[] = {0, 3, 6};
    uf_key key = {"alice", 5};
    quiet(uf_builder_add(builder, &key, 1, dirty()));
    quiet(uf_builder_add_fixed(builder, "onetwo", 3, 2, dirty()));
    quiet(uf_builder_add_offsets(builder, "twosix", offsets, 4, 2, dirty()));
    quiet(uf_builder_finish(builder, out, dirty()));
}

/* Kinds that are built in each of the ways there are. */
static void test_builds(void **state)
{
    static const char *const specs[] = {
        "bloom:n=1000", "blocked", "ribbon", "dpset:n=1000,epsilon=3", "ultra:count_epsilon=3,epsilon=3",
        "keyed(ribbon)"};
    const struct fixture *fixture = *state;
    uf_context ctx = secret_context();
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        uf_spec spec = spec_of(specs[i]);
        uf_builder *builder;
        uf_filter *filter;
        quiet(uf_build(&spec, fixture->keys.key, KEYS, &ctx, &filter, dirty()));
        uf_free(filter);
        quiet(uf_builder_new(&spec, &ctx, &builder, dirty()));
        build_one(builder, &filter);
        uf_builder_free(builder);
        uf_free(filter);
    }
}

static void test_builders_together(void **state)
{
    const struct fixture *fixture = *state;
    uf_spec spec = spec_of("blocked:seed=0x1");
    struct bytes bytes = {NULL, 0, 0};
    uf_builder *one, *other, *third;
    quiet(uf_builder_new(&spec, NULL, &one, dirty()));
    quiet(uf_builder_new(&spec, NULL, &other, dirty()));
    quiet(uf_builder_add(other, fixture->keys.key, KEYS, dirty()));
    quiet(uf_builder_write(other, bytes_put, &bytes, dirty()));
    quiet(uf_builder_read(&spec, bytes.data, bytes.size, NULL, &third, dirty()));
    quiet(uf_builder_merge(one, other, dirty()));
    bytes_free(&bytes);
    uf_builder_free(one);
    uf_builder_free(other);
    uf_builder_free(third);
}

static void test_changes(void **state)
{
    static const int64_t offsets[] = {0, 3, 6};
    const struct fixture *fixture = *state;
    const uf_key *new = fixture->keys.key + KEYS;
    uf_filter *filter = fixture->filter;
    uint8_t removed[4];
    int8_t verdict[4];
    quiet(uf_insert(filter, new[0], dirty()));
    quiet(uf_insert_many(filter, new + 1, 4, dirty()));
    quiet(uf_insert_fixed(filter, "onetwo", 3, 2, dirty()));
    quiet(uf_insert_offsets(filter, "sixten", offsets, 8, 2, dirty()));
    quiet(uf_add(filter, new[5], dirty()));
    quiet(uf_add_many(filter, new + 6, 4, verdict, dirty()));
    quiet(uf_add_fixed(filter, "onetwo", 3, 2, verdict, dirty()));
    quiet(uf_add_offsets(filter, "sixten", offsets, 8, 2, verdict, dirty()));
    quiet(uf_remove(filter, new[0], dirty()));
    quiet(uf_remove_many(filter, new + 1, 4, removed, dirty()));
    quiet(uf_remove_fixed(filter, "onetwo", 3, 2, removed, dirty()));
    uf_digest digest[4];
    quiet(uf_digest_many(filter, new + 1, 4, digest, dirty()));
    quiet(uf_add_digests(filter, digest, 4, verdict, dirty()));
    quiet(uf_query_digests(filter, digest, 4, removed, dirty()));
    quiet(uf_remove_digests(filter, digest, 4, removed, dirty()));
}

static void test_whole_filters(void **state)
{
    const struct fixture *fixture = *state;
    char fingerprint[UF_FINGERPRINT_SIZE];
    uf_spec bloom = spec_of("bloom:n=1000,bits=16000,k=8"), how = spec_of("ultra:epsilon=3");
    uf_filter *twin, *exact, *released;
    quiet(uf_copy(fixture->filter, NULL, &twin, dirty()));
    quiet(uf_merge(fixture->filter, twin, dirty()));
    quiet(uf_unlock(twin, NULL, dirty()));
    quiet(uf_verify(twin, dirty()));
    quiet(uf_fingerprint(twin, fingerprint, dirty()));
    uf_overlap overlap;
    quiet(uf_get_overlap(fixture->filter, twin, &overlap, sizeof overlap, dirty()));
    quiet(uf_set_note(twin, "a name", NULL, 0, dirty()));
    quiet(uf_set_attached(twin, NULL, 0, dirty()));
    uf_free(twin);
    uf_spec window = spec_of("blocked:n=1000,fpr=0.01,window=3");
    quiet(uf_build(&window, NULL, 0, NULL, &twin, dirty()));
    quiet(uf_rotate(twin, dirty()));
    uf_free(twin);
    uf_spec whole = spec_of("blocked:n=1000,fpr=0.01,parts=1");
    uf_filter *part, *joined;
    quiet(uf_build(&whole, NULL, 0, NULL, &twin, dirty()));
    quiet(uf_split(twin, 1, 0, NULL, &part, dirty()));
    quiet(uf_join((const uf_filter *const *)&part, 1, NULL, &joined, dirty()));
    uf_free(joined);
    uf_free(part);
    uf_free(twin);
    assert_status(UF_OK, uf_build(&bloom, fixture->keys.key, KEYS, NULL, &exact, &why), &why);
    quiet(uf_release(exact, &how, NULL, &released, dirty()));
    uf_free(exact);
    uf_free(released);
}

static int take(void *arg, const void *data, size_t bytes)
{
    (void)data;
    *(size_t *)arg += bytes;
    return 0;
}

static void test_files(void **state)
{
    const struct fixture *fixture = *state;
    const char *path = folder_file(&fixture->folder, "a.uf");
    size_t written = 0;
    uf_filter *filter;
    uf_header header;
    uf_loader *loader;
    uf_file_lock *lock;
    quiet(uf_save(fixture->filter, path, UF_FORMAT_UF, dirty()));
    quiet(uf_save(fixture->filter, path, UF_FORMAT_UF, dirty())); /* over a file */
    quiet(uf_write(fixture->filter, UF_FORMAT_UF, take, &written, dirty()));
    quiet(uf_lock_file(path, NULL, NULL, NULL, &lock, dirty()));
    uf_unlock_file(lock);
    quiet(uf_load(path, UF_FORMAT_UF, NULL, &filter, dirty()));
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    assert_int_equal(bytes.size, written);
    uf_free(filter);
    if (views_work()) {
        quiet(uf_load(path, UF_MAP, NULL, &filter, dirty()));
        uf_free(filter);
        quiet(uf_load_view(bytes.data, bytes.size, NULL, &filter, dirty()));
        quiet(uf_verify(filter, dirty()));
        uf_free(filter);
    }
    quiet(uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, NULL, &filter, dirty()));
    uf_free(filter);
    quiet(uf_read_header(bytes.data, bytes.size, &header, sizeof header, dirty()));
    quiet(uf_loader_new(NULL, UF_FORMAT_UF, &loader, dirty()));
    quiet(uf_loader_feed(loader, bytes.data, bytes.size, dirty()));
    quiet(uf_loader_finish(loader, &filter, dirty()));
    uf_loader_free(loader);
    uf_free(filter);
    bytes_free(&bytes);
}

static void test_signatures(void **state)
{
    const struct fixture *fixture = *state;
    const char *path = folder_file(&fixture->folder, "a.uf"), *public = folder_file(&fixture->folder, "a.pub");
    uf_context ctx = secret_context();
    uf_purpose purpose = {sizeof purpose, "list", 1};
    uf_verify_key key;
    uf_filter *filter;
    uf_verify_key_of(ctx.secret, &key);
    assert_status(UF_OK, uf_save(fixture->filter, path, UF_FORMAT_UF, &why), &why);
    quiet(uf_verify_key_save(&key, public, dirty()));
    quiet(uf_verify_key_load(public, &key, dirty()));
    quiet(uf_sign(path, NULL, UF_SIGN_PUBLIC, &ctx, dirty()));
    quiet(uf_check_signature(path, NULL, &key, NULL, dirty()));
    quiet(uf_load_signed(path, NULL, &key, NULL, &filter, dirty()));
    uf_free(filter);
    quiet(uf_sign_for(path, NULL, UF_SIGN_PUBLIC, &purpose, &ctx, dirty()));
    quiet(uf_load_signed_for(path, NULL, &key, &purpose, NULL, NULL, NULL, 0, dirty()));
    uf_signed said;
    quiet(uf_read_signature(path, NULL, &said, sizeof said, dirty()));
}

static void test_models(void **state)
{
    const struct fixture *fixture = *state;
    const char *path = folder_file(&fixture->folder, "a.ufm");
    struct keys positives = words_make(0, 12, WORDS, 1), negatives = words_make(1, 12, WORDS, 2),
                valid = words_make(1, 12, WORDS, 3);
    uf_training how = UF_TRAINING_INIT;
    uf_learning learning = UF_LEARNING_INIT;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of("partition:fpr=0.01");
    uf_model *model, *loaded;
    uf_filter *filter;
    how.positives = positives.key, how.positive_count = WORDS;
    how.negatives = negatives.key, how.negative_count = WORDS;
    how.valid = valid.key, how.valid_count = WORDS;
    quiet(uf_train(&how, NULL, &model, dirty()));
    quiet(uf_model_save(model, path, dirty()));
    quiet(uf_model_load(path, NULL, &loaded, dirty()));
    uf_model_free(loaded);
    struct bytes bytes = file_get_all(path);
    quiet(uf_model_load_bytes(bytes.data, bytes.size, NULL, &loaded, dirty()));
    bytes_free(&bytes);
    uf_model_free(loaded);
    learning.model = model, learning.valid = valid.key, learning.valid_count = WORDS;
    ctx.learning = &learning;
    for (learning.force = 0; learning.force < 2; learning.force++) { /* a plain filter is smaller */
        quiet(uf_build(&spec, positives.key, WORDS, &ctx, &filter, dirty()));
        if (!learning.force)
            uf_free(filter);
    }
    uf_watch *watch;
    quiet(uf_get_backup_plan(filter, 0.01, &spec, dirty()));
    quiet(uf_watch_new(filter, NULL, NULL, &watch, dirty()));
    uf_watch_free(watch);
    uf_free(filter);
    uf_model_free(model);
    keys_free(&positives);
    keys_free(&negatives);
    keys_free(&valid);
}

static int count_keys(void *arg, const uf_key *keys, size_t count)
{
    (void)keys;
    *(size_t *)arg += count;
    return 0;
}

static void test_sets(void **state)
{
    const struct fixture *fixture = *state;
    uf_spec spec = spec_of("blocked");
    uf_universe *range, *list;
    uf_set *set, *released;
    uf_filter *filter;
    size_t count = 0;
    quiet(uf_universe_parse("range:1-1000", NULL, &range, dirty()));
    quiet(uf_universe_list(fixture->keys.key, 2 * KEYS, NULL, &list, dirty()));
    quiet(uf_set_new(list, NULL, &set, dirty()));
    quiet(uf_set_add(set, fixture->keys.key, KEYS, dirty()));
    quiet(uf_set_release(set, "dime:epsilon=3", NULL, &released, dirty()));
    quiet(uf_set_each(released, count_keys, &count, dirty()));
    assert_int_equal(count, uf_set_count(released));
    quiet(uf_build_set(&spec, released, NULL, &filter, dirty()));
    uf_free(filter);
    uf_set_free(released);
    uf_set_free(set);
    uf_universe_free(list);
    uf_universe_free(range);
}

static int count_entry(void *arg, const uf_ledger_entry *entry)
{
    (void)entry;
    ++*(size_t *)arg;
    return 0;
}

static void test_ledger(void **state)
{
    const struct fixture *fixture = *state;
    const char *path = folder_file(&fixture->folder, "a.ufl");
    uf_ledger_state now;
    size_t count = 0;
    uf_charge what = UF_CHARGE_INIT;
    what.data_set = "data";
    what.mechanism = "dpset";
    what.id = "first";
    what.epsilon = 1;
    what.budget = 3;
    what.label = "spring";
    quiet(uf_ledger_charge(path, &what, &now, sizeof now, dirty()));
    what.budget = 0;
    quiet(uf_ledger_charge(path, &what, NULL, 0, dirty())); /* recorded before */
    quiet(uf_ledger_read(path, count_entry, &count, dirty()));
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_secrets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_specs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_builds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_builders_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_changes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_whole_filters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signatures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_models, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ledger, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
