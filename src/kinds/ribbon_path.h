/* SPDX-License-Identifier: MIT */
/*
 * Queries of a ribbon, for the files that have instructions for eight columns at once (core/linear_eight.h). A row
 * covers two or three segments; their bits never overlap in the first and the last of them:
 *
 *     slots of the row    start .......... 63 | 0 .......... start - 1       band = 64, offset of start in its segment
 *     coefficient turned  from offset on: the first segment | below it: the last one
 *
 * so one word has the coefficient of both, and one selection per column joins them before it is applied.
 */
#ifndef UF_RIBBON_PATH_H
#define UF_RIBBON_PATH_H

#include "filter.h"
#include "linear_eight.h"
#include "ribbon.h"
#include "tiles.h"

/* Of a filter, what queries need: in registers. */
struct view {
    const uint64_t *table, *words; /* words: of the first shard */
    uint32_t shards, columns, extra;
};

struct located {
    union {
        struct hash128 hash; /* of a key whose shard is not known yet */
        struct {
            uint64_t turned; /* the coefficient of the first and the last segment */
            uint64_t fingerprint;
        };
    };
    const uint64_t *at;                    /* column 0 of the first segment */
    uint64_t middle;                       /* band = 128: the coefficient of the segment between them */
    uint8_t offset, columns, second, last; /* second, last: how many words further those segments are */
};

INLINE struct view view_of(const struct uf_filter *filter)
{
    const struct ribbon *ribbon = CONST_PARAMS(struct ribbon, filter);
    return (struct view){filter_table(filter), filter->words + (size_t)ribbon->shards * RIBBON_TABLE_WORDS,
                         ribbon->shards, ribbon->columns, ribbon->extra};
}

INLINE void ask_for(const void *line)
{
    __builtin_prefetch(line);
    __asm__ volatile("" : : "r"(line)); /* an effect: without one the call would go */
}

/* Where a key's segments are, and where in them its row starts: as soon as that is known, the lines can be asked for.
 * Returns what the rest of the row follows from. */
INLINE uint64_t find_place(const struct view *view, struct hash128 hash, struct located *found, enum ribbon_width width)
{
    unsigned band = width == RIBBON_128 ? 128 : 64;
    struct ribbon_shard shard = ribbon_shard_at(view->table, shards_scale(hash.hi, view->shards));
    uint64_t u = ribbon_place_of(hash, shard.salt);
    uint32_t starts = shard.slots - band + 1, start = shards_scale(u, starts), g = start / 64, offset = start % 64;
    uint32_t first = ribbon_boundary(starts, view->extra) / 64, second = view->columns + (g >= first);
    uint32_t last = width == RIBBON_128 ? second + view->columns + (g + 1 >= first) : second;
    found->at = view->words + shard.offset + (g * view->columns + (g > first ? g - first : 0));
    found->offset = (uint8_t)offset;
    found->second = (uint8_t)second;
    found->last = (uint8_t)(offset ? last : 0); /* the row ends where a segment does, perhaps the last of all */
    return u;
}

/* The lines from the first word that is read to the last. Past the last column up to 7 more are read, and masked. */
INLINE void fetch_lines(const struct view *view, const struct located *found, enum ribbon_width width,
                        void (*fetch)(const void *))
{
    const uint64_t *at = found->at;
    const uint64_t *end = at + found->last + (width == RIBBON_NARROW ? 8 : (view->columns + 8) / 8 * 8);
    fetch(at);
    if (width == RIBBON_NARROW)
        fetch(at + 8); /* of 16 words at most */
    else
        for (const uint64_t *line = at + 8; line < end; line += 8)
            fetch(line);
    fetch(end - 1);
}

INLINE void find_row(const struct view *view, struct hash128 hash, uint64_t u, struct located *found,
                     enum ribbon_width width)
{
    struct ribbon_row row = ribbon_row_at(hash, u, 0, width == RIBBON_128 ? 128 : 64);
    unsigned offset = found->offset, back = -offset & 63;
    if (width == RIBBON_128) {
        back = 63 - offset;
        found->turned = row.c.lo << offset | row.c.hi >> 1 >> back;
        found->middle = row.c.hi << offset | row.c.lo >> 1 >> back;
    } else {
        found->turned = row.c.lo << offset | row.c.lo >> back;
    }
    found->fingerprint = row.fingerprint;
    found->columns = (uint8_t)(view->columns + (row.share > UINT32_MAX - view->extra));
}

/* The bits of columns j to j + 7 that are stored for a row. */
INLINE uint64_t stored_bits(const struct located *found, unsigned j, enum ribbon_width width)
{
    const uint64_t *at = found->at + j;
    uint64_t below = ~(UINT64_MAX << found->offset);
    struct linear_eight sum =
        linear_and8(linear_select8(below, linear_load8(at + found->last), linear_load8(at)), found->turned);
    if (width == RIBBON_128)
        sum = linear_xor8(sum, linear_and8(linear_load8(at + found->second), found->middle));
    return linear_parity8(sum);
}

INLINE int matches(const struct located *found, enum ribbon_width width)
{
    uint64_t wrong = 0;
    if (width == RIBBON_NARROW)
        return !((stored_bits(found, 0, width) ^ found->fingerprint) << (64 - found->columns));
    for (unsigned j = 0; j < found->columns; j += 8)
        wrong |= (stored_bits(found, j, width) ^ (found->fingerprint >> j & 255)) << j;
    return !(wrong & ((UINT64_C(1) << found->columns) - 1));
}

/* ---- one by one ---- */

INLINE int query(const struct uf_filter *filter, struct hash128 hash, enum ribbon_width width)
{
    struct view view = view_of(filter);
    struct located found;
    uint64_t u = find_place(&view, hash, &found, width);
    fetch_lines(&view, &found, width, ask_for);
    __asm__ volatile("" : "+r"(u)); /* the rest comes later, where it does not hold up the lines of the next query */
    find_row(&view, hash, u, &found, width);
    return matches(&found, width);
}

/* ---- many: first the shards of a whole tile are asked for, then its lines ---- */

INLINE void prepare(const void *self, struct hash128 hash, void *slot, unsigned width)
{
    const struct view *view = self;
    (void)width;
    ((struct located *)slot)->hash = hash;
    __builtin_prefetch(view->table + (size_t)shards_scale(hash.hi, view->shards) * RIBBON_TABLE_WORDS);
}

/* The slot is the loop's own scratch: here it gets the row in place of the hash. */
INLINE void fetch(const void *self, const void *slot, unsigned width)
{
    struct located *found = (struct located *)slot;
    struct hash128 hash = found->hash;
    uint64_t u = find_place(self, hash, found, (enum ribbon_width)width);
    fetch_lines(self, found, (enum ribbon_width)width, prefetch_read);
    find_row(self, hash, u, found, (enum ribbon_width)width);
}

INLINE void test(const void *self, const void *slot, size_t index, void *out, unsigned width)
{
    (void)self;
    ((uint8_t *)out)[index] = (uint8_t)matches(slot, (enum ribbon_width)width);
}

INLINE void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers,
                       enum ribbon_width width)
{
    struct located slots[TILE_SLOTS];
    struct view view = view_of(filter);
    struct tile_steps steps = {prepare, fetch, test};
    tiles_run(&view, source, count, slots, sizeof slots[0], steps, answers, width);
}

/* ---- the calls of each width ---- */

#define RIBBON_CALLS(name, width)                                                                           \
    static int query_##name(const struct uf_filter *filter, struct hash128 hash)                            \
    {                                                                                                       \
        return query(filter, hash, width);                                                                  \
    }                                                                                                       \
    static __attribute__((noinline)) int query_other_##name(const struct uf_filter *filter, uf_key key)     \
    {                                                                                                       \
        return query(filter, string_hash(&filter->string, key), width);                                     \
    }                                                                                                       \
    static int query_key_##name(const struct uf_filter *filter, uf_key key)                                 \
    {                                                                                                       \
        if (key.size != 8)                                                                                  \
            return query_other_##name(filter, key);                                                         \
        return query(filter, word_hash(&filter->word, key.data), width);                                    \
    }                                                                                                       \
    static void query_many_##name(const struct uf_filter *filter, struct hash_source *source, size_t count, \
                                  uint8_t *answers)                                                         \
    {                                                                                                       \
        query_many(filter, source, count, answers, width);                                                  \
    }

RIBBON_CALLS(narrow, RIBBON_NARROW)
RIBBON_CALLS(64, RIBBON_64)
RIBBON_CALLS(128, RIBBON_128)

#define RIBBON_PATH(name)                                                                     \
    {                                                                                         \
        .query = query_##name, .query_many = query_many_##name, .query_key = query_key_##name \
    }
#define RIBBON_PATHS                                           \
    {                                                          \
        RIBBON_PATH(narrow), RIBBON_PATH(64), RIBBON_PATH(128) \
    }

#endif
