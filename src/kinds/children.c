/* SPDX-License-Identifier: MIT */
#include "children.h"
#include "kinds.h"

#include <string.h>

/* Factors near a rate of 1 %: the classic 1 / ln 2, blocks that fill unevenly, 5 % of spare slots. */
static const struct {
    const struct filter_ops *ops;
    double factor;
} children[] = {{&kind_ribbon, 1.06}, {&kind_bloom, 1.4427}, {&kind_blocked, 1.56}};

enum { CHILDREN = sizeof children / sizeof children[0] };

double child_factor(const char *kind)
{
    for (size_t i = 0; i < CHILDREN; i++)
        if (!strcmp(children[i].ops->name, kind))
            return children[i].factor;
    return 0;
}

const struct filter_ops *child_by_name(const char *kind)
{
    for (size_t i = 0; i < CHILDREN; i++)
        if (!strcmp(children[i].ops->name, kind))
            return children[i].ops;
    return NULL;
}

const struct filter_ops *child_by_id(uint64_t id)
{
    for (size_t i = 0; i < CHILDREN; i++)
        if (children[i].ops->id == id)
            return children[i].ops;
    return NULL;
}
