/* SPDX-License-Identifier: MIT */
#include "numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "shared.h"
#include "ultrafilter.h"

enum { MOST_THREADS = 256, DEFAULT_THREADS = 64 };

int args_whole(const struct args *args, const struct option *option, uint64_t least, uint64_t most, uint64_t *out)
{
    const char *text = args_value(args, option);
    char bound[24] = "2^53";
    if (!text)
        return EXIT_FINE;
    double value = strtod(text, NULL);
    if (value >= (double)least && value <= (double)most && value == floor(value)) {
        const uint64_t whole = text[strspn(text, "0123456789")] ? (uint64_t)value : strtoull(text, NULL, 10);
        if (whole <= most) { /* 2^53 + 1 was rounded */
            *out = whole;
            return EXIT_FINE;
        }
    }
    if (most != MOST_WHOLE)
        (void)snprintf(bound, sizeof bound, "%" PRIu64, most);
    return print_error("%s %s: not a whole number from %" PRIu64 " to %s", args_label(args, option).text, text, least,
                       bound);
}

int args_epsilon(const struct args *args, const struct option *option, double *out)
{
    const char *text = args_value(args, option);
    char *end;
    if (!text)
        return EXIT_FINE;
    double value = strtod(text, &end);
    if (!*text || text[strspn(text, "0123456789.eE+-")] || *end ||
        !(value >= UF_EPSILON_LEAST && value <= UF_EPSILON_MOST))
        return print_error("%s %s: not a number from %g to %g; 1 protects well, above 8 little is left",
                           args_label(args, option).text, text, UF_EPSILON_LEAST, UF_EPSILON_MOST);
    *out = value;
    return EXIT_FINE;
}

int args_seed(const struct args *args, const struct option *option, uint64_t *out)
{
    const char *text = args_value(args, option);
    char *end;
    if (!text)
        return EXIT_FINE;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return print_error("%s %s: not a whole number below 2^64, such as 17 or 0x5eed", args_label(args, option).text,
                           text);
    *out = value;
    return EXIT_FINE;
}

static unsigned processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > DEFAULT_THREADS ? DEFAULT_THREADS : (unsigned)count;
}

unsigned args_threads(const struct args *args)
{
    uint64_t threads = 0;
    if (!args_has(args, &option_threads))
        return processors();
    return args_whole(args, &option_threads, 1, MOST_THREADS, &threads) ? 0 : (unsigned)threads;
}
