/* SPDX-License-Identifier: MIT */
/*
 * Writes the data of a picture and runs gnuplot on it. Queries are for absent keys; one by one and in batches are
 * apart, so that like is beside like. The scripts plot.gp and chart.gp get file names, a title and the number of series
 * as arguments; what to draw and in which colour is in the data. The hardware limit is not a row of the results: it is
 * taken from the row of the blocked filter (ns / ratio_limit), whose table it was measured for.
 */
#include "plot.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#ifndef UF_BENCH_SCRIPTS
#define UF_BENCH_SCRIPTS "bench"
#endif

extern char **environ;

/* Colours that stay apart for colour-blind readers (Okabe and Ito), on white; other peers take turns. */
static const struct {
    const struct peer *peer;
    unsigned colour;
} colours[] = {
    {&peer_libbloom, 0xD55E00},
    {&peer_blocked, 0x0072B2},
    {&peer_bloom, 0x009E73},
    {&peer_bloom_early, 0x56B4E9},
    {&peer_ribbon, 0xCC79A7},
    {&peer_dpset, 0x882255},
    {&peer_keyed, 0x44AA99},
#ifdef UF_PEER_FASTFILTER_RIBBON
    {&peer_fastfilter_ribbon, 0x8C510A},
#endif
#ifdef UF_PEER_FUSE
    {&peer_fuse8, 0xE69F00},
    {&peer_fuse16, 0xF0C808},
#endif
#ifdef UF_PEER_ROCKSDB
    {&peer_rocksdb, 0x332288},
#endif
#ifdef UF_PEER_SPLITBLOCK
    {&peer_splitblock, 0x117733},
#endif
};
static const unsigned other_colours[] = {0x000000, 0x999933, 0xAA4499};
static const unsigned limit_colour = 0x777777;

static unsigned colour_of(const struct peer *peer)
{
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++) {
        if (colours[i].peer == peer) {
            return colours[i].colour;
        }
    }
    size_t place = 0;
    while (peer_at(place) && peer_at(place) != peer) {
        place++;
    }
    return other_colours[place % (sizeof other_colours / sizeof other_colours[0])];
}

/* "UltraFilter " before our own, nothing before others. */
static const char *prefix_of(const struct peer *peer)
{
    return strncmp(peer->name, "ultrafilter", strlen("ultrafilter")) == 0 ? "UltraFilter " : "";
}

static double limit_ns(const struct result *row)
{
    return row && row->ratio_limit > 0 ? row->ns / row->ratio_limit : NAN;
}

/* One series: a title line "colour|label", then n and ns a line, then two empty lines. A NULL peer means the limit.
 * 0 when it has no point. */
static int write_series(FILE *file, const struct options *options, const struct results *results,
                        const struct peer *peer, enum op op)
{
    size_t width = (size_t)options->key_bytes.at[0];
    const struct peer *from = peer ? peer : &peer_blocked;
    int points = 0;
    for (size_t i = 0; i < options->sizes.count; i++) {
        const struct result *row = results_find(results, from, options->sizes.at[i], width, 1, op);
        double ns = !row ? NAN : peer ? row->ns : limit_ns(row);
        if (isnan(ns)) {
            continue;
        }
        if (points++ == 0) {
            fprintf(file, "\"#%06X|%s%s\"\n", peer ? colour_of(peer) : limit_colour, peer ? prefix_of(peer) : "",
                    peer ? peer->label : "hardware limit");
        }
        fprintf(file, "%llu %.3f\n", (unsigned long long)options->sizes.at[i], ns);
    }
    if (points > 0) {
        fprintf(file, "\n\n");
    }
    return points > 0;
}

static int write_panel(FILE *file, const struct options *options, const struct results *results, enum op op)
{
    int series = 0;
    for (size_t i = 0; peer_at(i); i++) {
        series += write_series(file, options, results, peer_at(i), op);
    }
    return series + write_series(file, options, results, NULL, op);
}

/* Runs "gnuplot -c script data out title counts[0] counts[1] counts[2]". */
static int draw(const char *script, const char *data, const char *out, const char *title, const int counts[3])
{
    char full[4096], count[3][16];
    pid_t child;
    int status = 0;
    snprintf(full, sizeof full, "%s/%s", UF_BENCH_SCRIPTS, script);
    for (int i = 0; i < 3; i++) {
        snprintf(count[i], sizeof count[i], "%d", counts[i]);
    }
    const char *const args[] = {"gnuplot", "-c", full, data, out, title, count[0], count[1], count[2], NULL};
    if (posix_spawnp(&child, "gnuplot", NULL, NULL, (char *const *)(uintptr_t)args, environ) != 0) {
        fprintf(stderr, "uf_bench: gnuplot is not here, so %s was not drawn (its data is in %s)\n", out, data);
        return -1;
    }
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "uf_bench: gnuplot could not draw %s from %s\n", out, data);
        return -1;
    }
    return 0;
}

static void make_title(char *out, size_t size, const struct options *options, const struct machine *machine)
{
    snprintf(out, size, "keys of %llu bytes, false positives %g %%, one thread of %.70s",
             (unsigned long long)options->key_bytes.at[0], 100 * options->fpr, machine->cpu);
}

int plot_growth(const char *path, const struct options *options, const struct machine *machine,
                const struct results *results)
{
    char data[4096], title[256];
    snprintf(data, sizeof data, "%.4000s.dat", path);
    FILE *file = fopen(data, "w");
    if (!file) {
        fprintf(stderr, "uf_bench: could not write %s\n", data);
        return -1;
    }
    static const enum op panels[3] = {OP_BUILD, OP_MISS, OP_MANY_MISS};
    int series[3];
    for (int i = 0; i < 3; i++) {
        series[i] = write_panel(file, options, results, panels[i]);
    }
    make_title(title, sizeof title, options, machine);
    fclose(file);
    return draw("plot.gp", data, path, title, series);
}

/* One bar: its row on the page, ns, colour, label. The next row. */
static int write_bar(FILE *file, int y, double ns, unsigned colour, const char *prefix, const char *label)
{
    if (isnan(ns)) {
        return y;
    }
    fprintf(file, "%d %.3f %u \"%s%s\"\n", y, ns, colour, prefix, label);
    return y + 1;
}

/* Not among the bars: variants of others that are. */
static int is_variant(const struct peer *peer)
{
    return peer == &peer_bloom_early || peer == &peer_dpset || peer == &peer_keyed || strcmp(peer->kind, "fuse16") == 0;
}

/* The bars of one operation from below, ours on top, the limit, the heading, and an empty row. Only filters that have
 * the operation: batches are beside batches, single queries beside single ones. */
static int write_group(FILE *file, int y, const char *heading, const struct results *results, uint64_t n, size_t width,
                       enum op op)
{
    int start = y;
    for (int ours = 0; ours < 2; ours++) {
        size_t count = 0;
        while (peer_at(count)) {
            count++;
        }
        for (size_t i = count; i-- > 0;) {
            const struct peer *peer = peer_at(i);
            const struct result *row = results_find(results, peer, n, width, 1, op);
            if (row && ours == (*prefix_of(peer) != 0) && !is_variant(peer)) {
                y = write_bar(file, y, row->ns, colour_of(peer), prefix_of(peer), peer->label);
            }
        }
    }
    /* The limit is of lines fetched ahead, which single queries cannot do. */
    double limit = op == OP_MISS ? NAN : limit_ns(results_find(results, &peer_blocked, n, width, 1, op));
    y = write_bar(file, y, limit, limit_colour, "", "hardware limit");
    if (y == start) {
        return y;
    }
    fprintf(file, "%d -1 0 \"%s\"\n", y, heading);
    return y + 2;
}

/* "10 million", or the digits where it is none. */
static void write_count(char *out, size_t size, uint64_t n)
{
    const uint64_t million = 1000000;
    int round = n >= million && n % million == 0;
    snprintf(out, size, "%llu%s", (unsigned long long)(round ? n / million : n), round ? " million" : "");
}

int plot_chart(const char *path, const struct options *options, const struct machine *machine,
               const struct results *results)
{
    char data[4096], title[400], about[256], count[40];
    size_t width = (size_t)options->key_bytes.at[0];
    uint64_t n = 0;
    for (size_t i = 0; i < options->sizes.count; i++) {
        int any = results_find(results, &peer_blocked, options->sizes.at[i], width, 1, OP_MISS) != NULL;
        n = any && options->sizes.at[i] > n ? options->sizes.at[i] : n;
    }
    snprintf(data, sizeof data, "%.4000s.dat", path);
    FILE *file = fopen(data, "w");
    if (!file) {
        fprintf(stderr, "uf_bench: could not write %s\n", data);
        return -1;
    }
    int y = write_group(file, 0, "Query in batches", results, n, width, OP_MANY_MISS);
    y = write_group(file, y, "Query one by one", results, n, width, OP_MISS);
    y = write_group(file, y, "Build", results, n, width, OP_BUILD);
    fclose(file);
    make_title(about, sizeof about, options, machine);
    write_count(count, sizeof count, n);
    snprintf(title, sizeof title, "ns per key, %s %s", count, about);
    return y ? draw("chart.gp", data, path, title, (const int[3]){y}) : 0;
}
