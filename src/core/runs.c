/* SPDX-License-Identifier: MIT */
#include "runs.h"

#include <string.h>

#include "parallel.h"

enum { FIRST_ARENA_BYTES = 64 << 10, ARENA_BYTES = 2 << 20, LEAST_CAPACITY = 60, MOST_CAPACITY = 4092 };

struct run_arena {
    struct run_arena *next;
    size_t used, bytes;
};

/* An arena begins with its own numbers, then come pieces. */
enum { ARENA_HEAD = 64 };

static size_t piece_bytes(uint32_t capacity)
{
    return (sizeof(struct run_piece) + capacity * sizeof(struct hash128) + 63) / 64 * 64;
}

/* A piece with room for as many hashes as the group has already, within bounds: few keys need little memory. */
static struct run_piece *new_piece(struct hash_runs *runs, uint64_t so_far)
{
    uint32_t capacity = so_far < LEAST_CAPACITY  ? LEAST_CAPACITY
                        : so_far > MOST_CAPACITY ? MOST_CAPACITY
                                                 : (uint32_t)so_far;
    size_t bytes = piece_bytes(capacity);
    if (!runs->arenas || runs->arenas->used + bytes > runs->arenas->bytes) {
        size_t size = runs->arenas ? ARENA_BYTES : FIRST_ARENA_BYTES;
        struct run_arena *arena = mem_alloc_dirty(runs->mem, 1, size);
        if (!arena)
            return NULL;
        *arena = (struct run_arena){runs->arenas, ARENA_HEAD, size};
        runs->arenas = arena;
    }
    struct run_piece *piece = (void *)((unsigned char *)runs->arenas + runs->arenas->used);
    runs->arenas->used += bytes;
    piece->next = NULL;
    piece->used = 0;
    piece->capacity = capacity;
    return piece;
}

/* Puts a piece, and all that follow it, at the end of a group. */
static void append(struct hash_runs *runs, unsigned g, struct run_piece *piece, struct run_piece *last)
{
    if (runs->last[g])
        runs->last[g]->next = piece;
    else
        runs->group[g] = piece;
    runs->last[g] = last;
}

int runs_add(struct hash_runs *runs, const struct hash128 *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned g = (unsigned)(hashes[i].hi >> 56);
        struct run_piece *piece = runs->last[g];
        if (!piece || piece->used == piece->capacity) {
            piece = new_piece(runs, runs->count[g]);
            if (!piece)
                return UF_ENOMEM;
            append(runs, g, piece, piece);
        }
        piece->hash[piece->used++] = hashes[i];
        runs->count[g]++;
    }
    return UF_OK;
}

void runs_join(struct hash_runs *into, struct hash_runs *from)
{
    for (unsigned g = 0; g < RUN_GROUPS; g++) {
        if (!from->group[g])
            continue;
        append(into, g, from->group[g], from->last[g]);
        into->count[g] += from->count[g];
        from->group[g] = from->last[g] = NULL;
        from->count[g] = 0;
    }
    struct run_arena **end = &into->arenas;
    while (*end)
        end = &(*end)->next;
    *end = from->arenas;
    from->arenas = NULL;
}

int runs_take(struct hash_runs *into, struct hash_runs *from)
{
    struct hash_runs copy = {.mem = into->mem};
    int status = UF_OK;
    if (mem_same(into->mem, from->mem)) {
        runs_join(into, from);
        return UF_OK;
    }
    for (unsigned g = 0; g < RUN_GROUPS; g++)
        for (const struct run_piece *piece = from->group[g]; piece && status == UF_OK; piece = piece->next)
            status = runs_add(&copy, piece->hash, piece->used);
    if (status == UF_OK)
        runs_join(into, &copy);
    runs_free(&copy);
    return status;
}

/* ---- mixing ---- */

struct mixing {
    struct hash_runs *part; /* of the arenas, at most one for each thread */
    runs_mixer *mix;
    void *arg;
};

/* Piece by piece; NULL: that was the last. */
static struct run_piece *piece_at(struct run_arena *arena, size_t *at)
{
    struct run_piece *piece = *at < arena->used ? (void *)((unsigned char *)arena + *at) : NULL;
    *at += piece ? piece_bytes(piece->capacity) : 0;
    return piece;
}

static uint64_t hashes_of(struct run_arena *arena)
{
    const struct run_piece *piece;
    uint64_t hashes = 0;
    for (size_t at = ARENA_HEAD; (piece = piece_at(arena, &at));)
        hashes += piece->used;
    return hashes;
}

/* Arenas go to parts in their order, about as many hashes to each: in the last arenas there may be few. */
static void deal_arenas(struct hash_runs *runs, struct hash_runs *part, size_t parts)
{
    struct run_arena **end = &part[0].arenas;
    uint64_t before = 0, total = runs_total(runs);
    for (size_t i = 0; i < parts; i++)
        part[i].mem = runs->mem;
    for (struct run_arena *arena = runs->arenas, *next; arena; arena = next) {
        size_t index = (size_t)(before * parts / total);
        struct hash_runs *to = &part[index < parts ? index : parts - 1]; /* behind the last hash */
        next = arena->next;
        before += hashes_of(arena);
        end = to->arenas ? end : &to->arenas;
        *end = arena;
        end = &arena->next;
        *end = NULL;
    }
    runs->arenas = NULL;
}

/* An arena is done when all of its pieces are, so it is freed before the next one is looked at. */
static int mix_part(void *arg, size_t index)
{
    const struct mixing *mixing = arg;
    struct hash_runs *runs = &mixing->part[index], mixed = {.mem = runs->mem};
    int status = UF_OK;
    while (status == UF_OK && runs->arenas) {
        struct run_arena *arena = runs->arenas;
        struct run_piece *piece;
        for (size_t at = ARENA_HEAD; status == UF_OK && (piece = piece_at(arena, &at));) {
            mixing->mix(mixing->arg, piece->hash, piece->used);
            status = runs_add(&mixed, piece->hash, piece->used);
        }
        runs->arenas = arena->next;
        mem_free(runs->mem, arena, 1, arena->bytes);
    }
    runs_free(runs);
    runs_join(runs, &mixed);
    return status;
}

int runs_mix(struct hash_runs *runs, unsigned threads, runs_mixer *mix, void *arg)
{
    struct mixing mixing = {.mix = mix, .arg = arg};
    size_t parts = 0;
    if (!runs->arenas)
        return UF_OK;
    for (const struct run_arena *arena = runs->arenas; arena && parts < threads; arena = arena->next)
        parts++;
    mixing.part = mem_alloc(runs->mem, parts, sizeof *mixing.part);
    if (!mixing.part)
        return UF_ENOMEM;
    deal_arenas(runs, mixing.part, parts);
    int status = parallel_for(threads, parts, mix_part, &mixing);
    runs_free(runs);
    for (size_t i = 0; i < parts; i++)
        runs_join(runs, &mixing.part[i]);
    mem_free(runs->mem, mixing.part, parts, sizeof *mixing.part);
    return status;
}

uint64_t runs_total(const struct hash_runs *runs)
{
    uint64_t total = 0;
    for (unsigned g = 0; g < RUN_GROUPS; g++)
        total += runs->count[g];
    return total;
}

void runs_free(struct hash_runs *runs)
{
    while (runs->arenas) {
        struct run_arena *arena = runs->arenas;
        runs->arenas = arena->next;
        mem_free(runs->mem, arena, 1, arena->bytes);
    }
    memset(runs->group, 0, sizeof runs->group);
    memset(runs->last, 0, sizeof runs->last);
    memset(runs->count, 0, sizeof runs->count);
}
