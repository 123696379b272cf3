/* SPDX-License-Identifier: MIT */
/* A digest of the bytes that a filter's file has: what tells two releases apart. */
#include "fingerprint.h"

#include <sodium/utils.h>

#include "derive.h"
#include "init.h"
#include "status.h"

static int add(void *arg, const void *data, size_t bytes)
{
    digest_add(arg, data, bytes);
    return 0;
}

int filter_digest(const uf_filter *filter, unsigned char out[32], uf_error *why)
{
    struct digest digest;
    int status = crypto_init(why);
    if (status != UF_OK)
        return status;
    digest_start(&digest, NULL, "filter file");
    status = uf_write(filter, UF_FORMAT_UF, add, &digest, why);
    digest_end(&digest, out);
    return status;
}

int uf_fingerprint(const uf_filter *filter, char out[UF_FINGERPRINT_SIZE], uf_error *why)
{
    unsigned char digest[32];
    error_clear(why);
    int status = filter_digest(filter, digest, why);
    if (status != UF_OK)
        return status;
    (void)sodium_bin2hex(out, UF_FINGERPRINT_SIZE, digest, 16);
    return UF_OK;
}
