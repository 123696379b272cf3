/* SPDX-License-Identifier: MIT */
/*
 * Monte Carlo for theorems 3 and 4: many Downtown filters, each of two keyed Bloom filters with a key of their own,
 * behind an oracle that errs with known probabilities, and a stream of queries of which the adversary chooses a part.
 * Keys are numbers, members the first ones; an oracle is a hash of the number. The theorem is compared with the mean
 * over the filters, with its standard deviation from the filters; the control is the theorem for the other definition
 * of which keys A and B hold, and must be rejected.
 */
#include <math.h>
#include <stdlib.h>

#include "bodega.h"
#include "formula.h"
#include "hybrid.h"
#include "keyring.h"

/* ---- the oracle ---- */

/* Uniform in [0, 1), from splitmix64's last steps. */
static double mix(uint64_t salt, uint64_t number)
{
    uint64_t x = salt + number * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static int says_member(const struct oracle_world *world, uint64_t salt, uint64_t number)
{
    double u = mix(salt, number);
    return number < world->keys ? u >= world->model_fnr : u < world->model_fpr;
}

/* ---- one filter ---- */

enum { A, B, BATCH = 512 };

struct branch {
    uf_filter *filter;
    uint64_t keys, bits;
    uint64_t wait[BATCH]; /* queries to come */
    size_t waiting;
    uint64_t asked, accepted;
};

struct pair {
    const struct oracle_world *world;
    uint64_t salt, next; /* next: the first number that nobody asked for yet */
    struct branch branch[2];
};

static int belongs(const struct pair *pair, uint64_t number, int branch)
{
    return pair->world->definition == DOWNTOWN_PAPER || says_member(pair->world, pair->salt, number) == (branch == A);
}

static int build_branch(struct pair *pair, int which, const uf_context *ctx, uf_error *why)
{
    struct branch *branch = &pair->branch[which];
    uf_builder *builder = NULL;
    uf_spec spec;
    int status = UF_OK;
    for (uint64_t number = 0; number < pair->world->keys; number++)
        branch->keys += (uint64_t)belongs(pair, number, which);
    (void)snprintf(spec.text, sizeof spec.text, "keyed(bloom:n=%llu,bits=%llu)", (unsigned long long)branch->keys,
                   (unsigned long long)branch->bits);
    status = uf_builder_new(&spec, ctx, &builder, why);
    for (uint64_t number = 0; number < pair->world->keys && status == UF_OK; number++)
        if (belongs(pair, number, which))
            status = uf_builder_add_fixed(builder, &number, sizeof number, 1, NULL);
    if (status == UF_OK)
        status = uf_builder_finish(builder, &branch->filter, why);
    uf_builder_free(builder);
    return status;
}

static int build_pair(struct pair *pair, const uf_context *ctx, uf_error *why)
{
    uf_context keyed = *ctx;
    uf_secret *secret = NULL;
    int status = keyring_draw(ctx, &secret, why);
    keyed.secret = secret;
    for (int branch = A; branch <= B && status == UF_OK; branch++)
        status = build_branch(pair, branch, &keyed, why);
    uf_secret_free(secret);
    return status;
}

/* ---- queries ---- */

static void flush(struct branch *branch)
{
    uint8_t answer[BATCH];
    uf_query_fixed(branch->filter, branch->wait, sizeof branch->wait[0], branch->waiting, answer);
    for (size_t i = 0; i < branch->waiting; i++)
        branch->accepted += answer[i];
    branch->asked += branch->waiting;
    branch->waiting = 0;
}

static void ask(struct pair *pair, uint64_t number)
{
    struct branch *branch = &pair->branch[says_member(pair->world, pair->salt, number) ? A : B];
    branch->wait[branch->waiting++] = number;
    if (branch->waiting == BATCH)
        flush(branch);
}

/* An adversary who knows the oracle looks for numbers that it sends to this branch. */
static void attack(struct pair *pair, uint64_t count, int branch)
{
    while (count) {
        uint64_t number = pair->next++;
        if (says_member(pair->world, pair->salt, number) != (branch == A))
            continue;
        ask(pair, number);
        count--;
    }
}

static double ask_all(struct pair *pair)
{
    const struct oracle_world *world = pair->world;
    uint64_t to_a = (uint64_t)(world->alpha_p * (double)world->queries + 0.5);
    uint64_t to_b = (uint64_t)(world->alpha_n * (double)world->queries + 0.5);
    pair->next = world->keys;
    attack(pair, to_a, A);
    attack(pair, to_b, B);
    for (uint64_t i = to_a + to_b; i < world->queries; i++)
        ask(pair, pair->next++);
    flush(&pair->branch[A]);
    flush(&pair->branch[B]);
    return (double)(pair->branch[A].accepted + pair->branch[B].accepted) / (double)world->queries;
}

/* ---- the theorem ---- */

/* The rate of a Bloom filter with that shape and so many keys. */
static double shape_rate(const uf_filter *filter, uint64_t keys)
{
    uf_spec plan;
    double bits = 0, k = 1;
    uf_get_plan(filter, &plan);
    (void)uf_spec_get(&plan, "bits", &bits);
    (void)uf_spec_get(&plan, "k", &k);
    return array_rates((double)keys, bits, (unsigned)k, (unsigned)k, 1, 0).fp;
}

static double theorem(const struct pair *pair, const uint64_t keys[2])
{
    const struct oracle_world *world = pair->world;
    const struct downtown filter = {.model_fpr = world->model_fpr,
                                    .model_tnr = 1 - world->model_fpr,
                                    .fpr_a = shape_rate(pair->branch[A].filter, keys[A]),
                                    .fpr_b = shape_rate(pair->branch[B].filter, keys[B])};
    return hybrid_fixed(&filter, world->alpha_p, world->alpha_n);
}

/* What A and B would hold by the other definition. */
static void other_keys(const struct pair *pair, uint64_t keys[2])
{
    const struct oracle_world *world = pair->world;
    keys[A] = keys[B] = 0;
    for (uint64_t number = 0; number < world->keys; number++)
        keys[says_member(world, pair->salt, number) ? A : B]++;
    if (world->definition == DOWNTOWN_SPLIT)
        keys[A] = keys[B] = world->keys;
}

/* ---- many filters ---- */

struct outcome {
    double measured, theorem, control;
};

struct many {
    const struct oracle_world *world;
    uint64_t salt;
    struct outcome *outcome; /* by the number of the trial */
};

static int try_one(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct many *many = arg;
    struct pair *pair = calloc(1, sizeof *pair);
    uint64_t other[2];
    if (!pair)
        return experiment_fail(why, UF_ENOMEM);
    pair->world = many->world;
    pair->salt = (many->salt << 32) + number * UINT64_C(0x632be59bd9b4e019);
    pair->branch[A].bits = many->world->bits_a;
    pair->branch[B].bits = many->world->bits_b;
    int status = build_pair(pair, ctx, why);
    if (status == UF_OK) {
        const uint64_t keys[2] = {pair->branch[A].keys, pair->branch[B].keys};
        other_keys(pair, other);
        many->outcome[number] = (struct outcome){ask_all(pair), theorem(pair, keys), theorem(pair, other)};
    }
    uf_free(pair->branch[A].filter);
    uf_free(pair->branch[B].filter);
    free(pair);
    return status;
}

static void summarise(const struct outcome *outcome, double count, struct oracle_result *out)
{
    double squares = 0;
    *out = (struct oracle_result){0, 0, 0, 0};
    for (size_t i = 0; i < (size_t)count; i++) {
        double off = outcome[i].measured - outcome[i].theorem;
        out->measured += outcome[i].measured / count;
        out->theorem += outcome[i].theorem / count;
        out->control += outcome[i].control / count;
        squares += off * off / count;
    }
    double mean = out->measured - out->theorem;
    out->spread = sqrt(fmax(squares - mean * mean, 0) / (count - 1));
}

int oracle_measure(const struct setup *setup, const struct oracle_world *world, uint64_t filters, uint64_t stream,
                   struct oracle_result *out, uf_error *why)
{
    struct trials trials = setup->trials;
    struct many many = {world, setup->trials.seed.value + stream, calloc(filters, sizeof *many.outcome)};
    if (!many.outcome)
        return experiment_fail(why, UF_ENOMEM);
    trials.count = filters;
    trials.seed.value += stream << 32;
    int status = trials_run(&trials, try_one, &many, why);
    if (status == UF_OK)
        summarise(many.outcome, (double)filters, out);
    free(many.outcome);
    return status;
}

/* ---- the table ---- */

enum { FILTERS = 60, FEW_FILTERS = 20, STREAM_TRIALS = 300, MOST_SIGMAS = 3, REJECTED = 5 };

/* 10,000 keys at 12 bits each, an oracle as bad as that of Kraska et al. on members, 20,000 queries of each filter. */
static const struct oracle_world plain = {
    .keys = 10000, .queries = 20000, .model_fpr = 0.05, .model_fnr = 0.55, .bits_a = 32000, .bits_b = 88000};

static int fill_world(const struct setup *setup, struct report *report, struct table *table,
                      const struct oracle_world *world, uint64_t stream, uf_error *why)
{
    char label[TABLE_LABEL];
    struct oracle_result result;
    uint64_t filters = setup->keys < PAPER_KEYS ? FEW_FILTERS : FILTERS;
    int status = oracle_measure(setup, world, filters, stream, &result, why);
    if (status != UF_OK)
        return status;
    double off = (result.measured - result.theorem) / result.spread;
    double control = fabs(result.measured - result.control) / result.spread;
    (void)snprintf(label, sizeof label, "%g + %g", world->alpha_p, world->alpha_n);
    struct row *row = table_row(report, table, label, world->definition == DOWNTOWN_PAPER ? "all keys" : "own branch");
    row_show(row, 0, result.theorem);
    row_show(row, 1, result.measured);
    row_show(row, 2, result.spread);
    row_check(row, 3, off, 0, MOST_SIGMAS);
    row_show(row, 4, result.control);
    row_show(row, 5, control);
    row_check(row, 6, control > REJECTED ? 1 : 0, 1, 0);
    return UF_OK;
}

int bodega_trials(const struct setup *setup, struct report *report, uf_error *why)
{
    static const char *const columns[] = {"theorem", "measured",   "sigma",    "sigmas off",
                                          "control", "its sigmas", "rejected", NULL};
    static const double shares[][2] = {{0, 0}, {0.05, 0.05}, {0.1, 0}, {0, 0.1}, {0.2, 0.1}, {1, 0}};
    enum { SHARES = sizeof shares / sizeof shares[0] };
    int status = UF_OK;
    char title[120];
    (void)snprintf(title, sizeof title, "Theorems 3 and 4 against %d filters of 10,000 keys, 20,000 queries each",
                   setup->keys < PAPER_KEYS ? FEW_FILTERS : FILTERS);
    struct table *table = report_table(report, "bodega_theorems", title, columns);
    table->head[0] = "alpha_P + alpha_N";
    table->note =
        "A and B hold all keys, as definition 20 has it, or those of their own branch; the control is the theorem\n"
        "for the other of the two, which must be rejected. 0 + 0 is theorem 3. 1 + 0 is the adversary alone, who gets\n"
        "FPR(A), the larger of the two: nothing holds an adversary to a split.";
    for (uint64_t i = 0; i < 2 * SHARES && status == UF_OK; i++) {
        struct oracle_world world = plain;
        world.definition = i < SHARES ? DOWNTOWN_SPLIT : DOWNTOWN_PAPER;
        world.alpha_p = shares[i % SHARES][0];
        world.alpha_n = shares[i % SHARES][1];
        status = fill_world(setup, report, table, &world, STREAM_TRIALS + i, why);
    }
    return status;
}
