/* SPDX-License-Identifier: MIT */
/*
 * A20, supply: whoever supplies the negatives that a learned filter is planned with, and has its file, but not its key.
 *
 *   repeated   one negative, as often as an honest list has keys.
 *   log        a log of queries: key i comes about n / i times.
 *   poisoned   only the tenth of the negatives that looks least like members, so that the rest seems not to exist.
 *   few keys   of many files with 64 members the attacker takes the fullest, and asks where its rate is highest.
 *   suspects   twelve keys, each in the set or not, are put among the negatives, number i of them 2^i times; the
 *              attacker says which are members. What a filter of the set tells about that without a key is nothing:
 *              half of the answers are right.
 *
 * Every file is held against its own claim: the rate for keys like the negatives where these are keys of that sort, the
 * rate under attack where they are not. `partition` has no key and claims nothing under attack: it is the control.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attack.h"
#include "keyring.h"
#include "refuse.h"

enum { REGIONS = 8, FEW = 64, SUSPECTS = 12, MOST_LINES = 1 << 17 };

static const struct {
    const char *name, *format;
    int keyed;
} kinds[] = {
    {"partition", "partition:fpr=%.15g,children=%.40s", 0},
    {"uptown", "uptown:fpr=%.15g,children=%.40s", 1},
    {"downtown", "downtown:fpr=%.15g,alpha=%.15g,children=%.40s", 1},
    {"robust", "robust:fpr=%.15g,alpha=%.15g,children=%.40s", 1},
};

enum { KINDS = sizeof kinds / sizeof kinds[0], FIRST_WITH_SHARE = 2 };

/* An attack on one kind. */
struct supply {
    struct attack_run *run;
    const struct learned_setup *setup;
    unsigned kind;
    uf_key *lines; /* room for MOST_LINES */
};

/* ---- filters ---- */

static int parse(const struct supply *s, uf_spec *out)
{
    const struct attack_request *request = s->run->request;
    char text[200];
    if (s->kind < FIRST_WITH_SHARE)
        (void)snprintf(text, sizeof text, kinds[s->kind].format, request->plan.fpr, request->plan.kind);
    else
        (void)snprintf(text, sizeof text, kinds[s->kind].format, request->plan.fpr, request->share, request->plan.kind);
    return uf_spec_parse(text, out, s->run->why);
}

/* With a fresh key, from these members and negatives. */
static int build(const struct supply *s, const uf_key *members, size_t count, const uf_key *valid, size_t lines,
                 uf_filter **out)
{
    uf_learning learning = s->setup->learning;
    uf_context ctx = s->run->ctx;
    uf_secret *key = NULL;
    uf_spec spec;
    int status = parse(s, &spec);
    if (status == UF_OK && kinds[s->kind].keyed)
        status = keyring_draw(&s->run->ctx, &key, s->run->why);
    learning.valid = valid;
    learning.valid_count = lines;
    learning.negatives = s->setup->corpus->negatives.keys;
    learning.negative_count = s->setup->corpus->negatives.count;
    ctx.learning = &learning;
    ctx.secret = key;
    if (status == UF_OK)
        status = uf_build(&spec, members, count, &ctx, out, s->run->why);
    uf_secret_free(key);
    return status;
}

static uf_claim claim_of(const uf_filter *filter)
{
    uf_claim claim;
    uf_get_claim(filter, &claim, sizeof claim);
    return claim;
}

/* What is claimed for keys of any sort; for those like the negatives where that is all. */
static double bound_of(const uf_filter *filter)
{
    uf_claim claim = claim_of(filter);
    return isnan(claim.adversarial_fpr) ? claim.fpr : claim.adversarial_fpr;
}

/* ---- negatives ---- */

static size_t repeat_one(struct supply *s)
{
    const struct corpus_list *valid = &s->setup->corpus->valid;
    size_t count = valid->count < MOST_LINES ? valid->count : MOST_LINES;
    for (size_t i = 0; i < count; i++)
        s->lines[i] = valid->keys[0];
    return count;
}

static size_t keep_log(struct supply *s)
{
    const struct corpus_list *valid = &s->setup->corpus->valid;
    size_t count = 0;
    for (size_t i = 0; i < valid->count; i++)
        for (size_t j = 0; j <= valid->count / (8 * (i + 1)) && count < MOST_LINES; j++)
            s->lines[count++] = valid->keys[i];
    return count;
}

/* Those below the score that a tenth is below. */
static size_t poison(struct supply *s)
{
    const struct corpus_list *valid = &s->setup->corpus->valid;
    int32_t low = INT32_MIN / 2, high = INT32_MAX / 2;
    size_t count = 0;
    while (low + 1 < high) {
        int32_t middle = low + (high - low) / 2;
        size_t below = 0;
        for (size_t i = 0; i < valid->count; i++)
            below += uf_model_score(s->setup->model, valid->keys[i]) < middle;
        *(below > valid->count / 10 ? &high : &low) = middle;
    }
    for (size_t i = 0; i < valid->count && count < MOST_LINES; i++)
        if (uf_model_score(s->setup->model, valid->keys[i]) < high)
            s->lines[count++] = valid->keys[i];
    return count;
}

static size_t take_all(struct supply *s)
{
    const struct corpus_list *valid = &s->setup->corpus->valid;
    size_t count = valid->count < MOST_LINES ? valid->count : MOST_LINES;
    for (size_t i = 0; i < count; i++)
        s->lines[i] = valid->keys[i];
    return count;
}

/* Fresh keys, against a filter that was planned with what `list` makes. */
static int show_fresh(struct supply *s, size_t (*list)(struct supply *s), double (*bound)(const uf_filter *filter),
                      const char *metric, const char *about)
{
    const struct corpus *corpus = s->setup->corpus;
    uf_filter *filter;
    uint64_t hits = 0;
    int status = build(s, corpus->members.keys, corpus->members.count, s->lines, list(s), &filter);
    if (status != UF_OK)
        return status;
    for (size_t i = 0; i < corpus->fresh.count; i++)
        hits += (uint64_t)uf_query(filter, corpus->fresh.keys[i]);
    (void)attack_share(s->run->result, kinds[s->kind].name, metric, about, hits, corpus->fresh.count, bound(filter));
    uf_free(filter);
    return UF_OK;
}

static double bound_of_likes(const uf_filter *filter)
{
    return claim_of(filter).fpr;
}

/* ---- few keys ---- */

static int is_in(const uf_region *region, unsigned at, unsigned count, double score)
{
    return score >= region[at].from && (at + 1 == count || score < region[at + 1].from);
}

/* Fresh keys of the region with the highest rate; of all regions where the model sees other bytes than we do. */
static void ask_weakest(const struct supply *s, const uf_filter *filter)
{
    const struct corpus_list *fresh = &s->setup->corpus->fresh;
    uf_region region[UF_MOST_REGIONS];
    uf_learned learned = {.regions = 0};
    unsigned weakest = 0;
    uint64_t asked = 0, hits = 0;
    (void)uf_get_learned(filter, &learned, sizeof learned);
    (void)uf_get_regions(filter, region, sizeof region[0], UF_MOST_REGIONS);
    for (unsigned i = 1; i < learned.regions; i++)
        weakest = region[i].fpr > region[weakest].fpr ? i : weakest;
    for (size_t i = 0; i < fresh->count; i++) {
        double score = uf_model_score(s->setup->model, fresh->keys[i]);
        if (s->kind >= FIRST_WITH_SHARE && !is_in(region, weakest, learned.regions, score))
            continue;
        asked++;
        hits += (uint64_t)uf_query(filter, fresh->keys[i]);
    }
    (void)attack_share(s->run->result, kinds[s->kind].name, "hit_rate_few", "few keys, the fullest file", hits, asked,
                       bound_of(filter));
}

static int show_few(struct supply *s)
{
    const struct corpus *corpus = s->setup->corpus;
    const size_t lines = take_all(s), few = corpus->members.count < FEW ? corpus->members.count : FEW;
    uf_filter *fullest = NULL;
    int status = UF_OK;
    for (unsigned i = 0; status == UF_OK && i < s->run->request->trials; i++) {
        uf_filter *filter;
        status = build(s, corpus->members.keys, few, s->lines, lines, &filter);
        if (status != UF_OK)
            break;
        int fuller = !fullest || bound_of(filter) > bound_of(fullest);
        uf_free(fuller ? fullest : filter);
        fullest = fuller ? filter : fullest;
        status = attack_progress(s->run, i, s->run->request->trials);
    }
    if (status == UF_OK)
        ask_weakest(s, fullest);
    uf_free(fullest);
    return status;
}

/* ---- suspects ---- */

/* Which suspects are members, by whoever has the file: without a key it is asked; with one, its counts are all there
 * is. They are read as the sum of 2^i over those that are, or as how many are missing among the negatives. */
static unsigned guess(const struct supply *s, const uf_filter *filter, const uf_key *suspects, uint64_t supplied)
{
    uf_learned learned = {.overlap = 0};
    unsigned members = 0;
    for (unsigned i = 0; !kinds[s->kind].keyed && i < SUSPECTS; i++)
        members |= (unsigned)uf_query(filter, suspects[i]) << i;
    if (!kinds[s->kind].keyed || uf_get_learned(filter, &learned, sizeof learned) != UF_OK)
        return kinds[s->kind].keyed ? (unsigned)stream_next(&s->run->stream) : members;
    if (learned.overlap)
        return (unsigned)learned.overlap;
    if (learned.valid == supplied)
        return (unsigned)stream_next(&s->run->stream);
    return learned.valid + SUSPECTS / 2 < supplied ? UINT32_MAX : 0;
}

static int feed(void *loader, const void *data, size_t bytes)
{
    return uf_loader_feed(loader, data, bytes, NULL) != UF_OK;
}

/* The filter as its file has it: what was counted while it was built is the owner's alone. */
static int as_file(const struct supply *s, uf_filter **filter)
{
    uf_filter *copy = NULL;
    uf_loader *loader = NULL;
    int status = uf_loader_new(NULL, UF_WITHOUT_KEY, &loader, s->run->why);
    if (status == UF_OK)
        status = uf_write(*filter, UF_FORMAT_UF, feed, loader, s->run->why);
    if (status == UF_OK)
        status = uf_loader_finish(loader, &copy, s->run->why);
    uf_loader_free(loader);
    uf_free(*filter);
    *filter = copy;
    return status;
}

/* One set, with the suspects of `mask`. Returns how many answers are right, or a status. */
static int play_suspects(struct supply *s, uf_key *set, unsigned mask)
{
    const struct corpus *corpus = s->setup->corpus;
    const uf_key *suspects = corpus->fresh.keys;
    size_t count = corpus->members.count, lines = take_all(s);
    uf_filter *filter = NULL;
    unsigned right = 0;
    for (unsigned i = 0; i < SUSPECTS; i++) {
        for (unsigned j = 0; j < 1u << i && lines < MOST_LINES; j++)
            s->lines[lines++] = suspects[i];
        if (mask >> i & 1)
            set[count++] = suspects[i];
    }
    int status = build(s, set, count, s->lines, lines, &filter);
    if (status == UF_OK)
        status = as_file(s, &filter);
    if (status != UF_OK)
        return status;
    unsigned guessed = guess(s, filter, suspects, corpus->valid.count + SUSPECTS);
    for (unsigned i = 0; i < SUSPECTS; i++)
        right += (guessed >> i & 1) == (mask >> i & 1);
    uf_free(filter);
    return (int)right;
}

static int show_suspects(struct supply *s)
{
    const struct corpus_list *members = &s->setup->corpus->members;
    uf_key *set = malloc((members->count + SUSPECTS) * sizeof *set);
    uint64_t right = 0;
    int status = set ? UF_OK : refuse(s->run->why, UF_ENOMEM, "no memory for a set of %zu keys", members->count);
    for (size_t i = 0; set && i < members->count; i++)
        set[i] = members->keys[i];
    for (unsigned i = 0; status == UF_OK && i < s->run->request->trials; i++) {
        int found = play_suspects(s, set, (unsigned)(stream_next(&s->run->other) >> 40));
        right += found > 0 ? (uint64_t)found : 0;
        status = found < 0 ? found : attack_progress(s->run, i, s->run->request->trials);
    }
    if (status == UF_OK)
        (void)attack_share(s->run->result, kinds[s->kind].name, "suspects_right", "suspects told apart, of 12", right,
                           s->run->request->trials * SUSPECTS, 0.5);
    free(set);
    return status;
}

/* ---- the whole ---- */

static int attack_kind(struct supply *s)
{
    int status = show_fresh(s, take_all, bound_of_likes, "hit_rate_honest", "negatives as they are");
    if (status == UF_OK)
        status = show_fresh(s, repeat_one, bound_of_likes, "hit_rate_repeated", "one negative, many times");
    if (status == UF_OK)
        status = show_fresh(s, keep_log, bound_of_likes, "hit_rate_log", "a log with repeats");
    if (status == UF_OK)
        status = show_fresh(s, poison, bound_of, "hit_rate_poisoned", "poisoned: the lowest tenth");
    if (status == UF_OK)
        status = show_few(s);
    return status == UF_OK ? show_suspects(s) : status;
}

static int with_setup(const struct attack_request *request, const struct learned_setup *setup,
                      struct attack_result *out, uf_error *why)
{
    struct supply supply = {.setup = setup, .lines = calloc(MOST_LINES, sizeof *supply.lines)};
    int status = supply.lines ? UF_OK : refuse(why, UF_ENOMEM, "no memory for %d negatives", MOST_LINES);
    for (unsigned i = 0; status == UF_OK && i < KINDS; i++) {
        struct attack_run run;
        status = attack_open(request, out, i, &run, why);
        supply.run = &run;
        supply.kind = i;
        if (status == UF_OK)
            status = attack_kind(&supply);
    }
    free(supply.lines);
    return status;
}

static int run_attack(const struct attack_request *request, struct attack_result *out, uf_error *why)
{
    struct learned_plan plan = {request->plan.kind, request->plan.fpr, request->share, REGIONS, 0};
    const size_t n = (size_t)request->plan.n, least = SUSPECTS;
    struct learned_setup setup;
    struct corpus corpus;
    struct attack_run run;
    int status = attack_open(request, out, KINDS, &run, why);
    if (status == UF_OK)
        status = corpus_make(n, n > least ? n : least, &run.other, &corpus, why);
    if (status != UF_OK)
        return status;
    status = learned_setup_open(&corpus, &plan, &setup, why);
    if (status == UF_OK)
        status = with_setup(request, &setup, out, why);
    learned_setup_close(&setup);
    corpus_free(&corpus);
    return status;
}

const struct attack attack_supply = {
    .name = "supply",
    .about = "supply a learned filter with negatives that mislead its plan (A20)",
    .meaning = "Negatives that are repeated count once, and what is claimed holds for fresh keys. Where they are "
               "poisoned, or a file of few keys is fuller than planned, the rate under attack holds; partition claims "
               "none. Suspects among the negatives stay unknown to whoever lacks the key: half of the answers are "
               "right by chance.",
    .takes = ATTACK_PLAN,
    .usual = {.n = 5000, .trials = 40, .kind = "bloom"},
    .has_plot = 0,
    .run = run_attack,
};
