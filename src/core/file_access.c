/* SPDX-License-Identifier: MIT */
#include "file_access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "file.h"

#define ACL "system.posix_acl_access"

/* A file without a name in the folder of `probe`, or -1 where the file system has none. */
static int open_nameless(const char *probe)
{
    char folder[TEMPORARY_NAME + 2];
    const char *slash = strrchr(probe, '/');
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - probe) + 1 : 1, slash ? probe : ".");
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

/* The mode of a new file: what the umask, or the folder's access-control list, leaves of 0666. The umask cannot be read
 * without setting it, which other threads would notice; so a file made for the purpose tells. It has no name where that
 * is possible: one that has is left behind when we are killed here, and looked for by nobody. */
static mode_t mode_of_new(const char *probe)
{
    struct stat about;
    mode_t mode = 0600;
    int fd = open_nameless(probe), named = fd < 0;
    if (named)
        fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
        if (!fstat(fd, &about))
            mode = about.st_mode & 0777;
        close(fd);
    }
    if (named && fd >= 0)
        unlink(probe);
    return mode;
}

/* What both the group and others may do. Who was in the old group is among the others now, and the other way round. */
static mode_t narrowed(mode_t mode)
{
    mode_t both = mode >> 3 & mode & 7;
    return (mode & 0700) | both << 3 | both;
}

/* Owner and group; the group alone where only that is allowed. The mode that is right with what came of it. */
static mode_t take_owner(int fd, const struct stat *old)
{
    const mode_t mode = old->st_mode & 0777;
    struct stat now;
    if (fstat(fd, &now))
        return mode & 0700;
    if (now.st_uid == old->st_uid && now.st_gid == old->st_gid)
        return mode;
    if (!fchown(fd, old->st_uid, old->st_gid) || now.st_gid == old->st_gid || !fchown(fd, (uid_t)-1, old->st_gid))
        return mode;
    return narrowed(mode);
}

/* The list of the old file, or none where it has none, whatever the folder gives to new ones. 0 when that is not
 * possible: with a list, the group's bits of a mode are not those of the group. */
static int take_list(int fd, const char *path)
{
    char list[4096];
    ssize_t bytes = getxattr(path, ACL, list, sizeof list);
    if (bytes > 0)
        return !fsetxattr(fd, ACL, list, (size_t)bytes, 0);
    if (bytes < 0 && errno != ENODATA && errno != EOPNOTSUPP)
        return 0;
    return !fremovexattr(fd, ACL) || errno == ENODATA || errno == EOPNOTSUPP;
}

int access_take_over(int fd, const char *path, const char *probe, uf_error *why)
{
    struct stat old;
    mode_t mode;
    if (stat(path, &old))
        mode = mode_of_new(probe);
    else {
        mode = take_owner(fd, &old);
        if (mode == (old.st_mode & 0777) ? !take_list(fd, path) : getxattr(path, ACL, NULL, 0) > 0)
            mode &= 0700;
    }
    return fchmod(fd, mode) ? file_system_error(why, "given its mode") : UF_OK;
}
