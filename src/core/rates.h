/* SPDX-License-Identifier: MIT */
/*
 * False-positive rates, and their inverses. A "shape" is k and a number of units:
 *
 *   bloom    k partitions of `units` bits each; a key sets one bit in every partition. The partitions are
 *            independent, so the rate is exact at every n:  (1 - (1 - 1/units)^n)^k
 *            n = 10^6, k = 7, units = 1 370 423: 0.01 by the formula; the classic formula says the same to 5 digits.
 *
 *   blocked  `units` blocks of 512 bits, each k lanes of 512/k bits; a key picks one block and sets one bit in
 *            each of its lanes. Blocks fill unevenly: the load of a block is J ~ Binomial(n, 1/units), and the
 *            rate is  E[(1 - (1 - k/512)^J)^k].  At 10.67 bits per key and k = 8: 0.0076; the classic
 *            formula, which forgets the uneven load, says 0.0063.
 */
#ifndef UF_RATES_H
#define UF_RATES_H

#include <stdint.h>

enum { BLOCK_BITS = 512 };

double rate_bloom(uint64_t n, uint64_t units, unsigned k);
double rate_blocked(uint64_t n, uint64_t units, unsigned k);

/*
 * deletable: bloom's bits, and one flag for each region of `region` bits that tells whether any bit of it was set
 * twice. A key's region in one partition is unshared when the n keys hit its `region` cells at most once each. J of the
 * others fall into it, J ~ Binomial(n - 1, region/part), and they and the key itself must all differ:
 *
 *     E[ (1 - 1/region) (1 - 2/region) ... (1 - J/region) ]     for large n: e^(-region x) (1 + x)^(region - 1), x =
 * n/part
 *
 * The key can be removed when one of its k regions is unshared; partitions are independent.
 * n = 10^6, k = 7, part = 1 370 424, region = 4: 0.2795 and 0.899.
 */
double rate_unshared(uint64_t n, uint64_t part, unsigned region);
double rate_deletable(uint64_t n, uint64_t part, unsigned region, unsigned k);

/*
 * How full n random keys can make a filter: more than this happens to one in 10^9 of them at most. In cells that are
 * used, of k partitions of `part`; and in blocks, as the sum of the shares that each of them accepts. Neither is more
 * than n keys of any kind can do.
 *
 * Cells. Let r = 1 - 1/part. After i of n keys the mean of the number used in the end is part - unused r^(n-i), so that
 * key i moves it within a range of r^(n-i) in every partition, whatever came before. By Azuma and Hoeffding
 *
 *     P[used >= E + d] <= exp(-2 d^2 / V),   V = k (1 + r^2 + r^4 + ... + r^(2n-2))
 *
 * and d = sqrt(V ln(10^9) / 2). That is 1.1 times what the normal law says.
 *
 * Blocks. Were the number of keys Poisson with mean n, blocks were independent; and as keys only fill, n of them fill
 * more than so much with at most twice that chance. The sum of independent shares a is near its mean,
 *
 *     limit = blocks E[a] + 7 sqrt(blocks Var[a]) + a(lambda + 7 sqrt(lambda) + 49/3),   lambda = n / blocks
 *
 * with the last term, the share of one block as crowded as none will be, for the tail that is longer than the normal
 * one where rates are low. tests/unit/test_limits.c bounds the chance of more from the law of a itself, for rates from
 * one half to 10^-10 and up to 10^8 keys.
 */
double limit_cells(uint64_t n, uint64_t part, unsigned k);
double limit_blocks(uint64_t n, uint64_t blocks, unsigned k);

typedef double rate_of(uint64_t n, uint64_t units, unsigned k);

/* The fewest units whose rate is at most fpr, or `limit` + 1 when even `limit` is too few. */
uint64_t rate_fewest_units(rate_of *rate, uint64_t n, unsigned k, double fpr, uint64_t limit);

/* The most keys at which the rate is at most fpr, up to `limit`. */
uint64_t rate_most_keys(rate_of *rate, uint64_t units, unsigned k, double fpr, uint64_t limit);

#endif
