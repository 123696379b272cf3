/* SPDX-License-Identifier: MIT */
/* Pictures of the results, drawn by gnuplot from a data file beside the picture (picture.svg.dat). */
#ifndef UF_BENCH_PLOT_H
#define UF_BENCH_PLOT_H

#include "machine.h"
#include "options.h"
#include "results.h"

/* Cost against the number of keys, on one thread, for the first key width. 0, or -1 with the reason on stderr. */
int plot_growth(const char *path, const struct options *options, const struct machine *machine,
                const struct results *results);

/* Bars for the largest size: ours, peers, the limit. 0, or -1 with the reason on stderr. */
int plot_chart(const char *path, const struct options *options, const struct machine *machine,
               const struct results *results);

#endif
