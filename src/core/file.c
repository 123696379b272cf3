/* SPDX-License-Identifier: MIT */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file_access.h"
#include "status.h"

/* strerrordesc_np is thread-safe and keeps no state. */
int file_system_error(uf_error *why, const char *done)
{
    int code = errno;
    const char *said = strerrordesc_np(code);
    return fail_because(why, code == ENOMEM ? UF_ENOMEM : UF_EIO, code, "cannot be %s: %s", done,
                        said ? said : "unknown error");
}

int file_open(const char *path, uint64_t *bytes, uf_error *why)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* O_NONBLOCK: a pipe must not hang us */
    if (fd < 0)
        return file_system_error(why, "opened");
    if (fstat(fd, &about)) {
        int status = file_system_error(why, "examined");
        close(fd);
        return status;
    }
    if (!S_ISREG(about.st_mode)) {
        close(fd);
        return fail(why, UF_EIO, "is %s, not a file", S_ISDIR(about.st_mode) ? "a directory" : "a device or pipe");
    }
    *bytes = (uint64_t)about.st_size;
    return fd;
}

int file_read(int fd, void *out, size_t bytes, uint64_t offset, uf_error *why)
{
    unsigned char *at = out;
    while (bytes) {
        ssize_t got = pread(fd, at, bytes < (1u << 30) ? bytes : 1u << 30, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_system_error(why, "read");
        if (got == 0)
            return fail(why, UF_EFORMAT, "ends after %llu bytes, in the middle of it", (unsigned long long)offset);
        at += got;
        offset += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return UF_OK;
}

int file_create(struct file_writer *writer, const char *path, uf_error *why)
{
    struct stat about;
    if (!stat(path, &about) && !S_ISREG(about.st_mode))
        return fail(why, UF_EIO, "is %s, not a file to replace", S_ISDIR(about.st_mode) ? "a directory" : "a device");
    writer->path = path;
    writer->fd = temporary_create(path, writer->temporary, why);
    if (writer->fd < 0)
        return writer->fd;
    writer->lock = fcntl(writer->fd, F_DUPFD_CLOEXEC, 0);
    if (writer->lock >= 0)
        return UF_OK;
    int status = file_system_error(why, "locked");
    file_abandon(writer);
    return status;
}

int file_write(struct file_writer *writer, const void *data, size_t bytes, uf_error *why)
{
    const unsigned char *at = data;
    while (bytes) {
        ssize_t put = write(writer->fd, at, bytes < (1u << 30) ? bytes : 1u << 30);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return file_system_error(why, "written");
        at += put;
        bytes -= (size_t)put;
    }
    return UF_OK;
}

/* The lock goes last: without it, the name may be another writer's. */
static void let_go(struct file_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    if (writer->lock >= 0)
        close(writer->lock);
    writer->fd = writer->lock = -1;
}

void file_abandon(struct file_writer *writer)
{
    unlink(writer->temporary);
    let_go(writer);
}

/* The rename itself must survive a power cut too. 0, or -1 and errno. */
static int sync_folder(struct file_writer *writer)
{
    char *slash = strrchr(writer->temporary, '/');
    if (slash)
        slash[1] = 0;
    int fd = open(slash ? writer->temporary : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES ? 0 : -1;
    int code = fsync(fd) && errno != EINVAL ? errno : 0; /* EINVAL: a file system without folder sync */
    close(fd);
    errno = code;
    return code ? -1 : 0;
}

/* By now the file has its name, which an error does not take back. */
static int make_durable(struct file_writer *writer, uf_error *why)
{
    if (!sync_folder(writer))
        return UF_OK;
    const int code = errno;
    const char *said = strerrordesc_np(code);
    return fail_because(why, UF_EIO, code,
                        "is in place, whole and new, but its folder cannot be written to disk (%s), so that a power "
                        "cut may undo it",
                        said ? said : "unknown error");
}

/* fsync, close: afterwards the bytes are on disk under the temporary name, which is still locked. */
static int finish(struct file_writer *writer, uf_error *why)
{
    int status = fsync(writer->fd) ? file_system_error(why, "written to disk") : UF_OK;
    int closed = close(writer->fd);
    writer->fd = -1;
    if (status == UF_OK && closed)
        status = file_system_error(why, "closed");
    return status;
}

/* Access is the old file's, or that of any new one. */
static int take_access(const struct file_writer *writer, uf_error *why)
{
    char probe[sizeof writer->temporary + 2];
    (void)snprintf(probe, sizeof probe, "%s~", writer->temporary);
    return access_take_over(writer->fd, writer->path, probe, why);
}

int file_commit(struct file_writer *writer, uf_error *why)
{
    int status = take_access(writer, why);
    if (status == UF_OK)
        status = finish(writer, why);
    if (status == UF_OK && rename(writer->temporary, writer->path))
        status = file_system_error(why, "put in place");
    if (status != UF_OK) {
        file_abandon(writer);
        return status;
    }
    let_go(writer);
    return make_durable(writer, why);
}

/* ---- files that replace nothing ---- */

static int refuse_to_replace(uf_error *why)
{
    return fail(why, UF_EIO, "exists already and is left as it is: choose another name");
}

int file_create_new(struct file_writer *writer, const char *path, uf_error *why)
{
    struct stat about;
    if (!lstat(path, &about))
        return S_ISDIR(about.st_mode) ? fail(why, UF_EIO, "is a directory, not a file name") : refuse_to_replace(why);
    return file_create(writer, path, why);
}

/* Some file systems cannot rename without replacing; there a second name does it, and the first one goes. */
static int rename_new(const char *from, const char *to)
{
    if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (link(from, to))
        return -1;
    return unlink(from) ? (void)unlink(to), -1 : 0;
}

/* Up to the rename. */
static int place_new(struct file_writer *writer, uf_error *why)
{
    int status = fchmod(writer->fd, 0600) ? file_system_error(why, "given its mode") : finish(writer, why);
    if (status == UF_OK && rename_new(writer->temporary, writer->path))
        status = errno == EEXIST ? refuse_to_replace(why) : file_system_error(why, "put in place");
    if (status == UF_OK)
        let_go(writer);
    else
        file_abandon(writer);
    return status;
}

int file_commit_new(struct file_writer *writer, uf_error *why)
{
    int status = place_new(writer, why);
    return status == UF_OK ? make_durable(writer, why) : status; /* on failure it stays: others may use it already */
}

static int commit_new_or_none(struct file_writer *writer, uf_error *why)
{
    int status = place_new(writer, why);
    if (status == UF_OK && sync_folder(writer)) {
        status = file_system_error(why, "made durable in its folder");
        unlink(writer->path);
    }
    return status;
}

int file_replace(const char *path, enum file_mode mode,
                 int (*content)(void *arg, struct file_writer *writer, uf_error *why), void *arg, uf_error *why)
{
    struct file_writer writer;
    int status = mode == FILE_REPLACE ? file_create(&writer, path, why) : file_create_new(&writer, path, why);
    if (status != UF_OK)
        return status;
    status = content(arg, &writer, why);
    if (status == UF_OK)
        return mode == FILE_REPLACE ? file_commit(&writer, why)
               : mode == FILE_NEW   ? file_commit_new(&writer, why)
                                    : commit_new_or_none(&writer, why);
    file_abandon(&writer);
    return status;
}

struct run_of_bytes {
    const void *data;
    size_t bytes;
};

static int write_run(void *arg, struct file_writer *writer, uf_error *why)
{
    const struct run_of_bytes *run = arg;
    return file_write(writer, run->data, run->bytes, why);
}

int file_replace_bytes(const char *path, enum file_mode mode, const void *data, size_t bytes, uf_error *why)
{
    struct run_of_bytes run = {data, bytes};
    return file_replace(path, mode, write_run, &run, why);
}
