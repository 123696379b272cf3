/* SPDX-License-Identifier: MIT */
/*
 * Banded systems of linear equations over GF(2), GF(3) or GF(7), with sparse rows. A row has eight unknowns, one in
 * each eighth of a band of 64 or 128 slots, all with coefficient 1; an unknown has `columns` digits. Equations are kept
 * in echelon form as in linear.h, scaled so that the first coefficient is 1.
 *
 * A band is bit-sliced: one word ("plane") for each bit of a digit. In GF(2^k - 1) doubling rotates the planes, the
 * negative is NOT, and adding is a ripple of full adders with end-around carry; zero is all zeros or all ones.
 *
 * Rows of eight are enough where those of a random half of the band are the model; four are not. The same row serves
 * all fields, so that a query reads eight numbers whatever the band and the radix are.
 */
#ifndef UF_SPARSE_H
#define UF_SPARSE_H

#include <stddef.h>
#include <stdint.h>

enum { SPARSE_TERMS = 8 };

/* Term i is at start + (band / 8) i + bits 4 i to 4 i + 3 of `terms`; with a band of 64 to 4 i + 2, and the rest is
 * ignored. value: what the terms add up to, the planes of all columns of all fields. */
struct sparse_row {
    uint32_t start, terms, value;
};

struct sparse {
    uint64_t *cell;       /* sparse_words(field, band) for each slot, zeroed by the caller; the caller's memory */
    uint32_t slots;       /* at least the band */
    unsigned field, band; /* index of the prime; 64 or 128 */
    unsigned columns,
        shift; /* shift: where its planes begin in a value; plane i is `columns` bits at shift + i columns */
};

size_t sparse_words(unsigned field, unsigned band);

/* Bits of a digit: 1, 2, 3. */
unsigned sparse_planes(unsigned field);

/* Adds rows, in order of their starts for speed. Returns how many it added: it stops at the first that depends on those
 * before it. */
size_t sparse_add(struct sparse *system, const struct sparse_row *rows, size_t count);

/* How many of these rows, each alone, depend on those of the system. */
size_t sparse_dependent(const struct sparse *system, const struct sparse_row *rows, size_t count);

/* A number below `bound` for a slot that no equation decides. */
typedef uint32_t sparse_draw(void *ctx, uint32_t bound);

/* Adds weight times the digits of the solution to number[slot]: of the first column `weight`, then times the prime. */
void sparse_solve(const struct sparse *system, uint32_t weight, sparse_draw *draw, void *ctx, uint16_t *number);

#endif
