/* SPDX-License-Identifier: MIT */
#include "root.h"

#include "wire.h"

static void add_number(struct digest *digest, uint64_t number)
{
    unsigned char bytes[8];
    struct writer writer = {bytes, sizeof bytes, 0};
    write_uint(&writer, number, 8);
    digest_add(digest, bytes, sizeof bytes);
}

void leaf_start(struct digest *digest, uint64_t index)
{
    digest_start(digest, NULL, "file leaf");
    add_number(digest, index);
}

void root_of(uint64_t file_bytes, const unsigned char *leaves, uint64_t count, struct file_root *out)
{
    struct digest digest;
    digest_start(&digest, NULL, "file root");
    add_number(&digest, file_bytes);
    digest_add(&digest, leaves, (size_t)count * DIGEST_BYTES);
    digest_end(&digest, out->digest);
}
