/* SPDX-License-Identifier: MIT */
/* join: one filter from all of its parts. */
#include "commands.h"

#include <stdlib.h>

#include "message.h"
#include "shared.h"
#include "store.h"
#include "written.h"

static int join(const struct args *args, const uf_context *context, const uf_filter **part)
{
    const char *path = args_value(args, &option_output);
    uf_filter *whole = NULL;
    uf_error why;
    if (store_lock(path))
        return EXIT_ERROR;
    for (size_t i = 0; i < args->operands; i++) {
        uf_filter *loaded;
        if (store_load(args->operand[i], UF_WITHOUT_KEY, context, &loaded))
            return EXIT_ERROR;
        part[i] = loaded;
    }
    if (uf_join(part, args->operands, context, &whole, &why) != UF_OK)
        return print_error("%s", why.text);
    int status = store_save(whole, path, UF_FORMAT_UF);
    if (!status)
        status = report_written(
            args, &(struct report_written){path, whole, args->operands, "part", " joined", "joined", true, false});
    uf_free(whole);
    return status;
}

static int run(const struct args *args)
{
    uf_context context;
    if (args_require(args, &option_output) || store_check_output(args_value(args, &option_output)) ||
        store_open_any(args, &context))
        return EXIT_ERROR;
    const uf_filter **part = calloc(args->operands, sizeof *part);
    int status = part ? join(args, &context, part) : print_error("no memory for %zu parts", args->operands);
    for (size_t i = 0; part && i < args->operands; i++)
        uf_free((uf_filter *)(uintptr_t)part[i]);
    free(part);
    store_close(&context);
    return status;
}

static const struct option *const options[] = {&option_output, &option_overwrite, &option_quiet,
                                               &option_json,   &option_progress,  NULL};

static const struct example examples[] = {
    {"ultrafilter join -o all.uf part-*.uf", "One filter of the parts that 'split' or 'build --partition' made."},
    {NULL, NULL},
};

const struct command command_join = {
    .name = "join",
    .synopsis = "-o OUT.uf PART.uf ...",
    .summary = "make one filter of all its parts",
    .description = "Puts the parts of a filter together, in any order: what 'split' cut, or what machines built apart "
                   "with 'build --partition'. The file is the one that a single build of all keys with the same seed "
                   "makes. Each part is needed once, and all must be of one filter. No key is needed.\n\n"
                   "To unite filters that were built alike, or the same part of two lists, there is 'merge'.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the filter was written, 2 on an error. An error leaves no file, and an old one unchanged.",
    .least = 1,
    .most = (size_t)-1,
    .run = run,
};
