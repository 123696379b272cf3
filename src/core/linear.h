/* SPDX-License-Identifier: MIT */
/*
 * Banded systems of linear equations over GF(2), solved on the fly ("ribbon"). There are `slots` unknowns of `columns`
 * bits each. An equation says: the xor of the unknowns start + j, over the set bits j of a coefficient of at most 128
 * bits, is `rhs`. Equations are kept in echelon form, one per slot at most, lowest bit first:
 *
 *     add (s, c, v):  while slot s holds an equation (c', v'): c ^= c', v ^= v'; if c = 0, the row was dependent;
 *                     else shift c down to its lowest bit and s up by as much.    Then put (c, v) into slot s.
 *
 * What the caller keeps in hand: the width of the band (any coefficient with bit 0 set), what becomes of dependent
 * rows, and the value of every slot that no equation pivots on. Which slots those are, and so the whole solution, does
 * not depend on the order in which rows came.
 *
 * Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", arXiv 2021. The systems are those of
 * Dietzfelbinger and Walzer, "Efficient Gauss elimination for near-quadratic matrices with one short random block per
 * row, with applications", ESA 2019.
 */
#ifndef UF_LINEAR_H
#define UF_LINEAR_H

#include <stddef.h>
#include <stdint.h>

enum { LINEAR_MOST_BAND = 128, LINEAR_MOST_COLUMNS = 64 };

struct coefficient {
    uint64_t lo, hi; /* bit j of the 128 belongs to slot start + j; bit 0 is set */
};

struct linear_row {
    struct coefficient c; /* c.lo is 0 where there is no equation */
    uint64_t rhs;
};

struct linear {
    struct linear_row *row; /* `slots` of them, zeroed by the caller before the first row; the caller's memory */
    size_t slots;
    unsigned columns, band; /* band: 64 or 128, the widest coefficient */
    int cpu;                /* the instructions to solve it with: cpu.h; the solution is the same with all */
};

enum linear_added { LINEAR_ADDED, LINEAR_REDUNDANT, LINEAR_CONFLICT };

/* start + band <= slots. A row that follows from the others is REDUNDANT, one that contradicts them a CONFLICT; neither
 * changes the system. */
enum linear_added linear_add(struct linear *system, size_t start, struct coefficient c, uint64_t rhs);

/* Who gives values to free slots, and who takes the solution. */
struct linear_solution {
    uint64_t (*free_slot)(void *ctx, size_t slot); /* `columns` low bits are used */
    /* Slots 64 * segment to 64 * segment + 63 as one word per column, slot order from bit 0 on. Called from the last
     * segment to the first. */
    void (*segment)(void *ctx, size_t segment, const uint64_t *column);
    void *ctx;
};

/* slots must be a multiple of 64. */
void linear_solve(const struct linear *system, const struct linear_solution *solution);

/* With each set of instructions, one file each; NULL in a library for machines without it. */
typedef void linear_solver(const struct linear *system, const struct linear_solution *solution);
extern linear_solver *const linear_scalar, *const linear_neon, *const linear_avx2, *const linear_avx512;

/* The path of a filter for code that includes linear_eight.h: that of AVX-512 needs VPOPCNTDQ, too. */
int linear_path(int cpu);

#endif
