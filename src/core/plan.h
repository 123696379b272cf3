/* SPDX-License-Identifier: MIT */
/*
 * Planning shared by the kinds whose shape is k and a number of units (core/rates.h): any two of n, bits and fpr give
 * the third. The formulas of the classic filter, m = -n ln P / (ln 2)^2 and k = m/n ln 2, are where the search
 * starts; the kind's own exact rate decides, so that a plan never promises what the filter does not keep.
 */
#ifndef UF_PLAN_H
#define UF_PLAN_H

#include "rates.h"
#include "spec.h"

#define PLAN_DEFAULT_FPR 0.001
#define PLAN_MAX_BITS (UINT64_C(1) << 46) /* 8 TiB: beyond any machine, so that sizes cannot overflow */

struct plan_rules {
    rate_of *rate;
    unsigned most_k;                   /* k is 1 to most_k ... */
    const unsigned *only_k;            /* ... or one of these, when not NULL; ends with 0 */
    uint64_t (*unit_bits)(unsigned k); /* bits that one unit takes */
    /* Not 0: a unit is a region of so many positions and one bit more, in each of k partitions. unit_bits is NULL. */
    unsigned region;
};

struct plan_shape {
    uint64_t n, units;
    unsigned k;
    double fpr; /* at n keys */
};

/* Reads the requests from the spec, resolves them, and writes n, fpr, bits and k back. */
int plan_resolve(struct spec *spec, const struct plan_rules *rules, uf_error *why);

/* Reads a resolved plan back into numbers. */
int plan_read(const struct spec *plan, const struct plan_rules *rules, struct plan_shape *out, uf_error *why);

/* The size that a spec requests for, as bits or bits_per_key. 1 when it says one, 0 when not, or a status. */
int plan_request_bits(const struct spec *spec, uint64_t *bits, uf_error *why);

/* UF_OK when fpr is usable: strictly between 0 and 1. */
int plan_check_fpr(double fpr, uf_error *why);

/* A rate to three digits for the text of an error, rounded up: what is offered can be had. */
double plan_offer(double fpr);

/* Writes the rate of a plan, to six digits and rounded up. An empty filter's 0 and a hopeless one's 1 are left out:
 * nobody can request for them, and a plan must be readable as a request. */
void plan_set_fpr(struct spec *spec, double fpr);
void plan_set_rate(struct spec *spec, const char *name, double rate); /* the same for another rate */

#endif
