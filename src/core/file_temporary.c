/* SPDX-License-Identifier: MIT */
#include "file_temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "status.h"

enum { CROWDED = 100 }; /* attempts, half a second */

/* Locks of open files (OFD): closing another descriptor of the same file does not end them. */
static int lock_now(int fd)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &all);
}

static int is_busy(int code)
{
    return code == EAGAIN || code == EACCES;
}

/* 1, 0, or -1 with errno when the system does not tell. */
static int same_file(int fd, const char *name)
{
    struct stat ours, named;
    if (fstat(fd, &ours))
        return -1;
    if (lstat(name, &named))
        return errno == ENOENT ? 0 : -1;
    return ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/* Removes what a dead process has left, and nothing else: a regular file with one name, of ours, that nobody locks. */
static void remove_left_behind(const char *name)
{
    struct stat about;
    if (lstat(name, &about) || !S_ISREG(about.st_mode) || about.st_nlink != 1 || about.st_uid != geteuid())
        return;
    int fd = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (!lock_now(fd) && same_file(fd, name) == 1)
        unlink(name);
    close(fd);
}

/* The file, or -1 with EEXIST when the name is taken. Between making and locking it, another process may take it for
 * one that was left behind, and has the lock: then it is gone, or will be. A file system without locks is left without
 * them. */
static int create(const char *name)
{
    int fd = openat(AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fd;
    const int locked = !lock_now(fd), busy = !locked && is_busy(errno), same = locked ? same_file(fd, name) : !busy;
    const int code = same < 0 ? errno : EEXIST;
    if (same > 0)
        return fd;
    if (same < 0)
        unlink(name); /* we have just made it, and nobody has locked it but us */
    close(fd);
    errno = code;
    return -1;
}

static int name_of(const char *path, unsigned slot, char out[TEMPORARY_NAME])
{
    int length = snprintf(out, TEMPORARY_NAME, "%s.~%u", path, slot);
    return length >= 0 && length < TEMPORARY_NAME;
}

/* In one of the names, after those that were left behind are gone. -1 with EEXIST when all are taken. */
static int create_in_any(const char *path, char out[TEMPORARY_NAME])
{
    int fd = -1;
    for (unsigned slot = TEMPORARY_SLOTS; slot-- > 0;) {
        (void)name_of(path, slot, out);
        remove_left_behind(out);
    }
    errno = EEXIST;
    for (unsigned slot = 0; fd < 0 && errno == EEXIST && slot < TEMPORARY_SLOTS; slot++) {
        (void)name_of(path, slot, out);
        fd = create(out);
    }
    return fd;
}

int temporary_create(const char *path, char out[TEMPORARY_NAME], uf_error *why)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    if (!name_of(path, TEMPORARY_SLOTS - 1, out))
        return fail(why, UF_EIO, "has a path that is too long");
    int fd = create_in_any(path, out);
    for (unsigned again = 0; fd < 0 && errno == EEXIST && again < CROWDED;
         again++) { /* so many at once: not for long */
        (void)nanosleep(&moment, NULL);
        fd = create_in_any(path, out);
    }
    if (fd >= 0)
        return fd;
    if (errno == EEXIST)
        return fail(why, UF_EIO, "is being written by %d processes at once, or %s.~0 and so on are not theirs",
                    TEMPORARY_SLOTS, path);
    return file_system_error(why, "created in this folder");
}
