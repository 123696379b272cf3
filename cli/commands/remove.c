/* SPDX-License-Identifier: MIT */
/* remove: takes keys out of a filter in place. */
#include "commands.h"

#include "change.h"
#include "human.h"
#include "keys.h"
#include "message.h"
#include "shared.h"
#include "written.h"

static const struct option option_refused = {0, "refused", VALUE_NONE, NULL,
                                             "Print the keys that were refused, instead of the line about the result."};

/* A refused key that is still found is one that cannot be removed. Asking again for it changes nothing, and tells why.
 */
static int remove_keys(uf_filter *filter, const uf_key *keys, size_t count, uint8_t *listed, struct change_tally *tally)
{
    uint8_t removed[KEYS_BATCH], in[KEYS_BATCH];
    int status = uf_remove_many(filter, keys, count, removed, NULL);
    if (status != UF_OK && status != UF_EABSENT && status != UF_ESTUCK && status != UF_EFULL)
        return status;
    uf_query_many(filter, keys, count, in);
    for (size_t i = 0; i < count; i++) {
        const bool kept = !removed[i] && in[i], full = kept && uf_remove(filter, keys[i], NULL) == UF_EFULL;
        if (listed)
            listed[i] = !removed[i];
        tally->done += removed[i];
        tally->full += full;
        tally->stuck += kept && !full;
        tally->absent += !removed[i] && !in[i];
    }
    return UF_OK;
}

static void warn_when_full(const char *path, const uf_filter *filter, const struct change_tally *tally)
{
    uf_spec plan;
    double planned = 0;
    uf_get_plan(filter, &plan);
    if (tally->full && uf_spec_get(&plan, "removed", &planned) == UF_OK)
        print_warning("%s: %s key%s stay%s in it: it was planned for %s removals and takes no more, to keep its rates; "
                      "build a new one of the keys that are left, with a larger removed= if as many will go again",
                      path, human_count((double)tally->full).text, tally->full == 1 ? "" : "s",
                      tally->full == 1 ? "s" : "", human_count(planned).text);
}

static int report(const struct args *args, const uf_filter *filter, const struct change_tally *tally)
{
    const struct report_extra extra[] = {
        {tally->absent, "not in it", "absent"},
        {tally->stuck, "not removable", "stuck"},
        {tally->full, "more than planned", "full"},
    };
    warn_when_full(args->operand[0], filter, tally);
    int status = report_changed(args,
                                &(struct report_written){args->operand[0], filter, tally->done, "key", " removed",
                                                         "removed", true, args_has(args, &option_refused)},
                                extra, 3);
    return status ? status : tally->absent || tally->stuck || tally->full ? EXIT_NONE : EXIT_FINE;
}

static const struct change removal = {
    .phase = "removing",
    .cannot = "cannot forget keys; build it again without them, or choose counting, deletable or tombstone",
    .list = &option_refused,
    .apply = remove_keys,
    .report = report,
};

static int run(const struct args *args)
{
    return change_run(args, &removal);
}

static const struct option *const options[] = {&option_refused, &option_key,      &option_key_file,
                                               KEYS_OPTIONS,    &option_format,   &option_quiet,
                                               &option_json,    &option_progress, NULL};

static const struct example examples[] = {
    {"ultrafilter remove members.uf left.txt", "Takes the lines of a file out again."},
    {"ultrafilter remove -q members.uf -e alice || echo 'not removed'", "One key; the exit status tells."},
    {"ultrafilter remove --refused members.uf left.txt > still-in.txt", "Keeps those that were not taken out."},
    {NULL, NULL},
};

const struct command command_remove = {
    .name = "remove",
    .synopsis = "F.uf [options] [KEYS ...|-]",
    .summary = "take keys out of a filter",
    .description =
        "Takes keys, one a line, from the files KEYS or from standard input, out of a filter of a kind that can forget "
        "them: counting, deletable or tombstone. F.uf is replaced once all of them are done; processes that change it "
        "at the same time take turns.\n\n"
        "A key that is certainly not in the filter is refused, and so is one that cannot be taken out any more: a "
        "deletable filter has some, and a tombstone filter that refuses (full=refuse, as keyed ones do) takes no more "
        "removals than planned. It is still found afterwards. --refused prints both sorts, in their order, once the "
        "file is saved.\n\n"
        "Remove only keys that were inserted, and only as often. A key that was removed before, or never inserted, can "
        "be taken for a member; removing it from a counting or deletable filter hides members. So do not remove what "
        "strangers ask for merely because the filter has it. A tombstone filter with a key bears it.\n\n"
        "A key that was inserted twice and is removed once is still in a counting filter, is stuck in a deletable one, "
        "and is gone from a tombstone filter, for good.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when every key was removed, 1 when some were refused, 2 on an error. An error leaves the file "
                   "unchanged.",
    .least = 1,
    .most = (size_t)-1,
    .in_place = true,
    .run = run,
};
