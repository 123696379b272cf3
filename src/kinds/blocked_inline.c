/* SPDX-License-Identifier: MIT */
/* What programs need to ask a blocked filter without a call: include/ultrafilter_inline.h. */
#include "blocked.h"
#include "kinds.h"
#include "sized.h"

int uf_get_view(const uf_filter *filter, unsigned layout, uf_view *out, size_t size)
{
    if (!filter || !out)
        return UF_EINVAL;
    if (layout != UF_VIEW_LAYOUT || filter->ops != &kind_blocked || filter->hasher.kind != HASH_XXH3 || filter->locked)
        return UF_EUNSUPPORTED;
    const struct blocked *blocked = CONST_PARAMS(struct blocked, filter);
    uf_view view = {filter->words, blocked->blocks, filter->word.flip, blocked->k, UF_VIEW_LAYOUT};
    return sized_write(&view, sizeof view, out, size);
}
