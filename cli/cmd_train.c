/* SPDX-License-Identifier: MIT */
/* train: keys of the set and keys that are not in it, into a model for learned filters. */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "human.h"
#include "learning.h"
#include "list.h"
#include "report.h"
#include "say.h"
#include "store.h"

/* ---- what to train on ---- */

struct lists {
    struct list positives, negatives, valid;
};

static void lists_free(struct lists *lists)
{
    list_free(&lists->positives);
    list_free(&lists->negatives);
    list_free(&lists->valid);
}

static int lists_read(const struct args *args, struct lists *out)
{
    *out = (struct lists){{.keys = NULL}, {.keys = NULL}, {.keys = NULL}};
    int status = list_read(args, args->value[OPT_POSITIVES], "reading the set", &out->positives);
    if (!status)
        status = list_read(args, args->value[OPT_NEGATIVES], "reading the negatives", &out->negatives);
    if (!status)
        status = list_read(args, args->value[OPT_VALID], "reading the negatives", &out->valid);
    if (status)
        lists_free(out);
    return status;
}

static int read_whole(const struct args *args, enum option_id id, uint64_t *out)
{
    double value = args_has(args, id) ? strtod(args->value[id], NULL) : (double)*out;
    if (!(value >= 0 && value <= 0x1p53 && value == floor(value)))
        return say_error("%s %s: not a whole number from 0 to 2^53", args_label(args, id).text, args->value[id]);
    *out = (uint64_t)value;
    return EXIT_FINE;
}

static int read_wish(const struct args *args, uf_training *out)
{
    *out = (uf_training)UF_TRAINING_INIT;
    if (read_whole(args, OPT_MODEL_BUDGET, &out->budget) || read_whole(args, OPT_TRAIN_SEED, &out->seed))
        return EXIT_ERROR;
    out->weight_bits = args_has(args, OPT_WEIGHT_BITS) ? (unsigned)strtoul(args->value[OPT_WEIGHT_BITS], NULL, 10) : 0;
    out->children = args->value[OPT_CHILDREN];
    out->fpr = args_has(args, OPT_MODEL_FPR) ? strtod(args->value[OPT_MODEL_FPR], NULL) : 0.01;
    if (!(out->fpr > 0 && out->fpr < 1))
        return say_error("%s %s: not a rate between 0 and 1, such as 0.01", args_label(args, OPT_MODEL_FPR).text,
                         args->value[OPT_MODEL_FPR]);
    if (args_has(args, OPT_MODEL_BUDGET) && !out->budget)
        return say_error("--budget 0: a model takes at least 32 bytes");
    return EXIT_FINE;
}

/* ---- training ---- */

static int train(uf_training *how, const struct lists *lists, unsigned threads, uf_model **out)
{
    how->positives = lists->positives.keys;
    how->positive_count = lists->positives.count;
    how->negatives = lists->negatives.keys;
    how->negative_count = lists->negatives.count;
    how->valid = lists->valid.keys;
    how->valid_count = lists->valid.count;
    return learning_train_model(how, threads, out);
}

static int save(const uf_model *model, const char *path)
{
    uf_error why;
    const sigset_t before = store_hold_signals();
    int status = uf_model_save(model, path, &why);
    store_let_signals(&before);
    return status == UF_OK ? EXIT_FINE : say_error("%s", why.text);
}

/* ---- the result ---- */

static int report(const struct args *args, const uf_model *model)
{
    const char *path = args->value[OPT_MODEL_OUTPUT];
    uf_model_info info;
    uf_model_get_info(model, &info);
    if (info.overlap)
        say_warning("%s of the negatives are keys of the set; they were left out",
                    human_count((double)info.overlap).text);
    if (args_has(args, OPT_JSON))
        return report_json(json_pack("{s:o, s:I, s:I, s:i, s:o, s:I, s:I, s:I, s:I}", "file", report_text(path),
                                     "bytes", (json_int_t)info.bytes, "weights", (json_int_t)info.weights,
                                     "weight_bits", (int)info.weight_bits, "auc", report_number(info.auc), "positives",
                                     (json_int_t)info.positives, "negatives", (json_int_t)info.negatives, "valid",
                                     (json_int_t)info.valid, "overlap", (json_int_t)info.overlap));
    if (!args_has(args, OPT_QUIET))
        (void)printf("%s  model  %s  %s weights of %u bits  AUC %.4f  %s keys against %s\n", path,
                     human_bytes((double)info.bytes).text, human_count((double)info.weights).text, info.weight_bits,
                     info.auc, human_count((double)info.positives).text, human_count((double)info.negatives).text);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    unsigned threads = args_threads(args);
    struct lists lists;
    uf_training how;
    uf_model *model = NULL;
    if (!threads || args_require(args, OPT_MODEL_OUTPUT) || args_require(args, OPT_POSITIVES) ||
        args_require(args, OPT_NEGATIVES) || args_require(args, OPT_VALID) || read_wish(args, &how) ||
        store_check_target(args->value[OPT_MODEL_OUTPUT]) || lists_read(args, &lists))
        return EXIT_ERROR;
    int status = train(&how, &lists, threads, &model);
    if (!status)
        status = save(model, args->value[OPT_MODEL_OUTPUT]);
    if (!status)
        status = report(args, model);
    uf_model_free(model);
    lists_free(&lists);
    return status;
}

static const enum option_id options[] = {OPT_MODEL_OUTPUT, OPT_POSITIVES, OPT_NEGATIVES, OPT_VALID,
                                         OPT_MODEL_BUDGET, OPT_MODEL_FPR, OPT_CHILDREN,  OPT_WEIGHT_BITS,
                                         OPT_TRAIN_SEED,   OPT_NULL,      OPT_THREADS,   OPT_QUIET,
                                         OPT_JSON,         OPT_PROGRESS,  OPT_END};

static const struct example examples[] = {
    {"ultrafilter train -o m.ufm --positives bad --negatives good --valid more",
     "A model that tells bad names from good ones, for build --model m.ufm."},
    {NULL, NULL},
};

const struct command command_train = {
    .name = "train",
    .synopsis = "-o M.ufm --positives P --negatives N --valid V [options]",
    .summary = "train a model for learned filters",
    .description =
        "Learns what keys of a set look like, from the set itself and from keys that will be asked for and are not in "
        "it. A learned filter then needs bits only for what the model gets wrong. The number of weights is the one "
        "that "
        "makes model and filter together smallest.\n\n"
        "AUC is the chance that a key of the set scores above a validation key: 0.5 is a guess, 1 is never wrong. What "
        "the model knows is the set: do not hand it out where the set is secret.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the model was written, 2 on an error. An error leaves no file, and an old one unchanged.",
    .least = 0,
    .most = 0,
    .run = run,
};
