/* SPDX-License-Identifier: MIT */
/* insert: adds keys to a filter in place. */
#include "commands.h"

#include "attached.h"
#include "change.h"
#include "keys.h"
#include "message.h"
#include "shared.h"
#include "written.h"

/* A tombstone filter leaves out what it takes for removed; those keys are the ones not found afterwards. Telling which
 * keys are new takes up to a third more time, so it is not done unasked. */
static int insert_unlisted(uf_filter *filter, const uf_key *keys, size_t count, struct change_tally *tally)
{
    uint8_t in[KEYS_BATCH];
    int status = uf_insert_many(filter, keys, count, NULL);
    if (status == UF_OK)
        tally->done += count;
    if (status != UF_ESTUCK)
        return status;
    uf_query_many(filter, keys, count, in);
    for (size_t i = 0; i < count; i++) {
        tally->done += in[i];
        tally->stuck += !in[i];
    }
    return UF_OK;
}

static int insert_keys(uf_filter *filter, const uf_key *keys, size_t count, uint8_t *listed, struct change_tally *tally)
{
    int8_t verdict[KEYS_BATCH];
    if (!listed)
        return insert_unlisted(filter, keys, count, tally);
    int status = uf_add_many(filter, keys, count, verdict, NULL);
    if (status != UF_OK && status != UF_ESTUCK)
        return status;
    for (size_t i = 0; i < count; i++) {
        tally->done += verdict[i] >= 0;
        tally->stuck += verdict[i] < 0;
        listed[i] = verdict[i] == 1;
    }
    return UF_OK;
}

static int report(const struct args *args, const uf_filter *filter, const struct change_tally *tally)
{
    const struct report_extra extra[] = {{tally->stuck, "removed before and left out", "stuck"}};
    int status = report_changed(args,
                                &(struct report_written){args->operand[0], filter, tally->done, "line", " added",
                                                         "added", true, args_has(args, &option_new)},
                                extra, tally->stuck > 0);
    return status ? status : tally->stuck ? EXIT_NONE : EXIT_FINE;
}

static const struct change insertion = {
    .phase = "inserting",
    .cannot = "is built once and cannot grow; build it again with all keys, or choose another kind",
    .list = &option_new,
    .apply = insert_keys,
    .report = report,
};

static int run(const struct args *args)
{
    return change_run(args, &insertion);
}

static const struct option *const options[] = {&option_new,      &option_key,  &option_key_file, KEYS_OPTIONS,
                                               &option_format,   &option_data, &option_quiet,    &option_json,
                                               &option_progress, NULL};

static const struct example examples[] = {
    {"ultrafilter insert seen.uf today.txt", "Adds the lines of a file."},
    {"ultrafilter insert seen.uf -e alice -e bob", "Adds two keys."},
    {"ultrafilter insert --new seen.uf today.txt > news.txt", "Keeps what was not seen before, and remembers it."},
    {NULL, NULL},
};

const struct command command_insert = {
    .name = "insert",
    .synopsis = "F.uf [options] [KEYS ...|-]",
    .summary = "add keys to a filter",
    .description =
        "Adds keys, one a line, from the files KEYS or from standard input, and replaces F.uf once all of them are in. "
        "What happens to more keys than the filter was planned for was decided when it was built (--full): a keyed "
        "filter refuses them, unless told otherwise; others take them with a warning, and their false-positive rate "
        "grows; some grow themselves.\n\n"
        "With --new it prints the keys that the filter did not answer to before, in their order, a key that comes "
        "twice once; a few new ones are taken for known, at the false-positive rate. They are printed when the file "
        "is saved and not before: what was printed is in it, and of processes that add one key at the same time one "
        "prints it.\n\n"
        "Kinds that are built once, such as ribbon, cannot grow. A tombstone filter leaves out keys that were removed "
        "from it before. Processes that change one file at the same time take turns: "
        "each waits until the one before it is done, and says so when that takes longer than a second.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the keys were added, 1 when some were removed before and stay out, 2 on an error. An error "
                   "leaves the file unchanged; but when the keys of --new cannot be printed, they are in it.",
    .least = 1,
    .most = (size_t)-1,
    .in_place = true,
    .run = run,
};
