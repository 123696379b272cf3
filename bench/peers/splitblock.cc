/* SPDX-License-Identifier: MIT */
/*
 * The split-block filter of Parquet files (parquet-format, BloomFilter.md), which Impala and Kudu have too, as
 * libfilter implements it, when CMake finds filter/block.h (UF_PEERS): with AVX2, NEON or neither, inlined here;
 * nothing is linked. Blocks of 32 bytes are eight words of 32 bits, a key sets one bit in each: the low half of its
 * hash times eight constants; the high half chooses the block. Arrow's own filter does the same but cannot be included
 * alone, and what fastfilter_cpp has for ARM is another filter, of 16-byte blocks. Writers of Parquet round the size up
 * to a power of two; here it is what the false-positive rate needs. Nobody who reads Parquet asks in batches, so
 * batches are those of hashed.h.
 */
#include "hashed.h"

extern "C" {
#include "filter/block.h"
}

namespace
{

class SplitBlock
{
    libfilter_block filter;

  public:
    static constexpr uint32_t block_bytes = 32;
    static constexpr uint64_t bytes_max = static_cast<uint64_t>(UINT32_MAX) * block_bytes;

    using Place = uint64_t; /* the hash: the peer has no call for a block that was found before */

    /* A block has n keys, Poisson, and then a word has a given bit with 1 - (31/32)^n. 10.53 bits give 1 %. */
    static double rate(double bits)
    {
        const double load = 8 * block_bytes / bits;
        double chance = std::exp(-load);
        double sum = 0;
        for (int n = 0; n < 400; n++) {
            sum += chance * std::pow(1 - std::pow(31.0 / 32, n), 8);
            chance *= load / (n + 1);
        }
        return sum;
    }

    SplitBlock(char *memory, size_t size, double)
    {
        filter.num_buckets_ = size / block_bytes;
        filter.block_.block = reinterpret_cast<uint32_t *>(memory);
        filter.block_.to_free = memory;
    }

    Place prefetch(uint64_t hash) const
    {
        uint64_t block = libfilter_block_index(hash, static_cast<uint32_t>(filter.num_buckets_));
        __builtin_prefetch(filter.block_.block + block * (block_bytes / sizeof(uint32_t)));
        return hash;
    }

    void add(Place hash)
    {
        libfilter_block_add_hash(hash, &filter);
    }

    bool find(Place hash) const
    {
        return find_hash(hash);
    }

    bool find_hash(uint64_t hash) const
    {
        return libfilter_block_find_hash(hash, &filter);
    }
};

} /* namespace */

extern "C" const struct peer peer_splitblock = hashed::peer_of<SplitBlock>("parquet", "Parquet split block");
