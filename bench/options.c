/* SPDX-License-Identifier: MIT */
/*
 * Options are read with getopt_long; lists are comma-separated numbers, written 1000000, 1e6 or 2^20. What the user
 * leaves open is filled in last, from --quick or --full.
 */
#include "options.h"

#include "keys.h"
#include "team.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: uf_bench [options]\n"
    "Measures the filters against this machine's limits and against libbloom, in one process.\n"
    "\n"
    "  --quick            sizes 10^4 to 10^7, keys of 8 bytes, 2^20 of 50; under two minutes (default)\n"
    "  --full             sizes 10^4 to 10^8, keys of 8 and 50 bytes, loading of 1 GiB\n"
    "  --sizes LIST       numbers of keys, such as 1e4,2^20 (from 1000); with all filters, widths and threads at "
    "each,\n"
    "                     where the two above leave out what takes long and shows little\n"
    "  --key-bytes LIST   widths: 8 means 64-bit integers, 16 and more text\n"
    "  --threads LIST     such as 1,2; 'all' is every CPU (default 1,all)\n"
    "  --kinds LIST       kinds, names, or name/kind, such as blocked,libbloom or ultrafilter/bloom\n"
    "  --spec SPEC        also measure this filter of ours, such as ribbon:band=64; may be repeated\n"
    "  --fpr P            false-positive rate to ask for (default 0.01)\n"
    "  --json FILE        write limits and results\n"
    "  --svg FILE         draw cost against size, with gnuplot\n"
    "  --chart FILE       draw bars for the largest size, with gnuplot\n";

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("uf_bench: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\ntry: uf_bench --help\n", stderr);
    va_end(args);
    exit(2);
}

/* "1e6", "1000000" or "2^20" as a whole number from `low` to `high`; `name` is the option, for the message. */
static uint64_t parse_number(const char *name, const char *text, double low, double high)
{
    char *end;
    double value = strtod(text, &end);
    if (*end == '^' && end != text) {
        value = pow(value, strtod(end + 1, &end));
    }
    if (end == text || *end || !(value >= low && value <= high) || value != floor(value)) {
        fail("%s: '%s' is not a whole number from %.0f to %.0f", name, text, low, high);
    }
    return (uint64_t)value;
}

static void parse_list(const char *name, const char *text, double low, double high, struct number_list *out)
{
    char *copy = strdup(text);
    char *rest = copy;
    char *token;
    out->count = 0;
    while (copy && (token = strsep(&rest, ",")) != NULL) {
        if (out->count == OPTION_LIST) {
            fail("%s: more than %d values", name, OPTION_LIST);
        }
        int all = strcmp(name, "--threads") == 0 && strcmp(token, "all") == 0;
        out->at[out->count++] = all ? team_cpus() : parse_number(name, token, low, high);
    }
    free(copy);
}

static double parse_fpr(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value < 1)) {
        fail("--fpr: '%s' is not a number between 0 and 1", text);
    }
    return value;
}

static void parse_widths(const char *text, struct number_list *out)
{
    parse_list("--key-bytes", text, 8, KEYS_WIDTH_MAX, out);
    for (size_t i = 0; i < out->count; i++) {
        if (out->at[i] != 8 && out->at[i] < KEYS_TEXT_MIN) {
            fail("--key-bytes: %llu: 8, or %d and more", (unsigned long long)out->at[i], KEYS_TEXT_MIN);
        }
    }
}

static int token_matches(const char *token, size_t length, const struct peer *peer)
{
    char both[300];
    int size = snprintf(both, sizeof both, "%.100s/%.150s", peer->name, peer->kind);
    return (strlen(peer->kind) == length && strncmp(token, peer->kind, length) == 0) ||
           (strlen(peer->name) == length && strncmp(token, peer->name, length) == 0) ||
           ((size_t)size == length && strncmp(token, both, length) == 0);
}

int options_want(const struct options *options, const struct peer *peer)
{
    const char *at = options->kinds;
    int is_spec = peer->variant && peer->variant == peer->name;
    if (!at || is_spec) {
        return 1;
    }
    for (;;) {
        size_t length = strcspn(at, ",");
        if (token_matches(at, length, peer)) {
            return 1;
        }
        if (!at[length]) {
            return 0;
        }
        at += length + 1;
    }
}

/* Every word of --kinds must mean something. */
static void check_kinds(const char *at)
{
    for (;;) {
        size_t length = strcspn(at, ",");
        int known = 0;
        for (size_t i = 0; peer_at(i); i++) {
            known |= token_matches(at, length, peer_at(i));
        }
        if (!known) {
            fprintf(stderr, "uf_bench: --kinds: no filter is called '%.*s'; there are", (int)length, at);
            for (size_t i = 0; peer_at(i); i++) {
                fprintf(stderr, "%s %s/%s", i ? "," : "", peer_at(i)->name, peer_at(i)->kind);
            }
            fputs("\n", stderr);
            exit(2);
        }
        if (!at[length]) {
            return;
        }
        at += length + 1;
    }
}

static void fill_in(struct options *out)
{
    out->trimmed = !out->sizes.count;
    if (!out->sizes.count) {
        parse_list("--sizes", out->full ? "1e4,3e4,1e5,3e5,2^20,3e6,1e7,3e7,1e8" : "1e4,1e5,2^20,1e7", 1000, 1e12,
                   &out->sizes);
    }
    if (!out->key_bytes.count) {
        parse_widths("8,50", &out->key_bytes);
    }
    if (!out->threads.count) {
        parse_list("--threads", team_cpus() > 1 ? "1,all" : "1", 1, TEAM_MAX, &out->threads);
    }
    if (out->kinds) {
        check_kinds(out->kinds);
    }
}

static void take(struct options *out, int option)
{
    switch (option) {
    case 'q':
    case 'f':
        out->full = option == 'f';
        return;
    case 's':
        parse_list("--sizes", optarg, 1000, 1e12, &out->sizes);
        return;
    case 'b':
        parse_widths(optarg, &out->key_bytes);
        return;
    case 't':
        parse_list("--threads", optarg, 1, TEAM_MAX, &out->threads);
        return;
    case 'k':
        out->kinds = optarg;
        return;
    case 'S':
        if (peer_add_spec(optarg) != 0) {
            fail("--spec: too many");
        }
        return;
    case 'p':
        out->fpr = parse_fpr(optarg);
        return;
    case 'j':
        out->json = optarg;
        return;
    case 'g':
        out->svg = optarg;
        return;
    case 'c':
        out->chart = optarg;
        return;
    case 'h':
        fputs(usage, stdout);
        exit(0);
    default:
        fputs("try: uf_bench --help\n", stderr);
        exit(2);
    }
}

void options_parse(struct options *out, int argc, char **argv)
{
    static const struct option known[] = {
        {"quick", no_argument, NULL, 'q'},
        {"full", no_argument, NULL, 'f'},
        {"sizes", required_argument, NULL, 's'},
        {"key-bytes", required_argument, NULL, 'b'},
        {"threads", required_argument, NULL, 't'},
        {"kinds", required_argument, NULL, 'k'},
        {"spec", required_argument, NULL, 'S'},
        {"fpr", required_argument, NULL, 'p'},
        {"json", required_argument, NULL, 'j'},
        {"svg", required_argument, NULL, 'g'},
        {"chart", required_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    *out = (struct options){.fpr = 0.01};
    while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1) {
        take(out, option);
    }
    if (optind < argc) {
        fail("'%s' is not an option", argv[optind]);
    }
    fill_in(out);
}
