/* SPDX-License-Identifier: MIT */
#include "fit.h"

#include <math.h>
#include <string.h>

#include "parallel.h"
#include "quantize.h"
#include "status.h"
#include "train.h"

enum {
    SLICE = 4096,
    SEGMENTS = 250,        /* enough to compare sizes by */
    REPAIR = 2,            /* passes after folding */
    FOLDS = 3,             /* as a guess, for the progress */
    MOST_PASSES = 12,      /* first training of a small set */
    LEAST_PASSES = 4,      /* and of a large one */
    CARDS_ENOUGH = 4000000 /* met in all of its passes */
};

/* ---- scoring many ---- */

struct scoring {
    const struct model *model;
    const struct fit_keys *keys;
    int64_t *out;
};

static int score_slice(void *arg, size_t slice)
{
    const struct scoring *scoring = arg;
    int32_t score[SLICE];
    size_t from = slice * SLICE, left = scoring->keys->count - from, count = left < SLICE ? left : SLICE;
    model_score_many(scoring->model, scoring->keys->keys + from, count, score);
    for (size_t i = 0; i < count; i++)
        scoring->out[from + i] = score[i];
    return 0;
}

void fit_score_all(const struct model *model, const struct fit_keys *keys, unsigned threads, int64_t *out)
{
    struct scoring scoring = {model, keys, out};
    (void)parallel_for(threads, (keys->count + SLICE - 1) / SLICE, score_slice, &scoring);
}

/* ---- one fit ---- */

struct fitting {
    const struct fit_request *request;
    const uf_context *ctx;
    struct mem mem;
    struct examples examples;
    struct training training;
    struct fit_keys valid; /* without the overlap */
    uf_key *valid_keys;    /* owned */
    int64_t *score[2];     /* owned: of positives and of valid ones */
    int64_t *scratch;      /* owned: as long as the longer of them */
    size_t longest;
    uint64_t *words; /* owned: room for the largest table */
    size_t word_capacity;
    struct fit *fit;
    double least; /* bits of model and filter */
};

static double plain_bits(const struct fit_request *request)
{
    return request->filter.factor * (double)request->positives.count * log2(1 / request->filter.fpr);
}

static unsigned largest_log(const struct fit_request *request)
{
    double bits = request->budget ? (double)request->budget * 8 : plain_bits(request) / 8;
    unsigned log = FEATURES_LEAST_LOG;
    while (log < FEATURES_MOST_LOG && (double)((uint64_t)request->weight_bits << (log + 1)) <= bits)
        log++;
    return log;
}

static unsigned first_passes(const struct examples *examples)
{
    size_t passes = examples->count ? CARDS_ENOUGH / examples->count : MOST_PASSES;
    return passes < LEAST_PASSES ? LEAST_PASSES : passes > MOST_PASSES ? MOST_PASSES : (unsigned)passes;
}

/* Valid negatives that are keys of the set would count as errors that no filter can avoid; those that are trained on
 * are known, and say nothing about fresh ones. Each counts once. */
static int keep_valid(struct fitting *f, const struct overlap *members)
{
    const struct fit_keys *given = &f->request->valid, *trained = &f->request->negatives;
    struct overlap known, seen;
    int status = overlap_make(&f->mem, trained->keys, trained->count, &known);
    if (status != UF_OK)
        return status;
    status = overlap_new(&f->mem, given->count, &seen);
    for (size_t i = 0; status == UF_OK && i < given->count; i++)
        if (!overlap_add_key(&seen, given->keys[i]))
            f->fit->repeated++;
        else if (overlap_has(&known, given->keys[i]))
            f->fit->trained++;
        else if (overlap_has(members, given->keys[i]))
            f->fit->overlap++;
        else
            f->valid_keys[f->valid.count++] = given->keys[i];
    f->valid.keys = f->valid_keys;
    if (status == UF_OK)
        overlap_free(&seen);
    overlap_free(&known);
    return status;
}

static int allocate(struct fitting *f)
{
    const struct fit_request *request = f->request;
    f->longest = request->positives.count > request->valid.count ? request->positives.count : request->valid.count;
    f->word_capacity = model_words(largest_log(request), request->weight_bits);
    f->valid_keys = mem_alloc_dirty(&f->mem, request->valid.count, sizeof *f->valid_keys);
    f->score[0] = mem_alloc_dirty(&f->mem, request->positives.count, sizeof(int64_t));
    f->score[1] = mem_alloc_dirty(&f->mem, request->valid.count, sizeof(int64_t));
    f->scratch = mem_alloc_dirty(&f->mem, f->longest, sizeof(int64_t));
    f->words = mem_alloc_dirty(&f->mem, f->word_capacity, sizeof *f->words);
    return f->valid_keys && f->score[0] && f->score[1] && f->scratch && f->words ? UF_OK : UF_ENOMEM;
}

static void release(struct fitting *f)
{
    mem_free(&f->mem, f->valid_keys, f->request->valid.count, sizeof *f->valid_keys);
    mem_free(&f->mem, f->score[0], f->request->positives.count, sizeof(int64_t));
    mem_free(&f->mem, f->score[1], f->request->valid.count, sizeof(int64_t));
    mem_free(&f->mem, f->scratch, f->longest, sizeof(int64_t));
    mem_free(&f->mem, f->words, f->word_capacity, sizeof *f->words);
}

/* Bits of the filter that this model would lead to, and its AUC. */
static int filter_bits(struct fitting *f, const struct model *model, double *bits, double *auc)
{
    struct curve curve;
    struct regions regions;
    fit_score_all(model, &f->request->positives, f->ctx->threads, f->score[0]);
    fit_score_all(model, &f->valid, f->ctx->threads, f->score[1]);
    scores_sort(f->score[0], f->scratch, f->request->positives.count);
    scores_sort(f->score[1], f->scratch, f->valid.count);
    int status =
        curve_make(&f->mem, f->score[0], f->request->positives.count, f->score[1], f->valid.count, SEGMENTS, &curve);
    if (status != UF_OK)
        return status;
    status = regions_choose(&curve, &f->request->filter, &regions);
    *bits = regions.bits;
    *auc = curve.auc;
    curve_free(&curve);
    return status;
}

static int keep(struct fitting *f, const struct model *model, double auc)
{
    struct fit *fit = f->fit;
    uint64_t *words = mem_alloc_dirty(&f->mem, model->word_count, sizeof *words);
    if (!words)
        return UF_ENOMEM;
    memcpy(words, model->words, model->word_count * sizeof *words);
    mem_free(&f->mem, fit->words, fit->model.word_count, sizeof *fit->words);
    fit->model = *model;
    fit->model.words = fit->words = words;
    fit->auc = auc;
    return UF_OK;
}

/* Rounds what is trained and keeps it if nothing smaller was there before. *better says which. */
static int try_size(struct fitting *f, int *better)
{
    const struct training *training = &f->training;
    unsigned bits = f->request->weight_bits;
    struct model model = {training->log_weights, bits, model_words(training->log_weights, bits), f->words};
    double filter = 0, auc = 0;
    quantize(training->weight, training->power, model.log_weights, bits, f->words);
    int status = filter_bits(f, &model, &filter, &auc);
    double total = filter + (double)model.word_count * 64;
    *better = status == UF_OK && total < f->least;
    if (!*better)
        return status;
    f->least = total;
    return keep(f, &model, auc);
}

static int train_sizes(struct fitting *f)
{
    unsigned passes = first_passes(&f->examples), log = largest_log(f->request);
    int better = 1;
    int status = training_start(&f->mem, &f->examples, f->ctx, log, passes + FOLDS * REPAIR, &f->training);
    if (status != UF_OK)
        return status;
    while (status == UF_OK && better) {
        status = training_run(&f->training, passes);
        if (status == UF_OK)
            status = try_size(f, &better);
        if (f->training.log_weights == FEATURES_LEAST_LOG)
            break;
        training_fold(&f->training);
        passes = REPAIR;
    }
    training_free(&f->training);
    return status;
}

/* ---- the whole ---- */

static int check_examples(const struct fitting *f, uf_error *why)
{
    unsigned long long overlap = f->fit->overlap;
    if (!f->examples.positives)
        return fail(why, UF_EINVAL, "there are no keys of the set to train on");
    if (!f->examples.negatives)
        return fail(why, UF_EINVAL,
                    "there are no negatives to train on (%llu were keys of the set): give keys that are asked for and "
                    "are not in the set",
                    overlap);
    if (!f->valid.count && f->fit->trained)
        return fail(why, UF_EINVAL,
                    "the %llu negatives to validate with are trained on, too: they say nothing about fresh keys. Split "
                    "the list, half for either",
                    (unsigned long long)f->fit->trained);
    if (!f->valid.count)
        return fail(why, UF_EINVAL,
                    "there are no negatives to validate with (%llu negatives were keys of the set): give some that the "
                    "model is not trained on",
                    overlap);
    return UF_OK;
}

static int fit_examples(struct fitting *f, uf_error *why)
{
    f->fit->overlap += f->examples.overlap;
    f->fit->positives = f->examples.positives;
    f->fit->negatives = f->examples.negatives;
    f->fit->valid = f->valid.count;
    int status = check_examples(f, why);
    if (status != UF_OK)
        return status;
    status = train_sizes(f);
    return status == UF_OK ? UF_OK : fail(why, status, "%s", uf_status_text(status));
}

int fit_model(const struct fit_request *request, const uf_context *ctx, struct fit *out, uf_error *why)
{
    struct fit fit = {.mem = {ctx->allocator}, .auc = NAN};
    struct fitting f = {.request = request, .ctx = ctx, .mem = fit.mem, .fit = &fit, .least = INFINITY};
    struct overlap members = {.slot = NULL};
    int status = overlap_make(&f.mem, request->positives.keys, request->positives.count, &members);
    if (status == UF_OK)
        status = allocate(&f);
    if (status == UF_OK)
        status = keep_valid(&f, &members);
    if (status == UF_OK)
        status = examples_make(&f.mem, request->positives.keys, request->positives.count, request->negatives.keys,
                               request->negatives.count, &members, request->seed, &f.examples);
    if (members.slot)
        overlap_free(&members);
    if (status != UF_OK) {
        fail(why, status, "no memory to train a model of %zu keys", request->positives.count);
    } else {
        status = fit_examples(&f, why);
        examples_free(&f.examples);
    }
    release(&f);
    if (status == UF_OK)
        *out = fit;
    else
        fit_free(&fit);
    return status;
}

void fit_free(struct fit *fit)
{
    mem_free(&fit->mem, fit->words, fit->model.word_count, sizeof *fit->words);
}
