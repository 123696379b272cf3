/* SPDX-License-Identifier: MIT */
/* What the program says when something is wrong, and the statuses it exits with. */
#ifndef GATE_SAY_H
#define GATE_SAY_H

/* EXIT_WORSE: with --exact or expected answers, more went wrong than the filters' rates allow. */
enum { EXIT_FINE = 0, EXIT_WORSE = 1, EXIT_ERROR = 2 };

/* "packet_gate: ..." on stderr. Returns EXIT_ERROR, so that a caller can say so and leave. */
int say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
