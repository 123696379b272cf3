/* SPDX-License-Identifier: MIT */
/* From a file to the first answer. */
#ifndef UF_BENCH_LOAD_H
#define UF_BENCH_LOAD_H

#include "measure.h"
#include "results.h"

/* Saves a blocked filter of about `bytes` to a temporary file in `folder`, and measures uf_load on 1 and on `threads`
 * threads, each beside a plain read of the same file into fresh memory, and uf_load with UF_MAP followed by one query;
 * then the ways that hosts have: pieces, views, copies. The file is in the page cache, so this is the cost of reading
 * memory and of checksums, not of a disk. 0 or -1, with the reason on stderr. */
int load_measure(const char *folder, uint64_t bytes, unsigned threads, const struct effort *effort,
                 struct results *results);

#endif
