/* SPDX-License-Identifier: MIT */
#include "papers.h"

#include <stdio.h>
#include <string.h>

#define ITEM(experiment, number, what, ours, paper, verdict, command, table) \
    {experiment, number, what, ours, paper, verdict, command, table},
static const struct paper_item items[] = {
#include "papers.def"
};
#undef ITEM

enum { ITEMS = sizeof items / sizeof items[0] };
_Static_assert((int)ITEMS <= (int)PAPER_MOST_ITEMS, "struct papers has too few places");

const struct paper_item *paper_item(size_t index)
{
    return index < ITEMS ? &items[index] : NULL;
}

const char *paper_verdict_name(enum paper_verdict verdict)
{
    static const char *const names[] = {"defined", "holds", "reproduced", "corrected", "wrong", "differs"};
    return names[verdict];
}

static void count(const struct table *table, size_t *checked, size_t *failed)
{
    const struct report one = {.table = (struct table *)table, .tables = 1};
    const struct report_summary summary = report_compare(&one);
    *checked += summary.checked;
    *failed += summary.failed;
}

void papers_note(struct papers *papers, const char *experiment, const struct report *report)
{
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t t = 0; items[i].table && t < report->tables; t++)
            if (!strcmp(items[i].experiment, experiment) && !strcmp(items[i].table, report->table[t].name))
                count(&report->table[t], &papers->checked[i], &papers->failed[i]);
}

enum paper_verdict papers_verdict(const struct papers *papers, size_t index)
{
    return papers->failed[index] ? DIFFERS : items[index].verdict;
}

void papers_ours(const struct papers *papers, size_t index, char out[PAPER_TEXT])
{
    const size_t checked = papers->checked[index];
    if (checked)
        (void)snprintf(out, PAPER_TEXT, "%s; %zu of %zu numbers agree", items[index].ours,
                       checked - papers->failed[index], checked);
    else
        (void)snprintf(out, PAPER_TEXT, "%s", items[index].ours);
}
