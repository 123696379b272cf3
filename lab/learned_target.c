/* SPDX-License-Identifier: MIT */
#include "learned_target.h"

#include <math.h>
#include <stdio.h>

#include "keyring.h"

/* What a kind takes. */
enum takes { TAKES_KEY = 1, TAKES_SHARE = 2, TAKES_REGIONS = 4, PERMUTES = 8 };

static const struct {
    const char *name;
    unsigned takes; /* enum takes, or-ed */
} kinds[LEARNED_TARGETS] = {
    [LEARNED_PLAIN] = {"learned", 0},
    [LEARNED_SANDWICH] = {"sandwich", 0},
    [LEARNED_PARTITION] = {"partition", TAKES_REGIONS},
    [LEARNED_UPTOWN] = {"uptown", TAKES_KEY | PERMUTES},
    [LEARNED_DOWNTOWN] = {"downtown", TAKES_KEY | TAKES_SHARE},
    [LEARNED_ROBUST] = {"robust", TAKES_KEY | TAKES_SHARE | TAKES_REGIONS},
    [LEARNED_KEYED] = {"keyed", TAKES_KEY},
};

const char *learned_name(enum learned_id id)
{
    return kinds[id].name;
}

/* ---- setups ---- */

static double level_of(const struct learned_setup *setup, uf_key key)
{
    return floor((double)uf_model_score(setup->model, key) / setup->step);
}

static double score_level(void *setup, uf_key key)
{
    return level_of(setup, key);
}

static void widen(const struct learned_setup *setup, struct corpus_list list, double *low, double *high)
{
    for (size_t i = 0; i < list.count; i++) {
        double score = uf_model_score(setup->model, list.keys[i]);
        *low = fmin(*low, score);
        *high = fmax(*high, score);
    }
}

/* Planning takes time with the square of the number of scores. */
static void take_steps(struct learned_setup *setup)
{
    double low = INFINITY, high = -INFINITY;
    widen(setup, setup->corpus->members, &low, &high);
    widen(setup, setup->corpus->valid, &low, &high);
    setup->step = fmax(1, ceil((high - low) / setup->plan.levels));
    setup->learning.score = score_level;
    setup->learning.score_arg = setup;
}

int learned_setup_open(const struct corpus *corpus, const struct learned_plan *plan, struct learned_setup *out,
                       uf_error *why)
{
    uf_training how = UF_TRAINING_INIT;
    *out = (struct learned_setup){.corpus = corpus, .plan = *plan, .step = 1, .learning = UF_LEARNING_INIT};
    how.positives = corpus->members.keys;
    how.positive_count = corpus->members.count;
    how.negatives = corpus->negatives.keys;
    how.negative_count = corpus->negatives.count;
    out->learning.negatives = corpus->negatives.keys;
    out->learning.negative_count = corpus->negatives.count;
    how.valid = out->learning.valid = corpus->valid.keys;
    how.valid_count = out->learning.valid_count = corpus->valid.count;
    how.fpr = plan->fpr;
    how.children = plan->children;
    int status = uf_train(&how, NULL, &out->model, why);
    out->learning.force = 1;
    if (status == UF_OK && plan->levels)
        take_steps(out);
    else
        out->learning.model = out->model;
    return status;
}

void learned_setup_close(struct learned_setup *setup)
{
    uf_model_free(setup->model);
    *setup = (struct learned_setup){.corpus = NULL};
}

/* ---- targets ---- */

static int parse(const struct learned_setup *setup, enum learned_id id, uf_spec *out, uf_error *why)
{
    const struct learned_plan *plan = &setup->plan;
    const unsigned long long n = setup->corpus->members.count;
    char text[200], share[48] = "", regions[48] = "";
    if (id == LEARNED_KEYED) {
        (void)snprintf(text, sizeof text, "keyed(%.40s:n=%llu,fpr=%.15g)", plan->children, n, plan->fpr);
        return uf_spec_parse(text, out, why);
    }
    if (kinds[id].takes & TAKES_SHARE)
        (void)snprintf(share, sizeof share, ",alpha=%.15g", plan->share);
    if (kinds[id].takes & PERMUTES) /* what the theorem is about; the planner would make one filter of it */
        (void)snprintf(share, sizeof share, ",definition=paper");
    if (kinds[id].takes & TAKES_REGIONS)
        (void)snprintf(regions, sizeof regions, ",regions=%u", plan->regions);
    (void)snprintf(text, sizeof text, "%s:n=%llu,fpr=%.15g%s%s,children=%.40s", kinds[id].name, n, plan->fpr, share,
                   regions, plan->children);
    return uf_spec_parse(text, out, why);
}

static void inspect(struct learned_target *target)
{
    uf_claim claim;
    uf_get_claim(target->filter, &claim, sizeof claim);
    target->promised = target->bound = target->weakest = claim.fpr;
    if (uf_get_learned(target->filter, &target->learned, sizeof target->learned) != UF_OK)
        target->learned.regions = 0;
    (void)uf_get_regions(target->filter, target->region, sizeof target->region[0], UF_MOST_REGIONS);
    for (unsigned i = 0; i < target->learned.regions; i++)
        target->weakest = fmax(i ? target->weakest : 0, target->region[i].fpr);
    target->claims = !isnan(claim.adversarial_fpr);
    if (target->claims)
        target->bound = claim.adversarial_fpr;
}

int learned_target_new(const struct learned_setup *setup, enum learned_id id, const uf_context *ctx,
                       struct learned_target *out, uf_error *why)
{
    struct learned_target target = {.setup = setup, .id = id, .name = kinds[id].name};
    uf_context own = *ctx;
    int status = parse(setup, id, &target.spec, why);
    if (status == UF_OK && kinds[id].takes & TAKES_KEY)
        status = keyring_draw(ctx, &target.key, why);
    own.secret = target.key;
    own.learning = &setup->learning;
    if (status == UF_OK)
        status = uf_build(&target.spec, setup->corpus->members.keys, setup->corpus->members.count, &own, &target.filter,
                          why);
    if (status != UF_OK) {
        learned_target_free(&target);
        return status;
    }
    inspect(&target);
    *out = target;
    return UF_OK;
}

void learned_target_free(struct learned_target *target)
{
    uf_free(target->filter);
    uf_secret_free(target->key);
    *target = (struct learned_target){.filter = NULL};
}

struct text_value learned_value(const void *arg, const struct text *text)
{
    const struct learned_target *target = arg;
    struct text_value value = {target->weakest, uf_model_score(target->setup->model, text_key(text))};
    if (kinds[target->id].takes & PERMUTES)
        return value;
    const double level = floor(value.score / target->setup->step);
    for (unsigned i = 0; i < target->learned.regions && level >= target->region[i].from; i++)
        value.rate = target->region[i].fpr;
    return value;
}
