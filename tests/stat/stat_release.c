/* SPDX-License-Identifier: MIT */
/*
 * Rates of filters of released sets against their formulas,
 *
 *     others:  q + (1 - q) F          members:  dime q (1 - F), nickel 0
 *
 * F the filter's own rate at the size that the release has. Asked for are all members and other keys of the universe,
 * so that decoys count as the false positives that they are. Seeds are fixed; a rate may be 3 standard deviations off,
 * with the variance between releases and filters in them. The control is the paper's own rate, F, which leaves the
 * decoys out, and must be rejected. usage: stat_release [SEED]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random.h"
#include "numbers.h"

struct design {
    const char *universe, *how, *spec;
    uint64_t members, others; /* others: asked for, right behind the members */
    unsigned runs;
};

static const struct design designs[] = {
    {"range:1-20000", "dime:epsilon=2", "bloom:bits=32768,k=5", 2000, 18000, 40},
    {"range:1-20000", "nickel:epsilon=3", "bloom:bits=32768,k=7", 2000, 18000, 40},
    {"range:1-20000", "dime:epsilon=1", "blocked:bits=32768", 2000, 18000, 40},
    {"digits:5", "nickel:epsilon=6", "ribbon:fpr=0.01", 2000, 18000, 40},
    {"digits:8", "dime:epsilon=3", "bloom:bits=40000000,k=4", 1000000, 1000000, 1},
    {"digits:8", "nickel:epsilon=4", "bloom:bits=20000000,k=4", 1000000, 1000000, 1},
};

enum { BATCH = 1000 };

/* Calls `each` for keys of ranks [first, first + count), in batches. */
static void each_batch(const uf_universe *universe, uint64_t first, uint64_t count,
                       void (*each)(void *arg, const uf_key *keys), void *arg)
{
    static char text[BATCH][24];
    uf_key keys[BATCH];
    for (uint64_t done = 0; done < count; done += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            keys[i] = uf_universe_key(universe, first + done + i, text[i]);
        each(arg, keys);
    }
}

static void add(void *arg, const uf_key *keys)
{
    uf_error why;
    need(uf_set_add(arg, keys, BATCH, &why), "members", &why);
}

struct asking {
    const uf_filter *filter;
    uint64_t yes;
};

static void ask(void *arg, const uf_key *keys)
{
    struct asking *asking = arg;
    uint8_t answers[BATCH];
    uf_query_many(asking->filter, keys, BATCH, answers);
    for (size_t i = 0; i < BATCH; i++)
        asking->yes += answers[i];
}

static double yes_rate(const uf_universe *universe, const uf_filter *filter, uint64_t first, uint64_t count)
{
    struct asking asking = {filter, 0};
    each_batch(universe, first, count, ask, &asking);
    return (double)asking.yes / (double)count;
}

/* A rate over the runs: measured, claimed, and the difference of the two with its square. */
struct rate {
    double measured, claimed, off, squares;
};

struct rates {
    struct rate fpr, fnr;
    double own; /* F */
    unsigned runs;
};

static void note(struct rate *rate, double measured, double claimed)
{
    double off = measured - claimed;
    rate->measured += measured;
    rate->claimed += claimed;
    rate->off += off;
    rate->squares += off * off;
}

static uf_filter *release_and_build(const struct design *design, const uf_set *set, uf_context *ctx)
{
    uf_set *released = NULL;
    uf_filter *filter = NULL;
    uf_spec spec;
    uf_error why;
    char n[32];
    need(uf_set_release(set, design->how, ctx, &released, &why), design->how, &why);
    need(uf_spec_parse(design->spec, &spec, &why), design->spec, &why);
    (void)snprintf(n, sizeof n, "%llu", (unsigned long long)uf_set_count(released));
    need(uf_spec_set(&spec, "n", n, &why), design->spec, &why);
    need(uf_build_set(&spec, released, ctx, &filter, &why), design->spec, &why);
    uf_set_free(released);
    return filter;
}

static void one_run(const struct design *design, const uf_universe *universe, const uf_set *set, uf_context *ctx,
                    struct rates *rates)
{
    uf_filter *filter = release_and_build(design, set, ctx);
    uf_claim claim;
    uf_spec plan;
    double own = 0;
    uf_get_claim(filter, &claim, sizeof claim);
    uf_get_plan(filter, &plan);
    (void)uf_spec_get(&plan, "fpr", &own);
    note(&rates->fpr, yes_rate(universe, filter, design->members, design->others), claim.fpr);
    note(&rates->fnr, 1 - yes_rate(universe, filter, 0, design->members), claim.fnr);
    rates->own += own;
    rates->runs++;
    uf_free(filter);
}

static struct rates measure(const struct design *design, unsigned runs, uint64_t *random)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_universe *universe = NULL;
    uf_set *set = NULL;
    uf_error why;
    struct rates rates = {.runs = 0};
    ctx.random = random_bytes;
    ctx.random_arg = random;
    need(uf_universe_parse(design->universe, &ctx, &universe, &why), design->universe, &why);
    need(uf_set_new(universe, &ctx, &set, &why), design->universe, &why);
    each_batch(universe, 0, design->members, add, set);
    while (rates.runs < runs)
        one_run(design, universe, set, &ctx, &rates);
    uf_set_free(set);
    uf_universe_free(universe);
    return rates;
}

/* How far the mean is from a claim that is wrong by `wrong`, in standard deviations: those between runs, but never less
 * than those of so many independent answers. */
static double distance(const struct rate *rate, double asked, unsigned runs, double wrong)
{
    double off = rate->off / runs, p = rate->claimed / runs;
    double answers = p * (1 - p) / (asked * runs);
    double between = runs > 1 ? (rate->squares / runs - off * off) / (runs - 1) : 0;
    return (off + wrong) / sqrt(fmax(fmax(between, answers), 1e-30));
}

static int check(const struct design *design, uint64_t *random)
{
    unsigned runs = getenv("UF_TEST_SMALL") && design->runs > 1 ? design->runs / 4 : design->runs;
    struct rates r = measure(design, runs, random);
    double own = r.own / runs, claimed = r.fpr.claimed / runs;
    double fpr = distance(&r.fpr, (double)design->others, runs, 0);
    double fnr = distance(&r.fnr, (double)design->members, runs, 0);
    double control = distance(&r.fpr, (double)design->others, runs, claimed - own);
    int good = fabs(fpr) <= 3 && fabs(fnr) <= 3 && control > 3;
    printf("%-18s %-24s %3u runs  FPR %.5f (%.5f, %+.2f sigma)  FNR %.5f (%.5f, %+.2f)  control %.5f (%+.0f)  %s\n",
           design->how, design->spec, runs, r.fpr.measured / runs, claimed, fpr, r.fnr.measured / runs,
           r.fnr.claimed / runs, fnr, own, control, good ? "ok" : "OUT");
    return good;
}

int main(int argc, char **argv)
{
    uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 0) : 0x5e7;
    int bad = 0;
    for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++)
        bad += !check(&designs[i], &random);
    return bad ? 1 : 0;
}
