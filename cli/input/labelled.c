/* SPDX-License-Identifier: MIT */
#include "labelled.h"

#include "keys.h"
#include "message.h"
#include "shared.h"

static int read_lists(const struct args *args, const struct option *valid, struct labelled *out)
{
    struct keys_format format;
    *out = (struct labelled){{.keys = NULL}, {.keys = NULL}, {.keys = NULL}};
    int status = keys_read_format(args, &format) || args_require(args, &option_positives) ||
                 args_require(args, &option_negatives) || (valid && args_require(args, valid));
    if (!status)
        status = key_list_read(args_value(args, &option_positives), &format, "reading the set", &out->positives);
    if (!status)
        status = key_list_read(args_value(args, &option_negatives), &format, "reading the negatives", &out->negatives);
    if (!status && valid)
        status = key_list_read(args_value(args, valid), &format, "reading the negatives", &out->valid);
    if (status)
        labelled_free(out);
    return status ? EXIT_ERROR : EXIT_FINE;
}

int labelled_read(const struct args *args, struct labelled *out)
{
    return read_lists(args, &option_valid, out);
}

int labelled_read_two(const struct args *args, struct labelled *out)
{
    return read_lists(args, NULL, out);
}

void labelled_free(struct labelled *lists)
{
    key_list_free(&lists->positives);
    key_list_free(&lists->negatives);
    key_list_free(&lists->valid);
}
