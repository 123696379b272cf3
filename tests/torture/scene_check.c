/* SPDX-License-Identifier: MIT */
/* What must hold after a command, whatever happened to it: scene.h. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "figure.h"
#include "scene.h"
#include "stage.h"

static int ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && !strcmp(name + length - tail, end);
}

static int count_entry(void *arg, const uf_ledger_entry *entry)
{
    (void)entry;
    ++*(size_t *)arg;
    return 0;
}

/* Whole, for files that are other ones each time. */
static int is_whole(const char *path)
{
    size_t entries = 0;
    uf_filter *filter = NULL;
    uf_secret *secret = NULL;
    int status = UF_OK;
    if (ends_in(path, ".uf"))
        status = uf_load(path, UF_WITHOUT_KEY, NULL, &filter, NULL);
    else if (ends_in(path, ".key"))
        status = uf_secret_load(path, &secret, NULL);
    else if (ends_in(path, ".ufl"))
        status = uf_ledger_read(path, count_entry, &entries, NULL);
    uf_free(filter);
    uf_secret_free(secret);
    return status == UF_OK;
}

static int is_new(const struct stage *stage, int number)
{
    const char *path = stage_path(stage, stage->scene->targets[number]);
    if (access(path, F_OK))
        return 0;
    if (stage->scene->is & RANDOM)
        return is_whole(path);
    struct bytes now = stage_read(path);
    int same = bytes_equal(&now, &stage->made[number]);
    bytes_free(&now);
    return same;
}

struct findings {
    const struct outcome *outcome;
    int bad;
};

#define WRONG(stage, outcome, format, ...) \
    complain("'%s', %s: " format, (stage)->scene->words, (outcome)->how, __VA_ARGS__)

/* A name that should not be there. What the dead leave behind is the next run's to remove; and a call that removes a
 * temporary file may be the one that was struck. */
static void check_name(struct stage *stage, const char *name, void *arg)
{
    struct findings *findings = arg;
    const struct outcome *outcome = findings->outcome;
    const struct trace_call *struck = outcome->struck;
    if (stage_old(stage, name) || stage_target(stage, name) >= 0)
        return;
    const int temporary = strstr(name, ".~") != NULL;
    const char *call = struck ? trace_name(struck->number) : NULL;
    if (temporary && (outcome->killed || (call && !strcmp(call, "unlink") && strstr(struck->path, name))))
        return;
    WRONG(stage, outcome, "%s is left behind", name);
    findings->bad = 1;
}

static long long size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) ? -1 : (long long)about.st_size;
}

static int check_target(const struct stage *stage, const struct outcome *outcome, int number, int fine)
{
    const char *name = stage->scene->targets[number];
    const struct old_file *old = stage_old(stage, name);
    int kept = old ? stage_is_old(stage, old) : access(stage_path(stage, name), F_OK) != 0;
    if (!old && outcome->killed && size_of(stage_path(stage, name)) == 0)
        kept = 1; /* a lock that was never written to: as good as none */
    const int made = !kept && is_new(stage, number);
    if (!kept && !made)
        WRONG(stage, outcome, "%s is neither the old file nor the new one", name);
    else if (fine && !made && !(old && bytes_equal(&old->bytes, &stage->made[number])))
        WRONG(stage, outcome, "%s is not there, and the exit status is that of success", name);
    else
        return 1;
    return 0;
}

/* What is published is in the ledger. */
static int check_ledger(const struct stage *stage, const struct outcome *outcome)
{
    const char *const *targets = stage->scene->targets;
    if (!targets[1] || !ends_in(targets[1], ".ufl"))
        return 1;
    const struct old_file *file = stage_old(stage, targets[0]), *ledger = stage_old(stage, targets[1]);
    const int published = file ? !stage_is_old(stage, file) : !access(stage_path(stage, targets[0]), F_OK);
    const int charged = ledger ? !stage_is_old(stage, ledger) : !access(stage_path(stage, targets[1]), F_OK);
    if (!published || charged)
        return 1;
    WRONG(stage, outcome, "%s is there, and %s does not know of it", targets[0], targets[1]);
    return 0;
}

/* The name that an error should have: that of the file, not of the temporary one. */
static void subject_of(const struct stage *stage, const char *path, char out[256])
{
    const size_t length = strlen(stage->work);
    const char *name = !strncmp(path, stage->work, length) && path[length] == '/' ? path + length + 1 : path;
    (void)snprintf(out, 256, "%s", strchr(name, '/') ? "" : name);
    char *tail = strstr(out, ".~");
    if (tail)
        *tail = 0;
}

static int is_known(const struct stage *stage, const char *name)
{
    return name[0] && (stage_old(stage, name) || stage_target(stage, name) >= 0);
}

static int check_words(const struct stage *stage, const struct outcome *outcome)
{
    struct bytes said = stage_drain(stage->err[0]);
    const struct trace_call *struck = outcome->struck;
    char name[256] = "";
    bytes_put(&said, "", 1);
    /* After what it had to say before. */
    int well = !strncmp((char *)said.data, "ultrafilter", 11) || strstr((char *)said.data, "\nultrafilter") ||
               (struck && struck->fd == 2);
    if (!well)
        WRONG(stage, outcome, "exit status 2 and '%.60s'", (char *)said.data);
    if (struck && well)
        subject_of(stage, struck->path, name);
    if (well && is_known(stage, name) && !strstr((char *)said.data, name)) {
        WRONG(stage, outcome, "the error does not name %s: %.200s", name, (char *)said.data);
        well = 0;
    }
    bytes_free(&said);
    return well;
}

/* Whether a call that failed must end in an error: bytes on their way to a file, or to standard output, and the name of
 * the file. A close counts when the file was written to through it and not yet synced; ours are synced before. */
static int must_be_told(const struct stage *stage, const struct trace_call *call, int code)
{
    static const char *const always[] = {"write", "pwrite", "writev", "fsync", "fdatasync", "ftruncate", "rename"};
    const char *name = call ? trace_name(call->number) : NULL;
    char subject[256];
    if (!name || !code || code == EINTR || call->fd == 2)
        return 0;
    subject_of(stage, call->path, subject);
    if (call->fd != 1 && !is_known(stage, subject))
        return 0;
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        if (!strcmp(name, always[i]))
            return 1;
    return 0;
}

static int check_success(const struct stage *stage, const struct outcome *outcome)
{
    if (must_be_told(stage, outcome->struck, outcome->code)) {
        WRONG(stage, outcome, "it failed, and the exit status is %d", stage->status);
        return 0;
    }
    struct bytes printed = stage_drain(stage->out[0]);
    struct bytes said = stage_drain(stage->err[0]); /* a warning that something cannot be told is fine */
    bytes_put(&said, "", 1);
    int same =
        (stage->scene->is & RANDOM) || bytes_equal(&printed, &stage->printed) || strstr((char *)said.data, "warning: ");
    bytes_free(&said);
    if (!same)
        WRONG(stage, outcome, "it prints something else: %.*s", printed.size < 80 ? (int)printed.size : 80,
              printed.data ? (char *)printed.data : "");
    bytes_free(&printed);
    return same;
}

/* libsodium ends the process when the system gives its own start no randomness, once we were given some: nothing but a
 * single call that fails gets so far. */
static int is_sodium(const struct outcome *outcome)
{
    const char *call = outcome->struck ? trace_name(outcome->struck->number) : NULL;
    return call && !strcmp(call, "getrandom") && WIFSIGNALED(outcome->status) && WTERMSIG(outcome->status) == SIGABRT;
}

int stage_check(struct stage *stage, const struct outcome *seen)
{
    struct outcome copy = *seen;
    const struct outcome *outcome = &copy;
    copy.killed |= is_sodium(seen);
    struct findings findings = {outcome, 0};
    const int code = stage_code(outcome->status), fine = !outcome->killed && code == stage->status;
    int well = 1;
    if (!outcome->killed && code != stage->status && code != 2) {
        WRONG(stage, outcome, "it ended with %d", code);
        well = 0;
    }
    stage_walk(stage, check_name, &findings);
    well &= !findings.bad;
    for (size_t i = 0; i < stage->old_count; i++)
        if (stage_target(stage, stage->old[i].name) < 0 && !stage_is_untouched(stage, &stage->old[i])) {
            WRONG(stage, outcome, "%s has changed", stage->old[i].name);
            well = 0;
        }
    for (int i = 0; i < MOST_TARGETS && stage->scene->targets[i]; i++)
        well &= check_target(stage, outcome, i, fine);
    well &= check_ledger(stage, outcome);
    if (fine)
        well &= check_success(stage, outcome);
    else if (code == 2 && !outcome->killed)
        well &= check_words(stage, outcome);
    return well;
}

int stage_check_next(struct stage *stage, const struct outcome *before)
{
    const struct outcome after = {.how = "after a death"};
    struct findings findings = {&after, 0};
    (void)before;
    if (stage->scene->is & ONCE)
        for (int i = 0; i < MOST_TARGETS && stage->scene->targets[i]; i++)
            (void)unlink(stage_path(stage, stage->scene->targets[i]));
    int code = stage_command(stage, stage->scene->words);
    if (code < 0 || (code > 1 && code != stage->status)) {
        struct bytes said = stage_drain(stage->err[0]);
        WRONG(stage, before, "the next run ended with %d: %.*s", code, (int)said.size,
              said.data ? (char *)said.data : "");
        bytes_free(&said);
        return 0;
    }
    stage_walk(stage, check_name, &findings);
    return !findings.bad;
}
