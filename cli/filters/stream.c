/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

static uint64_t written;

static bool is_pipe(const char *path, struct stat *about)
{
    return !stat(path, about) && S_ISFIFO(about->st_mode);
}

/* /dev/stdout and /dev/fd/1 are it, too. */
static bool is_standard_output(const char *path)
{
    struct stat about, own;
    return !strcmp(path, "-") || (is_pipe(path, &about) && !fstat(STDOUT_FILENO, &own) && about.st_dev == own.st_dev &&
                                  about.st_ino == own.st_ino);
}

bool stream_is(const char *path)
{
    struct stat about;
    return !strcmp(path, "-") || is_pipe(path, &about);
}

const char *stream_name(const char *path)
{
    return strcmp(path, "-") != 0 ? path : "standard output";
}

uint64_t stream_bytes(void)
{
    return written;
}

int stream_check(const char *path)
{
    if (!strcmp(path, "-") && isatty(STDOUT_FILENO))
        return print_error("-: standard output is a terminal, and a filter is no text; send it to a pipe or a file");
    return EXIT_FINE;
}

static int put(void *arg, const void *data, size_t size)
{
    const int fd = *(const int *)arg;
    for (size_t done = 0; done < size;) {
        ssize_t now = write(fd, (const char *)data + done, size - done);
        if (now < 0 && errno != EINTR)
            return errno;
        done += now > 0 ? (size_t)now : 0;
    }
    written += size;
    return 0;
}

/* What is printed from now on goes to stderr: nothing may follow the filter. */
static int leave_standard_output(void)
{
    int failed = close(STDOUT_FILENO);
    const int code = errno;
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return errno;
    return failed ? code : 0;
}

int stream_save(const uf_filter *filter, const char *path, unsigned how)
{
    const bool own = is_standard_output(path);
    int fd = own ? STDOUT_FILENO : open(path, O_WRONLY | O_CLOEXEC);
    uf_error why;
    if (fd < 0)
        return print_error("%s: cannot write to it: %s", path, strerror(errno));
    written = 0;
    int status = uf_write(filter, how, put, &fd, &why);
    int code = own ? leave_standard_output() : close(fd) ? errno : 0;
    if (status == UF_EIO)
        code = why.reason;
    else if (status != UF_OK)
        return print_error("%s: %s", stream_name(path), why.text);
    return code ? print_error("cannot write to %s: %s", stream_name(path), strerror(code)) : EXIT_FINE;
}
