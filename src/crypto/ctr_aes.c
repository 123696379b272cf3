/* SPDX-License-Identifier: MIT */
/* The keystream with the processor's AES instructions. This file alone is compiled for them; ctr_start asks first. */
#include <string.h>

#include "aes_inline.h"
#include "ctr.h"

#ifdef AES_INLINE

/* Blocks at once. Neoverse-N1 has one pipe for AES, and other instructions wait for it in long runs: 5.9 ns a block for
 * 2, 6.4 for 8, since a processor that runs out of order begins the next two by itself. x86 waits longer for a round.
 */
#ifdef __aarch64__
enum { LANES = 2 };
#else
enum { LANES = 8 };
#endif

static void blocks(const struct aes256_key *key, uint64_t first, unsigned char (*out)[16], size_t count)
{
    for (size_t done = 0; done < count; done += LANES) {
        aes_words x[LANES];
        struct hash128 block[LANES];
        for (unsigned i = 0; i < LANES; i++)
            x[i] = aes_from((struct hash128){0, __builtin_bswap64(first + done + i)});
        aes_rounds(key->round, AES256_ROUNDS, x, LANES);
        if (count - done >= LANES) {
            for (unsigned i = 0; i < LANES; i++)
                aes_put(x[i], out[done + i]);
            continue;
        }
        for (unsigned i = 0; i < LANES; i++)
            aes_store(x[i], &block[i]);
        memcpy(out[done], block, 16 * (count - done));
        explicit_bzero(block, sizeof block);
    }
}

ctr_blocks *ctr_with_aes(void)
{
    return blocks;
}

#else

ctr_blocks *ctr_with_aes(void)
{
    return NULL;
}

#endif
