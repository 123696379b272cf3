/* SPDX-License-Identifier: MIT */
#include "file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "file.h"
#include "mem.h"
#include "status.h"
#include "subject.h"

/* ---- one attempt ---- */

/* For writing, which network file systems ask for; a file that only its folder lets us replace is locked all the same.
 */
static int open_for_lock(const char *path, int flags)
{
    const int how = flags | O_CLOEXEC | O_NONBLOCK;
    int fd = open(path, O_RDWR | how);
    return fd < 0 && (errno == EACCES || errno == EROFS || errno == EPERM) ? open(path, O_RDONLY | how) : fd;
}

static int take(int fd, uf_error *why)
{
    if (!flock(fd, LOCK_EX | LOCK_NB))
        return UF_OK;
    if (errno != EWOULDBLOCK && errno != EINTR)
        return file_system_error(why, "locked");
    (void)nanosleep(&(struct timespec){0, LOCK_PAUSE_MS * 1000000L}, NULL);
    return LOCK_AGAIN;
}

int lock_try(const char *path, int flags, int *fd, struct stat *about, uf_error *why)
{
    struct stat named;
    *fd = open_for_lock(path, flags);
    if (*fd < 0)
        return errno == ENOENT ? LOCK_NO_FILE : file_system_error(why, "opened");
    int status = fstat(*fd, about) ? file_system_error(why, "examined") : take(*fd, why);
    if (status == UF_OK &&
        (fstat(*fd, about) || stat(path, &named) || named.st_ino != about->st_ino || named.st_dev != about->st_dev))
        status = LOCK_AGAIN;
    if (status != UF_OK) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

/* ---- who has it ---- */

/* A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 4711 fd:01:1234 0 EOF"; those that wait have "->" in front. */
static long holder_in(const char *line, const struct stat *about)
{
    char pid[32], place[64], ours[64];
    (void)snprintf(ours, sizeof ours, "%02x:%02x:%llu", major(about->st_dev), minor(about->st_dev),
                   (unsigned long long)about->st_ino);
    if (sscanf(line, "%*s FLOCK %*s %*s %31s %63s", pid, place) != 2 || strcmp(place, ours) != 0)
        return 0;
    return strtol(pid, NULL, 10);
}

long lock_holder(const struct stat *about)
{
    char text[16384];
    long pid = 0;
    int fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[bytes > 0 ? bytes : 0] = 0;
    for (const char *line = text; *line && !pid; line += strcspn(line, "\n"), line += *line == '\n')
        pid = holder_in(line, about);
    return pid;
}

/* ---- the public call ---- */

enum { ASK_EVERY = 50 }; /* attempts: a tenth of a second */

struct uf_file_lock {
    int fd;
    struct mem mem;
};

/* Until it is ours, or `waiting` has enough of it. */
static int wait_for(const char *path, int (*waiting)(void *arg, long pid), void *arg, int *fd, uf_error *why)
{
    struct stat about = {.st_mode = 0};
    int status = LOCK_AGAIN;
    for (unsigned attempt = 1; status == LOCK_AGAIN; attempt++) {
        status = lock_try(path, 0, fd, &about, why);
        if (status == UF_OK && !S_ISREG(about.st_mode)) {
            close(*fd);
            return fail(why, UF_EIO, "is not a file that can be replaced");
        }
        const int ask = status == LOCK_AGAIN && waiting && attempt % ASK_EVERY == 0;
        const int reason = ask ? waiting(arg, lock_holder(&about)) : 0;
        if (reason)
            status = fail_because(why, UF_ECANCELED, reason, "is locked, and the callback returned %d", reason);
    }
    if (status == LOCK_NO_FILE) {
        errno = ENOENT;
        return file_system_error(why, "opened");
    }
    return status;
}

static int lock_file(const char *path, int (*waiting)(void *arg, long pid), void *arg, const uf_context *given,
                     uf_file_lock **out, uf_error *why)
{
    uf_context ctx;
    int fd = -1, status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = wait_for(path, waiting, arg, &fd, why);
    if (status != UF_OK)
        return status;
    struct mem mem = {ctx.allocator};
    uf_file_lock *lock = mem_alloc(&mem, 1, sizeof *lock);
    if (!lock) {
        close(fd);
        return fail(why, UF_ENOMEM, "no memory for a lock");
    }
    *lock = (uf_file_lock){fd, mem};
    *out = lock;
    return UF_OK;
}

int uf_lock_file(const char *path, int (*waiting)(void *arg, long pid), void *arg, const uf_context *ctx,
                 uf_file_lock **out, uf_error *why)
{
    error_clear(why);
    if (!path || !out)
        return fail(why, UF_EINVAL, "no path or no place for the lock was given");
    return subject_file(lock_file(path, waiting, arg, ctx, out, why), path, why);
}

void uf_unlock_file(uf_file_lock *lock)
{
    if (!lock)
        return;
    struct mem mem = lock->mem;
    close(lock->fd);
    mem_free(&mem, lock, 1, sizeof *lock);
}
