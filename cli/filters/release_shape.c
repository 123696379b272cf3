/* SPDX-License-Identifier: MIT */
/*
 * The epsilon of a copy is shared by the k bits of a key, so what is best for exact answers is poor for copies: at
 * epsilon 3 and 16 bits per key, a copy of a filter with k = 11 misses 43 % of the members, one with k = 1 4.7 %.
 */
#include "release_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "numbers.h"
#include "shared.h"

int release_shape(double epsilon, uint64_t n, double bits_per_key, uf_design *out, uf_error *why)
{
    uf_design designs[UF_MOST_DESIGNS];
    size_t count;
    int status = uf_designs(epsilon, n, bits_per_key, 0, designs, sizeof designs[0], UF_MOST_DESIGNS, &count, why);
    for (size_t i = 0; status == UF_OK && i < count; i++)
        if (!strcmp(designs[i].mechanism, "ultra")) {
            *out = designs[i];
            *why = designs[i].why;
            return designs[i].status;
        }
    return status;
}

int release_shape_spec(const struct args *args, uf_spec *out)
{
    char text[sizeof out->text + 8];
    double epsilon = 0, bits = 0;
    uint64_t n = 0;
    uf_design design;
    uf_error why;
    if (args_require(args, &option_epsilon) || args_require(args, &option_capacity) ||
        args_epsilon(args, &option_epsilon, &epsilon) || args_whole(args, &option_capacity, 1, MOST_WHOLE, &n))
        return EXIT_ERROR;
    if (args_has(args, &option_bits_per_key))
        bits = strtod(args_value(args, &option_bits_per_key), NULL);
    int status = release_shape(epsilon, n, bits, &design, &why);
    if (status == UF_OK) {
        (void)snprintf(text, sizeof text, args_has(args, &option_key_file) ? "keyed(%s)" : "%s", design.keep.text);
        status = uf_spec_parse(text, out, &why);
    }
    if (status == UF_OK && args_has(args, &option_full))
        status = uf_spec_set(out, "full", args_value(args, &option_full), &why);
    if (status == UF_OK && args_has(args, &option_prf))
        status = uf_spec_set(out, "prf", args_value(args, &option_prf), &why);
    return status == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}
