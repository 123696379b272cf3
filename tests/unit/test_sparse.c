/* SPDX-License-Identifier: MIT */
/*
 * core/sparse: bit-sliced elimination against dense Gauss elimination modulo a prime, written here without planes. Both
 * must agree on which row is the first that depends on others; the solution must fulfil every equation in every column;
 * and the slots that are drawn are those without a pivot.
 */
#include "check.h"
#include "digits.h"
#include "random.h"
#include "sparse.h"

enum { MOST_SLOTS = 400, MOST_ROWS = 400 };

struct problem {
    struct sparse system;
    uint32_t rows;
    struct sparse_row row[MOST_ROWS];
    unsigned char digit[MOST_ROWS][DIGITS_MOST_COLUMNS]; /* right-hand sides */
    uint64_t cell[MOST_SLOTS * 7];
};

static uint32_t term(const struct sparse *system, const struct sparse_row *row, unsigned i)
{
    unsigned block = system->band / SPARSE_TERMS;
    return row->start + block * i + (row->terms >> 4 * i & 15) % block;
}

static void make_problem(struct problem *out, uint64_t *seed, unsigned field, unsigned band, unsigned columns,
                         uint32_t slots, uint32_t rows)
{
    memset(out, 0, sizeof *out);
    out->system = (struct sparse){out->cell, slots, field, band, columns, 2};
    out->rows = rows;
    for (uint32_t i = 0; i < rows; i++) {
        struct sparse_row *row = &out->row[i];
        *row = (struct sparse_row){(uint32_t)random_below(seed, slots - band + 1), (uint32_t)next_random(seed), 0};
        for (unsigned j = 0; j < columns; j++) {
            out->digit[i][j] = (unsigned char)random_below(seed, digits_prime[field]);
            for (unsigned plane = 0; plane < sparse_planes(field); plane++)
                row->value |= ((unsigned)out->digit[i][j] >> plane & 1) << (2 + plane * columns + j);
        }
        row->value |= 3; /* of another field */
    }
}

/* ---- the dense reference ---- */

struct dense {
    unsigned prime;
    uint32_t slots;
    unsigned char pivot[MOST_SLOTS]; /* there is a row whose first coefficient is here */
    unsigned char row[MOST_SLOTS][MOST_SLOTS];
};

static unsigned inverse(unsigned x, unsigned prime)
{
    unsigned y = 1;
    while (x * y % prime != 1)
        y++;
    return y;
}

/* 0: it depends on the others. */
static int dense_add(struct dense *dense, const struct sparse *system, const struct sparse_row *row)
{
    unsigned char x[MOST_SLOTS] = {0};
    for (unsigned i = 0; i < SPARSE_TERMS; i++)
        x[term(system, row, i)] = 1;
    for (uint32_t s = 0; s < dense->slots; s++) {
        if (!x[s])
            continue;
        if (!dense->pivot[s]) {
            unsigned scale = inverse(x[s], dense->prime);
            for (uint32_t t = s; t < dense->slots; t++)
                dense->row[s][t] = (unsigned char)(x[t] * scale % dense->prime);
            return dense->pivot[s] = 1;
        }
        unsigned factor = dense->prime - x[s];
        for (uint32_t t = s; t < dense->slots; t++)
            x[t] = (unsigned char)((x[t] + factor * dense->row[s][t]) % dense->prime);
    }
    return 0;
}

/* ---- solutions ---- */

struct drawn {
    uint64_t seed;
    uint32_t bound, count;
};

static uint32_t draw(void *ctx, uint32_t bound)
{
    struct drawn *drawn = ctx;
    drawn->bound = bound;
    drawn->count++;
    return (uint32_t)random_below(&drawn->seed, bound);
}

static void check_solution(const struct problem *problem, uint32_t rows)
{
    const struct sparse *system = &problem->system;
    unsigned prime = digits_prime[system->field];
    static uint16_t number[MOST_SLOTS];
    struct drawn drawn = {.seed = 7};
    uint32_t values = 1, weight = 5;
    for (unsigned j = 0; j < system->columns; j++)
        values *= prime;
    for (uint32_t s = 0; s < system->slots; s++)
        number[s] = 3;
    sparse_solve(system, weight, draw, &drawn, number);
    assert_int_equal(drawn.count, system->slots - rows);
    assert_true(rows == system->slots || drawn.bound == values);
    for (uint32_t s = 0; s < system->slots; s++) {
        number[s] = (uint16_t)(number[s] - 3);
        assert_true(number[s] % weight == 0 && number[s] / weight < values);
    }
    for (uint32_t i = 0; i < rows; i++)
        for (unsigned j = 0, scale = weight; j < system->columns; j++, scale *= prime) {
            unsigned sum = 0;
            for (unsigned t = 0; t < SPARSE_TERMS; t++)
                sum += number[term(system, &problem->row[i], t)] / scale % prime;
            assert_int_equal(sum % prime, problem->digit[i][j]);
        }
}

static void check(struct problem *problem)
{
    static struct dense dense;
    struct sparse *system = &problem->system;
    uint32_t added = 0;
    memset(&dense, 0, sizeof dense);
    dense.prime = digits_prime[system->field];
    dense.slots = system->slots;
    while (added < problem->rows && dense_add(&dense, system, &problem->row[added]))
        added++;
    assert_int_equal(sparse_add(system, problem->row, problem->rows), added);
    for (uint32_t s = 0; s < system->slots; s++)
        assert_int_equal(system->cell[s * sparse_words(system->field, system->band)] & 1, dense.pivot[s]);
    assert_int_equal(sparse_dependent(system, problem->row, added), added);
    if (added < problem->rows)
        assert_int_equal(sparse_dependent(system, &problem->row[added], 1), 1);
    check_solution(problem, added);
}

/* From few rows to more than there can be: every field and band. */
static void test_against_dense(void **state)
{
    static const unsigned most[DIGITS_FIELDS] = {11, 7, 4}; /* columns: 5 times the radix is below 2^16 */
    static struct problem problem;
    uint64_t seed = 1;
    (void)state;
    for (unsigned field = 0; field < DIGITS_FIELDS; field++)
        for (unsigned band = 64; band <= 128; band *= 2)
            for (uint32_t slots = band; slots <= 300; slots += 59)
                for (uint32_t rows = 0; rows <= slots + 20; rows += slots / 3 + 5) {
                    unsigned columns = 1 + (unsigned)random_below(&seed, most[field]);
                    make_problem(&problem, &seed, field, band, columns, slots, rows);
                    check(&problem);
                }
}

/* Rows that cancel: the same twice, and in GF(2) three that sum to nothing. A look changes nothing. */
static void test_dependent(void **state)
{
    static struct problem problem;
    uint64_t seed = 3;
    (void)state;
    for (unsigned field = 0; field < DIGITS_FIELDS; field++) {
        make_problem(&problem, &seed, field, 64, 1, 200, 20);
        problem.row[19] = problem.row[3];
        assert_int_equal(sparse_add(&problem.system, problem.row, 20), 19);
        uint64_t before = problem.cell[0];
        assert_int_equal(sparse_dependent(&problem.system, &problem.row[19], 1), 1);
        assert_int_equal(problem.cell[0], before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense),
        cmocka_unit_test(test_dependent),
    };
    return cmocka_run_group_tests_name("sparse", tests, NULL, NULL);
}
