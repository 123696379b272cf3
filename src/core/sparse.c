/* SPDX-License-Identifier: MIT */
#include "sparse.h"

#include <string.h>

#include "digits.h"

#define INLINE static inline __attribute__((always_inline))

enum { MOST_PLANES = 3, MOST_WORDS = 2, RHS_BITS = 16 };

size_t sparse_words(unsigned field, unsigned band)
{
    return sparse_planes(field) * band / 64 + 1; /* the last: RHS_BITS for each plane of the columns */
}

unsigned sparse_planes(unsigned field)
{
    return field + 1;
}

/* ---- planes ---- */

/* A row whose first coefficient is in bit 0: k planes of w words, and the planes of its columns. k and w are constants
 * wherever these are inlined. */
struct planes {
    uint64_t c[MOST_PLANES][MOST_WORDS];
    uint64_t rhs[MOST_PLANES];
};

INLINE void load(struct planes *x, const uint64_t *cell, unsigned k, unsigned w)
{
    for (unsigned i = 0; i < k; i++)
        for (unsigned h = 0; h < w; h++)
            x->c[i][h] = cell[i * w + h];
    for (unsigned i = 0; i < k; i++)
        x->rhs[i] = cell[k * w] >> RHS_BITS * i & UINT16_MAX;
}

INLINE void store(const struct planes *x, uint64_t *cell, unsigned k, unsigned w)
{
    uint64_t rhs = 0;
    for (unsigned i = 0; i < k; i++)
        for (unsigned h = 0; h < w; h++)
            cell[i * w + h] = x->c[i][h];
    for (unsigned i = 0; i < k; i++)
        rhs |= (x->rhs[i] & UINT16_MAX) << RHS_BITS * i;
    cell[k * w] = rhs;
}

/* a += b, of planes: `turn` of b's planes up, and `flip` for its negative. */
INLINE void add_planes(uint64_t a[MOST_PLANES], const uint64_t b[MOST_PLANES], unsigned k, unsigned turn, uint64_t flip)
{
    uint64_t sum[MOST_PLANES], carry = 0;
    for (unsigned i = 0; i < k; i++) {
        uint64_t y = b[(i + k - turn) % k] ^ flip, x = a[i] ^ y;
        sum[i] = x ^ carry;
        carry = (a[i] & y) | (x & carry);
    }
    for (unsigned i = 0; i < k; i++) {
        a[i] = sum[i] ^ carry;
        carry &= sum[i];
    }
}

INLINE void add_turned(struct planes *x, const struct planes *y, unsigned k, unsigned w, unsigned turn, uint64_t flip)
{
    for (unsigned h = 0; h < w; h++) {
        uint64_t a[MOST_PLANES], b[MOST_PLANES];
        for (unsigned i = 0; i < k; i++) {
            a[i] = x->c[i][h];
            b[i] = y->c[i][h];
        }
        add_planes(a, b, k, turn, flip);
        for (unsigned i = 0; i < k; i++)
            x->c[i][h] = a[i];
    }
    add_planes(x->rhs, y->rhs, k, turn, flip);
}

/* x += factor y. Every factor is 2^turn or its negative: 1, 2, 4 and 6, 5, 3 of GF(7). */
INLINE void add_multiple(struct planes *x, const struct planes *y, unsigned factor, unsigned k, unsigned w)
{
    if (k == 1) {
        for (unsigned h = 0; h < w; h++)
            x->c[0][h] ^= y->c[0][h];
        x->rhs[0] ^= y->rhs[0];
    } else if (k == 2) {
        add_turned(x, y, k, w, factor - 1, 0); /* twice is the negative */
    } else {
        switch (factor) {
        case 1:
            add_turned(x, y, k, w, 0, 0);
            break;
        case 2:
            add_turned(x, y, k, w, 1, 0);
            break;
        case 3:
            add_turned(x, y, k, w, 2, UINT64_MAX);
            break;
        case 4:
            add_turned(x, y, k, w, 2, 0);
            break;
        case 5:
            add_turned(x, y, k, w, 1, UINT64_MAX);
            break;
        default:
            add_turned(x, y, k, w, 0, UINT64_MAX);
        }
    }
}

INLINE unsigned first_digit(const struct planes *x, unsigned k)
{
    unsigned digit = 0;
    for (unsigned i = 0; i < k; i++)
        digit |= (unsigned)(x->c[i][0] & 1) << i;
    return digit;
}

/* Where the coefficients are not zero, of word h. */
INLINE uint64_t nonzero(const struct planes *x, unsigned k, unsigned h)
{
    uint64_t any = x->c[0][h], all = x->c[0][h];
    for (unsigned i = 1; i < k; i++) {
        any |= x->c[i][h];
        all &= x->c[i][h];
    }
    return k == 1 ? any : any & ~all;
}

/* By less than 64 n words. */
INLINE void shift_down(struct planes *x, unsigned k, unsigned w, unsigned by)
{
    for (unsigned i = 0; i < k; i++) {
        uint64_t *c = x->c[i];
        if (w == 1) {
            c[0] >>= by;
        } else if (by < 64) {
            c[0] = c[0] >> by | c[1] << 1 << (63 - by);
            c[1] >>= by;
        } else {
            c[0] = c[1] >> (by - 64);
            c[1] = 0;
        }
    }
}

/* The first coefficient goes to bit 0. Returns by how many slots it moved; -1: there is none. */
INLINE int normalize(struct planes *x, unsigned k, unsigned w)
{
    uint64_t low = nonzero(x, k, 0);
    unsigned by;
    if (low)
        by = (unsigned)__builtin_ctzll(low);
    else if (w > 1 && (low = nonzero(x, k, 1)))
        by = 64 + (unsigned)__builtin_ctzll(low);
    else
        return -1;
    shift_down(x, k, w, by);
    return (int)by;
}

/* ---- rows ---- */

INLINE void row_planes(const struct sparse *system, const struct sparse_row *row, struct planes *x, unsigned k,
                       unsigned w)
{
    const unsigned block = 64 * w / SPARSE_TERMS, columns = system->columns;
    memset(x, 0, sizeof *x);
    for (unsigned i = 0; i < SPARSE_TERMS; i++) {
        unsigned at = block * i + (row->terms >> 4 * i & (block - 1));
        x->c[0][at / 64] |= UINT64_C(1) << at % 64;
    }
    for (unsigned i = 0; i < k; i++)
        x->rhs[i] = row->value >> (system->shift + i * columns) & ((UINT32_C(1) << columns) - 1);
}

/* Where the row comes to lie: a slot without an equation, and its first coefficient is in bit 0. NULL: it depends on
 * the others. */
INLINE uint64_t *reduce(const struct sparse *system, const struct sparse_row *row, struct planes *x, unsigned k,
                        unsigned w)
{
    const unsigned prime = k == 1 ? 2 : k == 2 ? 3 : 7;
    const size_t stride = k * w + 1;
    struct planes y;
    row_planes(system, row, x, k, w);
    uint64_t *cell = system->cell + (row->start + (size_t)normalize(x, k, w)) * stride;
    while (cell[0] & 1) {
        load(&y, cell, k, w);
        add_multiple(x, &y, prime - first_digit(x, k), k, w);
        int by = normalize(x, k, w);
        if (by < 0)
            return NULL;
        cell += (size_t)by * stride;
    }
    return cell;
}

/* 1/2 = 2 of GF(3); 1/2 = 4, 1/3 = 5 and 1/6 = 6 of GF(7). */
INLINE unsigned inverse(unsigned digit, unsigned k)
{
    static const uint8_t seventh[7] = {0, 1, 4, 5, 2, 3, 6};
    return k < 3 ? digit : seventh[digit];
}

/* To add is to multiply into nothing. */
INLINE void place(uint64_t *cell, const struct planes *x, unsigned k, unsigned w)
{
    struct planes scaled;
    memset(&scaled, 0, sizeof scaled);
    add_multiple(&scaled, x, inverse(first_digit(x, k), k), k, w);
    store(&scaled, cell, k, w);
}

INLINE size_t add_rows(const struct sparse *system, const struct sparse_row *rows, size_t count, unsigned k, unsigned w)
{
    struct planes x;
    for (size_t i = 0; i < count; i++) {
        uint64_t *cell = reduce(system, &rows[i], &x, k, w);
        if (!cell)
            return i;
        place(cell, &x, k, w);
    }
    return count;
}

INLINE size_t count_dependent(const struct sparse *system, const struct sparse_row *rows, size_t count, unsigned k,
                              unsigned w)
{
    struct planes x;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += !reduce(system, &rows[i], &x, k, w);
    return found;
}

/* ---- solutions ---- */

INLINE unsigned ones(uint64_t x)
{
    return (unsigned)__builtin_popcountll(x);
}

/* The sum of the products of digits: of GF(3), 1 for each that is not zero, and 1 more where the signs differ; of
 * GF(7), plane i times plane j counts 2^(i + j), and three that count the same are a sum and a carry. */
INLINE unsigned product_sum(const uint64_t *c, const uint64_t *z, unsigned k)
{
    if (k == 1)
        return ones(c[0] & z[0]);
    if (k == 2) {
        uint64_t both = (c[0] ^ c[1]) & (z[0] ^ z[1]);
        return ones(both) + ones(both & (c[1] ^ z[1]));
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t a = c[0] & z[i], b = c[1] & z[(i + 2) % 3], d = c[2] & z[(i + 1) % 3], x = a ^ b;
        sum += (ones(x ^ d) << i) + (ones((a & b) | (x & d)) << (i + 1) % 3);
    }
    return sum;
}

/* The digits of the last slots, bit 0 the last one that was found. */
struct window {
    uint64_t z[DIGITS_MOST_COLUMNS][MOST_WORDS][MOST_PLANES];
};

INLINE void push(uint64_t z[MOST_WORDS][MOST_PLANES], unsigned digit, unsigned k, unsigned w)
{
    for (unsigned i = 0; i < k; i++) {
        if (w > 1)
            z[1][i] = z[1][i] << 1 | z[0][i] >> 63;
        z[0][i] = z[0][i] << 1 | (digit >> i & 1);
    }
}

/* Without its first coefficient, which is 1, and moved to where the window is. */
INLINE void load_coefficients(uint64_t c[MOST_WORDS][MOST_PLANES], const uint64_t *cell, unsigned k, unsigned w)
{
    for (unsigned i = 0; i < k; i++) {
        c[0][i] = cell[i * w] >> 1;
        if (w > 1) {
            c[0][i] |= cell[i * w + 1] << 63;
            c[1][i] = cell[i * w + 1] >> 1;
        }
    }
}

INLINE unsigned solved_digit(uint64_t c[MOST_WORDS][MOST_PLANES], uint64_t z[MOST_WORDS][MOST_PLANES], uint64_t rhs,
                             unsigned column, unsigned k, unsigned w)
{
    const unsigned prime = k == 1 ? 2 : k == 2 ? 3 : 7;
    unsigned sum = product_sum(c[0], z[0], k), digit = 0;
    if (w > 1)
        sum += product_sum(c[1], z[1], k);
    for (unsigned i = 0; i < k; i++)
        digit |= (unsigned)(rhs >> (RHS_BITS * i + column) & 1) << i;
    return (digit + (prime - 1) * sum) % prime;
}

INLINE void solve(const struct sparse *system, uint32_t weight, sparse_draw *draw, void *ctx, uint16_t *number,
                  unsigned k, unsigned w)
{
    const unsigned prime = k == 1 ? 2 : k == 2 ? 3 : 7, columns = system->columns;
    const size_t stride = k * w + 1;
    uint64_t c[MOST_WORDS][MOST_PLANES];
    struct window window;
    uint32_t values = 1;
    memset(&window, 0, sizeof window);
    for (unsigned j = 0; j < columns; j++)
        values *= prime;
    for (uint32_t slot = system->slots; slot-- > 0;) {
        const uint64_t *cell = system->cell + slot * stride;
        int decided = (int)(cell[0] & 1);
        uint32_t drawn = decided ? 0 : draw(ctx, values), scale = weight, sum = 0;
        if (decided)
            load_coefficients(c, cell, k, w);
        for (unsigned j = 0; j < columns; j++) {
            unsigned digit = drawn % prime;
            if (decided)
                digit = solved_digit(c, window.z[j], cell[k * w], j, k, w);
            drawn /= prime;
            push(window.z[j], digit, k, w);
            sum += digit * scale;
            scale *= prime;
        }
        number[slot] = (uint16_t)(number[slot] + sum);
    }
}

/* ---- by field and band ---- */

#define BY_SHAPE(call)                                   \
    switch (system->field * 2 + (system->band == 128)) { \
    case 0:                                              \
        call(1, 1);                                      \
        break;                                           \
    case 1:                                              \
        call(1, 2);                                      \
        break;                                           \
    case 2:                                              \
        call(2, 1);                                      \
        break;                                           \
    case 3:                                              \
        call(2, 2);                                      \
        break;                                           \
    case 4:                                              \
        call(3, 1);                                      \
        break;                                           \
    default:                                             \
        call(3, 2);                                      \
    }

size_t sparse_add(struct sparse *system, const struct sparse_row *rows, size_t count)
{
    size_t added;
#define ADD(k, w) added = add_rows(system, rows, count, k, w)
    BY_SHAPE(ADD)
    return added;
}

size_t sparse_dependent(const struct sparse *system, const struct sparse_row *rows, size_t count)
{
    size_t dependent;
#define COUNT(k, w) dependent = count_dependent(system, rows, count, k, w)
    BY_SHAPE(COUNT)
    return dependent;
}

void sparse_solve(const struct sparse *system, uint32_t weight, sparse_draw *draw, void *ctx, uint16_t *number)
{
#define SOLVE(k, w) solve(system, weight, draw, ctx, number, k, w)
    BY_SHAPE(SOLVE)
}
