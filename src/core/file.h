/* SPDX-License-Identifier: MIT */
/*
 * Files: whole reads with every error named, and atomic replacement (temporary file in the same folder, mode
 * 0600 until it is complete, write loop, access of the old file, fsync, checked close, rename, fsync of the folder).
 */
#ifndef UF_FILE_H
#define UF_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "file_temporary.h"
#include "ultrafilter.h"

/* What the system said in errno, which is the reason: "cannot be <done>: ...". Returns UF_EIO, or UF_ENOMEM. Here and
 * below errors are about the file and do not name it: that is done by whoever was asked for it (subject.h). */
int file_system_error(uf_error *why, const char *done);

/* Opens a regular file for reading. Returns a descriptor >= 0, or a negative status. */
int file_open(const char *path, uint64_t *bytes, uf_error *why);

/* Reads exactly `bytes` at `offset`, or fails: UF_EFORMAT when the file ends too early. */
int file_read(int fd, void *out, size_t bytes, uint64_t offset, uf_error *why);

struct file_writer {
    int fd, lock;                   /* of the new file: the second keeps it locked until it has its name */
    const char *path;               /* borrowed */
    char temporary[TEMPORARY_NAME]; /* name of the file that will take its place */
};

int file_create(struct file_writer *writer, const char *path, uf_error *why);
int file_write(struct file_writer *writer, const void *data, size_t bytes, uf_error *why);

/* Makes the new file visible under its path, with owner, group and access of the old one where the system allows that,
 * and never with wider access. The writer is finished either way. On failure the old file stands, unless the error says
 * that the new one is in place. */
int file_commit(struct file_writer *writer, uf_error *why);

/* The same for a file that only its owner may read, 0600 whatever the umask, and that replaces nothing: UF_EIO when
 * there is something of this name. The first notices it early, the second without a race. */
int file_create_new(struct file_writer *writer, const char *path, uf_error *why);
int file_commit_new(struct file_writer *writer, uf_error *why);

/* All of it in one call: `content` writes what the file has. With FILE_NEW it replaces nothing, as above; and with
 * FILE_NEW_OR_NONE there is none after any error. */
enum file_mode { FILE_REPLACE, FILE_NEW, FILE_NEW_OR_NONE };
int file_replace(const char *path, enum file_mode mode,
                 int (*content)(void *arg, struct file_writer *writer, uf_error *why), void *arg, uf_error *why);

/* The same for bytes that are at hand. */
int file_replace_bytes(const char *path, enum file_mode mode, const void *data, size_t bytes, uf_error *why);

/* Gives up: removes the temporary file. */
void file_abandon(struct file_writer *writer);

#endif
