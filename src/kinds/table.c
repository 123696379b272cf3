/* SPDX-License-Identifier: MIT */
/* The table of kinds, and what a spec may say about each of them. */
#include "table.h"

#include <stdio.h>
#include <string.h>

#include "blocked_part.h"
#include "capacity.h"
#include "chain.h"
#include "keying.h"
#include "kinds.h"
#include "learned.h"
#include "number.h"
#include "status.h"
#include "window.h"

#define ADDRESS(name) &kind_##name,
static const struct filter_ops *const kinds[] = {UF_KINDS(ADDRESS)};
#undef ADDRESS

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct filter_ops *kind_by_name(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i]->name, name))
            return kinds[i];
    return NULL;
}

const struct filter_ops *kind_by_id(uint64_t id)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i]->id == id)
            return kinds[i];
    static const struct filter_ops *const unnamed[] = {&kind_chain, &kind_window, &kind_blocked_part};
    for (size_t i = 0; i < sizeof unnamed / sizeof unnamed[0]; i++)
        if (unnamed[i]->id == id)
            return unnamed[i];
    return NULL;
}

const char *uf_kind_name(size_t index)
{
    return index < KINDS ? kinds[index]->name : NULL;
}

const char *uf_kind_about(const char *kind)
{
    const struct filter_ops *ops = kind ? kind_by_name(kind) : NULL;
    return ops ? ops->about : NULL;
}

static unsigned trait(int there, unsigned which)
{
    return there ? which : 0;
}

unsigned uf_kind_traits(const char *kind)
{
    const struct filter_ops *ops = kind ? kind_by_name(kind) : NULL;
    if (!ops)
        return 0;
    const int at_once = ops->solve || ops->builder;
    return trait(!at_once, UF_TRAIT_INSERTS) | trait(ops->remove_many != NULL, UF_TRAIT_REMOVES) |
           trait(ops->merge != NULL, UF_TRAIT_MERGES) | trait(capacity_can_grow(ops), UF_TRAIT_GROWS) |
           trait(capacity_applies(ops), UF_TRAIT_REFUSES) | trait(at_once, UF_TRAIT_STATIC) |
           trait(ops->declared, UF_TRAIT_PRIVATE) | trait(ops->learned != NULL, UF_TRAIT_LEARNED) |
           trait(ops->keyed, UF_TRAIT_KEYED) | trait(!ops->keyed && ops->hash == HASH_XXH3, UF_TRAIT_KEYABLE) |
           trait(!ops->learned, UF_TRAIT_NEEDS_N) |
           trait(ops->learned && ops->learned->permuted, UF_TRAIT_NEEDS_NEGATIVES) |
           trait(ops->copies, UF_TRAIT_COPIES);
}

/* ---- specs ---- */

int spec_takes(const struct filter_ops *ops, const struct spec *spec, const char *name)
{
    if (!strcmp(name, "seed"))
        return ops->hash == HASH_XXH3;
    if (!strcmp(name, "prf"))
        return has_key(ops, spec);
    if (!strcmp(name, "full"))
        return capacity_applies(ops);
    if (!strcmp(name, "window"))
        return capacity_can_grow(ops);
    for (const char *const *legal = ops->names; *legal; legal++)
        if (!strcmp(*legal, name))
            return 1;
    return 0;
}

/* "a, b, c" of the names that a kind takes. */
static void append_name(const char *name, char *out, size_t size)
{
    size_t used = strlen(out);
    if (used + strlen(name) + 3 <= size)
        strcat(strcat(out, used ? ", " : ""), name);
}

static void list_names(const struct filter_ops *ops, const struct spec *spec, char *out, size_t size)
{
    out[0] = 0;
    for (const char *const *name = ops->names; *name; name++)
        append_name(*name, out, size);
    if (ops->hash == HASH_XXH3)
        append_name("seed", out, size);
    if (capacity_applies(ops))
        append_name("full", out, size);
    if (capacity_can_grow(ops))
        append_name("window", out, size);
    if (has_key(ops, spec))
        append_name("prf", out, size);
}

static int check_keyed(const struct spec *spec, const struct filter_ops *ops, uf_error *why)
{
    enum hash_kind kind;
    if (!has_key(ops, spec))
        return UF_OK;
    if (spec->keyed && ops->keyed)
        return fail(why, UF_EINVAL, "%s is keyed already: write it without the brackets", ops->name);
    if (ops->hash != HASH_XXH3)
        return fail(why, UF_EINVAL, "%s cannot be keyed: its hash is part of its format", ops->name);
    return keying_kind(spec, &kind, why);
}

/* "a, b and c" of all kinds. */
static void list_kinds(char *out, size_t size)
{
    out[0] = 0;
    for (size_t i = 0; i < KINDS; i++) {
        size_t used = strlen(out);
        const char *before = !i ? "" : i + 1 < KINDS ? ", " : " and ";
        (void)snprintf(out + used, size - used, "%s%s", before, kinds[i]->name);
    }
}

static int no_such_kind(const char *kind, uf_error *why)
{
    char list[256];
    list_kinds(list, sizeof list);
    if (!strcmp(kind, "keyed"))
        return fail(why, UF_EINVAL, "keyed needs a kind in brackets, as in keyed(bloom:n=1e6,fpr=0.01)");
    return fail(why, UF_EINVAL, "there is no kind '%s': the kinds are %s", kind, list);
}

/* All parameters but these are numbers. */
static int is_word(const char *name)
{
    static const char *const words[] = {"seed",      "prf",    "full",     "variant",    "prefer", "radix",
                                        "mechanism", "hashes", "children", "definition", "part"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i], name))
            return 1;
    return 0;
}

/* A number that cannot be read must not be taken for one that was not given: a private filter would count its keys. */
static int check_param(const struct spec *spec, const struct filter_ops *ops, const struct spec_param *param,
                       const char *legal, uf_error *why)
{
    double number;
    if (!spec_takes(ops, spec, param->name))
        return fail(why, UF_EINVAL, "%s has no parameter '%s': it takes %s", spec->kind, param->name, legal);
    if (is_word(param->name) || number_parse(param->value, &number))
        return UF_OK;
    return fail(why, UF_EINVAL,
                "%s=%s is not a number: write 1000000, 0.01 or 1e6, and commas between parameters, as in %s:n=1e6",
                param->name, param->value, spec->kind);
}

/* A part is a kind of its own, under the name of the whole. */
static int read_parts(const struct spec *spec, const struct filter_ops **ops, uf_error *why)
{
    struct part part;
    int there = parts_of(spec, &part, why);
    if (there == PARTS_PART)
        *ops = &kind_blocked_part;
    return there < 0 ? there : UF_OK;
}

int spec_read(const char *text, struct spec *out, const struct filter_ops **ops, uf_error *why)
{
    char legal[160];
    int status = spec_parse(text, out, why);
    if (status != UF_OK)
        return status;
    *ops = kind_by_name(out->kind);
    if (!*ops)
        return no_such_kind(out->kind, why);
    list_names(*ops, out, legal, sizeof legal);
    for (unsigned i = 0; status == UF_OK && i < out->count; i++)
        status = check_param(out, *ops, &out->param[i], legal, why);
    if (status != UF_OK)
        return status;
    uint64_t seed;
    uint32_t policy;
    unsigned generations;
    if (spec_get_seed(out, "seed", &seed, why) < 0)
        return UF_EINVAL;
    status = capacity_policy(out, *ops, &policy, why);
    if (status == UF_OK)
        status = window_of(out, *ops, &generations, why);
    if (status == UF_OK)
        status = read_parts(out, ops, why);
    return status == UF_OK ? check_keyed(out, *ops, why) : status;
}

int spec_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    uint32_t policy;
    unsigned generations;
    int status = capacity_policy(spec, ops, &policy, why);
    if (status == UF_OK)
        status = window_of(spec, ops, &generations, why);
    if (status != UF_OK)
        return status;
    if (generations)
        return window_plan(ops, spec, generations, why);
    return policy == FULL_SCALE ? chain_plan(ops, spec, why) : ops->plan(ops, spec, why);
}
