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

/* The last 128 solved slots of every column, the lowest in bit 0. Columns are padded to a multiple of 8. */
struct window {
    uint64_t lo[LINEAR_MOST_COLUMNS], hi[LINEAR_MOST_COLUMNS];
};

/* The bits of slot `row`, from the 127 slots above it. */
static uint64_t substitute(const struct linear_row *row, const struct window *window, unsigned columns)
{
    uint64_t bits = row->rhs, x[8];
    for (unsigned j = 0; j < columns; j += 8) {
        for (unsigned i = 0; i < 8; i++)
            x[i] = (window->lo[j + i] & row->c.lo) ^ (window->hi[j + i] & row->c.hi);
        bits ^= linear_parity8(x) << j;
    }
    return bits;
}

void linear_solve(const struct linear *system, const struct linear_solution *solution)
{
    struct window window = {{0}, {0}};
    unsigned padded = (system->columns + 7) / 8 * 8;
    uint64_t used = system->columns < 64 ? (UINT64_C(1) << system->columns) - 1 : UINT64_MAX;
    for (size_t slot = system->slots; slot-- > 0;) {
        const struct linear_row *row = &system->row[slot];
        for (unsigned j = 0; j < padded; j++) {
            window.hi[j] = window.hi[j] << 1 | window.lo[j] >> 63;
            window.lo[j] <<= 1; /* bit 0, this slot, is still 0: the equation's own bit adds nothing */
        }
        uint64_t bits = row->c.lo ? substitute(row, &window, padded) : solution->free_slot(solution->ctx, slot) & used;
        for (unsigned j = 0; j < padded; j++)
            window.lo[j] |= bits >> j & 1;
        if (slot % 64 == 0)
            solution->segment(solution->ctx, slot / 64, window.lo);
    }
}
