/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "numbers.h"
#include "progress.h"
#include "secret.h"
#include "shared.h"
#include "signals.h"
#include "stream.h"

uf_context store_context(unsigned threads)
{
    uf_context context = UF_CONTEXT_INIT;
    context.threads = threads;
    context.progress = progress_from_library;
    return context;
}

int store_open(const struct args *args, uf_context *out)
{
    unsigned threads = args_threads(args);
    uf_secret *secret = NULL;
    if (!threads || secret_load(args, &secret))
        return EXIT_ERROR;
    *out = store_context(threads);
    out->secret = secret;
    out->label = args_value(args, &option_label);
    return EXIT_FINE;
}

int store_open_any(const struct args *args, uf_context *out)
{
    unsigned threads = args_threads(args);
    struct secret_ring *ring;
    if (!threads || secret_ring_load(args, &ring))
        return EXIT_ERROR;
    *out = store_context(threads);
    out->secret = secret_ring_first(ring);
    out->secret_by_id = secret_ring_find;
    out->secret_arg = ring;
    return EXIT_FINE;
}

void store_close(uf_context *context)
{
    if (context->secret_arg)
        secret_ring_free(context->secret_arg);
    else
        uf_secret_free((uf_secret *)(uintptr_t)context->secret); /* it is ours, from store_open */
    context->secret = NULL;
    context->secret_arg = NULL;
    context->secret_by_id = NULL;
}

bool store_has_several(const uf_context *context)
{
    return context->secret_by_id && secret_ring_count(context->secret_arg) > 1;
}

unsigned store_format(const struct args *args, const struct option *side)
{
    const char *format = args_value(args, side) ? args_value(args, side) : args_value(args, &option_format);
    return format && !strcmp(format, "dcso") ? UF_FORMAT_DCSO : UF_FORMAT_UF;
}

static bool is_link(const char *path)
{
    struct stat about;
    return !lstat(path, &about) && S_ISLNK(about.st_mode);
}

/* ---- taking turns ---- */

static uf_file_lock *held;

/* Called ten times a second. */
struct patience {
    const char *path;
    unsigned calls;
};

static int say_waiting(void *arg, long pid)
{
    struct patience *patience = arg;
    char who[48] = "another process";
    if (++patience->calls != 10)
        return 0;
    progress_hide();
    if (pid > 0)
        (void)snprintf(who, sizeof who, "process %ld", pid);
    print_warning("%s: %s is changing it: waiting until that is done", patience->path, who);
    return 0;
}

/* A file that is not there, or that we may not even open, can still be made or replaced where its folder lets us. */
static bool needs_no_lock(int code)
{
    return code == ENOENT || code == EACCES || code == ENOTDIR || code == ENAMETOOLONG || code == ELOOP;
}

int store_lock(const char *path)
{
    struct patience patience = {path, 0};
    uf_error why;
    if (held || stream_is(path) || uf_lock_file(path, say_waiting, &patience, NULL, &held, &why) == UF_OK ||
        needs_no_lock(why.reason))
        return EXIT_FINE;
    if (why.status != UF_EIO)
        return print_error("%s", why.text);
    print_warning("%s; going on without, so let no other process change it meanwhile", why.text);
    return EXIT_FINE;
}

static void unlock(void)
{
    uf_unlock_file(held);
    held = NULL;
}

uint64_t store_file_bytes(const char *path)
{
    struct stat about;
    if (stream_bytes())
        return stream_bytes();
    if (!stat(path, &about))
        return (uint64_t)about.st_size;
    if (errno != ENOENT)
        print_warning("%s: its size cannot be told: %s", path, strerror(errno));
    return 0;
}

int store_save(const uf_filter *filter, const char *path, unsigned how)
{
    uf_error why;
    if (stream_is(path))
        return stream_save(filter, path, how);
    if (store_lock(path))
        return EXIT_ERROR;
    char *target = is_link(path) ? realpath(path, NULL) : NULL; /* links stay, and what they point to is replaced */
    const sigset_t before = signals_hold();
    int status = uf_save(filter, target ? target : path, how, &why);
    signals_restore(&before);
    unlock();
    free(target);
    return status == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}

static int check_folder(const char *path, const char *target)
{
    char copy[PATH_MAX];
    if ((size_t)snprintf(copy, sizeof copy, "%s", target) >= sizeof copy)
        return print_error("%s: %s", path, strerror(ENAMETOOLONG));
    const char *folder = dirname(copy);
    struct stat about;
    if (!stat(folder, &about) && !S_ISDIR(about.st_mode))
        return print_error("%s: %s is not a folder", path, folder);
    if (access(folder, W_OK | X_OK))
        return print_error("%s: cannot write into the folder %s: %s", path, folder, strerror(errno));
    return EXIT_FINE;
}

int store_check_output(const char *path)
{
    return stream_is(path) ? stream_check(path) : store_check_target(path);
}

int store_check_target(const char *path)
{
    struct stat about;
    char target[PATH_MAX];
    if (!strcmp(path, "-"))
        return print_error("-: this is written to a file, not to standard output; write ./- for a file of that name");
    if (!stat(path, &about) && !S_ISREG(about.st_mode))
        return print_error("%s: is %s, which a filter cannot replace; choose a file name", path,
                           S_ISDIR(about.st_mode) ? "a directory" : "not a regular file");
    return check_folder(path, realpath(path, target) ? target : path);
}
