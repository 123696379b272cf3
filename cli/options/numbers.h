/* SPDX-License-Identifier: MIT */
/* Options whose values are numbers: whole ones, epsilon, seeds, threads. */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stdint.h>

#include "args.h"

#define MOST_WHOLE (UINT64_C(1) << 53) /* up to here a double is exact */

/* A whole number, 1e6 for example, within bounds; `out` stays as it is when the option was not given. EXIT_FINE, or
 * EXIT_ERROR after a message. */
int args_whole(const struct args *args, const struct option *option, uint64_t least, uint64_t most, uint64_t *out);

/* A number above 0. */
int args_positive(const struct args *args, const struct option *option, double *out);

/* A number within the bounds that the library has for epsilon; the same otherwise. */
int args_epsilon(const struct args *args, const struct option *option, double *out);

/* Decimal, or 0x and hexadecimal; the same otherwise. */
int args_seed(const struct args *args, const struct option *option, uint64_t *out);

/* The number of threads: -j, or one for each processor this process may use. 0 after a message. */
unsigned args_threads(const struct args *args);

#endif
