/* SPDX-License-Identifier: MIT */
/* On what the numbers were taken: without it they say nothing. */
#ifndef UF_BENCH_MACHINE_H
#define UF_BENCH_MACHINE_H

struct machine {
    char cpu[96];        /* "Neoverse-N1", or the model name of /proc/cpuinfo */
    unsigned cpus;       /* that this process may use */
    char caches[160];    /* "L1d 64K, L2 1024K, L3 32768K" */
    double memory_gib;   /* in all */
    char huge_pages[32]; /* the system's setting: always, madvise, never */
    char tunables[128];  /* GLIBC_TUNABLES */
    char compiler[64];
    char system[160]; /* kernel and architecture */
    char peers[96];   /* versions of what is linked */
};

void machine_describe(struct machine *out);

#endif
