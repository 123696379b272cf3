/* SPDX-License-Identifier: MIT */
/*
 * The golden files: how each was made. Keys are "key-0", "key-1", ...; probes are "probe-0" to "probe-255". A file that
 * was released has the universe of the first so many keys, of which the first `keys` are members. Learned filters have
 * the model of common/subjects.h, which is trained anew each time: it must be the same on every machine. Keyed ones
 * have key 0 of common/secrets.h.
 */
#ifndef UF_TEST_GOLDEN_H
#define UF_TEST_GOLDEN_H

#include <string.h>

#include "keys.h"
#include "random.h"
#include "secrets.h"
#include "subjects.h"
#include "ultrafilter.h"

struct golden {
    const char *file;
    const char *spec; /* NULL: made by another program, never written by make_golden */
    size_t keys;
    unsigned how;
    size_t removed; /* so many of the keys, the first ones, are removed again */
    int before;     /* 1: the library makes it in another way today, and only reads this one */
};

static const struct golden goldens[] = {
    {"bloom.uf", "bloom:n=100,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0, 0},
    {"bloom-empty.uf", "bloom:n=10,fpr=0.01,seed=0xfedcba9876543210", 0, UF_FORMAT_UF, 0, 0},
    {"bloom-k64.uf", "bloom:n=10,k=64,bits=6400,seed=0xffffffffffffffff", 10, UF_FORMAT_UF, 0, 0},
    {"blocked-k8.uf", "blocked:n=200,k=8,bits=1536,seed=0x0123456789abcdef", 200, UF_FORMAT_UF, 0, 0},
    {"blocked-k16.uf", "blocked:n=200,k=16,bits=1536,seed=0x0123456789abcdef", 200, UF_FORMAT_UF, 0, 0},
    {"ribbon-64.uf", "ribbon:fpr=0.1,seed=0x0123456789abcdef", 300, UF_FORMAT_UF, 0, 0},
    {"ribbon-128.uf", "ribbon:fpr=0.03125,band=128,seed=0x0123456789abcdef", 300, UF_FORMAT_UF, 0, 0},
    {"ribbon-shards.uf", "ribbon:fpr=0.4,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 0},
    {"counting.uf", "counting:n=100,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 30, 0},
    {"deletable.uf", "deletable:n=100,fpr=0.1,region=5,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 30, 0},
    {"tombstone.uf", "tombstone:n=100,fpr=0.1,removed=40,fnr=0.001,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 30, 0},
    {"dcso.uf", "dcso:n=100,fpr=0.1", 100, UF_FORMAT_UF, 0, 0},
    {"dcso.bloom", "dcso:n=100,fpr=0.1", 100, UF_FORMAT_DCSO, 0, 0},
    {"dcso-tool.bloom", NULL, 100, UF_FORMAT_DCSO, 0, 0},
    {"dime.uf", "bloom:n=120,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0, 1},
    {"dime-shared.uf", "bloom:n=120,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0, 0},
    {"nickel.uf", "ribbon:fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0, 0},
    {"dpset.uf", "dpset:n=100,epsilon=3,variant=dyadic,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0, 0},
    {"dpset-integer.uf", "dpset:n=100,epsilon=2,variant=integer,seed=0x0123456789abcdef", 90, UF_FORMAT_UF, 0, 0},
    {"dpset-shards.uf", "dpset:n=70000,epsilon=0.5,variant=dyadic,seed=0x0123456789abcdef", 1000, UF_FORMAT_UF, 0, 1},
    {"dpset-mixed.uf", "dpset:n=70000,epsilon=0.5,variant=dyadic,seed=0x0123456789abcdef", 1000, UF_FORMAT_UF, 0, 0},
    {"dpset-count.uf", "dpset:epsilon=1,count_epsilon=1,variant=dyadic,seed=0x0123456789abcdef", 200, UF_FORMAT_UF, 0,
     0},
    {"dpset-radix.uf", "dpset:n=100,epsilon=3,radix=21,accept=1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0, 0},
    {"dpset-radix-128.uf", "dpset:n=100,epsilon=5,radix=147,accept=1,band=128,seed=0x0123456789abcdef", 100,
     UF_FORMAT_UF, 0, 0},
    {"dpset-radix-parts.uf", "dpset:n=100,epsilon=8,radix=2916,accept=1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0,
     0},
    {"dpset-radix-second.uf", "dpset:n=132000,epsilon=0.5,radix=3x7,accept=8,seed=0x0123456789abcdef", 1000,
     UF_FORMAT_UF, 0, 0},
    {"ultra.uf", "ultra:n=100,epsilon=3,k=3,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0, 1},
    {"ultra-published.uf", "ultra:n=100,epsilon=1,mechanism=published,hashes=paper,seed=0x0123456789abcdef", 100,
     UF_FORMAT_UF, 0, 1},
    {"ultra-shared.uf", "ultra:n=100,epsilon=3,k=3,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0, 0},
    {"ultra-published-shared.uf", "ultra:n=100,epsilon=1,mechanism=published,hashes=paper,seed=0x0123456789abcdef", 100,
     UF_FORMAT_UF, 0, 0},
    {"learned.uf", "learned:fpr=0.2,children=bloom,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 0},
    {"sandwich.uf", "sandwich:fpr=0.1,children=blocked,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 0},
    {"keyed-refuse.uf", "keyed(bloom:n=100,fpr=0.1,seed=0x0123456789abcdef)", 99, UF_FORMAT_UF, 0, 0},
    {"chain.uf", "blocked:n=100,fpr=0.1,seed=0x0123456789abcdef,full=scale", 500, UF_FORMAT_UF, 0, 0},
    {"window.uf", "blocked:n=100,fpr=0.1,window=3,full=refuse,seed=0x0123456789abcdef", 99, UF_FORMAT_UF, 0, 0},
    {"part.uf", "blocked:n=1000,fpr=0.1,part=2/4,full=refuse,seed=0x0123456789abcdef", 1000, UF_FORMAT_UF, 0, 0},
    {"bloom.ufc", "bloom:n=100,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_COMPACT, 0, 0},
    {"chain.ufc", "blocked:n=100,fpr=0.1,seed=0x0123456789abcdef,full=scale", 500, UF_FORMAT_COMPACT, 0, 0},
    {"partition.uf", "partition:fpr=0.15,regions=6,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 0},
    {"uptown.uf", "uptown:fpr=0.2,children=bloom,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 1},
    {"downtown.uf", "downtown:fpr=0.2,children=blocked,prf=aes,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 1},
    {"downtown-paper.uf", "downtown:fpr=0.3,alpha=0.2,definition=paper,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0,
     1},
    {"robust.uf", "robust:fpr=0.15,alpha=0.1,regions=6,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 1},
    {"uptown-hidden.uf", "uptown:fpr=0.2,children=bloom,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 0},
    {"downtown-hidden.uf", "downtown:fpr=0.2,children=blocked,prf=aes,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0,
     0},
    {"downtown-paper-hidden.uf", "downtown:fpr=0.3,alpha=0.2,definition=paper,seed=0x0123456789abcdef", 9000,
     UF_FORMAT_UF, 0, 0},
    {"uptown-paper.uf", "uptown:fpr=0.1,children=bloom,definition=paper,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0,
     0},
    {"robust-hidden.uf", "robust:fpr=0.15,alpha=0.1,regions=6,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0, 0},
};

/* Those whose keys were released first, private kinds, and parts, which have keys of their own only: all miss members.
 * Their coins are random_bytes from 1. */
struct golden_release {
    const char *file, *how; /* how: NULL for private kinds and parts */
    size_t universe;
    size_t missed; /* members that were left out and that no error brings back; of a part, all of other parts */
};

static const struct golden_release golden_releases[] = {
    {"dime.uf", "dime:epsilon=2", 300, 8},
    {"dime-shared.uf", "dime:epsilon=2", 300, 10},
    {"nickel.uf", "nickel:epsilon=8", 30000, 0},
    {"dpset.uf", NULL, 0, 4},
    {"dpset-integer.uf", NULL, 0, 12},
    {"dpset-shards.uf", NULL, 0, 405},
    {"dpset-mixed.uf", NULL, 0, 388},
    {"dpset-count.uf", NULL, 0, 56},
    {"dpset-radix.uf", NULL, 0, 2},
    {"dpset-radix-128.uf", NULL, 0, 1},
    {"dpset-radix-parts.uf", NULL, 0, 0},
    {"dpset-radix-second.uf", NULL, 0, 387},
    {"part.uf", NULL, 0, 767},
    {"ultra.uf", NULL, 0, 16},
    {"ultra-published.uf", NULL, 0, 25},
    {"ultra-shared.uf", NULL, 0, 10},
    {"ultra-published-shared.uf", NULL, 0, 26},
    {NULL, NULL, 0, 0},
};

static inline const struct golden_release *golden_release_of(const struct golden *golden)
{
    const struct golden_release *release = golden_releases;
    while (release->file && strcmp(release->file, golden->file))
        release++;
    return release;
}

enum { GOLDENS = sizeof goldens / sizeof goldens[0], PROBES = 256 };

static inline int golden_build_released(const struct golden *golden, const uf_key *keys, uf_filter **out, uf_error *why)
{
    const struct golden_release *release = golden_release_of(golden);
    uint64_t random = 1;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_universe *universe = NULL;
    uf_set *set = NULL, *released = NULL;
    uf_spec spec;
    ctx.random = random_bytes;
    ctx.random_arg = &random;
    int status = uf_spec_parse(golden->spec, &spec, why);
    if (status == UF_OK)
        status = uf_universe_list(keys, release->universe, &ctx, &universe, why);
    if (status == UF_OK)
        status = uf_set_new(universe, &ctx, &set, why);
    if (status == UF_OK)
        status = uf_set_add(set, keys, golden->keys, why);
    if (status == UF_OK)
        status = uf_set_release(set, release->how, &ctx, &released, why);
    if (status == UF_OK)
        status = uf_build_set(&spec, released, &ctx, out, why);
    uf_set_free(released);
    uf_set_free(set);
    uf_universe_free(universe);
    return status;
}

/* What it takes to read a file: those that have a key have that of all subjects. */
static inline uf_context golden_context(const struct golden *golden)
{
    uf_context ctx = subject_context();
    ctx.secret = golden->spec ? subject_secret(golden->spec) : NULL;
    return ctx;
}

/* The filter that is in the file. */
static inline int golden_build(const struct golden *golden, uf_filter **out, uf_error *why)
{
    size_t universe = golden_release_of(golden)->universe;
    struct keys keys = keys_make("key", universe ? universe : golden->keys);
    uint64_t random = 1;
    uf_context ctx = golden_context(golden);
    uf_spec spec;
    ctx.learning = subject_learning();
    ctx.random = random_bytes;
    ctx.random_arg = &random;
    int status = uf_spec_parse(golden->spec ? golden->spec : "dcso:n=100,fpr=0.1", &spec, why);
    if (status == UF_OK && universe)
        status = golden_build_released(golden, keys.key, out, why);
    else if (status == UF_OK)
        status = uf_build(&spec, keys.key, keys.count, &ctx, out, why);
    if (status == UF_OK && golden->removed)
        (void)uf_remove_many(*out, keys.key, golden->removed, NULL, NULL);
    keys_free(&keys);
    return status;
}

#endif
