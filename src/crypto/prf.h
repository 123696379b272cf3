/* SPDX-License-Identifier: MIT */
/*
 * Keyed hashes: 128 bits of a key of the filter's, which nobody can tell from random who lacks the secret.
 *
 *   SipHash-2-4-128   as its authors wrote it; fast everywhere
 *   AES-CMAC-128      RFC 4493; faster where the processor has instructions for AES
 *
 * The bytes of the result are those of lo, then of hi, each little-endian. No branch and no address depends on the
 * secret or on the result; both depend on the length of what is hashed.
 *
 * Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
 * Song, Poovendran, Lee and Iwata, "The AES-CMAC algorithm", RFC 4493, 2006.
 */
#ifndef UF_PRF_H
#define UF_PRF_H

#include "aes.h"
#include "ultrafilter.h"

enum { PRF_KEY_BYTES = 16 };

struct prf_key {
    _Alignas(16) unsigned char round[AES_ROUNDS + 1][16]; /* AES only, in the shape that the calls read */
    unsigned char last[2][16];                            /* K1 and K2 of RFC 4493 */
    uint64_t word[2];                                     /* SipHash only */
};

/* One way to compute a PRF. `keys` and `fixed` have several keys in flight. */
struct prf_calls {
    struct hash128 (*one)(const struct prf_key *key, uf_key data);
    void (*keys)(const struct prf_key *key, const uf_key *keys, size_t count, struct hash128 *out);
    void (*fixed)(const struct prf_key *key, const void *keys, size_t width, size_t count, struct hash128 *out);
};

/* With its secret: whoever has one wipes it. */
struct prf {
    const struct prf_calls *calls;
    struct prf_key key;
};

void siphash_start(struct prf *prf, const unsigned char secret[PRF_KEY_BYTES]);

/* cpu: enum uf_cpu; UF_CPU_SCALAR takes the portable way. */
void cmac_start(struct prf *prf, int cpu, const unsigned char secret[PRF_KEY_BYTES]);

/* The ways to compute AES-CMAC. NULL: the compiler has no such instructions. */
extern const struct prf_calls cmac_bitsliced;
const struct prf_calls *cmac_with_aes(void);
const struct prf_calls *cmac_with_vaes(void);

#endif
