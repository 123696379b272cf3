/* SPDX-License-Identifier: MIT */
/*
 * A12, mutation: the two attacks on learned filters of Reviriego, Hernández, Dai and Shrivastava, "Learned Bloom
 * filters in adversarial environments: a malicious URL detection use-case", HPSR 2021.
 *
 *   black box, one-shot   ask until something is accepted, true or false; make one edit; ask again. With each sort of
 *                         edit by itself: a character changed, added, taken away, two that change places, another
 *                         beginning or end (www., the s of https, a path).
 *   black box, chain      the same with all edits, but every mutant that is accepted becomes a parent, too.
 *   white box             the attacker has the model and the file, not the key. A key that is not in the set gets up to
 *                         three edits, each time the one that brings it to the filter with the highest rate, and of
 *                         those the one to the highest score.
 *
 * A model takes what is like a member for a member, so mutants of members are accepted by a filter that believes its
 * model. Where every answer comes from a keyed filter they are accepted at that filter's rate.
 */
#include <math.h>

#include "attack.h"
#include "oracle.h"
#include "refuse.h"

enum { REGIONS = 8, MOST_SEEDS = 4096, FIRST_SEEDS = 256, REPORT_EVERY = 256 };

struct tally {
    uint64_t mutants, hits, edits;
};

/* Remembers what went wrong; a status. */
static int no_memory(const struct attack_run *run)
{
    return refuse(run->why, UF_ENOMEM, "no memory for the questions of an attack");
}

/* ---- black box ---- */

/* Shows a mutant of this parent; 1 when it is accepted, 0, or a status. */
static int show_mutant(struct oracle *oracle, const struct text *parent, struct text *mutant, struct tally *tally)
{
    if (!oracle_mutate(oracle, parent, mutant))
        return 0;
    int answer = oracle_ask(oracle, mutant);
    if (answer < 0)
        return answer;
    tally->mutants++;
    tally->hits += (uint64_t)answer;
    return answer;
}

/* Goes on until so many mutants were shown, or it has tried four times as often. */
static int goes_on(const struct attack_run *run, const struct tally *tally, uint64_t trials, uint64_t tries,
                   int *status)
{
    if (*status == UF_OK && tries % REPORT_EVERY == 0)
        *status = attack_progress(run, tally->mutants, trials);
    return *status == UF_OK && tally->mutants < trials && tries < 4 * trials;
}

static int one_shot(struct attack_run *run, struct oracle *oracle, struct tally *tally)
{
    int status = UF_OK;
    for (uint64_t tries = 0; goes_on(run, tally, run->request->trials, tries, &status); tries++) {
        struct text parent, mutant;
        int found = oracle_find(oracle, run->request->trials, &parent);
        if (found > 0)
            found = show_mutant(oracle, &parent, &mutant, tally);
        if (found < 0)
            status = no_memory(run);
    }
    return status;
}

struct seeds {
    struct text text[MOST_SEEDS];
    size_t count;
};

/* The newest push out others at random once there are too many. */
static void plant(struct seeds *seeds, const struct text *text, struct stream *stream)
{
    size_t at = seeds->count < MOST_SEEDS ? seeds->count++ : (size_t)(stream_next(stream) % MOST_SEEDS);
    seeds->text[at] = *text;
}

static int chain(struct attack_run *run, struct oracle *oracle, struct tally *tally)
{
    struct seeds *seeds = calloc(1, sizeof *seeds);
    int status = seeds ? UF_OK : no_memory(run);
    for (unsigned i = 0; status == UF_OK && i < FIRST_SEEDS; i++) {
        struct text parent;
        int found = oracle_find(oracle, run->request->trials, &parent);
        if (found > 0)
            plant(seeds, &parent, oracle->stream);
        if (found < 0)
            status = no_memory(run);
    }
    for (uint64_t tries = 0;
         status == UF_OK && seeds->count && goes_on(run, tally, run->request->trials, tries, &status); tries++) {
        struct text mutant;
        int answer = show_mutant(oracle, &seeds->text[stream_next(oracle->stream) % seeds->count], &mutant, tally);
        if (answer > 0)
            plant(seeds, &mutant, oracle->stream);
        if (answer < 0)
            status = no_memory(run);
    }
    free(seeds);
    return status;
}

/* ---- white box ---- */

/* A quarter of the trials: each takes the scores of hundreds of texts. */
static int white_box(struct attack_run *run, struct oracle *oracle, struct tally *tally)
{
    uint64_t trials = (run->request->trials + 3) / 4;
    int status = UF_OK;
    for (uint64_t tries = 0; goes_on(run, tally, trials, tries, &status); tries++) {
        struct text text;
        if (!oracle_draw(oracle, &text))
            continue;
        unsigned edits = oracle_craft(oracle, &text);
        if (!edits || !oracle_is_new(oracle, &text))
            continue;
        int answer = oracle_ask(oracle, &text);
        if (answer < 0)
            status = no_memory(run);
        tally->mutants++;
        tally->hits += answer > 0;
        tally->edits += edits;
    }
    return status;
}

/* ---- the whole ---- */

static void add_row(struct attack_run *run, const struct learned_target *target, const char *metric, const char *about,
                    const struct tally *tally, uint64_t work, const char *unit)
{
    struct attack_row *row =
        attack_share(run->result, target->name, metric, about, tally->hits, tally->mutants, target->bound);
    attack_cost(row, tally->hits ? (double)work / (double)tally->hits : NAN, unit);
}

/* Negatives as they are: what the rate is planned for. */
static void add_plain(struct attack_run *run, const struct learned_target *target)
{
    const struct corpus_list *fresh = &target->setup->corpus->fresh;
    uint64_t hits = 0;
    for (size_t i = 0; i < fresh->count; i++)
        hits += (uint64_t)uf_query(target->filter, fresh->keys[i]);
    attack_cost(attack_share(run->result, target->name, "hit_rate_plain", "negatives, unchanged", hits, fresh->count,
                             target->promised),
                hits ? (double)fresh->count / (double)hits : NAN, "queries per false positive");
}

typedef int strategy(struct attack_run *run, struct oracle *oracle, struct tally *tally);

static int add_strategy(struct attack_run *run, const struct learned_target *target, strategy *how, unsigned edits,
                        const char *metric, const char *about)
{
    struct oracle oracle = {.target = target, .corpus = target->setup->corpus, .stream = &run->stream, .edits = edits};
    struct tally tally = {0, 0, 0};
    int status = how(run, &oracle, &tally);
    if (status == UF_OK)
        add_row(run, target, metric, about, &tally, how == white_box ? tally.edits : oracle.questions,
                how == white_box ? "edits per false positive" : "queries per false positive");
    oracle_close(&oracle);
    return status;
}

static const struct {
    const char *metric, *about;
} edits[TEXT_EDITS] = {
    [EDIT_SUBSTITUTE] = {"hit_rate_one_shot", "one character changed"},
    [EDIT_INSERT] = {"hit_rate_insert", "one character more"},
    [EDIT_DELETE] = {"hit_rate_delete", "one character less"},
    [EDIT_SWAP] = {"hit_rate_swap", "two neighbours swapped"},
    [EDIT_PREFIX] = {"hit_rate_prefix", "another beginning"},
    [EDIT_SUFFIX] = {"hit_rate_suffix", "another end"},
};

static int mutate(struct attack_run *run, const struct learned_setup *setup, enum learned_id id)
{
    struct learned_target target;
    int status = learned_target_new(setup, id, &run->ctx, &target, run->why);
    if (status != UF_OK)
        return status;
    add_plain(run, &target);
    for (unsigned i = 0; status == UF_OK && i < TEXT_EDITS; i++)
        status = add_strategy(run, &target, one_shot, 1u << i, edits[i].metric, edits[i].about);
    if (status == UF_OK)
        status = add_strategy(run, &target, chain, TEXT_ALL_EDITS, "hit_rate_chain", "chain of accepted mutants");
    if (status == UF_OK)
        status =
            add_strategy(run, &target, white_box, TEXT_ALL_EDITS, "hit_rate_white_box", "edits that raise the score");
    learned_target_free(&target);
    return status;
}

static int with_corpus(const struct attack_request *request, const struct corpus *corpus, struct attack_result *out,
                       uf_error *why)
{
    struct learned_plan plan = {request->plan.kind, request->plan.fpr, request->share, REGIONS, 0};
    struct learned_setup setup;
    int status = learned_setup_open(corpus, &plan, &setup, why);
    for (unsigned id = 0; status == UF_OK && id < LEARNED_TARGETS; id++) {
        struct attack_run run;
        if (!(request->learned & 1u << id))
            continue;
        status = attack_open(request, out, id, &run, why);
        if (status == UF_OK)
            status = mutate(&run, &setup, id);
    }
    learned_setup_close(&setup);
    return status;
}

static int run_attack(const struct attack_request *request, struct attack_result *out, uf_error *why)
{
    struct corpus corpus;
    struct attack_run run;
    if (request->corpus)
        return with_corpus(request, request->corpus, out, why);
    int status = attack_open(request, out, LEARNED_TARGETS, &run, why);
    if (status == UF_OK)
        status = corpus_make((size_t)request->plan.n, (size_t)request->plan.n, &run.other, &corpus, why);
    if (status != UF_OK)
        return status;
    status = with_corpus(request, &corpus, out, why);
    corpus_free(&corpus);
    return status;
}

const struct attack attack_mutate = {
    .name = "mutate",
    .about = "edit keys that a learned filter accepts (A12)",
    .meaning =
        "A filter that believes its model accepts what is like a member: half of the mutants and more, where it errs "
        "on one negative in a hundred. Where a keyed filter has the last word in every range of scores, mutants are "
        "accepted at its rate at most, which is the design here, and edits that please the model gain no more.",
    .takes = ATTACK_PLAN | ATTACK_CORPUS,
    .usual = {.n = 20000, .trials = 20000, .kind = "bloom"},
    .has_plot = 1,
    .run = run_attack,
};
