/* SPDX-License-Identifier: MIT */
/* The values go to the library as they were typed: it knows which numbers make sense for which kind. */
#include "request.h"

#include <stdio.h>
#include <stdlib.h>

#include "message.h"
#include "shared.h"

static const struct {
    const struct option *option;
    const char *name;
} fields[] = {
    {&option_capacity, "n"},
    {&option_fpr, "fpr"},
    {&option_bits, "bits"},
    {&option_bits_per_key, "bits_per_key"},
    {&option_regions, "regions"},
    {&option_children, "children"},
    {&option_adversarial_share, "alpha"},
    {&option_full, "full"},
    {&option_window, "window"},
};

int request_spec(const struct args *args, const char *kind, uf_spec *out, uf_error *why)
{
    uf_spec spec;
    int status = uf_spec_parse(kind, &spec, why);
    for (size_t i = 0; status == UF_OK && i < sizeof fields / sizeof fields[0]; i++)
        if (args_has(args, fields[i].option))
            status = uf_spec_set(&spec, fields[i].name, args_value(args, fields[i].option), why);
    if (status == UF_OK)
        *out = spec;
    return status;
}

int request_keyed_spec(const struct args *args, const char *kind, uf_spec *out, uf_error *why)
{
    char text[64];
    int status = uf_spec_parse(kind, out, why);
    if (status != UF_OK)
        return status;
    const char *format = args_has(args, &option_key_file) && !uf_spec_is_keyed(out) ? "keyed(%s)" : "%s";
    (void)snprintf(text, sizeof text, format, kind);
    status = request_spec(args, text, out, why);
    if (status == UF_OK && args_has(args, &option_prf))
        status = uf_spec_set(out, "prf", args_value(args, &option_prf), why);
    return status;
}

int request_check(const struct args *args)
{
    if (args_has(args, &option_capacity) && strtod(args_value(args, &option_capacity), NULL) < 1)
        return print_error("%s %s: plan for at least one key", args_label(args, &option_capacity).text,
                           args_value(args, &option_capacity));
    return args_exclusive(args, &option_bits, &option_bits_per_key);
}

int request_exclusive(const struct args *args, const struct option *whole)
{
    int status = args_exclusive(args, whole, &option_kind);
    for (size_t i = 0; !status && i < sizeof fields / sizeof fields[0]; i++)
        status = args_exclusive(args, whole, fields[i].option);
    return status;
}
