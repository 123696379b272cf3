/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "status.h"

#define MOST_KEYS (UINT64_C(1) << 53)

struct wishes {
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
static int read_bits(const struct spec *spec, struct wishes *wish, uf_error *why)
{
    double per_key = 0;
    int given = spec_get_count(spec, "bits", &wish->bits, why);
    int relative = spec_get_number(spec, "bits_per_key", &per_key, why);
    if (given < 0 || relative < 0)
        return UF_EINVAL;
    if (given && relative)
        return fail(why, UF_EINVAL, "bits and bits_per_key say the same thing: give one of them");
    if (relative && wish->has_n && !wish->n)
        relative = 0; /* no keys, no bits: any size will do */
    if (relative && !wish->has_n)
        return fail(why, UF_EINVAL, "bits_per_key=%g needs n, the number of keys", per_key);
    if (relative && !(per_key > 0 && per_key * (double)wish->n <= (double)PLAN_MAX_BITS))
        return fail(why, UF_EINVAL, "bits_per_key=%g is not possible: it must be above 0, and n times it at most 2^46",
                    per_key);
    if (relative)
        wish->bits = (uint64_t)(per_key * (double)wish->n);
    wish->has_bits = given || relative;
    if (wish->has_bits && wish->bits > PLAN_MAX_BITS)
        return fail(why, UF_EIMPOSSIBLE, "bits=%llu is more than the 2^46 (8 TiB) a filter can have",
                    (unsigned long long)wish->bits);
    return UF_OK;
}

int plan_wish_bits(const struct spec *spec, uint64_t *bits, uf_error *why)
{
    struct wishes wish;
    memset(&wish, 0, sizeof wish);
    wish.has_n = spec_get_count(spec, "n", &wish.n, why);
    int status = wish.has_n < 0 ? UF_EINVAL : read_bits(spec, &wish, why);
    if (status != UF_OK)
        return status;
    *bits = wish.bits;
    return wish.has_bits;
}

static int read_wishes(const struct spec *spec, const struct plan_rules *rules, struct wishes *wish, uf_error *why)
{
    wish->has_n = spec_get_count(spec, "n", &wish->n, why);
    wish->has_fpr = spec_get_number(spec, "fpr", &wish->fpr, why);
    wish->has_k = spec_get_count(spec, "k", &wish->k, why);
    if (wish->has_n < 0 || wish->has_fpr < 0 || wish->has_k < 0)
        return UF_EINVAL;
    int status = read_bits(spec, wish, why);
    if (status == UF_OK && wish->has_fpr)
        status = plan_check_fpr(wish->fpr, why);
    if (status == UF_OK && wish->has_k)
        status = check_k(rules, wish->k, spec->kind, why);
    if (status == UF_OK && !wish->has_n && !wish->has_bits)
        status = fail(why, UF_EINVAL, "say how large: n (keys) or bits, as in %s:n=1e6,fpr=0.01", spec->kind);
    return status;
}

/* The k worth trying: the wish, all of a short list, or the neighbours of the classic optimum; all of them for a size
 * so small that whole partitions decide. */
static int next_k(const struct plan_rules *rules, const struct wishes *wish, double ideal, unsigned *k)
{
    int small = wish->has_bits && wish->bits < 4096;
    unsigned from = small ? 1 : (unsigned)fmin(fmax(ideal - 1.5, 1), rules->most_k);
    if (wish->has_k)
        return *k ? 0 : (*k = (unsigned)wish->k, 1);
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
static struct plan_shape best_rate(const struct plan_rules *rules, const struct wishes *wish)
{
    struct plan_shape best = {wish->n, 0, 0, 2};
    double positions = (double)wish->bits / (double)unit_bits(rules, 1) * (double)cells(rules);
    double ideal = wish->n ? positions / (double)wish->n * M_LN2 : 1;
    for (unsigned k = 0; next_k(rules, wish, ideal, &k);) {
        uint64_t units = wish->bits / unit_bits(rules, k);
        double fpr = units ? rate(rules, wish->n, units, k) : 2;
        if (fpr < best.fpr)
            best = (struct plan_shape){wish->n, units, k, fpr};
    }
    return best;
}

/* n and fpr are known: the k with the fewest bits. units is 0 when no size is enough. */
static struct plan_shape fewest_bits(const struct plan_rules *rules, const struct wishes *wish)
{
    struct plan_shape best = {wish->n, 0, 0, 1};
    uint64_t least = PLAN_MAX_BITS + 1;
    for (unsigned k = 0; next_k(rules, wish, -log2(wish->fpr), &k);) {
        uint64_t unit = unit_bits(rules, k), limit = PLAN_MAX_BITS / unit;
        uint64_t units =
            ceil_div(rate_fewest_units(rules->rate, wish->n, k, wish->fpr, limit * cells(rules)), cells(rules));
        if (units <= limit && units * unit < least) {
            least = units * unit;
            best = (struct plan_shape){wish->n, units, k, rate(rules, wish->n, units, k)};
        }
    }
    return best;
}

/* bits and fpr are known: the k that takes the most keys. */
static struct plan_shape most_keys(const struct plan_rules *rules, const struct wishes *wish)
{
    struct plan_shape best = {0, 0, 0, 0};
    for (unsigned k = 0; next_k(rules, wish, -log2(wish->fpr), &k);) {
        uint64_t units = wish->bits / unit_bits(rules, k);
        uint64_t n = units ? rate_most_keys(rules->rate, units * cells(rules), k, wish->fpr, MOST_KEYS) : 0;
        if (units && (n > best.n || !best.units))
            best = (struct plan_shape){n, units, k, rate(rules, n, units, k)};
    }
    return best;
}

static int too_few_bits(const struct plan_rules *rules, const struct wishes *wish, const char *kind, uf_error *why)
{
    uint64_t least = PLAN_MAX_BITS;
    for (unsigned k = 0; next_k(rules, wish, 1, &k);)
        least = unit_bits(rules, k) < least ? unit_bits(rules, k) : least;
    return fail(why, UF_EIMPOSSIBLE, "bits=%llu is too few: a %s filter has at least %llu",
                (unsigned long long)wish->bits, kind, (unsigned long long)least);
}

static int plan_by_bits(const struct plan_rules *rules, const struct wishes *wish, const char *kind,
                        struct plan_shape *out, uf_error *why)
{
    *out = best_rate(rules, wish);
    if (!out->units)
        return too_few_bits(rules, wish, kind, why);
    if (!wish->has_fpr || out->fpr <= wish->fpr)
        return UF_OK;
    struct plan_shape larger = fewest_bits(rules, wish), fewer = most_keys(rules, wish);
    return fail(why, UF_EIMPOSSIBLE,
                "n=%llu at fpr=%g needs %llu bits; with bits=%llu the best is fpr=%.3g, or n=%llu at fpr=%g",
                (unsigned long long)wish->n, wish->fpr, (unsigned long long)(larger.units * unit_bits(rules, larger.k)),
                (unsigned long long)wish->bits, plan_offer(out->fpr), (unsigned long long)fewer.n, wish->fpr);
}

static int plan_by_rate(const struct plan_rules *rules, struct wishes *wish, const char *kind, struct plan_shape *out,
                        uf_error *why)
{
    if (wish->has_n) {
        *out = fewest_bits(rules, wish);
        if (out->units)
            return UF_OK;
        wish->bits = PLAN_MAX_BITS;
        return fail(why, UF_EIMPOSSIBLE,
                    "n=%llu at fpr=%g needs more than the 2^46 bits (8 TiB) a filter can have; at that fpr n=%llu fits",
                    (unsigned long long)wish->n, wish->fpr, (unsigned long long)most_keys(rules, wish).n);
    }
    *out = most_keys(rules, wish);
    if (!out->units)
        return too_few_bits(rules, wish, kind, why);
    if (out->n)
        return UF_OK;
    wish->n = 1;
    return fail(why, UF_EIMPOSSIBLE, "bits=%llu holds no key at fpr=%g; the best for one key is fpr=%.3g",
                (unsigned long long)wish->bits, wish->fpr, plan_offer(best_rate(rules, wish).fpr));
}

int plan_resolve(struct spec *spec, const struct plan_rules *rules, uf_error *why)
{
    struct wishes wish;
    struct plan_shape shape;
    memset(&wish, 0, sizeof wish);
    int status = read_wishes(spec, rules, &wish, why);
    if (status != UF_OK)
        return status;
    if (wish.has_n && wish.has_bits) {
        status = plan_by_bits(rules, &wish, spec->kind, &shape, why);
    } else {
        wish.fpr = wish.has_fpr ? wish.fpr : PLAN_DEFAULT_FPR;
        status = plan_by_rate(rules, &wish, spec->kind, &shape, why);
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
