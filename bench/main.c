/* SPDX-License-Identifier: MIT */
/*
 * uf_bench: our filters, libbloom and whatever peers were found, against the limits of the machine they run on.
 *
 *     limits ──► for each key width, size, filter, number of threads: build, ask, check ──► tables, JSON, SVG
 *
 * Speed is never asserted, only compared: with a limit or a peer, in this process. Before anything else the program
 * restarts itself with glibc.malloc.hugetlb=1, so that peers that allocate with malloc get huge pages too; libbloom at
 * 10^8 keys would be 14 % slower to build without.
 */
#include "keys.h"
#include "limits.h"
#include "load.h"
#include "machine.h"
#include "measure.h"
#include "options.h"
#include "pages.h"
#include "plot.h"
#include "report.h"
#include "results.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Absent keys are numbered from here, far above any size. */
static const uint64_t first_miss = (uint64_t)1 << 48;

enum { MISSES_MIN = 1 << 17, PARALLEL_MIN = 1 << 20 };

static const struct effort quick_effort = {3, 5e7, 6e8, 1u << 21};
static const struct effort full_effort = {3, 2e8, 3e9, 5000000};

struct bench {
    struct options options;
    struct effort effort;
    struct limits limits;
    struct results results;
    int failed;
};

static void restart_on_huge_pages(char **argv)
{
    static const char wanted[] = "glibc.malloc.hugetlb";
    const char *old = getenv("GLIBC_TUNABLES");
    char text[512];
    if (old && strstr(old, wanted)) {
        return;
    }
    snprintf(text, sizeof text, "%.400s%s%s=1", old ? old : "", old && *old ? ":" : "", wanted);
    if (setenv("GLIBC_TUNABLES", text, 1) == 0) {
        execv("/proc/self/exe", argv);
    }
    perror("uf_bench: could not restart with GLIBC_TUNABLES; peers that use malloc get small pages");
}

static void show_progress(const struct peer *peer, uint64_t n, unsigned threads)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%s %s, %llu keys, %u thread%s", peer->name, peer->kind, (unsigned long long)n, threads,
                threads > 1 ? "s" : "");
    }
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
}

/* What the runs without --sizes have. Wide keys: in cache, out of it, and the largest. Several threads: 8-byte keys,
 * at 10^7 and the largest. Not where others show the same: early exit; in the quick run private and keyed filters of
 * 10^7 wide keys or on several threads. Not where it takes minutes: private filters of 10^8 keys. */
static int in_trimmed(const struct options *options, const struct peer *peer, uint64_t n, size_t width,
                      unsigned threads)
{
    int wide = width > 8;
    int special = peer == &peer_dpset || peer == &peer_keyed;
    if (!options->full && n > 1 << 20 && (wide || peer == &peer_bloom_early || (special && threads > 1))) {
        return 0;
    }
    if (peer == &peer_bloom_early && (wide || threads > 1)) {
        return 0;
    }
    if (peer->forgets && n > 10000000) {
        return 0;
    }
    if (wide && n != 1 << 20 && n != 10000000 && n != 100000000) {
        return 0;
    }
    return threads == 1 || (!wide && (n == 10000000 || n == 100000000));
}

/* Small builds finish before threads wake up; several threads are only measured on sizes that take milliseconds. */
static int worth_it(const struct options *options, const struct measure_job *job)
{
    uint64_t n = job->hits->count;
    if (job->threads > 1 && n < PARALLEL_MIN) {
        return 0;
    }
    return !options->trimmed || in_trimmed(options, job->peer, n, job->hits->width, job->threads);
}

static void run_peers(struct bench *bench, const struct keys *hits, const struct keys *misses)
{
    const struct options *options = &bench->options;
    for (size_t i = 0; peer_at(i); i++) {
        for (size_t t = 0; t < options->threads.count; t++) {
            struct measure_job job = {peer_at(i),   hits,         misses, (unsigned)options->threads.at[t],
                                      options->fpr, bench->effort};
            if (!options_want(options, job.peer) || !worth_it(options, &job)) {
                continue;
            }
            show_progress(job.peer, hits->count, job.threads);
            bench->failed |= measure_peer(&job, &bench->limits, &bench->results) != 0;
        }
    }
    clear_progress();
}

/* Keys, a filter of up to 4 bytes per key, and 24 per key while a static filter is built. */
static int fits_memory(uint64_t n, size_t width)
{
    uint64_t need = n * (width + 28) + ((uint64_t)1 << 28);
    uint64_t have = pages_available();
    if (have && need > have) {
        printf("%llu keys of %zu bytes: skipped, they need %.1f GiB and %.1f GiB are free\n\n", (unsigned long long)n,
               width, (double)need / (1 << 30), (double)have / (1 << 30));
        return 0;
    }
    return 1;
}

static void run_size(struct bench *bench, uint64_t n, size_t width)
{
    const struct options *options = &bench->options;
    struct keys hits = {0}, misses = {0};
    size_t before = bench->results.count;
    uint64_t absent = n < bench->effort.queries_max ? n : bench->effort.queries_max;
    if (!fits_memory(n, width)) {
        return;
    }
    team_settle(1);
    if (keys_make(&hits, 0, n, width) != 0 ||
        keys_make(&misses, first_miss, absent > MISSES_MIN ? absent : MISSES_MIN, width) != 0) {
        fprintf(stderr, "uf_bench: no memory for %llu keys of %zu bytes\n", (unsigned long long)n, width);
        bench->failed = 1;
    } else {
        run_peers(bench, &hits, &misses);
        results_compare(&bench->results, before, &bench->limits);
        for (size_t t = 0; t < options->threads.count; t++) {
            report_block(&bench->results, n, width, (unsigned)options->threads.at[t], options->fpr);
        }
        report_alone(&bench->results, n, width);
    }
    keys_free(&hits);
    keys_free(&misses);
}

/* The folder of the program itself, which is the build folder. */
static void own_folder(char *out, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    out[length > 0 ? length : 0] = 0;
    char *slash = strrchr(out, '/');
    snprintf(slash ? slash : out, 2, "%s", slash ? "" : ".");
}

static void run_loads(struct bench *bench, unsigned threads)
{
    char folder[4096];
    uint64_t bytes = (uint64_t)1 << (bench->options.full ? 30 : 27);
    if (!options_want(&bench->options, &peer_blocked)) {
        return;
    }
    own_folder(folder, sizeof folder - 64);
    bench->failed |= load_measure(folder, bytes, threads, &bench->effort, &bench->results) != 0;
    report_loads(&bench->results);
}

static int write_files(const struct bench *bench, const struct machine *machine)
{
    const struct options *options = &bench->options;
    int failed = 0;
    if (options->json) {
        failed |= report_json(options->json, machine, options, &bench->limits, &bench->results) != 0;
    }
    /* A missing gnuplot is said and is no failure: the numbers are there. */
    if (options->svg) {
        (void)plot_growth(options->svg, options, machine, &bench->results);
    }
    if (options->chart) {
        (void)plot_chart(options->chart, options, machine, &bench->results);
    }
    return failed;
}

static unsigned most_threads(const struct options *options)
{
    uint64_t most = 1;
    for (size_t i = 0; i < options->threads.count; i++) {
        most = options->threads.at[i] > most ? options->threads.at[i] : most;
    }
    return (unsigned)most;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct machine machine;
    restart_on_huge_pages(argv);
    options_parse(&bench.options, argc, argv);
    bench.effort = bench.options.full ? full_effort : quick_effort;
    unsigned threads = most_threads(&bench.options);
    machine_describe(&machine);
    report_machine(&machine, &bench.options);
    if (limits_measure(&bench.limits, threads) != 0) {
        fprintf(stderr, "uf_bench: no memory to measure the limits\n");
        return 2;
    }
    report_limits(&bench.limits);
    for (size_t w = 0; w < bench.options.key_bytes.count; w++) {
        for (size_t s = 0; s < bench.options.sizes.count; s++) {
            run_size(&bench, bench.options.sizes.at[s], (size_t)bench.options.key_bytes.at[w]);
        }
    }
    limits_sort(&bench.limits);
    report_lines(&bench.limits);
    run_loads(&bench, threads);
    report_quiet(team_cpu_share());
    bench.failed |= write_files(&bench, &machine);
    results_free(&bench.results);
    return bench.failed ? 1 : 0;
}
