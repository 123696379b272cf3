/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "message.h"

int clock_read(int64_t *seconds)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    char *end;
    *seconds = (int64_t)time(NULL);
    if (!text)
        return EXIT_FINE;
    errno = 0;
    *seconds = strtoll(text, &end, 10);
    if (errno || end == text || *end || *seconds < 1)
        return print_error("SOURCE_DATE_EPOCH is '%s', which is no number of seconds since 1970: correct or unset it",
                           text);
    return EXIT_FINE;
}
