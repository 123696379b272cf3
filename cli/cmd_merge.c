/* SPDX-License-Identifier: MIT */
/* merge: the union of filters that were built alike. With one input it copies, and so converts formats. */
#include "commands.h"

#include "report.h"
#include "say.h"
#include "store.h"

static int merge_one(const struct args *args, const uf_context *context, uf_filter *into, size_t index)
{
    uf_filter *from;
    uf_error why;
    const char *path = args->operand[index];
    if (store_load(path, store_format(args, OPT_IN_FORMAT), context, &from))
        return EXIT_ERROR;
    int status = uf_merge(into, from, &why);
    uf_free(from);
    if (status == UF_OK)
        return EXIT_FINE;
    return say_error("%s: cannot be merged with %s: %s", path, args->operand[0], why.text);
}

static int merge_all(const struct args *args, const uf_context *context)
{
    const char *path = args->value[OPT_OUTPUT];
    uf_filter *filter;
    if (store_load(args->operand[0], store_format(args, OPT_IN_FORMAT), context, &filter))
        return EXIT_ERROR;
    int status = EXIT_FINE;
    for (size_t i = 1; !status && i < args->operands; i++)
        status = merge_one(args, context, filter, i);
    if (!status)
        status = store_save(filter, path, store_format(args, OPT_OUT_FORMAT));
    if (!status)
        status =
            report_written(args, &(struct report_written){path, filter, args->operands, "filter", " merged", "merged"});
    uf_free(filter);
    return status;
}

static int run(const struct args *args)
{
    uf_context context;
    if (args_require(args, OPT_OUTPUT) || args_exclusive(args, OPT_FORMAT, OPT_IN_FORMAT) ||
        args_exclusive(args, OPT_FORMAT, OPT_OUT_FORMAT) || store_check_target(args->value[OPT_OUTPUT]) ||
        store_open(args, &context))
        return EXIT_ERROR;
    int status = merge_all(args, &context);
    store_close(&context);
    return status;
}

static const enum option_id options[] = {OPT_OUTPUT, OPT_KEY_FILE, OPT_FORMAT,   OPT_IN_FORMAT, OPT_OUT_FORMAT,
                                         OPT_QUIET,  OPT_JSON,     OPT_PROGRESS, OPT_END};

static const struct example examples[] = {
    {"ultrafilter merge -o week.uf mon.uf tue.uf wed.uf", "The union of three filters built with --like."},
    {"ultrafilter merge --in-format dcso -o new.uf old.bloom", "Converts a filter of DCSO's bloom."},
    {NULL, NULL},
};

const struct command command_merge = {
    .name = "merge",
    .synopsis = "-o OUT.uf [options] A.uf [B.uf ...]",
    .summary = "unite filters that were built alike",
    .description =
        "Writes a filter that finds every key of A.uf, B.uf and so on. They must have equal parameters and an "
        "equal seed, as 'build --like' makes them, and keyed filters the same key.\n\n"
        "With a single input it copies it, which converts between formats.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the filter was written, 2 on an error. An error leaves no file, and an old one unchanged.",
    .least = 1,
    .most = (size_t)-1,
    .run = run,
};
