/* SPDX-License-Identifier: MIT */
#include "learning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "keys.h"
#include "key_list.h"
#include "message.h"
#include "progress.h"
#include "shared.h"
#include "source.h"
#include "spec.h"
#include "store.h"

int learning_wanted(const uf_spec *spec)
{
    return spec_has_trait(spec, UF_TRAIT_LEARNED);
}

/* uptown has its own way to a model. */
static int check_blind(const struct args *args)
{
    const struct option *given = args_has(args, &option_model) ? &option_model : &option_scores;
    if (args_has(args, given))
        return print_error(
            "uptown trains its own model, on what its key makes of the keys: give --negatives instead of %s",
            args_label(args, given).text);
    return args_require(args, &option_negatives);
}

int learning_check(const struct args *args, const uf_spec *spec)
{
    static const struct option *const only[] = {&option_model,  &option_negatives,    &option_valid,
                                                &option_scores, &option_valid_scores, &option_force};
    const char *kind = uf_spec_kind(spec);
    for (size_t i = 0; !learning_wanted(spec) && i < sizeof only / sizeof only[0]; i++)
        if (args_has(args, only[i]))
            return print_error("%s is for learned kinds, such as partition, not for %s", args_label(args, only[i]).text,
                               kind);
    if (!learning_wanted(spec))
        return EXIT_FINE;
    if (spec_has_trait(spec, UF_TRAIT_NEEDS_NEGATIVES) && check_blind(args))
        return EXIT_ERROR;
    if (args_exclusive(args, &option_model, &option_negatives) || args_exclusive(args, &option_model, &option_scores) ||
        args_exclusive(args, &option_negatives, &option_scores))
        return EXIT_ERROR;
    if (!args_has(args, &option_model) && !args_has(args, &option_negatives) && !args_has(args, &option_scores))
        return print_error(
            "%s is a learned kind: give --model M.ufm, or --negatives to train a model, or --scores; and --valid",
            kind);
    if (args_has(args, &option_scores) != args_has(args, &option_valid_scores))
        return print_error("--scores and --valid-scores go together: the negatives of --valid need scores, too");
    return args_require(args, &option_valid);
}

/* ---- where scores come from ---- */

int learning_train_model(const uf_training *how, unsigned threads, uf_model **out)
{
    const uf_context context = store_context(threads);
    uf_error why;
    progress_library_phase("training");
    int status = uf_train(how, &context, out, &why);
    progress_hide();
    return status == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}

/* From wherever it comes, packed or not; a plain file is the library's to read. */
static int load_model(const char *path, uf_model **out)
{
    struct source source;
    char *data = NULL;
    size_t size;
    uf_error why = {.status = UF_OK};
    if (source_open(path, "the model", &source))
        return EXIT_ERROR;
    const bool file = source_is_file(&source);
    int status = file ? EXIT_FINE : source_read_all(&source, &data, &size);
    if (!status && file)
        (void)uf_model_load(path, NULL, out, &why);
    else if (!status)
        (void)uf_model_load_bytes(data, size, NULL, out, &why);
    if (!status && why.status != UF_OK)
        status = file ? print_error("%s", why.text) : print_error("%s: %s", source.name, why.text);
    free(data);
    source_close(&source);
    return status;
}

static int train(const uf_spec *spec, const struct key_list *keys, unsigned threads, struct learning *out)
{
    uf_training how = UF_TRAINING_INIT;
    uf_spec plan;
    char children[32] = "ribbon";
    if (uf_plan(spec, &plan, NULL) == UF_OK) { /* with the defaults of the kind */
        (void)uf_spec_get(&plan, "fpr", &how.fpr);
        (void)uf_spec_get_text(&plan, "children", children, sizeof children);
    }
    how.positives = keys->keys;
    how.positive_count = keys->count;
    how.negatives = out->negatives.keys;
    how.negative_count = out->negatives.count;
    how.valid = out->valid.keys;
    how.valid_count = out->valid.count;
    how.children = children;
    int status = learning_train_model(&how, threads, &out->model);
    if (!status) {
        uf_model_info info;
        uf_model_get_info(out->model, &info, sizeof info);
        out->overlap = info.overlap;
    }
    return status;
}

static int read_scores(const struct args *args, const struct key_list *keys, struct learning *out)
{
    int status = scores_new(&out->scores);
    if (!status)
        status = scores_add(out->scores, args_value(args, &option_scores), keys);
    if (!status)
        status = scores_add(out->scores, args_value(args, &option_valid_scores), &out->valid);
    return status;
}

/* ---- the whole ---- */

static int fill(const struct args *args, const uf_spec *spec, const struct key_list *keys, unsigned threads,
                struct learning *out)
{
    int status = EXIT_FINE;
    out->permuted = spec_has_trait(spec, UF_TRAIT_NEEDS_NEGATIVES);
    if (args_has(args, &option_negatives))
        status =
            key_list_read(args_value(args, &option_negatives), &out->format, "reading the negatives", &out->negatives);
    if (!status && args_has(args, &option_model))
        status = load_model(args_value(args, &option_model), &out->model);
    else if (!status && args_has(args, &option_scores))
        status = read_scores(args, keys, out);
    else if (!status && !out->permuted)
        status = train(spec, keys, threads, out);
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
    out->learning.force = args_has(args, &option_force);
    return EXIT_FINE;
}

static int start(const struct args *args, const struct keys_format *format, struct learning *out)
{
    *out = (struct learning){.format = *format, .learning = UF_LEARNING_INIT};
    return key_list_read(args_value(args, &option_valid), &out->format, "reading the negatives", &out->valid);
}

int learning_open(const struct args *args, const uf_spec *spec, const struct keys_format *format, unsigned threads,
                  struct learning *out)
{
    if (start(args, format, out))
        return EXIT_ERROR;
    if (!args_has(args, &option_model) && key_list_read_operands(args, &out->format, "reading the set", &out->keys)) {
        learning_close(out);
        return EXIT_ERROR;
    }
    return fill(args, spec, &out->keys, threads, out);
}

int learning_train(const struct args *args, const uf_spec *spec, const struct keys_format *format,
                   const struct key_list *keys, unsigned threads, struct learning *out)
{
    return start(args, format, out) ? EXIT_ERROR : fill(args, spec, keys, threads, out);
}

void learning_close(struct learning *learning)
{
    uf_model_free(learning->model);
    scores_free(learning->scores);
    key_list_free(&learning->keys);
    key_list_free(&learning->valid);
    key_list_free(&learning->negatives);
    *learning = (struct learning){.learning = UF_LEARNING_INIT};
}

/* ---- warnings ---- */

/* Of a keyed filter the plan must not tell which of them are keys. */
static void warn_of_overlap(uint64_t overlap, const uf_filter *filter)
{
    char id[UF_KEY_ID_SIZE];
    uf_get_key_id(filter, id);
    if (overlap)
        print_warning("%s of the negatives are keys of the set; %s", human_count((double)overlap).text,
                      id[0] ? "in the plan those of --valid count all the same, so that the file does not tell which"
                            : "they were left out");
}

void learning_warn_lists(uint64_t lines, uint64_t repeated, uint64_t trained)
{
    if (repeated)
        print_warning("%s of the %s lines of --valid came before: a key counts once, and the rate is that of different "
                      "keys, not of queries",
                      human_count((double)repeated).text, human_count((double)lines).text);
    if (trained)
        print_warning("%s keys of --valid are in --negatives, too: the model knows them, and they were left out",
                      human_count((double)trained).text);
}

/* Of fewer than ten expected errors a rate cannot be told. */
static void warn_of_few(uint64_t valid, const uf_filter *filter)
{
    enum { ERRORS = 10 };
    uf_spec plan;
    double fpr;
    uf_get_plan(filter, &plan);
    if (uf_spec_get(&plan, "fpr", &fpr) == UF_OK && (double)valid * fpr < ERRORS * 0.99)
        print_warning(
            "--valid has %s different keys that count, few to plan a rate of %s with: the margin is wide, and what is "
            "promised for keys like these is uncertain; give %s or more",
            human_count((double)valid).text, human_percent(fpr).text, human_count(ceil(ERRORS / fpr)).text);
}

static void warn_of_plain(const struct learning *learning, const uf_learned *about)
{
    if (learning->permuted)
        print_warning(
            "the model sees permuted keys only and tells nothing (AUC %.3f): with it the filter would take %s, "
            "and a plain %s filter with the same key takes %s: that one was built (--force builds the other)",
            about->auc, human_bytes((double)about->bytes).text, about->children,
            human_bytes((double)about->plain_bytes).text);
    else
        print_warning(
            "with a model it would take %s, and a plain %s filter takes %s: that one was built (--force builds "
            "the other)",
            human_bytes((double)about->bytes).text, about->children, human_bytes((double)about->plain_bytes).text);
}

void learning_warn(const struct learning *learning, const uf_filter *filter)
{
    uf_learned about = {.overlap = 0};
    uf_info info;
    (void)uf_get_learned(filter, &about, sizeof about);
    (void)uf_get_info(filter, &info, sizeof info);
    warn_of_overlap(learning->overlap > about.overlap ? learning->overlap : about.overlap, filter);
    learning_warn_lists(learning->valid.count, about.repeated, about.trained);
    if (uf_kind_traits(info.kind) & UF_TRAIT_LEARNED)
        warn_of_few(about.valid, filter);
    else
        warn_of_plain(learning, &about);
}
