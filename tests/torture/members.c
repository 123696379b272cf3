/* SPDX-License-Identifier: MIT */
/*
 * Members are found: 10^8 of them, in every kind that promises to miss none. Each filter is built in a process of its
 * own, which says how long that took and how much memory.
 *
 * usage: torture_members short|full [KEYS]       keys of 8 bytes; short: 10^6 for the fast kinds, 5 * 10^4 for others
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "figure.h"
#include "secrets.h"
#include "subjects.h"

enum { BATCH = 1 << 16, KEY = 8 };

static const char *const specs[] = {
    "bloom:fpr=0.01",        "blocked:fpr=0.01",
    "ribbon:fpr=0.01",       "counting:fpr=0.01",
    "deletable:fpr=0.01",    "tombstone:fpr=0.01",
    "dcso:fpr=0.01",         "keyed(blocked:fpr=0.01,prf=aes)",
    "keyed(bloom:fpr=0.01)", "blocked:fpr=0.01,full=scale",
    "learned:fpr=0.01",      "sandwich:fpr=0.01",
    "partition:fpr=0.01",    "uptown:fpr=0.01",
    "downtown:fpr=0.01",     "robust:fpr=0.01",
};

enum { SPECS = sizeof specs / sizeof specs[0], FAST = 2 };

/* What the process of one spec found. */
struct result {
    uint64_t asked, missed;
    int status;
    double build_seconds, ask_seconds;
    long peak_kib;
    char why[200];
};

static void fill(unsigned char *keys, uint64_t from, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = (from + i) * UINT64_C(0x9e3779b97f4a7c15) ^ seed;
        memcpy(keys + i * KEY, &key, KEY);
    }
}

static int build_filter(const char *text, uint64_t n, uint64_t seed, uf_filter **out, uf_error *why)
{
    static unsigned char keys[BATCH * KEY];
    uf_spec spec = spec_of(text);
    uf_context ctx = subject_context();
    uf_builder *builder = NULL;
    char number[24];
    ctx.secret = subject_secret(text);
    ctx.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)(strstr(text, "scale") ? n / 100 + 1 : n));
    int status = uf_spec_set(&spec, "n", number, why);
    if (status == UF_OK)
        status = uf_builder_new(&spec, &ctx, &builder, why);
    for (uint64_t at = 0; at < n && status == UF_OK; at += BATCH) {
        const size_t count = n - at < BATCH ? (size_t)(n - at) : BATCH;
        fill(keys, at, count, seed);
        status = uf_builder_add_fixed(builder, keys, KEY, count, why);
    }
    if (status == UF_OK)
        status = uf_builder_finish(builder, out, why);
    uf_builder_free(builder);
    return status;
}

static void ask_all(const uf_filter *filter, uint64_t n, uint64_t seed, struct result *out)
{
    static unsigned char keys[BATCH * KEY];
    static uint8_t answers[BATCH];
    for (uint64_t at = 0; at < n; at += BATCH) {
        const size_t count = n - at < BATCH ? (size_t)(n - at) : BATCH;
        fill(keys, at, count, seed);
        uf_query_fixed(filter, keys, KEY, count, answers);
        for (size_t i = 0; i < count; i++)
            out->missed += !answers[i];
        out->asked += count;
    }
}

static void run_one(const char *text, uint64_t n, uint64_t seed, int to)
{
    struct result result = {.asked = 0};
    struct rusage usage;
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    const double start = figure_clock();
    result.status = build_filter(text, n, seed, &filter, &why);
    const double built = figure_clock();
    if (result.status == UF_OK)
        ask_all(filter, n, seed, &result);
    result.build_seconds = built - start;
    result.ask_seconds = figure_clock() - built;
    (void)getrusage(RUSAGE_SELF, &usage);
    result.peak_kib = usage.ru_maxrss;
    (void)snprintf(result.why, sizeof result.why, "%.190s", why.text);
    _exit(write(to, &result, sizeof result) == (ssize_t)sizeof result ? 0 : 1);
}

static struct result result_of(const char *text, uint64_t n, uint64_t seed)
{
    struct result result = {.status = UF_ENOMEM, .why = "the process was killed"};
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child)
        run_one(text, n, seed, ends[1]);
    close(ends[1]);
    (void)!read(ends[0], &result, sizeof result);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return result;
}

/* Kinds that promise to miss none, and that no spec here has. */
static uint64_t missing_kinds(void)
{
    uint64_t missing = 0;
    for (size_t k = 0; uf_kind_name(k); k++) {
        int found = (uf_kind_traits(uf_kind_name(k)) & UF_TRAIT_PRIVATE) != 0;
        for (size_t i = 0; i < SPECS && !found; i++) {
            const uf_spec spec = spec_of(specs[i]);
            found = !strcmp(uf_spec_kind(&spec), uf_kind_name(k));
        }
        if (!found)
            complain("kind %s is not asked for its members", uf_kind_name(k));
        missing += !found;
    }
    return missing;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: torture_members short|full [KEYS]\n");
        return 2;
    }
    const int full = !strcmp(argv[1], "full");
    const uint64_t given = argc > 2 ? (uint64_t)strtod(argv[2], NULL) : 0;
    const uint64_t seed = figure_seed(full), missing = missing_kinds();
    (void)subject_learning(); /* trained once, and shared by the processes */
    (void)secret_number(0);
    for (size_t i = 0; i < SPECS; i++) {
        const uint64_t n = given ? given : full ? 100000000 : i < FAST ? 1000000 : 50000;
        const struct result result = result_of(specs[i], n, seed);
        char check[128];
        (void)snprintf(check, sizeof check, "members found: %s", specs[i]);
        if (result.status != UF_OK)
            complain("%s: %s", specs[i], result.why);
        figure(check, result.asked, 100000000, result.missed + (i ? 0 : missing),
               "%llu missed; %.1f s to build, %.1f s to ask, %.2f GiB at most; SEED=0x%llx",
               (unsigned long long)result.missed, result.build_seconds, result.ask_seconds,
               (double)result.peak_kib / (1 << 20), (unsigned long long)seed);
    }
    return figure_status();
}
