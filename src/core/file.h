/* SPDX-License-Identifier: MIT */
/*
 * Files: whole reads with every error named, and atomic replacement (temporary file in the same folder, mode
 * 0600 until it is complete, write loop, fsync, checked close, rename, fsync of the folder).
 */
#ifndef UF_FILE_H
#define UF_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "ultrafilter.h"

/* Opens a regular file for reading. Returns a descriptor >= 0, or a negative status. */
int file_open(const char *path, uint64_t *bytes, uf_error *why);

/* Reads exactly `bytes` at `offset`, or fails: UF_EFORMAT when the file ends too early. */
int file_read(int fd, void *out, size_t bytes, uint64_t offset, uf_error *why);

struct file_writer {
    int fd;
    const char *path;     /* borrowed */
    char temporary[4096]; /* name of the file that will take its place */
};

int file_create(struct file_writer *writer, const char *path, uf_error *why);
int file_put(struct file_writer *writer, const void *data, size_t bytes, uf_error *why);

/* Makes the new file visible under its path. The writer is finished either way; on failure the old file stands. */
int file_commit(struct file_writer *writer, uf_error *why);

/* Gives up: removes the temporary file. */
void file_abandon(struct file_writer *writer);

#endif
