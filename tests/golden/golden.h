/* SPDX-License-Identifier: MIT */
/*
 * The golden files: how each was made. Keys are "key-0", "key-1", ...; probes are "probe-0" to "probe-255". A file that
 * was released has the universe of the first so many keys, of which the first `keys` are members. Learned filters have
 * the model of common/subjects.h, which is trained anew each time: it must be the same on every machine.
 */
#ifndef UF_TEST_GOLDEN_H
#define UF_TEST_GOLDEN_H

#include <string.h>

#include "keys.h"
#include "random.h"
#include "subjects.h"
#include "ultrafilter.h"

struct golden {
    const char *file;
    const char *spec; /* NULL: made by another program, never written by make_golden */
    size_t keys;
    unsigned how;
};

static const struct golden goldens[] = {
    {"bloom.uf", "bloom:n=100,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF},
    {"bloom-empty.uf", "bloom:n=10,fpr=0.01,seed=0xfedcba9876543210", 0, UF_FORMAT_UF},
    {"bloom-k64.uf", "bloom:n=10,k=64,bits=6400,seed=0xffffffffffffffff", 10, UF_FORMAT_UF},
    {"blocked-k8.uf", "blocked:n=200,k=8,bits=1536,seed=0x0123456789abcdef", 200, UF_FORMAT_UF},
    {"blocked-k16.uf", "blocked:n=200,k=16,bits=1536,seed=0x0123456789abcdef", 200, UF_FORMAT_UF},
    {"ribbon-64.uf", "ribbon:fpr=0.1,seed=0x0123456789abcdef", 300, UF_FORMAT_UF},
    {"ribbon-128.uf", "ribbon:fpr=0.03125,band=128,seed=0x0123456789abcdef", 300, UF_FORMAT_UF},
    {"ribbon-shards.uf", "ribbon:fpr=0.4,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF},
    {"dcso.uf", "dcso:n=100,fpr=0.1", 100, UF_FORMAT_UF},
    {"dcso.bloom", "dcso:n=100,fpr=0.1", 100, UF_FORMAT_DCSO},
    {"dcso-tool.bloom", NULL, 100, UF_FORMAT_DCSO},
    {"dime.uf", "bloom:n=120,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF},
    {"nickel.uf", "ribbon:fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF},
    {"learned.uf", "learned:fpr=0.2,children=bloom,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF},
    {"sandwich.uf", "sandwich:fpr=0.1,children=blocked,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF},
    {"partition.uf", "partition:fpr=0.03,regions=6,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF},
};

/* Those whose keys were released first. */
struct golden_release {
    const char *file, *how;
    size_t universe;
    size_t missed; /* members that the release has left out and that no error brings back */
};

static const struct golden_release golden_releases[] = {
    {"dime.uf", "dime:epsilon=2", 300, 8},
    {"nickel.uf", "nickel:epsilon=8", 30000, 0},
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

/* The filter that is in the file. */
static inline int golden_build(const struct golden *golden, uf_filter **out, uf_error *why)
{
    size_t universe = golden_release_of(golden)->universe;
    struct keys keys = keys_make("key", universe ? universe : golden->keys);
    uf_context ctx = subject_context();
    uf_spec spec;
    int status = uf_spec_parse(golden->spec ? golden->spec : "dcso:n=100,fpr=0.1", &spec, why);
    if (status == UF_OK && universe)
        status = golden_build_released(golden, keys.key, out, why);
    else if (status == UF_OK)
        status = uf_build(&spec, keys.key, keys.count, &ctx, out, why);
    keys_free(&keys);
    return status;
}

#endif
