/* SPDX-License-Identifier: MIT */
#include "children.h"

#include "table.h"

static const struct filter_ops *as_child(const struct filter_ops *ops)
{
    return ops && ops->child_factor > 0 ? ops : NULL;
}

const struct filter_ops *child_by_name(const char *kind)
{
    return as_child(kind_by_name(kind));
}

const struct filter_ops *child_by_id(uint64_t id)
{
    return as_child(kind_by_id(id));
}

double child_factor(const char *kind)
{
    const struct filter_ops *ops = child_by_name(kind);
    return ops ? ops->child_factor : 0;
}
