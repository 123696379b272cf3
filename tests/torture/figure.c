/* SPDX-License-Identifier: MIT */
#include "figure.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

enum { MOST_COMPLAINTS = 100 };

static uint64_t failures;

void figure(const char *check, uint64_t tried, uint64_t wanted, uint64_t wrong, const char *format, ...)
{
    va_list values;
    char note[512];
    const int failed = wrong || !tried;
    va_start(values, format);
    (void)vsnprintf(note, sizeof note, format, values);
    va_end(values);
    failures += (uint64_t)failed;
    (void)printf("%s\t%llu tried, %llu wrong\t%llu tried, 0 wrong\t%s\t%s\n", check, (unsigned long long)tried,
                 (unsigned long long)wrong, (unsigned long long)wanted,
                 failed           ? "failed"
                 : tried < wanted ? "short"
                                  : "met",
                 note);
    (void)fflush(stdout);
}

void complain(const char *format, ...)
{
    va_list values;
    if (++failures > MOST_COMPLAINTS)
        return;
    va_start(values, format);
    (void)vfprintf(stderr, format, values);
    va_end(values);
    (void)fputc('\n', stderr);
}

int figure_status(void)
{
    return failures != 0;
}

double figure_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t figure_seed(int full)
{
    const char *given = getenv("SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
    if (!given && full && getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uint64_t)time(NULL);
    (void)fprintf(stderr, "SEED=0x%llx makes this run again\n", (unsigned long long)seed);
    return seed;
}
