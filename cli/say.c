/* SPDX-License-Identifier: MIT */
/* Messages for people. Each is one write, so that those of two threads do not mix. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

#include "progress.h"

static void say(const char *level, const char *format, va_list values)
{
    char text[1024];
    (void)vsnprintf(text, sizeof text, format, values);
    progress_hide();
    (void)fprintf(stderr, "ultrafilter: %s%s\n", level, text);
}

int say_error(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say("", format, values);
    va_end(values);
    return EXIT_ERROR;
}

void say_warning(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say("warning: ", format, values);
    va_end(values);
}
