/* SPDX-License-Identifier: MIT */
/*
 * Members are found: 10^8 of them, in every kind that promises to miss none; fewer where this machine cannot have so
 * many (large.h).
 *
 * usage: torture_members short|full [KEYS]       short: 10^6 for the fast kinds, 5 * 10^4 for others
 */
#include "check.h"
#include "figure.h"
#include "large.h"

static const char *const specs[] = {
    "bloom:fpr=0.01",
    "blocked:fpr=0.01",
    "ribbon:fpr=0.01",
    "counting:fpr=0.01",
    "deletable:fpr=0.01",
    "tombstone:fpr=0.01",
    "dcso:fpr=0.01",
    "keyed(blocked:fpr=0.01,prf=aes)",
    "keyed(bloom:fpr=0.01)",
    "keyed(ribbon:fpr=0.01)",
    "blocked:fpr=0.01,full=scale",
    "blocked:fpr=0.01,parts=3",
    "bloom:fpr=0.01,window=3",
    "learned:fpr=0.01",
    "sandwich:fpr=0.01",
    "partition:fpr=0.01",
    "uptown:fpr=0.01",
    "downtown:fpr=0.01",
    "robust:fpr=0.01",
    "keyed(partition:fpr=0.01)",
};

enum { SPECS = sizeof specs / sizeof specs[0], FAST = 2 };

#define WANTED UINT64_C(100000000)

/* Kinds that promise to miss none, and that no spec here has. */
static void check_kinds(void)
{
    for (size_t k = 0; uf_kind_name(k); k++) {
        int found = (uf_kind_traits(uf_kind_name(k)) & UF_TRAIT_PRIVATE) != 0;
        for (size_t i = 0; i < SPECS && !found; i++) {
            const uf_spec spec = spec_of(specs[i]);
            found = !strcmp(uf_spec_kind(&spec), uf_kind_name(k));
        }
        if (!found)
            complain("kind %s is not asked for its members", uf_kind_name(k));
    }
}

static void check_members(const char *spec, uint64_t n, int full, uint64_t seed)
{
    struct large request = {spec, n, n, 0, seed};
    char check[128];
    if (full)
        request = large_fit(&request);
    const struct large_result result = large_run(&request);
    (void)snprintf(check, sizeof check, "members found: %s", spec);
    if (result.status != UF_OK)
        complain("%s, %llu keys: %s", spec, (unsigned long long)request.n, result.why);
    figure(check, result.members, WANTED, result.missed, "%.1f s to build, %.1f s to ask, %.2f GiB; SEED=0x%llx",
           result.build_seconds, result.ask_seconds, result.peak_kib / (1 << 20), (unsigned long long)seed);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: torture_members short|full [KEYS]\n");
        return 2;
    }
    const int full = !strcmp(argv[1], "full");
    const uint64_t given = argc > 2 ? (uint64_t)strtod(argv[2], NULL) : 0;
    const uint64_t seed = figure_seed(full);
    check_kinds();
    large_open(5000);
    for (size_t i = 0; i < SPECS; i++)
        check_members(specs[i], given ? given : full ? WANTED : i < FAST ? 1000000 : 50000, full, seed);
    return figure_status();
}
