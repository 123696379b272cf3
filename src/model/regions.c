/* SPDX-License-Identifier: MIT */
#include "regions.h"

#include <math.h>
#include <string.h>

/* A cap is found with fewer segments and regions; the rates are fitted once more when the regions are known. */
enum { COARSE_SEGMENTS = 100, COARSE_REGIONS = 8 };

static const double per_nat = 1.4426950408889634; /* 1 / ln 2 */

/* ---- shares and rates ---- */

/* Of the negatives: seen + 1 of V + 1, so that no region counts as free of them. */
static double share_of(const struct curve *curve, uint64_t seen)
{
    return ((double)seen + 1) / ((double)curve_negatives(curve) + 1);
}

/* Expected rate of V negatives, with so many standard errors of the estimate on top. */
static double rate_of(const struct regions *regions, uint64_t negatives, double margin)
{
    double rate = 0, squares = 0, all = (double)negatives + 1;
    for (unsigned i = 0; i < regions->count; i++) {
        double share = ((double)regions->region[i].negatives + 1) / all, fpr = regions->region[i].fpr;
        rate += share * fpr;
        squares += share * fpr * fpr;
    }
    return rate + margin * sqrt(squares / all);
}

static double rate_with_margin(const struct curve *curve, const struct regions *regions, double margin)
{
    return rate_of(regions, curve_negatives(curve), margin);
}

/* A rate when a share of the queries goes where it is highest. */
static double with_attack(const struct regions_request *request, const struct regions *regions, double rate)
{
    double worst = 0;
    for (unsigned i = 0; i < regions->count; i++)
        worst = fmax(worst, regions->region[i].fpr);
    return (1 - request->alpha) * rate + request->alpha * worst;
}

static double rate_under_attack(const struct curve *curve, const struct regions_request *request,
                                const struct regions *regions)
{
    return with_attack(request, regions, rate_with_margin(curve, regions, request->margin));
}

double regions_rate(const struct regions *regions, const struct regions_request *request)
{
    uint64_t negatives = 0;
    for (unsigned i = 0; i < regions->count; i++)
        negatives += regions->region[i].negatives;
    return regions->first * with_attack(request, regions, rate_of(regions, negatives, request->margin));
}

double regions_auc(const struct regions *regions)
{
    double above = 0, keys = 0, negatives = 0;
    for (unsigned i = 0; i < regions->count; i++) {
        double here = (double)regions->region[i].negatives;
        above += (double)regions->region[i].keys * (negatives + here / 2);
        keys += (double)regions->region[i].keys;
        negatives += here;
    }
    return keys > 0 && negatives > 0 ? above / keys / negatives : 0;
}

/* What decides about a region: lambda, and the highest rate that any may have. */
struct price {
    double lambda, cap;
};

/* Lambda of rates that are all at the cap, or nearly so. */
static double most_lambda(const struct regions_request *request)
{
    return request->alpha > 0 ? 1e4 : 4;
}

static void set_rates(const struct curve *curve, struct regions *regions, struct price price)
{
    for (unsigned i = 0; i < regions->count; i++) {
        struct region *region = &regions->region[i];
        double keys = (double)region->keys / (double)curve_keys(curve);
        region->fpr = region->keys ? fmin(price.cap, price.lambda * keys / share_of(curve, region->negatives)) : 0;
    }
}

/* The rates for the largest lambda at which the request holds. */
static void fit_lambda(const struct curve *curve, const struct regions_request *request, struct regions *regions,
                       double cap)
{
    double low = request->fpr * 1e-6, high = most_lambda(request);
    for (int i = 0; i < 60; i++) {
        double lambda = sqrt(low * high);
        set_rates(curve, regions, (struct price){lambda, cap});
        if (rate_under_attack(curve, request, regions) > request->fpr)
            high = lambda;
        else
            low = lambda;
    }
    set_rates(curve, regions, (struct price){low, cap});
}

static double bits_of(const struct regions_request *request, double keys, double fpr)
{
    return keys > 0 && fpr < 1 ? request->factor * keys * log2(1 / fpr) + request->child_bits : 0;
}

/* The figures of a finished choice. */
static void sum_up(const struct curve *curve, const struct regions_request *request, struct regions *regions)
{
    regions->bits = bits_of(request, (double)curve_keys(curve), regions->first);
    for (unsigned i = 0; i < regions->count; i++)
        regions->bits += bits_of(request, (double)regions->region[i].keys, regions->region[i].fpr);
    regions->fpr = regions->first * rate_with_margin(curve, regions, 0);
}

/* Segments a to b - 1 as a region. */
static struct region join(const struct curve *curve, size_t a, size_t b)
{
    return (struct region){curve->from[a], curve->keys[b] - curve->keys[a], curve->negatives[b] - curve->negatives[a],
                           1};
}

/* ---- partition ---- */

/* The table of the programme: best[r][b] is the least cost of segments 0 to b - 1 in r regions, which follows from that
 * of r - 1 regions and what the last one costs. Costs are in units of factor * keys. */
struct programme {
    const struct curve *curve;
    const struct regions_request *request;
    size_t edges;         /* segments + 1 */
    double *keys, *share; /* of all, below each edge */
    double *split;        /* [b * edges + a]: g log2(h / g) of the region from a to b */
    double *cost;         /* of that region at the price in question */
    double *best;         /* [r * edges + b] */
    double child;         /* cost of a filter on top */
    double least;         /* share of the keys that a region has */
};

static void programme_free(struct programme *p)
{
    const struct mem *mem = &p->curve->mem;
    mem_free(mem, p->keys, p->edges, sizeof *p->keys);
    mem_free(mem, p->share, p->edges, sizeof *p->share);
    mem_free(mem, p->split, p->edges * p->edges, sizeof *p->split);
    mem_free(mem, p->cost, p->edges * p->edges, sizeof *p->cost);
    mem_free(mem, p->best, p->edges * (p->request->most + 1), sizeof *p->best);
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

static int programme_start(struct programme *p, const struct curve *curve, const struct regions_request *request)
{
    const struct mem *mem = &curve->mem;
    *p = (struct programme){.curve = curve, .request = request, .edges = curve->segments + 1};
    p->keys = mem_alloc(mem, p->edges, sizeof *p->keys);
    p->share = mem_alloc(mem, p->edges, sizeof *p->share);
    p->split = mem_alloc(mem, p->edges * p->edges, sizeof *p->split);
    p->best = mem_alloc(mem, p->edges * (request->most + 1), sizeof *p->best);
    p->cost = mem_alloc(mem, p->edges * p->edges, sizeof *p->cost);
    if (!p->keys || !p->share || !p->split || !p->best || !p->cost) {
        programme_free(p);
        return UF_ENOMEM;
    }
    p->child = request->child_bits / (request->factor * (double)curve_keys(curve));
    p->least = fmin((double)request->least / (double)curve_keys(curve), 1) * (1 - 1e-9); /* differences round */
    fill_split(p);
    return UF_OK;
}

/* What each region costs; infinite where it has too few keys. */
static void fill_cost(struct programme *p, struct price price)
{
    const double per_key = log2(1 / price.lambda) + per_nat, per_key_capped = log2(1 / price.cap);
    const double per_share = per_nat * price.cap / price.lambda, least = share_of(p->curve, 0);
    const double lambda = price.lambda / price.cap, child = p->child, capped_child = price.cap < 1 ? child : 0;
    for (size_t b = 1; b < p->edges; b++) {
        const double *split = p->split + b * p->edges, keys = p->keys[b], share = p->share[b] + least;
        double *cost = p->cost + b * p->edges;
        for (size_t a = 0; a < b; a++) {
            double g = keys - p->keys[a], h = share - p->share[a];
            double capped = per_share * h + g * per_key_capped + capped_child, below = split[a] + g * per_key + child;
            double free = g > 0 ? below : 0, any = lambda * g >= h ? capped : free;
            cost[a] = g >= p->least ? any : INFINITY;
        }
    }
}

/* The least before[a] + cost[a]: eight sums at a time, which the compiler turns into vectors. */
static double least_sum(const double *before, const double *cost, size_t count)
{
    enum { LANES = 8 };
    double low[LANES], least = INFINITY;
    size_t a = 0;
    for (int j = 0; j < LANES; j++)
        low[j] = INFINITY;
    for (; a + LANES <= count; a += LANES)
        for (int j = 0; j < LANES; j++) {
            double sum = before[a + (size_t)j] + cost[a + (size_t)j];
            low[j] = sum < low[j] ? sum : low[j];
        }
    for (; a < count; a++)
        least = before[a] + cost[a] < least ? before[a] + cost[a] : least;
    for (int j = 0; j < LANES; j++)
        least = low[j] < least ? low[j] : least;
    return least;
}

/* Solves for one price; returns how many regions are best. */
static unsigned solve(struct programme *p, struct price price)
{
    size_t last = p->edges - 1;
    unsigned count = 1;
    fill_cost(p, price);
    for (size_t b = 0; b < p->edges; b++)
        p->best[b] = b ? INFINITY : 0;
    for (unsigned r = 1; r <= p->request->most; r++) {
        const double *before = p->best + (r - 1) * p->edges;
        p->best[r * p->edges] = INFINITY;
        for (size_t b = r < p->request->most ? 1 : last; b <= last; b++)
            p->best[r * p->edges + b] = least_sum(before, p->cost + b * p->edges, b);
        if (p->best[r * p->edges + last] < p->best[count * p->edges + last])
            count = r;
    }
    return count;
}

/* Where the last of r regions before edge b begins. */
static size_t cut_of(const struct programme *p, unsigned r, size_t b)
{
    const double *before = p->best + (r - 1) * p->edges, *cost = p->cost + b * p->edges;
    size_t at = 0;
    while (at < b && !(before[at] + cost[at] <= p->best[r * p->edges + b]))
        at++;
    return at < b ? at : 0;
}

static void read_regions(const struct programme *p, unsigned count, struct regions *out)
{
    size_t end = p->edges - 1;
    out->first = 1;
    out->count = count;
    for (unsigned r = count; r; r--) {
        size_t begin = cut_of(p, r, end);
        out->region[r - 1] = join(p->curve, begin, end);
        end = begin;
    }
}

/* For one cap: bisection over lambda, on a scale of ratios; the last regions within the rate are kept and their rates
 * fitted. */
static void choose_at(struct programme *p, double cap, struct regions *out)
{
    const struct curve *curve = p->curve;
    double low = p->request->fpr * 1e-3, high = most_lambda(p->request);
    read_regions(p, 0, out);
    while (high / low > 1.002) {
        struct regions trial;
        struct price price = {sqrt(low * high), cap};
        read_regions(p, solve(p, price), &trial);
        set_rates(curve, &trial, price);
        if (rate_under_attack(curve, p->request, &trial) > p->request->fpr) {
            high = price.lambda;
        } else {
            low = price.lambda;
            *out = trial;
        }
    }
    if (!out->count) {
        out->count = 1;
        out->region[0] = join(curve, 0, curve->segments);
    }
    fit_lambda(curve, p->request, out, cap);
    sum_up(curve, p->request, out);
}

/* ---- the cap ---- */

/* Bits as they follow from the logarithm of a cap. */
struct cap_search {
    double (*bits)(void *arg, double log_cap);
    void *arg;
};

/* Where the bits are fewest between two caps, if they have one valley there. The upper end is tried by itself: a cap of
 * 1 spares filters. */
static double lowest_between(const struct cap_search *search, double low, double high, int steps)
{
    const double golden = 0.6180339887498949, end = high;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double bits_a = search->bits(search->arg, a), bits_b = search->bits(search->arg, b);
    while (steps--) {
        if (bits_a <= bits_b) {
            high = b, b = a, bits_b = bits_a;
            bits_a = search->bits(search->arg, a = high - golden * (high - low));
        } else {
            low = a, a = b, bits_a = bits_b;
            bits_b = search->bits(search->arg, b = low + golden * (high - low));
        }
    }
    double best = bits_a <= bits_b ? a : b;
    return search->bits(search->arg, end) <= fmin(bits_a, bits_b) ? end : best;
}

/* Caps are between the rate itself, one filter for all, and what alpha leaves when nothing else is accepted. */
static double least_log_cap(const struct regions_request *request)
{
    return log(request->fpr);
}

static double most_log_cap(const struct regions_request *request)
{
    return request->alpha > request->fpr ? log(request->fpr / request->alpha) : 0;
}

/* The exponential function is not the same everywhere in its last digits, and caps are in files: they have few. */
static double cap_of(double log_cap)
{
    return (float)exp(log_cap);
}

struct fixed {
    const struct curve *curve;
    const struct regions_request *request;
    struct regions *regions;
};

static double bits_of_fixed(void *arg, double log_cap)
{
    const struct fixed *fixed = arg;
    fit_lambda(fixed->curve, fixed->request, fixed->regions, cap_of(log_cap));
    sum_up(fixed->curve, fixed->request, fixed->regions);
    return fixed->regions->bits;
}

/* The best rates for regions that stay. Twenty steps find the cap to a part in ten thousand, and the bits to one in a
 * million. */
static void fit_cap(const struct curve *curve, const struct regions_request *request, struct regions *regions)
{
    struct fixed fixed = {curve, request, regions};
    struct cap_search search = {bits_of_fixed, &fixed};
    double cap = request->alpha > 0 ? lowest_between(&search, least_log_cap(request), most_log_cap(request), 20) : 0;
    (void)bits_of_fixed(&fixed, cap);
}

static double bits_of_programme(void *arg, double log_cap)
{
    struct regions regions;
    choose_at(arg, cap_of(log_cap), &regions);
    return regions.bits;
}

/* The regions change with the cap, and there may be several valleys: a grid finds the deepest one. */
static double find_cap(struct programme *p)
{
    enum { GRID = 10, STEPS = 5 };
    struct cap_search search = {bits_of_programme, p};
    double low = least_log_cap(p->request), step = (most_log_cap(p->request) - low) / GRID, least = INFINITY;
    int at = 0;
    for (int i = 0; i <= GRID; i++) {
        double bits = bits_of_programme(p, low + i * step);
        at = bits < least ? i : at;
        least = fmin(least, bits);
    }
    return lowest_between(&search, low + fmax(at - 1, 0) * step, low + fmin(at + 1, GRID) * step, STEPS);
}

static int search_cap(const struct curve *curve, const struct regions_request *given, double *out)
{
    struct regions_request request = *given;
    struct curve coarse;
    struct programme p;
    int status = curve_coarse(curve, COARSE_SEGMENTS, &coarse);
    request.most = request.most < COARSE_REGIONS ? request.most : COARSE_REGIONS;
    if (status != UF_OK)
        return status;
    status = programme_start(&p, &coarse, &request);
    if (status == UF_OK) {
        *out = cap_of(find_cap(&p));
        programme_free(&p);
    }
    curve_free(&coarse);
    return status;
}

static int choose_partition(const struct curve *curve, const struct regions_request *request, struct regions *out)
{
    struct programme p;
    double cap = 1;
    int status = request->alpha > 0 ? search_cap(curve, request, &cap) : UF_OK;
    if (status == UF_OK)
        status = programme_start(&p, curve, request);
    if (status != UF_OK)
        return status;
    choose_at(&p, cap, out);
    programme_free(&p);
    for (unsigned i = 0; request->whole && i < out->count; i++)
        out->region[i].keys = curve_keys(curve);
    if (request->alpha > 0 || request->whole)
        fit_cap(curve, request, out);
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
static void threshold_rates(const struct curve *curve, const struct regions_request *request, size_t b, double *first,
                            double *backup)
{
    double above = share_with_margin(curve, curve_negatives(curve) - curve->negatives[b], request->margin);
    double below = share_with_margin(curve, curve->negatives[b], request->margin);
    double left_out = (double)curve->keys[b] / (double)curve_keys(curve);
    *backup = (request->fpr - above) / below;
    *first = *backup > 0 ? 1 : 2;
    if (request->how == REGIONS_LEARNED)
        return;
    double best = left_out < 1 ? above * left_out / (below * (1 - left_out)) : 1;
    best = fmax(fmin(best, request->in_front ? 0.5 : 1), request->fpr * 1e-6);
    if (request->in_front)
        *first = 2;
    if (request->fpr / (above + below * best) < 1) {
        *backup = best;
        *first = request->fpr / (above + below * best);
    }
}

/* Where there is no threshold: a first filter, and a backup of all keys. */
static void divide(double fpr, double *first, double *backup)
{
    *backup = fpr < 0.5 ? 0.5 : sqrt(fpr);
    *first = fpr / *backup;
}

/* Keys on either side of a threshold, at least. A sandwich that has to be one has a quarter of them in its backup: the
 * fewest bits would be those of a backup with next to none. */
static uint64_t least_side(const struct curve *curve, const struct regions_request *request)
{
    const uint64_t quarter = request->in_front ? curve_keys(curve) / 4 : 0;
    return quarter > request->least ? quarter : request->least;
}

/* The threshold with the fewest bits. Below it are the keys of the backup; no threshold is one filter for all. */
static void choose_threshold(const struct curve *curve, const struct regions_request *request, struct regions *out)
{
    double least = bits_of(request, (double)curve_keys(curve), request->fpr), first, backup;
    const uint64_t least_keys = least_side(curve, request);
    *out = (struct regions){.first = 1, .count = 1};
    out->region[0] = join(curve, 0, curve->segments);
    out->region[0].fpr = curve_keys(curve) ? request->fpr : 0;
    if (request->in_front && curve_keys(curve)) {
        least = INFINITY;
        divide(request->fpr, &out->first, &out->region[0].fpr);
    }
    for (size_t b = 1; b < curve->segments; b++) {
        threshold_rates(curve, request, b, &first, &backup);
        double bits =
            bits_of(request, (double)curve_keys(curve), first) + bits_of(request, (double)curve->keys[b], backup);
        if (first > 1 || bits >= least || curve->keys[b] < least_keys ||
            curve_keys(curve) - curve->keys[b] < least_keys)
            continue;
        least = bits;
        *out = (struct regions){.first = first, .count = 2};
        out->region[0] = join(curve, 0, b);
        out->region[0].fpr = curve->keys[b] ? backup : 0;
        out->region[1] = join(curve, b, curve->segments);
    }
}

int regions_choose(const struct curve *curve, const struct regions_request *request, struct regions *out)
{
    int status = UF_OK;
    if (request->how == REGIONS_PARTITION && curve_keys(curve))
        status = choose_partition(curve, request, out);
    else
        choose_threshold(curve, request, out);
    if (status == UF_OK)
        sum_up(curve, request, out);
    return status;
}
