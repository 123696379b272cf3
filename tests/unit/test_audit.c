/* SPDX-License-Identifier: MIT */
/*
 * lab/audit and what it stands on: streams and trials that do not depend on threads; bounds with known values; how
 * often a bound claims more than the truth, with the estimate that has no error bar as the control; and a mechanism
 * with its noise halved, which must be caught.
 */
#include <math.h>

#include "audit.h"
#include "check.h"
#include "random.h"

static void close_to(double got, double want, double error)
{
    assert_that(fabs(got - want) <= error, "%.12g and not %.12g", got, want);
}

/* ---- streams and trials ---- */

static void test_streams(void **state)
{
    struct stream_seed seed = {1, 17};
    struct stream a, b, c;
    unsigned char bytes[11], again[11];
    (void)state;
    assert_int_equal(0, stream_open(&a, seed, 5));
    assert_int_equal(0, stream_open(&b, seed, 5));
    assert_int_equal(0, stream_open(&c, seed, 6));
    assert_int_equal(0, stream_fill(&a, bytes, sizeof bytes));
    uint64_t first = stream_next(&b);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(bytes[i], first >> 8 * i & 255);
    assert_int_equal(0, stream_fill(&c, again, sizeof again));
    assert_memory_not_equal(bytes, again, sizeof bytes);
    assert_int_equal(0, stream_open(&a, (struct stream_seed){0, 0}, 5));
    assert_int_equal(0, stream_open(&b, (struct stream_seed){0, 0}, 5));
    assert_that(a.state != b.state, "the system gave the same stream twice");
}

struct sum {
    uint64_t calls, words; /* atomic; the sum of each trial's first random word */
    uint64_t fails_at;
};

static int add_word(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct sum *sum = arg;
    uint64_t word;
    if (number == sum->fails_at) {
        strcpy(why->text, "asked to");
        return UF_EIO;
    }
    if (ctx->random(ctx->random_arg, &word, sizeof word))
        return UF_ERANDOM;
    __atomic_fetch_add(&sum->calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->words, word ^ number, __ATOMIC_RELAXED);
    return UF_OK;
}

static int stop_half_way(void *arg, uint64_t done, uint64_t total)
{
    (void)arg;
    return done >= total / 2;
}

static void test_trials(void **state)
{
    struct trials trials = {.count = 1000, .threads = 1, .seed = {1, 3}};
    struct sum one = {.fails_at = UINT64_MAX}, four = one, failing = {.fails_at = 500};
    uf_error why = {0};
    (void)state;
    assert_status(UF_OK, trials_run(&trials, add_word, &one, &why), &why);
    trials.threads = 4;
    assert_status(UF_OK, trials_run(&trials, add_word, &four, &why), &why);
    assert_int_equal(1000, one.calls);
    assert_that(one.calls == four.calls && one.words == four.words, "the number of threads matters");
    assert_status(UF_EIO, trials_run(&trials, add_word, &failing, &why), &why);
    assert_string_equal("asked to", why.text);
    assert_that(failing.calls < 1000, "went on after a failure");
    trials.progress = stop_half_way;
    assert_status(UF_ECANCELED, trials_run(&trials, add_word, &four, &why), &why);
}

/* ---- bounds ---- */

/* Ends of the intervals from interval.h, which has its own test; the logarithms by hand. */
static void test_bounds(void **state)
{
    struct audit_worlds sure = {.trials = 1000, .with = 1000, .without = 0}, none = {.trials = 1000},
                        equal = {.trials = 1000, .with = 300, .without = 300}, tenth = {.trials = 10, .with = 5};
    (void)state;
    audit_compare(&sure, 0.95);
    close_to(sure.epsilon, log(pow(0.025, 0.001) / (1 - pow(0.025, 0.001))), 1e-9);
    close_to(sure.accepted, sure.rejected, 1e-9);
    audit_compare(&none, 0.95);
    assert_true(none.epsilon == 0 && none.accepted == 0 && none.rejected == 0);
    audit_compare(&equal, 0.95);
    assert_true(equal.epsilon == 0);
    audit_compare(&tenth, 0.95);
    close_to(tenth.with_rate.low, 0.1870860, 1e-7);
    close_to(tenth.without_rate.high, 0.3084971, 1e-7);
    assert_true(tenth.epsilon == 0);
    assert_true(audit_guesses(500, 1000, 0.95) == 0);
    close_to(audit_guesses(1000, 1000, 0.95), log(pow(0.05, 0.001) / (1 - pow(0.05, 0.001))), 1e-9);
}

static uint64_t coins(uint64_t *state, uint64_t count, double chance)
{
    uint64_t heads = 0;
    for (uint64_t i = 0; i < count; i++)
        heads += (double)(next_random(state) >> 11) * 0x1p-53 < chance;
    return heads;
}

/* 1000 audits of 500 trials each at epsilon 1. A bound above 1 may come in 5 % of them: 50, and 3 standard deviations
 * are
 * 21. Without the error bar it comes in about 60 %. One run likewise. */
static void test_coverage(void **state)
{
    enum { AUDITS = 1000, TRIALS = 500 };
    uint64_t random = 11;
    unsigned above = 0, bare = 0, once = 0, once_bare = 0;
    double p = exp(1) / (1 + exp(1));
    (void)state;
    for (unsigned i = 0; i < AUDITS; i++) {
        struct audit_worlds worlds = {.trials = TRIALS};
        worlds.with = coins(&random, TRIALS, p);
        worlds.without = coins(&random, TRIALS, 1 - p);
        double with = (double)worlds.with / TRIALS, without = (double)worlds.without / TRIALS;
        audit_compare(&worlds, 0.95);
        above += worlds.epsilon > 1;
        bare += fmax(log(with / without), log((1 - without) / (1 - with))) > 1;
        uint64_t right = coins(&random, TRIALS, p);
        once += audit_guesses(right, TRIALS, 0.95) > 1;
        once_bare += (double)right / TRIALS > p;
    }
    assert_that(above <= 71 && once <= 71, "%u and %u bounds of 1000 above the truth", above, once);
    assert_that(bare > 300 && once_bare > 300, "the control passed: %u and %u of 1000", bare, once_bare);
}

/* ---- mechanisms ---- */

static struct subject subject_of(const char *text)
{
    struct subject subject;
    uf_error why;
    assert_status(UF_OK, subject_parse(text, &subject, &why), &why);
    return subject;
}

/* 4000 filters in each world: at epsilon 1 the bound is 0.93 with a standard deviation of 0.03. */
static void check_worlds(const char *spec, size_t base, double low, double high)
{
    struct subject subject = subject_of(spec);
    struct audit audit = {&subject, {.count = 4000, .threads = 2, .seed = {1, 8}}, base, 0, 0.95};
    struct audit_worlds worlds;
    uf_error why;
    assert_status(UF_OK, audit_two_worlds(&audit, &worlds, &why), &why);
    assert_that(worlds.epsilon >= low && worlds.epsilon <= high, "%s: %.4f", spec, worlds.epsilon);
}

static void test_two_worlds(void **state)
{
    (void)state;
    check_worlds("dpset:n=100,epsilon=1", 0, 0.84, 1);
    check_worlds("dpset:n=100,epsilon=1", 20, 0.84, 1);
    check_worlds("ultra:n=100,epsilon=1", 0, 0.84, 1);
    /* Controls: half of the noise, noise on ones only, none at all. */
    check_worlds("dpset:n=100,epsilon=2", 0, 1.6, 2);
    check_worlds("ultra:n=100,epsilon=1,mechanism=published", 0, 5, 8);
    check_worlds("bloom:n=100,fpr=0.01", 0, 5, 8);
}

static void test_releases(void **state)
{
    uf_universe *universe;
    uf_error why;
    struct audit_worlds worlds;
    struct subject subject = {.release = "dime:epsilon=1"};
    struct audit audit = {&subject, {.count = 4000, .threads = 2, .seed = {1, 8}}, 3, 0, 0.95};
    (void)state;
    assert_status(UF_OK, uf_universe_parse("range:1-10", NULL, &universe, &why), &why);
    subject.universe = universe;
    assert_status(UF_OK, audit_two_worlds(&audit, &worlds, &why), &why);
    assert_that(worlds.epsilon >= 0.84 && worlds.epsilon <= 1, "dime: %.4f", worlds.epsilon);
    subject.release = "nickel:epsilon=1";
    assert_status(UF_OK, audit_two_worlds(&audit, &worlds, &why), &why);
    assert_that(worlds.accepted >= 0.84 && worlds.accepted <= 1, "nickel, presence: %.4f", worlds.accepted);
    assert_that(worlds.rejected > 5, "nickel, absence: %.4f", worlds.rejected);
    subject.release = "dime:epsilon=100";
    assert_status(UF_EINVAL, audit_two_worlds(&audit, &worlds, &why), &why);
    assert_non_null(strstr(why.text, "epsilon"));
    uf_universe_free(universe);
}

/* 40,000 canaries: at epsilon 1 the bound is 0.98 with a standard deviation of 0.01, and 0.94 of the 0.96 that
 * collisions leave at 32 bits per key. */
static void check_run(const char *spec, double low, double high, double most)
{
    struct subject subject = subject_of(spec);
    struct audit audit = {&subject, {.threads = 2, .seed = {1, 8}}, 10, 40000, 0.95};
    struct audit_run run;
    uf_error why;
    assert_status(UF_OK, audit_one_run(&audit, &run, &why), &why);
    assert_that(run.epsilon >= low && run.epsilon <= high, "%s: %.4f", spec, run.epsilon);
    close_to(run.most, most, 0.003);
}

static void test_one_run(void **state)
{
    (void)state;
    check_run("dpset:n=40010,epsilon=1", 0.95, 1, 1);
    check_run("ultra:n=40010,epsilon=1,bits=3e7", 0.95, 1, 1);
    check_run("ultra:n=40010,epsilon=1", 0.91, 0.98, 0.9636);
    check_run("ultra:n=40010,epsilon=1,mechanism=published", 1.6, 1.9, 1.7684);
}

static void test_claims(void **state)
{
    struct subject private = subject_of("dpset:n=100,epsilon=1"), open = subject_of("bloom:n=100,fpr=0.01");
    double epsilon = 0;
    uf_error why;
    (void)state;
    assert_status(UF_OK, audit_claim(&private, &epsilon, &why), &why);
    close_to(epsilon, 1, 1e-6);
    assert_status(UF_OK, audit_claim(&open, &epsilon, &why), &why);
    assert_true(isnan(epsilon));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),  cmocka_unit_test(test_trials),     cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_coverage), cmocka_unit_test(test_two_worlds), cmocka_unit_test(test_releases),
        cmocka_unit_test(test_one_run),  cmocka_unit_test(test_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
