/* SPDX-License-Identifier: MIT */
#include "learning.h"

#include <stdio.h>
#include <string.h>

#include "human.h"
#include "make.h"
#include "progress.h"
#include "say.h"
#include "store.h"

int learning_wanted(const uf_spec *spec)
{
    uf_spec trial = *spec;
    return uf_spec_set(&trial, "children", "ribbon", NULL) == UF_OK;
}

/* uptown has its own way to a model. */
static int check_blind(const struct args *args)
{
    const enum option_id given = args_has(args, OPT_MODEL) ? OPT_MODEL : OPT_SCORES;
    if (args_has(args, given))
        return say_error(
            "uptown trains its own model, on what its key makes of the keys: give --negatives instead of %s",
            args_label(args, given).text);
    return args_require(args, OPT_NEGATIVES);
}

int learning_check(const struct args *args, const uf_spec *spec)
{
    static const enum option_id only[] = {OPT_MODEL, OPT_NEGATIVES, OPT_VALID, OPT_SCORES, OPT_VALID_SCORES, OPT_FORCE};
    const int kind = (int)strcspn(spec->text, ":");
    for (size_t i = 0; !learning_wanted(spec) && i < sizeof only / sizeof only[0]; i++)
        if (args_has(args, only[i]))
            return say_error("%s is for learned kinds, such as partition, not for %.*s", args_label(args, only[i]).text,
                             kind, spec->text);
    if (!learning_wanted(spec))
        return EXIT_FINE;
    if (make_is_kind(spec, "uptown") && check_blind(args))
        return EXIT_ERROR;
    if (args_exclusive(args, OPT_MODEL, OPT_NEGATIVES) || args_exclusive(args, OPT_MODEL, OPT_SCORES) ||
        args_exclusive(args, OPT_NEGATIVES, OPT_SCORES))
        return EXIT_ERROR;
    if (!args_has(args, OPT_MODEL) && !args_has(args, OPT_NEGATIVES) && !args_has(args, OPT_SCORES))
        return say_error(
            "%.*s is a learned kind: give --model M.ufm, or --negatives to train a model, or --scores; and "
            "--valid",
            kind, spec->text);
    if (args_has(args, OPT_SCORES) != args_has(args, OPT_VALID_SCORES))
        return say_error("--scores and --valid-scores go together: the negatives of --valid need scores, too");
    return args_require(args, OPT_VALID);
}

/* ---- where scores come from ---- */

int learning_train_model(const uf_training *how, unsigned threads, uf_model **out)
{
    const uf_context context = store_context(threads);
    uf_error why;
    progress_library_phase("training");
    int status = uf_train(how, &context, out, &why);
    progress_hide();
    return status == UF_OK ? EXIT_FINE : say_error("%s", why.text);
}

static int load_model(const char *path, uf_model **out)
{
    uf_error why;
    return uf_model_load(path, NULL, out, &why) == UF_OK ? EXIT_FINE : say_error("%s", why.text);
}

static int train(const struct args *args, const uf_spec *spec, const struct list *keys, unsigned threads,
                 struct learning *out)
{
    uf_training how = UF_TRAINING_INIT;
    struct list negatives;
    uf_spec plan;
    char children[32] = "ribbon";
    if (uf_plan(spec, &plan, NULL) == UF_OK) { /* with the defaults of the kind */
        const char *named = strstr(plan.text, "children=");
        (void)uf_spec_get(&plan, "fpr", &how.fpr);
        if (named)
            (void)snprintf(children, sizeof children, "%.*s", (int)strcspn(named + 9, ","), named + 9);
    }
    if (list_read(args, args->value[OPT_NEGATIVES], "reading the negatives", &negatives))
        return EXIT_ERROR;
    how.positives = keys->keys;
    how.positive_count = keys->count;
    how.negatives = negatives.keys;
    how.negative_count = negatives.count;
    how.valid = out->valid.keys;
    how.valid_count = out->valid.count;
    how.children = children;
    int status = learning_train_model(&how, threads, &out->model);
    if (!status) {
        uf_model_info info;
        uf_model_get_info(out->model, &info);
        out->overlap = info.overlap;
    }
    list_free(&negatives);
    return status;
}

static int read_scores(const struct args *args, const struct list *keys, struct learning *out)
{
    int status = scores_new(&out->scores);
    if (!status)
        status = scores_add(out->scores, args, args->value[OPT_SCORES], keys);
    if (!status)
        status = scores_add(out->scores, args, args->value[OPT_VALID_SCORES], &out->valid);
    return status;
}

/* ---- the whole ---- */

static int fill(const struct args *args, const uf_spec *spec, const struct list *keys, unsigned threads,
                struct learning *out)
{
    int status = EXIT_FINE;
    if (make_is_kind(spec, "uptown"))
        status = list_read(args, args->value[OPT_NEGATIVES], "reading the negatives", &out->negatives);
    else if (args_has(args, OPT_MODEL))
        status = load_model(args->value[OPT_MODEL], &out->model);
    else if (args_has(args, OPT_NEGATIVES))
        status = train(args, spec, keys, threads, out);
    else
        status = read_scores(args, keys, out);
    if (status) {
        learning_close(out);
        return status;
    }
    out->learning.model = out->model;
    out->learning.score = out->scores ? scores_of : NULL;
    out->learning.score_arg = out->scores;
    out->learning.valid = out->valid.keys;
    out->learning.valid_count = out->valid.count;
    out->learning.negatives = out->negatives.keys;
    out->learning.negative_count = out->negatives.count;
    out->learning.force = args_has(args, OPT_FORCE);
    out->learning.design = &out->design;
    return EXIT_FINE;
}

static int start(const struct args *args, struct learning *out)
{
    *out = (struct learning){.learning = UF_LEARNING_INIT};
    return list_read(args, args->value[OPT_VALID], "reading the negatives", &out->valid);
}

int learning_open(const struct args *args, const uf_spec *spec, const char *keys, unsigned threads,
                  struct learning *out)
{
    if (start(args, out))
        return EXIT_ERROR;
    if (!args_has(args, OPT_MODEL) && list_read(args, keys, "reading the set", &out->keys)) {
        learning_close(out);
        return EXIT_ERROR;
    }
    return fill(args, spec, &out->keys, threads, out);
}

int learning_train(const struct args *args, const uf_spec *spec, const struct list *keys, unsigned threads,
                   struct learning *out)
{
    return start(args, out) ? EXIT_ERROR : fill(args, spec, keys, threads, out);
}

void learning_close(struct learning *learning)
{
    uf_model_free(learning->model);
    scores_free(learning->scores);
    list_free(&learning->keys);
    list_free(&learning->valid);
    list_free(&learning->negatives);
    *learning = (struct learning){.learning = UF_LEARNING_INIT};
}

void learning_warn(const struct learning *learning, const uf_filter *filter)
{
    const uf_learned *design = &learning->design;
    const uint64_t overlap = learning->overlap > design->overlap ? learning->overlap : design->overlap;
    uf_learned built;
    if (overlap)
        say_warning("%s of the negatives are keys of the set; they were left out", human_count((double)overlap).text);
    if (uf_get_learned(filter, &built) == UF_OK)
        return;
    if (learning->negatives.count)
        say_warning("the model sees permuted keys only and tells nothing (AUC %.3f): with it the filter would take %s, "
                    "and a plain %s filter with the same key takes %s: that one was built (--force builds the other)",
                    design->auc, human_bytes((double)design->bytes).text, design->children,
                    human_bytes((double)design->plain_bytes).text);
    else
        say_warning("with a model it would take %s, and a plain %s filter takes %s: that one was built (--force builds "
                    "the other)",
                    human_bytes((double)design->bytes).text, design->children,
                    human_bytes((double)design->plain_bytes).text);
}
