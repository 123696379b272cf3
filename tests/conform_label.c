/* SPDX-License-Identifier: MIT */
/*
 * Labels of releases, through the public header only and on every way to a private filter: kinds, keyed kinds, copies
 * of exact filters, released sets, learned filters of those. The same label again is the same bytes; another label has
 * nothing to do with it, even for the same set; without a label every release is another.
 *
 * What it is for: whoever sees two releases of the histories (S, S) and (S, S + x) must not tell them apart. Equal
 * bytes would. The control is the rule without labels, one stream for each set, under which such a person is always
 * right.
 */
#define UF_EXPERIMENTAL /* uf_distance */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "keys.h"
#include "secrets.h"
#include "subjects.h"

enum { KEYS = 60, LABELS = 12 };

/* ---- the ways to a private filter ---- */

struct way {
    const char *name, *spec; /* of the filter that is made; of copies, how */
    const char *exact;       /* the filter that is copied; NULL: none */
    const char *release;     /* how a set is released; NULL: none */
};

static const struct way ways[] = {
    {"dpset", "dpset:n=100,epsilon=3", NULL, NULL},
    {"dpset, counted", "dpset:epsilon=3,count_epsilon=1", NULL, NULL},
    {"dpset, integer, with a seed", "dpset:n=100,epsilon=3,variant=integer,seed=0x7", NULL, NULL},
    {"keyed dpset", "keyed(dpset:n=100,epsilon=3)", NULL, NULL},
    {"ultra", "ultra:n=100,epsilon=3", NULL, NULL},
    {"ultra, counted", "ultra:epsilon=3,count_epsilon=1", NULL, NULL},
    {"ultra, published", "ultra:n=100,epsilon=3,mechanism=published", NULL, NULL},
    {"keyed ultra", "keyed(ultra:n=100,epsilon=3)", NULL, NULL},
    {"copy", "ultra:epsilon=3", "bloom:n=100,seed=0x1", NULL},
    {"copy of a keyed filter", "ultra:epsilon=3", "keyed(bloom:n=100,seed=0x1)", NULL},
    {"dime, ribbon", "ribbon:fpr=0.01", NULL, "dime:epsilon=3"},
    {"dime, blocked", "blocked:fpr=0.01", NULL, "dime:epsilon=3"},
    {"dime, keyed", "keyed(bloom:fpr=0.01)", NULL, "dime:epsilon=3"},
    {"dime, learned", "partition:fpr=0.01", NULL, "dime:epsilon=3"},
    {"nickel, bloom", "bloom:fpr=0.01", NULL, "nickel:epsilon=3"},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static struct keys members; /* "2", "4", ...; the last is x */

static int make_members(void **state)
{
    static char text[KEYS + 1][8];
    (void)state;
    members = keys_make("", KEYS + 1);
    for (size_t i = 0; i < members.count; i++)
        members.key[i] = (uf_key){text[i], (size_t)sprintf(text[i], "%zu", 2 * i + 2)};
    return 0;
}

static int free_members(void **state)
{
    (void)state;
    keys_free(&members);
    return 0;
}

static uf_filter *copy_of_exact(const struct way *way, size_t count, const uf_context *ctx)
{
    uf_spec how = spec_of(way->spec);
    uf_filter *exact = build(way->exact, members.key, count, NULL), *copy = NULL;
    uf_error why;
    assert_status(UF_OK, uf_release(exact, &how, ctx, &copy, &why), &why);
    uf_free(exact);
    return copy;
}

static uf_filter *of_released_set(const struct way *way, size_t count, const uf_context *ctx)
{
    uf_spec spec = spec_of(way->spec);
    uf_universe *universe;
    uf_set *set, *released;
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, uf_universe_parse("range:1-400", NULL, &universe, &why), &why);
    assert_status(UF_OK, uf_set_new(universe, NULL, &set, &why), &why);
    assert_status(UF_OK, uf_set_add(set, members.key, count, &why), &why);
    assert_status(UF_OK, uf_set_release(set, way->release, ctx, &released, &why), &why);
    assert_status(UF_OK, uf_build_set(&spec, released, ctx, &filter, &why), &why);
    uf_set_free(released);
    uf_set_free(set);
    uf_universe_free(universe);
    return filter;
}

/* The first `count` members on this way. A keyed filter needs the key; the label is the caller's. */
static uf_filter *filter_of(const struct way *way, size_t count, const uf_context *given)
{
    uf_context ctx = *given;
    ctx.learning = subject_learning();
    if (!ctx.secret)
        ctx.secret = subject_secret(way->spec);
    if (way->exact)
        return copy_of_exact(way, count, &ctx);
    return way->release ? of_released_set(way, count, &ctx) : build(way->spec, members.key, count, &ctx);
}

static struct bytes release_of(const struct way *way, size_t count, const uf_context *ctx)
{
    uf_filter *filter = filter_of(way, count, ctx);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_free(filter);
    return bytes;
}

static uf_context labelled(const char *label)
{
    uf_context ctx = secret_context();
    ctx.label = label;
    return ctx;
}

static int equal_releases(const struct way *way, size_t count, const uf_context *one, size_t other_count,
                          const uf_context *other)
{
    struct bytes a = release_of(way, count, one), b = release_of(way, other_count, other);
    int equal = bytes_equal(&a, &b);
    bytes_free(&a);
    bytes_free(&b);
    return equal;
}

/* ---- the rule ---- */

static void test_the_same_label_a_hundred_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        uf_context ctx = labelled("spring");
        struct bytes first = release_of(&ways[i], KEYS, &ctx);
        for (int times = 1; times < (test_small() ? 5 : 100); times++) {
            ctx.threads = times % 3 == 0 ? 2 : 1;
            struct bytes again = release_of(&ways[i], KEYS, &ctx);
            assert_that(bytes_equal(&first, &again), "%s: other bytes with the same label", ways[i].name);
            bytes_free(&again);
        }
        bytes_free(&first);
    }
}

static void test_fresh_coins_without_a_label(void **state)
{
    uf_context keyed = secret_context(), plain = UF_CONTEXT_INIT, ctx = labelled("spring");
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        assert_that(!equal_releases(&ways[i], KEYS, &keyed, KEYS, &keyed), "%s: a key alone", ways[i].name);
        assert_that(!equal_releases(&ways[i], KEYS, &plain, KEYS, &plain), "%s: no key", ways[i].name);
        assert_that(!equal_releases(&ways[i], KEYS, &keyed, KEYS, &ctx), "%s: with and without", ways[i].name);
    }
}

static int is_marked(const uf_filter *filter)
{
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    return !strncmp(claim.adversary, "nobody", 6);
}

/* A key alone does not replace the randomness of tests, which a file says it was made with. */
static void test_a_key_alone_hides_no_test_randomness(void **state)
{
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        uint64_t seed = 5;
        uf_context ctx = seeded_context(&seed);
        ctx.secret = secret_number(0);
        uf_filter *tested = filter_of(&ways[i], KEYS, &ctx);
        ctx.label = "spring";
        uf_filter *real = filter_of(&ways[i], KEYS, &ctx);
        assert_that(is_marked(tested) && !is_marked(real), "%s is marked %d and %d", ways[i].name, is_marked(tested),
                    is_marked(real));
        uf_free(tested);
        uf_free(real);
    }
}

/* ---- two releases ---- */

/* How often two releases are equal, of a set that stays and of one that gets x. */
struct seen {
    unsigned unchanged, changed;
};

static struct seen equal_pairs(const struct way *way, const char *first, const char *format)
{
    struct seen seen = {0, 0};
    uf_context one = labelled(first);
    struct bytes before = release_of(way, KEYS, &one);
    for (unsigned i = 0; i < LABELS; i++) {
        char label[UF_LABEL_SIZE];
        (void)snprintf(label, sizeof label, format, i);
        uf_context other = labelled(label);
        struct bytes same = release_of(way, KEYS, &other), more = release_of(way, KEYS + 1, &other);
        seen.unchanged += (unsigned)bytes_equal(&before, &same);
        seen.changed += (unsigned)bytes_equal(&before, &more);
        bytes_free(&same);
        bytes_free(&more);
    }
    bytes_free(&before);
    return seen;
}

static void test_equality_tells_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        struct seen seen = equal_pairs(&ways[i], "spring", "release-%u");
        assert_that(!seen.unchanged && !seen.changed, "%s: %u and %u of %d pairs are equal", ways[i].name,
                    seen.unchanged, seen.changed, LABELS);
        struct seen control = equal_pairs(&ways[i], "spring", "spring"); /* one stream for each set */
        assert_that(control.unchanged == LABELS && !control.changed, "%s: the control sees %u and %u", ways[i].name,
                    control.unchanged, control.changed);
    }
}

/* Copies of an exact filter have its seed, so their bits can be compared one by one: two releases differ as two
 * independent ones do, 2 q (1 - q) of 2^16 bits, whether the set changed by one key or not. 4 sigma; the controls are
 * the same label, which differs in none, and the rate of one release, q. */
static void test_copies_are_independent(void **state)
{
    const double bits = 65536, q = 1 / (1 + exp(1)), rate = 2 * q * (1 - q), sigma = sqrt(bits * rate * (1 - rate));
    const struct way way = {"copy", "ultra:epsilon=1", "bloom:n=5000,bits=65536,k=1,seed=0x1", NULL};
    uf_context spring = labelled("spring"), autumn = labelled("autumn");
    uf_filter *copy[] = {filter_of(&way, KEYS, &spring), filter_of(&way, KEYS, &spring), filter_of(&way, KEYS, &autumn),
                         filter_of(&way, KEYS + 1, &autumn)};
    (void)state;
    for (size_t i = 1; i < 4; i++) {
        uint64_t far = 0;
        assert_status(UF_OK, uf_distance(copy[0], copy[i], &far), NULL);
        int apart = fabs((double)far - bits * rate) < 4 * sigma;
        assert_that(apart == (i > 1) && (i > 1 || far == 0), "%llu bits differ", (unsigned long long)far);
        assert_true(fabs((double)far - bits * q) > 10 * sigma);
    }
    for (size_t i = 0; i < 4; i++)
        uf_free(copy[i]);
}

/* ---- what a label may be ---- */

static void test_labels_that_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      " ",
                                      "two words",
                                      "tab\t",
                                      "line\n",
                                      "\x7f",
                                      "0123456789012345678901234567890123456789012345678901234567890123"};
    uf_spec spec = spec_of("dpset:n=100,epsilon=3");
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uf_context ctx = labelled(bad[i]);
        assert_refused(UF_EINVAL, uf_build(&spec, members.key, KEYS, &ctx, &filter, &why), &why);
        assert_non_null(strstr(why.text, "label"));
    }
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.label = "spring";
    assert_refused(UF_EKEY, uf_build(&spec, members.key, KEYS, &ctx, &filter, &why), &why);
    assert_non_null(strstr(why.text, "spring"));
    spec = spec_of("dpset:n=100,epsilon=3,seed=derived");
    ctx = secret_context();
    assert_refused(UF_EINVAL, uf_build(&spec, members.key, KEYS, &ctx, &filter, &why), &why);
    assert_non_null(strstr(why.text, "label"));
    assert_null(filter);
    uf_context longest = labelled("012345678901234567890123456789012345678901234567890123456789012"),
               foreign = labelled("\xc3\xa9t\xc3\xa9/2024");
    assert_true(!equal_releases(&ways[0], KEYS, &longest, KEYS, &foreign));
}

/* It is not in the file, and does nothing to filters that are not private. */
static void test_where_a_label_is_not(void **state)
{
    static const char label[] = "label-that-should-not-be-seen";
    uf_context ctx = labelled(label);
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        struct bytes bytes = release_of(&ways[i], KEYS, &ctx);
        assert_null(memmem(bytes.data, bytes.size, label, sizeof label - 1));
        bytes_free(&bytes);
    }
    uf_context other = labelled("other"), none = secret_context();
    uf_filter *a = build("bloom:n=100,seed=derived", members.key, KEYS, &ctx);
    uf_filter *b = build("bloom:n=100,seed=derived", members.key, KEYS, &other);
    uf_filter *c = build("bloom:n=100,seed=derived", members.key, KEYS, &none);
    assert_same_bytes(a, b, "an exact filter with two labels");
    assert_same_bytes(a, c, "an exact filter with and without a label");
    uf_free(a);
    uf_free(b);
    uf_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_label_a_hundred_times),
        cmocka_unit_test(test_fresh_coins_without_a_label),
        cmocka_unit_test(test_a_key_alone_hides_no_test_randomness),
        cmocka_unit_test(test_equality_tells_nothing),
        cmocka_unit_test(test_copies_are_independent),
        cmocka_unit_test(test_labels_that_are_refused),
        cmocka_unit_test(test_where_a_label_is_not),
    };
    return cmocka_run_group_tests_name("labels", tests, make_members, free_members);
}
