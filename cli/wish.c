/* SPDX-License-Identifier: MIT */
/* The values go to the library as they were typed: it knows which numbers make sense for which kind. */
#include "wish.h"

#include "say.h"

static const struct {
    enum option_id option;
    const char *name;
} wishes[] = {
    {OPT_CAPACITY, "n"},
    {OPT_FPR, "fpr"},
    {OPT_BITS, "bits"},
    {OPT_BITS_PER_KEY, "bits_per_key"},
    {OPT_REGIONS, "regions"},
    {OPT_CHILDREN, "children"},
    {OPT_ADVERSARIAL_SHARE, "alpha"},
    {OPT_FULL, "full"},
};

int wish_spec(const struct args *args, const char *kind, uf_spec *out, uf_error *why)
{
    uf_spec spec;
    int status = uf_spec_parse(kind, &spec, why);
    for (size_t i = 0; status == UF_OK && i < sizeof wishes / sizeof wishes[0]; i++)
        if (args_has(args, wishes[i].option))
            status = uf_spec_set(&spec, wishes[i].name, args->value[wishes[i].option], why);
    if (status == UF_OK)
        *out = spec;
    return status;
}

int wish_check(const struct args *args)
{
    static const enum option_id whole[] = {OPT_SPEC, OPT_LIKE};
    static const enum option_id part[] = {OPT_KIND,     OPT_CAPACITY,          OPT_FPR,
                                          OPT_BITS,     OPT_BITS_PER_KEY,      OPT_REGIONS,
                                          OPT_CHILDREN, OPT_ADVERSARIAL_SHARE, OPT_FULL};
    int status = args_exclusive(args, OPT_SPEC, OPT_LIKE) || args_exclusive(args, OPT_BITS, OPT_BITS_PER_KEY);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < sizeof part / sizeof part[0]; j++)
            status = status || args_exclusive(args, whole[i], part[j]);
    return status ? EXIT_ERROR : EXIT_FINE;
}
