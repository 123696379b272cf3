/* SPDX-License-Identifier: MIT */
/*
 * The limits of the machine: DRAM latency (a chase through a permutation, each load needs the one before), sequential
 * reading, XXH3-128 inlined into the loop that calls it, and, through lines.c, random cache lines over a table of the
 * size of the filter it is compared with. Everything is the best of several runs, in this process, on huge pages.
 *
 * On the Neoverse-N1 this was written on: 173 ns a load over 1 GiB, 19.8 GB/s read by one thread, 5.2 ns for XXH3-128
 * of 8 bytes.
 */
#include "limits.h"

#include "clock.h"
#include "pages.h"
#include "team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { WORDS_PER_LINE = 8, TRIES = 4, HASH_KEYS = 1024 };

static void add(struct limits *limits, const char *name, size_t bytes, unsigned threads, double ns)
{
    if (limits->plain_count < sizeof limits->plain / sizeof limits->plain[0]) {
        limits->plain[limits->plain_count++] = (struct plain_limit){name, bytes, threads, ns};
    }
}

/* Line i holds the index of the next line: i·a + c mod 2^b has one cycle over all lines (a mod 4 = 1, c odd), and no
 * prefetcher guesses it. `lines` is a power of two. */
static void lay_cycle(uint64_t *table, uint64_t lines)
{
    for (uint64_t i = 0; i < lines; i++) {
        table[i * WORDS_PER_LINE] = (i * 0xD1342543DE82EF95u + 0x632BE59BD9B4E019u) & (lines - 1);
    }
}

static double chase(const uint64_t *table, uint64_t loads)
{
    uint64_t at = 0;
    double start = clock_ns();
    for (uint64_t i = 0; i < loads; i++) {
        at = table[at * WORDS_PER_LINE];
    }
    double ns = (clock_ns() - start) / (double)loads;
    __asm__ volatile("" : : "r"(at));
    return ns;
}

static void measure_latency(struct limits *limits, uint64_t *table, size_t bytes)
{
    double best = INFINITY;
    lay_cycle(table, bytes / 64);
    team_settle(1);
    for (int i = 0; i < TRIES; i++) {
        best = fmin(best, chase(table, 1u << 19));
    }
    add(limits, "latency", bytes, 1, best);
}

/* One word of each line: every byte still has to come, and the core has nothing else to do. */
struct scan {
    const uint64_t *table;
    uint64_t lines;
    unsigned threads;
    uint64_t sums[TEAM_MAX];
};

static void scan_thread(void *arg, unsigned index)
{
    struct scan *scan = arg;
    uint64_t from, to, sum = 0;
    team_slice(scan->lines, scan->threads, index, &from, &to);
    for (uint64_t i = from; i < to; i++) {
        sum += scan->table[i * WORDS_PER_LINE];
    }
    scan->sums[index] = sum;
}

static void measure_scan(struct limits *limits, const uint64_t *table, size_t bytes, unsigned threads)
{
    struct scan scan = {.table = table, .lines = bytes / 64, .threads = threads};
    double best = INFINITY;
    team_settle(threads);
    for (int i = 0; i < TRIES; i++) {
        best = fmin(best, team_run(threads, scan_thread, &scan));
    }
    add(limits, "sequential_read", bytes, threads, best / (double)bytes);
}

/* `size` is a constant where this is inlined, as it is in a filter specialised for a width. */
static inline __attribute__((always_inline)) double hash_keys(const unsigned char *keys, size_t size, uint64_t seed)
{
    uint64_t sum = 0;
    double start = clock_ns();
    for (unsigned pass = 0; pass < 256; pass++) {
        for (size_t i = 0; i < HASH_KEYS; i++) {
            XXH128_hash_t hash = XXH3_128bits_withSeed(keys + i * size, size, seed);
            sum += hash.low64 ^ hash.high64;
        }
        __asm__ volatile("" : "+r"(sum) : : "memory");
    }
    return (clock_ns() - start) / (256.0 * HASH_KEYS);
}

static void measure_hash(struct limits *limits)
{
    static unsigned char keys[HASH_KEYS * 50];
    double eight = INFINITY, fifty = INFINITY;
    uint64_t seed = (uint64_t)clock_ns();
    for (size_t i = 0; i < sizeof keys; i++) {
        keys[i] = (unsigned char)(i * 167 >> 3);
    }
    team_settle(1);
    for (int i = 0; i < TRIES; i++) {
        eight = fmin(eight, hash_keys(keys, 8, seed));
        fifty = fmin(fifty, hash_keys(keys, 50, seed));
    }
    add(limits, "xxh3_128", 8, 1, eight);
    add(limits, "xxh3_128", 50, 1, fifty);
}

int limits_measure(struct limits *limits, unsigned threads)
{
    size_t bytes = (size_t)1 << 30;
    struct pages pages;
    while (bytes > (size_t)1 << 26 && pages_available() && pages_available() / 4 < bytes) {
        bytes /= 2;
    }
    if (pages_get(&pages, bytes) != 0) {
        return -1;
    }
    uint64_t huge_before = pages_huge();
    measure_latency(limits, pages.at, bytes);
    limits->huge_asked = bytes;
    limits->huge_got = pages_huge() - huge_before;
    measure_scan(limits, pages.at, bytes, 1);
    if (threads > 1) {
        measure_scan(limits, pages.at, bytes, threads);
    }
    pages_put(&pages);
    measure_hash(limits);
    return 0;
}

static int same_size(size_t one, size_t other)
{
    return fabs((double)one / (double)other - 1) < 0.03;
}

static struct line_limit *find_lines(struct limits *limits, size_t bytes, unsigned threads)
{
    for (size_t i = 0; i < limits->lines_count; i++) {
        struct line_limit *known = &limits->lines[i];
        if (known->read.threads == threads && same_size(known->bytes, bytes)) {
            return known;
        }
    }
    return NULL;
}

int limits_lines(struct limits *limits, size_t bytes, unsigned threads)
{
    struct line_limit *limit = find_lines(limits, bytes, threads);
    struct pages pages;
    if ((!limit && limits->lines_count == LIMITS_MAX) || pages_get(&pages, bytes) != 0) {
        return -1;
    }
    memset(pages.at, 0x55, bytes);
    if (limit) {
        lines_refine(pages.at, bytes, LINES_READ, &limit->read);
        lines_refine(pages.at, bytes, LINES_UPDATE, &limit->update);
    } else {
        limit = &limits->lines[limits->lines_count++];
        limit->bytes = bytes;
        limit->read = lines_measure(pages.at, bytes, threads, LINES_READ);
        limit->update = lines_measure(pages.at, bytes, threads, LINES_UPDATE);
    }
    pages_put(&pages);
    return 0;
}

double limits_line_ns(const struct limits *limits, size_t bytes, unsigned threads, enum lines_op op)
{
    double best = NAN;
    for (size_t i = 0; i < limits->lines_count; i++) {
        const struct line_limit *limit = &limits->lines[i];
        if (limit->read.threads == threads && (limit->bytes > bytes || same_size(limit->bytes, bytes))) {
            best = fmin(best, op == LINES_READ ? limit->read.ns : limit->update.ns);
        }
    }
    return best;
}

static int by_size(const void *one, const void *other)
{
    const struct line_limit *a = one, *b = other;
    if (a->bytes != b->bytes) {
        return a->bytes < b->bytes ? -1 : 1;
    }
    return a->read.threads < b->read.threads ? -1 : a->read.threads > b->read.threads;
}

void limits_sort(struct limits *limits)
{
    qsort(limits->lines, limits->lines_count, sizeof limits->lines[0], by_size);
}

const struct plain_limit *limits_plain(const struct limits *limits, const char *name, unsigned threads)
{
    for (size_t i = 0; i < limits->plain_count; i++) {
        if (strcmp(limits->plain[i].name, name) == 0 && limits->plain[i].threads == threads) {
            return &limits->plain[i];
        }
    }
    return NULL;
}
