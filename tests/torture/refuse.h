/* SPDX-License-Identifier: MIT */
/*
 * Memory that is refused: libtorture_refuse.so takes the place of malloc and its kin for every library of a process, be
 * it linked or preloaded (LD_PRELOAD), and refuses one allocation, by its number.
 *
 * Preloaded, it maps the file that UF_TORTURE names, which is a struct refusal that outlives the process, and counts
 * from then on; and it tells a tracer that the program is about to begin (REFUSE_MARK), the loader being done.
 */
#ifndef UF_TORTURE_REFUSE_H
#define UF_TORTURE_REFUSE_H

#include <stddef.h>
#include <stdint.h>

struct refusal {
    uint64_t at;     /* the number, from 1, of the allocation to refuse; 0: none */
    uint64_t calls;  /* allocations so far */
    uint64_t blocks; /* handed out and not given back, modulo 2^64 */
};

/* getpgid of this: there is no such process. */
#define REFUSE_MARK 0x7ffffff1

/* In a program that is linked with it: counts anew, and refuses. Stopping returns how many allocations there were. */
void refuse_start(uint64_t at);
uint64_t refuse_stop(void);

/* Blocks that are in use, more or less than at some other time. */
uint64_t refuse_blocks(void);

#endif
