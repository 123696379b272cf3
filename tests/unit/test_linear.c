/* SPDX-License-Identifier: MIT */
/*
 * core/linear: the banded solver against dense Gaussian elimination, written here without bands, windows or words. What
 * both must agree on: which rows are new, redundant or in conflict; which slots are free; every bit of the solution.
 */
#include "check.h"
#include "cpu.h"
#include "linear.h"
#include "linear_eight.h"
#include "paths.h"
#include "random.h"

enum { MOST_SLOTS = 448, MOST_ROWS = 520 };

/* One equation, as the caller of linear_add sees it. */
struct equation {
    size_t start;
    struct coefficient c;
    uint64_t rhs;
};

struct problem {
    size_t slots, rows;
    unsigned columns, band;
    uint64_t mask;
    struct equation equation[MOST_ROWS];
};

static struct problem make_problem(uint64_t *seed, size_t slots, size_t rows, unsigned columns, unsigned band)
{
    struct problem problem = {.slots = slots, .rows = rows, .columns = columns, .band = band};
    problem.mask = columns < 64 ? (UINT64_C(1) << columns) - 1 : UINT64_MAX;
    for (size_t i = 0; i < rows; i++) {
        struct equation *equation = &problem.equation[i];
        equation->start = (size_t)random_below(seed, slots - band + 1);
        equation->c.lo = next_random(seed) | 1;
        equation->c.hi = band == 128 ? next_random(seed) : 0;
        equation->rhs = next_random(seed) & problem.mask;
        if (i % 7 == 3) /* the same row again: redundant or in conflict */
            *equation = problem.equation[random_below(seed, i)];
        if (i % 21 == 3)
            equation->rhs ^= 1;
        if (i % 7 == 5) /* a sparse row */
            equation->c = (struct coefficient){1, band == 128 ? UINT64_C(1) << random_below(seed, 64) : 0};
    }
    return problem;
}

/* ---- the dense reference: one byte per coefficient ---- */

struct dense {
    size_t slots;
    unsigned char has[MOST_SLOTS]; /* a row whose first coefficient is here */
    unsigned char row[MOST_SLOTS][MOST_SLOTS];
    uint64_t rhs[MOST_SLOTS];
};

static unsigned bit_of(struct coefficient c, unsigned j)
{
    return (unsigned)(j < 64 ? c.lo >> j & 1 : c.hi >> (j - 64) & 1);
}

static enum linear_added dense_add(struct dense *dense, const struct equation *equation)
{
    unsigned char row[MOST_SLOTS] = {0};
    uint64_t rhs = equation->rhs;
    for (unsigned j = 0; j < 128; j++)
        if (bit_of(equation->c, j))
            row[equation->start + j] = 1;
    for (size_t s = 0; s < dense->slots; s++) {
        if (!row[s])
            continue;
        if (!dense->has[s]) {
            dense->has[s] = 1;
            dense->rhs[s] = rhs;
            memcpy(dense->row[s], row, sizeof row);
            return LINEAR_ADDED;
        }
        for (size_t t = s; t < dense->slots; t++)
            row[t] ^= dense->row[s][t];
        rhs ^= dense->rhs[s];
    }
    return rhs ? LINEAR_CONFLICT : LINEAR_REDUNDANT;
}

static uint64_t free_value(void *ctx, size_t slot)
{
    uint64_t seed = *(const uint64_t *)ctx + slot;
    return next_random(&seed); /* also above `columns` bits, which must not matter */
}

static void dense_solve(const struct dense *dense, uint64_t *solution, uint64_t mask, uint64_t free_seed)
{
    for (size_t s = dense->slots; s-- > 0;) {
        solution[s] = dense->has[s] ? dense->rhs[s] : free_value(&free_seed, s) & mask;
        for (size_t t = s + 1; dense->has[s] && t < dense->slots; t++)
            if (dense->row[s][t])
                solution[s] ^= solution[t];
    }
}

/* ---- the solver under test ---- */

struct taken {
    uint64_t free_seed;
    unsigned columns;
    size_t next; /* the segment that must come next, plus one */
    uint64_t solution[MOST_SLOTS];
};

static uint64_t take_free(void *ctx, size_t slot)
{
    struct taken *taken = ctx;
    return free_value(&taken->free_seed, slot);
}

static void take_segment(void *ctx, size_t segment, const uint64_t *column)
{
    struct taken *taken = ctx;
    assert_int_equal(segment + 1, taken->next); /* from the last to the first */
    taken->next--;
    for (size_t i = 0; i < 64; i++)
        for (unsigned j = 0; j < taken->columns; j++)
            taken->solution[64 * segment + i] |= (column[j] >> i & 1) << j;
}

static void solve(const struct linear *system, struct taken *taken, uint64_t free_seed)
{
    memset(taken, 0, sizeof *taken);
    taken->free_seed = free_seed;
    taken->columns = system->columns;
    taken->next = system->slots / 64;
    const struct linear_solution solution = {take_free, take_segment, taken};
    linear_solve(system, &solution);
    assert_int_equal(taken->next, 0);
}

static uint64_t evaluate(const struct equation *equation, const uint64_t *solution)
{
    uint64_t sum = 0;
    for (unsigned j = 0; j < 128; j++)
        if (bit_of(equation->c, j))
            sum ^= solution[equation->start + j];
    return sum;
}

static void check_problem(const struct problem *problem, uint64_t free_seed)
{
    static struct dense dense;
    static struct taken taken;
    struct linear_row rows[MOST_SLOTS];
    uint64_t expected[MOST_SLOTS];
    struct linear system = {rows, problem->slots, problem->columns, problem->band, UF_CPU_SCALAR};
    memset(rows, 0, sizeof rows);
    memset(&dense, 0, sizeof dense);
    dense.slots = problem->slots;
    enum linear_added added[MOST_ROWS];
    for (size_t i = 0; i < problem->rows; i++) {
        const struct equation *equation = &problem->equation[i];
        added[i] = linear_add(&system, equation->start, equation->c, equation->rhs);
        assert_int_equal(added[i], dense_add(&dense, equation));
    }
    for (size_t s = 0; s < problem->slots; s++)
        assert_int_equal(rows[s].c.lo != 0, dense.has[s]);
    dense_solve(&dense, expected, problem->mask, free_seed);
    for (system.cpu = UF_CPU_SCALAR; system.cpu <= LAST_PATH; system.cpu++) {
        if (cpu_choose(system.cpu) < 0)
            continue;
        solve(&system, &taken, free_seed);
        assert_memory_equal(taken.solution, expected, problem->slots * sizeof expected[0]);
    }
    for (size_t i = 0; i < problem->rows; i++) {
        uint64_t value = evaluate(&problem->equation[i], taken.solution);
        assert_int_equal(value == problem->equation[i].rhs, added[i] != LINEAR_CONFLICT);
    }
}

static void test_against_dense_elimination(void **state)
{
    static const unsigned columns[] = {1, 7, 8, 9, 20, 63, 64};
    uint64_t seed = 5;
    (void)state;
    for (unsigned band = 64; band <= 128; band *= 2)
        for (size_t slots = band; slots <= MOST_SLOTS; slots += 64)
            for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
                for (size_t rows = 0; rows <= MOST_ROWS; rows += 130) {
                    struct problem problem = make_problem(&seed, slots, rows, columns[c], band);
                    check_problem(&problem, seed);
                }
}

/* ---- properties ---- */

/* Adds what is not in conflict, in this order; 1 when nothing was. */
static int add_rows(const struct problem *problem, struct linear *system)
{
    int clean = 1;
    memset(system->row, 0, system->slots * sizeof *system->row);
    for (size_t i = 0; i < problem->rows; i++)
        clean &= linear_add(system, problem->equation[i].start, problem->equation[i].c, problem->equation[i].rhs) !=
                 LINEAR_CONFLICT;
    return clean;
}

static void shuffle(struct problem *problem, uint64_t *seed)
{
    for (size_t i = problem->rows; i > 1; i--) {
        size_t j = (size_t)random_below(seed, i);
        struct equation swap = problem->equation[i - 1];
        problem->equation[i - 1] = problem->equation[j];
        problem->equation[j] = swap;
    }
}

/* Makes the system solvable: every right side follows from one known solution. */
static void make_consistent(struct problem *problem, uint64_t *seed)
{
    uint64_t hidden[MOST_SLOTS];
    for (size_t s = 0; s < problem->slots; s++)
        hidden[s] = next_random(seed) & problem->mask;
    for (size_t i = 0; i < problem->rows; i++)
        problem->equation[i].rhs = evaluate(&problem->equation[i], hidden);
}

static void test_order_of_rows_does_not_matter(void **state)
{
    static struct taken first, again;
    struct linear_row rows[MOST_SLOTS];
    uint64_t seed = 6;
    (void)state;
    for (unsigned band = 64; band <= 128; band *= 2)
        for (int round = 0; round < 20; round++) {
            struct problem problem = make_problem(&seed, 384, 340, 12, band);
            struct linear system = {rows, problem.slots, problem.columns, problem.band, cpu_choose(UF_CPU_AUTO)};
            make_consistent(&problem, &seed);
            assert_true(add_rows(&problem, &system));
            solve(&system, &first, 99);
            shuffle(&problem, &seed);
            assert_true(add_rows(&problem, &system));
            solve(&system, &again, 99);
            assert_memory_equal(first.solution, again.solution, sizeof first.solution);
        }
}

/* Another request for the free slots gives another solution of the same equations, with exactly those values there. */
static void test_free_slots_are_the_callers(void **state)
{
    static struct taken a, b;
    struct linear_row rows[MOST_SLOTS];
    uint64_t seed = 7;
    size_t free_slots = 0;
    (void)state;
    struct problem problem = make_problem(&seed, 256, 150, 10, 64);
    struct linear system = {rows, problem.slots, problem.columns, problem.band, cpu_choose(UF_CPU_AUTO)};
    make_consistent(&problem, &seed);
    assert_true(add_rows(&problem, &system));
    solve(&system, &a, 1);
    solve(&system, &b, 2);
    for (size_t s = 0; s < problem.slots; s++) {
        if (rows[s].c.lo)
            continue;
        free_slots++;
        assert_true(a.solution[s] == (free_value(&(uint64_t){1}, s) & problem.mask));
        assert_true(b.solution[s] == (free_value(&(uint64_t){2}, s) & problem.mask));
    }
    assert_true(free_slots >= 256 - 150);
    for (size_t i = 0; i < problem.rows; i++)
        assert_true(evaluate(&problem.equation[i], b.solution) == problem.equation[i].rhs);
}

static void test_conflict_leaves_the_system_alone(void **state)
{
    struct linear_row rows[64], before[64];
    struct linear system = {rows, 64, 8, 64, UF_CPU_SCALAR};
    const struct coefficient c = {UINT64_C(0xf00f), 0};
    (void)state;
    memset(rows, 0, sizeof rows);
    assert_int_equal(linear_add(&system, 0, c, 5), LINEAR_ADDED);
    memcpy(before, rows, sizeof rows);
    assert_int_equal(linear_add(&system, 0, c, 5), LINEAR_REDUNDANT);
    assert_int_equal(linear_add(&system, 0, c, 4), LINEAR_CONFLICT);
    assert_memory_equal(rows, before, sizeof rows);
}

static void test_parity(void **state)
{
    uint64_t x[8], seed = 8;
    (void)state;
    for (int round = 0; round < 10000; round++) {
        unsigned expected = 0;
        for (unsigned j = 0; j < 8; j++) {
            x[j] = round < 512 ? (uint64_t)(round / 64 == (int)j) << round % 64 : next_random(&seed);
            expected |= (unsigned)__builtin_parityll(x[j]) << j;
        }
        assert_int_equal(linear_parity8(linear_and8(linear_load8(x), UINT64_MAX)), expected);
    }
}

static void test_and_xor(void **state)
{
    uint64_t x[8], y[8], seed = 12;
    (void)state;
    for (int round = 0; round < 1000; round++) {
        uint64_t mask = next_random(&seed), other = next_random(&seed);
        unsigned expected = 0;
        for (unsigned j = 0; j < 8; j++) {
            x[j] = next_random(&seed);
            y[j] = next_random(&seed);
            expected |= (unsigned)__builtin_parityll((x[j] & mask) ^ (y[j] & other)) << j;
        }
        assert_int_equal(
            linear_parity8(linear_xor8(linear_and8(linear_load8(x), mask), linear_and8(linear_load8(y), other))),
            expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense_elimination),
        cmocka_unit_test(test_order_of_rows_does_not_matter),
        cmocka_unit_test(test_free_slots_are_the_callers),
        cmocka_unit_test(test_conflict_leaves_the_system_alone),
        cmocka_unit_test(test_parity),
        cmocka_unit_test(test_and_xor),
    };
    return cmocka_run_group_tests_name("linear", tests, NULL, NULL);
}
