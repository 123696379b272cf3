/* SPDX-License-Identifier: MIT */
/*
 * The commands under fire: every allocation refused, every system call failed, cut short or made the last, a disk that
 * is full, and death at any moment. scene.h says what must hold.
 *
 * usage: torture_commands WHAT,... short|full PROGRAM REFUSE.so
 *        of allocations, faults, kills, moments and disk
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "figure.h"
#include "moments.h"
#include "random.h"
#include "scene.h"

struct count {
    uint64_t tried, wrong;
    uint64_t all; /* that there are to try */
};

static void count_one(struct count *count, int well)
{
    count->tried++;
    count->wrong += !well;
}

/* Of `all` positions those to try in a short run: `few`, evenly, and the first of them at random. */
static uint64_t step_of(int full, uint64_t all, uint64_t few)
{
    return full || all <= few ? 1 : all / few;
}

static uint64_t seed;

static uint64_t first_of(uint64_t step)
{
    return 1 + random_below(&seed, step);
}

/* ---- memory ---- */

static void refuse_all(struct stage *stage, int full, struct count *count)
{
    const uint64_t step = step_of(full, stage->allocations, 3);
    int fired = 1;
    count->all += stage->allocations;
    for (uint64_t at = first_of(step); fired; at += step) {
        stage_reset(stage);
        stage->refusal->at = at;
        const struct outcome outcome = stage_run(stage);
        fired = outcome.fired;
        if (fired)
            count_one(count, stage_check(stage, &outcome));
    }
}

/* ---- system calls ---- */

/* With threads, calls change places: a few attempts to meet the one that is meant. */
static void strike(struct stage *stage, const struct trace_plan *plan, struct count *count)
{
    int fired = 0;
    for (int attempt = 0; attempt < 5 && !fired; attempt++) {
        stage_reset(stage);
        const struct outcome outcome = stage_trace(stage, plan);
        fired = outcome.fired;
        if (fired)
            count_one(count, stage_check(stage, &outcome));
    }
}

/* Ways in which the calls of the scene can fail. */
static uint64_t all_faults(const struct stage *stage)
{
    uint64_t all = 0;
    for (unsigned at = 0; at < stage->calls; at++) {
        const int *codes = trace_codes(stage->call[at].number);
        for (size_t i = 0; codes && codes[i]; i++)
            all++;
        all += (uint64_t)trace_may_be_short(stage->call[at].number);
    }
    return all;
}

static void fail_all(struct stage *stage, int full, struct count *count)
{
    count->all += all_faults(stage);
    const unsigned step = (unsigned)step_of(full, stage->calls, 3);
    for (unsigned at = (unsigned)first_of(step); at <= stage->calls; at += step) {
        const long number = stage->call[at - 1].number;
        const int *codes = trace_codes(number);
        for (size_t i = 0; codes && codes[i] && (full || !i); i++)
            strike(stage, &(struct trace_plan){.what = TRACE_ERROR, .at = at, .code = codes[i]}, count);
        if (trace_may_be_short(number))
            strike(stage, &(struct trace_plan){.what = TRACE_SHORT, .at = at}, count);
    }
}

/* The calls that decide what becomes of a file are all tried in short runs, too, of one command. */
static int is_about_a_file(const struct trace_call *call)
{
    return call->writes || strstr(call->path, ".~") != NULL;
}

static void fail_file_calls(struct stage *stage, struct count *count)
{
    for (unsigned at = 1; at <= stage->calls; at++) {
        const struct trace_call *call = &stage->call[at - 1];
        if (is_about_a_file(call) && trace_codes(call->number))
            strike(stage, &(struct trace_plan){.what = TRACE_ERROR, .at = at, .code = trace_codes(call->number)[0]},
                   count);
    }
}

/* How many calls of one sort, about one path, the scene makes. */
static unsigned calls_on(const struct stage *stage, long number, const char *path)
{
    unsigned count = 0;
    for (unsigned i = 0; i < stage->calls; i++) {
        const struct trace_call *call = &stage->call[i];
        count += call->number == number && (call->fd < 0 || call->fd > 2) && strstr(call->path, path);
    }
    return count;
}

/* The last of these fails, whatever its number is among all. */
static void fail_last_on(struct stage *stage, long number, const char *path, struct count *count)
{
    const struct trace_plan plan = {
        .what = TRACE_ERROR, .at = calls_on(stage, number, path), .code = EIO, .number = number, .path = path};
    stage_reset(stage);
    const struct outcome outcome = stage_trace(stage, &plan);
    if (!outcome.fired)
        complain("'%s' makes no call %s about %s", stage->scene->words, trace_name(number), path);
    count_one(count, outcome.fired && stage_check(stage, &outcome));
}

/* What was wrong once: a list whose unpacker could not write to its pipe was taken for whole, and a file whose size
 * could not be told was reported to be empty. */
static void fail_known(struct stage *stage, struct count *count)
{
    stage_set(stage, &scenes[1]);
    fail_last_on(stage, SYS_write, "pipe:", count);
    fail_last_on(stage, SYS_newfstatat, stage->scene->targets[0], count);
}

/* 0 when there is no such call. */
static int kill_at(struct stage *stage, unsigned at, struct count *count)
{
    stage_reset(stage);
    const struct outcome outcome = stage_trace(stage, &(struct trace_plan){.what = TRACE_KILL, .at = at});
    if (outcome.fired)
        count_one(count, stage_check(stage, &outcome) && stage_check_next(stage, &outcome));
    return outcome.fired;
}

static void kill_all(struct stage *stage, int full, struct count *count)
{
    const unsigned step = (unsigned)step_of(full, stage->calls, 1);
    unsigned at = (unsigned)first_of(step);
    count->all += stage->calls;
    while (kill_at(stage, at, count))
        at += step;
}

/* After each of them, which is before the next call. */
static void kill_file_calls(struct stage *stage, struct count *count)
{
    for (unsigned at = 1; at <= stage->calls; at++)
        if (strstr(stage->call[at - 1].path, ".~"))
            (void)kill_at(stage, at + 1, count);
}

/* ---- a full disk ---- */

/* Files may grow to so many bytes and no further: for each target, at steps of its size. */
static void limit_all(struct stage *stage, int full, struct count *count)
{
    for (int i = 0; i < MOST_TARGETS && stage->scene->targets[i]; i++) {
        const uint64_t size = stage->made[i].size, step = step_of(full, size / 64, 1) * 64;
        for (uint64_t limit = 1; limit < size; limit += step) {
            stage_reset(stage);
            stage->file_limit = limit;
            stage->refusal->at = 0;
            struct outcome outcome = stage_run(stage);
            stage->file_limit = 0;
            (void)snprintf(outcome.how, sizeof outcome.how, "files of %llu bytes at most", (unsigned long long)limit);
            count_one(count, stage_check(stage, &outcome));
        }
    }
}

/* A small disk of our own, which nobody else sees, filled up to a few pages. 0 when the system does not allow one. */
static int mount_disk(char folder[64])
{
    (void)snprintf(folder, 64, "/tmp/uf-torture-disk-XXXXXX");
    if (!mkdtemp(folder))
        return 0;
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", folder, "tmpfs", 0, "size=4m")) {
        (void)rmdir(folder);
        return 0;
    }
    return 1;
}

/* Leaves so many KiB free. */
static void fill_disk(const struct stage *stage, unsigned free_kib)
{
    static char block[1024];
    char path[700];
    (void)snprintf(path, sizeof path, "%s/ballast", stage->folder);
    (void)unlink(path);
    FILE *ballast = fopen(path, "w");
    assert_non_null(ballast);
    setvbuf(ballast, NULL, _IONBF, 0);
    while (fwrite(block, sizeof block, 1, ballast) == 1)
        ;
    const long size = ftell(ballast);
    assert_int_equal(ftruncate(fileno(ballast), size > free_kib * 1024L ? size - free_kib * 1024L : 0), 0);
    (void)fclose(ballast);
}

static void empty_disk(const struct stage *stage)
{
    char path[700];
    (void)snprintf(path, sizeof path, "%s/ballast", stage->folder);
    (void)unlink(path);
}

static void fill_all(struct stage *stage, int full, struct count *count)
{
    for (unsigned free_kib = 4; free_kib <= 160; free_kib += full ? 4 : 120) {
        empty_disk(stage);
        stage_reset(stage);
        fill_disk(stage, free_kib);
        stage->refusal->at = 0;
        struct outcome outcome = stage_run(stage);
        (void)snprintf(outcome.how, sizeof outcome.how, "%u KiB left on the disk", free_kib);
        count_one(count, stage_check(stage, &outcome));
    }
    empty_disk(stage);
}

/* ---- all scenes ---- */

typedef void attack_fn(struct stage *stage, int full, struct count *count);

static struct count over_scenes(struct stage *stage, int full, attack_fn *attack, int writers_only)
{
    struct count count = {0, 0, 0};
    static size_t turn; /* short runs: every third command line, and others with what comes next */
    turn++;
    for (size_t i = 0; i < scene_count; i++) {
        if ((!full && ((scenes[i].is & SLOW) || (i + turn) % 3)) || (writers_only && !scenes[i].targets[0]))
            continue;
        const double start = figure_clock();
        const struct count before = count;
        stage_set(stage, &scenes[i]);
        attack(stage, full, &count);
        (void)fprintf(stderr, "%6.1f s  %6llu runs, %llu wrong  %s\n", figure_clock() - start,
                      (unsigned long long)(count.tried - before.tried),
                      (unsigned long long)(count.wrong - before.wrong), scenes[i].words);
    }
    return count;
}

/* A small disk in short runs is left to the command line's own tests. */
static void attack_disk(struct stage *stage, int full, const char *const *paths)
{
    const struct count limits = over_scenes(stage, full, limit_all, 1);
    char folder[64];
    figure("disk full: limit on file sizes", limits.tried, 500, limits.wrong, "RLIMIT_FSIZE at steps of 64 bytes");
    if (!full)
        return;
    stage_close(stage);
    const int mounted = mount_disk(folder);
    stage_open(stage, paths[0], paths[1], mounted ? folder : NULL);
    if (!mounted) {
        (void)printf("disk full: a small disk\tnot tried\t500, 0 wrong\tshort\tmounting a disk is not allowed here\n");
        return;
    }
    const struct count disks = over_scenes(stage, full, fill_all, 1);
    figure("disk full: a small disk", disks.tried, 500, disks.wrong, "4 to 160 KiB left on a tmpfs");
    stage_close(stage);
    (void)umount(folder);
    (void)rmdir(folder);
    stage_open(stage, paths[0], paths[1], NULL);
}

static int attack_named(struct stage *stage, const char *name, int full, const char *const *paths)
{
    struct count count;
    const double start = figure_clock();
    if (!strcmp(name, "allocations")) {
        count = over_scenes(stage, full, refuse_all, 0);
        count.wrong += stage_missing(stage);
        figure("allocations of every command", count.tried, count.all - count.all / 10, count.wrong,
               "each refused once, in every library; %zu command lines; %.0f s", scene_count, figure_clock() - start);
    } else if (!strcmp(name, "faults")) {
        count = over_scenes(stage, full, fail_all, 0);
        if (!full) {
            stage_set(stage, &scenes[7]);
            fail_file_calls(stage, &count);
        }
        fail_known(stage, &count);
        figure("system calls of every command", count.tried, count.all - count.all / 10, count.wrong,
               "each failed with each errno, or cut short, of %llu ways; threads make some come twice; %.0f s",
               (unsigned long long)count.all, figure_clock() - start);
    } else if (!strcmp(name, "kills")) {
        count = over_scenes(stage, full, kill_all, 1);
        if (!full) {
            stage_set(stage, &scenes[0]);
            kill_file_calls(stage, &count);
        }
        figure("kills at every system call", count.tried, count.all - count.all / 10, count.wrong,
               "then the next run removes what was left; %.0f s", figure_clock() - start);
    } else if (!strcmp(name, "moments")) {
        moments_run(stage, full ? 10000 : 50, &seed);
    } else if (!strcmp(name, "disk")) {
        attack_disk(stage, full, paths);
    } else {
        return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct stage stage;
    char words[128];
    int status = 0;
    if (argc != 5) {
        (void)fprintf(stderr, "usage: torture_commands WHAT,... short|full PROGRAM REFUSE.so\n");
        return 2;
    }
    seed = figure_seed(!strcmp(argv[2], "full"));
    (void)signal(SIGPIPE, SIG_IGN);
    stage_open(&stage, argv[3], argv[4], NULL);
    (void)snprintf(words, sizeof words, "%s", argv[1]);
    char *rest = words;
    for (char *word; !status && (word = strsep(&rest, ","));)
        status = attack_named(&stage, word, !strcmp(argv[2], "full"), (const char *const *)argv + 3);
    stage_close(&stage);
    return status ? status : figure_status();
}
