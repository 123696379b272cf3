/* SPDX-License-Identifier: MIT */
/* split: cuts a filter into parts, one file each, for machines that hold one of them. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "paths.h"
#include "shared.h"
#include "store.h"
#include "written.h"

static const struct option option_parts = {0, "parts", VALUE_NUMBER, "N", "How many parts to cut it into."};

enum { MOST_PATH = 4096 };

/* The name of one part: %d in the pattern is its number. Nothing else in it has a meaning. */
static int part_path(const char *pattern, unsigned part, char out[MOST_PATH])
{
    const char *at = strstr(pattern, "%d");
    if (!at || strstr(at + 2, "%d"))
        return print_error("-o %s: must have %%d once, where the number of a part goes, as in part-%%d.uf", pattern);
    int used = snprintf(out, MOST_PATH, "%.*s%u%s", (int)(at - pattern), pattern, part, at + 2);
    return used < MOST_PATH ? EXIT_FINE : print_error("-o %s: is too long for a path", pattern);
}

/* All of them are looked at before the first is written. */
static int check_paths(const struct args *args, unsigned parts)
{
    char path[MOST_PATH];
    int status = EXIT_FINE;
    for (unsigned i = 0; !status && i < parts; i++)
        if (part_path(args_value(args, &option_output), i, path) || store_check_target(path) ||
            paths_check_output(args, path, VALUE_TO_FILTER))
            status = EXIT_ERROR;
    return status;
}

static int write_part(const struct args *args, const uf_context *context, const uf_filter *whole, unsigned parts,
                      unsigned index)
{
    char path[MOST_PATH];
    uf_filter *part = NULL;
    uf_error why;
    if (part_path(args_value(args, &option_output), index, path) || store_lock(path))
        return EXIT_ERROR;
    if (uf_split(whole, parts, index, context, &part, &why) != UF_OK)
        return print_error("%s: %s", args->operand[0], why.text);
    int status = store_save(part, path, UF_FORMAT_UF);
    uf_free(part);
    return status;
}

static int split(const struct args *args, const uf_context *context, unsigned parts)
{
    uf_filter *whole, *first = NULL;
    uf_error why;
    if (store_load(args->operand[0], UF_WITHOUT_KEY, context, &whole))
        return EXIT_ERROR;
    int status = uf_split(whole, parts, 0, context, &first, &why) == UF_OK
                     ? check_paths(args, parts)
                     : print_error("%s: %s", args->operand[0], why.text);
    uf_free(first);
    for (unsigned i = 0; !status && i < parts; i++)
        status = write_part(args, context, whole, parts, i);
    if (!status)
        status = report_written(
            args, &(struct report_written){args->operand[0], whole, parts, "part", " written", "parts", true, false});
    uf_free(whole);
    return status;
}

static int run(const struct args *args)
{
    uf_context context;
    char *end;
    if (args_require(args, &option_output) || args_require(args, &option_parts))
        return EXIT_ERROR;
    const char *text = args_value(args, &option_parts);
    unsigned long parts = strtoul(text, &end, 10);
    if (*end || parts < 1 || parts > 65536)
        return print_error("--parts %s: is a whole number from 1 to 65536", text);
    if (store_open_any(args, &context))
        return EXIT_ERROR;
    int status = split(args, &context, (unsigned)parts);
    store_close(&context);
    return status;
}

static const struct option *const options[] = {&option_output, &option_overwrite, &option_parts, &option_quiet,
                                               &option_json,   &option_progress,  NULL};

static const struct example examples[] = {
    {"ultrafilter split --parts 16 -o part-%d.uf all.uf", "Sixteen files, part-0.uf to part-15.uf."},
    {NULL, NULL},
};

const struct command command_split = {
    .name = "split",
    .synopsis = "--parts N -o PATTERN F.uf",
    .summary = "cut a filter into parts for several machines",
    .description =
        "Cuts a filter of kind blocked into N parts of equal size, each a filter of its own in a file of its own: in "
        "PATTERN, %d is the number of the part, from 0. A key is in one part, which follows from its hash "
        "(docs/partitions.md); the others answer no. 'join' makes the same filter of them again.\n\n"
        "The blocks of the filter must be a multiple of N: a --spec with parts=N plans for that. Keyed filters are cut "
        "without their key.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when all parts were written, 2 on an error.",
    .least = 1,
    .most = 1,
    .run = run,
};
