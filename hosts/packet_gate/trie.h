/* SPDX-License-Identifier: MIT */
/*
 * The automaton of Aho and Corasick ("Efficient string matching", 1975) for any number of patterns, in nine bytes a
 * node. Nodes are numbered by depth and, within a depth, in the order of their strings; so the children of a node lie
 * next to each other, sorted by their bytes, and those of node v are first[v] to first[v + 1] - 1. Most nodes of a
 * large set have one child or none, and finding it is one comparison. Node 0 is the empty string.
 *
 * Patterns "he" and "she":   node    0    1 h   2 s   3 he      4 sh   5 she
 *                            first   1    3     4     5         5      6
 *                            fail    0    0     0     MATCH     1      MATCH
 *
 * The search starts anew where a pattern ends, so nothing is kept below such a node; and a pattern that begins with
 * another is never reached.
 */
#ifndef GATE_TRIE_H
#define GATE_TRIE_H

#include <stddef.h>
#include <stdint.h>

/* In `fail`: a pattern ends here. */
#define TRIE_MATCH UINT32_MAX

enum { TRIE_LEVELS = 5 };

struct trie {
    uint32_t nodes;
    uint32_t level[TRIE_LEVELS]; /* the first node of that depth; `nodes` when there is none */
    uint32_t root[256];          /* children of node 0, by byte; 0 for none */
    uint32_t *first;             /* owned: nodes + 1 */
    uint32_t *fail;              /* owned: the longest proper suffix that is a node, or TRIE_MATCH */
    uint8_t *byte;               /* owned: the last byte of its string */
};

struct trie_string {
    const uint8_t *data;
    size_t size;
};

/* Sorts `strings`, each of at least one byte, and makes the automaton. Non-zero when memory is short, or when there are
 * 2^32 - 2 bytes or more. Give back with trie_free either way. */
int trie_build(struct trie *trie, struct trie_string *strings, size_t count);
void trie_free(struct trie *trie);

/* The child of a node, 0 when it has none for this byte. */
static inline uint32_t trie_child(const struct trie *trie, uint32_t node, uint8_t byte)
{
    if (!node)
        return trie->root[byte];
    uint32_t low = trie->first[node], high = trie->first[node + 1];
    if (low == high)
        return 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (trie->byte[middle] <= byte)
            low = middle;
        else
            high = middle;
    }
    return trie->byte[low] == byte ? low : 0;
}

/* The node of the longest string that the bytes read so far end with. */
static inline uint32_t trie_step(const struct trie *trie, uint32_t node, uint8_t byte)
{
    uint32_t next;
    while (!(next = trie_child(trie, node, byte)) && node)
        node = trie->fail[node];
    return next;
}

#endif
