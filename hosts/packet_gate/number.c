/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static int parse(const char *text, double *out)
{
    char *end;
    if (!text[0] || text[strspn(text, "0123456789.eE+-")])
        return -1;
    *out = strtod(text, &end);
    return *end || !isfinite(*out) ? -1 : 0;
}

int number_whole(const char *option, const char *text, double low, double high, uint64_t *out)
{
    double value;
    if (parse(text, &value) || value < low || value > high || value != floor(value))
        return print_error("%s %s: not a whole number from %.0f to %.0f", option, text, low, high);
    *out = (uint64_t)value;
    return EXIT_FINE;
}

int number_real(const char *option, const char *text, double low, double high, double *out)
{
    if (parse(text, out) || *out < low || *out > high)
        return print_error("%s %s: not a number from %g to %g", option, text, low, high);
    return EXIT_FINE;
}

int number_seed(const char *option, const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
    if (end == text || *end || errno || text[0] == '-')
        return print_error("%s %s: not a number of 64 bits, such as 7 or 0x5eed", option, text);
    return EXIT_FINE;
}
