/* SPDX-License-Identifier: MIT */
/*
 * Strangers who insert as much as they like into filters that refuse: what they are refused, they are told; memory
 * stays what it was, to the byte; and no more strangers are accepted than the filter claims under attack. The control
 * is the same filter with full=warn, which takes all of it and accepts everything.
 *
 * usage: torture_inserts short|full
 */
#include <math.h>

#include "check.h"
#include "counting.h"
#include "figure.h"
#include "random.h"
#include "secrets.h"
#include "subjects.h"

enum { KEY = 8, BATCH = 4096 };

static const char *const specs[] = {
    "bloom:fpr=0.01,full=refuse",
    "blocked:fpr=0.01,full=refuse",
    "counting:fpr=0.01,full=refuse",
    "deletable:fpr=0.01,full=refuse",
    "tombstone:fpr=0.01,full=refuse",
    "keyed(bloom:fpr=0.01,full=refuse)",
    "keyed(blocked:fpr=0.01,full=refuse,prf=aes)",
};

struct life {
    uf_filter *filter;
    uint64_t taken, refused, wrong;
};

static uf_filter *open_filter(const char *text, uint64_t n, const uf_context *ctx)
{
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    char number[24];
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)n);
    assert_status(UF_OK, uf_spec_set(&spec, "n", number, &why), &why);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, ctx, &filter, &why), &why);
    return filter;
}

/* One batch: each key is taken, and then it is found, or refused. */
static void insert_batch(struct life *life, size_t count, uint64_t *seed)
{
    static unsigned char keys[BATCH * KEY];
    static int8_t verdict[BATCH];
    static uint8_t answers[BATCH];
    (void)random_bytes(seed, keys, count * KEY);
    memset(verdict, 0, count);
    const int status = uf_add_fixed(life->filter, keys, KEY, count, verdict, NULL);
    life->wrong += status != UF_OK && status != UF_EFULL;
    uf_query_fixed(life->filter, keys, KEY, count, answers);
    for (size_t i = 0; i < count; i++) {
        life->taken += verdict[i] >= 0;
        life->refused += verdict[i] < 0;
        life->wrong += verdict[i] >= 0 && !answers[i];
    }
}

static double rate_of(const uf_filter *filter, uint64_t strangers, uint64_t *seed)
{
    static unsigned char keys[BATCH * KEY];
    static uint8_t answers[BATCH];
    uint64_t accepted = 0, asked = 0;
    for (; asked < strangers; asked += BATCH) {
        (void)random_bytes(seed, keys, sizeof keys);
        uf_query_fixed(filter, keys, KEY, BATCH, answers);
        for (size_t i = 0; i < BATCH; i++)
            accepted += answers[i];
    }
    return (double)accepted / (double)asked;
}

/* Its own word, or, where that is nothing under attack, the plan; and five deviations. */
static double most_rate(const uf_filter *filter, double strangers)
{
    uf_claim claim;
    assert_status(UF_OK, uf_get_claim(filter, &claim, sizeof claim), NULL);
    const double rate = isnan(claim.adversarial_fpr) ? claim.fpr * 1.05 : claim.adversarial_fpr;
    return rate + 5 * sqrt(rate / strangers);
}

static void flood(const char *text, uint64_t n, uint64_t inserts, uint64_t seed)
{
    struct counting counting = {0};
    uf_context ctx = counting_context(&counting);
    struct life life = {NULL, 0, 0, 0};
    char check[96];
    const double start = figure_clock();
    ctx.secret = subject_secret(text);
    ctx.random = random_bytes, ctx.random_arg = &seed;
    life.filter = open_filter(text, n, &ctx);
    const size_t live = counting.live;
    for (uint64_t at = 0; at < inserts; at += BATCH)
        insert_batch(&life, inserts - at < BATCH ? (size_t)(inserts - at) : BATCH, &seed);
    const double strangers = 50 * BATCH, rate = rate_of(life.filter, 50 * BATCH, &seed);
    if (counting.live != live || counting.peak > live + (1 << 20))
        complain("%s: %zu bytes of memory before, %zu after, %zu at most", text, live, counting.live, counting.peak);
    if (!life.refused || life.taken < n)
        complain("%s: took %llu of %llu", text, (unsigned long long)life.taken, (unsigned long long)inserts);
    if (rate > most_rate(life.filter, strangers))
        complain("%s: accepts %g", text, rate);
    uf_free(life.filter);
    (void)snprintf(check, sizeof check, "inserted by strangers: %s", text);
    figure(check, inserts, 10000000, life.wrong,
           "n=%llu: %llu taken, others refused; %.4f accepted then; %zu bytes; %.1f s", (unsigned long long)n,
           (unsigned long long)life.taken, rate, live, figure_clock() - start);
}

/* Without the limit the same keys fill it. */
static void flood_control(uint64_t n, uint64_t inserts, uint64_t seed)
{
    const uf_context ctx = UF_CONTEXT_INIT;
    struct life life = {open_filter("bloom:fpr=0.01,full=warn", n, &ctx), 0, 0, 0};
    char found[64];
    for (uint64_t at = 0; at < inserts; at += BATCH)
        insert_batch(&life, inserts - at < BATCH ? (size_t)(inserts - at) : BATCH, &seed);
    const double rate = rate_of(life.filter, 10 * BATCH, &seed);
    uf_free(life.filter);
    (void)snprintf(found, sizeof found, "%.4f accepted", rate);
    figure_say("inserted by strangers: the control, full=warn", found, "at least 0.9",
               rate < 0.9 ? FIGURE_FAILED : FIGURE_MET, "of others, then");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: torture_inserts short|full\n");
        return 2;
    }
    const int full = !strcmp(argv[1], "full");
    const uint64_t n = full ? 100000 : 2000, inserts = full ? 10000000 : 50000, seed = figure_seed(full);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        flood(specs[i], n, inserts, seed + i);
    flood_control(n, inserts, seed);
    return figure_status();
}
