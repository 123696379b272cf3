/* SPDX-License-Identifier: MIT */
/*
 * What the benchmark sees of a filter, ours or another's. An adapter is one file in peers/ that defines one or more
 * `const struct peer`, listed in peers.c. It must let a filter do its best: keys come as one array, the loop over them
 * is the adapter's own, so a header-only peer is inlined into it and nobody pays for a call through a pointer per key.
 */
#ifndef UF_BENCH_PEER_H
#define UF_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is asked for, and the place for a reason why not. */
struct peer_job {
    uint64_t n;
    double fpr;
    size_t key_bytes;
    unsigned threads; /* that a build may use */
    char why[200];    /* filled when open or build fails */
};

struct peer {
    const char *name;    /* whose: "ultrafilter", "libbloom" */
    const char *kind;    /* what: "blocked", "bloom", "ribbon", "fuse8" */
    const char *label;   /* both, for tables and pictures; at most 20 characters are shown */
    const char *variant; /* for the adapter: a spec, a width; may be NULL */
    int parallel_build;  /* 0: builds on one thread only */

    /* Mandatory: notes the job, allocates nothing large. NULL: cannot do this job. */
    void *(*open)(const struct peer *peer, struct peer_job *job);
    /* Mandatory: from nothing to a filter that answers, memory included. 0 or -1. Once per open. */
    int (*build)(void *self, const void *keys, uint64_t count);
    /* Mandatory: asks for each key by itself; how many were found. Called from several threads at once. */
    uint64_t (*query)(const void *self, const void *keys, uint64_t count);
    /* Optional: the same through the peer's batched interface. */
    uint64_t (*query_many)(const void *self, const void *keys, uint64_t count);
    /* Mandatory: size of what is needed to answer queries. */
    uint64_t (*bits)(const void *self);
    /* Mandatory: gives everything back, also after a failed build. */
    void (*close)(void *self);
    int forgets; /* 1: misses some of its members by design, as private filters do, but the same ones each time */
};

/* The peers this program was built with: by index, NULL past the last. libbloom comes first. */
const struct peer *peer_at(size_t index);

/* Adds a filter of ours by its spec, such as "ribbon:band=64"; n and the false-positive rate are filled in where the
 * spec leaves them open. The text is kept, not copied. 0, or -1 when there is no room for more. */
int peer_add_spec(const char *spec);

extern const struct peer peer_libbloom;
extern const struct peer peer_blocked, peer_bloom, peer_bloom_early, peer_ribbon, peer_dpset, peer_keyed;
extern const struct peer peer_fuse8, peer_fuse16;
extern const struct peer peer_fastfilter_ribbon, peer_rocksdb, peer_splitblock;

#ifdef __cplusplus
}
#endif

#endif
