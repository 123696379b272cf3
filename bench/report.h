/* SPDX-License-Identifier: MIT */
/* What a reader sees: the tables on standard output, and the same as JSON. */
#ifndef UF_BENCH_REPORT_H
#define UF_BENCH_REPORT_H

#include "limits.h"
#include "machine.h"
#include "options.h"
#include "results.h"

void report_machine(const struct machine *machine, const struct options *options);
void report_limits(const struct limits *limits);
/* The rows of one size, key width and number of threads as one table, one filter a line; nothing when there are none.
 */
void report_block(const struct results *results, uint64_t n, size_t key_bytes, unsigned threads, double fpr);
/* What single queries take by themselves, for the same rows; nothing where that was not measured. */
void report_alone(const struct results *results, uint64_t n, size_t key_bytes);
void report_lines(const struct limits *limits);
void report_loads(const struct results *results);
/* How quiet the machine was; a warning when it was not. */
void report_quiet(double cpu_share);

/* 0, or -1 with the reason on stderr. */
int report_json(const char *path, const struct machine *machine, const struct options *options,
                const struct limits *limits, const struct results *results);

#endif
