/* SPDX-License-Identifier: MIT */
#include "linear.h"

enum linear_added linear_add(struct linear *system, size_t start, struct coefficient c, uint64_t rhs)
{
    struct linear_row *row = &system->row[start];
    while (row->c.lo) {
        c.lo ^= row->c.lo;
        c.hi ^= row->c.hi;
        rhs ^= row->rhs;
        if (c.lo) {
            int down = __builtin_ctzll(c.lo); /* at least 1: bit 0 cancelled */
            c.lo = c.lo >> down | c.hi << (64 - down);
            c.hi >>= down;
            row += down;
        } else if (c.hi) {
            int down = __builtin_ctzll(c.hi);
            c = (struct coefficient){c.hi >> down, 0};
            row += 64 + down;
        } else {
            return rhs ? LINEAR_CONFLICT : LINEAR_REDUNDANT;
        }
    }
    *row = (struct linear_row){c, rhs};
    return LINEAR_ADDED;
}

/* The solved slots above the current one, of every column, the lowest in bit 0. */
struct window {
    uint64_t lo[LINEAR_MOST_COLUMNS], hi[LINEAR_MOST_COLUMNS];
};

#define INLINE static inline __attribute__((always_inline))

/* The bits of a slot that has an equation: its right side, and the slots above that its coefficient takes in. */
INLINE uint64_t substitute(const struct linear_row *row, const struct window *window, unsigned columns, int wide)
{
    uint64_t bits = row->rhs, lo = row->c.lo >> 1 | row->c.hi << 63, hi = row->c.hi >> 1;
    for (unsigned j = 0; j < columns; j += 8) {
        struct linear_eight sum = linear_and8(window->lo + j, lo);
        if (wide)
            sum = linear_xor8(sum, linear_and8(window->hi + j, hi));
        bits ^= linear_parity8(sum) << j;
    }
    return bits;
}

/* columns is a multiple of 8; wide is 0 when no coefficient reaches beyond 64 bits. */
INLINE void solve(const struct linear *system, const struct linear_solution *solution, unsigned columns, int wide)
{
    struct window window = {{0}, {0}};
    uint64_t used = system->columns < 64 ? (UINT64_C(1) << system->columns) - 1 : UINT64_MAX;
    for (size_t slot = system->slots; slot-- > 0;) {
        const struct linear_row *row = &system->row[slot];
        uint64_t bits =
            row->c.lo ? substitute(row, &window, columns, wide) : solution->free_slot(solution->ctx, slot) & used;
        for (unsigned j = 0; j < columns; j++) {
            if (wide)
                window.hi[j] = window.hi[j] << 1 | window.lo[j] >> 63;
            window.lo[j] = window.lo[j] << 1 | (bits >> j & 1);
        }
        if (slot % 64 == 0)
            solution->segment(solution->ctx, slot / 64, window.lo);
    }
}

void linear_solve(const struct linear *system, const struct linear_solution *solution)
{
    unsigned columns = (system->columns + 7) / 8 * 8;
    if (system->band == 64 && columns == 8)
        solve(system, solution, 8, 0);
    else if (system->band == 64 && columns == 16)
        solve(system, solution, 16, 0);
    else
        solve(system, solution, columns, 1);
}
