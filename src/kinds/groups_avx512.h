/* SPDX-License-Identifier: MIT */
/*
 * The batched loop on AVX-512: keys in groups of eight, which are hashed at once. While a group is used, the lines of a
 * group some groups later are fetched, and the group after that is hashed and prepared, so that no fetch waits for a
 * hash. Fetches and uses take turns. Measured for blocked on an Emerald Rapids server over 119 MiB: 6.6 to 7.1 ns per
 * key so, 7.6 with eight fetches in a row, 8.5 with tiles of 64 keys, 10.1 with the tiles of the other paths (tiles.h).
 */
#ifndef UF_GROUPS_AVX512_H
#define UF_GROUPS_AVX512_H

#include "hash_avx512.h"
#include "tiles.h"

/* As tile_prepare, for the slots of a whole group. */
typedef void group_prepare(const void *self, struct hashes8 hash, void *slots, unsigned variant);

struct group_steps {
    group_prepare *prepare;
    tile_fetch *fetch;
    tile_use *use;
};

/* Everything but the source is a constant. */
struct group_loop {
    const void *self;
    struct hash_source *source;
    size_t count;
    unsigned char *slots;
    size_t group_bytes, slot_bytes; /* of the slots of a group, and from one key's to the next one's */
    size_t ahead, ring;             /* groups: between fetch and use, and in `slots`: a power of two above ahead + 1 */
    struct group_steps steps;
    void *out;
    unsigned variant;
    size_t keys_ahead; /* of stream8 */
};

INLINE unsigned char *group_slots(const struct group_loop *loop, size_t group)
{
    return loop->slots + group % loop->ring * loop->group_bytes;
}

/* left: how many keys of the group there are. */
INLINE void group_hash(const struct group_loop *loop, struct stream8 *stream, size_t group, size_t left,
                       enum hash_words words)
{
    loop->steps.prepare(loop->self, stream8_next(stream, group, left, words), group_slots(loop, group), loop->variant);
}

INLINE unsigned char *group_slot(const struct group_loop *loop, size_t index)
{
    return group_slots(loop, index / LANES8) + index % LANES8 * loop->slot_bytes;
}

INLINE void group_fetch(const struct group_loop *loop, const unsigned char *slot)
{
    loop->steps.fetch(loop->self, slot, loop->variant);
}

INLINE void group_use(const struct group_loop *loop, const unsigned char *slot, size_t index)
{
    loop->steps.use(loop->self, slot, index, loop->out, loop->variant);
}

/* Uses a group and fetches a later one, in turns. */
INLINE void group_turns(const struct group_loop *loop, size_t group)
{
    const unsigned char *now = group_slots(loop, group), *later = group_slots(loop, group + loop->ahead);
    for (unsigned i = 0; i < LANES8; i++) {
        group_fetch(loop, later + i * loop->slot_bytes);
        group_use(loop, now + i * loop->slot_bytes, group * LANES8 + i);
    }
}

/* words: WORDS_XXH3, or another constant for sources whose hashes `fill` makes. */
INLINE void groups_run(const struct group_loop *loop, enum hash_words words)
{
    _Alignas(64) struct hash128 ready[GROUPS8 * LANES8];
    struct stream8 stream = stream8_start(loop->source, loop->count, ready, loop->keys_ahead, words);
    size_t count = loop->count, ahead = loop->ahead, whole = count / LANES8, groups = (count + LANES8 - 1) / LANES8;
    size_t group = 0, fetched = 0, used;
    for (size_t g = 0; g <= ahead && g < groups; g++)
        group_hash(loop, &stream, g, count - g * LANES8, words);
    for (; fetched < ahead * LANES8 && fetched < count; fetched++)
        group_fetch(loop, group_slot(loop, fetched));
    for (; group + ahead + 1 < whole; group++) {
        group_hash(loop, &stream, group + ahead + 1, LANES8, words);
        group_turns(loop, group);
    }
    if (group + ahead + 1 < groups)
        group_hash(loop, &stream, group + ahead + 1, count % LANES8, words);
    for (fetched += group * LANES8; fetched < count; fetched++)
        group_fetch(loop, group_slot(loop, fetched));
    for (used = group * LANES8; used < count; used++)
        group_use(loop, group_slot(loop, used), used);
    stream8_end(&stream, words);
}

#endif
