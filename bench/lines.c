/* SPDX-License-Identifier: MIT */
/*
 * A batched filter is at best a loop that computes a line's address, prefetches it, and tests (or updates) the line it
 * prefetched a while ago. This file is that loop without the filter: addresses from one multiplication and one
 * multiply-shift, a ring of the last `ahead` of them, one word touched per line.
 *
 * Which prefetch is best depends on the machine, and the difference is large: on a Neoverse-N1 over 119 MiB,
 * prefetching to L1 costs 10.2 ns a line (its few miss buffers fill up) and to L2 6.6 ns. So all are tried, both levels
 * at 16, 32 and 64 lines ahead and no prefetch at all (best where the table fits the first cache), and the fastest is
 * the limit: the ratio of a filter to it is then never flattered by a lazy limit.
 */
#include "lines.h"

#include "clock.h"
#include "team.h"

#include <stdbool.h>

enum { RING = 64, WORDS_PER_LINE = 8, VARIANTS = 7, TRIES = 3, PROBE = 1 << 20 };

struct walk {
    uint64_t *table;
    uint32_t lines;
    int variant;
    enum lines_op op;
    uint64_t count;
    uint64_t round; /* differs between runs, so that none meets the lines of the one before */
    uint64_t sums[TEAM_MAX];
};

static const struct {
    int level;
    unsigned ahead;
} variants[VARIANTS] = {{0, 0}, {1, 16}, {1, 32}, {1, 64}, {2, 16}, {2, 32}, {2, 64}};

#define INLINE static inline __attribute__((always_inline))

/* A counter, folded and multiplied: as cheap as an address can be that still looks random. */
INLINE uint64_t *next_line(const struct walk *walk, uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = (*state ^ *state >> 32) * 0xD6E8FEB86659FD93u;
    uint64_t line = (uint64_t)(uint32_t)(mixed >> 32) * walk->lines >> 32;
    return walk->table + line * WORDS_PER_LINE;
}

INLINE void fetch_ahead(const uint64_t *line, int level, enum lines_op op)
{
    if (op == LINES_READ && level == 1) {
        __builtin_prefetch(line, 0, 3);
    } else if (op == LINES_READ && level == 2) {
        __builtin_prefetch(line, 0, 2);
    } else if (level == 1) {
        __builtin_prefetch(line, 1, 3);
    } else if (level == 2) {
        __builtin_prefetch(line, 1, 2);
    }
}

/* Relaxed atomics are plain loads and stores to the machine; threads may then share the table. */
INLINE uint64_t touch(uint64_t *line, uint64_t value, enum lines_op op)
{
    uint64_t old = __atomic_load_n(line, __ATOMIC_RELAXED);
    if (op == LINES_UPDATE) {
        __atomic_store_n(line, old | value, __ATOMIC_RELAXED);
    }
    return old;
}

INLINE uint64_t walk_plain(const struct walk *walk, uint64_t state, enum lines_op op)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < walk->count; i++) {
        sum += touch(next_line(walk, &state), i, op);
    }
    return sum;
}

INLINE uint64_t walk_ring(const struct walk *walk, uint64_t state, int level, unsigned ahead, enum lines_op op)
{
    uint64_t *ring[RING];
    uint64_t sum = 0;
    for (unsigned i = 0; i < ahead; i++) {
        ring[i] = next_line(walk, &state);
        fetch_ahead(ring[i], level, op);
    }
    for (uint64_t i = 0; i < walk->count; i++) {
        uint64_t *now = ring[i % ahead];
        uint64_t *later = next_line(walk, &state);
        fetch_ahead(later, level, op);
        ring[i % ahead] = later;
        sum += touch(now, i, op);
    }
    return sum;
}

/* One specialised loop for each variant, in the order of `variants`. */
INLINE uint64_t walk_variant(const struct walk *walk, uint64_t state, enum lines_op op)
{
    switch (walk->variant) {
    case 1:
        return walk_ring(walk, state, 1, 16, op);
    case 2:
        return walk_ring(walk, state, 1, 32, op);
    case 3:
        return walk_ring(walk, state, 1, 64, op);
    case 4:
        return walk_ring(walk, state, 2, 16, op);
    case 5:
        return walk_ring(walk, state, 2, 32, op);
    case 6:
        return walk_ring(walk, state, 2, 64, op);
    default:
        return walk_plain(walk, state, op);
    }
}

static void walk_thread(void *arg, unsigned index)
{
    struct walk *walk = arg;
    uint64_t state = (walk->round * TEAM_MAX + index) * 0xA0761D6478BD642Fu;
    walk->sums[index] =
        walk->op == LINES_READ ? walk_variant(walk, state, LINES_READ) : walk_variant(walk, state, LINES_UPDATE);
}

/* Nanoseconds per line of one run of `count` lines on every thread. */
static double run(struct walk *walk, int variant, uint64_t count, unsigned threads)
{
    walk->variant = variant;
    walk->count = count;
    walk->round++;
    return team_run(threads, walk_thread, walk) / ((double)count * threads);
}

static struct walk start_walk(uint64_t *table, size_t bytes, enum lines_op op)
{
    uint32_t lines = (uint32_t)(bytes / 64 ? bytes / 64 : 1);
    return (struct walk){.table = table, .lines = lines, .op = op, .round = (uint64_t)clock_ns()};
}

struct lines_best lines_measure(uint64_t *table, size_t bytes, unsigned threads, enum lines_op op)
{
    struct walk walk = start_walk(table, bytes, op);
    struct lines_best best = {.threads = threads};
    team_settle(threads);
    (void)run(&walk, VARIANTS - 1, PROBE, threads);
    for (int i = 0; i < VARIANTS; i++) {
        double ns = run(&walk, i, PROBE, threads);
        if (i == 0 || ns < best.ns) {
            best = (struct lines_best){ns, i, variants[i].level, variants[i].ahead, threads};
        }
    }
    lines_refine(table, bytes, op, &best);
    return best;
}

void lines_refine(uint64_t *table, size_t bytes, enum lines_op op, struct lines_best *best)
{
    struct walk walk = start_walk(table, bytes, op);
    team_settle(best->threads);
    for (int i = 0; i < TRIES; i++) {
        double ns = run(&walk, best->variant, 2 * PROBE, best->threads);
        best->ns = ns < best->ns ? ns : best->ns;
    }
}
