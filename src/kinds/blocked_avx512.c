/* SPDX-License-Identifier: MIT */
/*
 * blocked on AVX-512: the block is one vector of eight 64-bit lanes (k = 8) or sixteen 32-bit lanes (k = 16). Keys of 8
 * bytes have a loop of their own (groups_avx512.h). This file is compiled for AVX-512; nothing in it
 * runs before the machine was asked.
 */
#include "blocked.h"

#if defined(__AVX512F__)
#include "groups_avx512.h"

/* Bytes to lanes, one byte a lane: the lane's bit. Rotations look at their count modulo the size of a lane. */
INLINE __m512i bits_of(uint64_t lo, unsigned k)
{
    if (k == 8)
        return _mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)lo));
    return _mm512_cvtepu8_epi32(_mm_set_epi64x((long long)blocked_more(lo), (long long)lo));
}

INLINE __m512i mask_of(uint64_t lo, unsigned k)
{
    return k == 8 ? _mm512_rolv_epi64(lanes_of(1), bits_of(lo, 8))
                  : _mm512_rolv_epi32(_mm512_set1_epi32(1), bits_of(lo, 16));
}

/* A block to which other threads may be adding: as in blocked_avx2.c. */
INLINE __m512i load_shared(const uint64_t *words)
{
#if BLOCKED_LOADS_APART
    uint64_t word[BLOCK_WORDS];
    for (int i = 0; i < BLOCK_WORDS; i++)
        word[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
    return _mm512_loadu_si512(word);
#else
    return _mm512_loadu_si512(words); /* a view may lie on any multiple of 8 */
#endif
}

/* The mask is ready before the block comes. */
INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k)
{
    __m512i mask = mask_of(lo, k), words = load_shared(block);
    if (k == 8) {
        __mmask8 set = _mm512_test_epi64_mask(mask, words);
        return _kortestc_mask8_u8(set, set);
    }
    __mmask16 set = _mm512_test_epi32_mask(mask, words);
    return _kortestc_mask16_u8(set, set);
}

INLINE int insert(uint64_t *block, uint64_t lo, unsigned k)
{
    __m512i old = _mm512_loadu_si512(block), all = _mm512_or_si512(old, mask_of(lo, k));
    _mm512_storeu_si512(block, all);
    return _mm512_cmpneq_epi64_mask(old, all) != 0;
}

INLINE uint64_t growth(const uint64_t *block, uint64_t lo, unsigned k, double scale)
{
    uint64_t mask[BLOCK_WORDS];
    _mm512_storeu_si512(mask, mask_of(lo, k));
    return blocked_growth(block, mask, k, scale);
}

/* Slots are those of blocked.h. */
INLINE void prepare_group(const void *self, struct hashes8 hash, void *slots, unsigned k)
{
    const struct blocked_view *view = self;
    __m512i at = _mm512_slli_epi64(mul_high8_half(hash.hi, lanes_of(view->blocks)), 6);
    (void)k;
    store_pairs8(slots, _mm512_add_epi64(at, lanes_of((uintptr_t)view->words)), hash.lo);
}

/* KEYS_AHEAD_GROUPS: a stream of keys would drive the filter out of the last cache. On an Emerald Rapids server with
 * 300 MiB of it, over 119 MiB: 6.2 -> 4.6 ns per query, 6.8 -> 4.2 per insert; 48 groups ahead 5.0. In a loop that
 * takes longer for a group they are gone again before they are used. */
enum { AHEAD = 8, RING = 16, KEYS_AHEAD_GROUPS = 16 };

INLINE void run_groups(const void *self, struct hash_source *source, size_t count, struct tile_steps steps, void *out,
                       unsigned k, enum hash_words words)
{
    _Alignas(64) struct blocked_slot slots[RING * LANES8];
    struct group_loop loop = {.self = self,
                              .source = source,
                              .count = count,
                              .slots = (unsigned char *)slots,
                              .group_bytes = LANES8 * sizeof slots[0],
                              .slot_bytes = sizeof slots[0],
                              .ahead = AHEAD,
                              .ring = RING,
                              .steps = {prepare_group, steps.fetch, steps.use},
                              .out = out,
                              .variant = k,
                              .keys_ahead = KEYS_AHEAD_GROUPS};
    groups_run(&loop, words);
}

INLINE void run_loop(const void *self, struct hash_source *source, size_t count, struct tile_steps steps, void *out,
                     unsigned k)
{
    int half = ((const struct blocked_view *)self)->blocks <= UINT32_MAX; /* below 256 GiB */
    if (half && source->words == WORDS_XXH3)
        run_groups(self, source, count, steps, out, k, WORDS_XXH3);
    else if (half && source->words != WORDS_CMAC)
        run_groups(self, source, count, steps, out, k, WORDS_NONE);
    else
        blocked_tiles(self, source, count, steps, out, k);
}

#define BLOCKED_LOOP run_loop
#include "blocked_path.h"

const struct filter_calls blocked_avx512[2] = BLOCKED_PATHS;

#else

const struct filter_calls blocked_avx512[2];

#endif
