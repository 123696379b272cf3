/* SPDX-License-Identifier: MIT */
/*
 * Turns a path's `contains` and `insert` into its two sets of calls, for k = 8 and k = 16. Included once by each
 * file of a path, after it defined, for a k that is a constant at every call:
 *
 *     INLINE int contains(const uint64_t *block, uint64_t lo, unsigned k);
 *     INLINE int insert(uint64_t *block, uint64_t lo, unsigned k);       1 when one of its bits was not set
 *     INLINE uint64_t growth(const uint64_t *block, uint64_t lo, unsigned k, double scale);     as blocked_growth
 *
 * and perhaps BLOCKED_LOOP, the name of a blocked_loop of its own (blocked.h); BLOCKED_PAIRS where blocked_pairs.h
 * takes keys of 8 bytes; BLOCKED_ALONE with contains_alone and insert_alone for one key; and BLOCKED_WITHIN with an
 * insert_spare of its own, instead of growth.
 */
#ifndef BLOCKED_LOOP
#define BLOCKED_LOOP blocked_tiles
#endif
#ifndef BLOCKED_ALONE
#define contains_alone contains
#define insert_alone insert
#endif

INLINE void test(const void *self, const void *slot, size_t index, void *out, unsigned k)
{
    const struct blocked_slot *found = slot;
    (void)self;
    ((uint8_t *)out)[index] = (uint8_t)contains(found->block, found->lo, k);
}

/* out: NULL, or the verdicts. */
INLINE void set(const void *self, const void *slot, size_t index, void *out, unsigned k)
{
    const struct blocked_slot *found = slot;
    (void)self;
    int fresh = insert(found->block, found->lo, k);
    if (out)
        ((int8_t *)out)[index] = (int8_t)fresh;
}

#ifdef BLOCKED_PAIRS
/* 1 when the keys are numbers and it is done. */
INLINE int run_pairs(struct blocked_view view, struct hash_source *source, size_t count, struct pair_steps steps,
                     void *out, unsigned k)
{
    struct pair_loop loop = {view, {0}, source->at, out};
    if (source->words != WORDS_XXH3)
        return 0;
    word_hash_start(&loop.hash, source->hasher->seed);
    pairs_run(&loop, steps, count, k);
    source->at = loop.keys + 8 * count;
    return 1;
}
#endif

INLINE void query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers,
                       unsigned k)
{
    struct blocked_view view = blocked_view_of(filter);
    struct tile_steps steps = {blocked_prepare, blocked_fetch_to_read, test};
#ifdef BLOCKED_PAIRS
    if (run_pairs(view, source, count, (struct pair_steps){blocked_fetch_to_read, pair_test, test}, answers, k))
        return;
#endif
    BLOCKED_LOOP(&view, source, count, steps, answers, k);
}

INLINE void add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict, unsigned k)
{
#ifdef BLOCKED_PAIRS
    struct blocked_view view = blocked_view_of(filter);
    struct pair_steps steps = {blocked_fetch_to_write, pair_set, set};
    if (verdict ? run_pairs(view, source, count, steps, verdict, k) : run_pairs(view, source, count, steps, NULL, k))
        return;
#endif
    blocked_run_adds(filter, source, count, verdict, set, BLOCKED_LOOP, k);
}

/* What an insert within what is spare needs to know. */
struct within {
    struct blocked_view view; /* first: blocked_prepare knows only this */
    struct spare *spare;
    double scale;
};

INLINE struct within within_of(struct uf_filter *filter, struct spare *spare)
{
    return (struct within){blocked_view_of(filter), spare, CONST_PARAMS(struct blocked, filter)->scale};
}

#ifndef BLOCKED_WITHIN
INLINE int insert_spare(uint64_t *block, uint64_t lo, unsigned k, double scale, struct spare *spare)
{
    if (contains(block, lo, k))
        return 0;
    if (!spare_take(spare, growth(block, lo, k, scale), 0))
        return UF_EFULL;
    return insert(block, lo, k);
}
#endif

INLINE void set_within(const void *self, const void *slot, size_t index, void *out, unsigned k)
{
    const struct blocked_slot *found = slot;
    const struct within *within = self;
    ((int8_t *)out)[index] = (int8_t)insert_spare(found->block, found->lo, k, within->scale, within->spare);
}

INLINE void add_within(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                       struct spare *spare, unsigned k)
{
    struct within self = within_of(filter, spare);
    struct tile_steps steps = {blocked_prepare, blocked_fetch_to_write, set_within};
    if (filter->shared)
        blocked_add_locked(filter, source, count, verdict, spare);
    else if (source->words == WORDS_STRINGS) /* gain nothing from a copy of the hash */
        blocked_tiles_ready(&self, source, count, steps, verdict, k);
    else
        BLOCKED_LOOP(&self, source, count, steps, verdict, k);
}

INLINE int add_one_within(struct uf_filter *filter, struct hash128 hash, struct spare *spare, unsigned k)
{
    struct blocked_view view = blocked_view_of(filter);
    if (filter->shared)
        return blocked_add_one_locked(filter, hash, spare);
    return insert_spare(blocked_find(&view, hash.hi), hash.lo, k, CONST_PARAMS(struct blocked, filter)->scale, spare);
}

INLINE void *find_item(const void *words, const struct item *item)
{
    return (uint64_t *)words + item->place * BLOCK_WORDS;
}

INLINE void use_item(const void *words, const struct item *item, unsigned k)
{
    (void)insert(find_item(words, item), item->what, k);
}

INLINE void apply(struct uf_filter *filter, const struct item *items, size_t count, unsigned k)
{
    apply_run(filter->words, items, count, find_item, use_item, k);
}

static int query_8(const struct uf_filter *filter, struct hash128 hash)
{
    struct blocked_view view = blocked_view_of(filter);
    return contains_alone(blocked_find(&view, hash.hi), hash.lo, 8);
}

static int query_16(const struct uf_filter *filter, struct hash128 hash)
{
    struct blocked_view view = blocked_view_of(filter);
    return contains_alone(blocked_find(&view, hash.hi), hash.lo, 16);
}

/* ---- one key, which is hashed here: keys of other sizes leave by a call of their own, so that a number is asked for
 * in 40 instructions without a frame. On a Neoverse-N1, whose reorder buffer has 128 entries, three queries are in
 * flight at a time. ---- */

struct blocked_place {
    uint64_t *block;
    uint64_t lo;
};

/* What a query loads before its block: the handle's in pairs, and nothing moved to make place. */
INLINE void load_word(const struct uf_filter *filter, const void *data, struct blocked_view *view,
                      struct word_hash *with, uint64_t *word)
{
#if defined(__aarch64__)
    _Static_assert(offsetof(struct uf_filter, params) == offsetof(struct uf_filter, words) + 8,
                   "words and blocks are a pair");
    register const struct uf_filter *self __asm__("x0") = filter; /* where they come in */
    register const void *key __asm__("x1") = data;
    __asm__("ldp %1, %2, [%7, %9]\n\tldp %3, %4, [%7, %10]\n\tldp %5, %6, [%7, %11]\n\tldr %0, [%8]"
            : "=r"(*word), "=&r"(with->flip), "=&r"(with->prime), "=&r"(with->mix), "=&r"(with->avalanche),
              "=&r"(view->words), "=&r"(view->blocks)
            : "r"(self), "r"(key), "i"(offsetof(struct uf_filter, word.flip)),
              "i"(offsetof(struct uf_filter, word.mix)), "i"(offsetof(struct uf_filter, words)), "m"(*filter),
              "m"(*(const unsigned char(*)[8])data));
#else
    *view = blocked_view_of(filter);
    *with = filter->word;
    memcpy(word, data, sizeof *word);
#endif
}

INLINE struct blocked_place place_word(const struct uf_filter *filter, const void *data)
{
    struct blocked_view view;
    struct word_hash with;
    uint64_t word;
    load_word(filter, data, &view, &with, &word);
    struct hash128 hash = word_hash(&with, &word);
    uint64_t *block = blocked_find(&view, hash.hi);
    __asm__("" : "+r"(block)); /* one address: loads in pairs */
    return (struct blocked_place){block, hash.lo};
}

INLINE int query_word(const struct uf_filter *filter, const void *data, unsigned k)
{
    struct blocked_place at = place_word(filter, data);
    return contains_alone(at.block, at.lo, k);
}

INLINE int add_word(const struct uf_filter *filter, const void *data, unsigned k)
{
    struct blocked_place at = place_word(filter, data);
    return insert_alone(at.block, at.lo, k);
}

static __attribute__((noinline)) int query_other_8(const struct uf_filter *filter, uf_key key)
{
    return query_8(filter, string_hash(&filter->string, key));
}

static __attribute__((noinline)) int query_other_16(const struct uf_filter *filter, uf_key key)
{
    return query_16(filter, string_hash(&filter->string, key));
}

static int query_key_8(const struct uf_filter *filter, uf_key key)
{
    return key.size == 8 ? query_word(filter, key.data, 8) : query_other_8(filter, key);
}

static int query_key_16(const struct uf_filter *filter, uf_key key)
{
    return key.size == 8 ? query_word(filter, key.data, 16) : query_other_16(filter, key);
}

/* A PRF, and the test behind it without a call of its own: three calls by pointer in a row cost 4 ns more than two. */
static int query_keyed_8(const struct uf_filter *filter, uf_key key)
{
    return query_8(filter, hash_keyed(&filter->hasher, key));
}

static int query_keyed_16(const struct uf_filter *filter, uf_key key)
{
    return query_16(filter, hash_keyed(&filter->hasher, key));
}

static int add_8(struct uf_filter *filter, struct hash128 hash)
{
    struct blocked_view view = blocked_view_of(filter);
    return insert_alone(blocked_find(&view, hash.hi), hash.lo, 8);
}

static int add_16(struct uf_filter *filter, struct hash128 hash)
{
    struct blocked_view view = blocked_view_of(filter);
    return insert_alone(blocked_find(&view, hash.hi), hash.lo, 16);
}

static __attribute__((noinline)) int add_other_8(struct uf_filter *filter, uf_key key)
{
    return add_8(filter, string_hash(&filter->string, key));
}

static __attribute__((noinline)) int add_other_16(struct uf_filter *filter, uf_key key)
{
    return add_16(filter, string_hash(&filter->string, key));
}

static int add_key_8(struct uf_filter *filter, uf_key key, uf_error *why)
{
    (void)why;
    return key.size == 8 ? add_word(filter, key.data, 8) : add_other_8(filter, key);
}

static int add_key_16(struct uf_filter *filter, uf_key key, uf_error *why)
{
    (void)why;
    return key.size == 8 ? add_word(filter, key.data, 16) : add_other_16(filter, key);
}

static void query_many_8(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    query_many(filter, source, count, answers, 8);
}

static void query_many_16(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    query_many(filter, source, count, answers, 16);
}

static void add_many_8(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    add_many(filter, source, count, verdict, 8);
}

static void add_many_16(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    add_many(filter, source, count, verdict, 16);
}

static void apply_8(struct uf_filter *filter, const struct item *items, size_t count)
{
    apply(filter, items, count, 8);
}

static void apply_16(struct uf_filter *filter, const struct item *items, size_t count)
{
    apply(filter, items, count, 16);
}

static void add_within_8(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                         struct spare *spare)
{
    add_within(filter, source, count, verdict, spare, 8);
}

static void add_within_16(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                          struct spare *spare)
{
    add_within(filter, source, count, verdict, spare, 16);
}

static int add_one_within_8(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    return add_one_within(filter, hash, spare, 8);
}

static int add_one_within_16(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    return add_one_within(filter, hash, spare, 16);
}

#define BLOCKED_PATH(k)                                                                                  \
    {                                                                                                    \
        query_##k, query_many_##k, add_many_##k, add_##k, apply_##k, add_within_##k, add_one_within_##k, \
            query_key_##k, add_key_##k, query_keyed_##k                                                  \
    }

#define BLOCKED_PATHS                     \
    {                                     \
        BLOCKED_PATH(8), BLOCKED_PATH(16) \
    }
