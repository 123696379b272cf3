/* SPDX-License-Identifier: MIT */
/*
 * The binary fuse filters of xor_singleheader, when CMake finds their header (UF_PEERS): 8- and 16-bit fingerprints,
 * false-positive rates 1/256 and 1/65536 whatever is asked. Keys are 64-bit integers; wider ones are hashed to 64 bits
 * with XXH3 first, in the build once into an array. `populate` may reorder its input when keys hash alike, which
 * distinct 64-bit keys under its bijective hash never do, so it is given the benchmark's own array.
 */
#include "../peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include UF_PEER_FUSE

#define XXH_INLINE_ALL
#include <xxhash.h>

struct self {
    size_t key_bytes;
    uint32_t entries;
    int wide; /* 16-bit fingerprints */
    int built;
    binary_fuse8_t fuse8;
    binary_fuse16_t fuse16;
};

static uint64_t key_at(const unsigned char *key, size_t key_bytes)
{
    uint64_t value;
    if (key_bytes != sizeof value) {
        return XXH3_64bits(key, key_bytes);
    }
    memcpy(&value, key, sizeof value);
    return value;
}

static void *fuse_open(const struct peer *peer, struct peer_job *job)
{
    struct self *self = NULL;
    if (job->n > UINT32_MAX / 2) {
        snprintf(job->why, sizeof job->why, "it counts keys in 32 bits");
    } else if ((self = calloc(1, sizeof *self)) == NULL) {
        snprintf(job->why, sizeof job->why, "no memory");
    } else {
        self->key_bytes = job->key_bytes;
        self->entries = (uint32_t)job->n;
        self->wide = strcmp(peer->variant, "16") == 0;
    }
    return self;
}

static bool populate(struct self *self, uint64_t *keys, uint32_t count)
{
    self->built = self->wide ? binary_fuse16_allocate(self->entries, &self->fuse16)
                             : binary_fuse8_allocate(self->entries, &self->fuse8);
    if (!self->built) {
        return false;
    }
    return self->wide ? binary_fuse16_populate(keys, count, &self->fuse16)
                      : binary_fuse8_populate(keys, count, &self->fuse8);
}

static int fuse_build(void *arg, const void *keys, uint64_t count)
{
    struct self *self = arg;
    if (self->key_bytes == sizeof(uint64_t)) {
        return populate(self, (uint64_t *)(uintptr_t)keys, (uint32_t)count) ? 0 : -1;
    }
    uint64_t *hashes = malloc(count * sizeof *hashes);
    if (!hashes) {
        return -1;
    }
    for (uint64_t i = 0; i < count; i++) {
        hashes[i] = key_at((const unsigned char *)keys + i * self->key_bytes, self->key_bytes);
    }
    bool done = populate(self, hashes, (uint32_t)count);
    free(hashes);
    return done ? 0 : -1;
}

static uint64_t fuse_query(const void *arg, const void *keys, uint64_t count)
{
    const struct self *self = arg;
    const unsigned char *key = keys;
    const size_t step = self->key_bytes;
    uint64_t found = 0;
    if (self->wide) {
        for (uint64_t i = 0; i < count; i++, key += step) {
            found += binary_fuse16_contain(key_at(key, step), &self->fuse16);
        }
    } else {
        for (uint64_t i = 0; i < count; i++, key += step) {
            found += binary_fuse8_contain(key_at(key, step), &self->fuse8);
        }
    }
    return found;
}

static uint64_t fuse_bits(const void *arg)
{
    const struct self *self = arg;
    return self->wide ? (uint64_t)self->fuse16.ArrayLength * 16 : (uint64_t)self->fuse8.ArrayLength * 8;
}

static void fuse_close(void *arg)
{
    struct self *self = arg;
    if (self->built && self->wide) {
        binary_fuse16_free(&self->fuse16);
    } else if (self->built) {
        binary_fuse8_free(&self->fuse8);
    }
    free(self);
}

#define FUSE(what, text, width)                                                                       \
    {                                                                                                 \
        .name = "xor_singleheader", .kind = what, .label = text, .variant = width, .open = fuse_open, \
        .build = fuse_build, .query = fuse_query, .bits = fuse_bits, .close = fuse_close              \
    }

const struct peer peer_fuse8 = FUSE("fuse8", "binary fuse 8", "8");
const struct peer peer_fuse16 = FUSE("fuse16", "binary fuse 16", "16");
