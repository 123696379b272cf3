/* SPDX-License-Identifier: MIT */
/*
 * The loop every bulk operation runs in. A random cache line takes 100 to 300 ns to arrive, so keys are turned into
 * addresses and fetched two tiles before they are used:
 *
 *     for each tile t:   for each key i:  hash key i of tile t + 2 and find its positions;  use key i of tile t
 *                        for each key i of tile t + 2:  prefetch its positions
 *
 * Hashing overlaps with using, since one waits for multiplications and the other for memory. Prefetches stand apart:
 * where one has to wait for an address translation it holds up all that follows, and then many of them wait together.
 * They go to the second cache level, which has more misses in flight than the first: measured on a Neoverse-N1 over 119
 * MiB, one line costs 7.3 ns so and 11.0 ns otherwise. Keys of 8 bytes are hashed in the loop itself; one by one, since
 * groups of AES blocks that take turns leave less of the loop to overlap (12.7 ns for one, 14 for two or four).
 * `prepare`, `fetch` and `use` are inlined with constant arguments, so each kind gets its own copy of the loop.
 */
#ifndef UF_TILES_H
#define UF_TILES_H

#include <string.h>

#include "cmac_inline.h"
#include "string_inline.h"

enum { TILE = 16, TILES = 4, TILE_SLOTS = TILE * TILES };

#define INLINE static inline __attribute__((always_inline))

/* gcc takes a function that only prefetches for one without effect and drops calls to it; the empty asm is an effect.
 */
INLINE void prefetch_read(const void *address)
{
    __builtin_prefetch(address, 0, 2);
    __asm__ volatile("" : : "r"(address));
}

INLINE void prefetch_write(const void *address)
{
    __builtin_prefetch(address, 1, 2);
    __asm__ volatile("" : : "r"(address));
}

/*
 * What a kind puts into the loop. self: what the functions need to know; a local copy of a few fields, so that the
 * compiler can keep them in registers. slot: scratch for what `prepare` found out about a key. `use` gets the index of
 * the key from the start. variant is handed through: with a constant, one set of functions serves several loops.
 */
typedef void tile_prepare(const void *self, struct hash128 hash, void *slot, unsigned variant);
typedef void tile_fetch(const void *self, const void *slot, unsigned variant);
typedef void tile_use(const void *self, const void *slot, size_t index, void *out, unsigned variant);

struct tile_steps {
    tile_prepare *prepare;
    tile_fetch *fetch;
    tile_use *use;
};

/* Everything that the steps of a loop share; a constant but for the source. */
struct tile_loop {
    const void *self;
    struct hash_source *source;
    size_t count;
    unsigned char *slots;
    size_t slot_bytes;
    struct tile_steps steps;
    void *out;
    unsigned variant;
    enum hash_words words;
    const struct cmac_words *cmac;
    struct hash128 *ready;             /* TILE_SLOTS of other hashes, filled at once: one call for TILES tiles */
    const struct string_hash *strings; /* of WORDS_STRINGS, as what follows */
    const struct key_batch *keys;
    size_t width; /* of all of them; 0: keys of different lengths */
};

/* One whose hashes `fill` makes. */
INLINE struct tile_loop tile_loop_of(const void *self, struct hash_source *source, size_t count, void *slots,
                                     size_t slot_bytes, struct tile_steps steps, void *out, unsigned variant,
                                     struct hash128 ready[TILE_SLOTS])
{
    return (struct tile_loop){self,    source,     count, slots, slot_bytes, steps, out,
                              variant, WORDS_NONE, NULL,  ready, NULL,       NULL,  0};
}

INLINE unsigned char *tile_slots(const struct tile_loop *loop, size_t tile)
{
    return loop->slots + tile % TILES * TILE * loop->slot_bytes;
}

/* `count` strings of a tile, as an array: `copied` has room for them, where they are none yet. What an array points to
 * is fetched two tiles before it is hashed. */
INLINE const uf_key *tile_strings(const struct tile_loop *loop, size_t tile, size_t count, uf_key *copied)
{
    const uf_key *keys = (const uf_key *)loop->keys->at + tile * TILE;
    if (loop->keys->shape != KEYS_ARRAY) {
        batch_copy(loop->keys, tile * TILE, count, copied);
        return copied;
    }
    if ((tile + 2) * TILE + TILE <= loop->count)
        for (size_t i = 0; i < TILE; i++)
            prefetch_read(keys[2 * TILE + i].data);
    return keys;
}

/* Key i of a tile: of those of one width that start at `start`, or of `string`. */
INLINE struct hash128 tile_hash(const struct tile_loop *loop, const unsigned char *start, const uf_key *string,
                                size_t i, struct hash128 ready, uint64_t seed, int whole)
{
    if (loop->words == WORDS_STRINGS) { /* start and end of a loop are not worth a copy of the hash */
        uf_key key = loop->width ? (uf_key){start + loop->width * i, loop->width} : string[i];
        return whole ? string_hash(loop->strings, key) : hash_key(loop->source->hasher, key);
    }
#ifdef AES_INLINE
    if (loop->words == WORDS_CMAC)
        return cmac_word(loop->cmac, start + 8 * i);
#endif
    return loop->words == WORDS_XXH3 ? hash_word(start + 8 * i, seed) : ready;
}

/* Uses `old` keys of tile `tile` while it prepares and fetches `fresh` keys of tile + 2. whole: both are TILE. */
INLINE void tile_step(const struct tile_loop *loop, size_t tile, size_t old, size_t fresh, int whole)
{
    struct hash128 *hash = loop->ready + (tile + 2) % TILES * TILE;
    unsigned char *now = tile_slots(loop, tile), *next = tile_slots(loop, tile + 2);
    int strings = loop->words == WORDS_STRINGS && !loop->width;
    size_t width = loop->words == WORDS_STRINGS ? loop->width : 8;
    const unsigned char *start =
        loop->words && !strings ? (const unsigned char *)loop->source->at + (tile + 2) * TILE * width : NULL;
    uf_key copied[TILE];
    const uf_key *string = strings && fresh ? tile_strings(loop, tile + 2, fresh, copied) : NULL;
    uint64_t seed = loop->words == WORDS_XXH3 ? loop->source->hasher->seed : 0;
    if (!loop->words && fresh && !((tile + 2) % TILES)) {
        size_t left = loop->count - (tile + 2) * TILE;
        loop->source->fill(loop->source, hash, left < TILE_SLOTS ? left : TILE_SLOTS);
    }
    for (size_t i = 0; i < fresh || i < old; i++) {
        if (i < fresh)
            loop->steps.prepare(loop->self, tile_hash(loop, start, string, i, hash[i], seed, whole),
                                next + i * loop->slot_bytes, loop->variant);
        if (i < old)
            loop->steps.use(loop->self, now + i * loop->slot_bytes, tile * TILE + i, loop->out, loop->variant);
    }
    for (size_t i = 0; i < fresh; i++)
        loop->steps.fetch(loop->self, next + i * loop->slot_bytes, loop->variant);
}

/* How many of the `count` keys are in a tile. */
INLINE size_t tile_size(size_t count, size_t tile)
{
    size_t before = tile * TILE;
    return before >= count ? 0 : count - before < TILE ? count - before : TILE;
}

INLINE void tiles_go(const struct tile_loop *loop)
{
    size_t tile = 0, count = loop->count, full = count / TILE, start = (size_t)-2;
    /* Tiles -2 and -1 have no keys: they stand for the start, in which the first two tiles are only prepared. The empty
     * asm keeps gcc from writing them out, which took a third of the time to compile. */
    __asm__("" : "+r"(start));
    for (; start + 2 < 2; start++)
        tile_step(loop, start, 0, tile_size(count, start + 2), 0);
    for (; tile + 2 < full; tile++)
        tile_step(loop, tile, TILE, TILE, 1);
    for (; tile * TILE < count; tile++)
        tile_step(loop, tile, tile_size(count, tile), tile_size(count, tile + 2), 0);
}

/* The loop without a copy of a hash in it: all are made by `fill`, TILE_SLOTS at once. slots: TILE_SLOTS of them,
 * slot_bytes each. */
INLINE void tiles_ready(const void *self, struct hash_source *source, size_t count, void *slots, size_t slot_bytes,
                        struct tile_steps steps, void *out, unsigned variant)
{
    struct hash128 ready[TILE_SLOTS];
    struct tile_loop loop = tile_loop_of(self, source, count, slots, slot_bytes, steps, out, variant, ready);
    tiles_go(&loop);
}

/* A loop over strings; one of its own for those of one width, in which all that depends on the width is done once. */
INLINE void tiles_strings(struct tile_loop loop)
{
    struct key_batch keys = source_batch(loop.source);
    struct string_hash strings;
    string_hash_start(&strings, loop.source->hasher->seed);
    loop.words = WORDS_STRINGS;
    loop.strings = &strings;
    loop.keys = &keys;
    if (keys.shape == KEYS_FIXED && keys.width) {
        loop.width = keys.width;
        tiles_go(&loop);
    } else {
        loop.width = 0;
        tiles_go(&loop);
    }
    loop.source->at = batch_after(&keys, loop.count).at;
}

/* The loop with copies of those hashes that are worth it. */
INLINE void tiles_run(const void *self, struct hash_source *source, size_t count, void *slots, size_t slot_bytes,
                      struct tile_steps steps, void *out, unsigned variant)
{
    struct hash128 ready[TILE_SLOTS];
    struct tile_loop loop = tile_loop_of(self, source, count, slots, slot_bytes, steps, out, variant, ready);
    if (source->words == WORDS_XXH3) {
        loop.words = WORDS_XXH3;
        tiles_go(&loop);
        source->at = (const unsigned char *)source->at + 8 * count;
        return;
    }
    if (source->words == WORDS_STRINGS && count >= 3 * TILE) { /* from where there is a whole step */
        tiles_strings(loop);
        return;
    }
#ifdef AES_INLINE
    if (source->words == WORDS_CMAC) {
        struct cmac_words cmac;
        cmac_words_start(&source->hasher->prf.key, &cmac);
        loop.words = WORDS_CMAC;
        loop.cmac = &cmac;
        tiles_go(&loop);
        source->at = (const unsigned char *)source->at + 8 * count;
        return;
    }
#endif
    tiles_go(&loop);
}

/* ---- many lines per key ---- */

/*
 * The loop for kinds that touch many lines per key with little to do at each. A key is used, the lines of one that
 * comes later are fetched, and the next is prepared. Hashes are made TILE_SLOTS at a time by `fill`: in the loop they
 * would keep the multiplier from the positions, and have their loads wait behind the fetches. Measured for a classic
 * filter with k = 7 on a Neoverse-N1, ns per key: in cache 31, with the hash in the loop 44; over 119 MiB 70.5 and
 * 72.3; keys of 50 bytes in cache 49 and 71.
 */
enum { KEYS_AHEAD = 8, KEYS_RING = 16 };

INLINE void *ahead_slot(const struct tile_loop *loop, size_t index)
{
    return loop->slots + index % KEYS_RING * loop->slot_bytes;
}

INLINE void ahead_prepare(const struct tile_loop *loop, size_t index)
{
    size_t left = loop->count - index;
    if (!(index % TILE_SLOTS))
        loop->source->fill(loop->source, loop->ready, left < TILE_SLOTS ? left : TILE_SLOTS);
    loop->steps.prepare(loop->self, loop->ready[index % TILE_SLOTS], ahead_slot(loop, index), loop->variant);
}

/* slots: KEYS_RING of them, slot_bytes each. */
INLINE void tiles_ahead(const void *self, struct hash_source *source, size_t count, void *slots, size_t slot_bytes,
                        struct tile_steps steps, void *out, unsigned variant)
{
    struct hash128 ready[TILE_SLOTS];
    struct tile_loop loop = tile_loop_of(self, source, count, slots, slot_bytes, steps, out, variant, ready);
    size_t index = 0;
    for (size_t next = 0; next <= KEYS_AHEAD && next < count; next++) {
        ahead_prepare(&loop, next);
        if (next < KEYS_AHEAD)
            steps.fetch(self, ahead_slot(&loop, next), variant);
    }
    for (; index + KEYS_AHEAD + 1 < count; index++) {
        steps.use(self, ahead_slot(&loop, index), index, out, variant);
        steps.fetch(self, ahead_slot(&loop, index + KEYS_AHEAD), variant);
        ahead_prepare(&loop, index + KEYS_AHEAD + 1);
    }
    for (; index < count; index++)
        steps.use(self, ahead_slot(&loop, index), index, out, variant);
}

/* The same without fetches: a tile is prepared whole, then used whole, and the processor itself keeps as many loads in
 * flight as it can, which is enough for arrays in cache. */
INLINE void tiles_apart(const void *self, struct hash_source *source, size_t count, void *slots, size_t slot_bytes,
                        tile_prepare *prepare, tile_use *use, void *out, unsigned variant)
{
    struct hash128 hash[TILE_SLOTS];
    for (size_t first = 0; first < count; first += TILE_SLOTS) {
        size_t size = count - first < TILE_SLOTS ? count - first : TILE_SLOTS;
        source->fill(source, hash, size);
        for (size_t i = 0; i < size; i++)
            prepare(self, hash[i], (unsigned char *)slots + i * slot_bytes, variant);
        for (size_t i = 0; i < size; i++)
            use(self, (unsigned char *)slots + i * slot_bytes, first + i, out, variant);
    }
}

#endif
