/* SPDX-License-Identifier: MIT */
/*
 * Calls without one of the things that they need: each is refused with UF_EINVAL in words, nothing is handed out, and
 * what was given is as before. So is every call whose context, or whose place for an answer, has no size.
 */
#define UF_EXPERIMENTAL
#include <math.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "folder.h"
#include "keys.h"
#include "secrets.h"
#include "subjects.h"

enum { KEYS = 50 };

static uf_error why; /* of the call under test, which gets &why */

#define refused(call) assert_refused(UF_EINVAL, call, &why)
#define invalid(call) assert_int_equal(call, UF_EINVAL)

/* What some calls work on. */
static struct folder folder;
static struct keys keys;
static uf_filter *filter;
static uf_spec spec;
static const uf_context no_size = {.size = 1};

static int set_up(void **state)
{
    (void)state;
    folder = folder_make();
    keys = keys_make("key", KEYS);
    spec = spec_of("blocked:n=100,fpr=0.01,seed=0x1");
    filter = build(spec.text, keys.key, KEYS, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    uf_free(filter);
    keys_free(&keys);
    folder_remove(&folder);
    return 0;
}

static void test_secrets(void **state)
{
    static const unsigned char bytes[UF_SECRET_BYTES] = {1};
    uf_secret *secret = NULL;
    (void)state;
    refused(uf_secret_create(NULL, &why));
    refused(uf_secret_load(NULL, &secret, &why));
    refused(uf_secret_load("a.key", NULL, &why));
    refused(uf_secret_load_fd(0, NULL, &why));
    refused(uf_secret_from_bytes(NULL, sizeof bytes, &secret, &why));
    refused(uf_secret_from_bytes(bytes, sizeof bytes, NULL, &why));
    refused(uf_secret_from_bytes(bytes, sizeof bytes - 1, &secret, &why));
    assert_null(secret);
}

static void test_specs(void **state)
{
    const uf_spec none = spec_unchecked("Bloom!");
    uf_spec out = spec;
    char text[3];
    double number = 7;
    (void)state;
    refused(uf_spec_parse(NULL, &out, &why));
    refused(uf_spec_parse("bloom", NULL, &why));
    refused(uf_spec_set(NULL, "n", "1", &why));
    refused(uf_spec_set(&out, NULL, "1", &why));
    invalid(uf_spec_get(NULL, "n", &number));
    invalid(uf_spec_get(&out, NULL, &number));
    invalid(uf_spec_get(&out, "n", NULL));
    invalid(uf_spec_get(&none, "n", &number));
    assert_true(number == 7); /* NOLINT: exactly as before */
    invalid(uf_spec_get_text(NULL, "seed", text, sizeof text));
    invalid(uf_spec_get_text(&out, NULL, text, sizeof text));
    invalid(uf_spec_get_text(&out, "seed", NULL, sizeof text));
    invalid(uf_spec_get_text(&none, "seed", text, sizeof text));
    invalid(uf_spec_get_text(&out, "seed", text, sizeof text)); /* "0x1" has a NUL behind it */
    invalid(uf_spec_get_text(&out, "k", text, sizeof text));    /* it does not say */
    assert_null(uf_spec_kind(NULL));
    assert_null(uf_spec_kind(&none));
    assert_int_equal(uf_spec_is_keyed(NULL), 0);
    assert_int_equal(uf_spec_takes(NULL, "n"), 0);
    assert_int_equal(uf_spec_takes(&out, NULL), 0);
    assert_int_equal(uf_spec_takes(&out, "n"), 1);
    refused(uf_plan(NULL, &out, &why));
    refused(uf_plan(&spec, NULL, &why));
    assert_string_equal(out.text, spec.text);
}

static void test_sizes_and_designs(void **state)
{
    uf_sizes sizes;
    uf_limit limit;
    uf_design design;
    size_t count = 7;
    (void)state;
    refused(uf_plan_sizes(NULL, &sizes, sizeof sizes, &why));
    refused(uf_plan_sizes(&spec, NULL, sizeof sizes, &why));
    refused(uf_plan_sizes(&spec, &sizes, 0, &why));
    refused(uf_designs(1, 1000, 10, 0, &design, sizeof design, 1, NULL, &why));
    refused(uf_designs(1, 1000, 10, 0, NULL, sizeof design, 1, &count, &why));
    refused(uf_designs(1, 1000, 10, 0, &design, 0, 1, &count, &why));
    assert_int_equal(count, 7);
    invalid(uf_get_limit(0, &limit, sizeof limit));
    invalid(uf_get_limit(NAN, &limit, sizeof limit));
    invalid(uf_get_limit(1e9, &limit, sizeof limit));
    invalid(uf_get_limit(1, &limit, 0));
    invalid(uf_get_sizes(NULL, &sizes, sizeof sizes));
    invalid(uf_get_sizes(filter, NULL, sizeof sizes));
    invalid(uf_get_sizes(filter, &sizes, 0));
}

static void test_builders(void **state)
{
    struct bytes bytes = {NULL, 0, 0};
    uf_builder *builder = NULL, *other = NULL;
    uf_filter *out = NULL;
    uf_spec said;
    (void)state;
    refused(uf_build(NULL, keys.key, KEYS, NULL, &out, &why));
    refused(uf_build(&spec, NULL, 1, NULL, &out, &why));
    refused(uf_build(&spec, keys.key, KEYS, NULL, NULL, &why));
    refused(uf_build(&spec, keys.key, KEYS, &no_size, &out, &why));
    refused(uf_builder_new(NULL, NULL, &builder, &why));
    refused(uf_builder_new(&spec, NULL, NULL, &why));
    refused(uf_builder_new(&spec, &no_size, &builder, &why));
    assert_true(!builder && !out);
    assert_status(UF_OK, uf_builder_new(&spec, NULL, &builder, &why), &why);
    assert_status(UF_OK, uf_builder_new(&spec, NULL, &other, &why), &why);
    invalid(uf_builder_get_spec(NULL, &said));
    invalid(uf_builder_get_spec(builder, NULL));
    refused(uf_builder_add_offsets(builder, "one", "\0\0\0", 3, 1, &why)); /* offsets have 4 or 8 bytes */
    refused(uf_builder_merge(NULL, other, &why));
    refused(uf_builder_merge(builder, NULL, &why));
    refused(uf_builder_merge(builder, builder, &why));
    refused(uf_builder_write(NULL, bytes_put, &bytes, &why));
    refused(uf_builder_write(builder, NULL, NULL, &why));
    assert_status(UF_OK, uf_builder_write(builder, bytes_put, &bytes, &why), &why);
    uf_builder *read = NULL;
    refused(uf_builder_read(NULL, bytes.data, bytes.size, NULL, &read, &why));
    refused(uf_builder_read(&spec, NULL, bytes.size, NULL, &read, &why));
    refused(uf_builder_read(&spec, bytes.data, bytes.size, NULL, NULL, &why));
    refused(uf_builder_read(&spec, bytes.data, bytes.size, &no_size, &read, &why));
    assert_null(read);
    assert_status(UF_OK, uf_builder_finish(builder, &out, &why), &why);
    refused(uf_builder_add(builder, keys.key, 1, &why)); /* when it has finished */
    refused(uf_builder_write(builder, bytes_put, &bytes, &why));
    refused(uf_builder_merge(builder, other, &why));
    refused(uf_builder_merge(other, builder, &why));
    refused(uf_builder_finish(builder, &out, &why));
    uf_builder_free(builder);
    uf_builder_free(other);
    uf_builder_free(NULL);
    uf_free(out);
    bytes_free(&bytes);
}

static void test_whole_filters(void **state)
{
    uf_spec how = spec_of("ultra:epsilon=3");
    const uf_filter *nothing[] = {NULL};
    uf_filter *out = NULL;
    uf_overlap overlap;
    uf_generation generation;
    uf_view view;
    uint64_t bits = 7;
    (void)state;
    refused(uf_copy(NULL, NULL, &out, &why));
    refused(uf_copy(filter, NULL, NULL, &why));
    refused(uf_copy(filter, &no_size, &out, &why));
    refused(uf_rotate(NULL, &why));
    invalid(uf_get_generations(NULL, &generation, sizeof generation, 1));
    invalid(uf_get_generations(filter, NULL, sizeof generation, 1));
    refused(uf_unlock(NULL, NULL, &why));
    refused(uf_split(NULL, 2, 0, NULL, &out, &why));
    refused(uf_split(filter, 2, 0, NULL, NULL, &why));
    refused(uf_split(filter, 2, 0, &no_size, &out, &why));
    refused(uf_join(NULL, 1, NULL, &out, &why));
    refused(uf_join(nothing, 0, NULL, &out, &why));
    refused(uf_join(nothing, 1, NULL, NULL, &why));
    refused(uf_join(nothing, 1, &no_size, &out, &why));
    refused(uf_join(nothing, 1, NULL, &out, &why));
    refused(uf_release(NULL, &how, NULL, &out, &why));
    refused(uf_release(filter, NULL, NULL, &out, &why));
    refused(uf_release(filter, &how, NULL, NULL, &why));
    refused(uf_release(filter, &how, &no_size, &out, &why));
    assert_null(out);
    invalid(uf_distance(NULL, filter, &bits));
    invalid(uf_distance(filter, NULL, &bits));
    invalid(uf_distance(filter, filter, NULL));
    assert_int_equal(bits, 7);
    refused(uf_get_overlap(NULL, filter, &overlap, sizeof overlap, &why));
    refused(uf_get_overlap(filter, NULL, &overlap, sizeof overlap, &why));
    refused(uf_get_overlap(filter, filter, NULL, sizeof overlap, &why));
    invalid(uf_get_view(NULL, UF_VIEW_LAYOUT, &view, sizeof view));
    invalid(uf_get_view(filter, UF_VIEW_LAYOUT, NULL, sizeof view));
    invalid(uf_get_view(filter, UF_VIEW_LAYOUT, &view, 0));
    invalid(uf_tune(filter, UF_KNOB_EARLY_EXIT, 2));
    invalid(uf_tune(filter, 77, 1));
    invalid(uf_query_offsets(filter, "one", "\0\0\0", 3, 1, NULL));
    refused(uf_insert_offsets(filter, "one", "\0\0\0", 3, 1, &why));
    refused(uf_add_offsets(filter, "one", "\0\0\0", 3, 1, NULL, &why));
    static const int32_t offsets[] = {0, 3};
    refused(uf_insert_offsets(filter, "one", offsets, 4, SIZE_MAX / 4, &why)); /* more than fit into memory */
    assert_status(UF_OK, uf_insert_offsets(filter, NULL, NULL, 4, 0, &why), &why);
    uf_free(NULL);
}

static void test_what_filters_carry(void **state)
{
    uf_filter *dcso = build("dcso:n=10", keys.key, 10, NULL);
    const void *data;
    size_t bytes;
    uf_note note;
    (void)state;
    invalid(uf_set_normal(NULL, 0));
    invalid(uf_set_normal(filter, ~(unsigned)UF_NORMAL_ALL));
    assert_int_equal(uf_get_normal(NULL), 0);
    uf_mark_counted(NULL);
    refused(uf_set_note(NULL, "name", NULL, 0, &why));
    invalid(uf_get_note(NULL, &note, sizeof note));
    invalid(uf_get_note(filter, NULL, sizeof note));
    invalid(uf_get_note(filter, &note, 0));
    refused(uf_set_attached(NULL, "x", 1, &why));
    refused(uf_set_attached(dcso, NULL, 1, &why));
    invalid(uf_get_attached(NULL, &data, &bytes));
    invalid(uf_get_attached(dcso, NULL, &bytes));
    invalid(uf_get_attached(dcso, &data, NULL));
    uf_free(dcso);
}

static void test_files(void **state)
{
    const char *path = folder_file(&folder, "a.uf");
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_loader *loader = NULL;
    uf_filter *out = NULL;
    uf_file_lock *lock = NULL;
    uf_header header;
    (void)state;
    refused(uf_save(NULL, path, UF_FORMAT_UF, &why));
    refused(uf_save(filter, NULL, UF_FORMAT_UF, &why));
    refused(uf_write(NULL, UF_FORMAT_UF, bytes_put, &bytes, &why));
    refused(uf_write(filter, UF_FORMAT_UF, NULL, NULL, &why));
    refused(uf_write(filter, 77, bytes_put, &bytes, &why));
    refused(uf_save(filter, path, 77, &why));
    assert_int_equal(folder_entries(&folder), 0);
    assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, &why), &why);
    refused(uf_load(NULL, UF_FORMAT_UF, NULL, &out, &why));
    refused(uf_load(path, UF_FORMAT_UF, NULL, NULL, &why));
    refused(uf_load(path, UF_FORMAT_UF, &no_size, &out, &why));
    refused(uf_load(path, UF_FORMAT_DCSO | UF_MAP, NULL, &out, &why));
    refused(uf_load_bytes(NULL, 1, UF_FORMAT_UF, NULL, &out, &why));
    refused(uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, NULL, NULL, &why));
    refused(uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &no_size, &out, &why));
    assert_refused(UF_EFORMAT, uf_load_bytes(NULL, 0, UF_FORMAT_UF, NULL, &out, &why), &why);
    refused(uf_load_view(NULL, bytes.size, NULL, &out, &why));
    refused(uf_load_view(bytes.data, bytes.size, NULL, NULL, &why));
    refused(uf_loader_new(NULL, UF_FORMAT_UF, NULL, &why));
    refused(uf_loader_new(&no_size, UF_FORMAT_UF, &loader, &why));
    assert_status(UF_OK, uf_loader_new(NULL, UF_FORMAT_UF, &loader, &why), &why);
    refused(uf_loader_feed(NULL, bytes.data, 1, &why));
    refused(uf_loader_feed(loader, NULL, 1, &why));
    refused(uf_loader_finish(NULL, &out, &why));
    refused(uf_loader_finish(loader, NULL, &why));
    assert_status(UF_OK, uf_loader_feed(loader, bytes.data, bytes.size, NULL), NULL); /* none of that has harmed it */
    assert_null(out);
    assert_status(UF_OK, uf_loader_finish(loader, &out, &why), &why);
    uf_loader_free(loader);
    uf_free(out);
    refused(uf_read_header(NULL, 1, &header, sizeof header, &why));
    refused(uf_read_header(bytes.data, bytes.size, NULL, sizeof header, &why));
    refused(uf_read_header(bytes.data, bytes.size, &header, 0, &why));
    refused(uf_lock_file(NULL, NULL, NULL, NULL, &lock, &why));
    refused(uf_lock_file(path, NULL, NULL, NULL, NULL, &why));
    refused(uf_lock_file(path, NULL, NULL, &no_size, &lock, &why));
    assert_null(lock);
    uf_unlock_file(NULL);
    bytes_free(&bytes);
}

/* Bytes at the right place, which a plain malloc need not give. */
static void test_views(void **state)
{
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    unsigned char *place = aligned_alloc(64, (bytes.size + 63) / 64 * 64);
    uf_filter *view = NULL;
    (void)state;
    assert_non_null(place);
    memcpy(place, bytes.data, bytes.size);
    if (views_work())
        refused(uf_load_view(place, bytes.size, &no_size, &view, &why));
    assert_null(view);
    free(place);
    bytes_free(&bytes);
}

static void test_signatures(void **state)
{
    const char *path = folder_file(&folder, "signed.uf");
    const uf_purpose unsized = {.size = 1};
    const uf_context ctx = secret_context();
    uf_filter *out = NULL;
    uf_verify_key key;
    uf_signed said;
    (void)state;
    assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, &why), &why);
    uf_verify_key_of(ctx.secret, &key);
    refused(uf_verify_key_save(NULL, path, &why));
    refused(uf_verify_key_save(&key, NULL, &why));
    refused(uf_verify_key_load(NULL, &key, &why));
    refused(uf_verify_key_load(path, NULL, &why));
    refused(uf_sign(path, NULL, UF_SIGN_PUBLIC, &no_size, &why));
    refused(uf_sign_for(path, NULL, UF_SIGN_PUBLIC, &unsized, &ctx, &why));
    assert_status(UF_OK, uf_sign(path, NULL, UF_SIGN_PUBLIC, &ctx, &why), &why);
    refused(uf_check_signature(NULL, NULL, &key, NULL, &why));
    refused(uf_check_signature(path, NULL, &key, &no_size, &why));
    refused(uf_load_signed(path, NULL, &key, NULL, NULL, &why));
    refused(uf_load_signed_for(path, NULL, &key, &unsized, NULL, &out, NULL, 0, &why));
    refused(uf_read_signature(NULL, NULL, &said, sizeof said, &why));
    refused(uf_read_signature(path, NULL, NULL, sizeof said, &why));
    invalid(uf_read_signature(path, NULL, &said, 0, &why));
    assert_null(out);
}

static void test_models(void **state)
{
    static const uf_training unsized = {.size = 1};
    static const uf_watching no_watching = {.size = 1};
    const char *path = folder_file(&folder, "a.ufm");
    uf_filter *learned = build("partition:fpr=0.1,seed=0x1", keys.key, KEYS, NULL);
    uf_training how = UF_TRAINING_INIT;
    uf_watching odd = UF_WATCHING_INIT;
    uf_model *model = NULL;
    uf_watch *watch = NULL;
    uf_watched_region region;
    uf_spec plan;
    (void)state;
    refused(uf_train(NULL, NULL, &model, &why));
    refused(uf_train(&how, NULL, NULL, &why));
    refused(uf_train(&how, &no_size, &model, &why));
    refused(uf_train(&unsized, NULL, &model, &why));
    for (int list = 0; list < 3; list++) { /* a number of keys and no keys */
        how = (uf_training)UF_TRAINING_INIT;
        *(list == 0 ? &how.positive_count : list == 1 ? &how.negative_count : &how.valid_count) = 1;
        refused(uf_train(&how, NULL, &model, &why));
    }
    refused(uf_model_save(NULL, path, &why));
    refused(uf_model_save(subject_learning()->model, NULL, &why));
    refused(uf_model_load(NULL, NULL, &model, &why));
    refused(uf_model_load(path, NULL, NULL, &why));
    refused(uf_model_load(path, &no_size, &model, &why));
    refused(uf_model_load_bytes(NULL, 1, NULL, &model, &why));
    refused(uf_model_load_bytes("x", 1, NULL, NULL, &why));
    refused(uf_model_load_bytes("x", 1, &no_size, &model, &why));
    assert_refused(UF_EFORMAT, uf_model_load_bytes(NULL, 0, NULL, &model, &why), &why);
    assert_null(model);
    assert_refused(UF_EUNSUPPORTED, uf_get_backup_plan(NULL, 0.1, &plan, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_get_backup_plan(learned, 0.1, NULL, &why), &why);
    refused(uf_watch_new(NULL, NULL, NULL, &watch, &why));
    refused(uf_watch_new(learned, NULL, NULL, NULL, &why));
    refused(uf_watch_new(learned, NULL, &no_size, &watch, &why));
    refused(uf_watch_new(learned, &no_watching, NULL, &watch, &why));
    static const double wrong[][2] = {{-0.1, 0}, {1.1, 0}, {0, -0.1}, {0, 1.1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        odd.false_alarm = wrong[i][0], odd.members = wrong[i][1];
        refused(uf_watch_new(learned, &odd, NULL, &watch, &why));
    }
    assert_null(watch);
    uf_watch_free(NULL);
    invalid(uf_get_watch_regions(NULL, &region, sizeof region, 1));
    uf_free(learned);
}

static int take_keys(void *arg, const uf_key *given, size_t count)
{
    (void)arg, (void)given, (void)count;
    return 0;
}

static void test_sets(void **state)
{
    uf_universe *universe = NULL, *other = NULL;
    uf_set *set = NULL, *released = NULL;
    uf_filter *out = NULL;
    uint64_t rank = 7;
    (void)state;
    refused(uf_universe_parse(NULL, NULL, &other, &why));
    refused(uf_universe_parse("range:1-9", NULL, NULL, &why));
    refused(uf_universe_parse("range:1-9", &no_size, &other, &why));
    refused(uf_universe_list(NULL, 1, NULL, &other, &why));
    refused(uf_universe_list(keys.key, KEYS, NULL, NULL, &why));
    refused(uf_universe_list(keys.key, KEYS, &no_size, &other, &why));
    assert_status(UF_OK, uf_universe_parse("range:1-9", NULL, &universe, &why), &why);
    invalid(uf_universe_rank(universe, (uf_key){"10", 2}, &rank));
    assert_int_equal(rank, 7);
    refused(uf_set_new(NULL, NULL, &set, &why));
    refused(uf_set_new(universe, NULL, NULL, &why));
    refused(uf_set_new(universe, &no_size, &set, &why));
    assert_status(UF_OK, uf_set_new(universe, NULL, &set, &why), &why);
    refused(uf_set_add(NULL, keys.key, 1, &why));
    refused(uf_set_add(set, NULL, 1, &why));
    refused(uf_set_release(NULL, "dime:epsilon=3", NULL, &released, &why));
    refused(uf_set_release(set, NULL, NULL, &released, &why));
    refused(uf_set_release(set, "dime:epsilon=3", NULL, NULL, &why));
    refused(uf_set_release(set, "dime:epsilon=3", &no_size, &released, &why));
    refused(uf_set_each(NULL, take_keys, NULL, &why));
    refused(uf_set_each(set, NULL, NULL, &why));
    refused(uf_build_set(NULL, set, NULL, &out, &why));
    refused(uf_build_set(&spec, NULL, NULL, &out, &why));
    refused(uf_build_set(&spec, set, NULL, NULL, &why));
    refused(uf_build_set(&spec, set, &no_size, &out, &why));
    assert_true(!other && !released && !out && !uf_set_count(set));
    uf_set_free(set);
    uf_set_free(NULL);
    uf_universe_free(universe);
    uf_universe_free(NULL);
}

static int take_entry(void *arg, const uf_ledger_entry *entry)
{
    (void)arg, (void)entry;
    return 0;
}

static void test_ledger(void **state)
{
    const char *path = folder_file(&folder, "a.ufl");
    uf_charge what = UF_CHARGE_INIT;
    uf_ledger_state now;
    (void)state;
    what.data_set = "data", what.mechanism = "dpset", what.id = "first", what.epsilon = 1, what.budget = 3;
    refused(uf_ledger_charge(NULL, &what, &now, sizeof now, &why));
    refused(uf_ledger_charge(path, NULL, &now, sizeof now, &why));
    refused(uf_ledger_charge(path, &what, &now, 0, &why));
    what.size = 1;
    refused(uf_ledger_charge(path, &what, &now, sizeof now, &why));
    refused(uf_ledger_read(NULL, take_entry, NULL, &why));
    refused(uf_ledger_read(path, NULL, NULL, &why));
    assert_that(access(path, F_OK) != 0, "what was refused made a ledger");
}

static void *never_alloc(void *arg, size_t bytes, size_t align)
{
    (void)arg, (void)bytes, (void)align;
    abort();
}

static void never_release(void *arg, void *memory, size_t bytes)
{
    (void)arg, (void)memory, (void)bytes;
    abort();
}

/* Allocators come in pairs, and an instruction set has to be there. */
static void test_contexts(void **state)
{
    uf_context ctx = subject_context();
    uf_filter *out = NULL;
    (void)state;
    ctx.allocator.alloc = never_alloc;
    refused(uf_copy(filter, &ctx, &out, &why));
    ctx.allocator = (uf_allocator){.release = never_release};
    refused(uf_copy(filter, &ctx, &out, &why));
    ctx.allocator = (uf_allocator){.alloc_zeroed = never_alloc};
    refused(uf_copy(filter, &ctx, &out, &why));
    ctx = subject_context();
    ctx.cpu = 77;
    assert_refused(UF_EUNSUPPORTED, uf_copy(filter, &ctx, &out, &why), &why);
    ctx.cpu = UF_CPU_AUTO;
    ctx.label = "two words";
    refused(uf_copy(filter, &ctx, &out, &why));
    ctx.label = "label";
    assert_refused(UF_EKEY, uf_copy(filter, &ctx, &out, &why), &why);
    assert_null(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_specs),
        cmocka_unit_test(test_sizes_and_designs),
        cmocka_unit_test(test_builders),
        cmocka_unit_test(test_whole_filters),
        cmocka_unit_test(test_what_filters_carry),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_ledger),
        cmocka_unit_test(test_contexts),
    };
    return cmocka_run_group_tests_name("arguments", tests, set_up, tear_down);
}
