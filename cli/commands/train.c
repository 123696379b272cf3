/* SPDX-License-Identifier: MIT */
/* train: keys of the set and keys that are not in it, into a model for learned filters. */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "human.h"
#include "labelled.h"
#include "learning.h"
#include "message.h"
#include "numbers.h"
#include "report.h"
#include "shared.h"
#include "signals.h"
#include "store.h"

static const struct option option_model_output = {'o', "output", VALUE_TO_MODEL, "FILE",
                                                  "Write the model to FILE: all of it, or nothing."};
static const struct option option_model_budget = {
    0, "budget", VALUE_NUMBER, "BYTES",
    "The most that the model may take. Default: what makes model and filter together smallest."};
static const struct option option_weight_bits = {0, "weight-bits", VALUE_CHOICE, "4|8",
                                                 "Bits of a weight. Default: 4."};
static const struct option option_model_fpr = {
    'p', "fpr", VALUE_NUMBER, "P", "The false-positive rate of the filter that the model is for. Default: 0.01."};
static const struct option option_train_seed = {
    0, "seed", VALUE_NUMBER, "N",
    "Of the order of training, 0 to 2^53. The same seed gives the same model. Default: 1."};

/* ---- what to train on ---- */

static int read_request(const struct args *args, uf_training *out)
{
    *out = (uf_training)UF_TRAINING_INIT;
    if (args_whole(args, &option_model_budget, 0, MOST_WHOLE, &out->budget) ||
        args_whole(args, &option_train_seed, 0, MOST_WHOLE, &out->seed))
        return EXIT_ERROR;
    out->weight_bits =
        args_has(args, &option_weight_bits) ? (unsigned)strtoul(args_value(args, &option_weight_bits), NULL, 10) : 0;
    out->children = args_value(args, &option_children);
    out->fpr = args_has(args, &option_model_fpr) ? strtod(args_value(args, &option_model_fpr), NULL) : 0.01;
    if (!(out->fpr > 0 && out->fpr < 1))
        return print_error("%s %s: not a rate between 0 and 1, such as 0.01", args_label(args, &option_model_fpr).text,
                           args_value(args, &option_model_fpr));
    if (args_has(args, &option_model_budget) && !out->budget)
        return print_error("--budget 0: a model takes at least 32 bytes");
    return EXIT_FINE;
}

/* ---- training ---- */

static int train(uf_training *how, const struct labelled *lists, unsigned threads, uf_model **out)
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
    const sigset_t before = signals_hold();
    int status = uf_model_save(model, path, &why);
    signals_restore(&before);
    return status == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}

/* ---- the result ---- */

static int report(const struct args *args, const struct labelled *lists, const uf_model *model)
{
    const char *path = args_value(args, &option_model_output);
    uf_model_info info;
    uf_model_get_info(model, &info, sizeof info);
    if (info.overlap)
        print_warning("%s of the negatives are keys of the set; they were left out",
                      human_count((double)info.overlap).text);
    learning_warn_lists(lists->valid.count, info.repeated, info.trained);
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:o, s:I, s:I, s:i, s:o, s:I, s:I, s:I, s:I}", "file", report_text(path),
                                     "bytes", (json_int_t)info.bytes, "weights", (json_int_t)info.weights,
                                     "weight_bits", (int)info.weight_bits, "auc", report_number(info.auc), "positives",
                                     (json_int_t)info.positives, "negatives", (json_int_t)info.negatives, "valid",
                                     (json_int_t)info.valid, "overlap", (json_int_t)info.overlap));
    if (!args_has(args, &option_quiet))
        (void)printf("%s  model  %s  %s weights of %u bits  AUC %.4f  %s keys against %s\n", path,
                     human_bytes((double)store_file_bytes(path)).text, human_count((double)info.weights).text,
                     info.weight_bits, info.auc, human_count((double)info.positives).text,
                     human_count((double)info.negatives).text);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    unsigned threads = args_threads(args);
    struct labelled lists;
    uf_training how;
    uf_model *model = NULL;
    if (!threads || args_require(args, &option_model_output) || args_require(args, &option_positives) ||
        args_require(args, &option_negatives) || args_require(args, &option_valid) || read_request(args, &how) ||
        store_check_target(args_value(args, &option_model_output)) || labelled_read(args, &lists))
        return EXIT_ERROR;
    int status = train(&how, &lists, threads, &model);
    if (!status)
        status = save(model, args_value(args, &option_model_output));
    if (!status)
        status = report(args, &lists, model);
    uf_model_free(model);
    labelled_free(&lists);
    return status;
}

static const struct option *const options[] = {&option_model_output, &option_overwrite, &option_positives,
                                               &option_negatives,    &option_valid,     &option_model_budget,
                                               &option_model_fpr,    &option_children,  &option_weight_bits,
                                               &option_train_seed,   KEYS_OPTIONS,      &option_lowercase,
                                               &option_trim,         &option_threads,   &option_quiet,
                                               &option_json,         &option_progress,  NULL};

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
