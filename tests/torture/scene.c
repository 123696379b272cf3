/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "folder.h"
#include "stage.h"

/* ---- running ---- */

enum { MOST_WORDS = 24, SECONDS = 60 };

struct start {
    const struct stage *stage;
    const char *words;
    char text[1024], program[4200];
    char *word[MOST_WORDS + 1];
    char preload[4200], page[600];
    char *environment[8];
};

struct bytes stage_drain(int fd)
{
    struct bytes bytes = {NULL, 0, 0};
    char buffer[4096];
    for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;)
        bytes_put(&bytes, buffer, (size_t)got);
    return bytes;
}

static void prepare_start(struct start *start, const struct stage *stage, const char *words)
{
    const int lab = !strncmp(words, "lab ", 4);
    size_t count = 1;
    struct bytes before[2] = {stage_drain(stage->out[0]), stage_drain(stage->err[0])}; /* nobody asked for it */
    bytes_free(&before[0]);
    bytes_free(&before[1]);
    start->stage = stage;
    (void)snprintf(start->program, sizeof start->program, "%s%s", stage->program, lab ? "-lab" : "");
    (void)snprintf(start->text, sizeof start->text, "%s", words + (lab ? 4 : 0));
    start->word[0] = start->program;
    for (char *word = strtok(start->text, " "); word && count < MOST_WORDS; word = strtok(NULL, " "))
        start->word[count++] = word;
    start->word[count] = NULL;
    (void)snprintf(start->preload, sizeof start->preload, "LD_PRELOAD=%s", stage->preload);
    (void)snprintf(start->page, sizeof start->page, "UF_TORTURE=%s/page", stage->folder);
    static char locale[] = "LC_ALL=C", terminal[] = "TERM=dumb", path[] = "PATH=/usr/bin:/bin",
                temporary[] = "TMPDIR=/tmp";
    char *const environment[] = {start->preload, start->page, locale, terminal, path, temporary, NULL};
    memcpy(start->environment, environment, sizeof environment);
}

/* In the child. */
static void start_program(void *arg)
{
    struct start *start = arg;
    const struct stage *stage = start->stage;
    if (stage->file_limit) {
        const struct rlimit limit = {stage->file_limit, stage->file_limit};
        (void)setrlimit(RLIMIT_FSIZE, &limit);
    }
    const int nothing = open("/dev/null", O_RDONLY);
    if (dup2(nothing, 0) || dup2(stage->out[1], 1) != 1 || dup2(stage->err[1], 2) != 2 || chdir(stage->work))
        _exit(125);
    (void)close(nothing);
    (void)execve(start->program, start->word, start->environment);
    _exit(127);
}

static volatile pid_t watched;

static void end_watched(int signal)
{
    (void)signal;
    (void)kill(watched, SIGABRT); /* a program that hangs has crashed */
}

static int finish(pid_t child)
{
    int status = 0;
    watched = child;
    (void)signal(SIGALRM, end_watched);
    (void)alarm(SECONDS);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    (void)alarm(0);
    return status;
}

static pid_t launch(struct stage *stage, const char *words)
{
    static struct start start;
    prepare_start(&start, stage, words);
    pid_t child = fork();
    if (!child)
        start_program(&start);
    assert_true(child > 0);
    return child;
}

int stage_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int stage_command(struct stage *stage, const char *words)
{
    stage->refusal->at = stage->refusal->calls = 0;
    return stage_code(finish(launch(stage, words)));
}

int stage_command_killed(struct stage *stage, const char *words, uint64_t microseconds)
{
    stage->refusal->at = stage->refusal->calls = 0;
    pid_t child = launch(stage, words);
    const struct timespec wait = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    (void)nanosleep(&wait, NULL);
    (void)kill(child, SIGKILL);
    return stage_code(finish(child));
}

struct outcome stage_run(struct stage *stage)
{
    struct outcome outcome = {.how = ""};
    const uint64_t at = stage->refusal->at;
    stage->refusal->calls = 0;
    outcome.status = finish(launch(stage, stage->scene->words));
    outcome.fired = at && stage->refusal->calls >= at;
    (void)snprintf(outcome.how, sizeof outcome.how, "allocation %llu of %llu refused", (unsigned long long)at,
                   (unsigned long long)stage->allocations);
    return outcome;
}

static struct trace_result trace_words(struct stage *stage, const struct trace_plan *plan,
                                       void (*each)(void *list, const struct trace_call *call))
{
    static struct start start;
    prepare_start(&start, stage, stage->scene->words);
    stage->refusal->at = stage->refusal->calls = 0;
    return trace_run(start_program, &start, plan, each, stage);
}

struct outcome stage_trace(struct stage *stage, const struct trace_plan *plan)
{
    static struct trace_result result;
    result = trace_words(stage, plan, NULL);
    struct outcome outcome = {.status = result.status,
                              .fired = result.fired,
                              .killed = plan->what == TRACE_KILL && result.fired,
                              .struck = result.fired ? &result.struck : NULL,
                              .code = plan->code};
    const char *name = trace_name(result.struck.number);
    (void)snprintf(outcome.how, sizeof outcome.how, "call %u %s(%.60s) %s%s", plan->at, name ? name : "other",
                   result.struck.path, plan->what == TRACE_KILL ? "is the last" : "",
                   plan->what == TRACE_SHORT ? "is cut short"
                   : plan->code              ? strerrorname_np(plan->code)
                                             : "");
    return outcome;
}

/* ---- setting the stage ---- */

static const char *place_for_files(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given ? given : !access("/dev/shm", W_OK) ? "/dev/shm" : "/tmp";
}

static void map_page(struct stage *stage)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/page", stage->folder);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0 && !ftruncate(fd, 4096));
    stage->refusal = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(stage->refusal != MAP_FAILED);
    close(fd);
}

void stage_open(struct stage *stage, const char *program, const char *preload, const char *under)
{
    char line[16384];
    memset(stage, 0, sizeof *stage);
    assert_that(realpath(program, stage->program) && realpath(preload, stage->preload), "%s or %s is missing", program,
                preload);
    (void)snprintf(stage->folder, sizeof stage->folder, "%s/uf-torture-XXXXXX", under ? under : place_for_files());
    assert_non_null(mkdtemp(stage->folder));
    (void)snprintf(stage->work, sizeof stage->work, "%s/work", stage->folder);
    assert_int_equal(mkdir(stage->work, 0700), 0);
    map_page(stage);
    assert_true(!pipe2(stage->out, O_CLOEXEC) && !pipe2(stage->err, O_CLOEXEC));
    assert_true(!fcntl(stage->out[0], F_SETFL, O_NONBLOCK) && !fcntl(stage->err[0], F_SETFL, O_NONBLOCK));
    (void)snprintf(line, sizeof line, "cd %s && set -e && export LC_ALL=C UF=%s\n%s", stage->work, stage->program,
                   scene_preparation);
    assert_that(system(line) == 0, "the files could not be made"); // NOLINT: paths of our own
    stage_walk(stage, stage_keep, NULL);
}

void stage_close(struct stage *stage)
{
    const struct folder folder = {{0}};
    struct folder mine = folder;
    (void)snprintf(mine.path, sizeof mine.path, "%s", stage->folder);
    folder_remove(&mine);
    (void)munmap(stage->refusal, 4096);
    for (int i = 0; i < 2; i++) {
        (void)close(stage->out[i]);
        (void)close(stage->err[i]);
    }
    for (size_t i = 0; i < stage->old_count; i++)
        bytes_free(&stage->old[i].bytes);
    for (size_t i = 0; i < MOST_TARGETS; i++)
        bytes_free(&stage->made[i]);
    bytes_free(&stage->printed);
}

static void keep_call(void *arg, const struct trace_call *call)
{
    struct stage *stage = arg;
    if (stage->calls < MOST_CALLS)
        stage->call[stage->calls++] = *call;
}

void stage_set(struct stage *stage, const struct scene *scene)
{
    const struct trace_plan nothing = {.what = TRACE_NOTHING};
    stage->scene = scene;
    stage->calls = 0;
    bytes_free(&stage->printed);
    stage_reset(stage);
    struct trace_result result = trace_words(stage, &nothing, keep_call);
    stage->status = stage_code(result.status);
    stage->printed = stage_drain(stage->out[0]);
    for (int i = 0; i < MOST_TARGETS; i++) {
        bytes_free(&stage->made[i]);
        if (scene->targets[i])
            stage->made[i] = stage_read(stage_path(stage, scene->targets[i]));
        assert_that(!scene->targets[i] || stage->made[i].size, "'%s' did not make %s", scene->words, scene->targets[i]);
    }
    stage->allocations = stage->refusal->calls;
    struct bytes said = stage_drain(stage->err[0]);
    assert_that(stage->status >= 0 && (stage->status < 2 || !scene->targets[0]), "'%s' ended with %d: %.*s",
                scene->words, stage->status, (int)said.size, said.data ? (char *)said.data : "");
    bytes_free(&said);
}
