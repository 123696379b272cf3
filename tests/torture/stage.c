/* SPDX-License-Identifier: MIT */
#include "stage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

const char *stage_path(const struct stage *stage, const char *name)
{
    static char path[4][1200];
    static unsigned next;
    char *out = path[next++ % 4];
    (void)snprintf(out, sizeof path[0], "%s/%s", stage->work, name);
    return out;
}

struct bytes stage_read(const char *path)
{
    struct bytes bytes = {NULL, 0, 0};
    unsigned char buffer[65536];
    int fd = open(path, O_RDONLY);
    for (ssize_t got; fd >= 0 && (got = read(fd, buffer, sizeof buffer)) > 0;)
        bytes_put(&bytes, buffer, (size_t)got);
    if (fd >= 0)
        close(fd);
    return bytes;
}

static uint64_t changed(const struct stat *about)
{
    return (uint64_t)about->st_mtim.tv_sec * 1000000000u + (uint64_t)about->st_mtim.tv_nsec;
}

static void stamp(const struct stage *stage, struct old_file *file)
{
    struct stat about;
    assert_int_equal(stat(stage_path(stage, file->name), &about), 0);
    file->inode = about.st_ino;
    file->changed = changed(&about);
}

int stage_is_untouched(const struct stage *stage, const struct old_file *file)
{
    struct stat about;
    return !stat(stage_path(stage, file->name), &about) && about.st_ino == file->inode &&
           (size_t)about.st_size == file->bytes.size && file->changed == changed(&about);
}

int stage_is_old(const struct stage *stage, const struct old_file *file)
{
    if (stage_is_untouched(stage, file))
        return 1;
    struct bytes now = stage_read(stage_path(stage, file->name));
    int same = bytes_equal(&now, &file->bytes) && !access(stage_path(stage, file->name), F_OK);
    bytes_free(&now);
    return same;
}

const struct old_file *stage_old(const struct stage *stage, const char *name)
{
    for (size_t i = 0; i < stage->old_count; i++)
        if (!strcmp(stage->old[i].name, name))
            return &stage->old[i];
    return NULL;
}

int stage_target(const struct stage *stage, const char *name)
{
    for (int i = 0; i < MOST_TARGETS && stage->scene->targets[i]; i++)
        if (!strcmp(stage->scene->targets[i], name))
            return i;
    return -1;
}

void stage_walk(struct stage *stage, void (*each)(struct stage *stage, const char *name, void *arg), void *arg)
{
    DIR *dir = opendir(stage->work);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            each(stage, entry->d_name, arg);
    closedir(dir);
}

void stage_keep(struct stage *stage, const char *name, void *arg)
{
    (void)arg;
    assert_that(stage->old_count < MOST_FILES && strlen(name) < sizeof stage->old[0].name, "too many files");
    struct old_file *file = &stage->old[stage->old_count++];
    (void)snprintf(file->name, sizeof file->name, "%s", name);
    file->bytes = stage_read(stage_path(stage, name));
    stamp(stage, file);
}

static void remove_unknown(struct stage *stage, const char *name, void *arg)
{
    (void)arg;
    if (!stage_old(stage, name))
        (void)unlink(stage_path(stage, name));
}

static void restore(const struct stage *stage, struct old_file *file)
{
    const char *path = stage_path(stage, file->name);
    (void)unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, strstr(file->name, ".key") ? 0600 : 0644);
    assert_true(fd >= 0 && write(fd, file->bytes.data, file->bytes.size) == (ssize_t)file->bytes.size);
    close(fd);
    stamp(stage, file);
}

void stage_reset(struct stage *stage)
{
    stage_walk(stage, remove_unknown, NULL);
    for (size_t i = 0; i < stage->old_count; i++)
        if (!stage_is_untouched(stage, &stage->old[i]))
            restore(stage, &stage->old[i]);
}
