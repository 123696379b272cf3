/* SPDX-License-Identifier: MIT */
/*
 * uf_bench_private: what privacy costs. dpset against a plain ribbon with as many columns, in the same process; and
 * noise over a bit array (uf_release), against a plain copy of it. Best of several runs. usage: uf_bench_private [KEYS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "quick.h"

struct figures {
    double build, hit, miss, columns;
};

static struct figures measure(const char *spec, const struct keys *hits, const struct keys *misses, unsigned threads)
{
    struct figures out = {0, 0, 0, NAN};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec plan;
    ctx.threads = threads;
    uf_filter *filter = quick_build(spec, hits, &ctx, &out.build);
    uf_get_plan(filter, &plan);
    (void)uf_spec_get(&plan, "columns", &out.columns);
    out.hit = quick_query(filter, hits);
    out.miss = quick_query(filter, misses);
    uf_free(filter);
    return out;
}

static void against_ribbon(double epsilon, const char *variant, const struct keys *hits, const struct keys *misses)
{
    char spec[128];
    snprintf(spec, sizeof spec, "dpset:n=%llu,epsilon=%g,variant=%s", (unsigned long long)hits->count, epsilon,
             variant);
    struct figures ours = measure(spec, hits, misses, 1);
    snprintf(spec, sizeof spec, "ribbon:fpr=%.17g", exp2(-ours.columns));
    struct figures plain = measure(spec, hits, misses, 1);
    printf(
        "dpset %-8s epsilon %g %3.0f columns  build %6.1f (%.2f x ribbon)  hit %5.1f (%.2f x)  miss %5.1f (%.2f x)\n",
        variant, epsilon, ours.columns, ours.build, ours.build / plain.build, ours.hit, ours.hit / plain.hit, ours.miss,
        ours.miss / plain.miss);
}

struct noise {
    const uf_filter *exact;
    const uf_spec *how;
    const uf_context *ctx;
};

static void add_noise(void *arg)
{
    const struct noise *noise = arg;
    uf_filter *copy;
    uf_error why;
    if (uf_release(noise->exact, noise->how, noise->ctx, &copy, &why)) {
        quick_stop(why.text);
    }
    uf_free(copy);
}

/* A bit array of 2^27 bits, most of them zero: noise does not care. */
static void noise(unsigned threads)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec exact_spec, how;
    uf_filter *exact;
    uf_error why;
    ctx.threads = threads;
    if (uf_spec_parse("bloom:n=8e6,bits=134217728,k=1", &exact_spec, &why) ||
        uf_build(&exact_spec, NULL, 0, NULL, &exact, &why)) {
        quick_stop(why.text);
    }
    for (int i = 0; i < 3; i++) {
        static const double epsilons[] = {1, 2, 5};
        char text[64];
        snprintf(text, sizeof text, "ultra:epsilon=%g", epsilons[i]);
        if (uf_spec_parse(text, &how, &why)) {
            quick_stop(why.text);
        }
        printf("noise, epsilon %g, %u thread%s  %.3f ns per bit\n", epsilons[i], threads, threads == 1 ? "" : "s",
               quick_best(add_noise, &(struct noise){exact, &how, &ctx}, 134217728));
    }
    uf_free(exact);
}

int main(int count, char **words)
{
    static const double epsilons[] = {1, 3, 8};
    uint64_t n = count > 1 ? (uint64_t)strtod(words[1], NULL) : 1000000;
    struct keys hits, misses;
    if (keys_make(&hits, 0, n, 8) || keys_make(&misses, n, n, 8)) {
        quick_stop("no memory for keys");
    }
    printf("%llu keys of 8 bytes, ns per key, one thread\n", (unsigned long long)n);
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        against_ribbon(epsilons[i], "dyadic", &hits, &misses);
    }
    against_ribbon(3, "integer", &hits, &misses);
    noise(1);
    noise(2);
    keys_free(&hits);
    keys_free(&misses);
    return 0;
}
