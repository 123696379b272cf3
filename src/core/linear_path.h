/* SPDX-License-Identifier: MIT */
/* Back substitution, for the files that have instructions for it: what linear_eight.h is there decides. */
#ifndef UF_LINEAR_PATH_H
#define UF_LINEAR_PATH_H

#include "linear.h"
#include "linear_eight.h"

/* The solved slots above the current one, of every column, the lowest in bit 0. */
struct window {
    struct linear_eight lo[LINEAR_MOST_COLUMNS / 8], hi[LINEAR_MOST_COLUMNS / 8];
};

/* The bits of eight columns in a slot that has an equation: its right side, and the slots above that its coefficient
 * takes in. */
LINEAR_INLINE struct linear_eight substitute(const struct linear_row *row, const struct window *window, unsigned eight,
                                             int wide)
{
    struct linear_eight sum = linear_and8(window->lo[eight], row->c.lo >> 1 | row->c.hi << 63);
    if (wide)
        sum = linear_xor8(sum, linear_and8(window->hi[eight], row->c.hi >> 1));
    return linear_xor8(linear_parities8(sum), linear_spread8(row->rhs >> 8 * eight));
}

/* `eights` of columns; wide is 0 when no coefficient reaches beyond 64 bits. */
LINEAR_INLINE void solve(const struct linear *system, const struct linear_solution *solution, unsigned eights, int wide)
{
    static const uint64_t none[8];
    uint64_t used = system->columns < 64 ? (UINT64_C(1) << system->columns) - 1 : UINT64_MAX;
    struct window window;
    for (unsigned i = 0; i < eights; i++)
        window.lo[i] = window.hi[i] = linear_load8(none);
    for (size_t slot = system->slots; slot-- > 0;) {
        const struct linear_row *row = &system->row[slot];
        uint64_t given = row->c.lo ? 0 : solution->free_slot(solution->ctx, slot) & used;
        for (unsigned i = 0; i < eights; i++) {
            struct linear_eight in = row->c.lo ? substitute(row, &window, i, wide) : linear_spread8(given >> 8 * i);
            if (wide)
                window.hi[i] = linear_push8(window.hi[i], linear_top8(window.lo[i]));
            window.lo[i] = linear_push8(window.lo[i], in);
        }
        if (slot % 64 == 0) {
            uint64_t column[LINEAR_MOST_COLUMNS];
            for (unsigned i = 0; i < eights; i++)
                linear_store8(window.lo[i], column + 8 * (size_t)i);
            solution->segment(solution->ctx, slot / 64, column);
        }
    }
}

static void solve_any(const struct linear *system, const struct linear_solution *solution)
{
    unsigned eights = (system->columns + 7) / 8;
    if (system->band == 64 && eights == 1)
        solve(system, solution, 1, 0);
    else if (system->band == 64 && eights == 2)
        solve(system, solution, 2, 0);
    else
        solve(system, solution, eights, 1);
}

#endif
