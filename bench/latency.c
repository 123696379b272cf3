/* SPDX-License-Identifier: MIT */
/*
 * Each query is timed alone, between two reads of the CPU's own counter, and the times go into a histogram of ticks.
 * The reads wait for what comes before them and hold back what comes after (ISB, LFENCE), so that a query overlaps with
 * nothing: this is latency, where the tables have throughput. A counter of ARM ticks every 8 to 40 ns, which is much
 * for a query of 20 ns; but the ticks fall anywhere in a query, so a percentile is taken as in any histogram, by a
 * straight line through its bin, and is good to a part of a tick where neighbouring bins share the samples. Keys are
 * copied to one place before the clock starts: where they lie is not the filter's business.
 */
#include "latency.h"

#include "clock.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 1 << 16, BINS = 1 << 15 };

#if defined(__aarch64__)
static inline uint64_t now(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}
#elif defined(__x86_64__)
static inline uint64_t now(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}
#else
static inline uint64_t now(void)
{
    return (uint64_t)clock_ns();
}
#endif

static uint32_t histogram[BINS]; /* by ticks; the last has all that took longer */

static double tick_length(void)
{
    const double wanted = 2e7;
    double start = clock_ns(), passed;
    uint64_t first = now(), ticks;
    do {
        passed = clock_ns() - start;
        ticks = now() - first;
    } while (passed < wanted);
    return passed / (double)ticks;
}

/* In ticks. Bin b has the times from b - 1/2 to b + 1/2. */
static double percentile(double part)
{
    double rank = part * SAMPLES, below = 0;
    size_t bin = 0;
    while (bin < BINS - 1 && below + histogram[bin] < rank) {
        below += histogram[bin++];
    }
    return histogram[bin] ? (double)bin - 0.5 + (rank - below) / histogram[bin] : (double)bin;
}

static void fill_histogram(latency_query *query, const void *self, const struct keys *keys)
{
    static unsigned char key[KEYS_WIDTH_MAX];
    memset(histogram, 0, sizeof histogram);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t at = keys->count >= SAMPLES ? keys->count / SAMPLES * i : i % keys->count;
        memcpy(key, keys->at + at * keys->width, keys->width);
        uint64_t start = now();
        (void)query(self, key, 1);
        uint64_t ticks = now() - start;
        histogram[ticks < BINS ? ticks : BINS - 1]++;
    }
}

static uint64_t ask_nothing(const void *self, const void *keys, uint64_t count)
{
    (void)self;
    (void)keys;
    return count;
}

const struct latency_clock *latency_clock(void)
{
    static struct latency_clock found;
    if (found.tick_ns == 0) {
        unsigned char byte = 0;
        struct keys keys = {.at = &byte, .count = 1, .width = 1};
        latency_query *volatile query = ask_nothing; /* called through a pointer, as filters are */
        found.tick_ns = tick_length();
        fill_histogram(query, NULL, &keys);
        found.empty_ns = percentile(0.5) * found.tick_ns;
    }
    return &found;
}

struct latency latency_measure(latency_query *query, const void *self, const struct keys *keys)
{
    const struct latency_clock *clock = latency_clock();
    fill_histogram(query, self, keys);
    return (struct latency){.p50 = fmax(0, percentile(0.5) * clock->tick_ns - clock->empty_ns),
                            .p99 = fmax(0, percentile(0.99) * clock->tick_ns - clock->empty_ns)};
}
