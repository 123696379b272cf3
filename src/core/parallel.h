/* SPDX-License-Identifier: MIT */
/* A loop over independent pieces of work on several threads. */
#ifndef UF_PARALLEL_H
#define UF_PARALLEL_H

#include <stddef.h>

/*
 * Calls work(arg, piece) for every piece in [0, pieces), on at most `threads` threads, the caller's among
 * them; fewer when the system gives no more. Stops handing out pieces after the first non-zero result and
 * returns it; 0 when all pieces returned 0.
 */
int parallel_for(unsigned threads, size_t pieces, int (*work)(void *arg, size_t piece), void *arg);

#endif
