/* SPDX-License-Identifier: MIT */
/*
 * A filter that refuses takes the n keys that it was planned for: filters of every kind, rate and size are filled with
 * exactly n, and none of them is refused. usage: stat_capacity [FILTERS]
 *
 * FILTERS of each kind, rate and size up to 1,000 keys (8; 4 with UF_TEST_SMALL=1; 1,000 with UF_TEST_FULL=1), a tenth
 * of that with 10^4 and 10^5 keys, and 8 at least of some with 10^5. A quarter each is filled key by key, in batches,
 * by a build and by the union of two halves. The limit is what one filter in 10^9 exceeds, so that one refusal among
 * these would be no chance.
 *
 * The controls must be refused: one key more than n of which none was taken for another, and a filter that was planned
 * for a little less.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ultrafilter.h"

static const char *const kinds[] = {"bloom", "blocked", "blocked:k=16", "counting", "deletable", "tombstone"};
static const double rates[] = {0.5, 0.1, 0.01, 0.001, 1e-6};
static const size_t sizes[] = {1, 2, 3, 10, 30, 100, 1000, 10000, 100000};

enum { KINDS = sizeof kinds / sizeof kinds[0], RATES = sizeof rates / sizeof rates[0] };
enum { SIZES = sizeof sizes / sizeof sizes[0], SMALL_SIZE = 1000, MOST = 100000 };

static uint64_t keys[MOST];
static uint64_t next_key = 1;

/* So many keys that never came before. */
static const uint64_t *draw(size_t count)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = next_key++;
    return keys;
}

static void must(int status, const uf_error *why)
{
    if (status == UF_OK)
        return;
    (void)fprintf(stderr, "stat_capacity: %s\n", why->text);
    exit(2);
}

static uf_spec spec_of(const char *kind, double fpr, size_t n, uint64_t seed)
{
    uf_spec spec;
    uf_error why;
    char text[128];
    (void)snprintf(text, sizeof text, "%s%sn=%zu,fpr=%g,full=refuse,seed=0x%llx", kind, strchr(kind, ':') ? "," : ":",
                   n, fpr, (unsigned long long)seed);
    must(uf_spec_parse(text, &spec, &why), &why);
    return spec;
}

static uf_filter *empty(const uf_spec *spec)
{
    uf_filter *filter = NULL;
    uf_error why;
    must(uf_build(spec, NULL, 0, NULL, &filter, &why), &why);
    return filter;
}

/* ---- ways to fill one: each returns what came of it ---- */

static int one_by_one(uf_filter *filter, const uint64_t *key, size_t count)
{
    int status = UF_OK;
    for (size_t i = 0; status == UF_OK && i < count; i++)
        status = uf_insert(filter, (uf_key){&key[i], sizeof key[i]}, NULL);
    return status;
}

static int fill(const uf_spec *spec, unsigned way, const uint64_t *key, size_t count)
{
    uf_filter *filter = empty(spec), *other = empty(spec);
    size_t half = count / 2;
    int status;
    if (way == 0) {
        status = one_by_one(filter, key, count);
    } else if (way == 1) {
        status = uf_insert_fixed(filter, key, sizeof *key, count, NULL);
    } else if (way == 2) {
        uf_builder *builder = NULL;
        uf_filter *built = NULL;
        uf_error why;
        must(uf_builder_new(spec, NULL, &builder, &why), &why);
        must(uf_builder_add_fixed(builder, key, sizeof *key, count, &why), &why);
        status = uf_builder_finish(builder, &built, NULL);
        uf_builder_free(builder);
        uf_free(built);
    } else {
        status = uf_insert_fixed(filter, key, sizeof *key, half, NULL);
        if (status == UF_OK)
            status = uf_insert_fixed(other, key + half, sizeof *key, count - half, NULL);
        if (status == UF_OK)
            status = uf_merge(filter, other, NULL);
    }
    uf_free(filter);
    uf_free(other);
    return status;
}

/* ---- cells ---- */

static size_t filters_wanted(int argc, char **argv)
{
    if (argc > 1)
        return strtoull(argv[1], NULL, 0);
    return getenv("UF_TEST_SMALL") ? 4 : getenv("UF_TEST_FULL") ? 1000 : 8;
}

static size_t filters_of(size_t n, size_t filters)
{
    return n <= SMALL_SIZE ? filters : filters / 10;
}

/* How many filters of a cell refused one of the keys that they were planned for. */
static size_t refusals(const char *kind, double fpr, size_t n, size_t filters)
{
    static uint64_t seed = 0x5eed0000;
    size_t refused = 0;
    for (size_t i = 0; i < filters; i++) {
        uf_spec spec = spec_of(kind, fpr, n, seed++);
        refused += fill(&spec, (unsigned)(i % 4), draw(n), n) != UF_OK;
    }
    return refused;
}

/* Keys that are added until one is new too often, or the measure is above its limit. */
static int control_refuses(const char *kind, double fpr, size_t planned, size_t filled)
{
    uf_spec spec = spec_of(kind, fpr, planned, 0xc0117a01);
    uf_filter *filter = empty(&spec);
    int status = one_by_one(filter, draw(filled), filled);
    uf_free(filter);
    return status == UF_EFULL;
}

static unsigned check_cell(const char *kind, double fpr, size_t n, size_t filters, size_t *done)
{
    size_t refused = refusals(kind, fpr, n, filters);
    *done += filters;
    if (refused)
        printf("%-13s fpr %-6g n %-7zu %zu of %zu filters refused keys that they were planned for\n", kind, fpr, n,
               refused, filters);
    return refused != 0;
}

static unsigned check_kind(const char *kind, size_t filters, size_t *done)
{
    unsigned bad = 0;
    for (size_t r = 0; r < RATES; r++)
        for (size_t s = 0; s < SIZES; s++)
            bad += check_cell(kind, rates[r], sizes[s], filters_of(sizes[s], filters), done);
    if (!control_refuses(kind, 1e-6, 1000, 1001) || !control_refuses(kind, 0.01, 900, 1000)) {
        printf("%-13s a control was not refused\n", kind);
        bad++;
    }
    return bad;
}

int main(int argc, char **argv)
{
    size_t filters = filters_wanted(argc, argv), done = 0;
    unsigned bad = 0;
    for (size_t k = 0; k < KINDS; k++)
        bad += check_kind(kinds[k], filters, &done);
    if (!getenv("UF_TEST_SMALL"))
        bad += check_cell("bloom", 0.01, MOST, 8, &done) + check_cell("deletable", 0.05, MOST, 8, &done);
    printf("%zu filters of %d kinds were filled with the keys that they were planned for; %u cells are bad\n", done,
           KINDS, bad);
    return bad ? 1 : 0;
}
