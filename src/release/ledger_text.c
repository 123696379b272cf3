/* SPDX-License-Identifier: MIT */
#include "ledger_text.h"

#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "ledger_line.h"
#include "rounding.h"
#include "status.h"

#define LEDGER_NAME "ultrafilter-ledger-"
#define FIRST_LINE LEDGER_NAME "2\n" /* of the version that is written; that of version 1 is as long */

enum {
    VERSION = 2,
    VERSION_AT = sizeof LEDGER_NAME - 1,
    EDGES = 64 /* first and last line */
};

/* ---- room ---- */

int ledger_start(struct ledger *ledger, size_t bytes, uf_error *why)
{
    *ledger = (struct ledger){.bytes = bytes, .capacity = bytes + EDGES + 2 * LEDGER_LINE};
    ledger->text = mem_alloc(&ledger->mem, ledger->capacity, 1);
    if (ledger->text)
        return UF_OK;
    ledger_free(ledger);
    return fail(why, UF_ENOMEM, "no memory for a ledger of %zu bytes", bytes);
}

static size_t count_budgets(const struct ledger *ledger)
{
    static const char begins[] = "\nbudget ";
    const char *at = ledger->text, *end = at + ledger->bytes;
    size_t budgets = 0;
    for (; (at = memmem(at, (size_t)(end - at), begins, sizeof begins - 1)); at++)
        budgets++;
    return budgets;
}

/* For the data sets of the text, and one more. */
static int start_sets(struct ledger *ledger, uf_error *why)
{
    const uint64_t seed = checksum(ledger->text, ledger->bytes, 0);
    return sets_start(&ledger->sets, &ledger->mem, count_budgets(ledger) + 1, seed)
               ? UF_OK
               : fail(why, UF_ENOMEM, "no memory for the data sets of a ledger of %zu bytes", ledger->bytes);
}

void ledger_free(struct ledger *ledger)
{
    mem_free(&ledger->mem, ledger->text, ledger->capacity, 1);
    sets_free(&ledger->sets, &ledger->mem);
    *ledger = (struct ledger){0};
}

/* ---- the last line ---- */

static int format_end(const struct ledger *ledger, size_t bytes, size_t lines, char out[EDGES])
{
    return snprintf(out, EDGES, "end %zu %016llx\n", lines, (unsigned long long)checksum(ledger->text, bytes, lines));
}

static void append_end(struct ledger *ledger)
{
    char end[EDGES];
    size_t length = (size_t)format_end(ledger, ledger->bytes, ledger->lines, end);
    memcpy(ledger->text + ledger->bytes, end, length + 1);
    ledger->bytes += length;
}

static size_t count_lines(const char *text, size_t bytes)
{
    size_t lines = 0;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Where the last line begins. The text ends with a newline. */
static size_t last_line(const struct ledger *ledger)
{
    const char *before = memrchr(ledger->text, '\n', ledger->bytes - 1);
    return before ? (size_t)(before - ledger->text) + 1 : 0;
}

/* First line, last line, checksum: nothing was cut, nothing altered. */
static int check_edges(struct ledger *ledger, uf_error *why)
{
    const size_t first = sizeof FIRST_LINE - 1, name = sizeof LEDGER_NAME - 1;
    char end[EDGES];
    if (!ledger->bytes)
        return fail(why, UF_EFORMAT, "is empty, and no ledger ever is: take the copy that was kept");
    if (ledger->bytes < first || memcmp(ledger->text, LEDGER_NAME, name) != 0)
        return fail(why, UF_EFORMAT, "is not a ledger");
    ledger->version = ledger->text[VERSION_AT] - '0';
    if (ledger->version < 1 || ledger->version > VERSION || ledger->text[VERSION_AT + 1] != '\n')
        return fail(why, UF_EFORMAT, "is a ledger of another version than 1 and %d, or its line ends were changed",
                    VERSION);
    if (ledger->text[ledger->bytes - 1] != '\n')
        return fail(why, UF_EFORMAT, "is a damaged ledger: its last line was cut; take the copy that was kept");
    size_t start = last_line(ledger);
    ledger->lines = count_lines(ledger->text, start);
    size_t length = (size_t)format_end(ledger, start, ledger->lines, end);
    if (length != ledger->bytes - start || memcmp(ledger->text + start, end, length) != 0)
        return fail(why, UF_EFORMAT,
                    "is a damaged ledger: the last line does not fit the %zu before it; take the copy that was kept",
                    ledger->lines);
    return UF_OK;
}

/* ---- data sets ---- */

struct data_set *ledger_find(struct ledger *ledger, const char *name)
{
    return sets_find(&ledger->sets, name, strlen(name));
}

static void spend(struct data_set *set, const uf_ledger_entry *entry)
{
    uf_ledger_state *state = &set->state;
    state->spent = sum_up(state->spent, entry->epsilon);
    state->left = rest_down(state->budget, state->spent);
    state->delta = sum_up(state->delta, entry->delta);
    state->charged = entry->epsilon;
    state->releases++;
}

/* 0 when the line contradicts those before it. `name` is where the text has the name of the data set. */
static int take_line(struct ledger *ledger, enum ledger_line line, const char *name, uf_ledger_entry *entry)
{
    const size_t length = strlen(entry->data_set);
    struct data_set *set = sets_find(&ledger->sets, name, length);
    if (line == LINE_BUDGET) {
        if (!set)
            (void)sets_add(&ledger->sets, name, length, entry->budget);
        return !set;
    }
    if (!set)
        return 0;
    spend(set, entry);
    entry->budget = set->state.budget;
    entry->spent = set->state.spent;
    entry->left = set->state.left;
    entry->releases = set->state.releases;
    entry->delta_sum = set->state.delta;
    return set->state.spent <= set->state.budget;
}

/* ---- the whole ---- */

/* One line, without its newline, as a string; 0 when it is too long or has a NUL in it. */
static int copy_line(const char *at, size_t length, char out[LEDGER_LINE])
{
    if (length >= LEDGER_LINE || memchr(at, 0, length))
        return 0;
    memcpy(out, at, length);
    out[length] = 0;
    return 1;
}

/* Returns what `each` returned, or UF_EFORMAT. *line is the number of the line, from 1. */
static int walk(struct ledger *ledger, ledger_each *each, void *arg, size_t *line)
{
    const char *at = ledger->text + sizeof FIRST_LINE - 1, *last = ledger->text + last_line(ledger);
    sets_clear(&ledger->sets);
    *line = 1;
    while (at < last) {
        char text[LEDGER_LINE];
        uf_ledger_entry entry;
        enum ledger_line kind = LINE_BAD;
        size_t length = (size_t)((const char *)memchr(at, '\n', (size_t)(last - at)) - at);
        ++*line;
        if (copy_line(at, length, text))
            kind = ledger_line_read(text, ledger->version, &entry);
        if (kind == LINE_BAD || !take_line(ledger, kind, at + strlen(text) + 1, &entry)) /* behind the first word */
            return UF_EFORMAT;
        int stop = kind == LINE_RELEASE && each ? each(arg, &entry) : 0;
        if (stop)
            return stop;
        at += length + 1;
    }
    return 0;
}

int ledger_parse(struct ledger *ledger, uf_error *why)
{
    size_t line;
    int status = check_edges(ledger, why);
    if (status == UF_OK)
        status = start_sets(ledger, why);
    if (status != UF_OK)
        return status;
    status = walk(ledger, NULL, NULL, &line);
    return status == UF_OK ? UF_OK : fail(why, status, "is a damaged ledger: line %zu makes no sense", line);
}

int ledger_walk(struct ledger *ledger, ledger_each *each, void *arg)
{
    size_t line;
    return walk(ledger, each, arg, &line);
}

int ledger_clear(struct ledger *ledger, uf_error *why)
{
    ledger->bytes = sizeof FIRST_LINE - 1;
    ledger->lines = 1;
    ledger->version = VERSION;
    memcpy(ledger->text, FIRST_LINE, sizeof FIRST_LINE);
    append_end(ledger);
    return start_sets(ledger, why);
}

/* Where the name of the data set is in the text. */
static const char *append_line(struct ledger *ledger, const char *line, size_t length)
{
    char *at = ledger->text + ledger->bytes;
    memcpy(at, line, length);
    ledger->bytes += length;
    ledger->lines++;
    return strchr(at, ' ') + 1;
}

int ledger_add(struct ledger *ledger, const uf_ledger_entry *entry, double budget, uf_error *why)
{
    char line[LEDGER_LINE];
    struct data_set *set = ledger_find(ledger, entry->data_set);
    if (ledger->bytes + 2 * LEDGER_LINE > LEDGER_MOST)
        return fail(why, UF_EFULL, "the ledger is full at %zu releases: start a new one for new data sets",
                    ledger->lines - 1 - ledger->sets.count);
    ledger->bytes = last_line(ledger);
    memcpy(ledger->text, FIRST_LINE, sizeof FIRST_LINE - 1); /* it may have been version 1 */
    ledger->version = VERSION;
    if (!set) {
        const char *name = append_line(ledger, line, ledger_line_budget(entry, budget, line));
        set = sets_add(&ledger->sets, name, strlen(entry->data_set), budget);
    }
    spend(set, entry);
    (void)append_line(ledger, line, ledger_line_release(entry, line));
    append_end(ledger);
    return UF_OK;
}
