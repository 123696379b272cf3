/* SPDX-License-Identifier: MIT */
/*
 * What others give to a learned filter: negatives that are repeated, trained on, poisoned or keys of the set, scores of
 * their own, scores that are missing, sets of few keys. Every file is held against its own claim, by those who lack its
 * key; and what they read in it does not depend on which negatives are keys, nor on the score of any one key.
 */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "curve.h"
#include "children.h"
#include "header.h"
#include "keys.h"
#include "regions.h"
#include "secrets.h"
#include "subjects.h"

enum { COUNT = 4000, OTHERS = 8000 };

static const char *const keyed_specs[] = {
    "robust:fpr=0.01,children=bloom,seed=0x3", "downtown:fpr=0.01,children=blocked,seed=0x3",
    "robust:fpr=0.01,regions=4,children=ribbon,seed=0x3", "keyed(partition:fpr=0.01,children=bloom,seed=0x3)"};

enum { KEYED_SPECS = sizeof keyed_specs / sizeof keyed_specs[0] };

/* ---- keys with scores ---- */

static uint64_t mixed(uf_key key, unsigned char salt)
{
    uint64_t hash = 0xcbf29ce484222325 ^ salt;
    for (size_t i = 0; i < key.size; i++)
        hash = (hash ^ ((const unsigned char *)key.data)[i]) * 0x100000001b3;
    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

static double unit_of(uf_key key, unsigned char salt)
{
    return (double)(mixed(key, salt) >> 11) * 0x1p-53;
}

/* Members (m...) score high, most others low; no two keys score the same. `s` and `t` with the same number do. */
static double fine_score(void *arg, uf_key key)
{
    const char first = *(const char *)key.data;
    (void)arg;
    if (first == 's' || first == 't')
        return unit_of((uf_key){(const char *)key.data + 1, key.size - 1}, 5);
    return first == 'm' ? sqrt(unit_of(key, 1)) : unit_of(key, 1) * unit_of(key, 2);
}

/* In a hundred steps: a plan then takes little time. */
static double own_score(void *arg, uf_key key)
{
    return floor(100 * fine_score(arg, key));
}

static double no_score(void *arg, uf_key key)
{
    (void)arg, (void)key;
    return NAN;
}

static uf_learning learning_of(const uf_key *valid, size_t count)
{
    uf_learning learning = UF_LEARNING_INIT;
    learning.score = own_score;
    learning.valid = valid;
    learning.valid_count = count;
    learning.force = 1;
    return learning;
}

static int try_build(const char *text, const uf_learning *learning, const uf_key *keys, size_t count, uf_filter **out,
                     uf_error *why)
{
    uf_spec spec = spec_of(text);
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.learning = learning;
    ctx.secret = subject_secret(text);
    return uf_build(&spec, keys, count, &ctx, out, why);
}

static uf_filter *build_from(const char *text, const uf_learning *learning, const uf_key *keys, size_t count)
{
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, try_build(text, learning, keys, count, &filter, &why), &why);
    return filter;
}

static uf_claim claim_of(const uf_filter *filter)
{
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    return claim;
}

static uf_learned about(const uf_filter *filter)
{
    uf_learned learned;
    assert_status(UF_OK, uf_get_learned(filter, &learned, sizeof learned), NULL);
    return learned;
}

static unsigned regions_in(const uf_filter *filter, uf_region out[UF_MOST_REGIONS])
{
    assert_status(UF_OK, uf_get_regions(filter, out, sizeof *out, UF_MOST_REGIONS), NULL);
    return about(filter).regions;
}

/* Four standard errors above what is claimed. */
static double most_of(double rate, double trials)
{
    return rate * trials + 4 * sqrt(rate * (1 - rate) * trials) + 1;
}

/* ---- repeats ---- */

/* What would be planned if lines counted: the rate that one score many times promises, and the true one. */
static double rate_by_lines(const struct keys *members, const struct keys *fresh, double *promised)
{
    static int64_t score[COUNT], line[OTHERS], scratch[OTHERS];
    struct regions_request request = {REGIONS_PARTITION, 0.01, 8, 1.44, CHILD_BITS, REGIONS_MARGIN, 0, 0, 0, 0};
    struct mem mem = {{0}};
    struct regions regions;
    struct curve curve;
    double rate = 0;
    for (size_t i = 0; i < COUNT; i++)
        score[i] = (int64_t)own_score(NULL, members->key[i]);
    for (size_t i = 0; i < OTHERS; i++)
        line[i] = (int64_t)own_score(NULL, fresh->key[0]);
    scores_sort(score, scratch, COUNT);
    assert_status(UF_OK, curve_make(&mem, score, COUNT, line, OTHERS, 200, &curve), NULL);
    assert_status(UF_OK, regions_choose(&curve, &request, &regions), NULL);
    curve_free(&curve);
    for (size_t i = 0; i < fresh->count; i++) {
        unsigned at = 0;
        while (at + 1 < regions.count && own_score(NULL, fresh->key[i]) >= (double)regions.region[at + 1].from)
            at++;
        rate += regions.region[at].fpr / (double)fresh->count;
    }
    *promised = regions_rate(&regions, &request);
    return rate;
}

/* One key as often as others have keys, and a log in which a hundred keys make up nearly all lines. */
static void test_repeats(void **state)
{
    static const char *const specs[] = {"partition:fpr=0.01,seed=0x3", "robust:fpr=0.01,children=bloom,seed=0x3",
                                        "uptown:fpr=0.01,children=bloom,seed=0x3"};
    static uf_key lines[OTHERS];
    struct keys members = keys_make("m", COUNT), valid = keys_make("v", OTHERS), fresh = keys_make("f", OTHERS);
    struct keys negatives = keys_make("n", COUNT);
    (void)state;
    for (size_t few = 1; few <= 100; few *= 100)
        for (size_t s = 0; s < 3; s++) {
            for (size_t i = 0; i < OTHERS; i++)
                lines[i] = valid.key[i % few];
            uf_learning learning = learning_of(lines, OTHERS);
            learning.negatives = negatives.key, learning.negative_count = COUNT;
            uf_filter *filter = build_from(specs[s], &learning, members.key, COUNT);
            double found = (double)keys_found(filter, &fresh);
            assert_true(about(filter).valid == few && about(filter).repeated == OTHERS - few);
            assert_that(found <= most_of(claim_of(filter).fpr, OTHERS), "%s, %zu keys: %g of %g claimed", specs[s], few,
                        found, claim_of(filter).fpr * OTHERS);
            assert_int_equal(keys_found(filter, &members), COUNT);
            uf_free(filter);
        }
    double promised, rate = rate_by_lines(&members, &fresh, &promised);
    assert_that(promised <= 0.01 && OTHERS * rate > most_of(0.05, OTHERS), "lines promise %g and give %g", promised,
                rate);
    keys_free(&members);
    keys_free(&valid);
    keys_free(&fresh);
    keys_free(&negatives);
}

/* A model knows what it was trained on: such negatives plan nothing. */
static void test_trained_on(void **state)
{
    struct keys members = keys_make("m", COUNT), valid = keys_make("v", OTHERS);
    uf_learning learning = learning_of(valid.key, OTHERS);
    uf_training how = UF_TRAINING_INIT;
    uf_model_info info;
    uf_model *model = NULL;
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    learning.negatives = valid.key + OTHERS / 2;
    learning.negative_count = OTHERS / 2;
    filter = build_from("partition:fpr=0.01", &learning, members.key, COUNT);
    assert_true(about(filter).trained == OTHERS / 2 && about(filter).valid == OTHERS / 2);
    uf_free(filter);
    learning.valid = learning.negatives, learning.valid_count = learning.negative_count;
    filter = NULL;
    assert_refused(UF_EINVAL, try_build("partition:fpr=0.01", &learning, members.key, COUNT, &filter, &why), &why);
    assert_non_null(strstr(why.text, "trained on"));
    how.positives = members.key, how.positive_count = COUNT;
    how.negatives = how.valid = valid.key, how.negative_count = how.valid_count = OTHERS;
    assert_refused(UF_EINVAL, uf_train(&how, NULL, &model, &why), &why);
    assert_non_null(strstr(why.text, "trained on"));
    how.negative_count = OTHERS - 100;
    assert_status(UF_OK, uf_train(&how, NULL, &model, &why), &why);
    uf_model_get_info(model, &info, sizeof info);
    assert_true(info.trained == OTHERS - 100 && info.valid == 100 && info.repeated == 0);
    uf_model_free(model);
    keys_free(&members);
    keys_free(&valid);
}

/* A negative that is there many times teaches a model no more than once. */
static void test_trained_on_repeats(void **state)
{
    static uf_key lines[2 * OTHERS];
    struct keys members = keys_make("m", COUNT), negatives = keys_make("v", OTHERS), valid = keys_make("w", OTHERS);
    uf_training how = UF_TRAINING_INIT;
    uf_model *once, *often;
    uf_error why;
    (void)state;
    for (size_t i = 0; i < 2 * (size_t)OTHERS; i++)
        lines[i] = negatives.key[i < OTHERS ? i : 7];
    how.positives = members.key, how.positive_count = COUNT;
    how.negatives = lines, how.negative_count = OTHERS;
    how.valid = valid.key, how.valid_count = OTHERS;
    how.budget = 256;
    assert_status(UF_OK, uf_train(&how, NULL, &once, &why), &why);
    how.negative_count = 2 * (size_t)OTHERS;
    assert_status(UF_OK, uf_train(&how, NULL, &often, &why), &why);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(uf_model_score(once, members.key[i]), uf_model_score(often, members.key[i]));
    uf_model_free(once);
    uf_model_free(often);
    keys_free(&members);
    keys_free(&negatives);
    keys_free(&valid);
}

/* ---- what a file tells ---- */

/* A set of members and of some suspects, or of stand-ins with the same scores that are no negatives. Each suspect is
 * among the negatives, number i 2^i times. */
enum { SUSPECTS = 12, CHOSEN = 0x5a7 };

struct suspicion {
    uf_key set[COUNT], valid[OTHERS + (1 << SUSPECTS)];
    size_t set_count, valid_count;
};

static void suspect(struct suspicion *out, const struct keys *members, const struct keys *others,
                    const struct keys *suspects, const struct keys *chosen)
{
    out->set_count = COUNT - SUSPECTS;
    memcpy(out->set, members->key, out->set_count * sizeof *out->set);
    for (unsigned i = 0; i < SUSPECTS; i++)
        if (CHOSEN >> i & 1)
            out->set[out->set_count++] = chosen->key[i];
    out->valid_count = OTHERS;
    memcpy(out->valid, others->key, OTHERS * sizeof *out->valid);
    for (unsigned i = 0; i < SUSPECTS; i++)
        for (unsigned j = 0; j < 1u << i; j++)
            out->valid[out->valid_count++] = suspects->key[i];
}

/* What is written in front of the filters. */
static struct bytes described(const char *spec, const struct suspicion *given)
{
    uf_learning learning = learning_of(given->valid, given->valid_count);
    uf_filter *filter = build_from(spec, &learning, given->set, given->set_count);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    file.size = HEADER_BYTES;
    uf_free(filter);
    return file;
}

static int told_apart(const char *spec, const struct suspicion *one, const struct suspicion *other)
{
    struct bytes a = described(spec, one), b = described(spec, other);
    int differ = !bytes_equal(&a, &b);
    bytes_free(&a);
    bytes_free(&b);
    return differ;
}

/* The control is a filter without a key, which tests every guess anyway. */
static void test_negatives_that_are_keys(void **state)
{
    static struct suspicion real, stand_in;
    struct keys members = keys_make("m", COUNT), others = keys_make("v", OTHERS);
    struct keys suspects = keys_make("s", SUSPECTS), doubles = keys_make("t", SUSPECTS);
    (void)state;
    suspect(&real, &members, &others, &suspects, &suspects);
    suspect(&stand_in, &members, &others, &suspects, &doubles);
    for (size_t s = 0; s < KEYED_SPECS; s++)
        assert_that(!told_apart(keyed_specs[s], &real, &stand_in), "%s tells which negatives are keys", keyed_specs[s]);
    assert_true(told_apart("partition:fpr=0.01,children=bloom,seed=0x3", &real, &stand_in));
    keys_free(&members);
    keys_free(&others);
    keys_free(&suspects);
    keys_free(&doubles);
}

static unsigned scores_of_members(const uf_filter *filter, const struct keys *members)
{
    uf_region region[UF_MOST_REGIONS];
    unsigned found = 0, count = regions_in(filter, region);
    for (unsigned i = 1; i < count; i++)
        for (size_t j = 0; j < members->count; j++)
            found += fine_score(NULL, members->key[j]) == region[i].from;
    return found;
}

/* Half of the boundaries that are chosen from all scores are scores of members, to the last bit. */
static void test_boundaries(void **state)
{
    struct keys members = keys_make("m", COUNT), valid = keys_make("v", OTHERS);
    uf_learning learning = learning_of(valid.key, OTHERS);
    (void)state;
    learning.score = fine_score;
    for (size_t s = 1; s < KEYED_SPECS; s += 2) { /* others take the same way, and their time */
        uf_filter *filter = build_from(keyed_specs[s], &learning, members.key, COUNT);
        assert_true(about(filter).regions > 1);
        assert_int_equal(scores_of_members(filter, &members), 0);
        uf_free(filter);
    }
    uf_filter *control = build_from("partition:fpr=0.01,seed=0x3", &learning, members.key, COUNT);
    assert_true(scores_of_members(control, &members) >= 2);
    uf_free(control);
    keys_free(&members);
    keys_free(&valid);
}

/* Negatives that crowd around one guess, where no member scores: no region is so narrow that it tells. */
static double poisoned_score(void *arg, uf_key key)
{
    return *(const char *)key.data == 'p' ? 20.5 : own_score(arg, key);
}

static uint64_t least_keys(const uf_filter *filter)
{
    uf_region region[UF_MOST_REGIONS];
    uint64_t least = UINT64_MAX;
    unsigned count = regions_in(filter, region);
    for (unsigned i = 0; i < count; i++)
        least = region[i].keys < least ? region[i].keys : least;
    return least;
}

static void test_poisoned(void **state)
{
    static uf_key lines[2 * OTHERS];
    struct keys members = keys_make("m", COUNT), valid = keys_make("v", OTHERS), crowd = keys_make("p", OTHERS);
    (void)state;
    memcpy(lines, valid.key, OTHERS * sizeof *lines);
    memcpy(lines + OTHERS, crowd.key, OTHERS * sizeof *lines);
    uf_learning learning = learning_of(lines, 2 * (size_t)OTHERS);
    learning.score = poisoned_score;
    for (size_t s = 0; s < KEYED_SPECS; s++) {
        uf_filter *filter = build_from(keyed_specs[s], &learning, members.key, COUNT);
        assert_that(least_keys(filter) >= 16, "%s has a region of %llu keys", keyed_specs[s],
                    (unsigned long long)least_keys(filter));
        uf_free(filter);
    }
    uf_filter *control = build_from("partition:fpr=0.01,regions=16,seed=0x3", &learning, members.key, COUNT);
    assert_int_equal(least_keys(control), 0);
    uf_free(control);
    keys_free(&members);
    keys_free(&valid);
    keys_free(&crowd);
}

/* Nearly all negatives are keys of the set that score low, and the others score high: with the former in the plan the
 * rate of the latter would be far above it. That is refused. */
static void test_hidden_rate(void **state)
{
    enum { LOW = 3 * COUNT / 4, HIGH = COUNT - LOW };
    static uf_key set[COUNT], lines[COUNT];
    struct keys members = keys_make("m", HIGH), low = keys_make("v", LOW), high = keys_make("m!", HIGH);
    uf_learning learning = learning_of(lines, COUNT);
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    memcpy(set, members.key, HIGH * sizeof *set);
    memcpy(set + HIGH, low.key, LOW * sizeof *set);
    memcpy(lines, high.key, HIGH * sizeof *set);
    memcpy(lines + HIGH, low.key, LOW * sizeof *set);
    assert_refused(UF_EINVAL, try_build("robust:fpr=0.01", &learning, set, COUNT, &filter, &why), &why);
    assert_that(strstr(why.text, "keys of the set") != NULL, "%s", why.text);
    filter = build_from("robust:fpr=0.01", &learning, members.key, HIGH); /* where they are none */
    uf_free(filter);
    keys_free(&members);
    keys_free(&low);
    keys_free(&high);
}

/* ---- scores that are missing ---- */

static void test_without_scores(void **state)
{
    struct keys members = keys_make("m", COUNT), valid = keys_make("v", OTHERS), fresh = keys_make("f", OTHERS);
    uf_learning learning = learning_of(valid.key, OTHERS), none = UF_LEARNING_INIT;
    (void)state;
    for (size_t s = 0; s < KEYED_SPECS; s++) {
        uf_filter *filter = build_from(keyed_specs[s], &learning, members.key, COUNT), *loaded = NULL;
        struct bytes file = bytes_of(filter, UF_FORMAT_UF);
        uf_context ctx = secret_context();
        uf_error why;
        assert_refused(UF_EINVAL, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
        ctx.learning = &none;
        assert_refused(UF_EINVAL, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
        assert_true(!loaded && strstr(why.text, "scores"));
        if (views_work())
            assert_refused(UF_EINVAL, uf_load_view(file.data, file.size, &ctx, &loaded, &why), &why);
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_WITHOUT_KEY, &ctx, &loaded, &why), &why);
        assert_true(uf_is_locked(loaded) && keys_found(loaded, &fresh) == OTHERS);
        assert_refused(UF_EINVAL, uf_unlock(loaded, &ctx, &why), &why);
        assert_int_equal(uf_is_locked(loaded), 1);
        ctx.learning = &learning;
        assert_status(UF_OK, uf_unlock(loaded, &ctx, &why), &why);
        assert_true(!uf_is_locked(loaded) && keys_found(loaded, &members) == COUNT);
        assert_int_equal(keys_found(loaded, &fresh), keys_found(filter, &fresh));
        uf_free(loaded);
        uf_free(filter);
        bytes_free(&file);
    }
    keys_free(&members);
    keys_free(&valid);
    keys_free(&fresh);
}

/* A scorer that fails for every key: no member is missed, and others are accepted as it is claimed. */
static void test_not_a_number(void **state)
{
    struct keys members = keys_make("m", COUNT), valid = keys_make("v", OTHERS), fresh = keys_make("f", OTHERS);
    uf_learning learning = learning_of(valid.key, OTHERS), broken = learning;
    (void)state;
    broken.score = no_score;
    for (size_t s = 0; s < KEYED_SPECS; s++) {
        uf_filter *filter = build_from(keyed_specs[s], &learning, members.key, COUNT), *loaded = NULL;
        struct bytes file = bytes_of(filter, UF_FORMAT_UF);
        uf_context ctx = secret_context();
        uf_error why;
        ctx.learning = &broken;
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
        double found = (double)keys_found(loaded, &fresh), most = claim_of(loaded).unscored_fpr;
        size_t one_by_one = 0;
        for (size_t i = 0; i < OTHERS; i++)
            one_by_one += (size_t)uf_query(loaded, fresh.key[i]);
        assert_int_equal(keys_found(loaded, &members), COUNT);
        assert_true(one_by_one == (size_t)found);
        assert_that(found <= most_of(most, OTHERS) && found > 0.5 * most * OTHERS, "%s: %g of %g", keyed_specs[s],
                    found, most * OTHERS);
        assert_true(most >= claim_of(loaded).fpr && (s == KEYED_SPECS - 1 || most < 0.5));
        uf_free(loaded);
        uf_free(filter);
        bytes_free(&file);
    }
    keys_free(&members);
    keys_free(&valid);
    keys_free(&fresh);
}

/* ---- few keys ---- */

/*
 * 60 files of 60 keys each. Whoever has a file sees how full its filters are, and
 * attacks those that are fuller than planned, in their weakest region. 4000 guesses at each of them: at 10 % 400
 * errors, give or take 19. Every file holds what it claims; held against the plan, an average over seeds, the same
 * files together fail by five standard errors.
 */
static void test_few_keys(void **state)
{
    enum { FILES = 60, KEYS = 60, GUESSES = 4000 };
    static const char *const formats[] = {
        "robust:fpr=0.05,regions=2,children=bloom,seed=0x%x", "robust:fpr=0.05,regions=2,children=blocked,seed=0x%x",
        "keyed(bloom:n=60,fpr=0.05,seed=0x%x)", "keyed(blocked:n=60,fpr=0.05,seed=0x%x)"};
    struct keys members = keys_make("m", KEYS), valid = keys_make("v", OTHERS), guesses = keys_make("m!", 4 * GUESSES);
    uf_learning learning = learning_of(valid.key, OTHERS);
    (void)state;
    for (size_t f = 0; f < 4; f++) {
        double hits = 0, planned = 0;
        for (unsigned i = 0; i < FILES; i++) {
            char spec[100];
            uf_region region[UF_MOST_REGIONS] = {{.from = -INFINITY}};
            unsigned count = 1, weakest = 0;
            (void)snprintf(spec, sizeof spec, formats[f], i + 1);
            uf_filter *filter = build_from(spec, &learning, members.key, KEYS);
            region[0].fpr = claim_of(filter).fpr;
            if (f < 2)
                count = regions_in(filter, region);
            for (unsigned r = 0; r < count; r++)
                weakest = region[r].fpr > region[weakest].fpr ? r : weakest;
            double claimed = claim_of(filter).adversarial_fpr, accepted = 0, asked = 0;
            uf_info info;
            uf_get_info(filter, &info, sizeof info);
            for (size_t g = 0; g < guesses.count && asked < GUESSES; g++) {
                double score = own_score(NULL, guesses.key[g]);
                if (score < region[weakest].from || (weakest + 1 < count && score >= region[weakest + 1].from))
                    continue;
                asked++;
                accepted += uf_query(filter, guesses.key[g]);
            }
            assert_that(accepted <= most_of(claimed, asked), "%s: %g of %g", spec, accepted, claimed * asked);
            if ((f < 2 ? claimed : info.fpr_now) > 1.05 * region[weakest].fpr) {
                hits += accepted;
                planned += region[weakest].fpr * asked;
            }
            uf_free(filter);
        }
        assert_that(f == 1 || hits > planned + 5 * sqrt(planned), "%s: %g of %g planned", formats[f], hits, planned);
    }
    keys_free(&members);
    keys_free(&valid);
    keys_free(&guesses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_trained_on),
        cmocka_unit_test(test_trained_on_repeats),
        cmocka_unit_test(test_negatives_that_are_keys),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_poisoned),
        cmocka_unit_test(test_hidden_rate),
        cmocka_unit_test(test_without_scores),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_few_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
