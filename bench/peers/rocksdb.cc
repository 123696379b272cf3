/* SPDX-License-Identifier: MIT */
/*
 * FastLocalBloom, the filter that RocksDB has in its tables since format version 5, when CMake finds a checkout of
 * RocksDB (UF_PEERS): util/bloom_impl.h, whose functions are inlined here; nothing of RocksDB is linked. Blocks of 64
 * bytes, six probes at 1 %, eight probes at a time with AVX2. RocksDB's users choose bits per key and it chooses the
 * probes; here the bits are the fewest for which its own estimate keeps the false-positive rate. It hashes keys with a
 * preview of XXH3, which takes the same time as the released one. hashed.h says how batches are made: with PrepareHash
 * and HashMayMatchPrepared, as RocksDB itself makes them.
 */
#include "hashed.h"

#include "util/bloom_impl.h"

namespace
{

using ROCKSDB_NAMESPACE::BloomMath;
using Impl = ROCKSDB_NAMESPACE::FastLocalBloomImpl;

class FastLocal
{
    char *data;
    uint32_t bytes;
    int probes;

  public:
    static constexpr uint32_t block_bytes = 64;
    static constexpr uint64_t bytes_max = UINT32_MAX;

    struct Place {
        uint32_t offset;
        uint32_t hash;
    };

    static int probes_for(double bits)
    {
        return Impl::ChooseNumProbes(static_cast<int>(std::lround(1000 * bits)));
    }

    static double rate(double bits)
    {
        return BloomMath::CacheLocalFpRate(bits, probes_for(bits), 8 * block_bytes);
    }

    FastLocal(char *memory, size_t size, double bits)
        : data(memory), bytes(static_cast<uint32_t>(size)), probes(probes_for(bits))
    {
    }

    Place prefetch(uint64_t hash) const
    {
        Place place = {0, static_cast<uint32_t>(hash >> 32)};
        Impl::PrepareHash(static_cast<uint32_t>(hash), bytes, data, &place.offset);
        return place;
    }

    void add(Place place)
    {
        Impl::AddHashPrepared(place.hash, probes, data + place.offset);
    }

    bool find(Place place) const
    {
        return Impl::HashMayMatchPrepared(place.hash, probes, data + place.offset);
    }

    bool find_hash(uint64_t hash) const
    {
        return Impl::HashMayMatch(static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32), bytes, probes, data);
    }
};

} /* namespace */

extern "C" const struct peer peer_rocksdb = hashed::peer_of<FastLocal>("rocksdb", "RocksDB FastLocal");
