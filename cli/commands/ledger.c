/* SPDX-License-Identifier: MIT */
/* ledger: what was released of each data set, what that spent, and what is left. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "report.h"
#include "shared.h"

/* The entries, oldest first; then by data set, in the order of their first releases. */
struct item {
    uf_ledger_entry entry;
    size_t at, first; /* its place, and that of the first release of its data set */
};

struct entries {
    struct item *item; /* owned */
    size_t count, capacity;
};

static int collect(void *arg, const uf_ledger_entry *entry)
{
    struct entries *entries = arg;
    if (entries->count == entries->capacity) {
        size_t capacity = 2 * entries->capacity + 16;
        struct item *grown = realloc(entries->item, capacity * sizeof *grown);
        if (!grown)
            return 1;
        entries->item = grown;
        entries->capacity = capacity;
    }
    entries->item[entries->count] = (struct item){*entry, entries->count, entries->count};
    entries->count++;
    return 0;
}

/* ---- one data set after the other ---- */

static int compare(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int by_name(const void *one, const void *other)
{
    const struct item *a = one, *b = other;
    int order = strcmp(a->entry.data_set, b->entry.data_set);
    return order ? order : compare(a->at, b->at);
}

static int by_first(const void *one, const void *other)
{
    const struct item *a = one, *b = other;
    int order = compare(a->first, b->first);
    return order ? order : compare(a->at, b->at);
}

static void group(struct entries *entries)
{
    if (!entries->count)
        return;
    qsort(entries->item, entries->count, sizeof *entries->item, by_name);
    for (size_t i = 1; i < entries->count; i++)
        if (!strcmp(entries->item[i].entry.data_set, entries->item[i - 1].entry.data_set))
            entries->item[i].first = entries->item[i - 1].first;
    qsort(entries->item, entries->count, sizeof *entries->item, by_first);
}

/* How many releases the data set has whose first one this is. The last of them tells where it stands now. */
static size_t count_releases(const struct entries *entries, size_t first)
{
    size_t end = first + 1;
    while (end < entries->count && entries->item[end].first == entries->item[first].first)
        end++;
    return end - first;
}

/* ---- for people ---- */

/* A name that may have anything in it, for a terminal. */
static void print_name(const char *name)
{
    for (; *name; name++)
        (void)putchar((unsigned char)*name < ' ' || *name == 127 ? '?' : *name);
}

static void print_release(const uf_ledger_entry *entry)
{
    (void)printf("  %-20s  %-10.6g  %-8.3g  %-9s  %-32s  %s", entry->date[0] ? entry->date : "-", entry->epsilon,
                 entry->delta, entry->mechanism, entry->id, entry->label[0] ? entry->label : "-");
    if (entry->file[0])
        (void)printf("  ");
    print_name(entry->file);
    (void)printf("\n");
}

static void print_set(const struct item *item, size_t count)
{
    const uf_ledger_entry *now = &item[count - 1].entry;
    (void)printf("%s  %.6g spent of %.6g by %llu release%s, %.6g left; deltas add up to %.3g\n", now->data_set,
                 now->spent, now->budget, (unsigned long long)now->releases, now->releases == 1 ? "" : "s", now->left,
                 now->delta_sum);
    (void)printf("  %-20s  %-10s  %-8s  %-9s  %-32s  %s\n", "date", "epsilon", "delta", "mechanism", "id",
                 "label, file");
    for (size_t i = 0; i < count; i++)
        print_release(&item[i].entry);
}

static int print_human(const struct entries *entries)
{
    if (!entries->count)
        (void)printf("no releases yet\n");
    for (size_t i = 0, count; i < entries->count; i += count) {
        count = count_releases(entries, i);
        print_set(entries->item + i, count);
    }
    return EXIT_FINE;
}

/* ---- as JSON ---- */

static json_t *text_or_null(const char *text)
{
    return text[0] ? report_text(text) : json_null();
}

static json_t *release_object(const uf_ledger_entry *entry)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "date", text_or_null(entry->date), "epsilon",
                     report_number(entry->epsilon), "delta", report_number(entry->delta), "mechanism",
                     report_text(entry->mechanism), "id", report_text(entry->id), "label", text_or_null(entry->label),
                     "file", text_or_null(entry->file));
}

static json_t *set_object(const struct item *item, size_t count)
{
    const uf_ledger_entry *now = &item[count - 1].entry;
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++)
        (void)json_array_append_new(list, release_object(&item[i].entry));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "data_set", report_text(now->data_set), "budget",
                     report_number(now->budget), "spent", report_number(now->spent), "left", report_number(now->left),
                     "delta", report_number(now->delta_sum), "releases", list);
}

static int print_object(const char *path, const struct entries *entries)
{
    json_t *sets = json_array();
    for (size_t i = 0, count; sets && i < entries->count; i += count) {
        count = count_releases(entries, i);
        (void)json_array_append_new(sets, set_object(entries->item + i, count));
    }
    return report_json(json_pack("{s:o, s:o}", "file", report_text(path), "data_sets", sets));
}

/* ---- the command ---- */

static int run(const struct args *args)
{
    const char *path = args->operand[0];
    struct entries entries = {0};
    uf_error why;
    int status = uf_ledger_read(path, collect, &entries, &why);
    group(&entries);
    if (status == UF_ECANCELED)
        status = print_error("out of memory");
    else if (status != UF_OK)
        status = print_error("%s", why.text);
    else
        status = args_has(args, &option_json) ? print_object(path, &entries) : print_human(&entries);
    free(entries.item);
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
        "what is left; and for each release its date in UTC, its epsilon and delta, its mechanism, its id, which "
        "'info' "
        "shows of a file, its label and the name of the file.\n\n"
        "A ledger is made and charged by 'publish --ledger'. It never forgets: to change a budget, keep the old ledger "
        "as a record and start a new one.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the file is a valid ledger, 2 when it is not.",
    .least = 1,
    .most = 1,
    .run = run,
};
