/* SPDX-License-Identifier: MIT */
/* Errors and warnings on stderr, and the statuses that a program exits with. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

/* As grep: `query` tells found from not found, most other commands use the first and the last. */
enum { EXIT_FINE = 0, EXIT_NONE = 1, EXIT_ERROR = 2 };

/* The name that messages begin with; it must outlive them. */
void message_start(const char *program);

/* "ultrafilter: ..." Returns EXIT_ERROR, so that a caller can print it and leave. */
int print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "ultrafilter: ..." */
void print_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "ultrafilter: warning: ..." */
void print_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
