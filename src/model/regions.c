/* SPDX-License-Identifier: MIT */
#include "regions.h"

#include <math.h>
#include <string.h>

static const double per_nat = 1.4426950408889634; /* 1 / ln 2 */

/* ---- shares and rates ---- */

/* Of the negatives: seen + 1 of V + 1, so that no region counts as free of them. */
static double share_of(const struct curve *curve, uint64_t seen)
{
    return ((double)seen + 1) / ((double)curve_negatives(curve) + 1);
}

/* Expected rate, with so many standard errors of the estimate on top. */
static double rate_with_margin(const struct curve *curve, const struct regions *regions, double margin)
{
    double rate = 0, squares = 0;
    for (unsigned i = 0; i < regions->count; i++) {
        double share = share_of(curve, regions->region[i].negatives), fpr = regions->region[i].fpr;
        rate += share * fpr;
        squares += share * fpr * fpr;
    }
    return rate + margin * sqrt(squares / ((double)curve_negatives(curve) + 1));
}

static void set_rates(const struct curve *curve, struct regions *regions, double lambda)
{
    for (unsigned i = 0; i < regions->count; i++) {
        struct region *region = &regions->region[i];
        double keys = (double)region->keys / (double)curve_keys(curve);
        region->fpr = region->keys ? fmin(1, lambda * keys / share_of(curve, region->negatives)) : 0;
    }
}

/* The largest lambda at which the rate holds. */
static double fit_lambda(const struct curve *curve, const struct regions_wish *wish, struct regions *regions)
{
    double low = wish->fpr * 1e-6, high = 4;
    for (int i = 0; i < 60; i++) {
        double lambda = sqrt(low * high);
        set_rates(curve, regions, lambda);
        if (rate_with_margin(curve, regions, wish->margin) > wish->fpr)
            high = lambda;
        else
            low = lambda;
    }
    set_rates(curve, regions, low);
    return low;
}

static double bits_of(const struct regions_wish *wish, double keys, double fpr)
{
    return keys > 0 && fpr < 1 ? wish->factor * keys * log2(1 / fpr) + wish->child_bits : 0;
}

/* The figures of a finished choice. */
static void sum_up(const struct curve *curve, const struct regions_wish *wish, struct regions *regions)
{
    regions->bits = bits_of(wish, (double)curve_keys(curve), regions->first);
    for (unsigned i = 0; i < regions->count; i++)
        regions->bits += bits_of(wish, (double)regions->region[i].keys, regions->region[i].fpr);
    regions->fpr = regions->first * rate_with_margin(curve, regions, 0);
}

/* Segments a to b - 1 as a region. */
static struct region join(const struct curve *curve, size_t a, size_t b)
{
    return (struct region){curve->from[a], curve->keys[b] - curve->keys[a], curve->negatives[b] - curve->negatives[a],
                           1};
}

/* ---- partition ---- */

/* The table of the programme: best[r][b] is the least cost of segments 0 to b - 1 in r regions, cut[r][b] where the
 * last of them begins. Costs are in units of factor * keys. */
struct programme {
    const struct curve *curve;
    const struct regions_wish *wish;
    size_t edges;         /* segments + 1 */
    double *keys, *share; /* of all, below each edge */
    double *split;        /* [b * edges + a]: g log2(h / g) of the region from a to b */
    double *best;         /* [r * edges + b] */
    uint16_t *cut;
    double child; /* cost of a filter on top */
};

static void programme_free(struct programme *p)
{
    const struct mem *mem = &p->curve->mem;
    mem_free(mem, p->keys, p->edges, sizeof *p->keys);
    mem_free(mem, p->share, p->edges, sizeof *p->share);
    mem_free(mem, p->split, p->edges * p->edges, sizeof *p->split);
    mem_free(mem, p->best, p->edges * (p->wish->most + 1), sizeof *p->best);
    mem_free(mem, p->cut, p->edges * (p->wish->most + 1), sizeof *p->cut);
}

static void fill_split(struct programme *p)
{
    double least = share_of(p->curve, 0);
    for (size_t b = 0; b < p->edges; b++) {
        p->keys[b] = (double)p->curve->keys[b] / (double)curve_keys(p->curve);
        p->share[b] = (double)p->curve->negatives[b] * least;
    }
    for (size_t b = 1; b < p->edges; b++)
        for (size_t a = 0; a < b; a++) {
            double g = p->keys[b] - p->keys[a], h = p->share[b] - p->share[a] + least;
            p->split[b * p->edges + a] = g > 0 ? g * log2(h / g) : 0;
        }
}

static int programme_start(struct programme *p, const struct curve *curve, const struct regions_wish *wish)
{
    const struct mem *mem = &curve->mem;
    *p = (struct programme){.curve = curve, .wish = wish, .edges = curve->segments + 1};
    p->keys = mem_alloc(mem, p->edges, sizeof *p->keys);
    p->share = mem_alloc(mem, p->edges, sizeof *p->share);
    p->split = mem_alloc(mem, p->edges * p->edges, sizeof *p->split);
    p->best = mem_alloc(mem, p->edges * (wish->most + 1), sizeof *p->best);
    p->cut = mem_alloc(mem, p->edges * (wish->most + 1), sizeof *p->cut);
    if (!p->keys || !p->share || !p->split || !p->best || !p->cut) {
        programme_free(p);
        return UF_ENOMEM;
    }
    p->child = wish->child_bits / (wish->factor * (double)curve_keys(curve));
    fill_split(p);
    return UF_OK;
}

/* The best place to begin the last region before edge b, when `before` has the costs of one region less. */
static size_t best_cut(const struct programme *p, const double *before, size_t b, double lambda, double *cost)
{
    const double *split = p->split + b * p->edges, per_key = log2(1 / lambda) + per_nat, per_share = per_nat / lambda;
    const double least = share_of(p->curve, 0), keys = p->keys[b], share = p->share[b] + least;
    size_t at = 0;
    *cost = INFINITY;
    for (size_t a = 0; a < b; a++) {
        double g = keys - p->keys[a], h = share - p->share[a];
        double open = per_share * h, closed = split[a] + g * per_key + p->child;
        double total = before[a] + (lambda * g >= h ? open : g > 0 ? closed : 0);
        if (total < *cost) {
            *cost = total;
            at = a;
        }
    }
    return at;
}

/* Solves for one lambda; returns how many regions are best. */
static unsigned solve(struct programme *p, double lambda)
{
    size_t last = p->edges - 1;
    unsigned count = 1;
    for (size_t b = 0; b < p->edges; b++)
        p->best[b] = b ? INFINITY : 0;
    for (unsigned r = 1; r <= p->wish->most; r++) {
        const double *before = p->best + (r - 1) * p->edges;
        p->best[r * p->edges] = INFINITY;
        for (size_t b = r < p->wish->most ? 1 : last; b <= last; b++)
            p->cut[r * p->edges + b] = (uint16_t)best_cut(p, before, b, lambda, &p->best[r * p->edges + b]);
        if (p->best[r * p->edges + last] < p->best[count * p->edges + last])
            count = r;
    }
    return count;
}

static void read_regions(const struct programme *p, unsigned count, struct regions *out)
{
    size_t end = p->edges - 1;
    out->first = 1;
    out->count = count;
    for (unsigned r = count; r; r--) {
        size_t begin = p->cut[r * p->edges + end];
        out->region[r - 1] = join(p->curve, begin, end);
        end = begin;
    }
}

/* Bisection over lambda, on a scale of ratios; the last regions within the rate are kept and their rates fitted. */
static int choose_partition(const struct curve *curve, const struct regions_wish *wish, struct regions *out)
{
    struct programme p;
    double low = wish->fpr * 1e-3, high = 4;
    int status = programme_start(&p, curve, wish);
    if (status != UF_OK)
        return status;
    read_regions(&p, 0, out);
    while (high / low > 1.002) {
        struct regions trial;
        double lambda = sqrt(low * high);
        read_regions(&p, solve(&p, lambda), &trial);
        set_rates(curve, &trial, lambda);
        if (rate_with_margin(curve, &trial, wish->margin) > wish->fpr) {
            high = lambda;
        } else {
            low = lambda;
            *out = trial;
        }
    }
    programme_free(&p);
    if (!out->count) {
        out->count = 1;
        out->region[0] = join(curve, 0, curve->segments);
    }
    (void)fit_lambda(curve, wish, out);
    return UF_OK;
}

/* ---- learned and sandwich ---- */

/* A share of negatives with its margin. Added up, these are at least the margin of the sum. */
static double share_with_margin(const struct curve *curve, uint64_t seen, double margin)
{
    double share = share_of(curve, seen);
    return share + margin * sqrt(share / ((double)curve_negatives(curve) + 1));
}

/* Rates for a threshold at edge b: first (above + below backup) = F. `first` is above 1 when that cannot be had. */
static void threshold_rates(const struct curve *curve, const struct regions_wish *wish, size_t b, double *first,
                            double *backup)
{
    double above = share_with_margin(curve, curve_negatives(curve) - curve->negatives[b], wish->margin);
    double below = share_with_margin(curve, curve->negatives[b], wish->margin);
    double left_out = (double)curve->keys[b] / (double)curve_keys(curve);
    *backup = (wish->fpr - above) / below;
    *first = *backup > 0 ? 1 : 2;
    if (wish->how == REGIONS_LEARNED)
        return;
    double best = left_out < 1 ? above * left_out / (below * (1 - left_out)) : 1;
    best = fmax(fmin(best, 1), wish->fpr * 1e-6);
    if (wish->fpr / (above + below * best) < 1) {
        *backup = best;
        *first = wish->fpr / (above + below * best);
    }
}

/* The threshold with the fewest bits. Below it are the keys of the backup; no threshold is one filter for all. */
static void choose_threshold(const struct curve *curve, const struct regions_wish *wish, struct regions *out)
{
    double least = bits_of(wish, (double)curve_keys(curve), wish->fpr), first, backup;
    *out = (struct regions){.first = 1, .count = 1};
    out->region[0] = join(curve, 0, curve->segments);
    out->region[0].fpr = curve_keys(curve) ? wish->fpr : 0;
    for (size_t b = 1; b < curve->segments; b++) {
        threshold_rates(curve, wish, b, &first, &backup);
        double bits = bits_of(wish, (double)curve_keys(curve), first) + bits_of(wish, (double)curve->keys[b], backup);
        if (first > 1 || bits >= least)
            continue;
        least = bits;
        *out = (struct regions){.first = first, .count = 2};
        out->region[0] = join(curve, 0, b);
        out->region[0].fpr = curve->keys[b] ? backup : 0;
        out->region[1] = join(curve, b, curve->segments);
    }
}

int regions_choose(const struct curve *curve, const struct regions_wish *wish, struct regions *out)
{
    int status = UF_OK;
    if (wish->how == REGIONS_PARTITION && curve_keys(curve))
        status = choose_partition(curve, wish, out);
    else
        choose_threshold(curve, wish, out);
    if (status == UF_OK)
        sum_up(curve, wish, out);
    return status;
}
