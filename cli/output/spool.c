/* SPDX-License-Identifier: MIT */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "report.h"

enum { SPOOL_BYTES = 1 << 20 };

struct spool {
    int fd; /* -1: all of it is in `data` */
    size_t size;
    char data[SPOOL_BYTES];
};

struct spool *spool_new(void)
{
    struct spool *spool = malloc(sizeof *spool);
    if (!spool) {
        (void)print_error("no memory for a list of keys");
        return NULL;
    }
    spool->fd = -1;
    spool->size = 0;
    return spool;
}

void spool_free(struct spool *spool)
{
    if (spool && spool->fd >= 0)
        close(spool->fd);
    free(spool);
}

/* Only its owner can read it, and when we end it is gone. */
static int open_file(struct spool *spool)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    folder = folder && *folder ? folder : "/tmp";
    if ((size_t)snprintf(path, sizeof path, "%s/ultrafilter-XXXXXX", folder) < sizeof path)
        spool->fd = mkostemp(path, O_CLOEXEC);
    if (spool->fd < 0)
        return print_error("%s: cannot keep a list of keys there: %s; TMPDIR names another folder", folder,
                           strerror(errno));
    (void)unlink(path);
    return EXIT_FINE;
}

static int spill(struct spool *spool)
{
    if (spool->fd < 0 && open_file(spool))
        return EXIT_ERROR;
    for (size_t done = 0; done < spool->size;) {
        ssize_t wrote = write(spool->fd, spool->data + done, spool->size - done);
        if (wrote < 0 && errno != EINTR)
            return print_error("cannot keep a list of keys: %s; TMPDIR names another folder", strerror(errno));
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    spool->size = 0;
    return EXIT_FINE;
}

int spool_add(struct spool *spool, const void *data, size_t size)
{
    while (size) {
        size_t fits = SPOOL_BYTES - spool->size;
        fits = fits < size ? fits : size;
        memcpy(spool->data + spool->size, data, fits);
        spool->size += fits;
        data = (const char *)data + fits;
        size -= fits;
        if (spool->size == SPOOL_BYTES && spill(spool))
            return EXIT_ERROR;
    }
    return EXIT_FINE;
}

int spool_print(struct spool *spool)
{
    if (spool->fd < 0)
        return report_write(spool->data, spool->size);
    int status = spill(spool);
    ssize_t got = 1;
    for (off_t at = 0; !status && got; at += got) {
        got = pread(spool->fd, spool->data, SPOOL_BYTES, at);
        status = got < 0 ? print_error("cannot read the list of keys again: %s", strerror(errno))
                         : report_write(spool->data, (size_t)got);
    }
    return status;
}
