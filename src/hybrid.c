/* SPDX-License-Identifier: MIT */
/*
 * The hybrid adversary: theorems 3 to 5 of the Bodega paper, corrected where they need it (docs/hybrid.md), and the
 * sizes of A and B that are best for a share alpha of adversarial queries.
 *
 * With c = (ln 2)^2 a Bloom filter of n keys and m bits has the rate f = e^(-c m / n), so m bits for both filters mean
 *
 *     n_A ln(1 / f_A) + n_B ln(1 / f_B) = c m,
 *
 * and sought is the least  w_A f_A + w_B f_B.  The weights are the shares of queries that meet A and B: (1 - alpha) h
 * of ordinary ones, and alpha for the branch that the adversary picks, the one with the higher rate. Lagrange gives f_i
 * = mu n_i / w_i. If then neither "A is worse" nor "B is worse" comes out as assumed, the best is f_A = f_B.
 *
 * 2 MiB, 1.7 million keys, the model of Kraska et al.: 0.0017 without an adversary, the classical filter has 0.0087.
 *
 * Bishop and Tirmazi, "Adversary resilient learned Bloom filters", arXiv 2024: the Bodega paper.
 */
#include <math.h>

#include "status.h"
#include "ultrafilter.h"

#define C (M_LN2 * M_LN2)

double uf_hybrid_bloom(double n, double bits)
{
    return n > 0 ? exp(-C * fmax(bits, 0) / n) : 0;
}

/* ---- theorems ---- */

double uf_hybrid_ordinary(const uf_downtown *filter)
{
    return filter->model_fpr * filter->fpr_a + filter->model_tnr * filter->fpr_b;
}

double uf_hybrid_fixed(const uf_downtown *filter, double alpha_p, double alpha_n)
{
    return alpha_p * filter->fpr_a + alpha_n * filter->fpr_b + (1 - alpha_p - alpha_n) * uf_hybrid_ordinary(filter);
}

double uf_hybrid_worst(const uf_downtown *filter, double alpha)
{
    return filter->fpr_a >= filter->fpr_b ? uf_hybrid_fixed(filter, alpha, 0) : uf_hybrid_fixed(filter, 0, alpha);
}

double uf_hybrid_cutoff(const uf_downtown *filter, double classical, double to_a)
{
    double ordinary = uf_hybrid_ordinary(filter);
    double attacked = to_a < 0 ? uf_hybrid_worst(filter, 1) : uf_hybrid_fixed(filter, to_a, 1 - to_a);
    if (ordinary >= classical)
        return 0;
    return attacked <= classical ? 1 : (classical - ordinary) / (attacked - ordinary);
}

/* ---- sizes ---- */

struct branch {
    double keys, weight, rate;
};

/* Shares `bits` so that the sum of weight times rate is least. */
static void share(struct branch *a, struct branch *b, double bits)
{
    double ratio = a->keys * b->weight / (b->keys * a->weight); /* of the rates; a weight of 0 makes it 0 or infinite */
    b->rate = exp(-(C * bits + a->keys * log(ratio)) / (a->keys + b->keys));
    a->rate = ratio * b->rate;
    if (!(b->rate <= 1)) {
        b->rate = 1;
        a->rate = uf_hybrid_bloom(a->keys, bits);
    } else if (!(a->rate <= 1)) {
        a->rate = 1;
        b->rate = uf_hybrid_bloom(b->keys, bits);
    }
}

/* A filter without keys takes no bits and accepts nothing. */
static void share_worst(const uf_hybrid *how, struct branch *a, struct branch *b, double bits)
{
    double alpha = how->alpha, h = how->model_fpr;
    for (int worse_a = 1; worse_a >= 0 && a->keys > 0 && b->keys > 0; worse_a--) {
        a->weight = (1 - alpha) * h + (worse_a ? alpha : 0);
        b->weight = (1 - alpha) * (1 - h) + (worse_a ? 0 : alpha);
        share(a, b, bits);
        if (worse_a ? a->rate >= b->rate : b->rate >= a->rate)
            return;
    }
    a->rate = a->keys > 0 ? exp(-C * bits / (a->keys + b->keys)) : 0;
    b->rate = b->keys > 0 ? exp(-C * bits / (a->keys + b->keys)) : 0;
}

static void share_given(const uf_hybrid *how, struct branch *a, struct branch *b, double bits)
{
    a->rate = uf_hybrid_bloom(a->keys, how->bits_a);
    b->rate = uf_hybrid_bloom(b->keys, bits - how->bits_a);
}

static double bits_of(const struct branch *branch)
{
    return branch->keys > 0 ? branch->keys * log(1 / branch->rate) / C : 0;
}

static int is_share(double value)
{
    return value >= 0 && value <= 1;
}

static int check(const uf_hybrid *how, double bits, uf_error *why)
{
    if (!(how->n >= 1 && how->n <= 0x1p53 && how->bits > 0 && how->bits <= 0x1p60))
        return fail(why, UF_EINVAL, "%g keys in %g bits: keys are 1 to 2^53, bits up to 2^60", how->n, how->bits);
    if (!is_share(how->model_fpr) || !is_share(how->model_fnr))
        return fail(why, UF_EINVAL, "a model with FPR %g and FNR %g: both are from 0 to 1", how->model_fpr,
                    how->model_fnr);
    if (!is_share(how->alpha) || !is_share(how->negatives))
        return fail(why, UF_EINVAL, "a share of %g: shares of queries are from 0 to 1",
                    is_share(how->alpha) ? how->negatives : how->alpha);
    if (!(how->model_bits >= 0 && how->key_bits >= 0))
        return fail(why, UF_EINVAL, "a model of %g bits and keys of %g: neither can be negative", how->model_bits,
                    how->key_bits);
    if (!(bits > 0 && how->bits_a <= bits))
        return fail(why, UF_EIMPOSSIBLE, "%.0f bits do not hold a model of %.0f and the filters: give it more memory",
                    how->bits, how->model_bits);
    return UF_OK;
}

double uf_hybrid_classical(const uf_hybrid *how)
{
    return uf_hybrid_bloom(how->n, how->bits - how->key_bits);
}

int uf_hybrid_plan(const uf_hybrid *how, uf_downtown *out, uf_error *why)
{
    double bits = how->bits - how->model_bits - 2 * how->key_bits;
    int whole = how->definition == UF_DOWNTOWN_PAPER, status = check(how, bits, why);
    struct branch a = {.keys = how->n * (whole ? 1 : 1 - how->model_fnr)};
    struct branch b = {.keys = how->n * (whole ? 1 : how->model_fnr)};
    if (status != UF_OK)
        return status;
    (how->bits_a < 0 ? share_worst : share_given)(how, &a, &b, bits);
    *out = (uf_downtown){.model_fpr = how->model_fpr,
                         .model_tnr = (1 - how->model_fpr) * how->negatives,
                         .fpr_a = a.rate,
                         .fpr_b = b.rate,
                         .keys_a = a.keys,
                         .keys_b = b.keys,
                         .bits_a = how->bits_a < 0 ? bits_of(&a) : how->bits_a,
                         .bits_b = how->bits_a < 0 ? bits_of(&b) : bits - how->bits_a};
    return UF_OK;
}

/* The best rate never falls when alpha grows: a filter sized for more would have been better for less. */
int uf_hybrid_reach(const uf_hybrid *how, double *alpha, uf_error *why)
{
    uf_hybrid at = *how;
    double low = 0, high = 1, classical = uf_hybrid_classical(how);
    uf_downtown filter;
    for (at.alpha = 0;; at.alpha = (low + high) / 2) {
        int status = uf_hybrid_plan(&at, &filter, why);
        if (status != UF_OK)
            return status;
        if (uf_hybrid_worst(&filter, at.alpha) >= classical)
            high = at.alpha;
        else
            low = at.alpha;
        if (high - low < 1e-12)
            break;
    }
    *alpha = low;
    return UF_OK;
}
