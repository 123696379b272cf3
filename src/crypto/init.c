/* SPDX-License-Identifier: MIT */
#include "init.h"

#include <sodium/core.h>

#include "rng.h"
#include "status.h"

int crypto_init(uf_error *why)
{
    static int done;
    unsigned char byte;
    if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        return UF_OK;
    /* Asked first, since sodium_init ends the process when there is no randomness. */
    if (rng_system(&byte, 1) != UF_OK || sodium_init() < 0)
        return fail(why, UF_ERANDOM, "the system gives no randomness, and libsodium does not start without it");
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return UF_OK;
}
