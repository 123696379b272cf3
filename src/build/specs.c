/* SPDX-License-Identifier: MIT */
/* Specs and plans as the public header has them. */
#include <string.h>

#include "keying.h"
#include "status.h"
#include "table.h"

int uf_spec_parse(const char *text, uf_spec *out, uf_error *why)
{
    struct spec spec;
    const struct filter_ops *ops;
    error_clear(why);
    if (!text || !out)
        return fail(why, UF_EINVAL, "no spec was given");
    int status = spec_read(text, &spec, &ops, why);
    return status == UF_OK ? spec_print(&spec, out, why) : status;
}

int uf_spec_set(uf_spec *spec, const char *name, const char *value, uf_error *why)
{
    struct spec parsed;
    uf_spec changed;
    error_clear(why);
    if (!spec || !name)
        return fail(why, UF_EINVAL, "no spec or no name was given");
    int status = spec_parse(spec->text, &parsed, why);
    if (status == UF_OK && !value)
        spec_remove(&parsed, name);
    else if (status == UF_OK)
        status = spec_set_text(&parsed, name, value, why);
    if (status == UF_OK)
        status = spec_print(&parsed, &changed, why);
    return status == UF_OK ? uf_spec_parse(changed.text, spec, why) : status;
}

int uf_spec_get(const uf_spec *spec, const char *name, double *out)
{
    struct spec parsed;
    if (!spec || !name || !out || spec_parse(spec->text, &parsed, NULL) != UF_OK)
        return UF_EINVAL;
    return spec_get_number(&parsed, name, out, NULL) == 1 ? UF_OK : UF_EINVAL;
}

int uf_spec_get_text(const uf_spec *spec, const char *name, char *out, size_t capacity)
{
    struct spec parsed;
    if (!spec || !name || !out || spec_parse(spec->text, &parsed, NULL) != UF_OK)
        return UF_EINVAL;
    const char *value = spec_text(&parsed, name);
    if (!value || strlen(value) >= capacity)
        return UF_EINVAL;
    strcpy(out, value);
    return UF_OK;
}

/* A spec whose kind is known, whatever its parameters are. */
static const struct filter_ops *kind_of(const uf_spec *spec, struct spec *parsed)
{
    return spec && spec_parse(spec->text, parsed, NULL) == UF_OK ? kind_by_name(parsed->kind) : NULL;
}

const char *uf_spec_kind(const uf_spec *spec)
{
    struct spec parsed;
    const struct filter_ops *ops = kind_of(spec, &parsed);
    return ops ? ops->name : NULL;
}

int uf_spec_is_keyed(const uf_spec *spec)
{
    struct spec parsed;
    const struct filter_ops *ops = kind_of(spec, &parsed);
    return ops && has_key(ops, &parsed);
}

int uf_spec_takes(const uf_spec *spec, const char *name)
{
    struct spec parsed;
    const struct filter_ops *ops = kind_of(spec, &parsed);
    return ops && name && spec_takes(ops, &parsed, name);
}

int uf_plan(const uf_spec *want, uf_spec *plan, uf_error *why)
{
    struct spec spec;
    const struct filter_ops *ops;
    error_clear(why);
    if (!want || !plan)
        return fail(why, UF_EINVAL, "no spec was given");
    int status = spec_read(want->text, &spec, &ops, why);
    if (status == UF_OK)
        status = spec_plan(ops, &spec, why);
    if (status == UF_OK && has_key(ops, &spec) && !spec_text(&spec, "prf"))
        status = spec_set_text(&spec, "prf", keying_name(HASH_SIPHASH), why);
    return status == UF_OK ? spec_print(&spec, plan, why) : status;
}
