/* SPDX-License-Identifier: MIT */
/*
 * lab/games: the best adversary wins what theory says, no less and no more, at 99.9 % confidence with fixed seeds; it
 * wins everything without noise; and the same check rejects a mechanism with too little noise.
 */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "games.h"
#include "interval.h"

static struct game_result play(const char *name, const char *epsilon, uint64_t trials, uint64_t seed)
{
    struct game_request request = {.epsilon = epsilon ? epsilon : "1",
                                   .universe = 200,
                                   .members = 20,
                                   .trials = trials,
                                   .noise = epsilon ? GAME_NOISE : GAME_NO_NOISE,
                                   .seed = {1, seed}};
    struct game_result result;
    uf_error why;
    const struct game *game = game_find(name);
    assert_non_null(game);
    assert_status(UF_OK, game->play(&request, &result, &why), &why);
    return result;
}

static int holds(const struct game_figure *figure, double rate)
{
    struct interval interval = interval_exact(figure->wins, figure->trials, 0.999);
    return interval.low <= rate && rate <= interval.high;
}

static void near(double got, double want)
{
    assert_that(fabs(got - want) < 1e-9, "%.12g and not %.12g", got, want);
}

static void test_dime(void **state)
{
    struct game_result one = play("set-release", "1", 20000, 1), more = play("set-release", "1.2", 20000, 1);
    (void)state;
    assert_int_equal(one.figures, 1);
    assert_string_equal(one.target, "dime:epsilon=1");
    assert_string_equal(one.figure[0].metric, "win_rate");
    near(one.figure[0].design, M_E / (1 + M_E));
    assert_true(holds(&one.figure[0], one.figure[0].design));
    assert_true(holds(&more.figure[0], more.figure[0].design));
    assert_false(holds(&more.figure[0], one.figure[0].design)); /* a mechanism that claims less than it loses */
    assert_false(holds(&one.figure[0], 0.5));
}

static void test_nickel(void **state)
{
    struct game_result result = play("strict-set-release", "1", 20000, 2);
    const double q = exp(-1), want[] = {1 - q / 2, 1 / (1 + q), 1};
    (void)state;
    assert_int_equal(result.figures, 3);
    for (size_t i = 0; i < 3; i++) {
        near(result.figure[i].design, want[i]);
        assert_that(holds(&result.figure[i], want[i]), "%s: %llu of %llu", result.figure[i].metric,
                    (unsigned long long)result.figure[i].wins, (unsigned long long)result.figure[i].trials);
    }
    assert_true(result.figure[2].wins == result.figure[2].trials); /* absence is revealed, every time */
    assert_true(result.figure[1].wins + result.figure[2].wins == result.figure[0].wins);
    assert_true(result.figure[1].trials + result.figure[2].trials == 20000);
    assert_false(holds(&result.figure[0], M_E / (1 + M_E))); /* and so nickel loses more than dime */
}

static void test_without_noise(void **state)
{
    struct game_result dime = play("set-release", NULL, 1000, 3), nickel = play("strict-set-release", NULL, 1000, 3);
    (void)state;
    assert_true(dime.figure[0].wins == 1000 && nickel.figure[0].wins == 1000);
    assert_string_equal(dime.target, "no noise");
}

static int stop(void *arg, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    return ++*(int *)arg == 2;
}

static void test_refusals(void **state)
{
    int calls = 0;
    struct game_request request = {.epsilon = "1",
                                   .universe = 200,
                                   .members = 20,
                                   .trials = 10000,
                                   .seed = {1, 1},
                                   .progress = stop,
                                   .progress_arg = &calls};
    struct game_result result;
    uf_error why;
    (void)state;
    assert_refused(UF_ECANCELED, game_set_release.play(&request, &result, &why), &why);
    request.epsilon = "nan";
    assert_refused(UF_EINVAL, game_set_release.play(&request, &result, &why), &why);
    request = (struct game_request){.epsilon = "1", .universe = 0, .trials = 1, .seed = {1, 1}};
    assert_refused(UF_EINVAL, game_set_release.play(&request, &result, &why), &why);
    assert_null(game_find("checkers"));
    for (size_t i = 0; game_at(i); i++)
        assert_ptr_equal(game_find(game_at(i)->name), game_at(i));
}

/* The same seed and number, the same bytes; without a seed, others. */
static void test_stream(void **state)
{
    struct stream a, b, other, system;
    unsigned char one[20] = {0}, two[20] = {0}, three[20] = {0};
    (void)state;
    assert_int_equal(stream_open(&a, (struct stream_seed){1, 7}, 0), 0);
    assert_int_equal(stream_open(&b, (struct stream_seed){1, 7}, 0), 0);
    assert_int_equal(stream_open(&other, (struct stream_seed){1, 7}, 1), 0);
    assert_int_equal(stream_open(&system, (struct stream_seed){0, 7}, 0), 0);
    assert_int_equal(stream_fill(&a, one, 20), 0);
    assert_int_equal(stream_fill(&b, two, 20), 0);
    assert_memory_equal(one, two, 20);
    assert_int_equal(stream_fill(&other, three, 20), 0);
    assert_memory_not_equal(one, three, 20);
    assert_int_equal(stream_fill(&system, three, 20), 0);
    assert_memory_not_equal(one, three, 20);
    assert_int_equal(stream_fill(&a, two, 20), 0);
    assert_memory_not_equal(one, two, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dime),     cmocka_unit_test(test_nickel), cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_stream),
    };
    return cmocka_run_group_tests_name("games", tests, NULL, NULL);
}
