/* SPDX-License-Identifier: MIT */
/*
 * What adapters to Bloom filters in blocks share, where the peer takes a 64-bit hash and leaves hashing, memory and the
 * loop over keys to its caller (C++). The hash is XXH3, inlined; keys of 8 bytes are known to be so when compiled.
 * Batches are made as RocksDB's MultiGet makes them: 32 keys are hashed and their blocks prefetched, then the 32 are
 * answered. Builds do the same.
 *
 * A Filter is the peer and has
 *     block_bytes, bytes_max     sizes are multiples of the first; the second is what the peer's types can count
 *     rate(bits)                 the false-positive rate with so many bits per key
 *     Filter(memory, bytes, bits)
 *                                on zeros, aligned to 64
 *     Place, prefetch(hash)      what to remember of a key between the two halves of a batch
 *     add(place), find(place)
 *     find_hash(hash)            the peer's call for one key
 */
#ifndef UF_BENCH_HASHED_H
#define UF_BENCH_HASHED_H

#include "../peer.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hashed
{

constexpr uint64_t batch = 32;
constexpr double bits_max = 50;

template <class Filter> struct Self {
    double bits;
    size_t width;
    size_t bytes;
    char *memory;
    std::unique_ptr<Filter> filter;

    ~Self()
    {
        free(memory);
    }
};

template <size_t Width> uint64_t hash_at(const unsigned char *key, size_t width)
{
    return XXH3_64bits(key, Width ? Width : width);
}

/* Calls use for the place of each key, after those of its batch were prefetched. */
template <size_t Width, class Filter, class Use>
void in_batches(const Filter &filter, const unsigned char *key, size_t width, uint64_t count, Use use)
{
    typename Filter::Place places[batch];
    for (uint64_t done = 0; done < count; done += batch) {
        uint64_t many = count - done < batch ? count - done : batch;
        for (uint64_t i = 0; i < many; i++, key += width) {
            places[i] = filter.prefetch(hash_at<Width>(key, width));
        }
        for (uint64_t i = 0; i < many; i++) {
            use(places[i]);
        }
    }
}

template <size_t Width, class Filter>
uint64_t one_by_one(const Filter &filter, const unsigned char *key, size_t width, uint64_t count)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++, key += width) {
        found += filter.find_hash(hash_at<Width>(key, width));
    }
    return found;
}

/* As few bits per key as keep the rate; bits_max or more when none do. */
template <class Filter> double bits_for(double fpr)
{
    double bits = 4;
    while (bits < bits_max && Filter::rate(bits) > fpr) {
        bits += 0.01;
    }
    return bits;
}

template <class Filter> void *open(const struct peer *, struct peer_job *job)
{
    const double bits = bits_for<Filter>(job->fpr);
    const double bytes = std::ceil(static_cast<double>(job->n) * bits / 8 / Filter::block_bytes) * Filter::block_bytes;
    if (bits >= bits_max) {
        snprintf(job->why, sizeof job->why, "%.0f bits per key do not give this false-positive rate", bits_max);
    } else if (bytes > static_cast<double>(Filter::bytes_max)) {
        snprintf(job->why, sizeof job->why, "it counts blocks or bytes in 32 bits");
    } else {
        return new (std::nothrow) Self<Filter>{bits, job->key_bytes, static_cast<size_t>(bytes), nullptr, nullptr};
    }
    return nullptr;
}

template <class Filter> int build(void *arg, const void *keys, uint64_t count)
{
    Self<Filter> *self = static_cast<Self<Filter> *>(arg);
    const unsigned char *key = static_cast<const unsigned char *>(keys);
    const size_t whole = (self->bytes + 63) / 64 * 64;
    self->memory = static_cast<char *>(aligned_alloc(64, whole));
    if (!self->memory) {
        return -1;
    }
    memset(self->memory, 0, whole);
    self->filter.reset(new (std::nothrow) Filter(self->memory, self->bytes, self->bits));
    if (!self->filter) {
        return -1;
    }
    Filter &filter = *self->filter;
    auto add = [&](typename Filter::Place place) { filter.add(place); };
    if (self->width == 8) {
        in_batches<8>(filter, key, 8, count, add);
    } else {
        in_batches<0>(filter, key, self->width, count, add);
    }
    return 0;
}

template <class Filter> uint64_t query(const void *arg, const void *keys, uint64_t count)
{
    const Self<Filter> *self = static_cast<const Self<Filter> *>(arg);
    const unsigned char *key = static_cast<const unsigned char *>(keys);
    const Filter filter = *self->filter; /* a copy, so that its fields stay in registers */
    return self->width == 8 ? one_by_one<8>(filter, key, 8, count) : one_by_one<0>(filter, key, self->width, count);
}

template <class Filter> uint64_t query_many(const void *arg, const void *keys, uint64_t count)
{
    const Self<Filter> *self = static_cast<const Self<Filter> *>(arg);
    const unsigned char *key = static_cast<const unsigned char *>(keys);
    const Filter filter = *self->filter;
    uint64_t found = 0;
    auto find = [&](typename Filter::Place place) { found += filter.find(place); };
    if (self->width == 8) {
        in_batches<8>(filter, key, 8, count, find);
    } else {
        in_batches<0>(filter, key, self->width, count, find);
    }
    return found;
}

template <class Filter> uint64_t bits(const void *arg)
{
    return static_cast<const Self<Filter> *>(arg)->bytes * 8;
}

template <class Filter> void close(void *arg)
{
    delete static_cast<Self<Filter> *>(arg);
}

template <class Filter> constexpr struct peer peer_of(const char *name, const char *label)
{
    return {name,          "blocked",          label,        nullptr,       0, open<Filter>, build<Filter>,
            query<Filter>, query_many<Filter>, bits<Filter>, close<Filter>, 0};
}

} /* namespace hashed */

#endif
