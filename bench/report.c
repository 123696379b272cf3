/* SPDX-License-Identifier: MIT */
/*
 * The tables. A cell of the results is three numbers: nanoseconds per key, how many times the machine's limit that is
 * (1.00 would be perfect), and how many times faster than libbloom.
 */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void report_machine(const struct machine *machine, const struct options *options)
{
    printf("UltraFilter bench, %s; every time is the best of several runs in this process\n\n",
           options->full ? "full" : "quick");
    printf("Machine     %s, %u CPUs, %.1f GiB; %s\n", machine->cpu, machine->cpus, machine->memory_gib,
           machine->caches);
    printf("System      %s; transparent huge pages: %s\n", machine->system, machine->huge_pages);
    printf("Compiler    %s; %s\n", machine->compiler, machine->peers);
    printf("Memory      GLIBC_TUNABLES=%s, set by this program,\n"
           "            so that peers which use malloc get huge pages like everyone else\n\n",
           machine->tunables);
    fflush(stdout);
}

void report_limits(const struct limits *limits)
{
    printf("Limits of this machine\n");
    for (size_t i = 0; i < limits->plain_count; i++) {
        const struct plain_limit *limit = &limits->plain[i];
        if (strcmp(limit->name, "latency") == 0) {
            printf("  DRAM latency, dependent loads over %zu MiB %16.1f ns\n", limit->bytes >> 20, limit->ns);
        } else if (strcmp(limit->name, "sequential_read") == 0) {
            printf("  sequential read, %3u thread%s %26.1f GB/s\n", limit->threads, limit->threads > 1 ? "s" : " ",
                   1 / limit->ns);
        } else {
            printf("  XXH3-128 of %2zu bytes, inlined %25.2f ns\n", limit->bytes, limit->ns);
        }
    }
    printf("  (of %llu MiB asked for on huge pages, %llu MiB are)\n\n", (unsigned long long)limits->huge_asked >> 20,
           (unsigned long long)limits->huge_got >> 20);
    fflush(stdout);
}

static void print_best(const struct lines_best *best)
{
    char how[32] = "no prefetch";
    if (best->level) {
        snprintf(how, sizeof how, "L%d, %u ahead", best->level, best->ahead);
    }
    printf("  %8.2f ns  %-12s", best->ns, how);
}

void report_lines(const struct limits *limits)
{
    printf("Limits for a table of a filter's size: one random cache line per key, the best of 7 ways\n");
    printf("%14s %8s  %-25s %s\n", "table", "threads", "     read", "     read-modify-write");
    for (size_t i = 0; i < limits->lines_count; i++) {
        const struct line_limit *limit = &limits->lines[i];
        printf("%10.3f MiB %8u", (double)limit->bytes / (1 << 20), limit->read.threads);
        print_best(&limit->read);
        print_best(&limit->update);
        printf("\n");
    }
    printf("\n");
}

static void print_cell(const struct result *row)
{
    char libbloom[16] = "-";
    if (!row) {
        printf("  %5s %5s %4s", "-", "-", "-");
        return;
    }
    if (!isnan(row->ratio_libbloom)) {
        snprintf(libbloom, sizeof libbloom, "%.1f", row->ratio_libbloom);
    }
    printf("  %5.*f %5.*f %4s", row->ns < 100 ? 2 : 1, row->ns, row->ratio_limit < 100 ? 2 : 1, row->ratio_limit,
           libbloom);
}

static void print_filter(const struct results *results, const struct result *first, double fpr)
{
    const struct result *cells[OP_MANY_MISS + 1];
    for (int op = OP_BUILD; op <= OP_MANY_MISS; op++) {
        cells[op] = results_find(results, first->peer, first->n, first->key_bytes, first->threads, (enum op)op);
    }
    const struct result *miss = cells[OP_MISS];
    /* More than was asked for, by over five standard deviations of a count over 2^17 keys, the fewest there are. */
    int high = miss && !first->peer->forgets && miss->fpr > fpr + 5 * sqrt(fpr / (1 << 17));
    printf("%-20.20s %5.2f %6.3f%c", first->peer->label, first->bits_per_key, miss ? 100 * miss->fpr : NAN,
           high ? '!' : ' ');
    for (int op = OP_BUILD; op <= OP_MANY_MISS; op++) {
        print_cell(cells[op]);
    }
    printf("\n");
}

void report_block(const struct results *results, uint64_t n, size_t key_bytes, unsigned threads, double fpr)
{
    const struct peer *last = NULL;
    for (size_t i = 0; i < results->count; i++) {
        const struct result *row = &results->rows[i];
        if (row->n != n || row->key_bytes != key_bytes || row->threads != threads || row->op > OP_MANY_MISS) {
            continue;
        }
        if (!last) {
            printf("%llu keys of %zu bytes, %u thread%s: ns per key, times the limit, times faster than libbloom\n",
                   (unsigned long long)n, key_bytes, threads, threads > 1 ? "s" : "");
            printf("%-20s %5s %6s   %-18s%-18s%-18s%-18s%s\n", "", "bits", "FPR %", "build", "hit", "miss", "many-hit",
                   "many-miss");
        }
        if (last != row->peer) {
            print_filter(results, row, fpr);
        }
        last = row->peer;
    }
    if (last) {
        printf("\n");
        fflush(stdout);
    }
}

void report_alone(const struct results *results, uint64_t n, size_t key_bytes)
{
    const struct latency_clock *clock = latency_clock();
    int any = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct result *hit = &results->rows[i];
        if (hit->n != n || hit->key_bytes != key_bytes || hit->threads != 1 || hit->op != OP_HIT) {
            continue;
        }
        const struct result *miss = results_find(results, hit->peer, n, key_bytes, 1, OP_MISS);
        if (!any++) {
            printf("%llu keys of %zu bytes, a query by itself: ns from a key in cache to its answer, latency\n"
                   "(a clock of %.2f ns; %.1f ns for an empty call are taken off)\n",
                   (unsigned long long)n, key_bytes, clock->tick_ns, clock->empty_ns);
            printf("%-20s %9s %7s %11s %7s\n", "", "hit p50", "p99", "miss p50", "p99");
        }
        printf("%-20.20s %9.1f %7.1f %11.1f %7.1f\n", hit->peer->label, hit->alone.p50, hit->alone.p99,
               miss ? miss->alone.p50 : NAN, miss ? miss->alone.p99 : NAN);
    }
    if (any) {
        printf("\n");
        fflush(stdout);
    }
}

/* The ways to a filter other than from a file as a whole. */
static const char *way_name(enum op op)
{
    switch (op) {
    case OP_LOAD_BYTES:
        return "uf_load_bytes, of a file in memory";
    case OP_LOAD_PIECES:
        return "uf_loader, 64 KiB at a time";
    case OP_VIEW:
        return "uf_load_view, in place";
    case OP_COPY:
        return "uf_copy";
    case OP_WRITE_LOAD:
        return "uf_write and uf_load_bytes, instead of it";
    default:
        return NULL;
    }
}

void report_loads(const struct results *results)
{
    int any = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct result *row = &results->rows[i];
        double mib = (double)row->bytes / (1 << 20);
        if (row->op == OP_READ) {
            printf("read of %.0f MiB in the page cache, unchecked, %u thread%s: %.2f GB/s, %.1f ms\n", mib,
                   row->threads, row->threads > 1 ? "s" : "", (double)row->bytes / row->ns, row->ns / 1e6);
        } else if (row->op == OP_LOAD) {
            printf("uf_load of the same, %u thread%s: %.2f GB/s, %.1f ms, %.2f times that read\n", row->threads,
                   row->threads > 1 ? "s" : "", (double)row->bytes / row->ns, row->ns / 1e6, row->ratio_limit);
            any = 1;
        } else if (row->op == OP_LOAD_MAP) {
            printf("uf_load of %.0f MiB with UF_MAP, to the first answer: %.3f ms\n", mib, row->ns / 1e6);
            any = 1;
        } else if (way_name(row->op)) {
            printf("  %-42s %6.2f GB/s %8.1f ms, at most %.2f times the filter in memory\n", way_name(row->op),
                   (double)row->bytes / row->ns, row->ns / 1e6, row->memory);
        }
    }
    if (any) {
        printf("\n");
    }
}

void report_quiet(double cpu_share)
{
    printf("The measured threads had %.1f %% of their CPUs.%s\n", 100 * cpu_share,
           cpu_share < 0.97 ? " Something else was running: do not trust these numbers, repeat them on a quiet machine."
                            : "");
}
