/* SPDX-License-Identifier: MIT */
/*
 * What kinds that remove must do, and what the others must do when they are asked to, through the public header only.
 * The first half runs on every kind in every shape (common/subjects.c); the second states exactly, kind by kind, what
 * happens to duplicates, to keys that come back, and in unions. Random sequences: property.c; rates: stat/.
 */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "folder.h"
#include "keys.h"
#include "secrets.h"
#include "subjects.h"

enum { COUNT = 1000, OUT = 400 };

/* A filter of COUNT keys, planned for as many removals. */
static uf_filter *build_all(const struct subject *subject, const struct keys *keys)
{
    return build(with(subject, "n=%d", COUNT), keys->key, COUNT, NULL);
}

static int can_remove(const struct subject *subject)
{
    uf_filter *filter = build(with(subject, "n=1"), NULL, 0, NULL);
    int status = uf_remove_many(filter, NULL, 0, NULL, NULL);
    uf_free(filter);
    assert_true(status == UF_OK || status == UF_EUNSUPPORTED);
    return status == UF_OK;
}

static void assert_unchanged(const struct bytes *before, const uf_filter *filter)
{
    struct bytes after = bytes_of(filter, UF_FORMAT_UF);
    assert_true(bytes_equal(before, &after));
    bytes_free(&after);
}

static int answer(const uf_filter *filter, const char *text)
{
    return uf_query(filter, (uf_key){text, strlen(text)});
}

static int put(uf_filter *filter, const char *text)
{
    return uf_insert(filter, (uf_key){text, strlen(text)}, NULL);
}

static int take(uf_filter *filter, const char *text)
{
    return uf_remove(filter, (uf_key){text, strlen(text)}, NULL);
}

/* ---- every kind ---- */

/* Kinds that cannot remove say so and stay as they are; they have no figures about it. */
static void check_refusal(const struct subject *subject)
{
    struct keys keys = keys_make("key", COUNT);
    uf_filter *filter = build_all(subject, &keys);
    struct bytes before = bytes_of(filter, UF_FORMAT_UF);
    uint8_t removed[3] = {7, 7, 7};
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    if (can_remove(subject)) {
        assert_true(info.deletable_share >= 0 && info.deletable_share <= 1);
    } else {
        assert_status(UF_EUNSUPPORTED, uf_remove(filter, keys.key[0], NULL), NULL);
        assert_status(UF_EUNSUPPORTED, uf_remove_many(filter, keys.key, 3, removed, NULL), NULL);
        assert_status(UF_EUNSUPPORTED, uf_remove_fixed(filter, "abc", 1, 3, NULL, NULL), NULL);
        assert_true(removed[0] == 7 && removed[2] == 7);
        assert_true(isnan(info.deletable_share) && isnan(info.saturated) && isnan(info.copies) &&
                    isnan(info.removed_estimate) && isnan(info.fnr_now));
        assert_unchanged(&before, filter);
    }
    bytes_free(&before);
    uf_free(filter);
    keys_free(&keys);
}

/* What stays is found, but for the share that a kind says it misses; what went is refused from then on unless the
 * filter takes it for a member; and a refused key changes nothing. */
static void check_half_way(const struct subject *subject)
{
    struct keys keys = keys_make("key", COUNT);
    uf_filter *filter = build_all(subject, &keys);
    size_t stuck = 0, found = 0;
    uf_claim claim;
    if (!can_remove(subject))
        goto out;
    uf_get_claim(filter, &claim, sizeof claim);
    for (size_t i = 0; i < OUT; i++) {
        struct bytes before = bytes_of(filter, UF_FORMAT_UF);
        int was = uf_query(filter, keys.key[i]), status = uf_remove(filter, keys.key[i], NULL);
        assert_true(status == UF_OK || status == UF_ESTUCK || (status == UF_EABSENT && claim.fnr > 0));
        assert_int_equal(status == UF_EABSENT, !was);
        if (status != UF_OK)
            assert_unchanged(&before, filter);
        if (!uf_query(filter, keys.key[i])) {
            assert_true(status != UF_ESTUCK);
            assert_status(UF_EABSENT, uf_remove(filter, keys.key[i], NULL), NULL);
        }
        stuck += status == UF_ESTUCK;
        bytes_free(&before);
    }
    for (size_t i = OUT; i < COUNT; i++)
        found += (size_t)uf_query(filter, keys.key[i]);
    if (claim.fnr == 0)
        assert_int_equal(found, COUNT - OUT);
    assert_that((double)found >= (COUNT - OUT) * (1 - 2 * claim.fnr) - 10, "only %zu are found", found);
    assert_that(stuck <= OUT * 2 / 3 || !strcmp(subject->kind, "deletable"), "%zu cannot be removed", stuck);
out:
    uf_free(filter);
    keys_free(&keys);
}

/* One by one, all at once, and packed: the same verdicts, the same bytes. */
static void check_all_ways_to_remove(const struct subject *subject)
{
    unsigned char data[8 * COUNT];
    uf_key key[COUNT];
    uint8_t one[COUNT], many[COUNT], fixed[COUNT];
    int first = UF_OK;
    if (!can_remove(subject))
        return;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i % 8 < 2 ? i / 8 >> 8 * (i % 8) : i % 8);
    for (size_t i = 0; i < COUNT; i++)
        key[i] = (uf_key){data + 8 * i, 8};
    uf_filter *filter[3];
    for (size_t i = 0; i < 3; i++) /* the first half is in */
        filter[i] = build(with(subject, "n=%d", COUNT / 2), key, COUNT / 2, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        int status = uf_remove(filter[0], key[i], NULL);
        first = first == UF_OK ? status : first;
        one[i] = status == UF_OK;
    }
    assert_int_equal(uf_remove_many(filter[1], key, COUNT, many, NULL), first);
    assert_int_equal(uf_remove_fixed(filter[2], data, 8, COUNT, fixed, NULL), first);
    assert_memory_equal(one, many, COUNT);
    assert_memory_equal(one, fixed, COUNT);
    assert_same_bytes(filter[0], filter[1], "removed one by one, and at once");
    assert_same_bytes(filter[0], filter[2], "removed one by one, and packed");
    for (size_t i = 0; i < 3; i++)
        uf_free(filter[i]);
}

/* Removals survive a file, in which they go on. */
static void check_saved(const struct subject *subject)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "a.uf");
    struct keys keys = keys_make("key", COUNT);
    uf_filter *made = build_all(subject, &keys), *back, *mapped;
    uf_context ctx = context_of(subject);
    uf_error why;
    if (can_remove(subject)) {
        (void)uf_remove_many(made, keys.key, OUT, NULL, NULL);
        assert_status(UF_OK, uf_save(made, path, UF_FORMAT_UF, &why), &why);
        assert_status(UF_OK, uf_load(path, UF_FORMAT_UF, &ctx, &back, &why), &why);
        assert_same_bytes(made, back, "saved and loaded");
        assert_same_answers(made, back, "saved and loaded");
        assert_int_equal(uf_remove(made, keys.key[OUT], NULL), uf_remove(back, keys.key[OUT], NULL));
        assert_same_bytes(made, back, "removed before and after a file");
        assert_status(UF_OK, uf_load(path, UF_MAP, &ctx, &mapped, &why), &why);
        assert_status(UF_EREADONLY, uf_remove(mapped, keys.key[OUT], NULL), NULL);
        uf_free(back);
        uf_free(mapped);
    }
    uf_free(made);
    keys_free(&keys);
    folder_remove(&folder);
}

/* Removals need a filter of one's own. */
static void check_not_shared(const struct subject *subject)
{
    uf_filter *filter = build(with(subject, "n=10"), NULL, 0, NULL);
    if (can_remove(subject)) {
        assert_status(UF_OK, put(filter, "a"), NULL);
        assert_status(UF_OK, uf_tune(filter, UF_KNOB_SHARED, 1), NULL);
        assert_status(UF_OK, put(filter, "b"), NULL);
        assert_status(UF_EUNSUPPORTED, take(filter, "a"), NULL);
        assert_int_equal(answer(filter, "a"), 1);
        assert_status(UF_OK, uf_tune(filter, UF_KNOB_SHARED, 0), NULL);
        assert_true(take(filter, "a") != UF_EUNSUPPORTED);
    }
    uf_free(filter);
}

/* ---- kind by kind ---- */

/* As many copies as were inserted; with the last one the filter is as it was. */
static void test_counting_duplicates(void **state)
{
    uf_filter *filter = build("counting:n=100,seed=0x1", NULL, 0, NULL);
    struct bytes empty = bytes_of(filter, UF_FORMAT_UF);
    uf_info info;
    (void)state;
    for (int copy = 0; copy < 14; copy++)
        assert_status(UF_OK, put(filter, "a"), NULL);
    uf_get_info(filter, &info, sizeof info);
    assert_true(info.copies == 14 && fabs(info.count_estimate - 1) < 0.01);
    assert_true(info.saturated == 0 && info.deletable_share == 1);
    for (int copy = 0; copy < 14; copy++) {
        assert_int_equal(answer(filter, "a"), 1);
        assert_status(UF_OK, take(filter, "a"), NULL);
    }
    assert_int_equal(answer(filter, "a"), 0);
    assert_status(UF_EABSENT, take(filter, "a"), NULL);
    assert_unchanged(&empty, filter);
    bytes_free(&empty);
    uf_free(filter);
}

/* At 15 a counter stays: the key is there for good, and the others are not harmed. */
static void test_counting_counts(void **state)
{
    (void)state;
    uf_filter *filter = build("counting:n=100,fpr=1e-6,seed=0x1", NULL, 0, NULL);
    uf_filter *other = build("bloom:n=100,seed=0x1", NULL, 0, NULL);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(uf_count(filter, (uf_key){"alice", 5}), i < 15 ? i : 15);
        assert_int_equal(put(filter, "alice"), UF_OK);
    }
    assert_int_equal(uf_count(filter, (uf_key){"bob", 3}), 0);
    assert_int_equal(put(filter, "bob"), UF_OK);
    assert_int_equal(put(filter, "bob"), UF_OK);
    assert_status(UF_OK, uf_remove(filter, (uf_key){"bob", 3}, NULL), NULL);
    assert_int_equal(uf_count(filter, (uf_key){"bob", 3}), 1);
    assert_int_equal(uf_count(other, (uf_key){"bob", 3}), UF_EUNSUPPORTED);
    uf_free(filter);
    uf_free(other);
}

static void test_counting_full(void **state)
{
    uf_filter *filter = build("counting:n=100,k=9,seed=0x1", NULL, 0, NULL);
    uf_info info;
    (void)state;
    assert_status(UF_OK, put(filter, "b"), NULL);
    for (int copy = 0; copy < 20; copy++)
        assert_status(UF_OK, put(filter, "a"), NULL);
    uf_get_info(filter, &info, sizeof info);
    assert_true(info.saturated == 9 && info.deletable_share < 0.5);
    for (int copy = 0; copy < 30; copy++)
        assert_status(UF_ESTUCK, take(filter, "a"), NULL);
    assert_true(answer(filter, "a") && answer(filter, "b"));
    assert_status(UF_OK, take(filter, "b"), NULL);
    assert_true(answer(filter, "a") && !answer(filter, "b"));
    uf_free(filter);
}

/* What is left of a filter after removals is what would have been built without those keys. */
static void test_counting_forgets(void **state)
{
    struct keys keys = keys_make("key", COUNT);
    uf_filter *filter = build("counting:n=1000,seed=0x1", keys.key, COUNT, NULL);
    uf_filter *rest = build("counting:n=1000,seed=0x1", keys.key + OUT, COUNT - OUT, NULL);
    uf_filter *other = build("counting:n=1000,seed=0x1", keys.key, OUT, NULL);
    uf_filter *both = build("counting:n=1000,seed=0x1", keys.key, COUNT, NULL);
    (void)state;
    assert_status(UF_OK, uf_remove_many(filter, keys.key, OUT, NULL, NULL), NULL);
    assert_same_bytes(filter, rest, "removed, and never inserted");
    assert_status(UF_OK, uf_merge(filter, other, NULL), NULL);
    assert_same_bytes(filter, both, "the removed keys merged back");
    uf_free(filter);
    uf_free(rest);
    uf_free(other);
    uf_free(both);
    keys_free(&keys);
}

/* Sums of counters stop at 15, each on its own: 13 + 2 = 15 and 14 + 14 = 15 beside 1 + 1 = 2. */
static void test_counting_union(void **state)
{
    static const struct {
        const char *key;
        int a, b;
    } copies[] = {{"a", 1, 1}, {"b", 14, 14}, {"c", 13, 1}, {"d", 13, 2}, {"e", 0, 3}, {"f", 15, 15}};
    uf_filter *a = build("counting:n=100,k=3,seed=0x1", NULL, 0, NULL);
    uf_filter *b = build("counting:n=100,k=3,seed=0x1", NULL, 0, NULL);
    uf_info info;
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        for (int copy = 0; copy < copies[i].a; copy++)
            (void)put(a, copies[i].key);
        for (int copy = 0; copy < copies[i].b; copy++)
            (void)put(b, copies[i].key);
    }
    assert_status(UF_OK, uf_merge(a, b, NULL), NULL);
    uf_get_info(a, &info, sizeof info);
    assert_true(info.saturated == 9); /* of b, d and f */
    for (size_t i = 0; i < 6; i++) {
        int sum = copies[i].a + copies[i].b;
        for (int copy = 0; sum < 15 && copy < sum; copy++)
            assert_status(UF_OK, take(a, copies[i].key), NULL);
        assert_status(sum < 15 ? UF_EABSENT : UF_ESTUCK, take(a, copies[i].key), NULL);
    }
    uf_free(a);
    uf_free(b);
}

/* A second copy marks every bit of a key as shared: it stays, and taking it out is refused each time. */
static void test_deletable_duplicates(void **state)
{
    uf_filter *filter = build("deletable:n=100,seed=0x1", NULL, 0, NULL);
    (void)state;
    assert_status(UF_OK, put(filter, "a"), NULL);
    assert_status(UF_OK, take(filter, "a"), NULL);
    assert_int_equal(answer(filter, "a"), 0);
    assert_status(UF_EABSENT, take(filter, "a"), NULL);
    assert_status(UF_OK, put(filter, "a"), NULL); /* it may come back */
    assert_int_equal(answer(filter, "a"), 1);
    assert_status(UF_OK, put(filter, "a"), NULL);
    struct bytes before = bytes_of(filter, UF_FORMAT_UF);
    for (int copy = 0; copy < 3; copy++)
        assert_status(UF_ESTUCK, take(filter, "a"), NULL);
    assert_int_equal(answer(filter, "a"), 1);
    assert_unchanged(&before, filter);
    bytes_free(&before);
    uf_free(filter);
}

/* Keys of both sides are there twice: they stay, the others can go, and nobody else is lost. */
static void test_deletable_union(void **state)
{
    struct keys keys = keys_make("key", COUNT);
    uf_filter *a = build("deletable:n=1000,region=1,seed=0x1", keys.key, 600, NULL);
    uf_filter *b = build("deletable:n=1000,region=1,seed=0x1", keys.key + 400, 600, NULL);
    size_t gone = 0;
    (void)state;
    (void)uf_remove_many(b, keys.key + 900, 50, NULL, NULL);
    assert_status(UF_OK, uf_merge(a, b, NULL), NULL);
    for (size_t i = 400; i < 600; i++)
        assert_status(UF_ESTUCK, uf_remove(a, keys.key[i], NULL), NULL);
    for (size_t i = 0; i < 400; i++)
        gone += uf_remove(a, keys.key[i], NULL) == UF_OK;
    assert_true(gone > 300);
    for (size_t i = 400; i < COUNT; i++)
        assert_true(uf_query(a, keys.key[i]) || (i >= 900 && i < 950));
    uf_free(a);
    uf_free(b);
    keys_free(&keys);
}

/* One removal ends all copies, and there is no way back. */
static void test_tombstone_duplicates(void **state)
{
    uf_filter *filter = build("tombstone:n=100,seed=0x1", NULL, 0, NULL);
    const uf_key three[] = {{"b", 1}, {"a", 1}, {"c", 1}};
    uf_info info;
    (void)state;
    assert_status(UF_OK, put(filter, "a"), NULL);
    assert_status(UF_OK, put(filter, "a"), NULL);
    assert_status(UF_OK, take(filter, "a"), NULL);
    assert_int_equal(answer(filter, "a"), 0);
    struct bytes before = bytes_of(filter, UF_FORMAT_UF);
    assert_status(UF_EABSENT, take(filter, "a"), NULL);
    assert_status(UF_ESTUCK, put(filter, "a"), NULL);
    assert_unchanged(&before, filter);
    assert_status(UF_ESTUCK, uf_insert_many(filter, three, 3, NULL), NULL);
    assert_true(answer(filter, "b") && !answer(filter, "a") && answer(filter, "c"));
    uf_get_info(filter, &info, sizeof info);
    assert_true(fabs(info.removed_estimate - 1) < 0.01 && fabs(info.count_estimate - 2) < 0.02 && info.fnr_now < 1e-9);
    bytes_free(&before);
    uf_free(filter);
}

/* Removed on one side is removed on both, whoever is merged into whom. */
static void test_tombstone_union(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        uf_filter *a = build("tombstone:n=100,seed=0x1", NULL, 0, NULL);
        uf_filter *b = build("tombstone:n=100,seed=0x1", NULL, 0, NULL);
        (void)put(a, "both"), (void)put(a, "gone"), (void)put(a, "mine");
        (void)put(b, "both"), (void)put(b, "gone"), (void)put(b, "yours");
        assert_status(UF_OK, take(b, "gone"), NULL);
        uf_filter *into = turn ? a : b;
        assert_status(UF_OK, uf_merge(into, turn ? b : a, NULL), NULL);
        assert_true(answer(into, "both") && answer(into, "mine") && answer(into, "yours") && !answer(into, "gone"));
        uf_free(a);
        uf_free(b);
    }
}

/* A filter that refuses removals takes no more of them by way of a union: neither planned ones twice, nor from a filter
 * that takes all it gets. */
static void test_tombstone_union_refuses(void **state)
{
    static const char *const spec = "keyed(tombstone:n=2000,fpr=0.01,removed=100,fnr=0.01,seed=0x1%s)";
    struct keys keys = keys_make("key", 1300);
    (void)state;
    for (unsigned turn = 0; turn < 2; turn++) {
        char text[128], from[128];
        uf_claim claim;
        uf_info info;
        uf_error why;
        (void)snprintf(text, sizeof text, spec, "");
        (void)snprintf(from, sizeof from, spec, turn ? ",full=warn" : "");
        uf_filter *filter = build(text, keys.key, 1000, NULL), *other = build(from, keys.key + 1000, 300, NULL);
        (void)uf_remove_many(filter, keys.key, turn ? 0 : 100, NULL, NULL);
        (void)uf_remove_many(other, keys.key + 1000, turn ? 300 : 100, NULL, NULL);
        uf_get_claim(filter, &claim, sizeof claim);
        struct bytes before = bytes_of(filter, UF_FORMAT_UF);
        assert_refused(UF_EFULL, uf_merge(filter, other, &why), &why);
        assert_unchanged(&before, filter);
        uf_get_info(filter, &info, sizeof info);
        assert_true(info.fnr_now <= claim.adversarial_fnr);
        bytes_free(&before);
        uf_free(filter);
        uf_free(other);
    }
    keys_free(&keys);
}

/* Strangers remove what they find, until nothing is taken any more; returns how many they removed. */
static unsigned remove_strangers(uf_filter *filter, unsigned from)
{
    unsigned removed = 0;
    char text[32];
    for (unsigned i = from; i < from + 400000; i++) {
        (void)snprintf(text, sizeof text, "stranger-%u", i);
        int status = take(filter, text);
        removed += status == UF_OK;
        if (status == UF_EFULL)
            break;
    }
    return removed;
}

static void check_most_removed(unsigned n, const struct keys *keys)
{
    char spec[128];
    uf_info info;
    uf_claim claim;
    uf_error why = {0, 0, ""};
    (void)snprintf(spec, sizeof spec, "keyed(tombstone:n=%u,fpr=0.05,removed=%u,fnr=0.01)", 2 * n, n);
    uf_filter *filter = build(spec, keys->key, 2 * n, NULL);
    for (unsigned i = 0; i < n; i++) { /* as many as planned: all of them, but for members that are hidden already */
        int status = uf_remove(filter, keys->key[i], &why);
        assert_that(status == UF_OK || status == UF_EABSENT, "%s", why.text);
    }
    uf_get_claim(filter, &claim, sizeof claim);
    unsigned more = remove_strangers(filter, 0);
    for (unsigned fits = 1; fits;) /* those that need a cell or two less */
        for (unsigned i = fits = 0; i < n; i++)
            fits += uf_remove(filter, keys->key[n + i], NULL) == UF_OK;
    struct bytes before = bytes_of(filter, UF_FORMAT_UF);
    for (unsigned i = n; i < 2 * n; i++)
        assert_true(uf_remove(filter, keys->key[i], &why) != UF_OK && why.text[0]);
    assert_unchanged(&before, filter);
    uf_get_info(filter, &info, sizeof info);
    assert_that(info.fnr_now <= claim.adversarial_fnr, "n = %u: %g are hidden, %g are claimed", n, info.fnr_now,
                claim.adversarial_fnr);
    assert_that(more < 3 * n / 4 + 5, "n = %u: %u more were removed", n, more);
    uf_free(filter);
    bytes_free(&before);
}

/* With full=refuse removals end where they were planned to, also when strangers find keys to remove; and after a
 * reload. With full=warn they do not, which is the control. */
static void test_tombstone_refuses(void **state)
{
    struct keys keys = keys_make("key", 2 * COUNT);
    uf_info info;
    uf_claim claim;
    uf_error why = {0, 0, ""};
    (void)state;
    for (unsigned n = 1; n <= COUNT; n *= 10)
        for (unsigned repeat = 0; repeat < (n < COUNT ? 20 : 2); repeat++)
            check_most_removed(n, &keys);
    uf_filter *filter = build("keyed(tombstone:n=200,fpr=0.05,removed=100,fnr=0.01)", keys.key, 200, NULL), *loaded;
    uf_get_claim(filter, &claim, sizeof claim);
    (void)remove_strangers(filter, 0);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_context ctx = secret_context();
    assert_status(UF_OK, uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
    (void)remove_strangers(loaded, 1000000); /* one that needs few cells may still fit */
    uf_get_info(loaded, &info, sizeof info);
    assert_true(info.fnr_now <= claim.adversarial_fnr);
    uf_free(loaded);
    uf_free(filter);
    bytes_free(&bytes);
    filter = build("keyed(tombstone:n=200,fpr=0.05,removed=100,fnr=0.01,full=warn)", keys.key, 200, NULL);
    (void)remove_strangers(filter, 0);
    uf_get_info(filter, &info, sizeof info);
    assert_that(info.fnr_now > 5 * claim.adversarial_fnr, "only %g are hidden", info.fnr_now);
    uf_get_claim(filter, &claim, sizeof claim);
    assert_true(isnan(claim.adversarial_fnr) && !(claim.fnr_against & UF_AGAINST_OWN_REMOVALS));
    uf_free(filter);
    keys_free(&keys);
}

/* What hides members, step by step: a removed key is taken for a member again, and is removed once more. */
static void test_removed_twice(void **state)
{
    static const char *const specs[] = {"counting:n=1000,fpr=0.2", "deletable:n=1000,fpr=0.2"};
    struct keys keys = keys_make("key", COUNT), others = keys_make("other", COUNT);
    uint8_t answers[COUNT];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uf_filter *filter = build(specs[i], keys.key, COUNT, NULL);
        (void)uf_remove_many(filter, keys.key, COUNT, NULL, NULL);
        (void)uf_insert_many(filter, others.key, COUNT, NULL);
        assert_int_equal(keys_found(filter, &others), COUNT); /* while members alone were removed */
        (void)uf_remove_many(filter, keys.key, COUNT, answers, NULL);
        assert_that(keys_found(filter, &others) < COUNT, "%s: no member is missed", specs[i]);
        uf_free(filter);
    }
    keys_free(&keys);
    keys_free(&others);
}

int main(void)
{
    const struct check checks[] = {
        {"who cannot remove says so", check_refusal},
        {"what stays is found", check_half_way},
        {"remove, remove_many and remove_fixed agree", check_all_ways_to_remove},
        {"saved and loaded", check_saved},
        {"not while shared", check_not_shared},
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counting_duplicates), cmocka_unit_test(test_counting_counts),
        cmocka_unit_test(test_counting_full),       cmocka_unit_test(test_counting_forgets),
        cmocka_unit_test(test_counting_union),      cmocka_unit_test(test_deletable_duplicates),
        cmocka_unit_test(test_deletable_union),     cmocka_unit_test(test_tombstone_duplicates),
        cmocka_unit_test(test_tombstone_union),     cmocka_unit_test(test_tombstone_union_refuses),
        cmocka_unit_test(test_tombstone_refuses),   cmocka_unit_test(test_removed_twice),
    };
    int failed = subjects_run("remove", checks, sizeof checks / sizeof checks[0]);
    return failed + cmocka_run_group_tests_name("remove, kind by kind", tests, NULL, NULL);
}
