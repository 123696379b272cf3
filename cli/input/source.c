/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "unpack.h"

/* What was read from a pipe is gone: a second list from there would be empty, and so would be a filter of it. */
static int take_standard_input(void)
{
    static bool taken;
    if (taken)
        return print_error("standard input: one file can come from there, and a second one is asked for; give the "
                           "others as files");
    taken = true;
    return EXIT_FINE;
}

static ssize_t read_again(int fd, void *out, size_t size)
{
    ssize_t got;
    do
        got = read(fd, out, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static bool is_unmoved(const struct source *source)
{
    return source->regular && !source->unpacking;
}

/* A regular file is looked at without moving in it. Of a pipe only as much is waited for as may decide. */
static ssize_t look(struct source *source)
{
    size_t size = 0;
    ssize_t got;
    if (is_unmoved(source))
        return pread(source->fd, source->head, sizeof source->head, source->start);
    do {
        got = read_again(source->fd, source->head + size, sizeof source->head - size);
        size += got > 0 ? (size_t)got : 0;
    } while (got > 0 && size < sizeof source->head &&
             (source->unpacking || content_undecided(source->head, size))); /* what is unpacked does not wait long */
    source->head_size = size;
    source->head_at = 0;
    return got < 0 ? got : (ssize_t)size;
}

static int identify(struct source *source, const char *what)
{
    ssize_t size = look(source);
    if (size < 0)
        return print_error("%s: cannot read %s: %s", source->name, what, strerror(errno));
    source->content = content_of(source->head, (size_t)size);
    if (is_unmoved(source))
        explicit_bzero(source->head, sizeof source->head); /* it may be a key, of which no copy must stay behind */
    return EXIT_FINE;
}

/* From here on `fd` is where the unpacked bytes come out. */
static int start_unpacking(struct source *source, const char *what)
{
    struct unpacking *unpacking;
    int fd;
    if (unpacking_start(source, &unpacking, &fd))
        return EXIT_ERROR;
    source->raw_fd = source->fd;
    source->fd = fd;
    source->unpacking = unpacking;
    if (identify(source, what))
        return EXIT_ERROR;
    return content_is_packed(source->content) ? print_error("%s: is compressed twice; unpack it once", source->name)
                                              : EXIT_FINE;
}

static int open_bytes(const char *path, const char *what, struct source *out)
{
    const bool named = strcmp(path, "-") != 0;
    struct stat about;
    *out = (struct source){.fd = -1, .raw_fd = -1, .path = path, .name = named ? path : "standard input"};
    if (!named && take_standard_input())
        return EXIT_ERROR;
    out->fd = named ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (out->fd < 0 || fstat(out->fd, &about))
        return print_error("%s: cannot open %s: %s", out->name, what, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return print_error("%s: is a directory, not a file", out->name);
    if (isatty(out->fd))
        print_note("reading %s from the terminal; Ctrl-D on a line of its own ends it", what);
    out->start = lseek(out->fd, 0, SEEK_CUR);
    out->regular = S_ISREG(about.st_mode) && out->start >= 0;
    if (out->regular && about.st_size > out->start)
        out->bytes = (uint64_t)(about.st_size - out->start);
    (void)posix_fadvise(out->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a hint, and no help on a pipe */
    return identify(out, what);
}

int source_open_raw(const char *path, const char *what, struct source *out)
{
    int status = open_bytes(path, what, out);
    if (status)
        source_close(out);
    return status;
}

int source_open(const char *path, const char *what, struct source *out)
{
    int status = open_bytes(path, what, out);
    if (!status && content_is_packed(out->content))
        status = start_unpacking(out, what);
    if (status)
        source_close(out);
    return status;
}

/* As a file without a name: whoever reads needs no other way. */
int source_open_bytes(const char *name, const void *data, size_t size, struct source *out)
{
    size_t done = 0;
    ssize_t wrote = 1;
    *out = (struct source){.fd = memfd_create("bytes", MFD_CLOEXEC), .raw_fd = -1, .path = name, .name = name};
    out->regular = true;
    out->bytes = size;
    out->content = content_of("", 0);
    for (; out->fd >= 0 && done < size && wrote > 0; done += wrote > 0 ? (size_t)wrote : 0)
        wrote = pwrite(out->fd, (const char *)data + done, size - done, (off_t)done);
    if (out->fd >= 0 && done == size)
        return EXIT_FINE;
    source_close(out);
    return print_error("%s: no memory for %zu bytes", name, size);
}

bool source_is_file(const struct source *source)
{
    return is_unmoved(source) && source->fd != STDIN_FILENO;
}

ssize_t source_fetch(struct source *source, void *out, size_t size)
{
    size_t left = source->head_size - source->head_at;
    ssize_t got = (ssize_t)(left < size ? left : size);
    if (left) {
        memcpy(out, source->head + source->head_at, (size_t)got);
        source->head_at += (size_t)got;
    } else {
        got = read_again(source->fd, out, size);
    }
    source->taken += got > 0 ? (uint64_t)got : 0;
    return got;
}

ssize_t source_read(struct source *source, void *out, size_t size)
{
    ssize_t got = source_fetch(source, out, size);
    if (got < 0)
        (void)print_error("%s: cannot be read: %s", source->name, strerror(errno));
    if (!got && source->unpacking && unpacking_end(source->unpacking))
        return -1;
    return got;
}

static int64_t place(const struct source *source)
{
    return source->start + (int64_t)source->taken;
}

size_t source_peek(const struct source *source, uint64_t ahead, void *out, size_t size)
{
    ssize_t got = is_unmoved(source) ? pread(source->fd, out, size, place(source) + (int64_t)ahead) : 0;
    return got > 0 ? (size_t)got : 0;
}

int source_lend(struct source *source, size_t size, int64_t *at)
{
    int fd = is_unmoved(source) ? fcntl(source->fd, F_DUPFD_CLOEXEC, 0) : -1;
    *at = place(source);
    if (fd < 0 || lseek(source->fd, *at + (int64_t)size, SEEK_SET) < 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    source->taken += size;
    return fd;
}

int source_read_all(struct source *source, char **data, size_t *size)
{
    enum { PIECE = 256 << 10 };
    size_t capacity = 0;
    ssize_t got = 1;
    *data = NULL;
    for (*size = 0; got > 0; *size += got > 0 ? (size_t)got : 0) {
        if (capacity - *size < PIECE) {
            capacity = capacity ? 2 * capacity : 2 * PIECE;
            char *moved = realloc(*data, capacity);
            if (!moved)
                return print_error("%s: no memory for more than %zu bytes of it", source->name, *size);
            *data = moved;
        }
        got = source_read(source, *data + *size, PIECE);
    }
    return got < 0 ? EXIT_ERROR : EXIT_FINE;
}

uint64_t source_taken(const struct source *source)
{
    return source->unpacking ? unpacking_taken(source->unpacking) : source->taken;
}

/* Ends the thread, if there is one: it sees that nobody reads any more. */
static void stop_unpacking(struct source *source)
{
    if (!source->unpacking)
        return;
    close(source->fd);
    unpacking_free(source->unpacking);
    source->unpacking = NULL;
    source->fd = source->raw_fd;
}

int source_rewind(struct source *source)
{
    const struct content *content = source->content;
    const bool packed = source->unpacking != NULL;
    stop_unpacking(source);
    source->taken = source->head_size = source->head_at = 0;
    if (lseek(source->fd, source->start, SEEK_SET) < 0)
        return print_error("%s: cannot go back to the start: %s", source->name, strerror(errno));
    if (!packed)
        return EXIT_FINE;
    if (identify(source, "it") || !content_is_packed(source->content))
        return print_error("%s: changed while it was read", source->name);
    int status = start_unpacking(source, "it");
    source->content = content;
    return status;
}

void source_close(struct source *source)
{
    stop_unpacking(source);
    if (source->fd > STDERR_FILENO)
        close(source->fd);
    explicit_bzero(source->head, sizeof source->head);
    source->fd = -1;
}
