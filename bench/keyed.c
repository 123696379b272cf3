/* SPDX-License-Identifier: MIT */
/*
 * uf_bench_keyed: what a key costs. A keyed filter against the same one without a key, and against its PRF alone, in
 * one process; queries in batches. Best of several runs. usage: uf_bench_keyed [KEYS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "derive.h"
#include "prf.h"
#include "quick.h"

struct hashing {
    const struct prf *prf;
    const struct keys *keys;
    struct hash128 *out;
};

static void hash_once(void *arg)
{
    const struct hashing *hashing = arg;
    const struct keys *keys = hashing->keys;
    enum { TILE = 256 };
    for (uint64_t done = 0; done < keys->count; done += TILE) {
        size_t step = keys->count - done < TILE ? (size_t)(keys->count - done) : TILE;
        hashing->prf->calls->fixed(&hashing->prf->key, keys->at + done * keys->width, keys->width, step, hashing->out);
    }
}

static double prf_alone(const char *name, const struct keys *keys)
{
    static const unsigned char secret[PRF_KEY_BYTES] = {1, 2, 3};
    struct hash128 out[256];
    struct prf prf;
    struct hashing hashing = {&prf, keys, out};
    if (name[0] == 's') {
        siphash_start(&prf, secret);
    } else {
        cmac_start(&prf, UF_CPU_AUTO, secret);
    }
    return quick_best(hash_once, &hashing, keys->count);
}

struct figures {
    double build, hit, miss;
};

static struct figures measure(const char *spec, const struct keys *hits, const struct keys *misses,
                              const uf_context *ctx)
{
    struct figures out;
    uf_filter *filter = quick_build(spec, hits, ctx, &out.build);
    out.hit = quick_query(filter, hits);
    out.miss = quick_query(filter, misses);
    uf_free(filter);
    return out;
}

static void compare(const char *kind, uint64_t n, size_t width, const uf_context *ctx)
{
    static const char *const prfs[] = {"siphash", "aes"};
    struct keys hits, misses;
    char spec[128];
    if (keys_make(&hits, 0, n, width) || keys_make(&misses, n, n, width)) {
        quick_stop("no memory for keys");
    }
    snprintf(spec, sizeof spec, "%s:n=%llu,fpr=0.01", kind, (unsigned long long)n);
    struct figures plain = measure(spec, &hits, &misses, ctx);
    printf("%s, %zu-byte keys%*s build %6.1f               hit %5.1f                      miss %5.1f\n", kind, width,
           width < 10 ? 12 : 11, "", plain.build, plain.hit, plain.miss);
    for (size_t i = 0; i < 2; i++) {
        double alone = prf_alone(prfs[i], &hits);
        snprintf(spec, sizeof spec, "keyed(%s:n=%llu,fpr=0.01,prf=%s)", kind, (unsigned long long)n, prfs[i]);
        struct figures keyed = measure(spec, &hits, &misses, ctx);
        printf("  %-7s alone %5.1f           build %6.1f (%.2f x)      hit %5.1f (%.2f x, +%.2f PRF)   "
               "miss %5.1f (%.2f x, +%.2f PRF)\n",
               prfs[i], alone, keyed.build, keyed.build / plain.build, keyed.hit, keyed.hit / plain.hit,
               (keyed.hit - plain.hit) / alone, keyed.miss, keyed.miss / plain.miss, (keyed.miss - plain.miss) / alone);
    }
    keys_free(&hits);
    keys_free(&misses);
}

int main(int count, char **words)
{
    uint64_t n = count > 1 ? (uint64_t)strtod(words[1], NULL) : 2000000;
    uf_context ctx = UF_CONTEXT_INIT;
    struct uf_secret secret = {{4, 5, 6}};
    ctx.threads = 1;
    ctx.secret = &secret;
    printf("%llu keys, ns per key, one thread\n", (unsigned long long)n);
    for (size_t width = 8; width <= 50; width += 42) {
        compare("blocked", n, width, &ctx);
        compare("bloom", n, width, &ctx);
    }
    return 0;
}
