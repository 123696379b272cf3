/* SPDX-License-Identifier: MIT */
/*
 * Three questions, each dearer than the one before, asked only when it says yes: do these two bytes begin a pattern
 * (a bit array of 8 KiB); do these four (a filter of this library over the first four bytes of every pattern, 1 % of
 * others accepted); and then the automaton (trie.h), which is exact. A pattern of fewer than four bytes passes the
 * second question by its first two.
 *
 * While the automaton is inside a string of at least four bytes it goes on alone, as no byte is then read twice. When
 * it falls back to a shorter one that begins later than what was asked about, its at most three bytes are given back
 * and asked about. The last three bytes of a packet cannot be asked about, so the automaton reads them: what it has
 * reached is all that is remembered of a source between packets.
 */
#include "patterns.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ultrafilter_inline.h>

#include "trie.h"

_Static_assert((int)PATTERNS_WINDOW < (int)TRIE_LEVELS, "depths below the window must be known");

enum { PAIRS = 65536 };

struct patterns {
    struct trie trie;
    size_t count;
    uint64_t begins[PAIRS / 64]; /* the first two bytes of a pattern */
    uint64_t brief[PAIRS / 64];  /* of one that is shorter than the window */
    uf_filter *filter;           /* owned: windows as numbers of 64 bits; NULL when all patterns are shorter */
    uf_view view;
    int viewed; /* 1: the view is good; 0: uf_query must be asked */
};

/* ---- building ---- */

static unsigned pair_of(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static uint64_t window_of(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
}

static void set_pair(uint64_t *bits, unsigned pair)
{
    bits[pair / 64] |= UINT64_C(1) << pair % 64;
}

static int has_pair(const uint64_t *bits, unsigned pair)
{
    return (int)(bits[pair / 64] >> pair % 64 & 1);
}

static void note_beginning(struct patterns *patterns, const uint8_t *data, size_t size)
{
    for (unsigned second = size == 1 ? 0 : data[1]; second < 256; second = size == 1 ? second + 1 : 256) {
        const uint8_t pair[2] = {data[0], (uint8_t)second};
        set_pair(patterns->begins, pair_of(pair));
        if (size < PATTERNS_WINDOW)
            set_pair(patterns->brief, pair_of(pair));
    }
}

static int add_window(uf_filter *filter, uint64_t window)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(window >> 8 * i);
    return uf_insert(filter, (uf_key){bytes, sizeof bytes}, NULL);
}

/* Sized for distinct windows, though equal ones are counted more than once: the strings are not sorted yet. */
static int make_filter(struct patterns *patterns, const struct trie_string *strings, size_t count)
{
    char text[64];
    uf_spec spec;
    size_t windows = 0;
    for (size_t i = 0; i < count; i++)
        windows += strings[i].size >= PATTERNS_WINDOW;
    if (!windows)
        return 0;
    (void)snprintf(text, sizeof text, "blocked:n=%zu,fpr=0.01", windows);
    if (uf_spec_parse(text, &spec, NULL) || uf_build(&spec, NULL, 0, NULL, &patterns->filter, NULL))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (strings[i].size >= PATTERNS_WINDOW && add_window(patterns->filter, window_of(strings[i].data)))
            return -1;
    patterns->viewed = !uf_get_view(patterns->filter, UF_VIEW_LAYOUT, &patterns->view, sizeof patterns->view);
    return 0;
}

struct patterns *patterns_new(const uint8_t *const *data, const size_t *sizes, size_t count)
{
    struct patterns *patterns = calloc(1, sizeof *patterns);
    struct trie_string *strings = count < SIZE_MAX / sizeof *strings ? malloc((count + 1) * sizeof *strings) : NULL;
    int failed = !patterns || !strings;
    for (size_t i = 0; !failed && i < count; i++) {
        strings[i] = (struct trie_string){data[i], sizes[i]};
        failed = !sizes[i];
        if (!failed)
            note_beginning(patterns, data[i], sizes[i]);
    }
    if (!failed) {
        patterns->count = count;
        failed = make_filter(patterns, strings, count) || trie_build(&patterns->trie, strings, count);
    }
    free(strings);
    if (!failed)
        return patterns;
    patterns_free(patterns);
    return NULL;
}

/* ---- scanning ---- */

static int filter_accepts(const struct patterns *patterns, uint64_t window)
{
    uint8_t bytes[8];
    if (patterns->viewed)
        return uf_view_query64(&patterns->view, window);
    if (!patterns->filter)
        return 0;
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(window >> 8 * i);
    return uf_query(patterns->filter, (uf_key){bytes, sizeof bytes});
}

/* The first place from `at` on where a pattern may begin; at the end nothing is known of the last three. */
static size_t next_candidate(const struct patterns *patterns, const uint8_t *data, size_t at, size_t size)
{
    for (; at + PATTERNS_WINDOW <= size; at++) {
        const unsigned pair = pair_of(data + at);
        if (has_pair(patterns->begins, pair) &&
            (has_pair(patterns->brief, pair) || filter_accepts(patterns, window_of(data + at))))
            break;
    }
    return at;
}

/* The depth of a node above the window. */
static size_t depth_of(const struct trie *trie, uint32_t node)
{
    size_t depth = 0;
    while (depth + 1 < PATTERNS_WINDOW && node >= trie->level[depth + 1])
        depth++;
    return depth;
}

unsigned patterns_scan(const struct patterns *patterns, uint32_t *state, const uint8_t *data, size_t size)
{
    const struct trie *trie = &patterns->trie;
    uint32_t node = *state;
    unsigned found = 0;
    size_t at = 0, asked = 0; /* asked: places before it were asked about, or lie in packets before */
    while (at < size) {
        if (!node) {
            at = next_candidate(patterns, data, at, size);
            if (at == size)
                break;
            asked = at + 1;
        }
        node = trie_step(trie, node, data[at++]);
        if (trie->fail[node] == TRIE_MATCH) {
            found++;
            node = 0;
        } else if (node < trie->level[PATTERNS_WINDOW]) {
            size_t depth = depth_of(trie, node);
            if (at >= depth + asked) {
                at -= depth;
                node = 0;
            }
        }
    }
    *state = node;
    return found;
}

/* ---- about them ---- */

int patterns_has_state(const struct patterns *patterns, uint32_t state)
{
    const struct trie *trie = &patterns->trie;
    return state < trie->nodes && trie->fail[state] != TRIE_MATCH;
}

size_t patterns_count(const struct patterns *patterns)
{
    return patterns->count;
}

size_t patterns_filter_bytes(const struct patterns *patterns)
{
    uf_info info;
    if (!patterns->filter)
        return 0;
    uf_get_info(patterns->filter, &info, sizeof info);
    return (size_t)info.bytes;
}

size_t patterns_bytes(const struct patterns *patterns)
{
    const struct trie *trie = &patterns->trie;
    return sizeof *patterns + patterns_filter_bytes(patterns) +
           (size_t)trie->nodes * (sizeof *trie->first + sizeof *trie->fail + 1) + sizeof *trie->first;
}

void patterns_digest(const struct patterns *patterns, uint8_t out[PATTERNS_DIGEST])
{
    const struct trie *trie = &patterns->trie;
    crypto_generichash_state hash;
    (void)crypto_generichash_init(&hash, NULL, 0, PATTERNS_DIGEST);
    (void)crypto_generichash_update(&hash, trie->byte, trie->nodes);
    for (uint32_t node = 0; node < trie->nodes; node++) {
        uint32_t children = trie->first[node + 1] - trie->first[node];
        const uint8_t about[3] = {(uint8_t)children, (uint8_t)(children >> 8), trie->fail[node] == TRIE_MATCH};
        (void)crypto_generichash_update(&hash, about, sizeof about);
    }
    (void)crypto_generichash_final(&hash, out, PATTERNS_DIGEST);
}

void patterns_free(struct patterns *patterns)
{
    if (!patterns)
        return;
    trie_free(&patterns->trie);
    uf_free(patterns->filter);
    free(patterns);
}
