/* SPDX-License-Identifier: MIT */
#include "folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

int folder_prepare(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return print_error("%s: cannot make this folder: %s", folder, strerror(errno));
    if (stat(folder, &about) || !S_ISDIR(about.st_mode))
        return print_error("%s: is not a folder", folder);
    if (access(folder, W_OK | X_OK))
        return print_error("%s: cannot write into this folder: %s", folder, strerror(errno));
    return EXIT_FINE;
}
