/* SPDX-License-Identifier: MIT */
#include "aes.h"

#include "aes_bitsliced.h"
#include "wire.h"

#ifdef __linux__
#include <sys/auxv.h>
#endif

void aes_expand(const uint64_t key[2], enum aes_way way, struct aes_key *out)
{
    unsigned char bytes[16];
    struct writer writer = {bytes, sizeof bytes, 0};
    write_uint(&writer, key[0], 8);
    write_uint(&writer, key[1], 8);
    bitsliced_expand(bytes, AES_ROUNDS, out->round);
    if (way == AES_BITSLICED)
        bitsliced_slice(AES_ROUNDS, out->round);
}

void aes256_expand(const unsigned char key[32], enum aes_way way, struct aes256_key *out)
{
    bitsliced_expand(key, AES256_ROUNDS, out->round);
    if (way == AES_BITSLICED)
        bitsliced_slice(AES256_ROUNDS, out->round);
}

enum aes_way aes_best(void)
{
#if defined(__aarch64__) && defined(__linux__)
    return getauxval(AT_HWCAP) >> 3 & 1 ? AES_INSTRUCTIONS : AES_BITSLICED; /* HWCAP_AES */
#elif defined(__x86_64__)
    return __builtin_cpu_supports("aes") ? AES_INSTRUCTIONS : AES_BITSLICED;
#else
    return AES_BITSLICED;
#endif
}
