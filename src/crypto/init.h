/* SPDX-License-Identifier: MIT */
/*
 * libsodium wants to be initialised before anything else of it is used: only then are its functions safe in threads,
 * its memory guarded, and BLAKE2b the fast one of the processor. Every way into it comes past here: where a master key
 * is made or loaded, and where a digest starts that needs none.
 */
#ifndef UF_INIT_H
#define UF_INIT_H

#include "ultrafilter.h"

/* Cheap once it was done; any number of threads may call it. UF_ERANDOM: the system gives no randomness. */
int crypto_init(uf_error *why);

#endif
