/* SPDX-License-Identifier: MIT */
#include "ctr.h"

#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "aes_bitsliced.h"
#include "wire.h"

void ctr_bitsliced(const struct aes256_key *key, uint64_t first, unsigned char (*out)[16], size_t count)
{
    struct hash128 block[BITSLICED_BLOCKS];
    for (size_t done = 0; done < count; done += BITSLICED_BLOCKS) {
        size_t now = count - done < BITSLICED_BLOCKS ? count - done : BITSLICED_BLOCKS;
        for (size_t i = 0; i < BITSLICED_BLOCKS; i++)
            block[i] = (struct hash128){0, __builtin_bswap64(first + done + i)};
        bitsliced_encrypt(key->round, AES256_ROUNDS, block);
        struct writer writer = {out[done], 16 * now, 0};
        for (size_t i = 0; i < now; i++) {
            write_uint(&writer, block[i].lo, 8);
            write_uint(&writer, block[i].hi, 8);
        }
    }
    explicit_bzero(block, sizeof block);
}

/* Four blocks to a register: VAES of AVX-512 registers, and AVX512BW to turn counters round. GCC asks the system, too,
 * whether it saves those registers. */
static int has_vaes(void)
{
#ifdef __x86_64__
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && c >> 9 & 1;
#else
    return 0;
#endif
}

ctr_blocks *ctr_find(int way)
{
    switch (way) {
    case CTR_VAES:
        return has_vaes() ? ctr_with_vaes() : NULL;
    case CTR_AES:
        return aes_best() == AES_INSTRUCTIONS ? ctr_with_aes() : NULL;
    default:
        return ctr_bitsliced;
    }
}

void ctr_start(struct ctr *ctr, const unsigned char key[32])
{
    int way = CTR_WAYS - 1;
    while (!ctr_find(way))
        way--;
    ctr->blocks = ctr_find(way);
    ctr->next = 0;
    ctr->left = 0;
    aes256_expand(key, ctr_keys(way), &ctr->key);
}

static unsigned char *take_rest(struct ctr *ctr, unsigned char *out, size_t *bytes)
{
    unsigned now = *bytes < ctr->left ? (unsigned)*bytes : ctr->left;
    unsigned char *from = ctr->rest + sizeof ctr->rest - ctr->left;
    memcpy(out, from, now);
    explicit_bzero(from, now);
    ctr->left -= now;
    *bytes -= now;
    return out + now;
}

void ctr_bytes(struct ctr *ctr, void *out, size_t bytes)
{
    unsigned char *at = take_rest(ctr, out, &bytes);
    size_t whole = bytes / 16;
    ctr->blocks(&ctr->key, ctr->next, (unsigned char(*)[16])at, whole);
    ctr->next += whole;
    bytes %= 16;
    if (!bytes)
        return;
    ctr->blocks(&ctr->key, ctr->next++, &ctr->rest, 1);
    ctr->left = 16;
    (void)take_rest(ctr, at + 16 * whole, &bytes);
}
