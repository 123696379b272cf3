/* SPDX-License-Identifier: MIT */
#include "folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

int folder_prepare(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return say_error("%s: cannot make this folder: %s", folder, strerror(errno));
    if (stat(folder, &about) || !S_ISDIR(about.st_mode))
        return say_error("%s: is not a folder", folder);
    if (access(folder, W_OK | X_OK))
        return say_error("%s: cannot write into this folder: %s", folder, strerror(errno));
    return EXIT_FINE;
}
