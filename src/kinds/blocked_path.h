/* SPDX-License-Identifier: MIT */
/*
 * Turns a path's `contains` and `add` into its two sets of calls, for k = 8 and k = 16. Included once by each
 * file of a path, after it defined, for a k that is a constant at every call:
 *
 *     INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k);
 *     INLINE void add(uint64_t *block, uint64_t lo, unsigned k);
 */
INLINE void test(const void *self, const void *slot, size_t index, void *out, unsigned k)
{
    const struct blocked_slot *found = slot;
    (void)self;
    ((uint8_t *)out)[index] = (uint8_t)contains(found->block, found->lo, k);
}

INLINE void set(const void *self, const void *slot, size_t index, void *out, unsigned k)
{
    const struct blocked_slot *found = slot;
    (void)self, (void)index, (void)out;
    add(found->block, found->lo, k);
}

INLINE void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers,
                       unsigned k)
{
    struct blocked_slot slots[TILE_SLOTS];
    struct blocked_view view = blocked_view_of(filter);
    struct tile_steps steps = {blocked_prepare, blocked_fetch_to_read, test};
    tiles_run(&view, source, count, slots, sizeof slots[0], steps, answers, k);
}

INLINE void insert_many(struct uf_filter *filter, struct hash_source *source, size_t count, unsigned k)
{
    struct blocked_slot slots[TILE_SLOTS];
    struct blocked_view view = blocked_view_of(filter);
    struct tile_steps steps = {blocked_prepare, blocked_fetch_to_write, set};
    tiles_run(&view, source, count, slots, sizeof slots[0], steps, NULL, k);
}

INLINE void apply(struct uf_filter *filter, const struct item *items, size_t count, unsigned k)
{
    for (size_t i = 0; i < count; i += TILE) {
        size_t end = count - i < TILE ? count : i + TILE;
        for (size_t j = i; j < end; j++)
            prefetch_write(filter->words + items[j].place * BLOCK_WORDS);
        for (size_t j = i; j < end; j++)
            add(filter->words + items[j].place * BLOCK_WORDS, items[j].what, k);
    }
}

static int query_8(const struct uf_filter *filter, struct hash128 hash)
{
    struct blocked_view view = blocked_view_of(filter);
    return contains(blocked_find(&view, hash.hi), hash.lo, 8);
}

static int query_16(const struct uf_filter *filter, struct hash128 hash)
{
    struct blocked_view view = blocked_view_of(filter);
    return contains(blocked_find(&view, hash.hi), hash.lo, 16);
}

static void query_many_8(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    query_many(filter, source, count, answers, 8);
}

static void query_many_16(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    query_many(filter, source, count, answers, 16);
}

static void insert_many_8(struct uf_filter *filter, struct hash_source *source, size_t count)
{
    insert_many(filter, source, count, 8);
}

static void insert_many_16(struct uf_filter *filter, struct hash_source *source, size_t count)
{
    insert_many(filter, source, count, 16);
}

static void apply_8(struct uf_filter *filter, const struct item *items, size_t count)
{
    apply(filter, items, count, 8);
}

static void apply_16(struct uf_filter *filter, const struct item *items, size_t count)
{
    apply(filter, items, count, 16);
}

#define BLOCKED_PATHS                                         \
    {                                                         \
        {query_8, query_many_8, insert_many_8, apply_8},      \
        {                                                     \
            query_16, query_many_16, insert_many_16, apply_16 \
        }                                                     \
    }
