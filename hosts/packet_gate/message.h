/* SPDX-License-Identifier: MIT */
/* Error messages and exit statuses. */
#ifndef GATE_MESSAGE_H
#define GATE_MESSAGE_H

/* EXIT_WORSE: bad sources were missed, or may have been, as their history did not fit; or, with --exact or expected
 * answers, more went wrong than the filters' rates allow. */
enum { EXIT_FINE = 0, EXIT_WORSE = 1, EXIT_ERROR = 2 };

/* "packet_gate: ..." on stderr. Returns EXIT_ERROR, so that a caller can report and return. */
int print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what is doubtful. Returns EXIT_WORSE. */
int print_doubt(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
