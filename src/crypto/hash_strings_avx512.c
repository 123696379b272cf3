/* SPDX-License-Identifier: MIT */
/*
 * Eight strings of 17 to 64 bytes hashed at once, a key in each lane: XXH3-128 of such a length, bit for bit. It takes
 * up to four pieces of 16 bytes of a key, two from its start and two from its end:
 *
 *     length 33 to 64    0 .. 15 | 16 .. 31  ...  end - 32 .. end - 17 | end - 16 .. end - 1
 *     length 17 to 32    0 .. 15 |                                     | end - 16 .. end - 1
 *
 * A row of 64 bytes is loaded for each key, the rows are transposed, and the products are those of hash_avx512.h. Where
 * a length needs no inner pieces the outer ones are loaded twice. Eight that are not all of such lengths are hashed one
 * by one. On an Emerald Rapids server 50 bytes in cache, hash and query, take 1.4 times XXH3-128 alone from an array of
 * uf_key and 1.8 times back to back, and took 2.5.
 *
 * This file alone is compiled for AVX-512; nothing in it runs before the machine was asked.
 */
#include "hash_strings.h"

#if defined(__x86_64__) && defined(__AVX512DQ__)
#include "hash_avx512.h"
#include "string_inline.h"

/* What the seed makes of the secret, and the primes. */
struct string_hash8 {
    __m512i flip[8]; /* for the words of a row, in the order in which rows have them */
    __m512i prime1, prime2, prime4, avalanche, seed;
};

LANES_INLINE struct string_hash8 string_hash8_start(uint64_t seed)
{
    static const unsigned char from[8] = {0, 1, 4, 5, 6, 7, 2, 3}; /* words of the secret */
    struct string_hash8 out;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t word = XXH_readLE64(XXH3_kSecret + (size_t)8 * from[i]);
        out.flip[i] = lanes_of(i % 2 ? word - seed : word + seed);
    }
    out.prime1 = lanes_of(XXH_PRIME64_1);
    out.prime2 = lanes_of(XXH_PRIME64_2);
    out.prime4 = lanes_of(XXH_PRIME64_4);
    out.avalanche = lanes_of(UINT64_C(0x165667919e3779f9));
    out.seed = lanes_of(seed);
    return out;
}

/* The lower and the upper half of a product, one flipped by the other. */
LANES_INLINE __m512i fold8(__m512i x, __m512i y)
{
    struct factor8 by = {y, _mm512_srli_epi64(y, 32)};
    struct hashes8 product = multiply8(x, &by);
    return _mm512_xor_si512(product.lo, product.hi);
}

LANES_INLINE __m512i avalanche8(const struct string_hash8 *with, __m512i x)
{
    x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 37)), with->avalanche);
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

/* Row i to lane i of eight vectors. */
LANES_INLINE void transpose8(__m512i row[8])
{
    __m512i pair[8], four[8];
    for (unsigned i = 0; i < 8; i += 2) {
        pair[i] = _mm512_unpacklo_epi64(row[i], row[i + 1]);
        pair[i + 1] = _mm512_unpackhi_epi64(row[i], row[i + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4)
        for (unsigned j = 0; j < 2; j++) {
            four[i + j] = _mm512_shuffle_i64x2(pair[i + j], pair[i + j + 2], 0x88);
            four[i + j + 2] = _mm512_shuffle_i64x2(pair[i + j], pair[i + j + 2], 0xdd);
        }
    for (unsigned j = 0; j < 4; j++) {
        row[j] = _mm512_shuffle_i64x2(four[j], four[j + 4], 0x88);
        row[j + 4] = _mm512_shuffle_i64x2(four[j], four[j + 4], 0xdd);
    }
}

LANES_INLINE __m512i load_row(const unsigned char *key, size_t size)
{
    const unsigned char *end = key + size - 16;
    size_t inner = size > 32 ? 16 : 0;
    __m512i row = _mm512_castsi128_si512(_mm_loadu_si128((const void *)key));
    row = _mm512_inserti64x2(row, _mm_loadu_si128((const void *)(key + inner)), 1);
    row = _mm512_inserti64x2(row, _mm_loadu_si128((const void *)(end - inner)), 2);
    return _mm512_inserti64x2(row, _mm_loadu_si128((const void *)end), 3);
}

/* Their lengths, from an array. */
LANES_INLINE __m512i sizes_of8(const uf_key *keys)
{
    __m512i a = _mm512_loadu_si512(keys), b = _mm512_loadu_si512(keys + 4);
    return _mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), b);
}

LANES_INLINE int sizes_fit8(__m512i sizes)
{
    return _mm512_cmplt_epu64_mask(_mm512_sub_epi64(sizes, lanes_of(17)), lanes_of(48)) == 0xff;
}

/* One round over two pieces, each of two words. */
LANES_INLINE void mix8(__m512i *low, __m512i *high, const __m512i *one, const __m512i *other, const __m512i *flip_one,
                       const __m512i *flip_other)
{
    *low = _mm512_add_epi64(*low, fold8(_mm512_xor_si512(one[0], flip_one[0]), _mm512_xor_si512(one[1], flip_one[1])));
    *low = _mm512_xor_si512(*low, _mm512_add_epi64(other[0], other[1]));
    *high = _mm512_add_epi64(
        *high, fold8(_mm512_xor_si512(other[0], flip_other[0]), _mm512_xor_si512(other[1], flip_other[1])));
    *high = _mm512_xor_si512(*high, _mm512_add_epi64(one[0], one[1]));
}

LANES_INLINE struct hashes8 string_hash8(const struct string_hash8 *with, const uf_key *keys, __m512i sizes)
{
    __mmask8 inner = _mm512_cmpgt_epu64_mask(sizes, lanes_of(32));
    __m512i w[LANES8], start = _mm512_mullo_epi64(sizes, with->prime1), low = start, high = _mm512_setzero_si512();
    for (unsigned i = 0; i < LANES8; i++)
        w[i] = load_row(keys[i].data, keys[i].size);
    transpose8(w);
    mix8(&low, &high, w + 2, w + 4, with->flip + 2, with->flip + 4);
    low = _mm512_mask_blend_epi64(inner, start, low);
    high = _mm512_maskz_mov_epi64(inner, high);
    mix8(&low, &high, w, w + 6, with->flip, with->flip + 6);
    __m512i sum = _mm512_mullo_epi64(_mm512_sub_epi64(sizes, with->seed), with->prime2);
    sum = _mm512_add_epi64(sum, _mm512_mullo_epi64(low, with->prime1));
    sum = _mm512_add_epi64(sum, _mm512_mullo_epi64(high, with->prime4));
    low = avalanche8(with, _mm512_add_epi64(low, high));
    return (struct hashes8){low, _mm512_sub_epi64(_mm512_setzero_si512(), avalanche8(with, sum))};
}

/* ---- many ---- */

/* Keys that lie behind each other are fetched so many bytes ahead, others so many keys. */
enum { BYTES_AHEAD = 1024, KEYS_AHEAD = 16 };

LANES_INLINE void fetch(const uf_key *keys, size_t index, size_t count, int in_row)
{
    if (in_row)
        _mm_prefetch((const char *)keys[index].data + BYTES_AHEAD, _MM_HINT_T0);
    else if (index + KEYS_AHEAD < count)
        _mm_prefetch(keys[index + KEYS_AHEAD].data, _MM_HINT_T0);
}

static void hash_strings(const struct hasher *hasher, const uf_key *keys, size_t count, int in_row, struct hash128 *out)
{
    const struct string_hash8 with = string_hash8_start(hasher->seed);
    struct string_hash single;
    size_t i = 0;
    string_hash_start(&single, hasher->seed);
    for (; i + LANES8 <= count; i += LANES8) {
        __m512i sizes = sizes_of8(keys + i);
        for (size_t j = i; j < i + LANES8; j++)
            fetch(keys, j, count, in_row);
        if (sizes_fit8(sizes)) {
            struct hashes8 hash = string_hash8(&with, keys + i, sizes);
            store_pairs8(out + i, hash.lo, hash.hi);
        } else
            for (size_t j = i; j < i + LANES8; j++)
                out[j] = string_hash(&single, keys[j]);
    }
    for (; i < count; i++)
        out[i] = string_hash(&single, keys[i]);
}

strings_way *strings_with_avx512(void)
{
    return hash_strings;
}

#else

strings_way *strings_with_avx512(void)
{
    return NULL;
}

#endif
