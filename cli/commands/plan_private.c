/* SPDX-License-Identifier: MIT */
/*
 * plan --epsilon: the best design of each private mechanism beside the limit of the promise: at epsilon, FPR + FNR is
 * at least 2 / (1 + e^epsilon). The library finds and sorts them; here they are read and written.
 */
#include "plan_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "layout.h"
#include "message.h"
#include "nickel_odds.h"
#include "numbers.h"
#include "report.h"
#include "shared.h"
#include "ultrafilter.h"

/* Words of --prefer, and what they are for the library. */
static const struct {
    const char *word;
    unsigned prefer;
} preferences[] = {
    {"default", UF_PREFER_DEFAULT},
    {"small", UF_PREFER_SMALL},
    {"fast", UF_PREFER_FAST},
    {"accurate", UF_PREFER_ACCURATE},
};

enum { PREFERENCES = sizeof preferences / sizeof preferences[0] };

struct question {
    double epsilon, bits_per_key; /* bits_per_key 0: not said */
    uint64_t n, universe;         /* universe 0: not known */
    unsigned prefer;              /* of enum uf_prefer; 0: not said */
};

struct answer {
    uf_design design[UF_MOST_DESIGNS];
    size_t count;
    uf_limit limit;
};

/* ---- the question ---- */

static int check_options(const struct args *args)
{
    static const struct option *const others[] = {&option_fpr, &option_bits, &option_kind};
    int status = args_require(args, &option_epsilon) || args_require(args, &option_capacity) ||
                 args_exclusive(args, &option_prefer, &option_bits_per_key);
    for (size_t i = 0; !status && i < sizeof others / sizeof others[0]; i++)
        status = args_exclusive(args, &option_epsilon, others[i]);
    return status;
}

static unsigned prefer_of(const struct args *args)
{
    unsigned prefer = 0;
    for (size_t i = 0; args_has(args, &option_prefer) && i < PREFERENCES; i++)
        if (!strcmp(args_value(args, &option_prefer), preferences[i].word))
            prefer = preferences[i].prefer;
    return prefer;
}

static int read_question(const struct args *args, struct question *out)
{
    *out = (struct question){.prefer = prefer_of(args)};
    int status = check_options(args) || args_epsilon(args, &option_epsilon, &out->epsilon) ||
                 args_whole(args, &option_capacity, 0, MOST_WHOLE, &out->n);
    if (!status)
        status = args_positive(args, &option_bits_per_key, &out->bits_per_key);
    if (!status)
        status = args_whole(args, &option_universe_size, 1, MOST_WHOLE, &out->universe);
    return status;
}

/* What --prefer picks comes first; the others keep their order. */
static void put_first(struct answer *answer, unsigned prefer)
{
    size_t i = 0;
    while (i < answer->count && !(answer->design[i].prefers & prefer))
        i++;
    for (; i > 0 && i < answer->count; i--) {
        uf_design held = answer->design[i];
        answer->design[i] = answer->design[i - 1];
        answer->design[i - 1] = held;
    }
}

/* ---- JSON ---- */

static void add_extra(json_t *object, const char *name, json_t *value)
{
    (void)json_object_set_new(object, name, value); /* nothing happens when either is NULL: report_json notices */
}

static json_t *words_of(unsigned prefers)
{
    json_t *words = json_array();
    for (size_t i = 0; i < PREFERENCES; i++)
        if (prefers & preferences[i].prefer)
            (void)json_array_append_new(words, json_string(preferences[i].word));
    return words;
}

static json_t *design_object(const uf_design *design)
{
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "mechanism", design->mechanism, "spec", design->spec.text,
                  "fpr", report_number(design->fpr), "fnr", report_number(design->fnr), "sum",
                  report_number(design->fpr + design->fnr), "f1", report_number(design->f1), "bits_per_key",
                  report_number(design->bits_per_key), "epsilon", report_number(design->epsilon));
    if (design->variant) {
        add_extra(object, "variant", json_string(design->variant));
        add_extra(object, "build_ns", report_number(design->build_ns));
        add_extra(object, "query_ns", report_number(design->query_ns));
        add_extra(object, "prefer", words_of(design->prefers));
    }
    if (design->universe)
        add_extra(object, "universe", json_integer((json_int_t)design->universe));
    if (design->k)
        add_extra(object, "k", json_integer(design->k));
    if (design->t)
        add_extra(object, "t", json_integer(design->t));
    if (design->keep.text[0])
        add_extra(object, "keep", json_string(design->keep.text));
    if (design->note)
        add_extra(object, "note", json_string(design->note));
    return object;
}

static int is_nickel(const uf_design *design)
{
    return design->status == UF_OK && !strcmp(design->mechanism, "nickel");
}

/* What n members among that many keys mean for whoever is listed. */
static void add_odds(json_t *object, const struct question *question, const uf_design *design)
{
    const struct nickel_odds odds = nickel_odds(question->n, design->universe, question->epsilon);
    add_extra(object, "q", report_number(odds.q));
    add_extra(object, "decoys", report_number(odds.decoys));
    add_extra(object, "posterior", report_number(odds.posterior));
    add_extra(object, "even_q", report_number(odds.even_q));
    add_extra(object, "even_epsilon", report_number(odds.even_epsilon));
}

static int print_object(const struct question *question, const struct answer *answer)
{
    const uf_limit *limit = &answer->limit;
    json_t *designs = json_array(), *impossible = json_array();
    for (size_t i = 0; i < answer->count; i++) {
        const uf_design *design = &answer->design[i];
        json_t *object = design->status == UF_OK ? design_object(design) : NULL;
        if (is_nickel(design))
            add_odds(object, question, design);
        if (object)
            (void)json_array_append_new(designs, object);
        else
            (void)json_array_append_new(
                impossible, json_pack("{s:s, s:s}", "mechanism", design->mechanism, "why", design->why.text));
    }
    return report_json(json_pack("{s:{s:o, s:o, s:o, s:o, s:o, s:o}, s:o, s:o}", "limit", "fpr",
                                 report_number(limit->fpr), "fnr", report_number(limit->fnr), "sum",
                                 report_number(limit->sum), "f1", report_number(limit->f1), "ideal_bits_per_key",
                                 report_number(limit->ideal_bits), "least_bits_per_key",
                                 report_number(limit->least_bits), "designs", designs, "impossible", impossible));
}

/* ---- the table ---- */

/* "dyadic", "k=2 t=2", "|U|=16n k=11" */
static struct human shape_of(const uf_design *design, uint64_t n)
{
    struct human out = {""};
    if (design->variant)
        (void)snprintf(out.text, sizeof out.text, "%s", design->variant);
    else if (!design->universe)
        (void)snprintf(out.text, sizeof out.text, "k=%u t=%u", design->k, design->t);
    else if (n && design->universe % n == 0)
        (void)snprintf(out.text, sizeof out.text, "|U|=%.5gn k=%u", (double)(design->universe / n), design->k);
    else
        (void)snprintf(out.text, sizeof out.text, "|U|=%.5g k=%u", (double)design->universe, design->k);
    return out;
}

static void print_rates(const char *mechanism, const char *shape, double fpr, double fnr, double f1)
{
    (void)printf("%-10s %-17s %#10.5g %#10.5g %#10.5g %8.4f", mechanism, shape, fpr, fnr, fpr + fnr, f1);
}

static void print_design(const uf_design *design, uint64_t n)
{
    print_rates(design->mechanism, shape_of(design, n).text, design->fpr, design->fnr, design->f1);
    if (isfinite(design->bits_per_key))
        (void)printf(" %9.2f\n", design->bits_per_key);
    else
        (void)printf(" %9s\n", "-");
}

/* The variants of dpset: what they cost, and who takes them. */
static void print_variants(const struct answer *answer, size_t possible)
{
    const uf_limit *limit = &answer->limit;
    int head = 0;
    for (size_t i = 0; i < possible; i++) {
        const uf_design *design = &answer->design[i];
        if (!design->variant)
            continue;
        if (!head++)
            (void)printf("\n%-10s %8s %8s %8s %9s %9s  %s\n", "dpset", "bits/key", "of ideal", "of limit", "build ns",
                         "query ns", "publish takes it");
        (void)printf("%-10s %8.2f %8.3f %8.4f %9.0f %9.0f", design->variant, design->bits_per_key,
                     design->bits_per_key / limit->ideal_bits, (design->fpr + design->fnr) / limit->sum,
                     design->build_ns, design->query_ns);
        for (size_t j = 0; j < PREFERENCES; j++)
            if (design->prefers & preferences[j].prefer)
                (void)printf(j ? "  --prefer %s" : "  by %s", preferences[j].word);
        (void)printf("\n");
    }
    if (head)
        (void)printf("%-10s %8.2f    1\n", "ideal", limit->ideal_bits);
}

static void print_head(const struct question *question)
{
    (void)printf("For %s key%s at epsilon %g", human_count((double)question->n).text, question->n == 1 ? "" : "s",
                 question->epsilon);
    if (question->bits_per_key > 0)
        (void)printf(", at most %g bits per key\n\n", question->bits_per_key);
    else
        (void)printf("\n(dpset takes the bits it needs, the others 16 per key)\n\n");
    (void)printf("%-10s %-17s %10s %10s %10s %8s %9s\n", "mechanism", "design", "FPR", "FNR", "sum", "F1", "bits/key");
}

/* The exact filter of which later copies are made. */
static void print_keep(const struct answer *answer, size_t possible)
{
    for (size_t i = 0; i < possible; i++)
        if (answer->design[i].keep.text[0]) {
            (void)printf("\nTo keep, for copies like ultra's that are published later (build --for-release):\n");
            layout_entry(stdout, "exact", answer->design[i].keep.text, 13);
        }
}

/* Each mechanism's note once, whichever of its designs come first. */
static void print_notes(const struct answer *answer, size_t possible)
{
    (void)printf("\n");
    for (size_t i = 0; i < possible; i++) {
        const uf_design *design = &answer->design[i];
        size_t first = 0;
        while (strcmp(answer->design[first].mechanism, design->mechanism) != 0)
            first++;
        if (design->note && first == i)
            layout_entry(stdout, design->mechanism, design->note, 13);
    }
}

/* One sentence for the universe that was named, or for each that was assumed. */
static void print_odds(const struct question *question, const struct answer *answer, size_t possible)
{
    char text[NICKEL_SENTENCE];
    size_t found = 0;
    for (size_t i = 0; i < possible && question->n; i++)
        if (is_nickel(&answer->design[i])) {
            nickel_sentence(question->n, answer->design[i].universe, question->epsilon, text);
            layout_entry(stdout, found++ ? "" : "nickel", text, 13);
        }
    nickel_remark(question->epsilon, text);
    if (found)
        layout_entry(stdout, "", text, 13);
}

static void print_table(const struct question *question, const struct answer *answer)
{
    size_t possible = 0;
    print_head(question);
    for (; possible < answer->count && answer->design[possible].status == UF_OK; possible++)
        print_design(&answer->design[possible], question->n);
    print_rates("limit", "", answer->limit.fpr, answer->limit.fnr, answer->limit.f1);
    (void)printf("\n");
    print_variants(answer, possible);
    (void)printf("\n");
    for (size_t i = 0; i < possible; i++)
        layout_entry(stdout, answer->design[i].mechanism, answer->design[i].spec.text, 13);
    print_keep(answer, possible);
    print_notes(answer, possible);
    print_odds(question, answer, possible);
    if (possible < answer->count)
        (void)printf("\nNot possible:\n");
    for (size_t i = possible; i < answer->count; i++)
        layout_entry(stdout, answer->design[i].mechanism, answer->design[i].why.text, 13);
}

int plan_private(const struct args *args)
{
    struct question question;
    struct answer answer;
    uf_error why;
    if (read_question(args, &question))
        return EXIT_ERROR;
    if (uf_designs(question.epsilon, question.n, question.bits_per_key, question.universe, answer.design,
                   sizeof answer.design[0], UF_MOST_DESIGNS, &answer.count, &why) != UF_OK)
        return print_error("%s", why.text);
    (void)uf_get_limit(question.epsilon, &answer.limit, sizeof answer.limit); /* it has designs */
    if (answer.design[0].status != UF_OK)
        return print_error("%s", answer.design[0].why.text);
    put_first(&answer, question.prefer);
    if (args_has(args, &option_json))
        return print_object(&question, &answer);
    print_table(&question, &answer);
    return EXIT_FINE;
}
