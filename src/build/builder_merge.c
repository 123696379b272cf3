/* SPDX-License-Identifier: MIT */
/* Builders that become one: which ones fit together, and the words for those that do not. */
#include <string.h>

#include "builder.h"
#include "keying.h"
#include "status.h"

int uf_builder_get_spec(const uf_builder *builder, uf_spec *out)
{
    return builder && out ? spec_print(&builder->want, out, NULL) : UF_EINVAL;
}

/* ---- what differs ---- */

static int values_equal(const struct spec *a, const struct spec *b, const char *name)
{
    const char *one = spec_text(a, name), *two = spec_text(b, name);
    double x, y;
    if (!one || !two || !strcmp(one, two))
        return one && two;
    return spec_get_number(a, name, &x, NULL) == 1 && spec_get_number(b, name, &y, NULL) == 1 && x == y;
}

/* A parameter of `names` in which they differ; NULL: there is none. */
static const char *first_difference(const struct spec *names, const struct spec *a, const struct spec *b)
{
    for (unsigned i = 0; i < names->count; i++)
        if (!values_equal(a, b, names->param[i].name))
            return names->param[i].name;
    return NULL;
}

int specs_compare(const struct spec *a, const struct spec *b, uf_error *why)
{
    if (strcmp(a->kind, b->kind) != 0)
        return fail(why, UF_EMISMATCH, "the builders are of different kinds: %s and %s", a->kind, b->kind);
    if (a->keyed != b->keyed)
        return fail(why, UF_EMISMATCH, "one of the builders is keyed and the other is not");
    const char *name = first_difference(a, a, b);
    if (!name)
        name = first_difference(b, a, b);
    if (!name)
        return UF_OK;
    const char *one = spec_text(a, name), *two = spec_text(b, name);
    return fail(why, UF_EMISMATCH,
                "the builders differ in %s (%s against %s): make the second one with the spec that "
                "uf_builder_get_spec gives of the first",
                name, one ? one : "none", two ? two : "none");
}

static int compare(const uf_builder *a, const uf_builder *b, uf_error *why)
{
    char id[2][UF_KEY_ID_SIZE];
    int status = specs_compare(&a->want, &b->want, why);
    if (status != UF_OK || !hash_is_keyed(a->hasher.kind) || keying_same(&a->hasher.stamp, &b->hasher.stamp))
        return status;
    keying_id_text(&a->hasher.stamp, id[0]);
    keying_id_text(&b->hasher.stamp, id[1]);
    return fail(why, UF_EMISMATCH, "the builders were made with different keys, %s and %s", id[0], id[1]);
}

/* ---- merging ---- */

static void empty(uf_builder *builder)
{
    builder->finished = 1;
    builder->way->free(builder->state);
    builder->state = NULL;
}

int uf_builder_merge(uf_builder *into, uf_builder *from, uf_error *why)
{
    struct partial partial = {.total = 0};
    error_clear(why);
    if (!into || !from || into == from)
        return fail(why, UF_EINVAL, "two builders are needed to merge one into the other");
    if (into->finished || from->finished)
        return fail(why, UF_EINVAL, "%s has finished already, so there is nothing to merge",
                    into->finished ? "the builder to merge into" : "the builder to merge from");
    int status = compare(into, from, why);
    if (status == UF_OK)
        status = from->way->lend(from->state, &partial, why);
    if (status == UF_OK)
        status = into->way->take(into->state, &partial, why);
    if (status == UF_OK)
        empty(from);
    return status;
}
