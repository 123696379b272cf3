/* SPDX-License-Identifier: MIT */
/*
 * A13, averaging: the attacker has r private copies of one exact filter. In each every bit is wrong with probability
 * q = 1 / (1 + e^epsilon), so the majority of r copies is wrong with
 *
 *     P[Bin(r, q) > r / 2]:  0.269, 0.124, 0.048, 0.0067 for r = 1, 5, 11, 25 at epsilon 1
 *
 * (an odd r). Of the published mechanism, whose zeros stay zeros, every one that any copy shows is certain: r copies
 * show 1 - q^r of them. Releases with one label are the same bytes each time, and tell nothing new.
 */
#include <math.h>
#include <stdlib.h>

#include "attack.h"
#include "keyring.h"
#include "refuse.h"

static const unsigned rounds[] = {1, 5, 11, 25}, unions[] = {1, 2, 3};

enum { ROUNDS = sizeof rounds / sizeof rounds[0], UNIONS = sizeof unions / sizeof unions[0], MOST_COPIES = 25 };

/* The names of the rows, for a script to find: one for each number of copies. */
static const char *const error_metrics[ROUNDS] = {"bit_error_1", "bit_error_5", "bit_error_11", "bit_error_25"};
static const char *const error_abouts[ROUNDS] = {"bits wrong, 1 copy", "bits wrong, 5 copies", "bits wrong, 11 copies",
                                                 "bits wrong, 25 copies"};
static const char *const union_metrics[UNIONS] = {"ones_found_1", "ones_found_2", "ones_found_3"};
static const char *const union_abouts[UNIONS] = {"ones found, 1 copy", "ones found, 2 copies", "ones found, 3 copies"};

struct sums {
    uint64_t *exact; /* owned */
    size_t words;
    uint64_t bits;    /* of the one partition: the first of the array */
    unsigned char *n; /* owned: in how many copies each bit is set */
    uf_filter *filter;
};

static double wrong_majority(unsigned r, double q)
{
    double wrong = 0;
    for (unsigned j = r / 2 + 1; j <= r; j++)
        wrong += exp(lgamma(r + 1) - lgamma(j + 1) - lgamma(r - j + 1) + j * log(q) + (r - j) * log1p(-q));
    return wrong;
}

static int bit_of(const uint64_t *words, uint64_t at)
{
    return (int)(words[at / 64] >> at % 64 & 1);
}

static void clear(struct sums *sums)
{
    uf_free(sums->filter);
    free(sums->exact);
    free(sums->n);
}

/* One bit a key, 16 bits per key: the design that is best at this epsilon. */
static int prepare(struct attack_run *run, struct sums *out)
{
    char text[96];
    uf_spec spec;
    struct target keys = {.id = TARGET_UNKEYED};
    uint64_t n = run->request->plan.n;
    *out = (struct sums){.bits = 16 * n};
    (void)snprintf(text, sizeof text, "bloom:n=%llu,bits=%llu,k=1", (unsigned long long)n, 16 * (unsigned long long)n);
    int status = uf_spec_parse(text, &spec, run->why);
    if (status == UF_OK)
        status = uf_build(&spec, NULL, 0, &run->ctx, &out->filter, run->why);
    keys.filter = out->filter;
    if (status == UF_OK)
        status = attack_failed(run, target_fill(&keys, &run->other, n));
    if (status == UF_OK)
        status = view_payload(out->filter, &out->exact, &out->words, run->why);
    out->n = calloc((size_t)out->bits, 1);
    return status != UF_OK || out->n ? status : refuse(run->why, UF_ENOMEM, "no memory for the sums of bits");
}

static int add_copy(struct attack_run *run, struct sums *sums, const uf_spec *how, const uf_secret *key)
{
    uf_filter *copy = NULL;
    uint64_t *words;
    size_t count;
    uf_context ctx = run->ctx;
    ctx.secret = key;
    ctx.label = key ? "release" : NULL;
    int status = uf_release(sums->filter, how, &ctx, &copy, run->why);
    if (status != UF_OK)
        return status;
    status = view_payload(copy, &words, &count, run->why);
    uf_free(copy);
    if (status != UF_OK)
        return status;
    for (uint64_t i = 0; i < sums->bits; i++)
        sums->n[i] = (unsigned char)(sums->n[i] + bit_of(words, i));
    free(words);
    return UF_OK;
}

static uint64_t count_wrong(const struct sums *sums, unsigned copies)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < sums->bits; i++)
        wrong += (2u * sums->n[i] > copies) != bit_of(sums->exact, i);
    return wrong;
}

static void count_ones(const struct sums *sums, uint64_t *ones, uint64_t *shown)
{
    *ones = *shown = 0;
    for (uint64_t i = 0; i < sums->bits; i++) {
        *ones += (uint64_t)bit_of(sums->exact, i);
        *shown += sums->n[i] > 0;
    }
}

/* Copies of one mechanism, and after some of them what they give away. */
struct series {
    const char *target, *mechanism;
    const unsigned *at;
    unsigned reports;
    int keyed;
};

static void report(struct attack_run *run, const struct sums *sums, const struct series *series, unsigned which)
{
    double q = 1 / (1 + exp(run->request->epsilon));
    unsigned copies = series->at[which];
    uint64_t ones, shown;
    if (series->at == rounds) {
        (void)attack_share(run->result, series->target, error_metrics[which], error_abouts[which],
                           count_wrong(sums, copies), sums->bits, wrong_majority(series->keyed ? 1 : copies, q));
    } else {
        count_ones(sums, &ones, &shown);
        (void)attack_share(run->result, series->target, union_metrics[which], union_abouts[which], shown, ones,
                           1 - pow(q, copies));
    }
}

static int release_all(struct attack_run *run, struct sums *sums, const struct series *series, const uf_secret *key)
{
    char text[96];
    uf_spec how;
    unsigned which = 0;
    (void)snprintf(text, sizeof text, "ultra:epsilon=%.17g,mechanism=%s", run->request->epsilon, series->mechanism);
    int status = uf_spec_parse(text, &how, run->why);
    for (unsigned copies = 1; status == UF_OK && which < series->reports; copies++) {
        status = add_copy(run, sums, &how, key);
        if (status == UF_OK && copies == series->at[which])
            report(run, sums, series, which++);
        if (status == UF_OK)
            status = attack_progress(run, copies, MOST_COPIES);
    }
    return status;
}

static int run_series(const struct attack_request *request, struct attack_result *out, const struct series *series,
                      uint64_t number, uf_error *why)
{
    struct attack_run run;
    struct sums sums = {.bits = 0};
    uf_secret *key = NULL;
    int status = attack_open(request, out, number, &run, why);
    if (status == UF_OK)
        status = prepare(&run, &sums);
    if (status == UF_OK && series->keyed)
        status = keyring_draw(&run.ctx, &key, why);
    if (status == UF_OK)
        status = release_all(&run, &sums, series, key);
    clear(&sums);
    uf_secret_free(key);
    return status;
}

static int run_attack(const struct attack_request *request, struct attack_result *out, uf_error *why)
{
    static const struct series all[] = {
        {"rr", "rr", rounds, ROUNDS, 0},
        {"published", "published", unions, UNIONS, 0},
        {"rr with a label", "rr", rounds, ROUNDS, 1},
    };
    int status = UF_OK;
    for (unsigned i = 0; status == UF_OK && i < sizeof all / sizeof all[0]; i++)
        if (request->targets & 1u << (all[i].keyed ? TARGET_KEYED : TARGET_UNKEYED))
            status = run_series(request, out, &all[i], i, why);
    return status;
}

const struct attack attack_average = {
    .name = "average",
    .about = "put several private releases of one set together (A13)",
    .meaning =
        "Copies with noise of their own wear it off: that is why each release is charged to a "
        "ledger. With one label the same set gives the same bytes, and more copies tell nothing more. The published "
        "mechanism shows only ones that are true, so the union of a few copies is the array itself.",
    .takes = ATTACK_EPSILON,
    .usual = {.n = 10000, .trials = 1},
    .run = run_attack,
};
