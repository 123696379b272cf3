/* SPDX-License-Identifier: MIT */
/* What the program says when something is wrong, and the statuses it exits with. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

/* As grep: `query` tells found from not found, everything else uses the first and the last. */
enum { EXIT_FINE = 0, EXIT_NONE = 1, EXIT_ERROR = 2 };

/* "ultrafilter: ..." on stderr. Returns EXIT_ERROR, so that a caller can say so and leave. */
int say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "ultrafilter: warning: ..." on stderr. */
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
