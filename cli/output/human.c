/* SPDX-License-Identifier: MIT */
/* The C locale throughout: main never calls setlocale, so a point is a point everywhere. */
#include "human.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Three digits that matter: 1.20, 12.0, 120. */
static int decimals(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

struct human human_bytes(double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    struct human out;
    size_t unit = 0;
    for (; bytes >= 1023.5 && unit < 5; unit++)
        bytes /= 1024;
    (void)snprintf(out.text, sizeof out.text, "%.*f %s", unit ? decimals(bytes) : 0, bytes,
                   bytes == 1 && !unit ? "byte" : units[unit]);
    return out;
}

struct human human_count(double count)
{
    char plain[24];
    struct human out = {""};
    (void)snprintf(plain, sizeof plain, "%.0f", fmin(fabs(count), 1e18));
    size_t digits = strlen(plain), to = 0;
    for (size_t i = 0; i < digits; i++) {
        if (i && (digits - i) % 3 == 0)
            out.text[to++] = ',';
        out.text[to++] = plain[i];
    }
    return out;
}

/* A filter whose bits are all set cannot tell: its estimate is infinite. */
struct human human_estimate(double count)
{
    struct human out = {"far too many"};
    if (isfinite(count))
        (void)snprintf(out.text, sizeof out.text, "about %.24s", human_count(count).text);
    return out;
}

struct human human_percent(double share)
{
    struct human out;
    double percent = share * 100;
    /* Two digits that matter below 0.1 %: a rate of 0.0039 % is not 0.00 %. */
    if (percent == 0)
        (void)snprintf(out.text, sizeof out.text, "0 %%");
    else if (percent < 0.095)
        (void)snprintf(out.text, sizeof out.text, percent < 1e-4 ? "%.1e %%" : "%.2g %%", percent);
    else
        (void)snprintf(out.text, sizeof out.text, "%.2f %%", percent);
    return out;
}

struct human human_rate(double per_second)
{
    static const char units[] = " kMGT";
    struct human out;
    size_t unit = 0;
    for (; per_second >= 999.5 && unit < 4; unit++)
        per_second /= 1000;
    (void)snprintf(out.text, sizeof out.text, "%.*f %.*s", decimals(per_second), per_second, unit != 0, units + unit);
    return out;
}

struct human human_seconds(double duration)
{
    struct human out;
    unsigned long whole = (unsigned long)fmin(fmax(duration, 0), 359999);
    if (whole >= 3600)
        (void)snprintf(out.text, sizeof out.text, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    else
        (void)snprintf(out.text, sizeof out.text, "%lu:%02lu", whole / 60, whole % 60);
    return out;
}
