/* SPDX-License-Identifier: MIT */
#include "counted.h"

#include "table.h"

/* Private kinds must not know it. */
int spec_with_count(const uf_spec *want, uint64_t count, uf_spec *out, uf_error *why)
{
    struct spec parsed;
    const struct filter_ops *ops;
    *out = *want;
    int status = spec_read(want->text, &parsed, &ops, why);
    if (status != UF_OK || ops->declared || spec_text(&parsed, "n") || spec_text(&parsed, "bits"))
        return status;
    spec_set_number(&parsed, "n", (double)count);
    return spec_print(&parsed, out, why);
}
