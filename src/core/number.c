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
    if (!text[strspn(text, "0123456789")]) /* 2^53 + 1 would have been rounded */
        *out = strtoull(text, NULL, 10);
    return *out <= UINT64_C(1) << 53;
}

int number_parse_hex(const char *text, uint64_t *out)
{
    size_t digits = strlen(text);
    if (strncmp(text, "0x", 2) || digits < 3 || digits > 18 || text[2 + strspn(text + 2, "0123456789abcdefABCDEF")])
        return 0;
    *out = strtoull(text + 2, NULL, 16);
    return 1;
}

static void print_in_c(char *out, size_t size, const char *format, int digits, double value)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0;
    (void)snprintf(out, size, format, digits, value);
    if (c) {
        uselocale(before);
        freelocale(c);
    }
}

void number_format_digits(double value, int digits, char *out, size_t size)
{
    print_in_c(out, size, "%.*g", digits, value);
}

void number_format(double value, char *out, size_t size)
{
    double back = 0;
    if (value == floor(value) && fabs(value) <= 0x1p53) {
        print_in_c(out, size, "%.*f", 0, value);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        number_format_digits(value, digits, out, size);
        if (number_parse(out, &back) && back == value)
            return;
    }
}
