/* SPDX-License-Identifier: MIT */
/*
 * The homogeneous ribbon filter of fastfilter_cpp (Dillinger's implementation), when CMake finds ribbon_impl.h
 * (UF_PEERS): band width 64, interleaved solution, as many columns as the false-positive rate needs. The settings are
 * those its own benchmark calls HomogRibbon64: 1 + (4 + columns/4)/64 slots per key, first coefficient always one, no
 * smash, a two-multiplication mixer of a 64-bit key as hash. Wider keys are hashed to 64 bits with XXH3 first.
 */
#include "../peer.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "ribbon_impl.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace
{

template <uint32_t Columns> struct Settings {
    using CoeffRow = uint64_t;
    using ResultRow = uint32_t;
    using Index = size_t;
    using Hash = uint64_t;
    using Key = uint64_t;
    using Seed = uint32_t;
    static constexpr bool kIsFilter = true;
    static constexpr bool kHomogeneous = true;
    static constexpr bool kFirstCoeffAlwaysOne = true;
    static constexpr bool kUseSmash = false;
    static constexpr bool kAllowZeroStarts = false;
    static constexpr Index kFixedNumColumns = Columns;

    static Hash HashFn(const Key &key, Seed seed)
    {
        uint64_t hash = key + seed;
        hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
        hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
        return hash ^ hash >> 32;
    }
};

template <bool Wide> uint64_t key_at(const unsigned char *at, size_t width)
{
    uint64_t value;
    if (Wide) {
        return XXH3_64bits(at, width);
    }
    memcpy(&value, at, sizeof value);
    return value;
}

/* Walks keys that lie back to back, in the shape the banding wants: an input iterator of 64-bit keys. */
template <bool Wide> struct Walk {
    const unsigned char *at;
    size_t width;
    uint64_t operator*() const
    {
        return key_at<Wide>(at, width);
    }
    Walk &operator++()
    {
        at += width;
        return *this;
    }
    bool operator==(const Walk &other) const
    {
        return at == other.at;
    }
};

struct Filter {
    virtual ~Filter() = default;
    virtual bool build(const unsigned char *keys, uint64_t count) = 0;
    virtual uint64_t query(const unsigned char *keys, uint64_t count) const = 0;
    virtual uint64_t bits() const = 0;
};

template <uint32_t Columns, bool Wide> class Ribbon : public Filter
{
    using Set = Settings<Columns>;
    using Solution = ribbon::SerializableInterleavedSolution<Set>;

    size_t width;
    size_t slots;
    size_t bytes;
    std::unique_ptr<char[]> memory;
    std::unique_ptr<Solution> solution;
    ribbon::StandardHasher<Set> hasher;

  public:
    Ribbon(uint64_t n, size_t key_bytes) : width(key_bytes)
    {
        const double per_key = 1 + (4 + Columns / 4.0) / 64;
        slots = Solution::RoundUpNumSlots(static_cast<size_t>(per_key * static_cast<double>(n)));
        bytes = slots * Columns / 8;
    }

    bool build(const unsigned char *keys, uint64_t count) override
    {
        memory.reset(new (std::nothrow) char[bytes]);
        if (!memory) {
            return false;
        }
        solution.reset(new Solution(memory.get(), bytes));
        ribbon::StandardBanding<Set> banding(slots);
        bool added = banding.AddRange(Walk<Wide>{keys, width}, Walk<Wide>{keys + count * width, width});
        solution->BackSubstFrom(banding);
        return added;
    }

    uint64_t query(const unsigned char *keys, uint64_t count) const override
    {
        uint64_t found = 0;
        for (uint64_t i = 0; i < count; i++, keys += width) {
            found += solution->FilterQuery(key_at<Wide>(keys, width), hasher);
        }
        return found;
    }

    uint64_t bits() const override
    {
        return bytes * 8;
    }
};

template <uint32_t Columns> Filter *make(const peer_job &job)
{
    if (job.key_bytes == sizeof(uint64_t)) {
        return new (std::nothrow) Ribbon<Columns, false>(job.n, job.key_bytes);
    }
    return new (std::nothrow) Ribbon<Columns, true>(job.n, job.key_bytes);
}

void *ribbon_open(const struct peer *, struct peer_job *job)
{
    int columns = static_cast<int>(std::ceil(std::log2(1 / job->fpr)));
    switch (columns) {
    case 7:
        return make<7>(*job);
    case 8:
        return make<8>(*job);
    case 10:
        return make<10>(*job);
    default:
        snprintf(job->why, sizeof job->why, "the adapter has 7, 8 and 10 columns, not %d", columns);
        return nullptr;
    }
}

int ribbon_build(void *self, const void *keys, uint64_t count)
{
    try {
        return static_cast<Filter *>(self)->build(static_cast<const unsigned char *>(keys), count) ? 0 : -1;
    } catch (const std::bad_alloc &) {
        return -1;
    }
}

uint64_t ribbon_query(const void *self, const void *keys, uint64_t count)
{
    return static_cast<const Filter *>(self)->query(static_cast<const unsigned char *>(keys), count);
}

uint64_t ribbon_bits(const void *self)
{
    return static_cast<const Filter *>(self)->bits();
}

void ribbon_close(void *self)
{
    delete static_cast<Filter *>(self);
}

} /* namespace */

extern "C" const struct peer peer_fastfilter_ribbon = {
    "fastfilter", "ribbon",     "fastfilter ribbon", nullptr, 0, ribbon_open, ribbon_build,
    ribbon_query, nullptr,      ribbon_bits,         ribbon_close,
};
