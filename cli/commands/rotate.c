/* SPDX-License-Identifier: MIT */
/* rotate: drops the oldest generation of a filter whose keys expire, in place. */
#include "commands.h"

#include <math.h>

#include "change.h"
#include "message.h"
#include "shared.h"
#include "store.h"
#include "written.h"

/* By the bits: keys in all generations, and in the one that goes. */
struct counts {
    double left, expired;
};

static int count(const char *path, const uf_filter *filter, struct counts *out)
{
    uf_generation generation[UF_MOST_GENERATIONS];
    uf_info info;
    if (uf_get_generations(filter, generation, sizeof generation[0], UF_MOST_GENERATIONS) != UF_OK)
        return print_error("%s: has no generations to rotate: build one with --window", path);
    uf_get_info(filter, &info, sizeof info);
    out->expired = generation[info.generations - 1].count_estimate;
    out->left = info.count_estimate - out->expired;
    return EXIT_FINE;
}

static int rotate(const char *path, uf_filter *filter, unsigned format)
{
    uf_error why;
    if (uf_rotate(filter, &why) != UF_OK)
        return print_error("%s: %s", path, why.text);
    return store_save(filter, path, format);
}

static int report(const struct args *args, const uf_filter *filter, const struct counts *counts)
{
    const struct report_extra extra = {(uint64_t)llround(counts->expired), "expired", "expired"};
    return report_changed(args,
                          &(struct report_written){args->operand[0], filter, (uint64_t)llround(counts->left), "key",
                                                   " left (estimated)", "left", true, false},
                          &extra, 1);
}

static int run(const struct args *args)
{
    const char *path = args->operand[0];
    struct counts counts;
    uf_filter *filter = NULL;
    unsigned format;
    if (change_load(args, &filter, &format))
        return EXIT_ERROR;
    int status = count(path, filter, &counts);
    if (!status)
        status = rotate(path, filter, format);
    if (!status)
        status = report(args, filter, &counts);
    uf_free(filter);
    return status;
}

static const struct option *const options[] = {&option_key_file, &option_quiet, &option_json, &option_progress, NULL};

static const struct example examples[] = {
    {"ultrafilter build --window 7 -n 1e6 -p 0.001 -o seen.uf today.txt", "A week of a million keys a day."},
    {"ultrafilter rotate seen.uf", "Every midnight: what was last inserted a week ago is gone."},
    {NULL, NULL},
};

const struct command command_rotate = {
    .name = "rotate",
    .synopsis = "F.uf [options]",
    .summary = "drop the oldest keys of a filter that was built with a window",
    .description =
        "A filter that was built with --window G has G generations of keys. 'insert' fills the newest, and 'query' "
        "asks "
        "all of them. This drops the oldest, with all keys that are in no other, and starts an empty one, so that a "
        "key "
        "is found for as long as it takes to rotate G times after it was inserted last. A key that is inserted again "
        "lives on.\n\n"
        "How many keys are left, and how many went, is estimated from the bits; a key counts in each generation that "
        "has "
        "it. Processes that change one file at the same time take turns.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the filter was written, 2 on an error. An error leaves the file unchanged.",
    .least = 1,
    .most = 1,
    .in_place = true,
    .run = run,
};
