/* SPDX-License-Identifier: MIT */
/*
 * One line, redrawn ten times a second at most:
 *
 *     building   43 %  [########...........]  1.21 GB/s  0:12 left
 *     building   12,345,678 keys  4.10 M keys/s
 *
 * There is no thread behind it: whoever works reports. The line is erased with spaces, which works on
 * every terminal, and has no colour, so NO_COLOR has nothing to forbid.
 */
#include "progress.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "human.h"

enum { BAR = 24 };

static struct {
    pthread_mutex_t lock;
    enum progress_when when;
    const char *label;
    uint64_t total;
    double started, phase_started, drawn; /* seconds */
    int columns;                          /* that the line on the screen takes; 0: none */
    int in_library;                       /* the phase is one that the library reports */
} line = {.lock = PTHREAD_MUTEX_INITIALIZER, .when = PROGRESS_NEVER};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void erase(void)
{
    if (line.columns)
        (void)fprintf(stderr, "\r%*s\r", line.columns, "");
    line.columns = 0;
}

void progress_start(enum progress_when when)
{
    if (when == PROGRESS_AUTO && !isatty(STDERR_FILENO))
        when = PROGRESS_NEVER;
    line.when = when;
    line.started = now();
}

static void start_phase(const char *label, uint64_t total, int in_library)
{
    pthread_mutex_lock(&line.lock);
    line.label = label;
    line.total = total;
    line.phase_started = now();
    line.drawn = 0;
    line.in_library = in_library;
    pthread_mutex_unlock(&line.lock);
}

void progress_phase(const char *label, uint64_t total)
{
    start_phase(label, total, 0);
}

void progress_library_phase(const char *label)
{
    start_phase(label, 0, 1);
}

static int draw_known(char *text, size_t size, double done, double elapsed)
{
    double share = done < (double)line.total ? done / (double)line.total : 1;
    int full = (int)(share * BAR);
    char bar[BAR + 1];
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)full);
    bar[BAR] = 0;
    int length = snprintf(text, size, "%-10s %3.0f %%  [%s]", line.label, share * 100, bar);
    if (elapsed > 0.5 && share > 0 && length > 0 && (size_t)length < size)
        length += snprintf(text + length, size - (size_t)length, "  %s%s/s  %s left", human_rate(done / elapsed).text,
                           line.in_library ? "" : "B", human_seconds(elapsed / share - elapsed).text);
    return length;
}

static int draw_unknown(char *text, size_t size, double keys, double elapsed)
{
    return snprintf(text, size, "%-10s %s keys  %s keys/s", line.label, human_count(keys).text,
                    human_rate(elapsed > 0 ? keys / elapsed : 0).text);
}

static int is_due(double time)
{
    return time - line.drawn >= 0.1 && (line.when == PROGRESS_ALWAYS || time - line.started >= 1);
}

static void draw(uint64_t done, uint64_t keys)
{
    double time = now();
    if (!is_due(time))
        return;
    char text[160];
    double elapsed = time - line.phase_started;
    int length = line.total ? draw_known(text, sizeof text, (double)done, elapsed)
                            : draw_unknown(text, sizeof text, (double)keys, elapsed);
    (void)fprintf(stderr, "\r%-*s", line.columns, text);
    line.columns = length > line.columns ? length : line.columns;
    line.drawn = time;
}

void progress_show(uint64_t done, uint64_t keys)
{
    if (line.when == PROGRESS_NEVER)
        return;
    pthread_mutex_lock(&line.lock);
    draw(done, keys);
    pthread_mutex_unlock(&line.lock);
}

int progress_from_library(void *unused, uint64_t done, uint64_t total)
{
    (void)unused;
    if (line.when == PROGRESS_NEVER)
        return 0;
    pthread_mutex_lock(&line.lock);
    if (line.in_library) {
        line.total = total;
        draw(done, done);
    }
    pthread_mutex_unlock(&line.lock);
    return 0;
}

void progress_hide(void)
{
    pthread_mutex_lock(&line.lock);
    erase();
    pthread_mutex_unlock(&line.lock);
}
