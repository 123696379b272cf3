/* SPDX-License-Identifier: MIT */
/*
 * A universe that is a list of keys of any bytes. The keys are copied one behind the other, sorted by bytes and each
 * kept once, so that the ranks do not depend on the order in which the keys came. 24 bytes per key beside the keys, and
 * 16 more while sorting.
 */
#include "universe.h"

#include <stdio.h>
#include <string.h>

#include "status.h"

static uint64_t prefix_of(uf_key key)
{
    unsigned char first[8] = {0};
    uint64_t prefix = 0;
    if (key.size)
        memcpy(first, key.data, key.size < 8 ? key.size : 8);
    for (unsigned i = 0; i < 8; i++)
        prefix = prefix << 8 | first[i];
    return prefix;
}

static uf_key key_at(const uf_universe *universe, size_t at)
{
    uf_key key;
    memcpy(&key.size, universe->bytes + at, sizeof key.size);
    key.data = universe->bytes + at + sizeof key.size;
    return key;
}

/* Byte order; a key comes before those that it begins. */
static int compare_bytes(uf_key a, uf_key b)
{
    size_t both = a.size < b.size ? a.size : b.size;
    int order = both ? memcmp(a.data, b.data, both) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare(const uf_universe *universe, const struct listed *a, const struct listed *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    return compare_bytes(key_at(universe, a->at), key_at(universe, b->at));
}

uf_key listed_key(const uf_universe *universe, uint64_t rank)
{
    return key_at(universe, universe->listed[rank].at);
}

int listed_rank(const uf_universe *universe, uf_key key, uint64_t *rank)
{
    uint64_t prefix = prefix_of(key), low = 0, high = universe->size;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const struct listed *listed = &universe->listed[middle];
        int order = listed->prefix != prefix ? (listed->prefix < prefix ? -1 : 1)
                                             : compare_bytes(key_at(universe, listed->at), key);
        if (!order) {
            *rank = middle;
            return 1;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Two sorted runs that lie one behind the other, into `out`. */
static void merge(const uf_universe *universe, const struct listed *left, size_t lefts, size_t rights,
                  struct listed *out)
{
    const struct listed *right = left + lefts;
    size_t i = 0, j = 0;
    while (i < lefts || j < rights) {
        int take_left = j == rights || (i < lefts && compare(universe, &left[i], &right[j]) <= 0);
        *out++ = take_left ? left[i++] : right[j++];
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int sort(uf_universe *universe)
{
    size_t count = universe->capacity;
    struct listed *from = universe->listed, *to = mem_alloc_dirty(&universe->mem, count, sizeof *to);
    if (!to)
        return UF_ENOMEM;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t lefts = least(run, count - at), rights = least(run, count - at - lefts);
            merge(universe, from + at, lefts, rights, to + at);
        }
        struct listed *swap = from;
        from = to;
        to = swap;
    }
    universe->listed = from;
    mem_free(&universe->mem, to, count, sizeof *to);
    return UF_OK;
}

static void keep_each_once(uf_universe *universe)
{
    size_t kept = 1;
    for (size_t i = 1; i < universe->capacity; i++)
        if (compare(universe, &universe->listed[kept - 1], &universe->listed[i]))
            universe->listed[kept++] = universe->listed[i];
    universe->size = kept;
}

/* 0 when the lengths do not add up to a size_t. */
static int add_lengths(const uf_key *keys, size_t count, size_t *out)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        if (__builtin_add_overflow(total, keys[i].size, &total) ||
            __builtin_add_overflow(total, sizeof(size_t), &total))
            return 0;
    *out = total;
    return 1;
}

static void copy_keys(uf_universe *universe, const uf_key *keys)
{
    size_t at = 0;
    for (size_t i = 0; i < universe->capacity; i++) {
        universe->listed[i] = (struct listed){prefix_of(keys[i]), at};
        memcpy(universe->bytes + at, &keys[i].size, sizeof keys[i].size);
        at += sizeof keys[i].size;
        if (keys[i].size)
            memcpy(universe->bytes + at, keys[i].data, keys[i].size);
        at += keys[i].size;
    }
}

static int fill(uf_universe *universe, const uf_key *keys, size_t count)
{
    if (!add_lengths(keys, count, &universe->byte_count))
        return UF_ENOMEM;
    universe->capacity = count;
    universe->listed = mem_alloc_dirty(&universe->mem, count, sizeof *universe->listed);
    universe->bytes = mem_alloc_dirty(&universe->mem, universe->byte_count, 1);
    if (!universe->listed || !universe->bytes)
        return UF_ENOMEM;
    copy_keys(universe, keys);
    int status = sort(universe);
    if (status == UF_OK)
        keep_each_once(universe);
    return status;
}

int universe_list(const uf_key *keys, size_t count, const struct mem *mem, uf_universe **out, uf_error *why)
{
    if (!count)
        return fail(why, UF_EINVAL, "the universe has no keys: list every key that the set could have");
    uf_universe *universe = mem_alloc(mem, 1, sizeof *universe);
    int status = universe ? UF_OK : UF_ENOMEM;
    if (universe) {
        universe->mem = *mem;
        universe->shape = UNIVERSE_LIST;
        status = fill(universe, keys, count);
    }
    if (status != UF_OK) {
        universe_free(universe);
        return fail(why, status, "no memory for a universe of %zu keys", count);
    }
    (void)snprintf(universe->text, sizeof universe->text, "a list of %llu keys", (unsigned long long)universe->size);
    *out = universe;
    return UF_OK;
}
