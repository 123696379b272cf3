/* SPDX-License-Identifier: MIT */
/* The keystream with the processor's AES instructions. This file alone is compiled for them; ctr_start asks first. */
#include <string.h>

#include "aes_inline.h"
#include "ctr.h"

#ifdef AES_INLINE

enum { LANES = 8 };

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
