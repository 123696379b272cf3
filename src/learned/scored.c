/* SPDX-License-Identifier: MIT */
#include "scored.h"

#include <string.h>

#include "runs.h"

static int new_piece(struct scored_list *list)
{
    struct scored_piece *piece = mem_alloc_dirty(list->mem, 1, sizeof *piece);
    if (!piece)
        return UF_ENOMEM;
    piece->next = list->pieces;
    piece->used = 0;
    list->pieces = piece;
    return UF_OK;
}

int scored_add(struct scored_list *list, const struct scored *items, size_t count)
{
    while (count) {
        if ((!list->pieces || list->pieces->used == SCORED_CAPACITY) && new_piece(list) != UF_OK)
            return UF_ENOMEM;
        struct scored_piece *piece = list->pieces;
        size_t step = count < SCORED_CAPACITY - piece->used ? count : SCORED_CAPACITY - piece->used;
        memcpy(piece->item + piece->used, items, step * sizeof *items);
        piece->used += step;
        list->count += step;
        items += step;
        count -= step;
    }
    return UF_OK;
}

/* Behind those that are there: only the first piece has room. */
static void join(struct scored_list *into, struct scored_list *from)
{
    struct scored_piece **end = &into->pieces;
    while (*end)
        end = &(*end)->next;
    *end = from->pieces;
    into->count += from->count;
    from->pieces = NULL;
    from->count = 0;
}

int scored_take(struct scored_list *into, struct scored_list *from)
{
    struct scored_list copy = {.mem = into->mem};
    int status = UF_OK;
    if (mem_same(into->mem, from->mem)) {
        join(into, from);
        return UF_OK;
    }
    for (const struct scored_piece *piece = from->pieces; piece && status == UF_OK; piece = piece->next)
        status = scored_add(&copy, piece->item, piece->used);
    if (status == UF_OK)
        join(into, &copy);
    scored_free(&copy);
    return status;
}

void scored_free(struct scored_list *list)
{
    while (list->pieces) {
        struct scored_piece *piece = list->pieces;
        list->pieces = piece->next;
        mem_free(list->mem, piece, 1, sizeof *piece);
    }
}

void scored_scores(const struct scored_list *list, int64_t *out)
{
    for (const struct scored_piece *piece = list->pieces; piece; piece = piece->next)
        for (size_t i = 0; i < piece->used; i++)
            *out++ = piece->item[i].score;
}

int scored_select(const struct scored_list *list, const struct scored_range *range, struct hash_runs *out)
{
    int status = UF_OK;
    for (const struct scored_piece *piece = list->pieces; status == UF_OK && piece; piece = piece->next)
        for (size_t i = 0; status == UF_OK && i < piece->used; i++) {
            const struct scored *item = &piece->item[i];
            if (item->score < range->low || item->score > range->high)
                continue;
            struct hash128 hash = range->change ? range->change(range->arg, item->hash) : item->hash;
            status = runs_add(out, &hash, 1);
        }
    return status;
}
