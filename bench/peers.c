/* SPDX-License-Identifier: MIT */
/* The list of peers. Optional ones are here when CMake found their headers (UF_PEERS, see CMakeLists.txt). */
#include "peer.h"

#include <stdio.h>
#include <string.h>

enum { SPECS_MAX = 16 };

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
#ifdef UF_PEER_ROCKSDB
    &peer_rocksdb,
#endif
#ifdef UF_PEER_SPLITBLOCK
    &peer_splitblock,
#endif
};

static struct peer specs[SPECS_MAX];
static char spec_kinds[SPECS_MAX][32];
static size_t spec_count;

const struct peer *peer_at(size_t index)
{
    const size_t count = sizeof built_in / sizeof built_in[0];
    if (index < count) {
        return built_in[index];
    }
    return index - count < spec_count ? &specs[index - count] : NULL;
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
