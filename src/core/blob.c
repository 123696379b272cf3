/* SPDX-License-Identifier: MIT */
#include "blob.h"

#include <string.h>
#include <unistd.h>

#include "file.h"
#include "status.h"

int blob_open(struct blob *blob, const char *path, uf_error *why)
{
    blob->data = NULL;
    blob->fd = file_open(path, &blob->bytes, why);
    return blob->fd < 0 ? blob->fd : UF_OK;
}

void blob_close(struct blob *blob)
{
    close(blob->fd);
}

struct blob blob_of_bytes(const void *data, size_t bytes)
{
    return (struct blob){-1, data, bytes};
}

int blob_read(const struct blob *blob, void *out, size_t bytes, uint64_t offset, uf_error *why)
{
    if (blob->fd >= 0)
        return file_read(blob->fd, out, bytes, offset, why);
    if (offset > blob->bytes || bytes > blob->bytes - offset)
        return fail(why, UF_EFORMAT, "ends after %llu bytes, in the middle of it", (unsigned long long)blob->bytes);
    memcpy(out, blob->data + offset, bytes);
    return UF_OK;
}
