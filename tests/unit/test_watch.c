/* SPDX-License-Identifier: MIT */
/*
 * learned/evidence and learned/watch. Evidence: 400 runs of 5,000 queries at the very rate that is allowed come to a
 * limit of 20 in no more than one in twenty (99.9 % confidence; 23 and more would be too many to be chance at a true
 * rate of 2.5 %), and at one and a half times the rate in nearly all; without windows, what begins late is not seen.
 * The watch: its counts are those of the queries; the alarm comes, and with it the backup; no member is ever missed.
 */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "evidence.h"
#include "interval.h"
#include "keys.h"
#include "random.h"
#include "subjects.h"

/* ---- evidence ---- */

static double draw(uint64_t *random)
{
    uint64_t word;
    (void)random_bytes(random, &word, sizeof word);
    return (double)(word >> 11) * 0x1p-53;
}

/* In how many of 400 runs the evidence comes to 20 when events have these rates, and may have `most`. */
static unsigned runs_that_reach(double rate, double most, uint64_t quiet)
{
    const double may[2] = {most, 0.3};
    uint64_t random = 7;
    unsigned reached = 0;
    for (unsigned run = 0; run < 400; run++) {
        struct evidence evidence;
        int found = 0;
        evidence_start(&evidence, may, 2);
        for (unsigned i = 0; i < 5000 && !found; i++) {
            const uint64_t seen[2] = {draw(&random) < (i < quiet ? most : rate), 0};
            evidence_roll(&evidence);
            evidence_add(&evidence, 1, seen);
            found = i % 8 == 0 && evidence_reaches(&evidence, log(20));
        }
        reached += (unsigned)found;
    }
    return reached;
}

static void test_evidence(void **state)
{
    (void)state;
    assert_in_range(runs_that_reach(0.02, 0.02, 0), 0, 22);
    assert_in_range(runs_that_reach(0.01, 0.02, 0), 0, 2);
    assert_in_range(runs_that_reach(0.04, 0.02, 0), 396, 400);
    assert_in_range(runs_that_reach(0.06, 0.02, 4000), 396, 400); /* it begins late */
    assert_in_range(runs_that_reach(0.9, 1, 0), 0, 0);            /* what may always be is no evidence */
    assert_in_range(runs_that_reach(0.02, 0.016, 0), 23, 400);    /* the control: a limit that is exceeded */
}

static void test_shares(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        static const uint64_t seen[] = {0, 1, 10, 500, 999};
        const double most = evidence_most_share(seen[i], 1000, 0.001), exact = interval_upper(seen[i], 1000, 0.999);
        assert_that(most >= exact * (1 - 1e-9) && most < 1.3 * exact, "%.5f beside %.5f", most, exact);
    }
    assert_true(evidence_most_share(1000, 1000, 0.001) >= 1 && evidence_most_share(0, 0, 0.001) >= 1);
}

/* ---- the watch ---- */

enum { KEYS = 9000, OTHERS = 4000 };

struct scene {
    struct keys keys, others;
    uf_filter *filter, *backup;
};

static struct scene scene_of(const char *text)
{
    struct scene scene = {.keys = keys_make("key", KEYS), .others = keys_make("probe", OTHERS)};
    uf_spec spec;
    uf_error why;
    scene.filter = build(text, scene.keys.key, KEYS, NULL);
    assert_status(UF_OK, uf_get_backup_plan(scene.filter, 0.01, &spec, &why), &why);
    scene.backup = build(spec.text, scene.keys.key, KEYS, NULL);
    return scene;
}

static void scene_free(struct scene *scene)
{
    uf_free(scene->filter);
    uf_free(scene->backup);
    keys_free(&scene->keys);
    keys_free(&scene->others);
}

static uf_watch *watch_of(const struct scene *scene, uf_watching how)
{
    uf_watch *watch;
    uf_error why;
    assert_status(UF_OK, uf_watch_new(scene->filter, &how, NULL, &watch, &why), &why);
    return watch;
}

static uf_watched seen_by(const uf_watch *watch)
{
    uf_watched seen;
    assert_int_equal(UF_OK, uf_get_watch(watch, &seen, sizeof seen));
    return seen;
}

static const char *const kinds[] = {
    "learned:fpr=0.05,children=bloom", "sandwich:fpr=0.05,children=bloom", "partition:fpr=0.05",
    "uptown:fpr=0.05,children=bloom",  "downtown:fpr=0.05,children=bloom", "robust:fpr=0.05"};

/* The same answers as without a watch, and all of them counted, one by one or together. */
static void check_counts(const char *text)
{
    struct scene scene = scene_of(text);
    uf_watch *one = watch_of(&scene, (uf_watching)UF_WATCHING_INIT),
             *many = watch_of(&scene, (uf_watching)UF_WATCHING_INIT);
    uf_watched_region of_one[UF_MOST_REGIONS], of_many[UF_MOST_REGIONS];
    static uint8_t plain[OTHERS], watched[OTHERS];
    uint64_t accepted = 0, in_regions = 0;
    uf_query_many(scene.filter, scene.others.key, OTHERS, plain);
    uf_watch_query(many, scene.others.key, OTHERS, watched);
    assert_memory_equal(plain, watched, OTHERS);
    for (size_t i = 0; i < OTHERS; i++) {
        uint8_t answer;
        uf_watch_query(one, &scene.others.key[i], 1, &answer);
        assert_int_equal(answer, plain[i]);
        accepted += answer;
    }
    assert_true(seen_by(one).queries == OTHERS && seen_by(many).queries == OTHERS);
    assert_true(seen_by(one).accepted == accepted && seen_by(many).accepted == accepted);
    assert_int_equal(UF_OK, uf_get_watch_regions(one, of_one, sizeof of_one[0], UF_MOST_REGIONS));
    assert_int_equal(UF_OK, uf_get_watch_regions(many, of_many, sizeof of_many[0], UF_MOST_REGIONS));
    for (unsigned i = 0; i < seen_by(one).regions; i++) {
        assert_true(of_one[i].queries == of_many[i].queries && of_one[i].accepted == of_many[i].accepted);
        assert_true(of_one[i].asked_planned <= of_one[i].asked_most);
        assert_true(of_one[i].passed_planned <= of_one[i].passed_most);
        in_regions += of_one[i].accepted;
    }
    assert_true(in_regions == accepted);
    uf_watch_free(one);
    uf_watch_free(many);
    scene_free(&scene);
}

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        check_counts(kinds[i]);
}

/* Members are all accepted: to a watch that expects none this is an attack. From the alarm on the backup is asked, and
 * still no member is missed. */
static void check_switch(const char *text)
{
    struct scene scene = scene_of(text);
    uf_watching how = UF_WATCHING_INIT;
    how.backup = scene.backup;
    uf_watch *watch = watch_of(&scene, how);
    static uint8_t answers[KEYS], plain[OTHERS], also[OTHERS];
    uf_watch_query(watch, scene.keys.key, KEYS, answers);
    for (size_t i = 0; i < KEYS; i++)
        assert_int_equal(1, answers[i]);
    assert_true(seen_by(watch).alarm_at && seen_by(watch).alarm_at <= 512 && seen_by(watch).switched);
    assert_true(seen_by(watch).evidence >= seen_by(watch).limit);
    uf_watch_query(watch, scene.others.key, OTHERS, answers);
    uf_query_many(scene.filter, scene.others.key, OTHERS, plain);
    uf_query_many(scene.backup, scene.others.key, OTHERS, also);
    for (size_t i = 0; i < OTHERS; i++)
        assert_int_equal(answers[i], plain[i] & also[i]);
    uf_watch_free(watch);
    scene_free(&scene);
}

static void test_switch(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i += 2)
        check_switch(kinds[i]);
}

static void shuffle(uf_key *keys, size_t count)
{
    uint64_t random = 5;
    for (size_t i = count; i > 1; i--) {
        const size_t at = (size_t)(draw(&random) * (double)i);
        const uf_key key = keys[at];
        keys[at] = keys[i - 1];
        keys[i - 1] = key;
    }
}

/* Members that were expected, or of which it is told that they are some, raise no alarm; false ones it is told of do.
 */
static void test_told(void **state)
{
    struct scene scene = scene_of(kinds[2]);
    uf_watching how = UF_WATCHING_INIT;
    static uint8_t answers[KEYS];
    (void)state;
    shuffle(scene.keys.key, KEYS);
    how.members = 1;
    uf_watch *watch = watch_of(&scene, how);
    uf_watch_query(watch, scene.keys.key, KEYS, answers);
    assert_true(!seen_by(watch).alarm_at && !seen_by(watch).switched);
    uf_watch_free(watch);
    how = (uf_watching)UF_WATCHING_INIT;
    how.told = 1;
    watch = watch_of(&scene, how);
    uf_watch_query(watch, scene.keys.key, KEYS, answers);
    assert_true(!seen_by(watch).alarm_at && seen_by(watch).accepted == KEYS);
    uf_watch_false(watch, scene.keys.key, KEYS / 2);
    assert_true(seen_by(watch).alarm_at == KEYS && seen_by(watch).told == KEYS / 2);
    uf_watch_free(watch);
    scene_free(&scene);
}

static void test_errors(void **state)
{
    struct scene scene = scene_of(kinds[2]), other = scene_of(kinds[2]);
    uf_watching how = UF_WATCHING_INIT;
    uf_watch *watch;
    uf_spec spec;
    uf_error why;
    (void)state;
    how.backup = other.backup; /* of the same keys, but another filter's */
    assert_refused(UF_EMISMATCH, uf_watch_new(scene.filter, &how, NULL, &watch, &why), &why);
    how = (uf_watching)UF_WATCHING_INIT;
    assert_refused(UF_EUNSUPPORTED, uf_watch_new(scene.backup, &how, NULL, &watch, &why), &why);
    assert_refused(UF_EUNSUPPORTED, uf_get_backup_plan(scene.backup, 0, &spec, &why), &why);
    how.false_alarm = 2;
    assert_refused(UF_EINVAL, uf_watch_new(scene.filter, &how, NULL, &watch, &why), &why);
    how = (uf_watching)UF_WATCHING_INIT;
    how.members = -1;
    assert_refused(UF_EINVAL, uf_watch_new(scene.filter, &how, NULL, &watch, &why), &why);
    how.size = 0;
    assert_refused(UF_EINVAL, uf_watch_new(scene.filter, &how, NULL, &watch, &why), &why);
    assert_int_equal(UF_EINVAL, uf_get_watch(NULL, NULL, 0));
    assert_int_equal(UF_EINVAL, uf_get_watch_regions(NULL, NULL, 0, 0));
    uf_watch_free(NULL);
    scene_free(&scene);
    scene_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evidence), cmocka_unit_test(test_shares), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_switch),   cmocka_unit_test(test_told),   cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
