/* SPDX-License-Identifier: MIT */
#include "folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"

struct folder folder_make(void)
{
    struct folder folder;
    const char *where = getenv("TMPDIR");
    (void)snprintf(folder.path, sizeof folder.path, "%s/uf-test-XXXXXX", where ? where : "/tmp");
    assert_that(mkdtemp(folder.path) != NULL, "cannot make a folder at %s", folder.path);
    return folder;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *ftw)
{
    (void)about, (void)type, (void)ftw;
    return remove(path);
}

void folder_remove(const struct folder *folder)
{
    assert_int_equal(nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

const char *folder_file(const struct folder *folder, const char *name)
{
    static char path[8][1024];
    static unsigned next;
    char *out = path[next++ % 8];
    (void)snprintf(out, sizeof path[0], "%s/%s", folder->path, name);
    return out;
}

size_t folder_entries(const struct folder *folder)
{
    DIR *dir = opendir(folder->path);
    size_t entries = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        entries += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(dir);
    return entries;
}
