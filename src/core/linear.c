/* SPDX-License-Identifier: MIT */
#include "linear.h"

#include "cpu.h"

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

int linear_path(int cpu)
{
    return cpu == UF_CPU_AVX512 && !cpu_has_vpopcntdq() ? UF_CPU_AVX2 : cpu;
}

void linear_solve(const struct linear *system, const struct linear_solution *solution)
{
    switch (linear_path(system->cpu)) {
    case UF_CPU_NEON:
        linear_neon(system, solution);
        break;
    case UF_CPU_AVX2:
        linear_avx2(system, solution);
        break;
    case UF_CPU_AVX512:
        linear_avx512(system, solution);
        break;
    default:
        linear_scalar(system, solution);
    }
}
