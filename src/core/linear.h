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

/* ---- eight columns at once, for the dot product of a coefficient and eight columns ---- */

#ifdef __aarch64__
#include <arm_neon.h>

struct linear_eight {
    uint64x2_t pair[4];
};

static inline struct linear_eight linear_and8(const uint64_t column[8], uint64_t mask)
{
    struct linear_eight x;
    for (int i = 0; i < 4; i++)
        x.pair[i] = vandq_u64(vld1q_u64(column + 2 * i), vdupq_n_u64(mask));
    return x;
}

static inline struct linear_eight linear_xor8(struct linear_eight x, struct linear_eight y)
{
    for (int i = 0; i < 4; i++)
        x.pair[i] = veorq_u64(x.pair[i], y.pair[i]);
    return x;
}

/* Bit j of the result is the parity of column j: bits of bytes are counted, bytes added in pairs until one is left. */
static inline uint64_t linear_parity8(struct linear_eight x)
{
    static const uint8_t weight[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t count[4];
    for (int i = 0; i < 4; i++)
        count[i] = vcntq_u8(vreinterpretq_u8_u64(x.pair[i]));
    uint8x16_t halves = vpaddq_u8(vpaddq_u8(count[0], count[1]), vpaddq_u8(count[2], count[3]));
    uint8x8_t odd = vtst_u8(vget_low_u8(vpaddq_u8(halves, halves)), vdup_n_u8(1));
    return vaddv_u8(vand_u8(odd, vld1_u8(weight)));
}

#else

struct linear_eight {
    uint64_t column[8];
};

static inline struct linear_eight linear_and8(const uint64_t column[8], uint64_t mask)
{
    struct linear_eight x;
    for (int i = 0; i < 8; i++)
        x.column[i] = column[i] & mask;
    return x;
}

static inline struct linear_eight linear_xor8(struct linear_eight x, struct linear_eight y)
{
    for (int i = 0; i < 8; i++)
        x.column[i] ^= y.column[i];
    return x;
}

/* Folds two words to half their width and packs them side by side: halves of `width` bits, chosen by `low`. */
static inline uint64_t linear_fold(uint64_t a, uint64_t b, unsigned width, uint64_t low)
{
    return ((a ^ a >> width) & low) | ((b ^ b << width) & ~low);
}

/* 8 x 64 bits -> 4 x 64 (two of 32 each) -> 2 -> 1 word of 8 bytes, byte j with the parity of column j -> 8 bits. */
static inline uint64_t linear_parity8(struct linear_eight x)
{
    uint64_t a[4], b[2];
    for (int i = 0; i < 4; i++)
        a[i] = linear_fold(x.column[i], x.column[i + 4], 32, UINT64_C(0x00000000ffffffff));
    for (int i = 0; i < 2; i++)
        b[i] = linear_fold(a[i], a[i + 2], 16, UINT64_C(0x0000ffff0000ffff));
    uint64_t c = linear_fold(b[0], b[1], 8, UINT64_C(0x00ff00ff00ff00ff));
    c ^= c >> 4;
    c ^= c >> 2;
    c = (c ^ c >> 1) & UINT64_C(0x0101010101010101);
    return c * UINT64_C(0x0102040810204080) >> 56;
}

#endif

#endif
