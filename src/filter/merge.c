/* SPDX-License-Identifier: MIT */
/* Unions of two filters: which ones fit together, and the words for those that do not. */
#include <string.h>

#include "capacity.h"
#include "describe.h"
#include "filter.h"
#include "keying.h"
#include "locked.h"
#include "snapshot.h"
#include "status.h"
#include "twins.h"

/* The first parameter in which two plans differ, as "name=a against name=b". 1 when there is one. */
static int plans_differ(const struct spec *a, const struct spec *b, uf_error *why)
{
    for (unsigned i = 0; i < a->count; i++) {
        const char *other = spec_text(b, a->param[i].name);
        if (!other || strcmp(other, a->param[i].value)) {
            fail(why, UF_EMISMATCH, "the filters differ in %s (%s against %s): build the second one like the first",
                 a->param[i].name, a->param[i].value, other ? other : "none");
            return 1;
        }
    }
    return 0;
}

/* Two plans can be alike and yet have hashes that are not. */
static int keys_differ(const uf_filter *a, const uf_filter *b, uf_error *why)
{
    char id[2][17];
    uf_get_key_id(a, id[0]);
    uf_get_key_id(b, id[1]);
    if (is_keyed(a) != is_keyed(b))
        fail(why, UF_EMISMATCH, "one of the filters is keyed and the other is not");
    else if (!keying_same(&a->hasher.stamp, &b->hasher.stamp))
        fail(why, UF_EMISMATCH, "the filters were made with different keys, %s and %s", id[0], id[1]);
    else
        return 0;
    return 1;
}

/* Levels are filled one after the other, and generations of two filters need not be of the same time. */
static int no_series(const uf_filter *filter, uf_error *why)
{
    struct spec plan;
    plan_of(filter, &plan);
    return fail(
        why, UF_EUNSUPPORTED, "a filter that %s (%s with %s) cannot be merged: insert the keys of one into the other",
        filter->ops->grow ? "grows" : "has generations", plan.kind, filter->ops->grow ? "full=scale" : "a window");
}

/* Parts of one filter lie beside each other, and two of the same can be united. */
static int parts_differ(const uf_filter *a, const uf_filter *b, uf_error *why)
{
    struct spec first, second;
    plan_of(a, &first);
    plan_of(b, &second);
    const char *one = spec_text(&first, "part"), *two = spec_text(&second, "part");
    if (!one && !two)
        return 0;
    if (!one || !two)
        fail(why, UF_EMISMATCH, "one of the filters is part %s of a whole and the other is none: join the parts first",
             one ? one : two);
    else if (strcmp(one, two) != 0)
        fail(why, UF_EMISMATCH,
             "the filters are parts %s and %s, which lie beside each other: put all parts together with uf_join "
             "('ultrafilter join')",
             one, two);
    else
        return 0;
    return 1;
}

/* What two filters must be for a union of them, or a count of it, to make sense. */
int twins_check(const uf_filter *a, const uf_filter *b, uf_error *why)
{
    struct spec first, second;
    if (is_released(a) || is_released(b))
        return fail(why, UF_EUNSUPPORTED,
                    "a released filter cannot be merged: the union would tell more than either promises; merge the "
                    "sets and release once");
    if (a->ops->series || b->ops->series)
        return no_series(a->ops->series ? a : b, why);
    if ((a->ops->own || b->ops->own) && !strcmp(a->ops->name, b->ops->name) && parts_differ(a, b, why))
        return UF_EMISMATCH;
    if (a->ops != b->ops)
        return fail(why, UF_EMISMATCH, "the filters are of different kinds: %s and %s", a->ops->name, b->ops->name);
    if (!a->ops->merge)
        return fail(why, UF_EUNSUPPORTED, "%s filters cannot be merged: build one from all the keys", a->ops->name);
    if (a->normal != b->normal)
        return fail(why, UF_EMISMATCH,
                    "their keys were not normalised alike (lowercase, trim, carriage returns): one question would not "
                    "fit both");
    plan_of(a, &first);
    plan_of(b, &second);
    spec_remove(&first, "full"); /* that of the first decides */
    return plans_differ(&first, &second, why) || keys_differ(a, b, why) ? UF_EMISMATCH : UF_OK;
}

int uf_merge(uf_filter *into, const uf_filter *from, uf_error *why)
{
    struct snapshot snapshot;
    error_clear(why);
    if (into->locked || from->locked)
        return locked_refuse(into->locked ? into : from, why);
    int status = twins_check(into, from, why);
    if (status != UF_OK)
        return status;
    if (into->map)
        return fail(why, UF_EREADONLY, "a mapped filter, or a view, cannot change");
    if (into->shared)
        return fail(why, UF_EUNSUPPORTED,
                    "nothing can be merged into a filter while threads share it: set UF_KNOB_SHARED to 0 first");
    status = snapshot_take(from, &snapshot, why);
    if (status == UF_OK)
        status = capacity_merge(into, snapshot.filter, why);
    snapshot_drop(&snapshot);
    if (status == UF_OK && from->counted)
        uf_mark_counted(into);
    return status;
}
