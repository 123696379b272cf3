/* SPDX-License-Identifier: MIT */
/* strtod and printf follow the caller's locale ("0,01"), so both run under the C locale here. */
#include "number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int number_parse(const char *text, double *out)
{
    /* strtod would also take spaces, "inf", "nan" and hexadecimal. */
    if (!text[0] || text[strspn(text, "0123456789.eE+-")])
        return 0;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return 0;
    char *end;
    double value = strtod_l(text, &end, c);
    freelocale(c);
    if (*end || !isfinite(value))
        return 0;
    *out = value;
    return 1;
}

int number_parse_count(const char *text, uint64_t *out)
{
    double value;
    if (!number_parse(text, &value) || value < 0 || value > 0x1p53 || value != floor(value))
        return 0;
    *out = (uint64_t)value;
    return 1;
}

int number_parse_hex(const char *text, uint64_t *out)
{
    size_t digits = strlen(text);
    if (strncmp(text, "0x", 2) || digits < 3 || digits > 18 || text[2 + strspn(text + 2, "0123456789abcdefABCDEF")])
        return 0;
    *out = strtoull(text + 2, NULL, 16);
    return 1;
}

void number_format(double value, char *out, size_t size)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0;
    if (value == floor(value) && fabs(value) <= 0x1p53)
        (void)snprintf(out, size, "%.0f", value);
    else
        for (int digits = 6; digits <= 17; digits++) {
            (void)snprintf(out, size, "%.*g", digits, value);
            if (strtod(out, NULL) == value)
                break;
        }
    if (c) {
        uselocale(before);
        freelocale(c);
    }
}
