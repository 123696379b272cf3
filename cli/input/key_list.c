/* SPDX-License-Identifier: MIT */
#include "key_list.h"

#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "message.h"
#include "progress.h"

static int grow(void *array, size_t *capacity, size_t need, size_t each)
{
    size_t larger = *capacity ? *capacity : 1024;
    while (larger < need)
        larger *= 2;
    void *moved = larger > *capacity ? realloc(*(void **)array, larger * each) : *(void **)array;
    if (!moved)
        return 0;
    *(void **)array = moved;
    *capacity = larger;
    return 1;
}

int key_list_add(struct key_list *list, const uf_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!grow(&list->bytes, &list->capacity, list->used + keys[i].size + 1, 1) ||
            !grow(&list->end, &list->ends, list->count + 1, sizeof *list->end))
            return 0;
        memcpy(list->bytes + list->used, keys[i].data, keys[i].size);
        list->used += keys[i].size;
        list->end[list->count++] = list->used;
    }
    return 1;
}

int key_list_finish(struct key_list *list)
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
        if (!key_list_add(arg, keys, count)) {
            print_error("no memory for all of the keys");
            return KEYS_FAILED;
        }
    return KEYS_GO_ON;
}

static int read_input(struct keys_input *input, const char *doing, struct key_list *out)
{
    struct key_list list = {.keys = NULL};
    const struct keys_job reading = {.work = add_block, .arg = &list, .threads = 1};
    struct keys_totals totals;
    progress_phase(doing, input->bytes);
    int status = keys_run(input, &reading, &totals);
    keys_close(input);
    if (!status && !key_list_finish(&list))
        status = print_error("%s: no memory for all of its keys", input->name);
    if (status)
        key_list_free(&list);
    else
        *out = list;
    return status;
}

int key_list_read(const char *path, const struct keys_format *format, const char *doing, struct key_list *out)
{
    struct keys_input input;
    return keys_open(path, format, &input) ? EXIT_ERROR : read_input(&input, doing, out);
}

int key_list_read_operands(const struct args *args, const struct keys_format *format, const char *doing,
                           struct key_list *out)
{
    struct keys_input input;
    return keys_open_operands(args, 0, format, &input) ? EXIT_ERROR : read_input(&input, doing, out);
}

void key_list_free(struct key_list *list)
{
    free(list->keys);
    free(list->bytes);
    free(list->end);
    *list = (struct key_list){.keys = NULL};
}
