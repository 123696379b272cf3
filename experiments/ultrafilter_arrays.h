/* SPDX-License-Identifier: MIT */
/* The paper's appendix: Hamming distances between arrays (definitions 6.1 and 6.2), and equations 5 to 8. */
#ifndef EXPERIMENTS_ULTRAFILTER_ARRAYS_H
#define EXPERIMENTS_ULTRAFILTER_ARRAYS_H

#include "ultrafilter_grid.h"

void arrays_equations(struct report *report, const struct grid *grid);
int arrays_distances(const struct setup *setup, const struct hashed_keys *keys, struct report *report, uf_error *why);

#endif
