/* SPDX-License-Identifier: MIT */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

static void print(const char *format, va_list values) __attribute__((format(printf, 1, 0)));

static void print(const char *format, va_list values)
{
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, values);
    (void)fprintf(stderr, "packet_gate: %s\n", text);
}

int print_error(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print(format, values);
    va_end(values);
    return EXIT_ERROR;
}

int print_doubt(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print(format, values);
    va_end(values);
    return EXIT_WORSE;
}
