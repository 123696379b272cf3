/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

FILE *output_open(const char *path)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "w") : stdout;
    if (file)
        (void)__fsetlocking(file, FSETLOCKING_BYCALLER); /* one thread needs no locks */
    else
        (void)print_error("%s: cannot write: %s", path, strerror(errno));
    return file;
}

static void remove_plain(const char *path)
{
    struct stat about;
    if (!lstat(path, &about) && S_ISREG(about.st_mode))
        (void)unlink(path);
}

int output_close(FILE *file, const char *path)
{
    int failed = ferror(file);
    if (!failed)
        errno = 0; /* otherwise it tells why the last write failed */
    const int standard = file == stdout || file == stderr;
    failed |= standard ? fflush(file) : fclose(file);
    if (!failed)
        return EXIT_FINE;
    int why = errno;
    if (!standard)
        remove_plain(path);
    return print_error("%s: cannot write: %s", standard ? "standard output" : path, why ? strerror(why) : "it failed");
}

void output_discard(FILE *file, const char *path)
{
    if (file == stdout)
        return;
    (void)fclose(file);
    remove_plain(path);
}
