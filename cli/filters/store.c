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
    return EXIT_FINE;
}

void store_close(uf_context *context)
{
    uf_secret_free((uf_secret *)(uintptr_t)context->secret); /* it is ours, from store_open */
    context->secret = NULL;
}

unsigned store_format(const struct args *args, const struct option *side)
{
    const char *format = args_value(args, side) ? args_value(args, side) : args_value(args, &option_format);
    return format && !strcmp(format, "dcso") ? UF_FORMAT_DCSO : UF_FORMAT_UF;
}

/* How many bytes of the start of a file there are, up to `room`; none of one that cannot be read. */
static size_t read_start(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return 0;
    setbuf(file, NULL); /* it may be a key, of which no copy must stay behind */
    size_t size = fread(out, 1, room, file);
    (void)fclose(file);
    return size;
}

static bool is_link(const char *path)
{
    struct stat about;
    return !lstat(path, &about) && S_ISLNK(about.st_mode);
}

int store_save(const uf_filter *filter, const char *path, unsigned how)
{
    uf_error why;
    char *target = is_link(path) ? realpath(path, NULL) : NULL; /* links stay, and what they point to is replaced */
    const sigset_t before = signals_hold();
    int status = uf_save(filter, target ? target : path, how, &why);
    signals_restore(&before);
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

/* A master key cannot be made again, so nothing that is written goes over one. */
static int is_key_file(const char *path)
{
    static const char begins[] = "ultrafilter-key-";
    char head[sizeof begins - 1];
    return read_start(path, head, sizeof head) == sizeof head && !memcmp(head, begins, sizeof head);
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
    if (is_key_file(path))
        return print_error("%s: is a master key, which would be lost: choose another file name", path);
    return check_folder(path, realpath(path, target) ? target : path);
}

bool store_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
