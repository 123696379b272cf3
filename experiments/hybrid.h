/* SPDX-License-Identifier: MIT */
/*
 * What a filter does when a share alpha of its queries is chosen by an adversary who knows everything but the keys, and
 * the others are ordinary negatives: section 7 of "Adversary Resilient Learned Bloom Filters" (A. Bishop, H. Tirmazi).
 * A Downtown filter sends keys that its model takes for members to the keyed filter A and the others to the keyed
 * filter B. Nothing is built here: the rates follow from sizes (docs/hybrid.md).
 */
#ifndef EXPERIMENTS_HYBRID_H
#define EXPERIMENTS_HYBRID_H

#include "ultrafilter.h"

/* FPR(m): (1 - e^(-k n / m))^k with k = ln 2 (m / n), not rounded, as the paper has it: 2^-k. 0 when n is 0. */
double hybrid_bloom(double n, double bits);

struct downtown {
    double model_fpr;                      /* share of the ordinary queries that the model sends to A: FPR_L */
    double model_tnr;                      /* share that it sends to B: TNR_L. All are negatives: 1 - model_fpr */
    double fpr_a, fpr_b;                   /* of the two filters */
    double keys_a, keys_b, bits_a, bits_b; /* as hybrid_plan found them; not looked at by the theorems */
};

/* Theorem 3, ordinary queries only: FPR_L FPR(m_A) + TNR_L FPR(m_B). */
double hybrid_ordinary(const struct downtown *filter);

/* Theorem 4: alpha_p FPR(m_A) + alpha_n FPR(m_B) + (1 - alpha_p - alpha_n) times theorem 3. It holds for an adversary
 * whose split between A and B is fixed; nobody keeps one to it. */
double hybrid_fixed(const struct downtown *filter, double alpha_p, double alpha_n);

/* Theorem 4 corrected: an adversary asks the worse branch only, and the rate of those queries is max(FPR(m_A),
 * FPR(m_B)). alpha max(...) + (1 - alpha) times theorem 3. */
double hybrid_worst(const struct downtown *filter, double alpha);

/* Theorem 5 as a number: below which alpha the filter is better than one of rate `classical`, from 0 (never) to 1
 * (always). `to_a` is the share of the adversary's queries that go to A, 0.5 in the paper's example; negative: all go
 * to the worse branch. */
double hybrid_cutoff(const struct downtown *filter, double classical, double to_a);

/* Which keys A and B hold: those that the model sends there, or, as definition 20 is written, all of them in both. */
enum downtown_definition { DOWNTOWN_SPLIT = 0, DOWNTOWN_PAPER = 1 };

struct hybrid {
    double n;          /* keys */
    double bits;       /* M: model, filters and keys of the PRF together */
    double key_bits;   /* lambda, of one key. A secure classical filter has one, a Downtown filter two */
    double model_bits; /* m_L */
    double model_fpr;  /* share of the other keys that the model takes for members */
    double model_fnr;  /* share of the members that it does not */
    double negatives;  /* Q_N: ordinary queries that are not members; 1 to compare rates of negatives */
    double alpha;      /* the share that the sizes of A and B are best for, in the worst case */
    double bits_a;     /* negative: what is best. Otherwise A has these and B the rest */
    int definition;    /* enum downtown_definition */
};

/* n and bits are still to be said; the model is the one of Kraska et al.: 25,900 bytes, FPR 0.5 %, FNR 55 %. */
#define HYBRID_INIT                                                 \
    {                                                               \
        0, 0, 128, 8 * 25900, 0.005, 0.55, 1, 0, -1, DOWNTOWN_SPLIT \
    }

/* Section 7.2, the secure classical filter of the same memory: FPR(M - lambda). */
double hybrid_classical(const struct hybrid *how);

/* The Downtown filter of this memory. UF_EIMPOSSIBLE when the model leaves nothing for A and B. */
int hybrid_plan(const struct hybrid *how, struct downtown *out, uf_error *why);

/* Up to which alpha a Downtown filter that is sized for that alpha beats the classical filter in the worst case: 0
 * to 1. */
int hybrid_reach(const struct hybrid *how, double *alpha, uf_error *why);

#endif
