/* SPDX-License-Identifier: MIT */
/*
 * dpset: a set that may be published, at the accuracy limit of differential privacy (docs/privacy.md#dpset).
 *
 * Every key has a fingerprint of `columns` bits and a row; the file holds a solution Z of linear equations
 * (core/linear.h), and a key is accepted when the number  row * Z xor fingerprint  is below `accept`. A member is left
 * out of the equations with probability erase / 2^64; else one of the accepted numbers, drawn at random, is planted.
 * Slots that no equation decides are random. So, with f = accept / 2^columns and u = erase / 2^64,
 *
 *     FPR = f,   FNR = u (1 - f),   epsilon = max(-ln u, ln(u + (1 - u) / f) - ln(1 - eta))
 *
 * epsilon = 3: accept 389 of 2^13, erase e^-3: FPR 0.04749, FNR 0.04742; the limit is 0.04743 for both.
 *
 * Whether a number is below `accept` is decided at the highest bit in which they differ, and that is a bit where accept
 * has a 1. So the columns come in groups that end at the ones of `accept`; a planted key constrains the groups down to
 * the deciding one, and later groups are smaller ("dyadic"). With dyadic = 0 there is one group of all columns.
 *
 *     h = XXH3-128(key), and AES-128(prf, h) of that where there are several shards
 *     shard = (upper half of h.hi * shards) >> 32;  g = AES-128(prf, h xor seed of the shard)
 *     fingerprint = low half of g.lo,  start in a group = (upper half of g.lo * starts) >> 32,  coefficient = g.hi | 1
 *
 * These are binary columns. The key `prf` and the seeds are random and public, and drawn when all keys are known:
 * nobody can choose keys that crowd a shard, whatever they know about the hash of the keys. A shard whose equations
 * fail is tried again with a new seed, and so with rows that have nothing to do with the old ones.
 *
 * A shard of mu keys on average takes mu + t of them, t = L / 3 + sqrt(L^2 / 9 + 2 L mu), L = ln(shards) + 40 ln 2. By
 * Bernstein's inequality one has more with probability exp(-L), and any of them with 2^-40: then there is no file, and
 * that is the delta of a filter with several shards. Of 2 shards with 65536 keys each: t = 1939, 7.6 deviations.
 *
 * In mixed radix (variant radix, privacy/radix.h) a slot holds a number below R = 2^a 3^b 7^c instead, whose digits are
 * columns over GF(2), GF(3) and GF(7). A row is eight slots, one in each eighth of a band of 64 or 128, and the number
 * of a key is the sum of those and its fingerprint, digit by digit (core/digits.h). Accepted is 0; or, with a second
 * group of radix m, also 1 when the number of that group is below accept - m.
 *
 *     start in a group = (upper half of g.lo * starts) >> 32,  slot i = start + band / 8 * i + bits 4 i ... of g.hi
 *     fingerprint = (low half of g.lo * R) >> 32, of the second group (upper half of g.hi * m) >> 32
 *
 * epsilon = 3: R = 21, FPR 0.04762, FNR 0.04742. A shard takes a number of planted keys, not of keys; with more of them
 * all is drawn again, key `prf` and all, so that there is no delta (dpset_build.c).
 *
 * Payload: two words of seed per shard; then for each shard and each group, of binary columns, one word per column for
 * each 64 slots; in mixed radix, packs of numbers, bit after bit, up to a whole word; then 8 zero words. All sizes
 * follow from the declared capacity, never from the keys.
 *
 * Patel, Persiano, Seo and Yeo, "Differentially private set representations", NeurIPS 2024: sets as solutions of random
 * linear systems.
 */
#ifndef UF_DPSET_H
#define UF_DPSET_H

#include "aes.h"
#include "digits.h"
#include "layout.h"
#include "linear.h"
#include "ops.h"
#include "shards.h"
#include "variants.h"

enum {
    DPSET_MOST_COLUMNS = 32,
    DPSET_MOST_GROUPS = LEF_MOST_GROUPS,
    DPSET_BAND = LEF_BAND,
    DPSET_PAD_WORDS = 8,
    DPSET_SEED_WORDS = 2,
    DPSET_MOST_SLACK = 4,
    DPSET_SPREAD = DIGITS_ENTRIES + RADIX_MOST_SECOND + 1
};

/* The chance that a shard is too crowded, at most, whatever the keys are. */
#define DPSET_CROWDED 0x1p-40

struct dpset_group {
    uint32_t low;     /* binary: the lowest of its bits in the fingerprint */
    uint32_t columns; /* binary: how many bits */
    uint32_t slots;   /* of a shard; binary: a multiple of 64, mixed radix: of the numbers in a pack */
    uint32_t offset;  /* of its first word in the shard */
};

struct dpset {
    uint64_t n;             /* the declared capacity */
    uint64_t erase, accept; /* of 2^64, of 2^columns or the product of the radices */
    uint64_t count_noise;   /* how n was drawn: privacy/count.h; 0: it was declared */
    uint64_t prf[2];
    double slack;     /* the share of spare slots */
    uint32_t variant; /* enum dpset_variant */
    uint32_t columns, shards, groups, shard_words;
    uint32_t mixed; /* the shard follows from AES of the hash; 0 for one shard, and in files from before it did */
    struct dpset_group group[DPSET_MOST_GROUPS];
    struct aes_key key; /* prf, expanded by bind for the calls that run */

    /* Mixed radix. */
    uint32_t band, radix[RADIX_GROUPS];
    uint32_t row_bytes; /* of the first group, from its first pack to its last */
    uint32_t second;    /* where the spread of the second group begins */
    struct digits digits[RADIX_GROUPS];
    const uint32_t *spread; /* set by bind: DPSET_SPREAD of them at most, in the tail of the handle */
};

_Static_assert(sizeof(struct dpset) <= FILTER_PARAMS, "a handle has room for the parameters of a dpset");

/* The calls that run for every key: with the processor's AES instructions, or without. */
struct dpset_calls {
    struct filter_calls filter;
    void (*rows)(const struct dpset *dpset, const uint64_t seed[2], const struct hash128 *keys, uint64_t count,
                 struct hash128 *rows);
};

/* Without AES instructions, and with those of each path. Those of a path that this machine lacks are empty. */
extern const struct dpset_calls dpset_portable, dpset_neon, dpset_avx2, dpset_avx512;
const struct dpset_calls *dpset_calls_for(int cpu);

/* The words of a shard. */
static inline uint64_t *dpset_shard(const struct uf_filter *filter, uint32_t shard)
{
    const struct dpset *dpset = CONST_PARAMS(struct dpset, filter);
    return filter->words + DPSET_SEED_WORDS * (size_t)dpset->shards + (size_t)shard * dpset->shard_words;
}

/* What its numbers are in privacy/: the one that it is not of is nonsense. */
struct lef_design dpset_lef_design(const struct dpset *dpset);
struct radix_design dpset_radix_design(const struct dpset *dpset);

/* 1 when a filter can have these parameters; and the promise that follows from them, rounded up. */
int dpset_legal(const struct dpset *dpset);
double dpset_epsilon(const struct dpset *dpset);

/* Plans: dpset_plan.c. Reading sets all but the layout. */
int dpset_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why);
int dpset_read_design(const struct spec *plan, struct dpset *dpset, uf_error *why);
void dpset_write_design(const struct dpset *dpset, struct spec *spec);
void dpset_write_choice(const struct variant_choice *choice, struct spec *spec);

int dpset_solve(struct uf_filter *filter, const struct spec *plan, struct hash_runs *runs, const uf_context *ctx,
                uf_error *why);

#endif
