/* SPDX-License-Identifier: MIT */
/* insert: adds keys to a filter in place. One thread writes; the file is replaced when all keys are in. */
#include "commands.h"

#include "keys.h"
#include "progress.h"
#include "report.h"
#include "say.h"
#include "store.h"

struct insert {
    uf_filter *filter;
    int status;
};

static enum keys_verdict insert_block(void *arg, struct keys_block *block)
{
    struct insert *insert = arg;
    uf_key keys[KEYS_BATCH];
    const char *cursor = NULL;
    for (size_t count; (count = keys_next(block, &cursor, keys));) {
        insert->status = uf_insert_many(insert->filter, keys, count);
        if (insert->status != UF_OK)
            return KEYS_FAILED;
        block->keys += count;
    }
    return KEYS_GO_ON;
}

/* Asked before any key is read: a static kind then fails at once, also with an empty input. */
static int check_can_grow(const char *path, uf_filter *filter)
{
    int status = uf_insert_many(filter, NULL, 0);
    uf_info info;
    uf_released released;
    uf_get_info(filter, &info);
    uf_get_released(filter, &released);
    if (released.mechanism)
        return say_error("%s: a released filter takes no inserts: a key that joins after the noise (%s) would stand "
                         "there without any; release the larger set anew",
                         path, released.mechanism);
    if (status == UF_EUNSUPPORTED)
        return say_error("%s: the kind %s is built once and cannot grow; build it again with all keys, or choose "
                         "another kind",
                         path, info.kind);
    return status == UF_OK ? EXIT_FINE : say_error("%s: %s", path, uf_status_text(status));
}

static int insert_all(const char *path, uf_filter *filter, const struct keys_input *input, uint64_t *added)
{
    struct insert insert = {filter, UF_OK};
    const struct keys_job job = {.work = insert_block, .arg = &insert, .threads = 1};
    struct keys_totals totals;
    progress_phase("inserting", input->bytes);
    int status = keys_run(input, &job, &totals);
    *added = totals.keys;
    if (insert.status != UF_OK)
        return say_error("%s: %s; the file is unchanged", path, uf_status_text(insert.status));
    return status;
}

static int insert_and_save(const struct args *args, uf_filter *filter, const struct keys_input *input)
{
    const char *path = args->operand[0];
    uint64_t added;
    if (insert_all(path, filter, input, &added) || store_save(filter, path, store_format(args, OPT_END)))
        return EXIT_ERROR;
    return report_written(args, &(struct report_written){path, filter, added, "key", " added", "added"});
}

static int run(const struct args *args)
{
    const char *path = args->operand[0];
    struct keys_input input;
    uf_filter *filter;
    unsigned threads = args_threads(args);
    if (!threads || store_check_target(path) || store_load(path, store_format(args, OPT_END), threads, &filter))
        return EXIT_ERROR;
    int status = check_can_grow(path, filter);
    if (!status)
        status = keys_open(args, 1, &input);
    if (!status) {
        status = insert_and_save(args, filter, &input);
        keys_close(&input);
    }
    uf_free(filter);
    return status;
}

static const enum option_id options[] = {OPT_NULL, OPT_FORMAT, OPT_QUIET, OPT_JSON, OPT_PROGRESS, OPT_END};

static const struct example examples[] = {
    {"ultrafilter insert seen.uf today.txt", "Adds the lines of a file."},
    {"printf '%s\\n' alice bob | ultrafilter insert seen.uf", "Adds two keys."},
    {NULL, NULL},
};

const struct command command_insert = {
    .name = "insert",
    .synopsis = "F.uf [options] [KEYS|-]",
    .summary = "add keys to a filter",
    .description =
        "Adds keys, one a line, from the file KEYS or from standard input, and replaces F.uf once all of them are in. "
        "More keys than the filter was planned for are taken, with a warning: its false-positive rate then grows.\n\n"
        "Kinds that are built once, such as ribbon, cannot grow. Of two inserts into one file at the same time, the "
        "last to end wins.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the keys were added, 2 on an error. An error leaves the file unchanged.",
    .least = 1,
    .most = 2,
    .run = run,
};
