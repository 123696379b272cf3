/* SPDX-License-Identifier: MIT */
/* ledger: what was released of each data set, what that spent, and what is left. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "report.h"
#include "shared.h"

/* The entries as they come, oldest first. */
struct entries {
    uf_ledger_entry *entry; /* owned */
    size_t count, capacity;
};

static int collect(void *arg, const uf_ledger_entry *entry)
{
    struct entries *entries = arg;
    if (entries->count == entries->capacity) {
        size_t capacity = 2 * entries->capacity + 16;
        uf_ledger_entry *grown = realloc(entries->entry, capacity * sizeof *grown);
        if (!grown)
            return 1;
        entries->entry = grown;
        entries->capacity = capacity;
    }
    entries->entry[entries->count++] = *entry;
    return 0;
}

static int same_set(const uf_ledger_entry *a, const uf_ledger_entry *b)
{
    return !strcmp(a->data_set, b->data_set);
}

/* The first release of a data set is where its list is printed. */
static int is_first(const uf_ledger_entry *entry)
{
    return entry->releases == 1;
}

/* The last release of the same data set: its `after` is where the data set stands now. */
static const uf_ledger_entry *last_of(const struct entries *entries, const uf_ledger_entry *entry)
{
    const uf_ledger_entry *last = entry;
    for (const uf_ledger_entry *at = entry; at < entries->entry + entries->count; at++)
        if (same_set(at, entry))
            last = at;
    return last;
}

static void print_set(const struct entries *entries, const uf_ledger_entry *first)
{
    const uf_ledger_entry *now = last_of(entries, first);
    (void)printf("%s  %.6g spent of %.6g by %llu release%s, %.6g left\n", first->data_set, now->spent, now->budget,
                 (unsigned long long)now->releases, now->releases == 1 ? "" : "s", now->left);
    for (const uf_ledger_entry *at = first; at < entries->entry + entries->count; at++)
        if (same_set(at, first))
            (void)printf("  %-10.6g  %-10s  %s\n", at->epsilon, at->mechanism, at->id);
}

static json_t *releases_of(const struct entries *entries, const uf_ledger_entry *first)
{
    json_t *list = json_array();
    for (const uf_ledger_entry *at = first; list && at < entries->entry + entries->count; at++)
        if (same_set(at, first))
            (void)json_array_append_new(list,
                                        json_pack("{s:o, s:o, s:o}", "epsilon", report_number(at->epsilon), "mechanism",
                                                  report_text(at->mechanism), "id", report_text(at->id)));
    return list;
}

static json_t *set_object(const struct entries *entries, const uf_ledger_entry *first)
{
    const uf_ledger_entry *now = last_of(entries, first);
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "data_set", report_text(first->data_set), "budget",
                     report_number(now->budget), "spent", report_number(now->spent), "left", report_number(now->left),
                     "releases", releases_of(entries, first));
}

static int print_object(const char *path, const struct entries *entries)
{
    json_t *sets = json_array();
    for (size_t i = 0; sets && i < entries->count; i++)
        if (is_first(&entries->entry[i]))
            (void)json_array_append_new(sets, set_object(entries, &entries->entry[i]));
    return report_json(json_pack("{s:o, s:o}", "file", report_text(path), "data_sets", sets));
}

static int print_human(const struct entries *entries)
{
    if (!entries->count)
        (void)printf("no releases yet\n");
    for (size_t i = 0; i < entries->count; i++)
        if (is_first(&entries->entry[i]))
            print_set(entries, &entries->entry[i]);
    return EXIT_FINE;
}

static int run(const struct args *args)
{
    const char *path = args->operand[0];
    struct entries entries = {0};
    uf_error why;
    int status = uf_ledger_read(path, collect, &entries, &why);
    if (status == UF_ECANCELED)
        status = print_error("out of memory");
    else if (status != UF_OK)
        status = print_error("%s", why.text);
    else
        status = args_has(args, &option_json) ? print_object(path, &entries) : print_human(&entries);
    free(entries.entry);
    return status;
}

static const struct option *const options[] = {&option_json, NULL};

static const struct example examples[] = {
    {"ultrafilter ledger releases.ufl", "What was released, and what is left of each budget."},
    {"ultrafilter ledger --json releases.ufl | jq '.data_sets[].left'", "For a script."},
    {NULL, NULL},
};

const struct command command_ledger = {
    .name = "ledger",
    .synopsis = "L.ufl [options]",
    .summary = "show what releases have spent of a privacy budget",
    .description =
        "Checks the ledger whole, then prints each data set with its budget, what its releases have spent of it and "
        "what is left; and for each release its epsilon, its mechanism and its id.\n\n"
        "A ledger is made and charged by 'publish --ledger'. It never forgets: to change a budget, keep the old ledger "
        "as a record and start a new one.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the file is a valid ledger, 2 when it is not.",
    .least = 1,
    .most = 1,
    .run = run,
};
