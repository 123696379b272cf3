/* SPDX-License-Identifier: MIT */
#include "attached.h"

#include <stdio.h>
#include <string.h>

#include "human.h"
#include "message.h"

const struct option option_data = {
    0, "data", VALUE_CHOICE, "keep|drop",
    "The data attached to a file of DCSO's bloom. Default: keep it in that format; a .uf file has no "
    "place for it, and a warning says that it is left out."};

struct attached {
    const void *data;
    size_t bytes;
};

static struct attached attached_of(const uf_filter *filter)
{
    struct attached attached = {NULL, 0};
    (void)uf_get_attached(filter, &attached.data, &attached.bytes);
    return attached;
}

static bool says(const struct args *args, const char *word)
{
    const char *value = args_value(args, &option_data);
    return value && !strcmp(value, word);
}

/* "attached data (15 bytes)" */
struct amount {
    char text[96];
};

static struct amount amount_of(size_t bytes)
{
    struct amount amount;
    (void)snprintf(amount.text, sizeof amount.text, "attached data (%s byte%s)", human_count((double)bytes).text,
                   bytes == 1 ? "" : "s");
    return amount;
}

/* Data of `path` that a .uf file has no place for. */
static int leave_out(const struct args *args, const char *path, size_t bytes)
{
    if (!bytes || says(args, "drop"))
        return EXIT_FINE;
    if (says(args, "keep"))
        return print_error("%s: has %s, for which a .uf file has no place: add --format dcso, or --data drop", path,
                           amount_of(bytes).text);
    print_warning("%s: its %s is left out: a .uf file has no place for it; info --data prints it, and --data drop "
                  "leaves it out without this warning",
                  path, amount_of(bytes).text);
    return EXIT_FINE;
}

int attached_settle(const struct args *args, const char *path, uf_filter *filter, unsigned format)
{
    const size_t bytes = attached_of(filter).bytes;
    uf_error why;
    if (!bytes || (format == UF_FORMAT_DCSO && !says(args, "drop")))
        return EXIT_FINE;
    if (leave_out(args, path, bytes))
        return EXIT_ERROR;
    return uf_set_attached(filter, NULL, 0, &why) == UF_OK ? EXIT_FINE : print_error("%s: %s", path, why.text);
}

int attached_join(const struct args *args, const char *path, const uf_filter *from, const uf_filter *into,
                  unsigned format)
{
    const struct attached its = attached_of(from), kept = attached_of(into);
    const bool same = its.bytes == kept.bytes && (!its.bytes || !memcmp(its.data, kept.data, its.bytes));
    if (format != UF_FORMAT_DCSO)
        return leave_out(args, path, its.bytes);
    if (its.bytes && !same && !says(args, "drop"))
        print_warning("%s: its %s is left out: a union has the data of the first file, %s%s", path,
                      amount_of(its.bytes).text, args->operand[0], kept.bytes ? "" : ", which has none");
    return EXIT_FINE;
}
