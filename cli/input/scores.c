/* SPDX-License-Identifier: MIT */
#include "scores.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "key_list.h"
#include "message.h"

struct slot {
    uf_key key; /* NULL data: empty */
    double score;
};

struct scores {
    struct slot *slot; /* an open table, at most half full */
    size_t slots, used;
};

static const char nothing[] = ""; /* what an empty key points to */

static uint64_t hash_of(uf_key key)
{
    const unsigned char *byte = key.data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < key.size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static struct slot *find(const struct scores *scores, uf_key key)
{
    size_t at = (size_t)hash_of(key) & (scores->slots - 1);
    for (;; at = (at + 1) & (scores->slots - 1)) {
        struct slot *slot = &scores->slot[at];
        if (!slot->key.data || (slot->key.size == key.size && !memcmp(slot->key.data, key.data, key.size)))
            return slot;
    }
}

int scores_new(struct scores **out)
{
    struct scores *scores = calloc(1, sizeof *scores);
    if (!scores)
        return print_error("no memory for scores");
    *out = scores;
    return EXIT_FINE;
}

void scores_free(struct scores *scores)
{
    if (!scores)
        return;
    free(scores->slot);
    free(scores);
}

static int reserve(struct scores *scores, size_t more)
{
    struct scores larger = {NULL, 64, scores->used};
    while (larger.slots < 2 * (scores->used + more))
        larger.slots *= 2;
    larger.slot = calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return print_error("no memory for %zu scores", scores->used + more);
    for (size_t i = 0; i < scores->slots; i++)
        if (scores->slot[i].key.data)
            *find(&larger, scores->slot[i].key) = scores->slot[i];
    free(scores->slot);
    *scores = larger;
    return EXIT_FINE;
}

static int read_number(uf_key line, double *out)
{
    char text[64], *end;
    if (!line.size || line.size >= sizeof text || memchr(line.data, 0, line.size))
        return 0;
    memcpy(text, line.data, line.size);
    text[line.size] = 0;
    *out = strtod(text, &end);
    return end > text && !*end && isfinite(*out);
}

static int insert(struct scores *scores, uf_key key, double score)
{
    struct slot *slot = find(scores, key.size ? key : (uf_key){nothing, 0});
    if (slot->key.data)
        return slot->score == score;
    *slot = (struct slot){key.size ? key : (uf_key){nothing, 0}, score};
    scores->used++;
    return 1;
}

static int add_lines(struct scores *scores, const char *path, const struct key_list *lines, const struct key_list *keys)
{
    if (lines->count != keys->count)
        return print_error("%s: has %zu scores for %zu keys; give one a line, in the order of the keys", path,
                           lines->count, keys->count);
    if (reserve(scores, keys->count))
        return EXIT_ERROR;
    for (size_t i = 0; i < keys->count; i++) {
        double score;
        if (!read_number(lines->keys[i], &score))
            return print_error("%s: line %zu is not a score: it must be a finite number", path, i + 1);
        if (!insert(scores, keys->keys[i], score))
            return print_error("%s: line %zu: this key had another score before", path, i + 1);
    }
    return EXIT_FINE;
}

/* Scores are lines, whatever separates the keys. */
int scores_add(struct scores *scores, const char *path, const struct key_list *keys)
{
    const struct keys_format format = {.separator = '\n'};
    struct key_list lines;
    if (key_list_read(path, &format, "reading scores", &lines))
        return EXIT_ERROR;
    int status = add_lines(scores, path, &lines, keys);
    key_list_free(&lines);
    return status;
}

double scores_of(void *arg, uf_key key)
{
    const struct scores *scores = arg;
    const struct slot *slot = scores && scores->slots ? find(scores, key.size ? key : (uf_key){nothing, 0}) : NULL;
    return slot && slot->key.data ? slot->score : NAN;
}
