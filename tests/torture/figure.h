/* SPDX-License-Identifier: MIT */
/*
 * What a part of the torture prints, one line a figure, for `make torture` to put beside its target:
 *
 *     check TAB figure TAB target TAB met|short|failed TAB note
 *
 * failed: something went wrong, as stderr tells; short: nothing did, but less was tried than the target asks for.
 */
#ifndef UF_TORTURE_FIGURE_H
#define UF_TORTURE_FIGURE_H

#include <stdint.h>
#include <stdio.h>

/* `wrong` of `tried` went wrong; the target is `wanted` tries, of which none does. */
__attribute__((format(printf, 5, 6))) void figure(const char *check, uint64_t tried, uint64_t wanted, uint64_t wrong,
                                                  const char *format, ...);

/* A figure in words of its own. */
enum figure_verdict { FIGURE_MET, FIGURE_SHORT, FIGURE_FAILED };
__attribute__((format(printf, 5, 6))) void figure_say(const char *check, const char *found, const char *target,
                                                      enum figure_verdict verdict, const char *format, ...);

/* Something is wrong: one line to stderr, the first hundred of them. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* What main returns: 1 after a complaint or a figure that failed. */
int figure_status(void);

/* Seconds since some time. */
double figure_clock(void);

/* The seed of this run: SEED of the environment, 1 in short runs, otherwise a fresh one. Printed to stderr. */
uint64_t figure_seed(int full);

#endif
