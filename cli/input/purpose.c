/* SPDX-License-Identifier: MIT */
#include "purpose.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "message.h"
#include "numbers.h"
#include "shared.h"

#define WORD "ultrafilter-serial-1 "

enum { DIGITS = 20, LINE = sizeof WORD - 1 + DIGITS + 1 };

static void print_line(uint64_t serial, char line[LINE + 1])
{
    (void)snprintf(line, LINE + 1, WORD "%020" PRIu64 "\n", serial);
}

/* Read, written again, and compared: one spelling of each. An empty file was just made. */
static int read_last(const char *path, int fd, uint64_t *out)
{
    char text[LINE + 2] = "", line[LINE + 1];
    ssize_t bytes = pread(fd, text, LINE + 1, 0);
    *out = bytes > 0 ? strtoull(text + sizeof WORD - 1, NULL, 10) : 0;
    print_line(*out, line);
    if (bytes < 0)
        return print_error("--last %s: cannot read it: %s", path, strerror(errno));
    if (bytes && (bytes != LINE || strcmp(text, line) != 0))
        return print_error("--last %s: is not a file of --last, or is damaged: give another name, or remove it and say "
                           "--min-serial once",
                           path);
    return EXIT_FINE;
}

static int open_last(struct purpose *out)
{
    out->fd = open(out->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (out->fd < 0 || flock(out->fd, LOCK_EX)) {
        int status = print_error("--last %s: cannot open it to keep a serial: %s", out->path, strerror(errno));
        purpose_close(out);
        return status;
    }
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
    char line[LINE + 1];
    if (!purpose->path || said->serial <= purpose->last)
        return EXIT_FINE;
    print_line(said->serial, line);
    if (pwrite(purpose->fd, line, LINE, 0) == LINE && !fsync(purpose->fd))
        return EXIT_FINE;
    return print_error("--last %s: cannot keep serial %" PRIu64 " in it: %s", purpose->path, said->serial,
                       strerror(errno));
}

void purpose_close(const struct purpose *purpose)
{
    if (purpose->fd >= 0)
        (void)close(purpose->fd);
}
