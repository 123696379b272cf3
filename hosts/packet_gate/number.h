/* SPDX-License-Identifier: MIT */
/* Numbers of options, for both commands. */
#ifndef GATE_NUMBER_H
#define GATE_NUMBER_H

#include <stdint.h>

/* A whole number from `low` to `high`, written 1000000 or 1e6; a number from `low` to `high`. Non-zero, and said on
 * stderr with the option's name, when the text is none. */
int number_whole(const char *option, const char *text, double low, double high, uint64_t *out);
int number_real(const char *option, const char *text, double low, double high, double *out);

/* A 64-bit seed: decimal, or hex after 0x. */
int number_seed(const char *option, const char *text, uint64_t *out);

#endif
