/* SPDX-License-Identifier: MIT */
#include "sized.h"

#include <string.h>

#include "status.h"

static int is_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return 0;
    return 1;
}

int sized_read(void *out, size_t own, const void *given, size_t size, const char *what, uf_error *why)
{
    if (size < sizeof size || size > SIZED_MOST)
        return fail(why, UF_EINVAL, "a struct with a size of %zu was given: start from %s", size, what);
    if (size > own && !is_zero((const unsigned char *)given + own, size - own))
        return fail(why, UF_EVERSION,
                    "a struct of a newer header was given, which sets something that this library does not have: it "
                    "has %zu bytes, and %s of version %s has %zu",
                    size, what, UF_VERSION, own);
    memcpy(out, given, size < own ? size : own);
    memcpy(out, &own, sizeof own);
    return UF_OK;
}

int sized_write(const void *own, size_t own_size, size_t first_size, void *out, size_t out_size)
{
    if (out_size < first_size || out_size > SIZED_MOST)
        return UF_EINVAL;
    memcpy(out, own, out_size < own_size ? out_size : own_size);
    if (out_size > own_size)
        memset((unsigned char *)out + own_size, 0, out_size - own_size);
    memcpy(out, &out_size, sizeof out_size);
    return UF_OK;
}
