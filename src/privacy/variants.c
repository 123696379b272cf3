/* SPDX-License-Identifier: MIT */
#include "variants.h"

#include <math.h>

#include "layout.h"
#include "rounding.h"

#define WITHIN 1.02           /* of the limit, errors of all but */
#define WITHIN_ACCURATE 1.005 /* these */
#define EQUAL 1.00005         /* errors within this factor are the same: then the smaller filter wins */
#define TIME_WEIGHT 0.1       /* half the time to build and ask is worth so many times 139 % of the size: 14 % */

const char *const variant_names[DPSET_VARIANTS] = {"integer", "dyadic", "radix"};
const char *const prefer_names[PREFERENCES] = {"default", "small", "fast", "accurate"};

double ideal_bits(double epsilon)
{
    return -expm1(-epsilon) * log1p(exp(epsilon)) / log(2);
}

double least_bits(double epsilon)
{
    return epsilon * tanh(epsilon / 2) / log(2);
}

/* ---- time ---- */

/* Of a group that every planted key reaches: the elimination in each field, and every column of a solution. */
static double build_of_radix(const struct radix_design *design, double keep)
{
    static const double field[2][DIGITS_FIELDS] = {{30, 80, 110}, {60, 200, 330}}, column = 10, rest = 110;
    double sum = rest, share = keep;
    for (uint32_t i = 0; i < design->groups; i++) {
        uint8_t power[DIGITS_FIELDS];
        (void)digits_factor(design->radix[i], power);
        for (unsigned f = 0; f < DIGITS_FIELDS; f++)
            sum += power[f] ? share * (field[design->band == 128][f] + column * power[f]) : 0;
        share *= (double)(design->accept - design->radix[1]) / design->accept;
    }
    return sum;
}

static double query_of_radix(const struct radix_design *design)
{
    struct radix_packing packing = radix_pack(design->radix[0], design->band);
    double first = 45 + (packing.bits > 32 ? 8 : 0) + (design->radix[0] > 8192 ? 15 : 0);
    return design->groups > 1 ? first + 6 : first;
}

/* ---- one variant ---- */

static double errors(const struct variant_choice *choice)
{
    return choice->fpr + choice->fnr;
}

static double within(const struct variant_wish *wish)
{
    return (wish->prefer == PREFER_ACCURATE ? WITHIN_ACCURATE : WITHIN) * dp_limit(wish->epsilon).sum;
}

static double score(const struct variant_wish *wish, const struct variant_choice *choice)
{
    double size = log(choice->bits), time = log(choice->build_ns * choice->query_ns);
    switch (wish->prefer) {
    case PREFER_SMALL:
        return size;
    case PREFER_FAST:
        return size / 2 + time;
    default:
        return size + TIME_WEIGHT * time;
    }
}

static int better(const struct variant_wish *wish, const struct variant_choice *a, const struct variant_choice *b)
{
    double most = within(wish);
    if (wish->most_bits > 0)
        return errors(a) * EQUAL < errors(b) || (errors(a) < errors(b) * EQUAL && a->bits < b->bits);
    if (errors(a) > most || errors(b) > most)
        return errors(a) < errors(b);
    return score(wish, a) < score(wish, b);
}

/* An empty set has no bits per key: then those of a large one. */
static uint64_t capacity(const struct variant_wish *wish)
{
    return wish->n ? wish->n : 1 << 20;
}

static int fits(const struct variant_wish *wish, const struct variant_choice *choice)
{
    return wish->most_bits <= 0 || choice->bits <= wish->most_bits;
}

static int best_lef(const struct variant_wish *wish, int dyadic, struct variant_choice *out)
{
    *out = (struct variant_choice){.variant = dyadic ? DPSET_DYADIC : DPSET_INTEGER, .slack = LEF_SLACK};
    if (wish->slack > 0)
        out->slack = wish->slack;
    if (!lef_fit(wish->epsilon, out->slack, dyadic, wish->most_bits, wish->n, &out->lef))
        return 0;
    out->fpr = out->lef.fpr;
    out->fnr = out->lef.fnr;
    out->bits = lef_bits(&out->lef, capacity(wish), out->slack);
    out->build_ns = dyadic ? 180 : 150;
    out->query_ns = 38 + 0.8 * lef_depth(out->lef.accept, out->lef.columns, dyadic);
    return 1;
}

/* Completes a design; 0 when it breaks the promise or is too large. */
static int evaluate(const struct variant_wish *wish, struct variant_choice *trial)
{
    struct radix_design *design = &trial->radix;
    if (!radix_legal(design) || radix_charge(design) > wish->epsilon)
        return 0;
    radix_rates(design, &trial->fpr, &trial->fnr);
    trial->slack = design->slack;
    trial->build_ns = build_of_radix(design, 1 - threshold_rate(design->erase));
    trial->query_ns = query_of_radix(design);
    trial->bits = radix_bits(design, capacity(wish));
    return fits(wish, trial);
}

static void keep_better(const struct variant_wish *wish, const struct variant_choice *trial,
                        struct variant_choice *best, int *found)
{
    if (*found && !better(wish, trial, best))
        return;
    *best = *trial;
    *found = 1;
}

/* One group of this radix, or two with every second radix: with the fewest accepted that keep epsilon. */
static void try_radix(const struct variant_wish *wish, const struct radix_design *shape, uint32_t radix,
                      struct variant_choice *best, int *found)
{
    struct variant_choice trial = {.variant = DPSET_RADIX, .radix = *shape};
    struct radix_design *design = &trial.radix;
    double most = wish->most_bits > 0 ? 2 : within(wish);
    design->radix[0] = radix;
    design->groups = design->accept = 1;
    if (evaluate(wish, &trial)) {
        keep_better(wish, &trial, best, found);
        return;
    }
    for (uint32_t second = 2; second <= RADIX_MOST_SECOND; second++) {
        design->groups = 2;
        design->radix[1] = second;
        uint64_t accept = radix_accept(wish->epsilon, (uint64_t)radix * second, radix_design_eta(design));
        double f = (double)accept / ((double)radix * second), fnr = threshold_rate(design->erase) * (1 - f);
        if (accept <= second || accept >= 2 * second || (*found && f + fnr > most))
            continue;
        design->accept = (uint32_t)accept;
        if (evaluate(wish, &trial))
            keep_better(wish, &trial, best, found);
    }
}

/* Radices above twice 1 + e^eps have no second one. */
static int best_of_layout(const struct variant_wish *wish, uint32_t band, double slack, struct variant_choice *out)
{
    const struct radix_design shape = {.erase = erase_threshold(wish->epsilon), .band = band, .slack = slack};
    double most = fmin(2 * (1 + exp(wish->epsilon)), DIGITS_MOST_RADIX);
    uint8_t power[DIGITS_FIELDS];
    int found = 0;
    for (uint32_t radix = 2; radix <= (uint32_t)most; radix++)
        if (digits_factor(radix, power))
            try_radix(wish, &shape, radix, out, &found);
    return found;
}

/* The first layout of the table is the fast one. */
static int best_radix(const struct variant_wish *wish, struct variant_choice *out)
{
    struct variant_choice trial;
    const struct eta_layout *layout;
    int found = 0;
    for (unsigned i = 0; (layout = eta_layout(i)); i++) {
        double slack = wish->slack > 0 ? wish->slack : layout->least_slack;
        if (slack < layout->least_slack || (wish->band && wish->band != layout->band) ||
            (!wish->band && i && found && wish->prefer != PREFER_SMALL))
            continue;
        if (best_of_layout(wish, layout->band, slack, &trial))
            keep_better(wish, &trial, out, &found);
    }
    return found;
}

int variant_best(const struct variant_wish *wish, enum dpset_variant variant, struct variant_choice *out)
{
    return variant == DPSET_RADIX ? best_radix(wish, out) : best_lef(wish, variant == DPSET_DYADIC, out);
}

/* ---- all ---- */

/* The integer variant has nothing that the dyadic one lacks but simplicity. */
int variant_choose(const struct variant_wish *wish, struct variant_choice *out)
{
    struct variant_choice trial;
    int found = 0;
    if (variant_best(wish, DPSET_RADIX, &trial))
        keep_better(wish, &trial, out, &found);
    if ((wish->slack <= 0 || wish->slack >= LEF_SLACK) && !wish->band && variant_best(wish, DPSET_DYADIC, &trial))
        keep_better(wish, &trial, out, &found);
    return found;
}

int variant_same(const struct variant_choice *a, const struct variant_choice *b)
{
    if (a->variant != b->variant || a->slack < b->slack || a->slack > b->slack)
        return 0;
    if (a->variant != DPSET_RADIX)
        return a->lef.columns == b->lef.columns && a->lef.accept == b->lef.accept;
    return a->radix.band == b->radix.band && a->radix.accept == b->radix.accept && a->radix.groups == b->radix.groups &&
           a->radix.radix[0] == b->radix.radix[0] && a->radix.radix[1] == b->radix.radix[1];
}
