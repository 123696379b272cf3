/* SPDX-License-Identifier: MIT */
/*
 * hybrid: what is expected of a secure classical filter and of Downtown filters when a share of the
 * queries is chosen by an adversary, and up to which share a Downtown filter is the better one. The theorems are
 * in experiments/hybrid.h (docs/hybrid.md); here they are asked and written. With a rate instead of a size, each design
 * gets the memory that it needs for that rate in the worst case.
 */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "human.h"
#include "hybrid.h"
#include "layout.h"
#include "message.h"
#include "report.h"
#include "shared.h"
#include "ultrafilter.h"

static const struct option option_hybrid_share = {0, "adversarial-share", VALUE_NUMBER, "A",
                                                  "The share of the queries that an adversary chooses, 0 to 1."};
static const struct option option_oracle_bytes = {
    0, "model-bytes", VALUE_NUMBER, "B", "The size of the model. Default: 25900, that of Kraska et al. (2018)."};
static const struct option option_oracle_fpr = {
    0, "model-fpr", VALUE_NUMBER, "P", "The share of other keys that the model takes for members. Default: 0.005."};
static const struct option option_oracle_fnr = {
    0, "model-fnr", VALUE_NUMBER, "P",
    "The share of the members that the model does not take for members. Default: 0.55."};

struct question {
    struct hybrid how;
    double alpha, fpr; /* fpr 0: the memory is given */
};

struct design {
    const char *name, *label, *definition;
    int rule; /* enum downtown_definition */
    int sized_for_attack;
    double bits;
    struct downtown filter;
    double classical; /* of the same memory */
};

enum { CLASSICAL, DESIGNS = 4 };

static const struct design designs[DESIGNS] = {
    {.name = "keyed(bloom)", .label = "secure classical"},
    {.name = "downtown", .label = "downtown", .definition = "split", .sized_for_attack = 1},
    {.name = "downtown", .label = "  for share 0", .definition = "split"},
    {.name = "downtown",
     .label = "  definition 20",
     .definition = "paper",
     .rule = DOWNTOWN_PAPER,
     .sized_for_attack = 1},
};

struct answer {
    struct design design[DESIGNS];
    double reach;
};

/* ---- the question ---- */

static int check_options(const struct args *args)
{
    return args_require(args, &option_hybrid_share) || args_require(args, &option_capacity) ||
           args_exclusive(args, &option_bits, &option_bits_per_key) ||
           args_exclusive(args, &option_fpr, &option_bits) || args_exclusive(args, &option_fpr, &option_bits_per_key);
}

static double value_or(const struct args *args, const struct option *id, double otherwise)
{
    return args_has(args, id) ? strtod(args_value(args, id), NULL) : otherwise;
}

static int check_rate(const struct question *question)
{
    if (question->fpr > 0 && question->fpr < 1)
        return EXIT_FINE;
    return print_error("-p %g: the false-positive rate is above 0 and below 1", question->fpr);
}

static int read_question(const struct args *args, struct question *out)
{
    struct hybrid how = HYBRID_INIT;
    if (check_options(args))
        return EXIT_ERROR;
    how.n = strtod(args_value(args, &option_capacity), NULL);
    how.bits = value_or(args, &option_bits, value_or(args, &option_bits_per_key, 0) * how.n);
    how.model_bits = 8 * value_or(args, &option_oracle_bytes, how.model_bits / 8);
    how.model_fpr = value_or(args, &option_oracle_fpr, how.model_fpr);
    how.model_fnr = value_or(args, &option_oracle_fnr, how.model_fnr);
    *out = (struct question){.how = how, .alpha = strtod(args_value(args, &option_hybrid_share), NULL)};
    if (args_has(args, &option_bits) || args_has(args, &option_bits_per_key))
        return EXIT_FINE;
    out->fpr = value_or(args, &option_fpr, 0.001);
    return check_rate(out);
}

/* ---- the answer ---- */

static bool is_classical(const struct design *design)
{
    return !design->definition;
}

static struct hybrid request_of(const struct question *question, const struct design *design, double bits)
{
    struct hybrid how = question->how;
    how.bits = bits;
    how.definition = design->rule;
    how.alpha = design->sized_for_attack ? question->alpha : 0;
    return how;
}

/* A classical filter is a Downtown filter whose branches are the same filter. */
static int plan_with(const struct question *question, struct design *design, double bits, uf_error *why)
{
    struct hybrid how = request_of(question, design, bits);
    int status = UF_OK;
    design->bits = bits;
    design->classical = hybrid_classical(&how);
    if (is_classical(design))
        design->filter = (struct downtown){0, 1, design->classical, design->classical, 0, 0, 0, 0};
    else
        status = hybrid_plan(&how, &design->filter, why);
    return status;
}

static double worst_of(const struct question *question, const struct design *design)
{
    return hybrid_worst(&design->filter, question->alpha);
}

/* The least memory that reaches the rate: it falls with every bit. Where nothing does, the last plan says why. */
static int plan_for_rate(const struct question *question, struct design *design, uf_error *why)
{
    const struct hybrid *how = &question->how;
    double low = 0, high = how->model_bits + 2 * how->key_bits + 1 + how->n * 3 * -log2(question->fpr);
    for (int i = 0; i < 64 && high - low > 0.5; i++) {
        double middle = (low + high) / 2;
        if (plan_with(question, design, middle, NULL) == UF_OK && worst_of(question, design) <= question->fpr)
            high = middle;
        else
            low = middle;
    }
    return plan_with(question, design, ceil(high), why);
}

static int find_answer(const struct question *question, struct answer *out, uf_error *why)
{
    int status = UF_OK;
    for (size_t i = 0; i < DESIGNS && status == UF_OK; i++) {
        out->design[i] = designs[i];
        status = question->fpr > 0 ? plan_for_rate(question, &out->design[i], why)
                                   : plan_with(question, &out->design[i], question->how.bits, why);
    }
    struct hybrid how = request_of(question, &designs[1], out->design[CLASSICAL].bits);
    /* Where the model alone is larger than the classical filter, the latter always wins. */
    if (status == UF_OK && hybrid_reach(&how, &out->reach, NULL) != UF_OK)
        out->reach = 0;
    return status;
}

/* ---- writing ---- */

static double even_of(const struct question *question, const struct design *design)
{
    return hybrid_fixed(&design->filter, question->alpha / 2, question->alpha / 2);
}

static json_t *whole(double value)
{
    return json_integer((json_int_t)value);
}

static json_t *design_object(const struct question *question, const struct design *design)
{
    const struct downtown *filter = &design->filter;
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "mechanism", design->name, "bytes", whole(ceil(design->bits / 8)),
                  "bits_per_key", report_number(design->bits / question->how.n), "fpr_ordinary",
                  report_number(hybrid_ordinary(filter)), "fpr_even", report_number(even_of(question, design)), "fpr",
                  report_number(worst_of(question, design)));
    if (is_classical(design) || !object)
        return object;
    json_t *more =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "definition", design->definition, "sized_for",
                  report_number(design->sized_for_attack ? question->alpha : 0), "keys_a", whole(round(filter->keys_a)),
                  "bits_a", whole(round(filter->bits_a)), "bits_b", whole(round(filter->bits_b)), "fpr_a",
                  report_number(filter->fpr_a), "fpr_b", report_number(filter->fpr_b), "cutoff_even",
                  report_number(hybrid_cutoff(filter, design->classical, 0.5)), "cutoff_worst",
                  report_number(hybrid_cutoff(filter, design->classical, -1)));
    (void)json_object_update(object, more);
    json_decref(more);
    return object;
}

static int print_object(const struct question *question, const struct answer *answer)
{
    const struct hybrid *how = &question->how;
    json_t *list = json_array();
    for (size_t i = 0; i < DESIGNS; i++)
        (void)json_array_append_new(list, design_object(question, &answer->design[i]));
    return report_json(json_pack("{s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o}", "n", whole(how->n), "adversarial_share",
                                 report_number(question->alpha), "model", "bytes", whole(how->model_bits / 8), "fpr",
                                 report_number(how->model_fpr), "fnr", report_number(how->model_fnr), "reach",
                                 report_number(answer->reach), "designs", list));
}

static void print_head(const struct question *question)
{
    const struct hybrid *how = &question->how;
    (void)printf("For %s key%s ", human_count(how->n).text, how->n == 1 ? "" : "s");
    if (question->fpr > 0)
        (void)printf("at %s", human_percent(question->fpr).text);
    else
        (void)printf("in %s", human_bytes(how->bits / 8).text);
    (void)printf(", %s of the queries chosen by an adversary\n", human_percent(question->alpha).text);
    (void)printf("Model: %s, takes %s of other keys for members and misses %s of the members\n\n",
                 human_bytes(how->model_bits / 8).text, human_percent(how->model_fpr).text,
                 human_percent(how->model_fnr).text);
    (void)printf("%-16s %8s %8s %8s %8s %8s %8s   %s\n", "", "", "", "", "ordinary", "even", "worst", "wins below");
    (void)printf("%-16s %8s %8s %8s %8s %8s %8s %8s %8s\n", "design", "size", "FPR A", "FPR B", "FPR", "FPR", "FPR",
                 "even", "worst");
}

static void print_design(const struct question *question, const struct design *design)
{
    const struct downtown *filter = &design->filter;
    const bool one = is_classical(design);
    (void)printf("%-16s %8s %8s %8s %8s %8s %8s", design->label, human_bytes(design->bits / 8).text,
                 one ? "-" : human_percent(filter->fpr_a).text, one ? "-" : human_percent(filter->fpr_b).text,
                 human_percent(hybrid_ordinary(filter)).text, human_percent(even_of(question, design)).text,
                 human_percent(worst_of(question, design)).text);
    if (one)
        (void)printf(" %8s %8s\n", "-", "-");
    else
        (void)printf(" %8s %8s\n", human_percent(hybrid_cutoff(filter, design->classical, 0.5)).text,
                     human_percent(hybrid_cutoff(filter, design->classical, -1)).text);
}

static void print_notes(const struct answer *answer)
{
    char reach[160];
    (void)printf("\n");
    layout_entry(stdout, "for share 0", "The best sizes of A and B when nobody attacks.", 17);
    layout_entry(stdout, "definition 20", "Both filters hold all keys, as the paper defines it.", 17);
    layout_entry(stdout, "ordinary", "Nobody attacks (theorem 3).", 17);
    layout_entry(stdout, "even", "Half of the adversary's queries go to A, half to B (theorem 4).", 17);
    layout_entry(stdout, "worst", "All go to the worse of the two: expect this one.", 17);
    layout_entry(stdout, "wins below",
                 "The share of adversarial queries up to which this very filter beats a classical one of its size "
                 "(theorem 5).",
                 17);
    if (answer->reach > 0)
        (void)snprintf(reach, sizeof reach,
                       "Sized for the share that it meets, downtown beats the classical filter up "
                       "to %s.",
                       human_percent(answer->reach).text);
    else
        (void)snprintf(reach, sizeof reach, "With this model, downtown never beats the classical filter.");
    (void)printf("\n");
    layout_paragraph(stdout, reach, 0, 0);
}

static int run(const struct args *args)
{
    struct question question;
    struct answer answer;
    uf_error why;
    if (read_question(args, &question))
        return EXIT_ERROR;
    if (find_answer(&question, &answer, &why) != UF_OK)
        return print_error("%s", why.text);
    if (args_has(args, &option_json))
        return print_object(&question, &answer);
    print_head(&question);
    for (size_t i = 0; i < DESIGNS; i++)
        print_design(&question, &answer.design[i]);
    print_notes(&answer);
    return EXIT_FINE;
}

static const struct option *const options[] = {
    &option_capacity,     &option_fpr,        &option_bits,       &option_bits_per_key, &option_hybrid_share,
    &option_oracle_bytes, &option_oracle_fpr, &option_oracle_fnr, &option_json,         NULL};

static const struct example examples[] = {
    {"ultrafilter-lab hybrid -n 1.7e6 --bits 16777216 --adversarial-share 0.05",
     "Whether a learned filter pays under attack."},
    {"ultrafilter-lab hybrid -n 1e6 -p 0.01 --adversarial-share 0.1 --model-bytes 32768 --model-fpr 0.02 --model-fnr "
     "0.3",
     "The same with a model of one's own, at a rate instead of a size."},
    {NULL, NULL},
};

const struct command command_hybrid = {
    .name = "hybrid",
    .synopsis = "-n N --adversarial-share A [-p P | --bits M | --bits-per-key B] [options]",
    .summary = "compare learned and keyed filters under a share of attacks",
    .description =
        "What to expect of a keyed Bloom filter and of Downtown filters, which send keys that a model takes for "
        "members to one keyed filter and the others to another, when an adversary who knows the model chooses a share "
        "A of the queries; and up to which share a Downtown filter is the better one. Nothing is built: the rates "
        "follow from the theorems of the Bodega paper, corrected (docs/hybrid.md).\n\n"
        "A model of your own is described with --model-bytes, --model-fpr and --model-fnr.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when there is an answer, 2 when there is none.",
    .least = 0,
    .most = 0,
    .run = run,
};
