/* SPDX-License-Identifier: MIT */
/*
 * The hybrid model of the Bodega paper in numbers: what follows from table 1 as it is printed, with the keys of each
 * branch in its own filter, in the authors' code, and with the model that Kraska et al. measured. The theorems of
 * hybrid.h are compared with the formulas written out here, and both with numbers computed elsewhere.
 */
#include <math.h>
#include <string.h>

#include "bodega.h"
#include "bodega_expected.h"
#include "hybrid.h"

/* ---- table 1, in five ways ---- */

struct variant {
    const char *name;
    double classical;
    double model_fnr;
    struct downtown filter;
};

/* FPR(m) as the paper writes it. */
static double printed_rate(double n, double m)
{
    double k = M_LN2 * (m / n);
    return pow(1 - exp(-k * n / m), k);
}

/* The authors' code has n and m the wrong way round in k, which is then 1 for all filters of table 1. */
static double code_rate(double n, double m)
{
    double k = ceil(M_LN2 * (n / m));
    return pow(1 - exp(-k * n / m), k);
}

static struct hybrid table1(void)
{
    struct hybrid how = HYBRID_INIT;
    how.n = BODEGA_KEYS;
    how.bits = 2 * BODEGA_MEGABYTE;
    how.key_bits = BODEGA_LAMBDA;
    how.model_bits = BODEGA_MEGABYTE;
    how.model_fpr = BODEGA_C * printed_rate(BODEGA_KEYS, BODEGA_MEGABYTE);
    how.bits_a = BODEGA_MEGABYTE / 2 - BODEGA_LAMBDA;
    how.definition = DOWNTOWN_PAPER;
    return how;
}

static int plan_variant(struct variant *out, const char *name, const struct hybrid *how, uf_error *why)
{
    out->name = name;
    out->classical = hybrid_classical(how);
    out->model_fnr = how->model_fnr;
    return hybrid_plan(how, &out->filter, why);
}

/* As their code has it: k inverted, the model misses as many keys as it wrongly accepts. */
static struct variant code_way(void)
{
    double half = BODEGA_MEGABYTE / 2 - BODEGA_LAMBDA, f = BODEGA_C * code_rate(BODEGA_KEYS, BODEGA_MEGABYTE);
    double a = ceil(BODEGA_KEYS * (1 - f)), b = ceil(BODEGA_KEYS * f);
    return (struct variant){.name = "their code",
                            .classical = code_rate(BODEGA_KEYS, 2 * BODEGA_MEGABYTE - BODEGA_LAMBDA),
                            .model_fnr = f,
                            .filter = {.model_fpr = f,
                                       .model_tnr = (1 - f) * BODEGA_Q_N,
                                       .fpr_a = code_rate(a, half),
                                       .fpr_b = code_rate(b, half),
                                       .keys_a = a,
                                       .keys_b = b,
                                       .bits_a = half,
                                       .bits_b = half}};
}

static int plan_ways(struct variant variant[BODEGA_COLUMNS], uf_error *why)
{
    struct hybrid printed = table1(), with_q = printed, own = printed, kraska = HYBRID_INIT;
    with_q.negatives = BODEGA_Q_N;
    own.definition = DOWNTOWN_SPLIT;
    own.model_fnr = own.model_fpr; /* nothing else is said about it */
    kraska.n = printed.n;
    kraska.bits = printed.bits;
    int status = plan_variant(&variant[BODEGA_PRINTED], "as printed", &printed, why);
    if (status == UF_OK)
        status = plan_variant(&variant[BODEGA_PRINTED_Q], "Q_N = 0.5", &with_q, why);
    if (status == UF_OK)
        status = plan_variant(&variant[BODEGA_OWN], "own branch", &own, why);
    if (status == UF_OK)
        status = plan_variant(&variant[BODEGA_KRASKA], "Kraska", &kraska, why);
    variant[BODEGA_CODE] = code_way();
    return status;
}

static double rate_of(const struct variant *variant, size_t which)
{
    const struct downtown *filter = &variant->filter;
    const double rates[BODEGA_RATES] = {variant->classical,
                                        filter->fpr_a,
                                        filter->fpr_b,
                                        hybrid_ordinary(filter),
                                        hybrid_cutoff(filter, variant->classical, 0.5),
                                        hybrid_cutoff(filter, variant->classical, -1)};
    return rates[which];
}

static void add_table1(struct report *report, const struct variant variant[BODEGA_COLUMNS])
{
    static const char *const rows[BODEGA_RATES] = {"secure classical FPR",  "FPR of A",        "FPR of B", "theorem 3",
                                                   "theorem 5, even split", "theorem 5, worst"};
    const char *columns[BODEGA_COLUMNS + 1] = {NULL};
    for (size_t c = 0; c < BODEGA_COLUMNS; c++)
        columns[c] = variant[c].name;
    struct table *table = report_table(
        report, "bodega_table1", "Table 1: 2 MB (1 + 0.5 + 0.5), 1.7 million keys, c = 0.25, lambda = 128", columns);
    table->note =
        "Theorem 5: the share of adversarial queries below which Downtown is better; 0: never, 1: always.\n"
        "As printed (definition 20) both filters hold all keys, at 2.47 bits each, and Downtown never wins; nor does\n"
        "it with Q_N, which only leaves members out of its own queries. Own branch: the keys that the model sends\n"
        "there. Their code takes k = ceil(ln 2 n / m) instead of ln 2 m / n, which is 1 everywhere: hence its cut-off\n"
        "near 0.5. Kraska: table 1's c = 0.25 is that of a whole learned filter; with the model they measured\n"
        "(25,900 bytes, FNR 55 %, FPR 0.5 %) and the best sizes of A and B this is what 2 MB can do.";
    for (size_t r = 0; r < BODEGA_RATES; r++) {
        struct row *row = table_row(report, table, rows[r], "");
        for (size_t c = 0; c < BODEGA_COLUMNS; c++)
            row_check(row, c, rate_of(&variant[c], r), bodega_rates[r][c], 1e-4 * bodega_rates[r][c]);
    }
}

/* ---- figure 6 ---- */

/* Theorem 4 written out, with alpha in equal parts. */
static double printed_theorem(double alpha, double q)
{
    double half = BODEGA_MEGABYTE / 2 - BODEGA_LAMBDA, f = BODEGA_C * printed_rate(BODEGA_KEYS, BODEGA_MEGABYTE);
    double a = printed_rate(BODEGA_KEYS, half), b = printed_rate(BODEGA_KEYS, half);
    return alpha / 2 * a + alpha / 2 * b + (1 - alpha) * (f * a + (1 - f) * q * b);
}

static double even_of(const struct variant *variant, double alpha)
{
    return hybrid_fixed(&variant->filter, alpha / 2, alpha / 2);
}

static double known_sized(double alpha)
{
    for (size_t i = 0; i < sizeof bodega_sized / sizeof bodega_sized[0]; i++)
        if (fabs(bodega_sized[i].alpha - alpha) < 1e-9)
            return bodega_sized[i].fpr;
    return NAN;
}

/* Sized for alpha: other sizes at each point. */
static int sized_rate(double alpha, double *out, uf_error *why)
{
    struct hybrid how = HYBRID_INIT;
    struct downtown filter;
    how.n = BODEGA_KEYS;
    how.bits = 2 * BODEGA_MEGABYTE;
    how.alpha = alpha;
    int status = hybrid_plan(&how, &filter, why);
    if (status == UF_OK)
        *out = hybrid_worst(&filter, alpha);
    return status;
}

static int fill_alpha(struct report *report, struct table *table, const struct variant variant[BODEGA_COLUMNS],
                      double alpha, uf_error *why)
{
    char label[TABLE_LABEL];
    double sized = NAN;
    int status = sized_rate(alpha, &sized, why);
    (void)snprintf(label, sizeof label, "%g", alpha);
    struct row *row = table_row(report, table, label, "");
    row_check(row, 0, variant[BODEGA_PRINTED].classical, printed_rate(BODEGA_KEYS, 2 * BODEGA_MEGABYTE - BODEGA_LAMBDA),
              1e-9);
    row_check(row, 1, even_of(&variant[BODEGA_PRINTED], alpha), printed_theorem(alpha, 1), 1e-9);
    row_check(row, 2, even_of(&variant[BODEGA_PRINTED_Q], alpha), printed_theorem(alpha, BODEGA_Q_N), 1e-9);
    row_show(row, 3, even_of(&variant[BODEGA_OWN], alpha));
    row_show(row, 4, even_of(&variant[BODEGA_KRASKA], alpha));
    row_show(row, 5, hybrid_worst(&variant[BODEGA_KRASKA].filter, alpha));
    row_check(row, 6, sized, known_sized(alpha), 5.1e-5);
    return status;
}

static const char *const alpha_columns[] = {"classical",    "as printed", "Q_N = 0.5", "own branch",
                                            "Kraska, even", "worst",      "sized",     NULL};

/* Every hundredth, for the pictures. */
static int add_figure6(struct report *report, const struct variant variant[BODEGA_COLUMNS], uf_error *why)
{
    struct table *table = report_table(report, "bodega_figure6", "", alpha_columns);
    int status = UF_OK;
    table->head[0] = "alpha";
    for (unsigned i = 0; i <= 30 && status == UF_OK; i++)
        status = fill_alpha(report, table, variant, i / 100.0, why);
    return status;
}

static int add_alphas(struct report *report, const struct variant variant[BODEGA_COLUMNS], uf_error *why)
{
    static const double alphas[] = {0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3};
    struct table *table =
        report_table(report, "bodega_alpha", "Figure 6: FPR by alpha, as printed and corrected", alpha_columns);
    int status = UF_OK;
    table->head[0] = "alpha";
    table->note =
        "The first three columns are figure 6: alpha in equal parts for A and B. Worst: all of it for the worse\n"
        "filter, which is what an adversary does. Sized: the sizes of A and B are the best ones for that alpha; it\n"
        "loses from 0.285 on.";
    for (size_t i = 0; i < sizeof alphas / sizeof alphas[0] && status == UF_OK; i++)
        status = fill_alpha(report, table, variant, alphas[i], why);
    return status;
}

/* The authors' curve runs to alpha = 1. */
static void add_code(struct report *report, const struct variant *code)
{
    static const char *const columns[] = {"classical", "downtown", NULL};
    struct table *table = report_table(report, "bodega_code", "", columns);
    table->head[0] = "alpha";
    for (unsigned i = 0; i <= 20; i++) {
        char label[TABLE_LABEL];
        (void)snprintf(label, sizeof label, "%g", i / 20.0);
        struct row *row = table_row(report, table, label, "");
        row_show(row, 0, code->classical);
        row_show(row, 1, even_of(code, i / 20.0));
    }
}

int bodega_paper(struct report *report, uf_error *why)
{
    struct variant variant[BODEGA_COLUMNS];
    int status = plan_ways(variant, why);
    if (status != UF_OK)
        return status;
    add_table1(report, variant);
    status = add_alphas(report, variant, why);
    if (status == UF_OK)
        status = add_figure6(report, variant, why);
    add_code(report, &variant[BODEGA_CODE]);
    return status;
}
