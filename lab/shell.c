/* SPDX-License-Identifier: MIT */
#include "shell.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "refuse.h"
#include "stream.h"

extern char **environ;

enum { PATH_ROOM = 4096, SAID_ROOM = 160 };

/* One run: its folder, and the paths in it. */
struct place {
    char folder[PATH_ROOM], keys[PATH_ROOM + 8], out[PATH_ROOM + 8], printed[PATH_ROOM + 8], errors[PATH_ROOM + 8];
    char run[20];
};

/* ---- the folder ---- */

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about;
    (void)type;
    (void)at;
    return remove(path) ? -1 : 0;
}

static void place_remove(const struct place *place)
{
    (void)nftw(place->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* From the randomness of this run. */
static int draw_number(const uf_context *ctx, struct place *place)
{
    struct stream stream;
    uint64_t number;
    if (ctx && ctx->random) {
        if (ctx->random(ctx->random_arg, &number, sizeof number))
            return -1;
    } else {
        if (stream_open(&stream, (struct stream_seed){0, 0}, 0))
            return -1;
        number = stream_next(&stream);
    }
    (void)snprintf(place->run, sizeof place->run, "%016llx", (unsigned long long)number);
    return 0;
}

static int place_make(const uf_context *ctx, struct place *place, uf_error *why)
{
    const char *root = getenv("TMPDIR");
    if (!root || !*root)
        root = "/tmp";
    int size = snprintf(place->folder, sizeof place->folder, "%s/ultrafilter-audit-XXXXXX", root);
    if (size < 0 || (size_t)size >= sizeof place->folder)
        return refuse(why, UF_EIO, "%s: this folder has too long a name for files of an audit", root);
    if (draw_number(ctx, place))
        return refuse(why, UF_ERANDOM, "no randomness for the number of a run");
    if (!mkdtemp(place->folder))
        return refuse(why, UF_EIO, "%s: cannot make a folder in it for files of an audit: %s", root, strerror(errno));
    (void)snprintf(place->keys, sizeof place->keys, "%s/keys", place->folder);
    (void)snprintf(place->out, sizeof place->out, "%s/out", place->folder);
    (void)snprintf(place->printed, sizeof place->printed, "%s/stdout", place->folder);
    (void)snprintf(place->errors, sizeof place->errors, "%s/stderr", place->folder);
    return UF_OK;
}

static int write_keys(const struct place *place, const uf_key *keys, size_t count, uf_error *why)
{
    FILE *file = fopen(place->keys, "wbe");
    int good = file != NULL;
    for (size_t i = 0; i < count && good; i++)
        good = fwrite(keys[i].data, 1, keys[i].size, file) == keys[i].size && putc('\n', file) != EOF;
    if (file && fclose(file))
        good = 0;
    return good ? UF_OK : refuse(why, UF_EIO, "%s: cannot write it: %s", place->keys, strerror(errno));
}

/* ---- the command ---- */

struct placeholder {
    const char *name, *value;
};

/* Returns which one `text` starts with, NULL when none. */
static const struct placeholder *placeholder_at(const char *text, const struct placeholder *all)
{
    for (; all->name; all++)
        if (!strncmp(text, all->name, strlen(all->name)))
            return all;
    return NULL;
}

/* The command with its placeholders filled in; the caller frees it. NULL: no memory. */
static char *fill_in(const char *command, const struct place *place)
{
    const struct placeholder all[] = {
        {"{keys}", place->keys}, {"{out}", place->out}, {"{run}", place->run}, {NULL, NULL}};
    struct seen_bytes line = {0};
    int bad = 0;
    for (const char *at = command; *at && !bad;) {
        const struct placeholder *found = placeholder_at(at, all);
        bad = found ? seen_append(&line, found->value, strlen(found->value)) : seen_append(&line, at, 1);
        at += found ? strlen(found->name) : 1;
    }
    if (bad || seen_append(&line, "", 1)) {
        free(line.data);
        return NULL;
    }
    return (char *)line.data;
}

/* Standard input, output and error of the command. */
static int direct(posix_spawn_file_actions_t *actions, const struct place *place, const char *command)
{
    const char *input = strstr(command, "{keys}") ? "/dev/null" : place->keys;
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    int bad = posix_spawn_file_actions_addopen(actions, 0, input, O_RDONLY, 0);
    if (!bad)
        bad = posix_spawn_file_actions_addopen(actions, 1, place->printed, flags, 0600);
    return bad ? bad : posix_spawn_file_actions_addopen(actions, 2, place->errors, flags, 0600);
}

/* Signals that this program blocks or ignores are the command's own again: a pipe in it ends as in a shell. */
static int restore_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, pipe;
    (void)sigemptyset(&none);
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    int bad = posix_spawnattr_setsigmask(attributes, &none);
    if (!bad)
        bad = posix_spawnattr_setsigdefault(attributes, &pipe);
    return bad ? bad : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int start(const struct place *place, const char *command, char *line, pid_t *child)
{
    char shell[] = "sh", flag[] = "-c";
    char *argv[] = {shell, flag, line, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int bad = posix_spawn_file_actions_init(&actions);
    if (bad)
        return bad;
    bad = posix_spawnattr_init(&attributes);
    if (!bad) {
        bad = direct(&actions, place, command);
        if (!bad)
            bad = restore_signals(&attributes);
        if (!bad)
            bad = posix_spawn(child, "/bin/sh", &actions, &attributes, argv, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return bad;
}

/* The exit status as a shell gives it: 128 and the signal's number for one that was killed. */
static int run(const struct place *place, const char *command, int *exit_status, uf_error *why)
{
    pid_t child;
    int how;
    char *line = fill_in(command, place);
    if (!line)
        return refuse(why, UF_ENOMEM, "no memory for the command line");
    int bad = start(place, command, line, &child);
    free(line);
    if (bad)
        return refuse(why, UF_EIO, "/bin/sh: cannot be started: %s", strerror(bad));
    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR)
            return refuse(why, UF_EIO, "/bin/sh: lost: %s", strerror(errno));
    *exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    return UF_OK;
}

/* ---- what it left ---- */

/* 1: read, 0: there is no such file. */
static int read_file(const char *path, struct seen_bytes *out, uf_error *why)
{
    char block[1 << 14];
    size_t size;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return 0;
    int status = 1;
    while (status == 1 && (size = fread(block, 1, sizeof block, file)) > 0)
        if (seen_append(out, block, size))
            status = refuse(why, UF_ENOMEM, "no memory for what the command wrote");
    if (status == 1 && ferror(file))
        status = refuse(why, UF_EIO, "%s: cannot read it", path);
    (void)fclose(file);
    return status;
}

/* What was printed, without the name of the folder. */
static void forget_folder(struct seen_bytes *printed, const char *folder)
{
    size_t size = strlen(folder), to = 0;
    for (size_t from = 0; from < printed->size;) {
        if (printed->size - from >= size && !memcmp(printed->data + from, folder, size))
            from += size;
        else
            printed->data[to++] = printed->data[from++];
    }
    printed->size = to;
}

/* For those who wonder why there is no file: how it ended, and the first line that it printed. */
static void say_how_it_ended(const struct observation *seen, uf_error *why)
{
    size_t size = seen->printed.size < SAID_ROOM ? seen->printed.size : SAID_ROOM;
    const unsigned char *end = size ? memchr(seen->printed.data, '\n', size) : NULL;
    size = end ? (size_t)(end - seen->printed.data) : size;
    (void)refuse(why, UF_EIO, "it made no file; exit status %d%s%.*s", seen->status, size ? ": " : "", (int)size,
                 size ? (const char *)seen->printed.data : "");
}

static int gather(const struct place *place, const char *command, struct observation *out, uf_error *why)
{
    int to_stdout = !strstr(command, "{out}");
    int errors = read_file(place->errors, &out->printed, why);
    int printed = errors < 0 ? errors : read_file(place->printed, to_stdout ? &out->file : &out->printed, why);
    int exists = printed < 0 || to_stdout ? printed : read_file(place->out, &out->file, why);
    if (exists < 0)
        return exists;
    out->exists = to_stdout ? out->file.size > 0 : exists;
    forget_folder(&out->printed, place->folder);
    return UF_OK;
}

int shell_observe(const char *command, const uf_key *keys, size_t count, uf_key x, const uf_context *ctx,
                  struct observation *out, uf_error *why)
{
    struct place place;
    int status = place_make(ctx, &place, why);
    if (status != UF_OK)
        return status;
    status = write_keys(&place, keys, count, why);
    if (status == UF_OK)
        status = run(&place, command, &out->status, why);
    if (status == UF_OK)
        status = gather(&place, command, out, why);
    place_remove(&place);
    if (status == UF_OK && out->exists)
        observe_bytes(out, x);
    if (status == UF_OK)
        say_how_it_ended(out, why);
    return status;
}
