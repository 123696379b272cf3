/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "status.h"

#define MOST_KEYS (UINT64_C(1) << 53)

struct requestes {
    int has_n, has_bits, has_fpr, has_k;
    uint64_t n, bits, k;
    double fpr;
};

int plan_check_fpr(double fpr, uf_error *why)
{
    if (fpr > 0 && fpr < 1)
        return UF_OK;
    return fail(why, UF_EINVAL, "fpr=%g is not a false-positive rate: it must be above 0 and below 1, such as 0.01",
                fpr);
}

double plan_offer(double fpr)
{
    double unit = pow(10, floor(log10(fpr)) - 2);
    return fpr > 1e-290 && fpr < 1 ? fmin(ceil(fpr / unit) * unit, 1) : fpr;
}

void plan_set_rate(struct spec *spec, const char *name, double rate)
{
    if (rate > 0 && rate <= 0.999999) /* six digits of more would round up to 1 */
        spec_set_rate(spec, name, rate);
    else
        spec_remove(spec, name);
}

void plan_set_fpr(struct spec *spec, double fpr)
{
    plan_set_rate(spec, "fpr", fpr);
}

static uint64_t unit_bits(const struct plan_rules *rules, unsigned k)
{
    return rules->region ? (uint64_t)k * (rules->region + 1) : rules->unit_bits(k);
}

/* What the rate counts in: positions of a partition, or the units themselves. */
static uint64_t cells(const struct plan_rules *rules)
{
    return rules->region ? rules->region : 1;
}

static double rate(const struct plan_rules *rules, uint64_t n, uint64_t units, unsigned k)
{
    return rules->rate(n, units * cells(rules), k);
}

static int k_is_legal(const struct plan_rules *rules, uint64_t k)
{
    if (!rules->only_k)
        return k >= 1 && k <= rules->most_k;
    const unsigned *legal = rules->only_k;
    while (*legal && *legal != k)
        legal++;
    return *legal != 0;
}

static int check_k(const struct plan_rules *rules, uint64_t k, const char *kind, uf_error *why)
{
    if (k_is_legal(rules, k))
        return UF_OK;
    if (rules->only_k)
        return fail(why, UF_EINVAL, "k=%llu is not possible for %s: it has k=%u or k=%u", (unsigned long long)k, kind,
                    rules->only_k[0], rules->only_k[1]);
    return fail(why, UF_EINVAL, "k=%llu is not possible for %s: k is 1 to %u", (unsigned long long)k, kind,
                rules->most_k);
}

/* bits_per_key is a way to say bits once n is known. */
static int read_bits(const struct spec *spec, struct requestes *request, uf_error *why)
{
    double per_key = 0;
    int given = spec_get_count(spec, "bits", &request->bits, why);
    int relative = spec_get_number(spec, "bits_per_key", &per_key, why);
    if (given < 0 || relative < 0)
        return UF_EINVAL;
    if (given && relative)
        return fail(why, UF_EINVAL, "bits and bits_per_key say the same thing: give one of them");
    if (relative && request->has_n && !request->n)
        relative = 0; /* no keys, no bits: any size will do */
    if (relative && !request->has_n)
        return fail(why, UF_EINVAL, "bits_per_key=%g needs n, the number of keys", per_key);
    if (relative && !(per_key > 0 && per_key * (double)request->n <= (double)PLAN_MAX_BITS))
        return fail(why, UF_EINVAL, "bits_per_key=%g is not possible: it must be above 0, and n times it at most 2^46",
                    per_key);
    if (relative)
        request->bits = (uint64_t)(per_key * (double)request->n);
    request->has_bits = given || relative;
    if (request->has_bits && request->bits > PLAN_MAX_BITS)
        return fail(why, UF_EIMPOSSIBLE, "bits=%llu is more than the 2^46 (8 TiB) a filter can have",
                    (unsigned long long)request->bits);
    return UF_OK;
}

int plan_request_bits(const struct spec *spec, uint64_t *bits, uf_error *why)
{
    struct requestes request;
    memset(&request, 0, sizeof request);
    request.has_n = spec_get_count(spec, "n", &request.n, why);
    int status = request.has_n < 0 ? UF_EINVAL : read_bits(spec, &request, why);
    if (status != UF_OK)
        return status;
    *bits = request.bits;
    return request.has_bits;
}

static int read_requestes(const struct spec *spec, const struct plan_rules *rules, struct requestes *request,
                          uf_error *why)
{
    request->has_n = spec_get_count(spec, "n", &request->n, why);
    request->has_fpr = spec_get_number(spec, "fpr", &request->fpr, why);
    request->has_k = spec_get_count(spec, "k", &request->k, why);
    if (request->has_n < 0 || request->has_fpr < 0 || request->has_k < 0)
        return UF_EINVAL;
    int status = read_bits(spec, request, why);
    if (status == UF_OK && request->has_fpr)
        status = plan_check_fpr(request->fpr, why);
    if (status == UF_OK && request->has_k)
        status = check_k(rules, request->k, spec->kind, why);
    if (status == UF_OK && !request->has_n && !request->has_bits)
        status = fail(why, UF_EINVAL, "say how large: n (keys) or bits, as in %s:n=1e6,fpr=0.01", spec->kind);
    return status;
}

/* The k worth trying: the request, all of a short list, or the neighbours of the classic optimum; all of them for a
 * size so small that whole partitions decide. */
static int next_k(const struct plan_rules *rules, const struct requestes *request, double ideal, unsigned *k)
{
    int small = request->has_bits && request->bits < 4096;
    unsigned from = small ? 1 : (unsigned)fmin(fmax(ideal - 1.5, 1), rules->most_k);
    if (request->has_k)
        return *k ? 0 : (*k = (unsigned)request->k, 1);
    if (rules->only_k) {
        const unsigned *at = rules->only_k;
        while (*k && *at != *k)
            at++;
        at += *k != 0;
        *k = *at;
        return *k != 0;
    }
    *k = *k ? *k + 1 : from;
    return (small || *k <= from + 3) && *k <= rules->most_k;
}

/* n and bits are known: the k with the smallest rate. */
static struct plan_shape best_rate(const struct plan_rules *rules, const struct requestes *request)
{
    struct plan_shape best = {request->n, 0, 0, 2};
    double positions = (double)request->bits / (double)unit_bits(rules, 1) * (double)cells(rules);
    double ideal = request->n ? positions / (double)request->n * M_LN2 : 1;
    for (unsigned k = 0; next_k(rules, request, ideal, &k);) {
        uint64_t units = request->bits / unit_bits(rules, k);
        double fpr = units ? rate(rules, request->n, units, k) : 2;
        if (fpr < best.fpr)
            best = (struct plan_shape){request->n, units, k, fpr};
    }
    return best;
}

/* n and fpr are known: the k with the fewest bits. units is 0 when no size is enough. */
static struct plan_shape fewest_bits(const struct plan_rules *rules, const struct requestes *request)
{
    struct plan_shape best = {request->n, 0, 0, 1};
    uint64_t least = PLAN_MAX_BITS + 1;
    for (unsigned k = 0; next_k(rules, request, -log2(request->fpr), &k);) {
        uint64_t unit = unit_bits(rules, k), limit = PLAN_MAX_BITS / unit;
        uint64_t units =
            ceil_div(rate_fewest_units(rules->rate, request->n, k, request->fpr, limit * cells(rules)), cells(rules));
        if (units <= limit && units * unit < least) {
            least = units * unit;
            best = (struct plan_shape){request->n, units, k, rate(rules, request->n, units, k)};
        }
    }
    return best;
}

/* bits and fpr are known: the k that takes the most keys. */
static struct plan_shape most_keys(const struct plan_rules *rules, const struct requestes *request)
{
    struct plan_shape best = {0, 0, 0, 0};
    for (unsigned k = 0; next_k(rules, request, -log2(request->fpr), &k);) {
        uint64_t units = request->bits / unit_bits(rules, k);
        uint64_t n = units ? rate_most_keys(rules->rate, units * cells(rules), k, request->fpr, MOST_KEYS) : 0;
        if (units && (n > best.n || !best.units))
            best = (struct plan_shape){n, units, k, rate(rules, n, units, k)};
    }
    return best;
}

/* A rate of six digits is written as it is, without the last bits of its sum (spec_set_rate): a plan must still be its
 * own plan. */
static int meets(double fpr, double wanted)
{
    return fpr * (1 - 1e-12) <= wanted;
}

static int too_few_bits(const struct plan_rules *rules, const struct requestes *request, const char *kind,
                        uf_error *why)
{
    uint64_t least = PLAN_MAX_BITS;
    for (unsigned k = 0; next_k(rules, request, 1, &k);)
        least = unit_bits(rules, k) < least ? unit_bits(rules, k) : least;
    return fail(why, UF_EIMPOSSIBLE, "bits=%llu is too few: a %s filter has at least %llu",
                (unsigned long long)request->bits, kind, (unsigned long long)least);
}

static int plan_by_bits(const struct plan_rules *rules, const struct requestes *request, const char *kind,
                        struct plan_shape *out, uf_error *why)
{
    *out = best_rate(rules, request);
    if (!out->units)
        return too_few_bits(rules, request, kind, why);
    if (!request->has_fpr || meets(out->fpr, request->fpr))
        return UF_OK;
    struct plan_shape larger = fewest_bits(rules, request), fewer = most_keys(rules, request);
    return fail(why, UF_EIMPOSSIBLE,
                "n=%llu at fpr=%g needs %llu bits; with bits=%llu the best is fpr=%.3g, or n=%llu at fpr=%g",
                (unsigned long long)request->n, request->fpr,
                (unsigned long long)(larger.units * unit_bits(rules, larger.k)), (unsigned long long)request->bits,
                plan_offer(out->fpr), (unsigned long long)fewer.n, request->fpr);
}

static int plan_by_rate(const struct plan_rules *rules, struct requestes *request, const char *kind,
                        struct plan_shape *out, uf_error *why)
{
    if (request->has_n) {
        *out = fewest_bits(rules, request);
        if (out->units)
            return UF_OK;
        request->bits = PLAN_MAX_BITS;
        return fail(why, UF_EIMPOSSIBLE,
                    "n=%llu at fpr=%g needs more than the 2^46 bits (8 TiB) a filter can have; at that fpr n=%llu fits",
                    (unsigned long long)request->n, request->fpr, (unsigned long long)most_keys(rules, request).n);
    }
    *out = most_keys(rules, request);
    if (!out->units)
        return too_few_bits(rules, request, kind, why);
    if (out->n)
        return UF_OK;
    request->n = 1;
    return fail(why, UF_EIMPOSSIBLE, "bits=%llu holds no key at fpr=%g; the best for one key is fpr=%.3g",
                (unsigned long long)request->bits, request->fpr, plan_offer(best_rate(rules, request).fpr));
}

int plan_resolve(struct spec *spec, const struct plan_rules *rules, uf_error *why)
{
    struct requestes request;
    struct plan_shape shape;
    memset(&request, 0, sizeof request);
    int status = read_requestes(spec, rules, &request, why);
    if (status != UF_OK)
        return status;
    if (request.has_n && request.has_bits) {
        status = plan_by_bits(rules, &request, spec->kind, &shape, why);
    } else {
        request.fpr = request.has_fpr ? request.fpr : PLAN_DEFAULT_FPR;
        status = plan_by_rate(rules, &request, spec->kind, &shape, why);
    }
    if (status != UF_OK)
        return status;
    spec_remove(spec, "bits_per_key");
    spec_set_number(spec, "n", (double)shape.n);
    plan_set_fpr(spec, shape.fpr);
    spec_set_number(spec, "bits", (double)(shape.units * unit_bits(rules, shape.k)));
    spec_set_number(spec, "k", shape.k);
    return UF_OK;
}

int plan_read(const struct spec *plan, const struct plan_rules *rules, struct plan_shape *out, uf_error *why)
{
    uint64_t n = 0, bits = 0, k = 0;
    if (spec_get_count(plan, "n", &n, why) != 1 || spec_get_count(plan, "bits", &bits, why) != 1 ||
        spec_get_count(plan, "k", &k, why) != 1)
        return fail(why, UF_EINVAL, "the plan lacks n, bits or k");
    *out = (struct plan_shape){n, bits / unit_bits(rules, (unsigned)k), (unsigned)k, 0};
    out->fpr = rate(rules, n, out->units, out->k);
    return UF_OK;
}
