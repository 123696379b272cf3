/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <dirent.h>
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
#include "figure.h"
#include "folder.h"

/* ---- the files, and the commands ---- */

/* What there is before any scene. $UF is the program. */
static const char preparation[] =
    "seq 200 >keys; seq 1001 1040 >more; seq 2001 2200 >others\n"
    "awk 'BEGIN { for (i = 0; i < 400; i++) print \"a\" i * 7919 % 10007 \".example\" }' >good\n"
    "awk 'BEGIN { for (i = 0; i < 400; i++) print \"www\" i * 104729 % 99991 \".invalid\" }' >bad\n"
    "awk 'BEGIN { for (i = 400; i < 800; i++) print \"www\" i * 104729 % 99991 \".invalid\" }' >valid\n"
    "gzip -k keys; xz -k keys; bzip2 -k keys; zstd -q keys\n"
    "$UF keygen -q -o k.key; $UF keygen -q --public --key-file k.key -o k.pub\n"
    "$UF build -q -o a.uf --spec bloom:n=1000,fpr=1e-6,seed=0x5eed keys\n"
    "$UF build -q -o b.uf --like a.uf more\n"
    "$UF build -q -o c.uf --spec counting:n=1000,fpr=1e-6,seed=0x5eed keys\n"
    "$UF build -q -o w.uf --spec blocked:n=1000,fpr=1e-6,window=3,seed=0x5eed keys\n"
    "$UF build -q -o p.uf --spec blocked:n=1000,fpr=0.01,parts=2,seed=0x5eed keys\n"
    "$UF build -q -o q.uf --spec 'keyed(blocked:n=1000,fpr=1e-6,seed=0x5eed)' --key-file k.key keys\n"
    "$UF build -q -o e.uf --for-release --epsilon 3 -n 1000 keys\n"
    "$UF split -q --parts 2 -o part-%d.uf p.uf\n"
    "$UF train -q -o m.ufm --positives good --negatives bad --valid valid\n"
    "$UF build -q -o l.uf --spec partition:fpr=0.1,seed=0x5eed --model m.ufm --valid valid --force good 2>/dev/null\n"
    "$UF sign -q --key-file k.key --name list --serial 2 a.uf; $UF sign -q --mac --key-file k.key c.uf\n"
    "$UF publish -q -o r.uf --epsilon 1 --capacity 1000 --key-file k.key --label one --ledger l.ufl --budget 99 keys\n"
    "$UF merge -q -o d.bloom --format dcso e.uf 2>/dev/null || $UF build -q -o d.bloom --format dcso --kind dcso "
    "keys\n";

const struct scene scenes[] = {
    {"build -o new.uf --spec bloom:n=1000,fpr=0.01,seed=0x5eed keys", {"new.uf"}, 0, 0, 0},
    {"build -o a.uf --spec blocked:n=1e5,fpr=0.01,seed=0x5eed -j 2 keys.gz more", {"a.uf"}, 0, 0, 0},
    {"build --json -o a.uf --spec ribbon:fpr=0.01,seed=0x5eed keys.xz keys.bz2", {"a.uf"}, 0, 0, 0},
    {"build -o l.uf --spec partition:fpr=0.1,seed=0x5eed --model m.ufm --valid valid --force good", {"l.uf"}, 0, 0, 0},
    {"build -o new.uf --spec keyed(blocked:n=1000,full=scale,seed=0x5eed) --key-file k.key keys", {"new.uf"}, 0, 0, 0},
    {"rebuild -o a.uf --like a.uf --key-file k.key keys", {"a.uf"}, 1, 0, 0},
    {"train -o new.ufm --positives good --negatives bad --valid valid", {"new.ufm"}, 0, 0, 1},
    {"insert a.uf more", {"a.uf"}, 0, 0, 0},
    {"insert --new q.uf --key-file k.key more keys.zst", {"q.uf"}, 0, 0, 0},
    {"remove c.uf keys", {"c.uf"}, 0, 0, 0},
    {"rotate w.uf", {"w.uf"}, 0, 0, 0},
    {"query a.uf keys more", {NULL}, 0, 0, 0},
    {"query -j 2 --json --verify-key k.pub -c a.uf --also b.uf keys", {NULL}, 0, 0, 0},
    {"query --watch l.uf bad", {NULL}, 0, 0, 1},
    {"merge -o a.uf a.uf b.uf", {"a.uf"}, 0, 0, 0},
    {"split --parts 2 -o part-%d.uf p.uf", {"part-0.uf", "part-1.uf"}, 0, 0, 0},
    {"join -o new.uf part-0.uf part-1.uf", {"new.uf"}, 0, 0, 0},
    {"cluster info seen --redis 127.0.0.1:1", {NULL}, 0, 0, 1},
    {"info a.uf", {NULL}, 0, 0, 1},
    {"info --json l.uf", {NULL}, 0, 0, 1},
    {"info d.bloom", {NULL}, 0, 0, 1},
    {"overlap a.uf b.uf", {NULL}, 0, 0, 1},
    {"plan -n 1e6 -p 0.01", {NULL}, 0, 0, 1},
    {"plan --json -n 1e6 --epsilon 3", {NULL}, 0, 0, 0},
    {"publish -o r.uf --epsilon 1 --capacity 1000 --key-file k.key --label two --ledger l.ufl more",
     {"r.uf", "l.ufl"},
     1,
     0,
     0},
    {"publish -o new.uf --epsilon 3 --mechanism dime --universe range:1-3000 -p 0.01 keys", {"new.uf"}, 1, 0, 0},
    {"publish -o new.uf --epsilon 3 --ledger new.ufl --budget 9 e.uf", {"new.uf", "new.ufl"}, 1, 0, 1},
    {"ledger l.ufl", {NULL}, 0, 0, 1},
    {"keygen -o new.key", {"new.key"}, 1, 1, 0},
    {"keygen --public --key-file k.key -o new.pub", {"new.pub"}, 0, 0, 1},
    {"sign --key-file k.key b.uf", {"b.uf.sig"}, 0, 0, 0},
    {"sign --mac --key-file k.key --name list --serial 3 a.uf", {"a.uf.sig"}, 0, 0, 1},
    {"verify --verify-key k.pub --name list --last last a.uf", {"last"}, 0, 0, 0},
    {"lab attack peel --seed 1 -n 50 --trials 10 --json", {NULL}, 0, 0, 1},
    {"lab game 2 -j 1 --seed 1 --trials 5 -n 50 --queries 50", {NULL}, 0, 0, 1},
    {"lab audit -j 1 --seed 1 --trials 20 --spec dpset:n=10,epsilon=1", {NULL}, 0, 0, 1},
    {"lab hybrid -n 1e6 -p 0.01 --adversarial-share 0.1", {NULL}, 0, 0, 1},
    {"lab reproduce", {NULL}, 0, 0, 1},
};

const size_t scene_count = sizeof scenes / sizeof scenes[0];

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

/* Empties a pipe. */
static struct bytes drain(int fd)
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
    struct bytes before[2] = {drain(stage->out[0]), drain(stage->err[0])}; /* nobody asked for it */
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

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int stage_command(struct stage *stage, const char *words)
{
    stage->refusal->at = stage->refusal->calls = 0;
    return code_of(finish(launch(stage, words)));
}

int stage_command_killed(struct stage *stage, const char *words, uint64_t microseconds)
{
    stage->refusal->at = stage->refusal->calls = 0;
    pid_t child = launch(stage, words);
    const struct timespec wait = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    (void)nanosleep(&wait, NULL);
    (void)kill(child, SIGKILL);
    return code_of(finish(child));
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

/* ---- files ---- */

static const char *in_work(const struct stage *stage, const char *name)
{
    static char path[4][1200];
    static unsigned next;
    char *out = path[next++ % 4];
    (void)snprintf(out, sizeof path[0], "%s/%s", stage->work, name);
    return out;
}

static struct bytes read_whole(const char *path)
{
    struct bytes bytes = {NULL, 0, 0};
    unsigned char buffer[65536];
    int fd = open(path, O_RDONLY);
    for (ssize_t got; fd >= 0 && (got = read(fd, buffer, sizeof buffer)) > 0;)
        bytes_put(&bytes, buffer, (size_t)got);
    if (fd >= 0)
        close(fd);
    return bytes;
}

static void stamp(const struct stage *stage, struct old_file *file)
{
    struct stat about;
    assert_int_equal(stat(in_work(stage, file->name), &about), 0);
    file->inode = about.st_ino;
    file->changed = (uint64_t)about.st_mtim.tv_sec * 1000000000u + (uint64_t)about.st_mtim.tv_nsec;
}

static int is_untouched(const struct stage *stage, const struct old_file *file)
{
    struct stat about;
    return !stat(in_work(stage, file->name), &about) && about.st_ino == file->inode &&
           (size_t)about.st_size == file->bytes.size &&
           file->changed == (uint64_t)about.st_mtim.tv_sec * 1000000000u + (uint64_t)about.st_mtim.tv_nsec;
}

/* The old file is there, be it the same or another with its bytes. */
static int is_old(const struct stage *stage, const struct old_file *file)
{
    if (is_untouched(stage, file))
        return 1;
    struct bytes now = read_whole(in_work(stage, file->name));
    int same = bytes_equal(&now, &file->bytes) && !access(in_work(stage, file->name), F_OK);
    bytes_free(&now);
    return same;
}

static const struct old_file *old_of(const struct stage *stage, const char *name)
{
    for (size_t i = 0; i < stage->old_count; i++)
        if (!strcmp(stage->old[i].name, name))
            return &stage->old[i];
    return NULL;
}

static int target_number(const struct stage *stage, const char *name)
{
    for (int i = 0; i < MOST_TARGETS && stage->scene->targets[i]; i++)
        if (!strcmp(stage->scene->targets[i], name))
            return i;
    return -1;
}

/* Calls `each` for every name in the folder. */
static void walk(struct stage *stage, void (*each)(struct stage *stage, const char *name, void *arg), void *arg)
{
    DIR *dir = opendir(stage->work);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            each(stage, entry->d_name, arg);
    closedir(dir);
}

static void keep_file(struct stage *stage, const char *name, void *arg)
{
    (void)arg;
    assert_that(stage->old_count < MOST_FILES && strlen(name) < sizeof stage->old[0].name, "too many files");
    struct old_file *file = &stage->old[stage->old_count++];
    (void)snprintf(file->name, sizeof file->name, "%s", name);
    file->bytes = read_whole(in_work(stage, name));
    stamp(stage, file);
}

static void remove_unknown(struct stage *stage, const char *name, void *arg)
{
    (void)arg;
    if (!old_of(stage, name))
        (void)unlink(in_work(stage, name));
}

static void restore(const struct stage *stage, struct old_file *file)
{
    const char *path = in_work(stage, file->name);
    (void)unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, strstr(file->name, ".key") ? 0600 : 0644);
    assert_true(fd >= 0 && write(fd, file->bytes.data, file->bytes.size) == (ssize_t)file->bytes.size);
    close(fd);
    stamp(stage, file);
}

void stage_reset(struct stage *stage)
{
    walk(stage, remove_unknown, NULL);
    for (size_t i = 0; i < stage->old_count; i++)
        if (!is_untouched(stage, &stage->old[i]))
            restore(stage, &stage->old[i]);
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
                   preparation);
    assert_that(system(line) == 0, "the files could not be made"); // NOLINT: paths of our own
    walk(stage, keep_file, NULL);
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
    const struct trace_plan nothing = {TRACE_NOTHING, 0, 0};
    stage->scene = scene;
    stage->calls = 0;
    bytes_free(&stage->printed);
    stage_reset(stage);
    struct trace_result result = trace_words(stage, &nothing, keep_call);
    stage->status = code_of(result.status);
    stage->printed = drain(stage->out[0]);
    for (int i = 0; i < MOST_TARGETS; i++) {
        bytes_free(&stage->made[i]);
        if (scene->targets[i])
            stage->made[i] = read_whole(in_work(stage, scene->targets[i]));
        assert_that(!scene->targets[i] || stage->made[i].size, "'%s' did not make %s", scene->words, scene->targets[i]);
    }
    stage->allocations = stage->refusal->calls;
    struct bytes said = drain(stage->err[0]);
    assert_that(stage->status >= 0 && (stage->status < 2 || !scene->targets[0]), "'%s' ended with %d: %.*s",
                scene->words, stage->status, (int)said.size, said.data ? (char *)said.data : "");
    bytes_free(&said);
}

/* ---- what must hold ---- */

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
    const char *path = in_work(stage, stage->scene->targets[number]);
    if (access(path, F_OK))
        return 0;
    if (stage->scene->random)
        return is_whole(path);
    struct bytes now = read_whole(path);
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
    if (old_of(stage, name) || target_number(stage, name) >= 0)
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
    const struct old_file *old = old_of(stage, name);
    int kept = old ? is_old(stage, old) : access(in_work(stage, name), F_OK) != 0;
    if (!old && outcome->killed && size_of(in_work(stage, name)) == 0)
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
    const struct old_file *file = old_of(stage, targets[0]), *ledger = old_of(stage, targets[1]);
    const int published = file ? !is_old(stage, file) : !access(in_work(stage, targets[0]), F_OK);
    const int charged = ledger ? !is_old(stage, ledger) : !access(in_work(stage, targets[1]), F_OK);
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
    return name[0] && (old_of(stage, name) || target_number(stage, name) >= 0);
}

static int check_words(const struct stage *stage, const struct outcome *outcome)
{
    struct bytes said = drain(stage->err[0]);
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
    struct bytes printed = drain(stage->out[0]);
    struct bytes said = drain(stage->err[0]); /* a warning that something cannot be told is fine */
    bytes_put(&said, "", 1);
    int same = stage->scene->random || bytes_equal(&printed, &stage->printed) || strstr((char *)said.data, "warning: ");
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
    const int code = code_of(outcome->status), fine = !outcome->killed && code == stage->status;
    int well = 1;
    if (!outcome->killed && code != stage->status && code != 2) {
        WRONG(stage, outcome, "it ended with %d", code);
        well = 0;
    }
    walk(stage, check_name, &findings);
    well &= !findings.bad;
    for (size_t i = 0; i < stage->old_count; i++)
        if (target_number(stage, stage->old[i].name) < 0 && !is_untouched(stage, &stage->old[i])) {
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
    if (stage->scene->once)
        for (int i = 0; i < MOST_TARGETS && stage->scene->targets[i]; i++)
            (void)unlink(in_work(stage, stage->scene->targets[i]));
    int code = stage_command(stage, stage->scene->words);
    if (code < 0 || (code > 1 && code != stage->status)) {
        struct bytes said = drain(stage->err[0]);
        WRONG(stage, before, "the next run ended with %d: %.*s", code, (int)said.size,
              said.data ? (char *)said.data : "");
        bytes_free(&said);
        return 0;
    }
    walk(stage, check_name, &findings);
    return !findings.bad;
}

/* ---- every command has a scene ---- */

static int has_scene(const char *command, int lab)
{
    for (size_t i = 0; i < scene_count; i++) {
        const int is_lab = !strncmp(scenes[i].words, "lab ", 4);
        const char *word = scenes[i].words + (is_lab ? 4 : 0);
        if (is_lab == lab && !strncmp(word, command, strlen(command)) && strchr(" ", word[strlen(command)]))
            return 1;
    }
    return 0;
}

static unsigned missing_of(const struct stage *stage, int lab)
{
    char line[4200], name[64];
    unsigned missing = 0, seen = 0, listed = 0;
    (void)snprintf(line, sizeof line, "%s%s --help", stage->program, lab ? "-lab" : "");
    FILE *help = popen(line, "r"); // NOLINT: a path of our own
    assert_non_null(help);
    while (fgets(line, sizeof line, help)) {
        listed = strncmp(line, "Commands:", 9) ? listed && line[0] != '\n' : 1;
        if (!listed || sscanf(line, "  %63[a-z] ", name) != 1)
            continue;
        seen++;
        if (has_scene(name, lab))
            continue;
        complain("no scene for the command %s: add one to scene.c", name);
        missing++;
    }
    (void)pclose(help);
    return seen ? missing : 1;
}

unsigned stage_missing(const struct stage *stage)
{
    return missing_of(stage, 0) + missing_of(stage, 1);
}
