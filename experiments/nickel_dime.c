/* SPDX-License-Identifier: MIT */
/*
 * The Nickel and Dime paper (H. Tirmazi, 2025): figure 6 with the epsilon that follows from the mechanism, the example
 * of section 4.2, expected sizes, and error rates of Bloom filters of released sets. Everything is measured on real
 * releases (uf_set_release).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "formula.h"
#include "nickel_dime_expected.h"

/* ---- releases ---- */

struct world {
    uf_universe *universe; /* range:1-SIZE */
    uf_set *members;       /* 1 to `count` */
    uint64_t size, count;
};

static int add_members(struct world *world, uf_error *why)
{
    int status = UF_OK;
    for (uint64_t rank = 0; rank < world->count && status == UF_OK; rank++) {
        char buffer[24];
        uf_key key = uf_universe_key(world->universe, rank, buffer);
        status = uf_set_add(world->members, &key, 1, why);
    }
    return status;
}

static void world_end(struct world *world)
{
    uf_set_free(world->members);
    uf_universe_free(world->universe);
}

static int world_start(uint64_t size, uint64_t count, struct world *out, uf_error *why)
{
    char text[48];
    *out = (struct world){.size = size, .count = count};
    (void)snprintf(text, sizeof text, "range:1-%llu", (unsigned long long)size);
    int status = uf_universe_parse(text, NULL, &out->universe, why);
    if (status == UF_OK)
        status = uf_set_new(out->universe, NULL, &out->members, why);
    if (status == UF_OK)
        status = add_members(out, why);
    if (status != UF_OK)
        world_end(out);
    return status;
}

/* The uf_key numbers of a released set: how many of them are members. */
struct tally {
    const struct world *world;
    uint64_t members, listed;
};

static int tally_keys(void *arg, const uf_key *keys, size_t count)
{
    struct tally *tally = arg;
    for (size_t i = 0; i < count; i++) {
        uint64_t rank;
        if (uf_universe_rank(tally->world->universe, keys[i], &rank) != UF_OK)
            return -1;
        tally->members += rank < tally->world->count;
    }
    tally->listed += count;
    return 0;
}

/* Many releases of one set, and what came of them. */
struct releases {
    const struct world *world;
    char how[64];
    unsigned k;                      /* 0: no filters are built */
    uint64_t members, listed;        /* sums; atomic */
    uint64_t accepted, found, built; /* others and members that filters accepted */
};

static int query_all(struct releases *releases, const uf_filter *filter)
{
    const struct world *world = releases->world;
    uint64_t found = 0, accepted = 0;
    for (uint64_t rank = 0; rank < world->size; rank++) {
        char buffer[24];
        int yes = uf_query(filter, uf_universe_key(world->universe, rank, buffer));
        found += (uint64_t)(yes && rank < world->count);
        accepted += (uint64_t)(yes && rank >= world->count);
    }
    __atomic_fetch_add(&releases->found, found, __ATOMIC_RELAXED);
    __atomic_fetch_add(&releases->accepted, accepted, __ATOMIC_RELAXED);
    __atomic_fetch_add(&releases->built, 1, __ATOMIC_RELAXED);
    return UF_OK;
}

enum { FILTER_BITS = 1 << 15 };

static int build_and_query(struct releases *releases, const uf_set *released, const uf_context *ctx, uf_error *why)
{
    uf_spec spec;
    uf_filter *filter = NULL;
    (void)snprintf(spec.text, sizeof spec.text, "bloom:bits=%d,k=%u,n=%llu", FILTER_BITS, releases->k,
                   (unsigned long long)uf_set_count(released));
    int status = uf_build_set(&spec, released, ctx, &filter, why);
    if (status == UF_OK)
        status = query_all(releases, filter);
    uf_free(filter);
    return status;
}

static int release_once(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct releases *releases = arg;
    struct tally tally = {.world = releases->world};
    uf_set *released = NULL;
    (void)number;
    int status = uf_set_release(releases->world->members, releases->how, ctx, &released, why);
    if (status == UF_OK)
        status = uf_set_each(released, tally_keys, &tally, why);
    if (status == UF_OK && releases->k)
        status = build_and_query(releases, released, ctx, why);
    uf_set_free(released);
    __atomic_fetch_add(&releases->members, tally.members, __ATOMIC_RELAXED);
    __atomic_fetch_add(&releases->listed, tally.listed, __ATOMIC_RELAXED);
    return status;
}

/* `stream` tells experiments apart: each has its own part of the seed's streams. */
static int release_many(const struct setup *setup, struct releases *releases, uint64_t count, uint64_t stream,
                        uf_error *why)
{
    struct trials trials = setup->trials;
    trials.count = count;
    trials.seed.value += stream << 32;
    return trials_run(&trials, release_once, releases, why);
}

/* ---- figure 6 ---- */

enum { STREAM_FIGURE = 1, STREAM_EXAMPLE = 100, STREAM_RATES = 200 };

static int fill_q(const struct setup *setup, const struct world *world, struct report *report, struct table *table,
                  unsigned step, uf_error *why)
{
    double q = step / 20.0, others = (double)(world->size - world->count);
    struct releases releases = {.world = world};
    char label[TABLE_LABEL];
    (void)snprintf(releases.how, sizeof releases.how, "nickel:epsilon=%.12f", -log(q));
    int status = release_many(setup, &releases, 1, STREAM_FIGURE + step, why);
    if (status != UF_OK)
        return status;
    double seen = (double)(releases.listed - releases.members) / others;
    (void)snprintf(label, sizeof label, "%g", q);
    struct row *row = table_row(report, table, label, "");
    row_show(row, 0, log((1 - q) / q));
    row_show(row, 1, -log(q));
    row_check(row, 2, -log(seen), -log(q), rate_tolerance(q, others) / q);
    row_show(row, 3, log(q));
    row_check(row, 4, 1 - seen, 1 - q, rate_tolerance(q, others));
    row_check(row, 5, (double)releases.members / (double)world->count, 1, 0);
    return UF_OK;
}

static int add_figure6(const struct setup *setup, struct report *report, uf_error *why)
{
    static const char *const columns[] = {"eps1 paper", "eps1", "measured", "eps2 paper", "delta", "kept", NULL};
    struct world world;
    struct table *table = report_table(report, "figure6", "Figure 6: what Nickel protects, by q", columns);
    table->head[0] = "q";
    table->note =
        "eps1: the paper has ln((1-q)/q), which would be negative from q = 0.5 on; from its own theorem 3.2 follows\n"
        "ln(1/q), and measured is that of the share of others that were listed. eps2 = ln q cannot hold: a key\n"
        "that is not listed is certainly no member, so the other direction needs this delta at every epsilon.\n"
        "Kept: the share of members that were listed.";
    int status = world_start(200000, 2000, &world, why);
    if (status != UF_OK)
        return status;
    for (unsigned step = 1; step < 20 && status == UF_OK; step++)
        status = fill_q(setup, &world, report, table, step, why);
    world_end(&world);
    return status;
}

/* ---- 50 citizens ---- */

static int fill_example(const struct setup *setup, const struct world *world, struct report *report,
                        struct table *table, size_t which, uf_error *why)
{
    enum { RELEASES = 20000 };
    double q = example_expected[which].q, others = CITIZENS - LISTED;
    struct releases releases = {.world = world};
    char label[TABLE_LABEL];
    (void)snprintf(releases.how, sizeof releases.how, "nickel:epsilon=%.12f", -log(q));
    int status = release_many(setup, &releases, RELEASES, STREAM_EXAMPLE + which, why);
    if (status != UF_OK)
        return status;
    double decoys = (double)(releases.listed - releases.members) / RELEASES;
    double tolerance = others * rate_tolerance(q, RELEASES * others), listed = LISTED + others * q;
    (void)snprintf(label, sizeof label, "%.4f", q);
    struct row *row = table_row(report, table, label, "");
    row_show(row, 0, others * q);
    row_check(row, 1, decoys, example_expected[which].decoys, tolerance);
    row_show(row, 2, LISTED / listed);
    row_check(row, 3, (double)releases.members / (double)releases.listed, example_expected[which].posterior,
              tolerance * LISTED / (listed * listed));
    return UF_OK;
}

static int add_example(const struct setup *setup, struct report *report, uf_error *why)
{
    static const char *const columns[] = {"decoys", "decoys seen", "posterior", "posterior seen", NULL};
    struct world world;
    struct table *table =
        report_table(report, "citizens", "Section 4.2: 50 citizens, 10 on the list, 20,000 releases", columns);
    table->head[0] = "q";
    table->note =
        "At epsilon -3 two decoys hide ten members: who is listed is a member with 83 %. An even chance takes\n"
        "q = 10 / 40 = 0.25.";
    int status = world_start(CITIZENS, LISTED, &world, why);
    if (status != UF_OK)
        return status;
    for (size_t i = 0; i < 2 && status == UF_OK; i++)
        status = fill_example(setup, &world, report, table, i, why);
    world_end(&world);
    return status;
}

/* ---- sizes and rates ---- */

enum { RATE_RELEASES = 40 };

struct release_expected {
    double q, size, fp, fn, paper_fp, paper_fn;
};

/* F: a Bloom filter of the release accepts a key that is not in it. */
static struct release_expected expect(const struct world *world, int dime, double epsilon, unsigned k)
{
    double n = (double)world->count, others = (double)world->size - n;
    double q = dime ? 1 - keep_of(epsilon) : exp(-epsilon), leave = dime ? q : 0;
    double size = n * (1 - leave) + others * q;
    double f = array_rates(size, FILTER_BITS / k * k, k, k, 1, 0).fp;
    return (struct release_expected){q, size, q + (1 - q) * f, leave * (1 - f), f, leave};
}

static void compare_rates(struct row *row, const struct releases *releases, const struct release_expected *want,
                          double known_fpr, double known_fnr)
{
    double n = (double)releases->world->count, others = (double)releases->world->size - n;
    double fp = (double)releases->accepted / (others * RATE_RELEASES);
    double fn = 1 - (double)releases->found / (n * RATE_RELEASES);
    double size = (double)releases->listed / RATE_RELEASES, spread = rate_tolerance(want->q, others * RATE_RELEASES);
    row_show(row, 0, want->size);
    row_check(row, 1, size, want->size, spread * (double)releases->world->size);
    row_show(row, 2, want->paper_fp);
    row_show(row, 3, want->fp);
    /* The size of a release wanders, and F with it: a tenth of a percent for both. */
    row_check(row, 4, fp, isnan(known_fpr) ? want->fp : known_fpr,
              rate_tolerance(want->fp, others * RATE_RELEASES) + 0.001);
    row_show(row, 5, want->paper_fn);
    row_show(row, 6, want->fn);
    row_check(row, 7, fn, isnan(known_fnr) ? want->fn : known_fnr, rate_tolerance(want->fn, n * RATE_RELEASES) + 0.001);
}

static int fill_rates(const struct setup *setup, const struct world *world, struct report *report, struct table *table,
                      int dime, double epsilon, uf_error *why)
{
    const char *name = dime ? "dime" : "nickel";
    struct releases releases = {.world = world, .k = dime ? 5 : 7};
    struct release_expected want = expect(world, dime, epsilon, releases.k);
    double fpr = NAN, fnr = NAN;
    char label[TABLE_LABEL];
    (void)snprintf(releases.how, sizeof releases.how, "%s:epsilon=%g", name, epsilon);
    int status =
        release_many(setup, &releases, RATE_RELEASES, STREAM_RATES + (uint64_t)dime * 10 + (uint64_t)epsilon, why);
    if (status != UF_OK)
        return status;
    for (size_t i = 0; i < sizeof rates_expected / sizeof rates_expected[0]; i++)
        if (!strcmp(rates_expected[i].mechanism, name) && rates_expected[i].epsilon == epsilon) {
            fpr = rates_expected[i].fpr;
            fnr = rates_expected[i].fnr;
        }
    (void)snprintf(label, sizeof label, "%g", epsilon);
    compare_rates(table_row(report, table, label, name), &releases, &want, fpr, fnr);
    return UF_OK;
}

static int add_rates(const struct setup *setup, struct report *report, uf_error *why)
{
    static const char *const columns[] = {"size",     "size seen", "FP paper", "FP", "FP seen",
                                          "FN paper", "FN",        "FN seen",  NULL};
    struct world world;
    struct table *table = report_table(
        report, "releases",
        "Section 4.1: 2,000 of 20,000 keys, Bloom filters of 2^15 bits (k = 5 for Dime, 7 for Nickel)", columns);
    table->head[0] = "epsilon";
    table->note =
        "The paper's sizes are right. Its FP leaves out the decoys, which are answered yes although they are not\n"
        "members: FP = q + (1-q) F. Some members that Dime dropped are accepted anyway: FN = q (1-F).\n"
        "As printed, its figures 4 and 5 write S~ <- S u {x}, which forgets all but the last change.";
    int status = world_start(20000, 2000, &world, why);
    if (status != UF_OK)
        return status;
    for (int dime = 1; dime >= 0; dime--)
        for (unsigned epsilon = 1; epsilon <= 5 && status == UF_OK; epsilon++)
            status = fill_rates(setup, &world, report, table, dime, epsilon, why);
    world_end(&world);
    return status;
}

/* ---- all ---- */

static const struct figure figures[] = {
    {"figure6", "set xlabel 'q, the chance that a key that is not a member is listed'\n"
                "set ylabel 'epsilon'\n"
                "set xrange [0:1]\n"
                "set key top right\n"
                "set title 'Nickel and Dime paper, figure 6: what Nickel protects'\n"
                "f = 'figure6.tsv'\n"
                "plot f using 1:3 with lines lw 2 dt 2 lc rgb '#D55E00' title 'epsilon 1 as printed: ln((1-q)/q)', \\\n"
                "    f using 1:4 with lines lw 2 lc rgb '#0072B2' title 'epsilon 1: ln(1/q)', \\\n"
                "    f using 1:5 with points pt 6 ps 1.1 lw 2 lc rgb 'black' title 'measured', \\\n"
                "    f using 1:6 with lines lw 2 dt 2 lc rgb '#E69F00' title 'epsilon 2 as printed: ln q', \\\n"
                "    f using 1:7 with lines lw 2 lc rgb '#CC79A7' title 'delta of the other direction, 1-q'\n"},
    {NULL, NULL},
};

static int run(const struct setup *setup, struct report *out, uf_error *why)
{
    int status = add_figure6(setup, out, why);
    if (status == UF_OK)
        status = add_example(setup, out, why);
    return status == UF_OK ? add_rates(setup, out, why) : status;
}

const struct experiment experiment_nickel_dime = {
    .name = "nickel-dime",
    .about = "A Privacy Model for Classical and Learned Bloom Filters (H. Tirmazi, 2025)",
    .run = run,
    .figures = figures,
};
