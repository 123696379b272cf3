/* SPDX-License-Identifier: MIT */
/* What a file says about itself, through the calls that say it of a filter. */
#include "load.h"
#include "status.h"

int uf_describe(const char *path, unsigned how, const uf_context *ctx, uf_description *out, uf_error *why)
{
    uf_filter *filter;
    if (!path || !out)
        return fail(why, UF_EINVAL, "no path or no place for the description was given");
    int status = load_for_description(path, how, ctx, &filter, why);
    if (status != UF_OK)
        return status;
    uf_get_plan(filter, &out->plan);
    uf_get_info(filter, &out->info);
    uf_get_claim(filter, &out->claim);
    uf_get_released(filter, &out->released);
    if (uf_get_learned(filter, &out->learned) != UF_OK)
        out->learned = (uf_learned){.children = NULL};
    uf_get_key_id(filter, out->key_id);
    uf_free(filter);
    return UF_OK;
}
