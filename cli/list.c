/* SPDX-License-Identifier: MIT */
#include "list.h"

#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "progress.h"
#include "say.h"

static int grow(void *array, size_t *room, size_t need, size_t each)
{
    size_t larger = *room ? *room : 1024;
    while (larger < need)
        larger *= 2;
    void *moved = larger > *room ? realloc(*(void **)array, larger * each) : *(void **)array;
    if (!moved)
        return 0;
    *(void **)array = moved;
    *room = larger;
    return 1;
}

int list_add(struct list *list, const uf_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!grow(&list->bytes, &list->room, list->used + keys[i].size + 1, 1) ||
            !grow(&list->end, &list->ends, list->count + 1, sizeof *list->end))
            return 0;
        memcpy(list->bytes + list->used, keys[i].data, keys[i].size);
        list->used += keys[i].size;
        list->end[list->count++] = list->used;
    }
    return 1;
}

int list_finish(struct list *list)
{
    list->keys = malloc((list->count + 1) * sizeof *list->keys);
    if (!list->keys)
        return 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t from = i ? list->end[i - 1] : 0;
        list->keys[i] = (uf_key){list->bytes + from, list->end[i] - from};
    }
    return 1;
}

static enum keys_verdict add_block(void *arg, struct keys_block *block)
{
    uf_key keys[KEYS_BATCH];
    const char *cursor = NULL;
    for (size_t count; (count = keys_next(block, &cursor, keys));)
        if (!list_add(arg, keys, count)) {
            say_error("no memory for all of the keys");
            return KEYS_FAILED;
        }
    return KEYS_GO_ON;
}

int list_read(const struct args *args, const char *path, const char *doing, struct list *out)
{
    struct args named = *args; /* as if the file were the operand */
    char *operand[] = {(char *)path, NULL};
    struct keys_input input;
    struct list list = {.keys = NULL};
    const struct keys_job reading = {.work = add_block, .arg = &list, .threads = 1};
    struct keys_totals totals;
    named.operand = operand;
    named.operands = 1;
    if (keys_open(&named, 0, &input))
        return EXIT_ERROR;
    progress_phase(doing, input.bytes);
    int status = keys_run(&input, &reading, &totals);
    keys_close(&input);
    if (!status && !list_finish(&list))
        status = say_error("%s: no memory for all of its keys", path);
    if (status)
        list_free(&list);
    else
        *out = list;
    return status;
}

void list_free(struct list *list)
{
    free(list->keys);
    free(list->bytes);
    free(list->end);
    *list = (struct list){.keys = NULL};
}
