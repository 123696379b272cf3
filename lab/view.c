/* SPDX-License-Identifier: MIT */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "murmur.h"
#include "refuse.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define ODD UINT64_C(0x9e3779b97f4a7c15)

enum { HEADER_BYTES = 4096, BLOCK_WORDS = 8, BLOCK_BITS = 512 };

/* ---- from the file ---- */

/* The bytes of a file go by; those of its payload are kept. */
struct reading {
    uint64_t *words, at, end;
};

static int keep(void *arg, const void *data, size_t bytes)
{
    struct reading *reading = arg;
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++, reading->at++)
        if (reading->at >= HEADER_BYTES && reading->at < reading->end)
            reading->words[(reading->at - HEADER_BYTES) / 8] |= (uint64_t)byte[i] << 8 * (reading->at % 8);
    return 0;
}

static int allocate(uint64_t **words, size_t count, uf_error *why)
{
    *words = calloc(count + 1, sizeof **words);
    return *words ? UF_OK : refuse(why, UF_ENOMEM, "no memory for the attacker's copy");
}

int view_payload(const uf_filter *filter, uint64_t **words, size_t *count, uf_error *why)
{
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    struct reading reading = {NULL, 0, HEADER_BYTES + info.bytes};
    int status = allocate(&reading.words, (size_t)info.bytes / 8, why);
    if (status == UF_OK)
        status = uf_write(filter, UF_FORMAT_UF, keep, &reading, why);
    if (status != UF_OK) {
        free(reading.words);
        return status;
    }
    *words = reading.words;
    *count = (size_t)info.bytes / 8;
    return UF_OK;
}

/* A number of the plan; 0 when it has none. Seeds have too many digits for a double. */
static uint64_t plan_number(const uf_spec *plan, const char *name)
{
    char wanted[32];
    (void)snprintf(wanted, sizeof wanted, "%s=", name);
    for (const char *at = strpbrk(plan->text, ":,"); at; at = strpbrk(at + 1, ":,"))
        if (!strncmp(at + 1, wanted, strlen(wanted)))
            return !strncmp(at + 1 + strlen(wanted), "0x", 2) ? strtoull(at + 1 + strlen(wanted), NULL, 16)
                                                              : (uint64_t)strtod(at + 1 + strlen(wanted), NULL);
    return 0;
}

/* The kind inside keyed(...), if it is that. */
static int is_kind(const uf_spec *plan, const char *kind)
{
    const char *at = plan->text;
    if (!strncmp(at, "keyed(", 6))
        at += 6;
    return !strncmp(at, kind, strlen(kind)) && at[strlen(kind)] == ':';
}

static void shape_partitions(struct view *view, unsigned cell)
{
    uint64_t per_word = 64 / cell;
    view->scheme = VIEW_PARTITIONS;
    view->cell = cell;
    view->units = view->bits / cell / view->k;
    view->stride = (view->units + per_word - 1) / per_word * per_word;
}

static int read_shape(const uf_spec *plan, struct view *out, uf_error *why)
{
    out->bits = plan_number(plan, "bits");
    out->k = (unsigned)plan_number(plan, "k");
    out->seed = plan_number(plan, "seed");
    int known = out->bits && out->k && out->k <= VIEW_MOST_K;
    if (known && is_kind(plan, "blocked")) {
        out->scheme = VIEW_BLOCKS;
        out->cell = 1;
        out->units = out->bits / BLOCK_BITS;
    } else if (known && (is_kind(plan, "bloom") || is_kind(plan, "ultra")))
        shape_partitions(out, 1);
    else if (known && is_kind(plan, "counting"))
        shape_partitions(out, 4);
    else
        return refuse(why, UF_EINVAL, "the attackers know the kinds bloom, ultra, blocked and counting only");
    return UF_OK;
}

int view_of_filter(const uf_filter *filter, uint64_t made_up, struct view *out, uf_error *why)
{
    uf_spec plan;
    struct view view = {.words = NULL};
    uf_get_plan(filter, &plan);
    int status = read_shape(&plan, &view, why);
    if (status == UF_OK)
        status = view_payload(filter, &view.words, &view.word_count, why);
    if (status != UF_OK)
        return status;
    if (!strncmp(plan.text, "keyed(", 6))
        view.seed = made_up;
    *out = view;
    return UF_OK;
}

int view_of_redis(uint64_t m, unsigned k, const uint64_t *words, struct view *out, uf_error *why)
{
    struct view view = {
        .scheme = VIEW_REDIS, .units = m, .cell = 1, .k = k, .bits = m, .word_count = (size_t)(m + 63) / 64};
    int status = allocate(&view.words, view.word_count, why);
    if (status != UF_OK)
        return status;
    if (words)
        memcpy(view.words, words, 8 * view.word_count);
    *out = view;
    return UF_OK;
}

void view_free(struct view *view)
{
    free(view->words);
    view->words = NULL;
}

/* ---- where the bits of an item are ---- */

struct view_hash view_hash_key(const struct view *view, uf_key key)
{
    XXH128_hash_t hash = XXH3_128bits_withSeed(key.data, key.size, view->seed);
    return (struct view_hash){hash.low64, hash.high64};
}

struct view_hash view_hash(const struct view *view, const struct item *item)
{
    if (view->scheme == VIEW_REDIS) {
        uint64_t a = murmur64(item->bytes, ITEM_BYTES, MURMUR_PUBLIC_SEED);
        return (struct view_hash){a, murmur64(item->bytes, ITEM_BYTES, a)};
    }
    return view_hash_key(view, (uf_key){item->bytes, ITEM_BYTES});
}

static uint64_t high_half(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), left = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t right = (a & UINT32_MAX) * (b >> 32) + (left & UINT32_MAX);
    return (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);
#endif
}

static uint64_t scramble(struct view_hash hash, unsigned j)
{
    uint64_t x = hash.lo + j * (hash.hi | 1);
    return (x ^ x >> 32) * ODD;
}

static uint64_t in_partition(const struct view *view, struct view_hash hash, unsigned i)
{
    if (view->units >= UINT64_C(1) << 28)
        return high_half(scramble(hash, i), view->units);
    uint64_t half = scramble(hash, i / 2) >> (i % 2 ? 0 : 32) & UINT32_MAX;
    return half * view->units >> 32;
}

/* k = 8: byte i of lo names a bit of word i. k = 16: lanes are halves of words, and the second eight bytes are mixed.
 */
static uint64_t in_block(const struct view *view, struct view_hash hash, unsigned i)
{
    uint64_t more = hash.lo * ODD;
    more ^= more >> 32;
    uint64_t byte = (i < 8 ? hash.lo : more) >> 8 * (i % 8);
    return view->k == 8 ? 64 * i + (byte & 63) : 32 * i + (byte & 31);
}

uint64_t view_position(const struct view *view, struct view_hash hash, unsigned i)
{
    switch (view->scheme) {
    case VIEW_PARTITIONS:
        return i * view->stride + in_partition(view, hash, i);
    case VIEW_BLOCKS:
        return high_half(hash.hi, view->units) * BLOCK_BITS + in_block(view, hash, i);
    default:
        return (hash.lo + i * hash.hi) % view->units;
    }
}

/* ---- what an attacker asks ---- */

unsigned view_fresh(const struct view *view, const struct item *item, unsigned least)
{
    struct view_hash hash = view_hash(view, item);
    unsigned fresh = 0;
    for (unsigned i = 0; i < view->k && fresh + (view->k - i) >= least; i++)
        fresh += !view_bit(view, view_position(view, hash, i));
    return fresh;
}

/* A position can only be that of its own partition or lane. */
int view_touches(const struct view *view, const struct item *item, uint64_t position)
{
    struct view_hash hash = view_hash(view, item);
    if (view->scheme == VIEW_PARTITIONS)
        return view_position(view, hash, (unsigned)(position / view->stride)) == position;
    if (view->scheme == VIEW_BLOCKS)
        return view_position(view, hash, (unsigned)(position % BLOCK_BITS * view->k / BLOCK_BITS)) == position;
    for (unsigned i = 0; i < view->k; i++)
        if (view_position(view, hash, i) == position)
            return 1;
    return 0;
}

int view_has(const struct view *view, const struct item *item)
{
    struct view_hash hash = view_hash(view, item);
    for (unsigned i = 0; i < view->k; i++)
        if (!view_bit(view, view_position(view, hash, i)))
            return 0;
    return 1;
}

unsigned view_set(struct view *view, const struct item *item)
{
    struct view_hash hash = view_hash(view, item);
    unsigned fresh = 0;
    for (unsigned i = 0; i < view->k; i++) {
        uint64_t position = view_position(view, hash, i);
        fresh += !view_bit(view, position);
        view->words[position / 64] |= UINT64_C(1) << position % 64;
    }
    return fresh;
}

uint64_t view_ones(const struct view *view)
{
    uint64_t ones = 0;
    for (size_t i = 0; i < view->word_count; i++)
        ones += (uint64_t)__builtin_popcountll(view->words[i]);
    return ones;
}
