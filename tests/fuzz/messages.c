/* SPDX-License-Identifier: MIT */
/*
 * What programs would print. Messages are made, so that what goes into them is looked at, and thrown away: a million
 * lines on stderr are of no use. The linker puts these in place of print_error and its like.
 */
#include <stdarg.h>
#include <stdio.h>

int __wrap_print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int __wrap_print_doubt(const char *format, ...) __attribute__((format(printf, 1, 2)));
void __wrap_print_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void __wrap_print_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void make(const char *format, va_list values) __attribute__((format(printf, 1, 0)));

static void make(const char *format, va_list values)
{
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, values);
}

#define MAKE(format)              \
    do {                          \
        va_list values;           \
        va_start(values, format); \
        make(format, values);     \
        va_end(values);           \
    } while (0)

int __wrap_print_error(const char *format, ...)
{
    MAKE(format);
    return 2;
}

int __wrap_print_doubt(const char *format, ...)
{
    MAKE(format);
    return 1;
}

void __wrap_print_note(const char *format, ...)
{
    MAKE(format);
}

void __wrap_print_warning(const char *format, ...)
{
    MAKE(format);
}
