/* SPDX-License-Identifier: MIT */
#include "bytes.h"

#include <stdio.h>

#include "check.h"

int bytes_put(void *arg, const void *data, size_t size)
{
    struct bytes *bytes = arg;
    if (size > bytes->capacity - bytes->size) {
        size_t capacity = 2 * bytes->capacity + size + 4096;
        unsigned char *grown = realloc(bytes->data, capacity);
        if (!grown)
            return 1;
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return 0;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){NULL, 0, 0};
}

struct bytes bytes_of(const uf_filter *filter, unsigned how)
{
    struct bytes bytes = {NULL, 0, 0};
    uf_error why;
    assert_status(UF_OK, uf_write(filter, how, bytes_put, &bytes, &why), &why);
    return bytes;
}

int bytes_equal(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

struct bytes bytes_of_build(const char *text, const uf_key *keys, size_t count, const uf_context *ctx)
{
    uf_spec spec = spec_of(text);
    uf_filter *filter;
    uf_error why;
    assert_status(UF_OK, uf_build(&spec, keys, count, ctx, &filter, &why), &why);
    struct bytes bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_free(filter);
    return bytes;
}

void file_put_all(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_that(file && fwrite(data, 1, size, file) == size && !fclose(file), "cannot write %s", path);
}

struct bytes file_get_all(const char *path)
{
    struct bytes bytes = {NULL, 0, 0};
    char piece[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    assert_that(file != NULL, "cannot open %s", path);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        assert_int_equal(bytes_put(&bytes, piece, got), 0);
    assert_that(!ferror(file) && !fclose(file), "cannot read %s", path);
    return bytes;
}
