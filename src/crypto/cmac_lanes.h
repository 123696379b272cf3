/* SPDX-License-Identifier: MIT */
/*
 * AES-CMAC (RFC 4493) of many keys, LANES of them in flight: one block of AES waits for its rounds, several keep the
 * processor busy. Included once by each file that has a way to compute AES, after it defined LANES and
 *
 *     typedef ... block;                                                     16 bytes
 *     INLINE block block_load(const void *at);
 *     INLINE block block_of(struct hash128 words);                           lo, then hi, little-endian
 *     INLINE block block_half(const void *at);                               8 bytes, then zeros
 *     INLINE void block_store(block x, struct hash128 *out);
 *     INLINE block block_xor(block x, block y);
 *     INLINE void encrypt(const struct prf_key *key, block *x, unsigned n);  n is 1 or LANES, a constant
 */
#include "tail.h"

/* The last block of a key of `size` bytes: `left` of them, and what RFC 4493 adds. */
INLINE block last_block(const struct prf_key *key, const unsigned char *at, size_t left, size_t size)
{
    struct hash128 words = {0, 0};
    if (left == 16)
        return block_xor(block_load(at), block_load(key->last[0]));
    if (left >= 8) {
        words.lo = tail_word(at);
        words.hi = tail_bytes(at + 8, left - 8, size) | UINT64_C(0x80) << 8 * (left - 8);
    } else {
        words.lo = tail_bytes(at, left, size) | UINT64_C(0x80) << 8 * left;
    }
    return block_xor(block_of(words), block_load(key->last[1]));
}

/* Bytes in front of the last block. */
INLINE size_t before_last(size_t size)
{
    return size ? (size - 1) & ~(size_t)15 : 0;
}

static struct hash128 one(const struct prf_key *key, uf_key data)
{
    const unsigned char *at = data.data;
    size_t front = before_last(data.size);
    block x = block_of((struct hash128){0, 0});
    for (size_t i = 0; i < front; i += 16) {
        x = block_xor(x, block_load(at + i));
        encrypt(key, &x, 1);
    }
    x = block_xor(x, last_block(key, at + front, data.size - front, data.size));
    encrypt(key, &x, 1);
    struct hash128 out;
    block_store(x, &out);
    return out;
}

/* ---- keys of one size: all lanes go in step ---- */

INLINE void in_step(const struct prf_key *key, const unsigned char *const at[LANES], size_t size,
                    struct hash128 out[LANES])
{
    block x[LANES];
    size_t front = before_last(size);
    for (unsigned l = 0; l < LANES; l++)
        x[l] = block_of((struct hash128){0, 0});
    for (size_t i = 0; i < front; i += 16) {
        for (unsigned l = 0; l < LANES; l++)
            x[l] = block_xor(x[l], block_load(at[l] + i));
        encrypt(key, x, LANES);
    }
    for (unsigned l = 0; l < LANES; l++)
        x[l] = block_xor(x[l], last_block(key, at[l] + front, size - front, size));
    encrypt(key, x, LANES);
    for (unsigned l = 0; l < LANES; l++)
        block_store(x[l], &out[l]);
}

/* Eight bytes, the size of numbers: one block, half of which is always the same. */
INLINE void words_in_step(const struct prf_key *key, const unsigned char *const at[LANES], struct hash128 out[LANES])
{
    block x[LANES], rest = block_xor(block_of((struct hash128){0, 0x80}), block_load(key->last[1]));
    for (unsigned l = 0; l < LANES; l++)
        x[l] = block_xor(block_half(at[l]), rest);
    encrypt(key, x, LANES);
    for (unsigned l = 0; l < LANES; l++)
        block_store(x[l], &out[l]);
}

static void fixed(const struct prf_key *key, const void *keys, size_t width, size_t count, struct hash128 *out)
{
    const unsigned char *next = keys, *at[LANES];
    for (; width == 8 && count >= LANES; count -= LANES, next += LANES * 8, out += LANES) {
        for (unsigned l = 0; l < LANES; l++)
            at[l] = next + l * 8;
        words_in_step(key, at, out);
    }
    for (; count >= LANES; count -= LANES, next += LANES * width, out += LANES) {
        for (unsigned l = 0; l < LANES; l++)
            at[l] = next + l * width;
        in_step(key, at, width, out);
    }
    for (; count; count--, next += width)
        *out++ = one(key, (uf_key){next, width});
}

/* ---- keys of any length: a lane that is done takes the next key ---- */

struct lane {
    const unsigned char *at;
    size_t left, size;
    struct hash128 *out; /* NULL: idle */
};

struct queue {
    const uf_key *key;
    size_t count;
    struct hash128 *out;
};

INLINE int next_key(struct queue *queue, struct lane *lane)
{
    lane->out = queue->count ? queue->out++ : NULL;
    if (!lane->out)
        return 0;
    lane->at = queue->key->data;
    lane->left = lane->size = queue->key->size;
    queue->key++;
    queue->count--;
    return 1;
}

INLINE block next_block(const struct prf_key *key, struct lane *lane)
{
    if (lane->left <= 16) {
        size_t left = lane->left;
        lane->left = 0;
        return last_block(key, lane->at, left, lane->size);
    }
    lane->left -= 16;
    lane->at += 16;
    return block_load(lane->at - 16);
}

INLINE void in_turn(const struct prf_key *key, const uf_key *keys, size_t count, struct hash128 *out)
{
    struct queue queue = {keys, count, out};
    struct lane lane[LANES];
    block x[LANES], zero = block_of((struct hash128){0, 0});
    unsigned busy = 0;
    for (unsigned l = 0; l < LANES; l++) {
        busy += (unsigned)next_key(&queue, &lane[l]);
        x[l] = zero;
    }
    while (busy) {
        for (unsigned l = 0; l < LANES; l++)
            if (lane[l].out)
                x[l] = block_xor(x[l], next_block(key, &lane[l]));
        encrypt(key, x, LANES);
        for (unsigned l = 0; l < LANES; l++)
            if (lane[l].out && !lane[l].left) {
                block_store(x[l], lane[l].out);
                x[l] = zero;
                busy -= !next_key(&queue, &lane[l]);
            }
    }
}

INLINE int same_size(const uf_key keys[LANES])
{
    size_t differ = 0;
    for (unsigned l = 1; l < LANES; l++)
        differ |= keys[l].size ^ keys[0].size;
    return !differ;
}

static void any(const struct prf_key *key, const uf_key *keys, size_t count, struct hash128 *out)
{
    const unsigned char *at[LANES];
    for (; count >= LANES && same_size(keys); count -= LANES, keys += LANES, out += LANES) {
        for (unsigned l = 0; l < LANES; l++)
            at[l] = keys[l].data;
        if (keys[0].size == 8)
            words_in_step(key, at, out);
        else
            in_step(key, at, keys[0].size, out);
    }
    in_turn(key, keys, count, out);
}
