/* SPDX-License-Identifier: MIT */
/*
 * The list of peers: those of this folder, some of them only where CMake found their headers (UF_PEERS, see
 * CMakeLists.txt); then those of adapters from elsewhere (UF_ADAPTERS), in the order of their constructors; then specs.
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPECS_MAX = 16, ADDED_MAX = 16 };

static const struct peer *const built_in[] = {
    &peer_libbloom,
    &peer_blocked,
    &peer_bloom,
    &peer_bloom_early,
    &peer_ribbon,
    &peer_dpset,
    &peer_keyed,
#ifdef UF_PEER_FASTFILTER_RIBBON
    &peer_fastfilter_ribbon,
#endif
#ifdef UF_PEER_FUSE
    &peer_fuse8,
    &peer_fuse16,
#endif
};

static const struct peer *added[ADDED_MAX];
static size_t added_count;
static struct peer specs[SPECS_MAX];
static char spec_kinds[SPECS_MAX][32];
static size_t spec_count;

const struct peer *peer_at(size_t index)
{
    const size_t count = sizeof built_in / sizeof built_in[0];
    if (index < count) {
        return built_in[index];
    }
    index -= count;
    if (index < added_count) {
        return added[index];
    }
    index -= added_count;
    return index < spec_count ? &specs[index] : NULL;
}

void peer_add(const struct peer *peer)
{
    if (added_count == ADDED_MAX) {
        fprintf(stderr, "uf_bench: UF_ADAPTERS: no room for %s, %d peers are the most\n", peer->label, ADDED_MAX);
        exit(2);
    }
    added[added_count++] = peer;
}

int peer_add_spec(const char *spec)
{
    if (spec_count == SPECS_MAX) {
        return -1;
    }
    struct peer *peer = &specs[spec_count];
    char *kind = spec_kinds[spec_count++];
    snprintf(kind, sizeof spec_kinds[0], "%.*s", (int)strcspn(spec, ":"), spec);
    *peer = peer_blocked;
    peer->name = peer->label = peer->variant = spec;
    peer->kind = kind;
    peer->forgets = strcmp(kind, peer_dpset.kind) == 0 || strcmp(kind, "ultra") == 0;
    return 0;
}
