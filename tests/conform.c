/* SPDX-License-Identifier: MIT */
/*
 * What every kind must do, through the public header only. Each check runs on every kind in several shapes
 * (common/subjects.c); with threads: conform_threads.c; rates: stat/.
 */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "folder.h"
#include "keys.h"
#include "paths.h"
#include "random.h"
#include "subjects.h"

/* ---- answers ---- */

static void check_no_false_negatives(const struct subject *subject)
{
    static const size_t sizes[] = {1, 2, 63, 64, 65, 1000, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t most = test_small() ? 5000 : test_full() ? 100000 : 30000, n = sizes[i] < most ? sizes[i] : most;
        struct keys keys = keys_make("key", n);
        uf_filter *filter = build(subject->spec, keys.key, n, NULL);
        assert_int_equal(keys_found(filter, &keys), n);
        for (size_t j = 0; j < n; j += 1 + n / 1000)
            assert_int_equal(uf_query(filter, keys.key[j]), 1);
        uf_free(filter);
        keys_free(&keys);
    }
}

/* No keys at all make a filter that can be asked, saved and loaded. */
static void check_empty(const struct subject *subject)
{
    struct keys probes = keys_make("probe", 1000);
    uf_filter *filter = build(subject->spec, NULL, 0, NULL), *back;
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_info info;
    assert_true(keys_found(filter, &probes) < 500);
    uf_get_info(filter, &info, sizeof info);
    assert_true(info.count_estimate == 0);
    uf_context ctx = context_of(subject);
    assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &ctx, &back, NULL), NULL);
    assert_same_bytes(filter, back, "an empty filter, saved and loaded");
    bytes_free(&bytes);
    uf_free(back);
    uf_free(filter);
    keys_free(&probes);
}

enum { PACKED = 131 };

/* One width: a filter of some of the keys, asked in all three ways, in runs of every length up to all. */
static void check_width(const struct subject *subject, size_t width)
{
    unsigned char data[PACKED * 40 + 1];
    uint8_t answers[PACKED + 1];
    uf_key keys[PACKED];
    uint64_t seed = width;
    (void)random_bytes(&seed, data, sizeof data);
    for (size_t i = 0; i < PACKED; i++)
        keys[i] = (uf_key){data + 1 + i * width, width};
    uf_filter *filter = build(subject->spec, keys, PACKED / 2, NULL);
    for (size_t count = 0; count <= PACKED; count += 1 + count / 34 * 5) {
        answers[count] = 7;
        ask_all_ways(filter, data + 1, width, count, answers);
        assert_int_equal(answers[count], 7);
        for (size_t i = 0; i < count && i < PACKED / 2; i++)
            assert_int_equal(answers[i], 1);
    }
    uf_free(filter);
}

static void check_all_ways_to_ask(const struct subject *subject)
{
    for (size_t width = 0; width <= 40; width++)
        check_width(subject, width);
}

/* Bytes with a length, whatever they are: none of these keys is another one. */
static void check_odd_keys(const struct subject *subject)
{
    static char large[1 << 20];
    const uf_key keys[] = {
        {"", 0},          {"\0", 1},       {"\0\0", 2},      {"a", 1},
        {"a\0", 2},       {"a\0b", 3},     {"\n", 1},        {"\xff", 1},
        {"\xff\xfe", 2},  {"\xc3\xa4", 2}, {"a ", 2},        {large, sizeof large},
        {large, 1 << 19}, {large, 4096},   {large + 1, 240}, {"\xe2\x82\xac", 3},
    };
    enum { ODD = sizeof keys / sizeof keys[0] };
    memset(large, 'x', sizeof large);
    for (size_t i = 0; i < ODD; i++) {
        uf_filter *filter = build(with(subject, "n=1000"), &keys[i], 1, NULL);
        size_t others = 0;
        assert_int_equal(uf_query(filter, keys[i]), 1);
        for (size_t j = 0; j < ODD; j++)
            others += j != i && uf_query(filter, keys[j]);
        if (!kind_is_learned(subject->kind))   /* whose rate is that of keys like its negatives */
            assert_true(others < ODD * 2 / 3); /* a few false positives at fpr 0.3 */
        uf_free(filter);
    }
    uf_filter *all = build(subject->spec, keys, ODD, NULL);
    for (size_t i = 0; i < ODD; i++)
        assert_int_equal(uf_query(all, keys[i]), 1);
    assert_int_equal(uf_query(all, (uf_key){NULL, 0}), 1); /* no bytes have no address */
    uf_free(all);
}

static void check_duplicates(const struct subject *subject)
{
    enum { DIFFERENT = 300, COPIES = 5 };
    struct keys keys = keys_make("key", DIFFERENT), probes = keys_make("probe", 3000);
    uf_key doubled[DIFFERENT * COPIES];
    for (size_t i = 0; i < DIFFERENT * COPIES; i++)
        doubled[i] = keys.key[i % DIFFERENT];
    uf_filter *filter = build(subject->spec, doubled, DIFFERENT * COPIES, NULL);
    assert_int_equal(keys_found(filter, &keys), DIFFERENT);
    assert_true(keys_found(filter, &probes) < 1200); /* fpr is at most 0.3 */
    uf_free(filter);
    for (size_t i = 0; i < DIFFERENT * COPIES; i++)
        doubled[i] = keys.key[0]; /* one key, again and again */
    filter = build(subject->spec, doubled, DIFFERENT * COPIES, NULL);
    assert_int_equal(uf_query(filter, keys.key[0]), 1);
    assert_true(keys_found(filter, &probes) < 1200);
    uf_free(filter);
    keys_free(&keys);
    keys_free(&probes);
}

/* ---- the same keys in other ways ---- */

/* Batches of 1, 2, 3, ... keys. */
static uf_filter *build_in_batches(const struct subject *subject, const char *text, const struct keys *keys)
{
    uf_context ctx = context_of(subject);
    uf_spec spec = spec_of(text);
    uf_builder *builder;
    uf_filter *filter;
    uf_error why;
    assert_status(UF_OK, uf_builder_new(&spec, &ctx, &builder, &why), &why);
    for (size_t done = 0, step = 0; done < keys->count; step++) {
        size_t now = step < keys->count - done ? step : keys->count - done;
        assert_status(UF_OK, uf_builder_add(builder, keys->key + done, now, NULL), NULL);
        done += now;
    }
    assert_status(UF_OK, uf_builder_finish(builder, &filter, &why), &why);
    uf_builder_free(builder);
    return filter;
}

static void check_batches(const struct subject *subject)
{
    static const size_t sizes[] = {0, 1, 7, 1000, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct keys keys = keys_make("key", sizes[i]);
        uf_filter *array = build(with(subject, "n=%zu", sizes[i] ? sizes[i] : 1), keys.key, sizes[i], NULL);
        uf_filter *batches = build_in_batches(subject, with(subject, "n=%zu", sizes[i] ? sizes[i] : 1), &keys);
        assert_same_bytes(array, batches, "an array and batches");
        uf_free(batches);
        if (sizes[i]) {
            batches = build_in_batches(subject, subject->spec, &keys);
            uf_mark_counted(array); /* the one difference, where it is kept */
            assert_same_bytes(array, batches, "n given and n counted");
            uf_free(batches);
            uf_filter *counted = build(subject->spec, keys.key, sizes[i], NULL);
            assert_same_bytes(array, counted, "n given and n counted by uf_build");
            uf_free(counted);
        }
        uf_free(array);
        keys_free(&keys);
    }
}

/* Packed keys of several widths, among them the 8 bytes that have a way of their own. */
static void check_packed_batches(const struct subject *subject)
{
    static const size_t widths[] = {1, 4, 8, 13};
    enum { COUNT = 500 };
    unsigned char data[COUNT * 13];
    uf_key keys[COUNT];
    uint64_t seed = 31;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)next_random(&seed);
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        uf_context ctx = context_of(subject);
        uf_spec spec = spec_of(with(subject, "n=%d", COUNT));
        uf_builder *builder;
        uf_filter *packed;
        for (size_t i = 0; i < COUNT; i++)
            keys[i] = (uf_key){data + i * widths[w], widths[w]};
        uf_filter *array = build(spec.text, keys, COUNT, NULL);
        assert_status(UF_OK, uf_builder_new(&spec, &ctx, &builder, NULL), NULL);
        assert_status(UF_OK, uf_builder_add_fixed(builder, data, widths[w], 77, NULL), NULL);
        assert_status(UF_OK, uf_builder_add_fixed(builder, data + 77 * widths[w], widths[w], COUNT - 77, NULL), NULL);
        assert_status(UF_OK, uf_builder_finish(builder, &packed, NULL), NULL);
        assert_same_bytes(array, packed, "an array and packed keys");
        uf_builder_free(builder);
        uf_free(array);
        uf_free(packed);
    }
}

static void check_order(const struct subject *subject)
{
    struct keys keys = keys_make("key", 20000);
    uf_filter *forward = build(subject->spec, keys.key, keys.count, NULL);
    for (size_t i = 0; i < keys.count / 2; i++) {
        uf_key held = keys.key[i];
        keys.key[i] = keys.key[keys.count - 1 - i];
        keys.key[keys.count - 1 - i] = held;
    }
    uf_filter *backward = build(subject->spec, keys.key, keys.count, NULL);
    assert_same_set(subject, forward, backward, "keys forward and backward");
    uf_free(forward);
    uf_free(backward);
    keys_free(&keys);
}

static void check_seeds(const struct subject *subject)
{
    struct keys keys = keys_make("key", 1000);
    uf_filter *same[2], *drawn[2];
    for (int i = 0; i < 2; i++) {
        same[i] = build(subject->spec, keys.key, keys.count, NULL);
        drawn[i] = build(subject->unsown, keys.key, keys.count, NULL);
    }
    assert_same_bytes(same[0], same[1], "the same spec twice");
    struct bytes a = bytes_of(drawn[0], UF_FORMAT_UF), b = bytes_of(drawn[1], UF_FORMAT_UF);
    assert_int_equal(bytes_equal(&a, &b), !subject->has_seed);
    bytes_free(&a);
    bytes_free(&b);
    for (int i = 0; i < 2; i++) {
        uf_free(same[i]);
        uf_free(drawn[i]);
    }
    keys_free(&keys);
}

/* ---- saving and loading ---- */

static void check_same_facts(const uf_filter *a, const uf_filter *b)
{
    uf_info one, two;
    uf_spec plan[2];
    uf_claim claim[2];
    uf_get_info(a, &one, sizeof one);
    uf_get_info(b, &two, sizeof two);
    assert_true(one.bytes == two.bytes && one.bits == two.bits && one.capacity == two.capacity);
    assert_true(one.fill == two.fill && one.fpr_now == two.fpr_now && one.count_estimate == two.count_estimate);
    uf_get_plan(a, &plan[0]);
    uf_get_plan(b, &plan[1]);
    assert_string_equal(plan[0].text, plan[1].text);
    uf_get_claim(a, &claim[0], sizeof claim[0]);
    uf_get_claim(b, &claim[1], sizeof claim[1]);
    assert_true(claim[0].fpr == claim[1].fpr);
}

static void check_round_trip(const struct subject *subject)
{
    static const size_t sizes[] = {1, 1000, 50000};
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct keys keys = keys_make("key", sizes[i]);
        uf_filter *made = build(subject->spec, keys.key, sizes[i], NULL), *back;
        uf_context ctx = context_of(subject);
        uf_error why;
        for (unsigned how = 0; how <= UF_MAP; how += UF_MAP) {
            assert_status(UF_OK, uf_save(made, path, UF_FORMAT_UF, &why), &why);
            assert_status(UF_OK, uf_load(path, how, &ctx, &back, &why), &why);
            assert_same_bytes(made, back, "saved and loaded");
            assert_same_answers(made, back, "saved and loaded");
            assert_int_equal(keys_found(back, &keys), sizes[i]);
            check_same_facts(made, back);
            uf_free(back);
        }
        uf_free(made);
        keys_free(&keys);
    }
    folder_remove(&folder);
}

/* ---- growing ---- */

static void check_insert(const struct subject *subject)
{
    enum { COUNT = 1000, CAPACITY = COUNT + 2 };
    struct keys keys = keys_make("key", COUNT);
    uf_filter *filter = build(with(subject, "n=%d", CAPACITY), keys.key, 300, NULL);
    struct bytes before = bytes_of(filter, UF_FORMAT_UF);
    int status = uf_insert(filter, keys.key[300], NULL);
    if (status == UF_EUNSUPPORTED) {
        struct bytes after = bytes_of(filter, UF_FORMAT_UF);
        assert_status(UF_EUNSUPPORTED, uf_insert_many(filter, keys.key, 5, NULL), NULL);
        assert_status(UF_EUNSUPPORTED, uf_insert_fixed(filter, "abc", 1, 3, NULL), NULL);
        assert_true(bytes_equal(&before, &after));
        bytes_free(&after);
    } else {
        assert_status(UF_OK, status, NULL);
        assert_status(UF_OK, uf_insert_many(filter, keys.key + 301, COUNT - 301, NULL), NULL);
        uf_filter *whole = build(with(subject, "n=%d", CAPACITY), keys.key, COUNT, NULL);
        assert_same_keys(filter, whole, "built at once, and by inserts");
        assert_status(UF_OK, uf_insert_fixed(filter, "0123456789abcdef", 8, 2, NULL), NULL);
        assert_int_equal(uf_query(filter, (uf_key){"01234567", 8}), 1);
        assert_int_equal(uf_query(filter, (uf_key){"89abcdef", 8}), 1);
        uf_free(whole);
    }
    bytes_free(&before);
    uf_free(filter);
    keys_free(&keys);
}

/* Makes sure that a refused merge says why and changes nothing. */
static void check_stranger(uf_filter *into, const char *spec, const char *named)
{
    struct keys keys = keys_make("other", 100);
    uf_filter *from = build(spec, keys.key, keys.count, NULL);
    struct bytes before = bytes_of(into, UF_FORMAT_UF);
    uf_error why = {0, 0, ""};
    int status = uf_merge(into, from, &why);
    assert_that(status == UF_EMISMATCH || status == UF_EUNSUPPORTED, "merging %s gave %d", spec, status);
    assert_true(why.status == status && why.text[0]);
    if (status == UF_EMISMATCH)
        assert_that(strstr(why.text, named) != NULL, "'%s' does not say %s", why.text, named);
    struct bytes after = bytes_of(into, UF_FORMAT_UF);
    assert_true(bytes_equal(&before, &after));
    bytes_free(&before);
    bytes_free(&after);
    uf_free(from);
    keys_free(&keys);
}

static void check_strangers(const struct subject *subject)
{
    struct keys keys = keys_make("key", 100);
    uf_filter *into = build(with(subject, "n=100"), keys.key, keys.count, NULL);
    char other[200];
    check_stranger(into, with(subject, "n=900"), "n");
    (void)snprintf(other, sizeof other, "%s:n=100,fpr=0.123", subject->kind);
    check_stranger(into, other, subject->has_seed ? "" : "fpr");
    if (subject->has_seed)
        check_stranger(into, unsown_with(subject, "n=100,seed=0x1"), "seed");
    for (size_t i = 0; uf_kind_name(i); i++)
        if (strcmp(uf_kind_name(i), subject->kind)) {
            check_stranger(into, simple_spec(uf_kind_name(i)).text, uf_kind_name(i));
        }
    uf_free(into);
    keys_free(&keys);
}

/* The keys from 2000 to 3000 are in both, and for kinds that count they are then there twice. */
static void check_merge(const struct subject *subject)
{
    enum { COUNT = 5000, FROM = 2000, TO = 3000 };
    struct keys keys = keys_make("key", COUNT);
    uf_filter *a = build(with(subject, "n=%d", COUNT), keys.key, TO, NULL);
    uf_filter *b = build(with(subject, "n=%d", COUNT), keys.key + FROM, COUNT - FROM, NULL);
    uf_error why = {0, 0, ""};
    int status = uf_merge(a, b, &why);
    if (status == UF_EUNSUPPORTED) {
        assert_that(strstr(why.text, subject->kind) != NULL, "'%s' does not name the kind", why.text);
    } else {
        uf_filter *both = build(with(subject, "n=%d", COUNT), keys.key, COUNT, NULL);
        assert_status(UF_OK, status, &why);
        assert_status(UF_OK, uf_insert_many(both, keys.key + FROM, TO - FROM, NULL), NULL);
        if (subject->counts_in_order)
            assert_same_answers(a, both, "merged, and built from both");
        else
            assert_same_keys(a, both, "merged, and built from both");
        assert_int_equal(keys_found(a, &keys), COUNT);
        uf_free(both);
    }
    uf_free(a);
    uf_free(b);
    keys_free(&keys);
}

/* ---- paths, knobs ---- */

static void check_paths(const struct subject *subject)
{
    struct keys keys = keys_make("key", 20000);
    uf_context ctx = context_of(subject);
    ctx.cpu = UF_CPU_SCALAR;
    uf_filter *scalar = build(subject->spec, keys.key, keys.count, &ctx);
    struct bytes file = bytes_of(scalar, UF_FORMAT_UF);
    for (ctx.cpu = UF_CPU_AUTO; ctx.cpu <= LAST_PATH; ctx.cpu++) {
        uf_spec spec = spec_of(subject->spec);
        uf_filter *other = NULL, *loaded = NULL;
        int status = uf_build(&spec, keys.key, keys.count, &ctx, &other, NULL);
        if (status == UF_EUNSUPPORTED && ctx.cpu > UF_CPU_SCALAR) {
            print_message("skipped: this machine has no %s\n", path_name(ctx.cpu));
            continue;
        }
        assert_status(UF_OK, status, NULL);
        assert_same_bytes(scalar, other, "the scalar path and another");
        assert_same_answers(scalar, other, "the scalar path and another");
        assert_int_equal(keys_found(other, &keys), keys.count);
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &loaded, NULL), NULL);
        assert_same_answers(scalar, loaded, "loaded for another path");
        uf_free(other);
        uf_free(loaded);
    }
    bytes_free(&file);
    uf_free(scalar);
    keys_free(&keys);
}

static void check_early_exit(const struct subject *subject)
{
    struct keys keys = keys_make("key", 5000);
    uf_filter *all = build(subject->spec, keys.key, keys.count, NULL);
    uf_filter *early = build(subject->spec, keys.key, keys.count, NULL);
    assert_status(UF_OK, uf_tune(early, UF_KNOB_EARLY_EXIT, 1), NULL);
    assert_same_answers(all, early, "early exit");
    assert_int_equal(keys_found(early, &keys), keys.count);
    for (size_t i = 0; i < keys.count; i += 10)
        assert_int_equal(uf_query(early, keys.key[i]), 1);
    struct keys probes = keys_make("probe", 2000);
    assert_int_equal(keys_found(all, &probes), keys_found(early, &probes));
    keys_free(&probes);
    uf_free(all);
    uf_free(early);
    keys_free(&keys);
}

/* ---- what a filter knows about itself ---- */

/* The plan of a filter builds its twin: the same bytes from the same keys. */
static void check_twins(const struct subject *subject)
{
    static const size_t sizes[] = {1, 2, 100, 1000, 9000, 13189, 20000, 70000};
    const size_t count = sizeof sizes / sizeof sizes[0] - (test_full() ? 0 : 1);
    for (size_t i = 0; i < count; i++) {
        struct keys keys = keys_make("key", sizes[i]);
        uf_filter *filter = build(subject->spec, keys.key, keys.count, NULL), *twin = NULL;
        uf_context ctx = context_of(subject);
        uf_spec plan;
        uf_error why = {0, 0, ""};
        uf_get_plan(filter, &plan);
        int status = uf_build(&plan, keys.key, keys.count, &ctx, &twin, &why);
        assert_that(status == UF_OK, "the plan of a filter, %s, was refused: %s", plan.text, why.text);
        uf_mark_counted(twin); /* which a plan does not say */
        assert_same_bytes(filter, twin, "a filter and its twin");
        uf_free(twin);
        uf_free(filter);
        keys_free(&keys);
    }
}

/* The keys that all generations of a filter take together, where one takes so many. */
static uint64_t capacity_for(const uf_info *info, uint64_t count)
{
    return info->generations ? info->generations * count : count;
}

/* 20 000 keys at an fpr of 0.3 or less: the estimate from the fill has a standard deviation below 0.9 %, so three of
 * them are 2.7 %. */
static void check_info(const struct subject *subject)
{
    enum { COUNT = 20000 };
    struct keys keys = keys_make("key", COUNT);
    uf_filter *filter = build(subject->spec, keys.key, keys.count, NULL);
    uf_info info;
    uf_claim claim;
    uf_get_info(filter, &info, sizeof info);
    uf_get_claim(filter, &claim, sizeof claim);
    assert_string_equal(info.kind, subject->kind);
    assert_int_equal(info.capacity, capacity_for(&info, COUNT));
    assert_true(info.bytes > 0 && info.bits > 0 && info.bits <= 8 * info.bytes);
    assert_true(info.fill > 0 && info.fill < 1);
    assert_that(fabs(info.count_estimate / COUNT - 1) < 0.027, "estimates %.1f of %d keys", info.count_estimate, COUNT);
    assert_that(info.fpr_now > 0 && info.fpr_now < 1.3 * claim.fpr, "fpr is now %g, promised is %g", info.fpr_now,
                claim.fpr);
    uf_free(filter);
    keys_free(&keys);
}

/* Half the keys: half the estimate, a lower rate, the same promise. */
static void check_info_of_half(const struct subject *subject)
{
    enum { COUNT = 20000 };
    struct keys keys = keys_make("key", COUNT);
    uf_filter *filter = build(with(subject, "n=%d", COUNT), keys.key, COUNT / 2, NULL);
    uf_info half, whole;
    uf_get_info(filter, &half, sizeof half);
    if (uf_insert_many(filter, keys.key + COUNT / 2, COUNT / 2, NULL) == UF_OK) {
        uf_get_info(filter, &whole, sizeof whole);
        assert_true(half.capacity == capacity_for(&half, COUNT) && whole.capacity == half.capacity);
        assert_true(fabs(half.count_estimate / (COUNT / 2) - 1) < 0.04);
        assert_true(half.fill < whole.fill && half.fpr_now < whole.fpr_now);
    } else {
        assert_true(half.count_estimate == COUNT / 2);
    }
    uf_free(filter);
    keys_free(&keys);
}

/* A rate that holds among hostile people says against what, and inserts are not among it when it takes them all. No
 * kind promises its members to strangers who remove, but one that counts what they do. */
static void check_operations(const uf_filter *filter, const uf_claim *claim)
{
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    int removes = !!(uf_kind_traits(info.kind) & UF_TRAIT_REMOVES), warns = info.full && !strcmp(info.full, "warn");
    unsigned most = warns ? UF_AGAINST_ALL & ~(unsigned)UF_AGAINST_INSERTS : UF_AGAINST_ALL;
    assert_int_equal(claim->fpr_against, isnan(claim->adversarial_fpr) ? 0 : most);
    assert_false(claim->adversarial_fpr < claim->fpr);
    assert_int_equal(claim->fnr_against & (UF_AGAINST_QUERIES | UF_AGAINST_INSERTS),
                     UF_AGAINST_QUERIES | UF_AGAINST_INSERTS);
    assert_int_equal(claim->fnr_against & UF_AGAINST_ANY_REMOVALS, removes ? 0 : UF_AGAINST_ANY_REMOVALS);
    if (!removes)
        assert_true(claim->adversarial_fnr == claim->fnr && isnan(claim->removed_fpr));
    else if (claim->fnr == 0)
        assert_true(isnan(claim->adversarial_fnr) && isnan(claim->removed_fpr));
    else
        assert_true(claim->removed_fpr == 0 && !(claim->adversarial_fnr < claim->fnr));
}

static void check_claim(const struct subject *subject)
{
    uf_filter *filter = build(with(subject, "n=10000"), &(uf_key){"a", 1}, 1, NULL);
    uf_claim claim;
    uf_spec plan;
    double fnr = 0;
    memset(&claim, 0, sizeof claim);
    uf_get_claim(filter, &claim, sizeof claim);
    assert_true(isnan(claim.epsilon) && claim.fpr > 0 && claim.fpr < 0.5);
    uf_get_plan(filter, &plan);
    (void)uf_spec_get(&plan, "fnr", &fnr); /* a kind that misses members says so in its plan */
    assert_true(claim.fnr == 0 ? fnr == 0 : fabs(claim.fnr / fnr - 1) < 1e-5);
    assert_true(claim.unit && claim.unit[0] && claim.adversary && claim.adversary[0]);
    assert_true(claim.not_protected && claim.not_protected[0] && claim.proof);
    assert_that(!strncmp(claim.proof, "docs/", 5) && strchr(claim.proof, '#'), "the proof is at '%s'", claim.proof);
    check_operations(filter, &claim);
    uf_free(filter);
}

int main(void)
{
    const struct check checks[] = {
        {"no false negatives", check_no_false_negatives},
        {"no keys", check_empty},
        {"query, query_many and query_fixed agree", check_all_ways_to_ask},
        {"odd keys", check_odd_keys},
        {"duplicates", check_duplicates},
        {"arrays and batches", check_batches},
        {"packed batches", check_packed_batches},
        {"order of keys", check_order},
        {"seeds", check_seeds},
        {"saved and loaded", check_round_trip},
        {"insert", check_insert},
        {"merge", check_merge},
        {"merge of strangers", check_strangers},
        {"scalar and vector paths", check_paths},
        {"early exit", check_early_exit},
        {"twins", check_twins},
        {"info", check_info},
        {"info of a half-full filter", check_info_of_half},
        {"claim", check_claim},
    };
    return subjects_run("conform", checks, sizeof checks / sizeof checks[0]);
}
