/* SPDX-License-Identifier: MIT */
#include "aes_bitsliced.h"

#include <string.h>

#include "wire.h"

/* Two words of four blocks each: a register of most processors, and two of the others. */
typedef uint64_t word __attribute__((vector_size(16)));

enum { LANES = sizeof(word) / 8, LANE_BLOCKS = BITSLICED_BLOCKS / LANES };

/* The state: bit j of every byte, or 64 LANES elements of GF(2^8). */
struct sliced {
    word bit[8];
};

/* ---- SubBytes ---- */

/*
 * The depth-16 circuit of Boyar and Peralta, with their names: U the input and S the output, highest bit first. The
 * inverse in GF(2^8) through GF((2^4)^2), between two linear maps that the circuit shares as far as it can.
 */
static void substitute(struct sliced *x)
{
    const word U0 = x->bit[7], U1 = x->bit[6], U2 = x->bit[5], U3 = x->bit[4], U4 = x->bit[3], U5 = x->bit[2],
               U6 = x->bit[1], U7 = x->bit[0];

    /* the linear map into the tower field */
    const word y14 = U3 ^ U5, y13 = U0 ^ U6, y9 = U0 ^ U3, y8 = U0 ^ U5, t0 = U1 ^ U2, y1 = t0 ^ U7, y4 = y1 ^ U3;
    const word y12 = y13 ^ y14, y2 = y1 ^ U0, y5 = y1 ^ U6, y3 = y5 ^ y8, t1 = U4 ^ y12, y15 = t1 ^ U5, y20 = t1 ^ U1;
    const word y6 = y15 ^ U7, y10 = y15 ^ t0, y11 = y20 ^ y9, y7 = U7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8;
    const word y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = U0 ^ y16;

    /* the inverse */
    const word t2 = y12 & y15, t4 = (y3 & y6) ^ t2, t6 = (y4 & U7) ^ t2, t7 = y13 & y16, t9 = (y5 & y1) ^ t7;
    const word t11 = (y2 & y7) ^ t7, t12 = y9 & y11, t14 = (y14 & y17) ^ t12, t16 = (y8 & y10) ^ t12;
    const word t21 = t4 ^ t14 ^ y20, t22 = t6 ^ t16 ^ y19, t23 = t9 ^ t14 ^ y21, t24 = t11 ^ t16 ^ y18;
    const word t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t29 = (t25 & t27) ^ t22, t31 = t22 ^ t26;
    const word t33 = (t31 & (t23 ^ t24)) ^ t24, t36 = t24 & (t27 ^ t33), t37 = t36 ^ t23 ^ t33;
    const word t40 = t25 ^ (t29 & (t27 ^ t36)), t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37;
    const word t45 = t42 ^ t41;
    const word z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & U7, z3 = t43 & y16, z4 = t40 & y1, z5 = t29 & y7;
    const word z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
    const word z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;

    /* the linear map back, and the affine map of FIPS 197 */
    const word t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12, t51 = z2 ^ z5;
    const word t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17, t56 = z12 ^ t48, t57 = t50 ^ t53;
    const word t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57, t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58;
    const word t64 = z4 ^ t59, t65 = t61 ^ t62, t66 = z1 ^ t63, t67 = t64 ^ t65, S3 = t53 ^ t66;
    x->bit[7] = t59 ^ t63;
    x->bit[6] = t64 ^ ~S3;
    x->bit[5] = t55 ^ ~t67;
    x->bit[4] = S3;
    x->bit[3] = t51 ^ t66;
    x->bit[2] = t47 ^ t65;
    x->bit[1] = t56 ^ ~t62;
    x->bit[0] = t48 ^ ~t60;
}

/* ---- bytes to bits and back ---- */

/* What `mask` selects of `low` changes places with what lies `by` bits higher in `high`. */
static void swap_bits(word *low, word *high, unsigned by, uint64_t mask)
{
    word t = (*low ^ *high << by) & mask << by;
    *low ^= t;
    *high ^= t >> by;
}

/* Byte j of a word becomes bits 8 i + j: the 8 by 8 matrix of its bits is turned over. */
static word transpose(word x)
{
    word t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

/* The same of eight words, byte by byte: byte i of word j changes places with byte j of word i. */
static void transpose_bytes(word x[8])
{
    for (int i = 0; i < 8; i += 2)
        swap_bits(&x[i], &x[i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
    for (int i = 0; i < 8; i += 1 + i % 2 * 2)
        swap_bits(&x[i], &x[i + 2], 16, UINT64_C(0x0000ffff0000ffff));
    for (int i = 0; i < 4; i++)
        swap_bits(&x[i], &x[i + 4], 32, UINT64_C(0x00000000ffffffff));
}

static void slice(const struct hash128 block[BITSLICED_BLOCKS], struct sliced *out)
{
    for (int i = 0; i < 8; i++) {
        for (int lane = 0; lane < LANES; lane++) {
            const struct hash128 *from = &block[lane * LANE_BLOCKS + i / 2];
            out->bit[i][lane] = i % 2 ? from->hi : from->lo;
        }
        out->bit[i] = transpose(out->bit[i]);
    }
    transpose_bytes(out->bit);
}

static void join(struct sliced *x, struct hash128 block[BITSLICED_BLOCKS])
{
    transpose_bytes(x->bit);
    for (int i = 0; i < 8; i++) {
        word bytes = transpose(x->bit[i]);
        for (int lane = 0; lane < LANES; lane++) {
            struct hash128 *to = &block[lane * LANE_BLOCKS + i / 2];
            *(i % 2 ? &to->hi : &to->lo) = bytes[lane];
        }
    }
}

/* ---- rounds ---- */

#define EACH_BLOCK UINT64_C(0x0001000100010001)

static void add_round_key(struct sliced *x, const unsigned char key[16])
{
    for (int j = 0; j < 8; j++)
        x->bit[j] ^= (key[2 * j] | (uint64_t)key[2 * j + 1] << 8) * EACH_BLOCK;
}

/* Row r, the bytes i with i mod 4 = r, turns by r columns of 4 bytes: rows 2 and 3 by two, then rows 1 and 3 by one. */
static void shift_rows(struct sliced *x)
{
    for (int j = 0; j < 8; j++) {
        word in = x->bit[j], t = (in ^ in >> 8) & 0x00cc * EACH_BLOCK;
        in ^= t ^ t << 8;
        word turned = (in >> 4 & 0x0fff * EACH_BLOCK) | (in << 12 & 0xf000 * EACH_BLOCK);
        x->bit[j] = in ^ ((in ^ turned) & 0xaaaa * EACH_BLOCK);
    }
}

/* The byte that is `by` rows further down in the same column. */
static word below(word x, unsigned by)
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
        word twice = j ? sum.bit[j - 1] : sum.bit[7];
        if (j == 1 || j == 3 || j == 4)
            twice ^= sum.bit[7];
        x->bit[j] = twice ^ next.bit[j] ^ below(sum.bit[j], 2);
    }
}

void bitsliced_encrypt(const unsigned char (*sliced)[16], unsigned rounds, struct hash128 block[BITSLICED_BLOCKS])
{
    struct sliced x;
    slice(block, &x);
    add_round_key(&x, sliced[0]);
    for (unsigned i = 1; i <= rounds; i++) {
        substitute(&x);
        shift_rows(&x);
        if (i < rounds)
            mix_columns(&x);
        add_round_key(&x, sliced[i]);
    }
    join(&x, block);
}

/* ---- and back ---- */

/* The affine map of FIPS 197 undone: bit i is that of i + 2, i + 5 and i + 7, and 05 is added. */
static void undo_affine(struct sliced *x)
{
    const struct sliced in = *x;
    for (unsigned i = 0; i < 8; i++)
        x->bit[i] = in.bit[(i + 2) % 8] ^ in.bit[(i + 5) % 8] ^ in.bit[(i + 7) % 8];
    x->bit[0] = ~x->bit[0];
    x->bit[2] = ~x->bit[2];
}

/* SubBytes is an inverse and then that map A, so back it is the inverse of what A undone makes; and an inverse alone is
 * SubBytes and A undone. Rows are back where they were after four shifts, columns after four mixes. */
static void decrypt(const unsigned char (*sliced)[16], unsigned rounds, struct hash128 block[BITSLICED_BLOCKS])
{
    struct sliced x;
    slice(block, &x);
    for (unsigned i = rounds; i > 0; i--) {
        add_round_key(&x, sliced[i]);
        for (unsigned times = 0; i < rounds && times < 3; times++)
            mix_columns(&x);
        for (unsigned times = 0; times < 3; times++)
            shift_rows(&x);
        undo_affine(&x);
        substitute(&x);
        undo_affine(&x);
    }
    add_round_key(&x, sliced[0]);
    join(&x, block);
}

typedef void each_eight(const unsigned char (*sliced)[16], unsigned rounds, struct hash128 block[BITSLICED_BLOCKS]);

static void each_of(each_eight *each, const struct aes_key *sliced, struct hash128 *block, size_t count)
{
    struct hash128 rest[BITSLICED_BLOCKS] = {{0, 0}};
    for (; count >= BITSLICED_BLOCKS; count -= BITSLICED_BLOCKS, block += BITSLICED_BLOCKS)
        each(sliced->round, AES_ROUNDS, block);
    if (!count)
        return;
    memcpy(rest, block, count * sizeof *block);
    each(sliced->round, AES_ROUNDS, rest);
    memcpy(block, rest, count * sizeof *block);
}

void bitsliced_decrypt_many(const struct aes_key *sliced, struct hash128 *block, size_t count)
{
    each_of(decrypt, sliced, block, count);
}

void bitsliced_encrypt_many(const struct aes_key *sliced, struct hash128 *block, size_t count)
{
    each_of(bitsliced_encrypt, sliced, block, count);
}

/* ---- keys ---- */

/* SubBytes of four bytes. */
static void substitute_column(unsigned char column[4])
{
    struct hash128 block[BITSLICED_BLOCKS] = {{0, 0}};
    struct sliced x;
    for (unsigned i = 0; i < 4; i++)
        block[0].lo |= (uint64_t)column[i] << 8 * i;
    slice(block, &x);
    substitute(&x);
    join(&x, block);
    for (unsigned i = 0; i < 4; i++)
        column[i] = (unsigned char)(block[0].lo >> 8 * i);
    explicit_bzero(block, sizeof block);
    explicit_bzero(&x, sizeof x);
}

static void rotate_column(unsigned char column[4])
{
    unsigned char first = column[0];
    memmove(column, column + 1, 3);
    column[3] = first;
}

/* FIPS 197, section 5.2: column by column, all rounds in a row. */
void bitsliced_expand(const unsigned char *secret, unsigned rounds, unsigned char (*round)[16])
{
    const unsigned bytes = 4 * (rounds - 6);
    unsigned char *all = (unsigned char *)round, column[4], factor = 1;
    memcpy(all, secret, bytes);
    for (unsigned at = bytes; at < 16 * (rounds + 1); at += 4) {
        memcpy(column, all + at - 4, 4);
        if (at % bytes == 0) {
            rotate_column(column);
            substitute_column(column);
            column[0] ^= factor;
            factor = (unsigned char)(factor << 1 ^ (factor >> 7) * 0x1b);
        } else if (at % bytes == 16) { /* with 32 bytes only */
            substitute_column(column);
        }
        for (unsigned i = 0; i < 4; i++)
            all[at + i] = all[at + i - bytes] ^ column[i];
    }
    explicit_bzero(column, sizeof column);
}

void bitsliced_slice(unsigned rounds, unsigned char (*round)[16])
{
    struct hash128 block[BITSLICED_BLOCKS] = {{0, 0}};
    struct sliced x;
    for (unsigned i = 0; i <= rounds; i++) {
        struct reader reader = {round[i], 16, 0};
        block[0].lo = read_uint(&reader, 8);
        block[0].hi = read_uint(&reader, 8);
        slice(block, &x);
        for (int j = 0; j < 8; j++) {
            round[i][2 * j] = (unsigned char)x.bit[j][0];
            round[i][2 * j + 1] = (unsigned char)(x.bit[j][0] >> 8);
        }
    }
    explicit_bzero(block, sizeof block);
    explicit_bzero(&x, sizeof x);
}
