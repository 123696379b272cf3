/* SPDX-License-Identifier: MIT */
/* Eight processes load, change and save one file, each under its lock: whatever one has acknowledged is in it. */
#ifndef UF_TORTURE_PROCESSES_H
#define UF_TORTURE_PROCESSES_H

#include <stdint.h>

/* So many keys each, `rounds` times a share of them. */
void processes_run(uint64_t each, unsigned rounds);

#endif
