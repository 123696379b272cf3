/* SPDX-License-Identifier: MIT */
/*
 * Learned kinds, as they are built: rates on negatives that nobody has seen, sizes, what happens when a model is of no
 * use, scores of the caller's own, and requests that make no sense. Words of two made-up languages.
 */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "learned_fixture.h"

/* ---- what they are for ---- */

/*
 * 40 000 fresh negatives. At 1 % they see 400 errors, give or take 20, and the plan has its own margin for the 40 000
 * that it knew: 1.15 times the rate is more than three standard errors off. The control is a filter planned for three
 * times the rate, which must be above.
 */
static void test_rates_sizes_and_members(void **state)
{
    static const char *const specs[] = {"learned:fpr=%g,children=%s,seed=0x1", "sandwich:fpr=%g,children=%s,seed=0x1",
                                        "partition:fpr=%g,children=%s,seed=0x1"};
    static const char *const children[] = {"ribbon", "bloom", "blocked"};
    uf_learning learning = with_model();
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        double before = INFINITY;
        for (size_t s = 0; s < 3; s++) {
            char spec[128], control[128];
            uf_learned about;
            (void)snprintf(spec, sizeof spec, specs[s], 0.01, children[c]);
            (void)snprintf(control, sizeof control, specs[s], 0.03, children[c]);
            uf_filter *filter = build_with(spec, &learning, 1), *worse = build_with(control, &learning, 1);
            assert_int_equal(keys_found(filter, &keys), KEYS);
            double rate = (double)keys_found(filter, &fresh) / FRESH, other = (double)keys_found(worse, &fresh) / FRESH;
            assert_that(rate <= 0.0115 && rate > 0.005, "%s: %g of fresh keys are accepted", spec, rate);
            assert_that(other > 0.0115, "the control of %s accepts %g", spec, other);
            assert_status(UF_OK, uf_get_learned(filter, &about, sizeof about), NULL);
            assert_that((double)about.bytes < 1.01 * before && about.bytes < about.plain_bytes,
                        "%s: %llu bytes after %g", spec, (unsigned long long)about.bytes, before);
            before = (double)about.bytes;
            uf_free(filter);
            uf_free(worse);
        }
    }
}

static void test_parts_add_up(void **state)
{
    uf_learning learning = with_model();
    uf_model_info model_info;
    uf_info info;
    uf_claim claim;
    (void)state;
    uf_filter *filter = build_with("partition:fpr=0.001,seed=0x1", &learning, 1);
    struct anatomy anatomy = anatomy_of(filter);
    uf_learned about = anatomy.learned;
    uf_get_info(filter, &info, sizeof info);
    uf_get_claim(filter, &claim, sizeof claim);
    uf_model_get_info(model, &model_info, sizeof model_info);
    assert_true(about.model_bytes == model_info.bytes && about.bytes <= info.bytes &&
                info.bytes < about.bytes + 64 * 17);
    assert_true(fabs(about.auc - model_info.auc) < 1e-12 && about.first_fpr == 1 && about.first_bytes == 0);
    uint64_t bytes = about.model_bytes, members = 0, negatives = 0;
    double accepted = 0;
    for (unsigned i = 0; i < about.regions; i++) {
        bytes += anatomy.region[i].bytes;
        members += anatomy.region[i].keys;
        negatives += anatomy.region[i].negatives;
        accepted += anatomy.region[i].fpr * (double)anatomy.region[i].negatives / VALID;
        assert_true(!isinf(anatomy.region[i].from) == !!i);
    }
    assert_true(bytes == about.bytes && members == KEYS && negatives == VALID && about.valid == VALID);
    assert_true(about.keys == KEYS && about.overlap == 0);
    assert_that(fabs(accepted / about.fpr_valid - 1) < 0.1, "%g by the table, %g", accepted, about.fpr_valid);
    assert_that(claim.fpr <= 0.001 && claim.fpr > about.fpr_valid, "promised is %.9g", claim.fpr);
    uf_free(filter);
    uf_spec plain = spec_of("bloom:n=3");
    assert_status(UF_OK, uf_build(&plain, keys.key, 3, NULL, &filter, NULL), NULL);
    assert_status(UF_EUNSUPPORTED, uf_get_learned(filter, &about, sizeof about), NULL);
    uf_free(filter);
}

static void test_any_number_of_threads(void **state)
{
    static const char *const specs[] = {"learned:fpr=0.01,seed=0x1", "sandwich:children=bloom,seed=0x1",
                                        "partition:children=blocked,seed=0x1", "partition:seed=0x1"};
    uf_learning learning = with_model();
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        uf_filter *one = build_with(specs[i], &learning, 1), *many = build_with(specs[i], &learning, 5);
        struct bytes a = bytes_of(one, UF_FORMAT_UF), b = bytes_of(many, UF_FORMAT_UF);
        assert_that(bytes_equal(&a, &b), "%s: five threads make other bytes than one", specs[i]);
        bytes_free(&a);
        bytes_free(&b);
        uf_free(one);
        uf_free(many);
    }
}

/* ---- when a model does not help ---- */

/* Scores that know nothing: the plain filter, with its own name, and what the other would have been. */
static double no_idea(void *arg, uf_key key)
{
    (void)arg;
    return ((const char *)key.data)[3] % 7;
}

static void test_plain_when_smaller(void **state)
{
    static const char *const children[] = {"ribbon", "bloom", "blocked"};
    uf_learned design;
    uf_learning learning = with_model();
    (void)state;
    learning.model = NULL;
    learning.score = no_idea;
    for (size_t c = 0; c < 3; c++) {
        char spec[128];
        (void)snprintf(spec, sizeof spec, "partition:fpr=0.01,children=%s,seed=0x7", children[c]);
        learning.force = 0;
        uf_filter *filter = build_with(spec, &learning, 2);
        assert_string_equal(kind_of(filter), children[c]);
        assert_int_equal(keys_found(filter, &keys), KEYS);
        assert_that(keys_found(filter, &fresh) < FRESH / 75, "%zu errors", keys_found(filter, &fresh));
        assert_status(UF_OK, uf_get_learned(filter, &design, sizeof design), NULL);
        assert_that(design.bytes >= design.plain_bytes && design.keys == KEYS && design.regions >= 1,
                    "%llu bytes against %llu", (unsigned long long)design.bytes,
                    (unsigned long long)design.plain_bytes);
        (void)snprintf(spec, sizeof spec, "%s:fpr=0.01,seed=0x7", children[c]);
        uf_spec plain = spec_of(spec); /* the very filter that would have been built without any learning */
        uf_filter *same;
        assert_status(UF_OK, uf_build(&plain, keys.key, KEYS, NULL, &same, NULL), NULL);
        struct bytes a = bytes_of(filter, UF_FORMAT_UF), b = bytes_of(same, UF_FORMAT_UF);
        assert_true(bytes_equal(&a, &b));
        bytes_free(&a);
        bytes_free(&b);
        uf_free(same);
        uf_free(filter);
        learning.force = 1;
        filter = build_with(spec_of("partition:fpr=0.01,seed=0x7").text, &learning, 2);
        assert_string_equal(kind_of(filter), "partition");
        assert_int_equal(keys_found(filter, &keys), KEYS);
        uf_free(filter);
    }
}

/* ---- scores of the caller's own ---- */

/* How many letters are from the first language's half; `arg` may name a letter that gives NaN when it comes first. */
static double own_score(void *arg, uf_key key)
{
    const char *text = key.data, *bad = arg;
    double score = 0;
    for (size_t i = 0; i < key.size; i++)
        score += text[i] % 2 ? 0.25 : -0.25; /* 'a' is odd */
    return bad && key.size && text[0] == *bad ? NAN : score;
}

static uf_learning with_scores(char *bad)
{
    uf_learning learning = with_model();
    learning.model = NULL;
    learning.score = own_score;
    learning.score_arg = bad;
    return learning;
}

static size_t count_different(const uf_filter *a, const uf_filter *b)
{
    size_t different = 0;
    for (size_t i = 0; i < FRESH; i += 7)
        different += uf_query(a, fresh.key[i]) != uf_query(b, fresh.key[i]);
    return different;
}

static void test_own_scores(void **state)
{
    uf_learning learning = with_scores(NULL);
    uf_context ctx = UF_CONTEXT_INIT;
    uf_error why;
    (void)state;
    uf_filter *filter = build_with("partition:fpr=0.01,seed=0x1", &learning, 2), *loaded;
    struct anatomy anatomy = anatomy_of(filter);
    assert_true(anatomy.learned.model_bytes == 0 && anatomy.learned.auc > 0.98);
    for (unsigned i = 2; i < anatomy.learned.regions; i++) /* quarters, as the caller gave them */
        assert_true(anatomy.region[i].from * 4 == floor(anatomy.region[i].from * 4));
    assert_int_equal(keys_found(filter, &keys), KEYS);
    double rate = (double)keys_found(filter, &fresh) / FRESH;
    assert_that(rate < 0.0115, "%g of fresh keys are accepted", rate);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);

    ctx.learning = &learning;
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &loaded, &why), &why);
    assert_int_equal(count_different(filter, loaded), 0);
    assert_int_equal(keys_found(loaded, &keys), KEYS);
    uf_free(loaded);
    uf_free(filter);
    bytes_free(&file);
}

/* The ends of the scale, and both zeros. */
static double extreme(void *arg, uf_key key)
{
    static const double scores[] = {-INFINITY, -1e308, -5e-324, -0.0, 0.0, 5e-324, 1e308, INFINITY};
    (void)arg;
    return scores[((const unsigned char *)key.data)[0] % 8];
}

static void test_extreme_scores(void **state)
{
    uf_learning learning = with_model();
    (void)state;
    learning.model = NULL;
    learning.score = extreme;
    learning.force = 1;
    uf_filter *filter = build_with("partition:fpr=0.01,regions=16,seed=0x1", &learning, 1);
    assert_int_equal(keys_found(filter, &keys), KEYS);
    for (size_t i = 0; i < KEYS; i += 100)
        assert_int_equal(uf_query(filter, keys.key[i]), 1);
    assert_true((double)keys_found(filter, &fresh) < 0.0115 * FRESH);
    uf_free(filter);
}

/* A NaN stops a build, wherever it is, and names the key. A filter that is asked without a score looks everywhere;
 * where a region accepts all, as here, the answer is yes. */
static void test_not_a_number(void **state)
{
    char letter[2] = "";
    uf_learning learning = with_scores(letter), good = with_scores(NULL);
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    letter[0] = ((const char *)keys.key[100].data)[0];
    assert_refused(UF_EINVAL, try_build("partition", &learning, 1, &filter, &why), &why);
    assert_that(strstr(why.text, "not a number") && strchr(why.text, '\''), "%s", why.text);
    assert_null(filter);
    filter = build_with("partition:fpr=0.01", &good, 1);
    struct bytes file = bytes_of(filter, UF_FORMAT_UF);
    uf_free(filter);
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.learning = &learning;
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, &ctx, &filter, &why), &why);
    size_t asked = 0, accepted = 0;
    for (size_t i = 0; i < FRESH; i++)
        if (((const char *)fresh.key[i].data)[0] == letter[0]) {
            uint8_t answer;
            uf_query_many(filter, &fresh.key[i], 1, &answer);
            accepted += answer && uf_query(filter, fresh.key[i]);
            asked++;
        }
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    assert_true(asked > 100 && accepted == asked && claim.unscored_fpr == 1);
    assert_int_equal(keys_found(filter, &keys), KEYS);
    uf_free(filter);
    bytes_free(&file);
}

static void test_valid_that_is_not_a_number(void **state)
{
    char letter[2] = "";
    uf_learning learning = with_scores(letter);
    uf_filter *filter = NULL;
    uf_error why;
    uf_key odd = {"!", 1};
    (void)state;
    letter[0] = '!';
    learning.valid = &odd;
    learning.valid_count = 1;
    assert_refused(UF_EINVAL, try_build("partition", &learning, 1, &filter, &why), &why);
    assert_that(strstr(why.text, "'!'") != NULL, "%s", why.text);
}

/* ---- negatives ---- */

static void test_negatives_that_are_keys(void **state)
{
    static uf_key mixed[VALID + 500];
    uf_learning learning = with_model(), spoiled = learning;
    uf_learned about;
    uf_filter *filter = NULL;
    uf_error why;
    (void)state;
    memcpy(mixed, keys.key + 100, 500 * sizeof *mixed);
    memcpy(mixed + 500, valid.key, VALID * sizeof *mixed);
    spoiled.valid = mixed;
    spoiled.valid_count = VALID + 500;
    filter = build_with("partition:fpr=0.01,seed=0x1", &spoiled, 3);
    uf_filter *clean = build_with("partition:fpr=0.01,seed=0x1", &learning, 1);
    assert_status(UF_OK, uf_get_learned(filter, &about, sizeof about), NULL);
    assert_true(about.overlap == 500 && about.valid == VALID);
    assert_int_equal(count_different(filter, clean), 0);
    uf_free(filter);
    uf_free(clean);
    spoiled.valid_count = 500;
    filter = NULL;
    assert_refused(UF_EINVAL, try_build("partition", &spoiled, 1, &filter, &why), &why);
    assert_non_null(strstr(why.text, "500"));
}

/* Few negatives say little: the plan must allow for that. Ten of them cannot vouch for one error in a hundred. */
static void test_few_negatives(void **state)
{
    uf_learning learning = with_model();
    (void)state;
    learning.force = 1;
    for (learning.valid_count = 1; learning.valid_count <= 1000; learning.valid_count *= 10) {
        uf_filter *filter = build_with("partition:fpr=0.01,seed=0x1", &learning, 1);
        double rate = (double)keys_found(filter, &fresh) / FRESH;
        assert_int_equal(keys_found(filter, &keys), KEYS);
        assert_that(rate < 0.02, "with %zu negatives: %g", learning.valid_count, rate);
        uf_free(filter);
    }
}

/* ---- what makes no sense ---- */

static void check_refused_learning(const char *spec, const uf_learning *learning)
{
    uf_filter *filter = NULL;
    uf_error why;
    assert_refused(UF_EINVAL, try_build(spec, learning, 1, &filter, &why), &why);
    assert_null(filter);
}

static void test_requestes_without_sense(void **state)
{
    static const char *const wrong[] = {
        "partition:fpr=0",         "partition:fpr=1",    "partition:regions=1", "partition:regions=17",
        "partition:children=dcso", "sandwich:regions=4", "learned:bits=100",    "partition:children=partition"};
    uf_learning learning = with_model();
    (void)state;
    check_refused_learning("partition", NULL);
    learning.valid_count = 0;
    check_refused_learning("partition", &learning);
    learning = with_model(), learning.valid = NULL;
    check_refused_learning("learned", &learning);
    learning = with_model(), learning.model = NULL;
    check_refused_learning("sandwich", &learning);
    learning = with_model(), learning.score = own_score;
    check_refused_learning("partition", &learning);
    learning = with_model(), learning.size = 4;
    check_refused_learning("partition", &learning);
    learning = with_model();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uf_spec spec;
        uf_filter *filter = NULL;
        uf_context ctx = UF_CONTEXT_INIT;
        uf_error why;
        ctx.learning = &learning;
        int status = uf_spec_parse(wrong[i], &spec, &why);
        if (status == UF_OK)
            status = uf_build(&spec, keys.key, 10, &ctx, &filter, &why);
        assert_refused(UF_EINVAL, status, &why);
        assert_null(filter);
    }
}

/* No keys, or only one: a filter that can be asked. */
static void test_little_to_hold(void **state)
{
    uf_learning learning = with_model();
    uf_context ctx = UF_CONTEXT_INIT;
    (void)state;
    ctx.learning = &learning;
    for (learning.force = 0; learning.force <= 1; learning.force++)
        for (size_t count = 0; count <= 1; count++) {
            uf_spec spec = spec_of("partition:fpr=0.01");
            uf_filter *filter;
            uf_error why;
            assert_status(UF_OK, uf_build(&spec, keys.key, count, &ctx, &filter, &why), &why);
            assert_true(keys_found(filter, &keys) >= count && uf_query(filter, keys.key[0]) >= (int)count);
            assert_true((double)keys_found(filter, &fresh) < 0.02 * FRESH);
            uf_free(filter);
        }
}

/* ---- memory ---- */

static void test_every_allocation_fails_once(void **state)
{
    static const char *const specs[] = {"partition:fpr=0.001,regions=4", "sandwich:children=bloom", "learned"};
    uf_learning learning = with_model();
    (void)state;
    learning.force = 1;
    learning.valid_count = 500;
    for (size_t s = 0; s < 3; s++)
        fail_each_allocation(specs[s], &learning, 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_sizes_and_members),
        cmocka_unit_test(test_parts_add_up),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_plain_when_smaller),
        cmocka_unit_test(test_own_scores),
        cmocka_unit_test(test_extreme_scores),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_valid_that_is_not_a_number),
        cmocka_unit_test(test_negatives_that_are_keys),
        cmocka_unit_test(test_few_negatives),
        cmocka_unit_test(test_requestes_without_sense),
        cmocka_unit_test(test_little_to_hold),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
