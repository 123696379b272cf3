/* SPDX-License-Identifier: MIT */
/* Built depth by depth from the sorted strings: all that still have bytes are moved down by one. */
#include "trie.h"

#include <stdlib.h>
#include <string.h>

/* Only while building: strings that go on, and the node each has reached. */
struct front {
    struct trie_string *strings; /* borrowed; those that ended are dropped from it */
    uint32_t *node;              /* owned */
    size_t count;
};

static int by_bytes(const void *one, const void *other)
{
    const struct trie_string *a = one, *b = other;
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static uint32_t add_node(struct trie *trie, uint8_t byte)
{
    trie->byte[trie->nodes] = byte;
    trie->fail[trie->nodes] = 0;
    return trie->nodes++;
}

/* Gives every node before `parent`, and itself, the place where its children begin, unless it has one. */
static void begin_children(struct trie *trie, uint32_t parent, uint32_t *begun)
{
    while (*begun <= parent)
        trie->first[(*begun)++] = trie->nodes;
}

/* All strings of the front one byte down. Those that end are dropped, and so are those that begin with one that does:
 * as they are sorted, it came just before them. */
static void descend(struct trie *trie, struct front *front, size_t depth, uint32_t *begun)
{
    size_t kept = 0;
    uint32_t parent = UINT32_MAX, child = 0;
    for (size_t i = 0; i < front->count; i++) {
        const struct trie_string string = front->strings[i];
        if (front->node[i] != parent || trie->byte[child] != string.data[depth]) {
            parent = front->node[i];
            begin_children(trie, parent, begun);
            child = add_node(trie, string.data[depth]);
        }
        if (string.size == depth + 1)
            trie->fail[child] = TRIE_MATCH;
        if (trie->fail[child] == TRIE_MATCH)
            continue;
        front->strings[kept] = string;
        front->node[kept++] = child;
    }
    front->count = kept;
}

static void make_nodes(struct trie *trie, struct front *front)
{
    uint32_t begun = 0;
    (void)add_node(trie, 0);
    for (size_t depth = 0; depth < TRIE_LEVELS || front->count; depth++) {
        if (depth + 1 < TRIE_LEVELS)
            trie->level[depth + 1] = trie->nodes;
        if (front->count)
            descend(trie, front, depth, &begun);
    }
    begin_children(trie, trie->nodes, &begun);
    for (uint32_t child = trie->first[0]; child < trie->first[1]; child++)
        trie->root[trie->byte[child]] = child;
}

/* In the order of depth, so that every suffix is complete when it is asked for. */
static void make_suffixes(struct trie *trie)
{
    for (uint32_t node = 1; node < trie->nodes; node++)
        for (uint32_t child = trie->first[node]; child < trie->first[node + 1]; child++) {
            if (trie->fail[node] == TRIE_MATCH) /* its suffix ends a pattern: nothing below is reached */
                trie->fail[child] = TRIE_MATCH;
            if (trie->fail[child] == TRIE_MATCH)
                continue;
            uint32_t suffix = trie_step(trie, trie->fail[node], trie->byte[child]);
            trie->fail[child] = suffix && trie->fail[suffix] == TRIE_MATCH ? TRIE_MATCH : suffix;
        }
}

static int allocate(struct trie *trie, size_t nodes)
{
    trie->first = malloc((nodes + 1) * sizeof *trie->first);
    trie->fail = malloc(nodes * sizeof *trie->fail);
    trie->byte = malloc(nodes);
    return trie->first && trie->fail && trie->byte ? 0 : -1;
}

/* What shared beginnings saved goes back; a smaller block that cannot be had leaves the larger one. */
static void shrink(struct trie *trie)
{
    void *first = realloc(trie->first, ((size_t)trie->nodes + 1) * sizeof *trie->first);
    trie->first = first ? first : trie->first;
    void *fail = realloc(trie->fail, (size_t)trie->nodes * sizeof *trie->fail);
    trie->fail = fail ? fail : trie->fail;
    void *byte = realloc(trie->byte, trie->nodes);
    trie->byte = byte ? byte : trie->byte;
}

int trie_build(struct trie *trie, struct trie_string *strings, size_t count)
{
    size_t nodes = 1;
    *trie = (struct trie){.nodes = 0};
    for (size_t i = 0; i < count; i++) {
        if (strings[i].size == 0 || strings[i].size >= UINT32_MAX - 1 - nodes)
            return -1;
        nodes += strings[i].size;
    }
    struct front front = {strings, calloc(count + 1, sizeof *front.node), count};
    int status = front.node && !allocate(trie, nodes) ? 0 : -1;
    if (!status) {
        qsort(strings, count, sizeof *strings, by_bytes);
        make_nodes(trie, &front);
        make_suffixes(trie);
        shrink(trie);
    }
    free(front.node);
    return status;
}

void trie_free(struct trie *trie)
{
    free(trie->first);
    free(trie->fail);
    free(trie->byte);
}
