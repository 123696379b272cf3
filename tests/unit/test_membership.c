/* SPDX-License-Identifier: MIT */
/*
 * lab/membership and lab/adversary: a keyed filter is won at its design rate (99.9 % confidence, fixed seeds), and so
 * is an unkeyed one whose file nobody has; whoever has the key, the file of an unkeyed one, or a public hash wins 99 %
 * and more, whichever adversary plays. So the adversaries are strong enough for their defeats to mean something.
 */
#include <math.h>

#include "adversary.h"
#include "check.h"
#include "games.h"
#include "interval.h"

static struct game_request request_of(enum target_id target, enum game_key key, uint64_t trials)
{
    return (struct game_request){.members = 200,
                                 .trials = trials,
                                 .target = target,
                                 .kind = "bloom",
                                 .fpr = 0.02,
                                 .queries = 200,
                                 .key = key,
                                 .threads = 1,
                                 .seed = {1, 21}};
}

static struct game_result play(const char *name, const struct game_request *request)
{
    struct game_result result;
    uf_error why;
    const struct game *game = game_find(name);
    assert_non_null(game);
    assert_int_equal(game->family, GAME_MEMBERSHIP);
    assert_status(UF_OK, game->play(request, &result, &why), &why);
    assert_int_equal(result.figures, 1 + ADVERSARIES);
    return result;
}

static double rate(const struct game_figure *figure)
{
    return (double)figure->wins / (double)figure->trials;
}

/* Each at the design rate; all together so that three quarters more would be noticed. */
static void check_held(const char *name, enum target_id target)
{
    struct game_request request = request_of(target, GAME_SECRET_KEY, 1500);
    struct game_result result = play(name, &request);
    for (size_t i = 0; i < result.figures; i++) {
        const struct game_figure *figure = &result.figure[i];
        struct interval interval = interval_exact(figure->wins, figure->trials, 0.999);
        assert_that(interval.low <= figure->design && figure->design <= interval.high, "game %s, %s: %.4f", name,
                    figure->metric, rate(figure));
        assert_that(i || interval.high < 1.75 * figure->design, "game %s: too few games", name);
    }
}

static void check_won(const char *name, enum target_id target, enum game_key key)
{
    struct game_request request = request_of(target, key, 200);
    struct game_result result = play(name, &request);
    for (size_t i = 0; i < result.figures; i++)
        assert_that(rate(&result.figure[i]) >= 0.99, "game %s, target %s, %s: %.4f", name, target_name(target),
                    result.figure[i].metric, rate(&result.figure[i]));
}

static void test_held(void **state)
{
    (void)state;
    check_held("1", TARGET_KEYED);
    check_held("2", TARGET_KEYED);
    check_held("1", TARGET_UNKEYED); /* its seed is not known */
}

/* A filter that takes the adversary's inserts is won at what it claims at most, which is more than what it is planned
 * for; whoever has the key wins. */
static void test_unsteady(void **state)
{
    struct game_request request = request_of(TARGET_KEYED, GAME_SECRET_KEY, 300);
    struct game_result result = play("unsteady", &request);
    (void)state;
    assert_true(result.figure[0].design > 0.02 && result.figure[0].design < 0.08);
    for (size_t i = 0; i < result.figures; i++)
        assert_true(interval_exact(result.figure[i].wins, result.figure[i].trials, 0.999).low <=
                    result.figure[i].design);
    assert_true(interval_exact(result.figure[0].wins, 900, 0.999).high > 0.01); /* and the adversaries do win some */
    check_won("unsteady", TARGET_KEYED, GAME_LEAKED_KEY);
    check_won("unsteady", TARGET_REDIS, GAME_SECRET_KEY);
}

static void test_won(void **state)
{
    (void)state;
    check_won("1", TARGET_KEYED, GAME_LEAKED_KEY);
    check_won("2", TARGET_KEYED, GAME_LEAKED_KEY);
    check_won("2", TARGET_UNKEYED, GAME_SECRET_KEY); /* its seed is in the file */
    check_won("1", TARGET_REDIS, GAME_SECRET_KEY);   /* it has none */
}

static void test_figures(void **state)
{
    struct game_request request = request_of(TARGET_KEYED, GAME_SECRET_KEY, 100);
    struct game_result result = play("1", &request);
    uint64_t wins = 0;
    (void)state;
    assert_string_equal(result.target, "keyed(bloom:n=200,fpr=0.02)");
    assert_true(result.figure[0].trials == 100 * ADVERSARIES && result.figure[0].extent == GAME_WHOLE);
    for (unsigned i = 1; i <= ADVERSARIES; i++) {
        assert_true(result.figure[i].trials == 100 && result.figure[i].extent == GAME_PART);
        assert_true(fabs(result.figure[i].design - 0.02) < 0.001);
        wins += result.figure[i].wins;
    }
    assert_true(wins == result.figure[0].wins);
}

static void test_threads(void **state)
{
    struct game_request request = request_of(TARGET_KEYED, GAME_SECRET_KEY, 300);
    struct game_result one = play("2", &request);
    (void)state;
    request.threads = 3;
    struct game_result three = play("2", &request);
    for (unsigned i = 0; i <= ADVERSARIES; i++)
        assert_true(one.figure[i].wins == three.figure[i].wins);
}

/* ---- the rules ---- */

enum { SET = 300, MOST = 500 };

/* Sets have no item twice; no more questions than are allowed; what is named is new. */
static void check_rules(const struct adversary *adversary, size_t most, uint64_t number)
{
    struct target_plan plan = {"bloom", SET, 0.02, NULL};
    struct target target, copy;
    struct item set[SET], asked[MOST], named;
    struct challenge challenge = {.set = set, .n = SET, .asked = asked, .most = most};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_error why;
    assert_int_equal(0, stream_open(&challenge.stream, (struct stream_seed){1, 4}, number));
    adversary->choose(&challenge);
    for (unsigned i = 0; i < SET; i++)
        for (unsigned j = 0; j < i; j++)
            assert_memory_not_equal(&set[i], &set[j], sizeof set[i]);
    assert_status(UF_OK, target_new(TARGET_UNKEYED, &plan, &ctx, &target, &why), &why);
    assert_status(UF_OK, target_new(TARGET_UNKEYED, &plan, &ctx, &copy, &why), &why);
    assert_status(UF_OK, target_insert(&target, set, SET), NULL);
    assert_status(UF_OK, target_insert(&copy, set, SET), NULL);
    challenge.target = &target;
    challenge.copy = &copy;
    adversary->answer(&challenge, &named);
    assert_in_range(challenge.asked_count, 0, most);
    assert_true(challenge_is_new(&challenge, &named));
    assert_true(challenge_believes(&challenge, &named));
    assert_false(challenge_is_new(&challenge, &set[SET / 2]));
    assert_true(!challenge.asked_count || !challenge_is_new(&challenge, &asked[challenge.asked_count - 1]));
    target_free(&target);
    target_free(&copy);
}

static void test_rules(void **state)
{
    static const size_t most[] = {0, 1, 63, 130, MOST};
    (void)state;
    for (unsigned i = 0; i < ADVERSARIES; i++)
        for (unsigned j = 0; j < sizeof most / sizeof most[0]; j++)
            check_rules(adversaries[i], most[j], 10 * i + j);
}

static int stop(void *arg, uint64_t done, uint64_t total)
{
    (void)arg, (void)done, (void)total;
    return 1;
}

static void test_failures(void **state)
{
    struct game_request request = request_of(TARGET_KEYED, GAME_SECRET_KEY, 100);
    struct game_result result;
    uf_error why;
    (void)state;
    request.fpr = 2;
    assert_refused(UF_EINVAL, game_1.play(&request, &result, &why), &why);
    request = request_of(TARGET_KEYED, GAME_SECRET_KEY, 100);
    request.progress = stop;
    assert_status(UF_ECANCELED, game_1.play(&request, &result, &why), NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held),     cmocka_unit_test(test_unsteady), cmocka_unit_test(test_won),
        cmocka_unit_test(test_figures),  cmocka_unit_test(test_threads),  cmocka_unit_test(test_rules),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests_name("membership", tests, NULL, NULL);
}
