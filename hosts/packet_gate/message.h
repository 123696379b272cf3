/* SPDX-License-Identifier: MIT */
/* Error messages and exit statuses. */
#ifndef GATE_MESSAGE_H
#define GATE_MESSAGE_H

/* EXIT_WORSE: with --exact or expected answers, more went wrong than the filters' rates allow. */
enum { EXIT_FINE = 0, EXIT_WORSE = 1, EXIT_ERROR = 2 };

/* "packet_gate: ..." on stderr. Returns EXIT_ERROR, so that a caller can report and return. */
int print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
