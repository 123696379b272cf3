/* SPDX-License-Identifier: MIT */
/* Models, as the public header has them: argument checks in front of model/. Their files are in model_file.c. */
#include "models.h"

#include <string.h>

#include "children.h"
#include "context.h"
#include "plan.h"
#include "sized.h"
#include "status.h"

/* ---- requests ---- */

static int training_read(const uf_training *given, uf_training *out, uf_error *why)
{
    *out = (uf_training)UF_TRAINING_INIT;
    int status = sized_read(out, sizeof *out, given, given->size, "UF_TRAINING_INIT", why);
    if (status != UF_OK)
        return status;
    out->weight_bits = out->weight_bits ? out->weight_bits : 4;
    out->fpr = out->fpr != 0 ? out->fpr : 0.01;
    out->children = out->children ? out->children : "ribbon";
    if (out->weight_bits != 4 && out->weight_bits != 8)
        return fail(why, UF_EINVAL, "weights of %u bits are not possible: they have 4 or 8", out->weight_bits);
    if ((!out->positives && out->positive_count) || (!out->negatives && out->negative_count) ||
        (!out->valid && out->valid_count))
        return fail(why, UF_EINVAL, "a number of keys was given without the keys");
    uint64_t least = model_words(FEATURES_LEAST_LOG, out->weight_bits) * sizeof(uint64_t);
    if (out->budget && out->budget < least)
        return fail(why, UF_EINVAL, "a budget of %llu bytes is too small: the least is %llu",
                    (unsigned long long)out->budget, (unsigned long long)least);
    return plan_check_fpr(out->fpr, why);
}

static int filter_request(const uf_training *how, struct regions_request *out, uf_error *why)
{
    double factor = child_factor(how->children);
    *out = (struct regions_request){REGIONS_PARTITION, how->fpr, 8, factor, CHILD_BITS, REGIONS_MARGIN, 0, 0, 0, 0};
    return factor > 0 ? UF_OK
                      : fail(why, UF_EINVAL, "a learned filter cannot be made of %s filters: take %s", how->children,
                             "bloom, blocked or ribbon");
}

/* ---- models ---- */

int model_new(struct fit *fit, uint64_t seed, uf_model **out, uf_error *why)
{
    uf_model *model = mem_alloc(&fit->mem, 1, sizeof *model);
    if (!model) {
        fit_free(fit);
        return fail(why, UF_ENOMEM, "no memory for a model");
    }
    model->fit = *fit;
    model->seed = seed;
    *out = model;
    return UF_OK;
}

int uf_train(const uf_training *given, const uf_context *given_ctx, uf_model **out, uf_error *why)
{
    uf_context ctx;
    uf_training how;
    struct regions_request filter;
    struct fit fit;
    error_clear(why);
    if (!given || !out)
        return fail(why, UF_EINVAL, "nothing to train on was given");
    int status = context_read(given_ctx, &ctx, why);
    if (status == UF_OK)
        status = training_read(given, &how, why);
    if (status == UF_OK)
        status = filter_request(&how, &filter, why);
    if (status != UF_OK)
        return status;
    struct fit_request request = {
        .positives = {how.positives, how.positive_count},
        .negatives = {how.negatives, how.negative_count},
        .valid = {how.valid, how.valid_count},
        .budget = how.budget,
        .weight_bits = how.weight_bits,
        .seed = how.seed,
        .filter = filter,
    };
    status = fit_model(&request, &ctx, &fit, why);
    return status == UF_OK ? model_new(&fit, how.seed, out, why) : status;
}

int32_t uf_model_score(const uf_model *model, uf_key key)
{
    return model_score(&model->fit.model, key);
}

void uf_model_score_many(const uf_model *model, const uf_key *keys, size_t count, int32_t *scores)
{
    model_score_many(&model->fit.model, keys, count, scores);
}

int uf_model_get_info(const uf_model *model, uf_model_info *out, size_t size)
{
    const struct fit *fit = &model->fit;
    uf_model_info info = {
        .bytes = fit->model.word_count * sizeof(uint64_t),
        .weights = UINT64_C(1) << fit->model.log_weights,
        .weight_bits = fit->model.weight_bits,
        .auc = fit->auc,
        .positives = fit->positives,
        .negatives = fit->negatives,
        .valid = fit->valid,
        .overlap = fit->overlap,
        .seed = model->seed,
        .repeated = fit->repeated,
        .trained = fit->trained,
    };
    return sized_write(&info, sizeof info, out, size);
}

void uf_model_free(uf_model *model)
{
    if (!model)
        return;
    struct mem mem = model->fit.mem;
    fit_free(&model->fit);
    mem_free(&mem, model, 1, sizeof *model);
}

int model_same(const uf_model *a, const uf_model *b)
{
    const struct model *one = &a->fit.model, *two = &b->fit.model;
    return one->log_weights == two->log_weights && one->weight_bits == two->weight_bits &&
           !memcmp(one->words, two->words, one->word_count * sizeof *one->words);
}
