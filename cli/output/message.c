/* SPDX-License-Identifier: MIT */
/* Each message is one write, so that those of two threads do not mix. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#include "progress.h"

static const char *program_name = "ultrafilter";

void message_start(const char *program)
{
    program_name = program;
}

static void print_message(const char *level, const char *format, va_list values)
{
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, values);
    progress_hide();
    (void)fprintf(stderr, "%s: %s%s\n", program_name, level, text);
}

int print_error(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message("", format, values);
    va_end(values);
    return EXIT_ERROR;
}

void print_note(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message("", format, values);
    va_end(values);
}

void print_warning(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message("warning: ", format, values);
    va_end(values);
}
