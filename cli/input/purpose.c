/* SPDX-License-Identifier: MIT */
#include "purpose.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "numbers.h"
#include "serial_line.h"
#include "shared.h"

enum { ATTEMPTS = 1000 };

/* An empty file was just made. */
static int read_last(const char *path, int fd, uint64_t *out)
{
    char text[SERIAL_LINE + 1];
    ssize_t bytes;
    do
        bytes = pread(fd, text, sizeof text, 0);
    while (bytes < 0 && errno == EINTR);
    *out = 0;
    if (bytes < 0)
        return print_error("--last %s: cannot read it: %s", path, strerror(errno));
    if (bytes && !serial_parse(text, (size_t)bytes, out))
        return print_error("--last %s: is not a file of --last, or is damaged: give another name, or remove it and say "
                           "--min-serial once",
                           path);
    return EXIT_FINE;
}

/* ---- the lock: of the file that has the name now ---- */

static bool has_name(int fd, const char *path)
{
    struct stat ours, named;
    return !fstat(fd, &ours) && !stat(path, &named) && ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

static int take_lock(int fd)
{
    int status;
    do
        status = flock(fd, LOCK_EX);
    while (status && errno == EINTR);
    return status;
}

/* A file that was made and says nothing goes again. */
static void remove_empty(int fd, const char *path)
{
    struct stat about;
    if (!fstat(fd, &about) && !about.st_size && has_name(fd, path))
        (void)unlink(path);
}

/* A descriptor, or -1 and errno. Whoever had the lock before may have put another file in its place. */
static int open_locked(const char *path)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
        if (fd < 0)
            return -1;
        const int locked = !take_lock(fd), code = errno;
        if (locked && has_name(fd, path))
            return fd;
        if (!locked)
            remove_empty(fd, path);
        close(fd);
        if (!locked) {
            errno = code;
            return -1;
        }
    }
    errno = EBUSY;
    return -1;
}

/* ---- a new file in the place of the old one ---- */

static int write_line(int fd, const char *line)
{
    size_t done = 0;
    while (done < SERIAL_LINE) {
        ssize_t put = write(fd, line + done, SERIAL_LINE - done);
        if (put < 0 && errno != EINTR)
            return -1;
        done += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* The rename is to survive a power cut, too. */
static int sync_folder(char *target)
{
    int fd = open(dirname(target), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES ? 0 : -1;
    const int status = fsync(fd) && errno != EINVAL ? -1 : 0, code = errno;
    close(fd);
    errno = code;
    return status;
}

/* 0, or -1 and errno. `target` is used up. */
static int replace(int old, char *target, const char *temporary, const char *line)
{
    struct stat about;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    int status = fstat(old, &about) || fchmod(fd, about.st_mode & 0777) || write_line(fd, line) || fsync(fd);
    int code = errno;
    if (close(fd) && !status) {
        status = 1;
        code = errno;
    }
    if (!status && rename(temporary, target)) {
        status = 1;
        code = errno;
    }
    if (!status)
        return sync_folder(target);
    (void)unlink(temporary);
    errno = code;
    return -1;
}

/* Links stay, and what they point to is replaced; nobody but us writes the temporary file, as we have the lock. */
static int names_of(const char *path, char target[PATH_MAX], char temporary[PATH_MAX + 8])
{
    if (!realpath(path, target))
        return -1;
    (void)snprintf(temporary, PATH_MAX + 8, "%s.~0", target);
    return 0;
}

static int open_last(struct purpose *out)
{
    char target[PATH_MAX], temporary[PATH_MAX + 8];
    out->fd = open_locked(out->path);
    if (out->fd < 0)
        return print_error("--last %s: cannot open it to keep a serial: %s", out->path, strerror(errno));
    if (!names_of(out->path, target, temporary))
        (void)unlink(temporary); /* of one that was killed */
    if (read_last(out->path, out->fd, &out->last)) {
        purpose_close(out);
        return EXIT_ERROR;
    }
    uint64_t least = out->last ? out->last : 1;
    out->wanted.serial = out->wanted.serial > least ? out->wanted.serial : least;
    return EXIT_FINE;
}

static int check_options(const struct args *args, int signed_at_all)
{
    static const struct option *const all[] = {&option_signed_name, &option_least_serial, &option_last_serial};
    for (size_t i = 0; !signed_at_all && i < sizeof all / sizeof all[0]; i++)
        if (args_has(args, all[i]))
            return print_error("%s needs --verify-key, or --mac with --key-file: nothing else looks at the signature",
                               args_label(args, all[i]).text);
    if (args_has(args, &option_last_serial) && !args_has(args, &option_signed_name))
        return print_error("--last needs --name: the serials of each name are counted by themselves");
    return EXIT_FINE;
}

int purpose_open(const struct args *args, int signed_at_all, struct purpose *out)
{
    *out = (struct purpose){.wanted = UF_PURPOSE_INIT, .path = args_value(args, &option_last_serial), .fd = -1};
    out->wanted.name = args_value(args, &option_signed_name);
    if (check_options(args, signed_at_all) ||
        args_whole(args, &option_least_serial, 1, MOST_WHOLE, &out->wanted.serial))
        return EXIT_ERROR;
    return out->path ? open_last(out) : EXIT_FINE;
}

int purpose_keep(const struct purpose *purpose, const uf_signed *said)
{
    char line[SERIAL_LINE + 1], target[PATH_MAX], temporary[PATH_MAX + 8];
    if (!purpose->path || said->serial <= purpose->last)
        return EXIT_FINE;
    serial_print(said->serial, line);
    if (!names_of(purpose->path, target, temporary) && !replace(purpose->fd, target, temporary, line))
        return EXIT_FINE;
    return print_error("--last %s: cannot keep serial %" PRIu64 " in it: %s", purpose->path, said->serial,
                       strerror(errno));
}

void purpose_close(const struct purpose *purpose)
{
    if (purpose->fd < 0)
        return;
    remove_empty(purpose->fd, purpose->path);
    (void)close(purpose->fd);
}
