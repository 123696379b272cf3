/* SPDX-License-Identifier: MIT */
/* A journal that ends inside a line was cut by a kill: that line is not used, as half an address is another address. */
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list.h"
#include "message.h"
#include "table_file.h"

static int set_path(char out[KEEP_PATH], const char *folder, const char *name)
{
    int length = snprintf(out, KEEP_PATH, "%s/%s", folder, name);
    return length > 0 && length < KEEP_PATH - 8 ? EXIT_FINE
                                                : print_error("--keep %.60s...: the path is too long", folder);
}

int keep_open(struct keep *keep, const char *folder)
{
    *keep = (struct keep){.journal = -1};
    if (set_path(keep->good, folder, "good.uf") || set_path(keep->bad, folder, "bad.uf") ||
        set_path(keep->table, folder, "table") || set_path(keep->journal_path, folder, "bad.journal"))
        return EXIT_ERROR;
    if (mkdir(folder, 0700) && errno != EEXIST)
        return print_error("--keep %s: cannot make the folder: %s", folder, strerror(errno));
    keep->journal = open(keep->journal_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (keep->journal < 0)
        return print_error("%s: cannot open the journal: %s", keep->journal_path, strerror(errno));
    if (!flock(keep->journal, LOCK_EX | LOCK_NB))
        return EXIT_FINE;
    return print_error("--keep %s: another gate keeps its filters there; wait for its end, or take another folder",
                       folder);
}

/* ---- loading ---- */

/* Cuts the journal after its last whole line. */
static int trim(const struct keep *keep)
{
    char byte = '\n';
    off_t size = lseek(keep->journal, 0, SEEK_END);
    const off_t whole = size;
    while (size > 0 && pread(keep->journal, &byte, 1, size - 1) == 1 && byte != '\n')
        size--;
    if (size == whole || !ftruncate(keep->journal, size))
        return EXIT_FINE;
    return print_error("%s: cannot cut its last line, which is not whole: %s", keep->journal_path, strerror(errno));
}

static int deny_again(void *gate, const struct address *address, const char *word)
{
    (void)word;
    return gate_deny(gate, address);
}

static void write_line(void *arg, const struct address *address)
{
    struct keep *keep = arg;
    char line[64];
    int length = snprintf(line, sizeof line, "%s\n", address_print(address).text);
    ssize_t written = write(keep->journal, line, (size_t)length);
    if (written != length && !keep->failed)
        keep->failed = written < 0 ? errno : ENOSPC;
}

int keep_load(struct keep *keep, struct gate *gate)
{
    if (gate->patterns)
        patterns_digest(gate->patterns, keep->digest);
    if (table_load(gate, keep->digest, keep->table) || trim(keep) ||
        list_read(keep->journal_path, "the journal of bad sources", deny_again, gate))
        return EXIT_ERROR;
    gate->condemned = write_line;
    gate->condemned_arg = keep;
    return EXIT_FINE;
}

/* ---- saving ---- */

static int save(const uf_filter *filter, const char *path)
{
    uf_error why;
    return uf_save(filter, path, UF_FORMAT_UF, &why) ? print_error("%s: cannot save the filter: %s", path, why.text)
                                                     : EXIT_FINE;
}

int keep_save(struct keep *keep, const struct gate *gate)
{
    if (save(gate->good.filter, keep->good) || table_save(gate, keep->digest, keep->table) ||
        save(gate->bad.filter, keep->bad))
        return EXIT_ERROR;
    if (ftruncate(keep->journal, 0))
        return print_error("%s: cannot empty the journal: %s", keep->journal_path, strerror(errno));
    keep->failed = 0; /* what the journal lacks is in bad.uf */
    return EXIT_FINE;
}

void keep_close(struct keep *keep)
{
    if (keep->journal >= 0)
        (void)close(keep->journal);
}
