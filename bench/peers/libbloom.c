/* SPDX-License-Identifier: MIT */
/*
 * libbloom as Debian packages it (libbloom-dev): a classic Bloom filter of a char array, MurmurHash2, one key per call,
 * and the loop over k positions stops at the first zero bit. The reference that every "times faster" refers to. Its
 * sizes are ints, so 2^31 bits are the end: about 2.2e8 keys at 1 %. It builds on one thread only.
 */
#include "../peer.h"

#include <bloom.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct self {
    struct bloom bloom;
    int entries;
    int key_bytes;
    double fpr;
    int built;
};

static void *libbloom_open(const struct peer *peer, struct peer_job *job)
{
    const double bits_per_key = -log(job->fpr) / (log(2) * log(2));
    struct self *self = NULL;
    (void)peer;
    if ((double)job->n * bits_per_key >= INT_MAX) {
        snprintf(job->why, sizeof job->why, "its bits are counted in an int");
    } else if (job->n < 1000) {
        snprintf(job->why, sizeof job->why, "it refuses fewer than 1000 entries");
    } else if ((self = calloc(1, sizeof *self)) == NULL) {
        snprintf(job->why, sizeof job->why, "no memory");
    } else {
        self->entries = (int)job->n;
        self->key_bytes = (int)job->key_bytes;
        self->fpr = job->fpr;
    }
    return self;
}

static int libbloom_build(void *arg, const void *keys, uint64_t count)
{
    struct self *self = arg;
    const unsigned char *key = keys;
    if (bloom_init(&self->bloom, self->entries, self->fpr) != 0) {
        return -1;
    }
    self->built = 1;
    for (uint64_t i = 0; i < count; i++, key += self->key_bytes) {
        bloom_add(&self->bloom, key, self->key_bytes);
    }
    return 0;
}

static uint64_t libbloom_query(const void *arg, const void *keys, uint64_t count)
{
    const struct self *self = arg;
    const unsigned char *key = keys;
    struct bloom bloom = self->bloom; /* bloom_check wants it writable but only reads */
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++, key += self->key_bytes) {
        found += bloom_check(&bloom, key, self->key_bytes) == 1;
    }
    return found;
}

static uint64_t libbloom_bits(const void *arg)
{
    const struct self *self = arg;
    return (uint64_t)self->bloom.bits;
}

static void libbloom_close(void *arg)
{
    struct self *self = arg;
    if (self->built) {
        bloom_free(&self->bloom);
    }
    free(self);
}

const struct peer peer_libbloom = {
    .name = "libbloom",
    .kind = "bloom",
    .label = "libbloom",
    .open = libbloom_open,
    .build = libbloom_build,
    .query = libbloom_query,
    .bits = libbloom_bits,
    .close = libbloom_close,
};
