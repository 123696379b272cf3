/* SPDX-License-Identifier: MIT */
/* AES-CMAC, the secret: round keys and the two keys of the last block, computed without tables or branches. */
#include <string.h>

#include "aes_bitsliced.h"
#include "cpu.h"
#include "prf.h"

/* Times x in GF(2^128), the first byte is the highest. */
static void twice(const unsigned char in[16], unsigned char out[16])
{
    unsigned char carry = (unsigned char)((in[0] >> 7) * 0x87);
    for (int i = 0; i < 15; i++)
        out[i] = (unsigned char)(in[i] << 1 | in[i + 1] >> 7);
    out[15] = (unsigned char)(in[15] << 1 ^ carry);
}

static void subkeys(const unsigned char sliced[AES_ROUNDS + 1][16], unsigned char last[2][16])
{
    struct hash128 block[BITSLICED_BLOCKS] = {{0, 0}};
    unsigned char zero[16];
    bitsliced_encrypt(sliced, AES_ROUNDS, block);
    for (int i = 0; i < 16; i++)
        zero[i] = (unsigned char)((i < 8 ? block[0].lo : block[0].hi) >> 8 * (i % 8));
    twice(zero, last[0]);
    twice(last[0], last[1]);
    explicit_bzero(block, sizeof block);
    explicit_bzero(zero, sizeof zero);
}

/* NULL: without instructions. */
static const struct prf_calls *fast_calls(int cpu)
{
    if (cpu == UF_CPU_SCALAR || aes_best() != AES_INSTRUCTIONS)
        return NULL;
    int wide = (cpu == UF_CPU_AUTO || cpu == UF_CPU_AVX512) && cpu_has_vaes();
    return wide && cmac_with_vaes() ? cmac_with_vaes() : cmac_with_aes();
}

void cmac_start(struct prf *prf, int cpu, const unsigned char secret[PRF_KEY_BYTES])
{
    const struct prf_calls *fast = fast_calls(cpu);
    memset(prf, 0, sizeof *prf);
    prf->calls = fast ? fast : &cmac_bitsliced;
    bitsliced_expand(secret, AES_ROUNDS, prf->key.round);
    bitsliced_slice(AES_ROUNDS, prf->key.round);
    subkeys(prf->key.round, prf->key.last);
    if (fast)
        bitsliced_expand(secret, AES_ROUNDS, prf->key.round);
}
