/* SPDX-License-Identifier: MIT */
/* What a DCSO file carries behind its filter: asking for it, replacing it, dropping it. */
#include "attached.h"
#include "kinds.h"
#include "status.h"

int uf_get_attached(const uf_filter *filter, const void **data, size_t *bytes)
{
    if (!filter || !data || !bytes)
        return UF_EINVAL;
    *data = filter->attached;
    *bytes = filter->attached_bytes;
    return UF_OK;
}

int uf_set_attached(uf_filter *filter, const void *data, size_t bytes, uf_error *why)
{
    error_clear(why);
    if (!filter || (bytes && !data))
        return fail(why, UF_EINVAL, "no filter was given, or no data");
    if (filter->map)
        return fail(why, UF_EREADONLY, "a mapped filter, or a view, cannot change: load it without UF_MAP");
    if (bytes && filter->ops != &kind_dcso)
        return fail(why, UF_EUNSUPPORTED,
                    "only the DCSO format has a place for attached data, and a filter of the kind %s cannot be saved "
                    "in it",
                    filter->ops->name);
    return attached_set(filter, data, bytes, why);
}
