/* SPDX-License-Identifier: MIT */
#include "date.h"

#include <string.h>
#include <time.h>

int date_format(int64_t seconds, char out[UF_DATE_SIZE])
{
    const int64_t first = INT64_C(-62135596800), last = INT64_C(253402300799); /* of the years 1 and 9999 */
    struct tm parts;
    time_t moment = (time_t)seconds;
    if (seconds < first || seconds > last || moment != seconds)
        return 0;
    (void)gmtime_r(&moment, &parts); /* fails for years that no int holds only */
    (void)strftime(out, UF_DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return date_fits(out);
}

static int in_range(const char *digits, int least, int most)
{
    int value = 10 * (digits[0] - '0') + digits[1] - '0';
    return value >= least && value <= most;
}

int date_fits(const char *text)
{
    static const char pattern[] = "0000-00-00T00:00:00Z";
    if (strlen(text) != sizeof pattern - 1)
        return 0;
    for (size_t i = 0; i < sizeof pattern - 1; i++)
        if (pattern[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i])
            return 0;
    return in_range(text + 5, 1, 12) && in_range(text + 8, 1, 31) && in_range(text + 11, 0, 23) &&
           in_range(text + 14, 0, 59) && in_range(text + 17, 0, 60);
}
