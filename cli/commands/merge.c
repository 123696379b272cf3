/* SPDX-License-Identifier: MIT */
/* merge: the union of filters that were built alike. With one input it copies, and so converts formats. */
#include "commands.h"

#include "attached.h"
#include "message.h"
#include "note.h"
#include "shared.h"
#include "store.h"
#include "written.h"

static const struct option option_in_format = {0, "in-format", VALUE_CHOICE, "uf|dcso",
                                               "Not needed any more: a file is recognised by how it begins."};
static const struct option option_out_format = {0, "out-format", VALUE_CHOICE, "uf|dcso",
                                                "The format of the file written. Default: uf."};

static int merge_one(const struct args *args, const uf_context *context, uf_filter *into, size_t index)
{
    uf_filter *from;
    uf_error why;
    const char *path = args->operand[index];
    if (store_load(path, 0, context, &from))
        return EXIT_ERROR;
    int status = uf_merge(into, from, &why) == UF_OK
                     ? attached_join(args, path, from, into, store_format(args, &option_out_format))
                     : print_error("%s: cannot be merged with %s: %s", path, args->operand[0], why.text);
    uf_free(from);
    return status;
}

/* A union is not what the first of them was. */
static int put_note(const struct args *args, uf_filter *filter)
{
    if (args->operands > 1)
        (void)uf_set_note(filter, NULL, NULL, 0, NULL);
    return note_put(args, filter);
}

static int merge_all(const struct args *args, const uf_context *context)
{
    const char *path = args_value(args, &option_output);
    const unsigned format = store_format(args, &option_out_format);
    uf_filter *filter;
    if (store_lock(path) || store_load(args->operand[0], 0, context, &filter))
        return EXIT_ERROR;
    int status = EXIT_FINE;
    for (size_t i = 1; !status && i < args->operands; i++)
        status = merge_one(args, context, filter, i);
    if (!status)
        status = put_note(args, filter);
    if (!status)
        status = attached_settle(args, args->operand[0], filter, format);
    if (!status)
        status = store_save(filter, path, format);
    if (!status)
        status = report_written(
            args, &(struct report_written){path, filter, args->operands, "filter", " merged", "merged", true, false});
    uf_free(filter);
    return status;
}

static int run(const struct args *args)
{
    uf_context context;
    if (args_require(args, &option_output) || args_exclusive(args, &option_format, &option_out_format) ||
        note_check(args, store_format(args, &option_out_format)) ||
        store_check_output(args_value(args, &option_output)) || store_open_any(args, &context))
        return EXIT_ERROR;
    int status = merge_all(args, &context);
    store_close(&context);
    return status;
}

static const struct option *const options[] = {&option_output,    &option_overwrite,  &option_key_file, &option_format,
                                               &option_in_format, &option_out_format, &option_data,     NOTE_OPTIONS,
                                               &option_quiet,     &option_json,       &option_progress, NULL};

static const struct example examples[] = {
    {"ultrafilter merge -o week.uf mon.uf tue.uf wed.uf", "The union of three filters built with --like."},
    {"ultrafilter merge -o new.uf old.bloom", "Converts a filter of DCSO's bloom."},
    {NULL, NULL},
};

const struct command command_merge = {
    .name = "merge",
    .synopsis = "-o OUT.uf [options] A.uf [B.uf ...]",
    .summary = "unite filters that were built alike",
    .description =
        "Writes a filter of all keys of A.uf, B.uf and so on, which misses none that these find, unless it is one of a "
        "kind that forgets (tombstone: what was removed from one is removed). OUT.uf may be one of them. They must "
        "have equal parameters and an "
        "equal seed, as 'build --like' makes them, and keyed filters the same key.\n\n"
        "With a single input it copies it, which converts between formats, and keeps its name, comment and date unless "
        "others are given.\n\n"
        "Data that is attached to a file of DCSO's bloom stays in that format, of several files that of the first; "
        "whatever is left out, a warning names its file.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the filter was written, 2 on an error. An error leaves no file, and an old one unchanged.",
    .least = 1,
    .most = (size_t)-1,
    .over_operands = true,
    .run = run,
};
