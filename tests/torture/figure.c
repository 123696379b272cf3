/* SPDX-License-Identifier: MIT */
#include "figure.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

enum { MOST_COMPLAINTS = 100 };

static uint64_t failures;

static void say(const char *check, const char *found, const char *target, enum figure_verdict verdict,
                const char *format, va_list values)
{
    static const char *const names[] = {"met", "short", "failed"};
    char note[512];
    (void)vsnprintf(note, sizeof note, format, values);
    failures += verdict == FIGURE_FAILED;
    (void)printf("%s\t%s\t%s\t%s\t%s\n", check, found, target, names[verdict], note);
    (void)fflush(stdout);
}

void figure_say(const char *check, const char *found, const char *target, enum figure_verdict verdict,
                const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(check, found, target, verdict, format, values);
    va_end(values);
}

void figure(const char *check, uint64_t tried, uint64_t wanted, uint64_t wrong, const char *format, ...)
{
    va_list values;
    char found[80], target[80];
    (void)snprintf(found, sizeof found, "%llu tried, %llu wrong", (unsigned long long)tried, (unsigned long long)wrong);
    (void)snprintf(target, sizeof target, "%llu tried, 0 wrong", (unsigned long long)wanted);
    va_start(values, format);
    say(check, found, target,
        wrong || !tried  ? FIGURE_FAILED
        : tried < wanted ? FIGURE_SHORT
                         : FIGURE_MET,
        format, values);
    va_end(values);
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
