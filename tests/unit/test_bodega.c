/* SPDX-License-Identifier: MIT */
/*
 * uptown, downtown and robust: rates of each region against someone who chooses it, what the claim says, keys that are
 * missing or others, the cases in which they are kinds that were there before, and that a model learns nothing from
 * permuted keys.
 */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "counting.h"
#include "curve.h"
#include "keying.h"
#include "learned_fixture.h"
#include "secrets.h"

static uf_claim claim_of(const uf_filter *filter)
{
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    return claim;
}

/* The same regions; their filters may differ. */
static void assert_same_regions(const uf_filter *a, const uf_filter *b)
{
    struct anatomy one = anatomy_of(a), other = anatomy_of(b);
    assert_int_equal(one.learned.regions, other.learned.regions);
    for (unsigned i = 0; i < one.learned.regions; i++) {
        const uf_region *r = &one.region[i], *s = &other.region[i];
        assert_true(r->from == s->from && r->keys == s->keys && r->negatives == s->negatives && r->fpr == s->fpr);
    }
}

/* ---- rates ---- */

/* What is promised, of the filter as it is, with its own fill, which may be a little above the plan: F with the share
 * alpha of the queries where the rate is highest. */
static double rate_under_attack(const uf_filter *filter, double alpha, double worst)
{
    return (1 - alpha) * claim_of(filter).fpr + alpha * worst;
}

/*
 * 40 000 fresh negatives; at 1 % or less they see at most 400 errors, give or take 20: 1.15 times the promised rate and
 * ten more are over three standard errors off. The control is a partition, which breaks the rule as soon as anyone
 * attacks.
 */
static void test_rates(void **state)
{
    static const char *const kinds[] = {"robust", "downtown"}, *const children[] = {"bloom", "ribbon", "blocked"};
    static const double alphas[] = {0.01, 0.05, 0.2};
    uf_learning learning = with_model();
    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (size_t a = 0; a < 3; a++) {
            char spec[128];
            (void)snprintf(spec, sizeof spec, "%s:fpr=0.01,alpha=%g,children=%s,seed=0x1", kinds[k], alphas[a],
                           children[a]);
            uf_filter *filter = build_with(spec, &learning, 2);
            uf_claim claim = claim_of(filter);
            assert_string_equal(kind_of(filter), kinds[k]);
            assert_int_equal(keys_found(filter, &keys), KEYS);
            double rate = rate_under_attack(filter, alphas[a], claim.adversarial_fpr);
            assert_that(rate <= 0.0101 && rate > 0.008, "%s: %g under attack", spec, rate);
            assert_that(claim.adversarial_fpr < 0.01 / alphas[a] && claim.fpr < claim.adversarial_fpr,
                        "%s promises %g and %g", spec, claim.fpr, claim.adversarial_fpr);
            double found = (double)keys_found(filter, &fresh);
            assert_that(found < 1.15 * claim.fpr * FRESH + 10, "%s: %g of %d are accepted, %g are promised", spec,
                        found, FRESH, claim.fpr);
            uf_free(filter);
        }
    uf_filter *control = build_with("partition:fpr=0.01,seed=0x1", &learning, 2);
    assert_true(isnan(claim_of(control).adversarial_fpr));
    assert_true(rate_under_attack(control, 0.01, 1) > 0.011);
    uf_free(control);
}

/* Scores from elsewhere: the first letter, so that an adversary can make as many keys of a region as he likes. */
static double first_letter(void *arg, uf_key key)
{
    (void)arg;
    return ((const char *)key.data)[0];
}

enum { LETTERS = 16, PER_LETTER = 600, GUESSES = 20000 };

/* Members have late letters, negatives early ones: 1, 2, ... of each letter, from either end. */
static struct keys lettered(int members)
{
    struct keys out = keys_make("?word", (size_t)LETTERS * (LETTERS + 1) / 2 * PER_LETTER);
    size_t at = 0;
    for (int letter = 0; letter < LETTERS; letter++) {
        size_t share = (size_t)(members ? letter + 1 : LETTERS - letter) * PER_LETTER;
        for (size_t i = 0; i < share; i++)
            ((char *)(uintptr_t)out.key[at++].data)[0] = (char)('a' + letter);
    }
    assert_int_equal(at, out.count);
    return out;
}

/* Fresh keys of one score. */
static double accepted_of(const uf_filter *filter, double score)
{
    struct keys guesses = keys_make("?guess", GUESSES);
    for (size_t i = 0; i < GUESSES; i++)
        ((char *)(uintptr_t)guesses.key[i].data)[0] = (char)score;
    double accepted = (double)keys_found(filter, &guesses) / GUESSES;
    keys_free(&guesses);
    return accepted;
}

/*
 * Whoever chooses a region sees the rate of its filter and no more: 20 000 guesses in each, five standard errors. The
 * controls: rates of different regions are told apart, and a partition accepts everything in its last one.
 */
static void test_rate_of_each_region(void **state)
{
    struct keys members = lettered(1), others = lettered(0);
    uf_learning learning = UF_LEARNING_INIT;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec robust = spec_of("robust:fpr=0.1,alpha=0.2,regions=5,children=bloom,seed=0x2");
    uf_spec partition = spec_of("partition:fpr=0.1,regions=5,children=bloom,seed=0x2");
    uf_filter *filter, *control;
    uf_error why;
    (void)state;
    learning.score = first_letter;
    learning.valid = others.key;
    learning.valid_count = others.count;
    learning.force = 1;
    ctx.learning = &learning;
    ctx.secret = secret_number(0);
    assert_status(UF_OK, uf_build(&robust, members.key, members.count, &ctx, &filter, &why), &why);
    assert_status(UF_OK, uf_build(&partition, members.key, members.count, &ctx, &control, &why), &why);
    assert_int_equal(keys_found(filter, &members), members.count);
    struct anatomy parts = anatomy_of(filter);
    double worst = claim_of(filter).adversarial_fpr, first = 0, last = 0;
    assert_true(parts.learned.regions >= 3);
    for (unsigned i = 0; i < parts.learned.regions; i++) {
        double fpr = parts.region[i].fpr, rate = accepted_of(filter, i ? parts.region[i].from : 'a');
        double sigma = sqrt(fpr * (1 - fpr) / GUESSES);
        assert_that(fabs(rate - fpr) < 5 * sigma + 0.01 * fpr, "region %u: %g of guesses, %g", i, rate, fpr);
        assert_that(rate < worst + 3 * sigma, "region %u: %g of guesses, at most %g", i, rate, worst);
        first = i ? first : rate;
        last = rate;
    }
    assert_true(last > 2 * first && accepted_of(control, 'a' + LETTERS - 1) == 1);
    uf_free(filter);
    uf_free(control);
    keys_free(&members);
    keys_free(&others);
}

/* ---- cases that were there before ---- */

static void test_no_attack_is_partition(void **state)
{
    uf_learning learning = with_model();
    (void)state;
    uf_filter *robust = build_with("robust:fpr=0.01,alpha=0,regions=6,seed=0x3", &learning, 1);
    uf_filter *partition = build_with("keyed(partition:fpr=0.01,regions=6,seed=0x3)", &learning, 1);
    assert_same_regions(robust, partition);
    assert_true(anatomy_of(robust).region[anatomy_of(robust).learned.regions - 1].fpr == 1);
    assert_true(isnan(claim_of(robust).adversarial_fpr)); /* where all is accepted, nothing is promised */
    assert_true(anatomy_of(robust).learned.adversarial_share == 0 &&
                isnan(anatomy_of(partition).learned.adversarial_share));
    uf_free(robust);
    uf_free(partition);
}

static void test_two_regions_are_downtown(void **state)
{
    uf_learning learning = with_model();
    (void)state;
    uf_filter *robust = build_with("robust:fpr=0.01,alpha=0.05,regions=2,seed=0x3", &learning, 1);
    uf_filter *downtown = build_with("downtown:fpr=0.01,seed=0x3", &learning, 1);
    assert_same_regions(robust, downtown);
    for (size_t i = 0; i < FRESH; i++)
        assert_int_equal(uf_query(robust, fresh.key[i]), uf_query(downtown, fresh.key[i]));
    uf_free(robust);
    uf_free(downtown);
}

/* The whole set on both sides: each holds every key, and no model makes that smaller than one filter. */
static void test_definition_of_the_paper(void **state)
{
    uf_learning learning = with_model();
    (void)state;
    uf_filter *plain = build_with("downtown:fpr=0.01,definition=paper,children=bloom,seed=0x3", &learning, 1);
    assert_string_equal(kind_of(plain), "bloom");
    assert_true(claim_of(plain).adversarial_fpr >= claim_of(plain).fpr &&
                claim_of(plain).adversarial_fpr < 1.25 * claim_of(plain).fpr);
    learning.force = 1;
    uf_filter *filter = build_with("downtown:fpr=0.01,definition=paper,children=bloom,seed=0x3", &learning, 1);
    struct anatomy parts = anatomy_of(filter);
    assert_int_equal(keys_found(filter, &keys), KEYS);
    assert_true(parts.learned.regions == 2 && parts.region[0].keys == KEYS && parts.region[1].keys == KEYS);
    assert_true(parts.learned.keys == KEYS && parts.learned.bytes > parts.learned.plain_bytes);
    assert_true(rate_under_attack(filter, 0.05, claim_of(filter).adversarial_fpr) <= 0.0101);
    uf_free(filter);
    uf_free(plain);
}

/* Scores that know nothing: one filter, keyed as it should be. */
static double no_idea(void *arg, uf_key key)
{
    (void)arg;
    return ((const char *)key.data)[3] % 7;
}

static void test_plain_is_keyed(void **state)
{
    uf_learning learning = with_model();
    char id[2][17];
    (void)state;
    learning.model = NULL;
    learning.score = no_idea;
    uf_filter *filter = build_with("robust:fpr=0.01,seed=0x7", &learning, 1);
    assert_string_equal(kind_of(filter), "ribbon");
    uf_get_key_id(filter, id[0]);
    uf_secret_id(secret_number(0), id[1]);
    assert_string_equal(id[0], id[1]);
    assert_true(claim_of(filter).adversarial_fpr == claim_of(filter).fpr);
    uf_free(filter);
}

/* The very filter that would have been built without any learning, its count of keys included. */
static void test_plain_has_counted(void **state)
{
    static const char *const children[] = {"bloom", "blocked"};
    uf_learning learning = with_model();
    (void)state;
    learning.model = NULL;
    learning.score = no_idea;
    for (size_t c = 0; c < 2; c++)
        for (size_t count = 2; count <= 200; count *= 100) {
            char text[2][128];
            uf_context ctx = UF_CONTEXT_INIT;
            uf_filter *filter, *same;
            uf_error why;
            ctx.learning = &learning;
            ctx.secret = secret_number(0);
            (void)snprintf(text[0], sizeof text[0], "robust:fpr=0.01,children=%s,seed=0x7", children[c]);
            (void)snprintf(text[1], sizeof text[1], "keyed(%s:fpr=0.01,seed=0x7)", children[c]);
            uf_spec spec = spec_of(text[0]), plain = spec_of(text[1]);
            assert_status(UF_OK, uf_build(&spec, keys.key, count, &ctx, &filter, &why), &why);
            assert_status(UF_OK, uf_build(&plain, keys.key, count, &ctx, &same, &why), &why);
            struct bytes a = bytes_of(filter, UF_FORMAT_UF), b = bytes_of(same, UF_FORMAT_UF);
            assert_that(bytes_equal(&a, &b), "%s with %zu keys is another filter", text[0], count);
            bytes_free(&a);
            bytes_free(&b);
            uf_free(filter);
            uf_free(same);
        }
}

/* ---- keys ---- */

/* Every region has a key of its own, none is that of the whole, and other secrets or seeds give others. */
static void test_keys_differ(void **state)
{
    static const char *const specs[] = {"robust:fpr=0.01,seed=0x1", "robust:fpr=0.01,seed=0x2"};
    uf_learning learning = with_model();
    char seen[40][17];
    size_t count = 0;
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        uf_filter *filter = build_with(specs[s], &learning, 1);
        struct anatomy parts = anatomy_of(filter);
        for (unsigned i = 0; i < parts.learned.regions; i++) {
            if (!parts.region[i].bytes)
                continue;
            assert_int_equal(strlen(parts.region[i].key), 16);
            memcpy(seen[count++], parts.region[i].key, 17);
        }
        uf_free(filter);
    }
    assert_true(count >= 8);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(seen[i], seen[j]);
}

static void test_key_withheld_or_other(void **state)
{
    static const char *const specs[] = {"uptown:fpr=0.01", "downtown:fpr=0.01", "robust:fpr=0.01,prf=aes"};
    uf_learning learning = with_model();
    (void)state;
    learning.negatives = fresh.key;
    learning.negative_count = fresh.count;
    learning.force = 1;
    for (size_t s = 0; s < 3; s++) {
        uf_spec spec = spec_of(specs[s]);
        uf_context ctx = UF_CONTEXT_INIT;
        uf_filter *filter = NULL, *loaded = NULL;
        uf_error why;
        ctx.learning = &learning;
        assert_refused(UF_EKEY, uf_build(&spec, keys.key, KEYS, &ctx, &filter, &why), &why);
        filter = build_with(specs[s], &learning, 1);
        struct bytes file = bytes_of(filter, UF_FORMAT_UF);
        ctx.learning = NULL;
        assert_refused(UF_EKEY, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
        ctx.secret = secret_number(1);
        assert_refused(UF_EKEY, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
        ctx.secret = secret_number(0);
        assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
        assert_int_equal(keys_found(loaded, &keys), KEYS);
        uf_free(loaded);
        uf_free(filter);
        bytes_free(&file);
    }
}

/* ---- uptown ---- */

/* What the PRF of a filter makes of keys, as a model of uptown sees them. */
static struct keys permuted(const struct keys *from)
{
    struct hasher hasher = {.kind = HASH_SIPHASH, .seed = 77};
    struct keys out = keys_make("a text of at least sixteen bytes", from->count);
    keying_start(&hasher, UF_CPU_SCALAR, secret_number(0));
    for (size_t i = 0; i < from->count; i++) {
        hash_bytes(hash_key(&hasher, from->key[i]), (unsigned char *)(uintptr_t)out.key[i].data);
        out.key[i].size = HASH_BYTES;
    }
    return out;
}

/* Half of the keys are trained on, the AUC is that of the other half against fresh negatives. */
static double auc_of_unseen(const struct keys *members, const struct keys *negatives, const struct keys *others)
{
    enum { HALF = KEYS / 2 };
    static int64_t score[2][HALF], scratch[HALF];
    uf_training how = UF_TRAINING_INIT;
    uf_model *trained;
    struct curve curve;
    uf_error why;
    how.positives = members->key, how.positive_count = HALF;
    how.negatives = negatives->key, how.negative_count = HALF;
    how.valid = negatives->key + HALF, how.valid_count = HALF;
    how.budget = 4096;
    assert_status(UF_OK, uf_train(&how, NULL, &trained, &why), &why);
    for (size_t i = 0; i < HALF; i++) {
        score[0][i] = uf_model_score(trained, members->key[HALF + i]);
        score[1][i] = uf_model_score(trained, others->key[i]);
    }
    scores_sort(score[0], scratch, HALF);
    scores_sort(score[1], scratch, HALF);
    assert_status(UF_OK, curve_make(&(struct mem){{0}}, score[0], HALF, score[1], HALF, 10, &curve), NULL);
    double auc = curve.auc;
    curve_free(&curve);
    uf_model_free(trained);
    return auc;
}

/*
 * The AUC of 10 000 keys against as many has a standard error of sqrt((n + m + 1) / (12 n m)) = 0.0041 when nothing is
 * known: four of them around one half. The control sees the same keys as they are.
 */
static void test_permuted_keys_teach_nothing(void **state)
{
    struct keys members = permuted(&keys), negatives = permuted(&valid), others = permuted(&fresh);
    (void)state;
    double blind = auc_of_unseen(&members, &negatives, &others), control = auc_of_unseen(&keys, &valid, &fresh);
    assert_that(fabs(blind - 0.5) < 4 * 0.0041, "AUC %g over permuted keys", blind);
    assert_that(control > 0.9, "AUC %g over the keys themselves", control);
    keys_free(&members);
    keys_free(&negatives);
    keys_free(&others);
}

/* So the plain filter is built, or, by force, one that holds its rate for keys of anyone. */
static void test_uptown(void **state)
{
    uf_learning learning = with_model();
    uf_learned design;
    (void)state;
    learning.negatives = fresh.key;
    learning.negative_count = fresh.count;
    uf_filter *filter = build_with("uptown:fpr=0.01,children=bloom,seed=0x5", &learning, 2);
    assert_string_equal(kind_of(filter), "bloom");
    assert_status(UF_OK, uf_get_learned(filter, &design, sizeof design), NULL);
    assert_that(design.bytes >= design.plain_bytes && fabs(design.auc - 0.5) < 0.03, "AUC %g", design.auc);
    uf_free(filter);
    learning.force = 1;
    filter = build_with("uptown:fpr=0.01,children=bloom,seed=0x5", &learning, 2);
    assert_string_equal(kind_of(filter), "uptown");
    assert_status(UF_OK, uf_get_learned(filter, &design, sizeof design), NULL);
    assert_true(design.first_fpr >= 1 && design.regions == 1); /* of the sandwich one filter is left */
    assert_int_equal(keys_found(filter, &keys), KEYS);
    size_t found = keys_found(filter, &valid);
    assert_that(found < VALID / 100 + 4 * 20, "%zu of %d others", found, VALID); /* 400, give or take 20 */
    assert_true(claim_of(filter).adversarial_fpr == claim_of(filter).fpr && claim_of(filter).fpr < 0.0105);
    uf_free(filter);
}

static uf_filter *build_paper(const char *spec, uf_learned *design)
{
    uf_learning learning = with_model();
    learning.negatives = fresh.key;
    learning.negative_count = fresh.count;
    learning.force = 1;
    uf_filter *filter = build_with(spec, &learning, 2);
    assert_status(UF_OK, uf_get_learned(filter, design, sizeof *design), NULL);
    return filter;
}

/* Definition 19: a first filter of all keys, a model, a backup of those below its threshold. It is larger than what the
 * planner makes, holds its rate against anyone, and is remembered as what it is. */
static void test_uptown_of_the_paper(void **state)
{
    uf_learned paper;
    uf_region region[UF_MOST_REGIONS];
    uf_spec plan;
    uf_filter *filter = build_paper("uptown:fpr=0.01,children=bloom,definition=paper,seed=0x5", &paper);
    (void)state;
    assert_status(UF_OK, uf_get_regions(filter, region, sizeof region[0], UF_MOST_REGIONS), NULL);
    assert_true(paper.first_fpr < 0.05 && paper.first_bytes && paper.regions == 2);
    assert_true(region[0].bytes && region[0].fpr <= 0.5 && region[1].fpr >= 1 && !region[1].bytes);
    assert_true(paper.bytes > paper.plain_bytes);
    assert_int_equal(keys_found(filter, &keys), KEYS);
    size_t found = keys_found(filter, &valid);
    assert_that(found < VALID / 100 + 4 * 20, "%zu of %d others", found, VALID);
    assert_true(claim_of(filter).adversarial_fpr == claim_of(filter).fpr && claim_of(filter).fpr < 0.0105);
    uf_get_plan(filter, &plan);
    assert_non_null(strstr(plan.text, "definition=paper"));
    uf_free(filter);
}

/* ---- requests ---- */

static void test_requestes_without_sense(void **state)
{
    static const char *const bad[] = {
        "keyed(uptown:fpr=0.01)",  "keyed(downtown:fpr=0.01)", "keyed(robust)",     "robust:prf=md5",
        "robust:definition=paper", "uptown:alpha=0.1",         "uptown:regions=3",  "downtown:regions=3",
        "partition:alpha=0.1",     "partition:prf=aes",        "robust:alpha=much",
    };
    static const char *const impossible[] = {
        "robust:alpha=-0.01",      "robust:alpha=1.01",           "downtown:alpha=2",
        "robust:regions=17",       "downtown:definition=other",   "robust:fpr=0",
        "uptown:definition=split", "downtown:definition=planned", "downtown:children=robust"};
    uf_spec spec;
    uf_error why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(UF_EINVAL, uf_spec_parse(bad[i], &spec, &why), &why);
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
        spec = spec_of(impossible[i]);
        assert_refused(UF_EINVAL, uf_plan(&spec, &spec, &why), &why);
    }
    spec = spec_of("downtown");
    assert_status(UF_OK, uf_plan(&spec, &spec, &why), &why);
    assert_string_equal(spec.text, "downtown:fpr=0.001,alpha=0.05,children=ribbon,definition=split,prf=siphash");
    uf_learning learning = with_model();
    uf_filter *filter = NULL;
    assert_refused(UF_EINVAL, try_build("uptown", &learning, 1, &filter, &why), &why);
    assert_non_null(strstr(why.text, "negatives"));
}

/* All hostile, none hostile, very few keys. */
static void test_ends_of_the_scale(void **state)
{
    static const char *const specs[] = {"robust:alpha=1,fpr=0.01",   "robust:alpha=0,fpr=0.01",
                                        "downtown:alpha=1,fpr=0.01", "robust:alpha=1e-300,fpr=0.01",
                                        "robust:alpha=0.5,fpr=0.9",  "downtown:alpha=0.3,fpr=1e-9"};
    uf_learning learning = with_model();
    (void)state;
    learning.force = 1;
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++)
        for (size_t count = 0; count <= 400; count = count ? 20 * count : 1) {
            uf_spec spec = spec_of(specs[s]);
            uf_context ctx = UF_CONTEXT_INIT;
            uf_filter *filter;
            uf_error why;
            ctx.learning = &learning;
            ctx.secret = secret_number(0);
            learning.valid_count = count < 400 ? 10 : VALID;
            assert_status(UF_OK, uf_build(&spec, keys.key, count, &ctx, &filter, &why), &why);
            for (size_t i = 0; i < count; i++)
                assert_int_equal(uf_query(filter, keys.key[i]), 1);
            uf_free(filter);
        }
}

static void test_every_allocation_fails_once(void **state)
{
    static const char *const specs[] = {"uptown:fpr=0.01,children=bloom", "downtown:fpr=0.01,definition=paper",
                                        "robust:fpr=0.01,regions=3"};
    uf_learning learning = with_model();
    (void)state;
    learning.force = 1;
    learning.valid_count = 200;
    learning.negatives = fresh.key;
    learning.negative_count = 200;
    for (size_t s = 0; s < 3; s++)
        fail_each_allocation(specs[s], &learning, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rate_of_each_region),
        cmocka_unit_test(test_no_attack_is_partition),
        cmocka_unit_test(test_two_regions_are_downtown),
        cmocka_unit_test(test_definition_of_the_paper),
        cmocka_unit_test(test_plain_is_keyed),
        cmocka_unit_test(test_plain_has_counted),
        cmocka_unit_test(test_keys_differ),
        cmocka_unit_test(test_key_withheld_or_other),
        cmocka_unit_test(test_permuted_keys_teach_nothing),
        cmocka_unit_test(test_uptown),
        cmocka_unit_test(test_uptown_of_the_paper),
        cmocka_unit_test(test_requestes_without_sense),
        cmocka_unit_test(test_ends_of_the_scale),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
