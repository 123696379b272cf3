/* SPDX-License-Identifier: MIT */
/*
 * The system, as it should behave next. The calls of the library that TROUBLE_CALLS of tests/CMakeLists.txt names are
 * replaced here (the linker's --wrap), so that each of them can be made to fail, to do half its work, or to be the
 * last.
 */
#ifndef UF_TEST_FAULT_H
#define UF_TEST_FAULT_H

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum fault { NONE, FAIL, DIE, SHORT, INTERRUPT };

static struct {
    enum fault fault;
    unsigned at;   /* which call, from 1; 0: every one */
    int code;      /* errno */
    unsigned seen; /* calls so far */
    int fired;
    char calls[64]; /* their first letters */
} plot;

/* 1 when this call is the one that is in trouble. */
static int strikes(char call)
{
    if (plot.seen < sizeof plot.calls - 1)
        plot.calls[plot.seen] = call;
    plot.seen++;
    if (plot.fault == NONE || (plot.at && plot.seen != plot.at))
        return 0;
    plot.fired = 1;
    if (plot.fault == DIE)
        _exit(42);
    errno = plot.fault == INTERRUPT ? EINTR : plot.code;
    return 1;
}

#define FAKE(type, name, parameters, arguments, refused)              \
    type __real_##name parameters;                                    \
    type __wrap_##name parameters;                                    \
    type __wrap_##name parameters                                     \
    {                                                                 \
        return strikes(#name[0]) ? refused : __real_##name arguments; \
    }

FAKE(int, fsync, (int fd), (fd), -1)
FAKE(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
FAKE(int, rename, (const char *from, const char *to), (from, to), -1)
FAKE(int, renameat2, (int at, const char *from, int then, const char *to, unsigned how), (at, from, then, to, how), -1)
FAKE(int, openat64, (int at, const char *name, int flags, mode_t mode), (at, name, flags, mode), -1)

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int refused = strikes('c'), code = errno, result = __real_close(fd); /* a close that fails has still closed */
    errno = code;
    return refused ? -1 : result;
}

/* How many bytes a call that reads or writes may have, now that it is in trouble; -1 when it is to fail. */
static ssize_t share_of(size_t bytes)
{
    if (plot.fault == INTERRUPT)
        plot.fault = NONE;
    return plot.fault == SHORT ? (bytes > 1000 ? 1000 : 1) : -1;
}

/* A fake of a call that moves bytes and may move fewer. */
#define FAKE_MOVE(name, parameters, arguments) \
    ssize_t __real_##name parameters;          \
    ssize_t __wrap_##name parameters;          \
    ssize_t __wrap_##name parameters           \
    {                                          \
        if (strikes(#name[0])) {               \
            ssize_t share = share_of(bytes);   \
            if (share < 0)                     \
                return -1;                     \
            bytes = (size_t)share;             \
        }                                      \
        return __real_##name arguments;        \
    }

FAKE_MOVE(write, (int fd, const void *data, size_t bytes), (fd, data, bytes))
FAKE_MOVE(read, (int fd, void *out, size_t bytes), (fd, out, bytes))
FAKE_MOVE(pread64, (int fd, void *out, size_t bytes, off_t offset), (fd, out, bytes, offset))

static void expect_fault(enum fault fault, unsigned at, int code)
{
    plot.fault = fault;
    plot.at = at;
    plot.code = code;
    plot.seen = 0;
    plot.fired = 0;
    memset(plot.calls, 0, sizeof plot.calls);
}

static int end_fault(void)
{
    plot.fault = NONE;
    return plot.fired;
}

#endif
