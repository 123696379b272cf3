/* SPDX-License-Identifier: MIT */
#include "aes_bitsliced.h"

#include <string.h>

#include "wire.h"

/* The state, or 64 elements of GF(2^8) at once. */
struct sliced {
    uint64_t bit[8];
};

/* ---- arithmetic modulo x^8 + x^4 + x^3 + x + 1 ---- */

/* x^8 = x^4 + x^3 + x + 1, from the top down. */
static struct sliced reduce(uint64_t wide[15])
{
    struct sliced out;
    for (int i = 14; i >= 8; i--) {
        wide[i - 4] ^= wide[i];
        wide[i - 5] ^= wide[i];
        wide[i - 7] ^= wide[i];
        wide[i - 8] ^= wide[i];
    }
    memcpy(out.bit, wide, sizeof out.bit);
    return out;
}

static struct sliced times(const struct sliced *x, const struct sliced *y)
{
    uint64_t wide[15] = {0};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            wide[i + j] ^= x->bit[i] & y->bit[j];
    return reduce(wide);
}

static struct sliced square(const struct sliced *x)
{
    uint64_t wide[15] = {0};
    for (int i = 0; i < 8; i++)
        wide[2 * i] = x->bit[i];
    return reduce(wide);
}

/* x^254: the inverse, and 0 for 0. */
static struct sliced invert(const struct sliced *x)
{
    struct sliced x2 = square(x), x3 = times(&x2, x), x6 = square(&x3), x12 = square(&x6), x15 = times(&x12, &x3);
    struct sliced x240 = x15;
    for (int i = 0; i < 4; i++)
        x240 = square(&x240);
    struct sliced x252 = times(&x240, &x12);
    return times(&x252, &x2);
}

static void substitute(struct sliced *x)
{
    struct sliced y = invert(x);
    for (int i = 0; i < 8; i++) {
        x->bit[i] = y.bit[i] ^ y.bit[(i + 4) % 8] ^ y.bit[(i + 5) % 8] ^ y.bit[(i + 6) % 8] ^ y.bit[(i + 7) % 8];
        x->bit[i] ^= 0 - (uint64_t)(0x63 >> i & 1);
    }
}

/* ---- bytes to bits and back ---- */

/* Byte j of a word becomes bits 8 i + j: the 8 by 8 matrix of its bits is turned over. */
static uint64_t transpose(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

/* Eight bytes give one byte to each of the eight words. */
static void slice(const struct hash128 block[BITSLICED_BLOCKS], struct sliced *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 2 * BITSLICED_BLOCKS; i++) {
        uint64_t bits = transpose(i % 2 ? block[i / 2].hi : block[i / 2].lo);
        for (int j = 0; j < 8; j++)
            out->bit[j] |= (bits >> 8 * j & 255) << 8 * i;
    }
}

static void join(const struct sliced *x, struct hash128 block[BITSLICED_BLOCKS])
{
    for (int i = 0; i < 2 * BITSLICED_BLOCKS; i++) {
        uint64_t bits = 0;
        for (int j = 0; j < 8; j++)
            bits |= (x->bit[j] >> 8 * i & 255) << 8 * j;
        *(i % 2 ? &block[i / 2].hi : &block[i / 2].lo) = transpose(bits);
    }
}

/* ---- rounds ---- */

#define EACH_BLOCK UINT64_C(0x0001000100010001)

static void add_round_key(struct sliced *x, const unsigned char key[16])
{
    for (int j = 0; j < 8; j++)
        x->bit[j] ^= (key[2 * j] | (uint64_t)key[2 * j + 1] << 8) * EACH_BLOCK;
}

/* Row r, the bytes i with i mod 4 = r, turns by r columns of 4 bytes. */
static void shift_rows(struct sliced *x)
{
    for (int j = 0; j < 8; j++) {
        uint64_t in = x->bit[j], out = in & 0x1111 * EACH_BLOCK;
        for (unsigned r = 1; r < 4; r++) {
            uint64_t row = in & (0x1111u << r) * EACH_BLOCK;
            out |= row >> 4 * r & (0xffffu >> 4 * r) * EACH_BLOCK;
            out |= row << (16 - 4 * r) & (0xffffu << (16 - 4 * r) & 0xffff) * EACH_BLOCK;
        }
        x->bit[j] = out;
    }
}

/* The byte that is `by` rows further down in the same column. */
static uint64_t below(uint64_t x, unsigned by)
{
    uint64_t low = (15u >> by) * UINT64_C(0x1111111111111111);
    return (x >> by & low) | (x << (4 - by) & ~low);
}

/* 2 (a0 + a1) + a1 + a2 + a3 */
static void mix_columns(struct sliced *x)
{
    struct sliced sum, next;
    for (int j = 0; j < 8; j++) {
        next.bit[j] = below(x->bit[j], 1);
        sum.bit[j] = x->bit[j] ^ next.bit[j];
    }
    for (int j = 0; j < 8; j++) {
        uint64_t twice = j ? sum.bit[j - 1] : sum.bit[7];
        if (j == 1 || j == 3 || j == 4)
            twice ^= sum.bit[7];
        x->bit[j] = twice ^ next.bit[j] ^ below(sum.bit[j], 2);
    }
}

void bitsliced_encrypt(const unsigned char sliced[AES_ROUNDS + 1][16], struct hash128 block[BITSLICED_BLOCKS])
{
    struct sliced x;
    slice(block, &x);
    add_round_key(&x, sliced[0]);
    for (int i = 1; i <= AES_ROUNDS; i++) {
        substitute(&x);
        shift_rows(&x);
        if (i < AES_ROUNDS)
            mix_columns(&x);
        add_round_key(&x, sliced[i]);
    }
    join(&x, block);
}

/* ---- keys ---- */

static struct hash128 words_of(const unsigned char bytes[16])
{
    struct reader reader = {bytes, 16, 0};
    uint64_t lo = read_uint(&reader, 8);
    return (struct hash128){lo, read_uint(&reader, 8)};
}

/* SubBytes of the last four bytes of a round key, one place further each. */
static void next_column(const unsigned char round[16], unsigned char out[4])
{
    struct hash128 block[BITSLICED_BLOCKS] = {words_of(round)};
    struct sliced x;
    slice(block, &x);
    substitute(&x);
    join(&x, block);
    for (unsigned i = 0; i < 4; i++)
        out[i] = (unsigned char)(block[0].hi >> (32 + 8 * ((i + 1) % 4)));
    explicit_bzero(block, sizeof block);
    explicit_bzero(&x, sizeof x);
}

void bitsliced_expand(const unsigned char secret[16], unsigned char round[AES_ROUNDS + 1][16])
{
    static const unsigned char factor[AES_ROUNDS] = {1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36};
    unsigned char column[4];
    memcpy(round[0], secret, 16);
    for (int i = 0; i < AES_ROUNDS; i++) {
        next_column(round[i], column);
        column[0] ^= factor[i];
        for (int j = 0; j < 16; j++) {
            column[j % 4] ^= round[i][j];
            round[i + 1][j] = column[j % 4];
        }
    }
    explicit_bzero(column, sizeof column);
}

void bitsliced_slice(unsigned char round[AES_ROUNDS + 1][16])
{
    struct hash128 block[BITSLICED_BLOCKS] = {{0, 0}};
    struct sliced x;
    for (int i = 0; i <= AES_ROUNDS; i++) {
        block[0] = words_of(round[i]);
        slice(block, &x);
        for (int j = 0; j < 8; j++) {
            round[i][2 * j] = (unsigned char)x.bit[j];
            round[i][2 * j + 1] = (unsigned char)(x.bit[j] >> 8);
        }
    }
    explicit_bzero(block, sizeof block);
    explicit_bzero(&x, sizeof x);
}
