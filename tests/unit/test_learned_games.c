/* SPDX-License-Identifier: MIT */
/*
 * lab/learned_games, lab/attacks/mutate and supply: filters whose children are keyed are won at what they claim at most
 * (99.9 % confidence, fixed seeds), and one that believes its model loses; so does every filter whose key is known. The
 * sizes are such that a claim of half the rate would be noticed.
 */
#include <math.h>

#include "attack.h"
#include "check.h"
#include "games.h"
#include "interval.h"
#include "learned_adversary.h"

/* ---- games ---- */

static struct game_request request_of(enum learned_id learned, enum game_key key, uint64_t trials)
{
    return (struct game_request){.members = 1000,
                                 .choice = &choices[0], /* honest */
                                 .trials = trials,
                                 .learned = learned,
                                 .share = 0.05,
                                 .kind = "bloom",
                                 .fpr = 0.02,
                                 .queries = 80,
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
    assert_int_equal(game->family, GAME_LEARNED);
    assert_status(UF_OK, game->play(request, &result, &why), &why);
    const unsigned players = (game == &game_4 ? LEARNED_ADVERSARIES : LEARNED_BLACK_BOX) - 1; /* but alike */
    const int plays_alike = request->key == GAME_SECRET_KEY;
    assert_int_equal(result.figures, 1u + players + (unsigned)plays_alike + (request->choice ? 0 : CHOICES));
    assert_int_equal(result.figure[0].trials, players * (request->trials - result.refused));
    return result;
}

static double rate(const struct game_figure *figure)
{
    return (double)figure->wins / (double)figure->trials;
}

static struct interval interval_of(const struct game_figure *figure)
{
    return interval_exact(figure->wins, figure->trials, 0.999);
}

static void check_held(const char *name, enum learned_id learned, uint64_t trials)
{
    struct game_request request = request_of(learned, GAME_SECRET_KEY, trials);
    struct game_result result = play(name, &request);
    for (size_t i = 0; i < result.figures; i++)
        assert_that(interval_of(&result.figure[i]).low <= result.figure[i].design, "game %s, %s: %s %.4f", name,
                    result.target, result.figure[i].metric, rate(&result.figure[i]));
    assert_that(interval_of(&result.figure[0]).high < 1.5 * result.figure[0].design, "game %s, %s: %.4f of %.4f", name,
                result.target, rate(&result.figure[0]), result.figure[0].design);
}

/* The same check must not pass because the adversaries are weak: these do win half of what they may. */
static void test_held(void **state)
{
    struct game_request request = request_of(LEARNED_ROBUST, GAME_SECRET_KEY, 300);
    (void)state;
    check_held("3", LEARNED_ROBUST, 120);
    check_held("3", LEARNED_DOWNTOWN, 120);
    check_held("4", LEARNED_DOWNTOWN, 120);
    struct game_result result = play("4", &request);
    const struct game_figure *white = &result.figure[LEARNED_ADVERSARIES];
    assert_string_equal(white->metric, "win_rate_white_box");
    assert_that(interval_of(white).low <= white->design && interval_of(white).low > white->design / 3, "%.4f of %.4f",
                rate(white), white->design);
    assert_true(interval_of(white).high > white->design / 2); /* a claim of half the rate */
}

static void test_lost(void **state)
{
    struct game_request plain = request_of(LEARNED_PLAIN, GAME_SECRET_KEY, 60);
    struct game_result black = play("3", &plain), white = play("4", &plain);
    (void)state;
    assert_that(interval_of(&black.figure[0]).low > 5 * black.figure[0].design, "%.4f", rate(&black.figure[0]));
    assert_that(rate(&white.figure[0]) >= 0.99, "%.4f", rate(&white.figure[0]));
    plain.learned = LEARNED_PARTITION;
    black = play("3", &plain);
    assert_that(interval_of(&black.figure[0]).low > 5 * black.figure[0].design, "%.4f", rate(&black.figure[0]));
}

static void test_leaked(void **state)
{
    static const enum learned_id keyed[] = {LEARNED_ROBUST, LEARNED_DOWNTOWN, LEARNED_KEYED};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct game_request request = request_of(keyed[i], GAME_LEAKED_KEY, 20);
        struct game_result three = play("3", &request), four = play("4", &request);
        assert_that(rate(&three.figure[0]) >= 0.99, "%s: %.4f", three.target, rate(&three.figure[0]));
        assert_that(rate(&four.figure[0]) >= 0.99, "%s: %.4f", four.target, rate(&four.figure[0]));
    }
}

/* ---- chosen sets and data ---- */

static const struct game_figure *figure_of(const struct game_result *result, const char *metric)
{
    for (size_t i = 0; i < result->figures; i++)
        if (!strcmp(result->figure[i].metric, metric))
            return &result->figure[i];
    assert_that(0, "there is no figure %s", metric);
    return NULL;
}

static struct game_result play_chosen(enum learned_id learned, enum game_key key)
{
    struct game_request request = request_of(learned, key, 90);
    request.choice = NULL;
    request.members = 600;
    request.queries = 60;
    return play("4", &request);
}

/* Whoever chose the set and the data: those that claim a rate under attack hold it, and every kind holds the one for
 * keys like the negatives. */
static void test_chosen(void **state)
{
    static const enum learned_id held[] = {LEARNED_UPTOWN, LEARNED_DOWNTOWN, LEARNED_KEYED};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct game_result result = play_chosen(held[i], GAME_SECRET_KEY);
        assert_int_equal(0, result.unclaimed);
        for (size_t j = 0; j < result.figures; j++)
            assert_that(interval_of(&result.figure[j]).low <= result.figure[j].design, "%s: %s %.4f of %.4f",
                        result.target, result.figure[j].metric, rate(&result.figure[j]), result.figure[j].design);
    }
}

/* The controls: a kind that claims nothing loses to poisoned negatives, and holds what it promises for keys like them;
 * whoever has the key wins. */
static void test_chosen_lost(void **state)
{
    struct game_result result = play_chosen(LEARNED_SANDWICH, GAME_SECRET_KEY);
    const struct game_figure *alike = figure_of(&result, "win_rate_alike"),
                             *poisoned = figure_of(&result, "win_rate_poisoned");
    (void)state;
    assert_true(result.unclaimed == 90);
    assert_true(interval_of(&result.figure[0]).low > 0.5 && interval_of(poisoned).low > 0.5);
    assert_true(interval_of(alike).low <= alike->design);
    result = play_chosen(LEARNED_UPTOWN, GAME_LEAKED_KEY);
    assert_true(rate(&result.figure[0]) >= 0.99);
}

/* S and D of each choice are what it says. */
static void test_choices(void **state)
{
    struct stream stream;
    struct corpus corpus;
    struct stock *stock;
    uf_error why;
    (void)state;
    assert_int_equal(0, stream_open(&stream, (struct stream_seed){1, 4}, 0));
    assert_status(UF_OK, corpus_make(800, 800, &stream, &corpus, &why), &why);
    assert_status(UF_OK, stock_open(&corpus, 800, &stream, &stock, &why), &why);
    for (unsigned i = 0; i < CHOICES; i++) {
        const int is_equal = !strcmp(choices[i].name, "equal"), is_few = !strcmp(choices[i].name, "few");
        struct corpus chosen;
        size_t members = 0;
        assert_ptr_equal(choice_find(choices[i].name), &choices[i]);
        assert_status(UF_OK, choice_make(&choices[i], stock, 200, &stream, &chosen, &why), &why);
        assert_int_equal(chosen.members.count, strcmp(choices[i].name, "tiny") ? 200 : 24);
        for (size_t j = 0; j < chosen.valid.count; j++)
            members += (size_t)key_set_has(&chosen.set, chosen.valid.keys[j]);
        assert_int_equal(members, is_equal ? 25 : 0);
        assert_int_equal(chosen.valid.count, is_few ? 3 : is_equal ? 225 : 200);
        for (size_t j = 0; j < chosen.fresh.count; j++)
            assert_false(key_set_has(&chosen.set, chosen.fresh.keys[j]));
        corpus_free(&chosen);
    }
    assert_null(choice_find("all"));
    assert_refused(UF_EINVAL, choice_make(&choices[0], stock, 0, &stream, &corpus, &why), &why);
    stock_free(stock);
}

/* D that is S and nothing else leaves nothing to train on or to plan with. */
static void test_equal(void **state)
{
    static const enum learned_id kinds[] = {LEARNED_PLAIN, LEARNED_UPTOWN, LEARNED_ROBUST};
    struct stream stream;
    struct corpus corpus;
    struct learned_setup setup;
    struct learned_target target;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_error why;
    (void)state;
    assert_int_equal(0, stream_open(&stream, (struct stream_seed){1, 4}, 0));
    assert_status(UF_OK, corpus_make(300, 300, &stream, &corpus, &why), &why);
    const struct learned_plan plan = {"bloom", 0.02, 0.05, 4, 32};
    assert_status(UF_OK, learned_setup_open(&corpus, &plan, &setup, &why), &why);
    setup.learning.valid = corpus.members.keys;
    setup.learning.valid_count = corpus.members.count;
    for (unsigned i = 0; i < 3; i++) {
        assert_refused(UF_EINVAL, learned_target_new(&setup, kinds[i], &ctx, &target, &why), &why);
        assert_non_null(strstr(why.text, "keys of the set"));
    }
    learned_setup_close(&setup);
    corpus.negatives = corpus.valid = corpus.members;
    assert_refused(UF_EINVAL, learned_setup_open(&corpus, &plan, &setup, &why), &why);
    assert_non_null(strstr(why.text, "no negatives to train on"));
    corpus_free(&corpus);
}

static void test_threads(void **state)
{
    struct game_request request = request_of(LEARNED_DOWNTOWN, GAME_SECRET_KEY, 20);
    struct game_result one = play("4", &request);
    (void)state;
    request.threads = 3;
    struct game_result three = play("4", &request);
    for (size_t i = 0; i < one.figures; i++)
        assert_true(one.figure[i].wins == three.figure[i].wins);
}

/* No more questions than are allowed, none at all included. */
static void test_rules(void **state)
{
    static const uint64_t most[] = {0, 1, 5, 300};
    struct stream stream;
    struct corpus corpus;
    struct learned_setup setup;
    struct learned_target target;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_error why;
    (void)state;
    assert_int_equal(0, stream_open(&stream, (struct stream_seed){1, 4}, 0));
    assert_status(UF_OK, corpus_make(500, 500, &stream, &corpus, &why), &why);
    assert_status(UF_OK, learned_setup_open(&corpus, &(struct learned_plan){"bloom", 0.02, 0.05, 4, 32}, &setup, &why),
                  &why);
    assert_status(UF_OK, learned_target_new(&setup, LEARNED_ROBUST, &ctx, &target, &why), &why);
    for (unsigned i = 0; i < 4 * LEARNED_ADVERSARIES; i++) {
        struct learned_challenge challenge = {
            .oracle = {.target = &target, .corpus = &corpus, .stream = &stream, .edits = TEXT_ALL_EDITS},
            .most = most[i % 4]};
        struct text named;
        challenge.copy = i % 2 ? target.filter : NULL;
        assert_int_equal(1, learned_adversaries[i / 4]->answer(&challenge, &named));
        assert_in_range(challenge.oracle.questions, 0, challenge.most);
        assert_true(oracle_is_new(&challenge.oracle, &named));
        oracle_close(&challenge.oracle);
    }
    learned_target_free(&target);
    learned_setup_close(&setup);
    corpus_free(&corpus);
}

/* ---- the attack ---- */

static const struct attack_row *row_of(const struct attack_result *result, const char *target, const char *metric)
{
    for (size_t i = 0; i < result->rows; i++)
        if (!strcmp(result->row[i].target, target) && !strcmp(result->row[i].metric, metric))
            return &result->row[i];
    assert_that(0, "there is no row %s of %s", metric, target);
    return NULL;
}

static int within(const struct attack_row *row)
{
    double sigma = sqrt(row->design * (1 - row->design) / (double)row->trials);
    return row->value <= row->design + 3 * sigma;
}

static void test_mutate(void **state)
{
    static const char *const metric[] = {"hit_rate_one_shot", "hit_rate_insert",   "hit_rate_delete",
                                         "hit_rate_swap",     "hit_rate_prefix",   "hit_rate_suffix",
                                         "hit_rate_chain",    "hit_rate_white_box"};
    enum { METRICS = sizeof metric / sizeof metric[0] };
    struct attack_request request = {.plan = {"bloom", 2000, 0.01, NULL},
                                     .learned = ATTACK_ALL_LEARNED,
                                     .share = 0.05,
                                     .trials = 600,
                                     .seed = {1, 11}};
    struct attack_result result = {.rows = 0};
    uf_error why = {UF_OK, 0, ""};
    (void)state;
    assert_status(UF_OK, attack_mutate.run(&request, &result, &why), &why);
    assert_int_equal(result.rows, (METRICS + 1) * LEARNED_TARGETS);
    for (unsigned id = 0; id < LEARNED_TARGETS; id++) {
        int keyed = id != LEARNED_PLAIN && id != LEARNED_SANDWICH && id != LEARNED_PARTITION;
        assert_true(within(row_of(&result, learned_name(id), "hit_rate_plain")));
        for (unsigned i = 0; i < METRICS; i++) {
            const struct attack_row *row = row_of(&result, learned_name(id), metric[i]);
            assert_that(keyed ? within(row) : row->value > 0.08, "%s, %s: %.4f of %.4f", row->target, metric[i],
                        row->value, row->design);
            assert_int_equal(within(row), keyed); /* the check that keyed ones pass is failed by the others */
            assert_in_range(row->trials, i == METRICS - 1 ? 120 : 540, 600);
        }
    }
}

/* Files are held against their own claims. The control is the kind without a key, which poisoned negatives mislead, and
 * which tells who is a member: the same checks fail for it. */
static void test_supply(void **state)
{
    static const char *const kinds[] = {"uptown", "downtown", "robust"};
    static const char *const held[] = {"hit_rate_honest", "hit_rate_repeated", "hit_rate_log", "hit_rate_poisoned",
                                       "hit_rate_few"};
    struct attack_request request = {.plan = {"bloom", 1500, 0.01, NULL}, .share = 0.05, .trials = 8, .seed = {1, 11}};
    struct attack_result result = {.rows = 0};
    uf_error why = {UF_OK, 0, ""};
    (void)state;
    assert_status(UF_OK, attack_supply.run(&request, &result, &why), &why);
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < 5; i++) {
            const struct attack_row *row = row_of(&result, kinds[k], held[i]);
            assert_that(row->interval.low <= row->design, "%s, %s: %.4f of %.4f", kinds[k], held[i], row->value,
                        row->design);
        }
        assert_true(row_of(&result, kinds[k], "suspects_right")->interval.low <= 0.5);
    }
    assert_true(row_of(&result, "partition", "hit_rate_poisoned")->interval.low > 0.1);
    assert_true(row_of(&result, "partition", "suspects_right")->interval.low > 0.9);
}

static int stop(void *arg, uint64_t done, uint64_t total)
{
    (void)arg, (void)done, (void)total;
    return 1;
}

static void test_failures(void **state)
{
    struct game_request request = request_of(LEARNED_KEYED, GAME_SECRET_KEY, 100);
    struct attack_request attack = {.plan = {"bloom", 500, 0.01, NULL}, .learned = 1, .trials = 10, .progress = stop};
    struct attack_result found = {.rows = 0};
    struct game_result result;
    uf_error why;
    (void)state;
    request.progress = stop;
    assert_status(UF_ECANCELED, game_3.play(&request, &result, &why), NULL);
    assert_refused(UF_ECANCELED, attack_mutate.run(&attack, &found, &why), &why);
    request.progress = NULL;
    request.fpr = 2;
    assert_refused(UF_EINVAL, game_4.play(&request, &result, &why), &why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen),  cmocka_unit_test(test_chosen_lost), cmocka_unit_test(test_choices),
        cmocka_unit_test(test_equal),   cmocka_unit_test(test_held),        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_leaked),  cmocka_unit_test(test_rules),       cmocka_unit_test(test_mutate),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_failures),    cmocka_unit_test(test_supply),
    };
    return cmocka_run_group_tests_name("learned_games", tests, NULL, NULL);
}
