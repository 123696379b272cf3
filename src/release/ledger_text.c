/* SPDX-License-Identifier: MIT */
#include "ledger_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "number.h"
#include "rounding.h"
#include "status.h"

#define LEDGER_NAME "ultrafilter-ledger-"
#define FIRST_LINE LEDGER_NAME "1\n"

enum {
    LINE_CAPACITY = 256, /* of the longest line: names of 63, 23 and 32 bytes, a number of 24 */
    FIELDS = 5,
    EDGES = 64 /* first and last line */
};

/* ---- room ---- */

int ledger_start(struct ledger *ledger, size_t bytes, uf_error *why)
{
    *ledger = (struct ledger){.bytes = bytes, .capacity = bytes + EDGES + 2 * LINE_CAPACITY};
    ledger->sets_capacity = bytes / sizeof "budget x 1" + 1; /* each has at least such a line */
    ledger->text = mem_alloc(&ledger->mem, ledger->capacity, 1);
    ledger->set = mem_alloc_dirty(&ledger->mem, ledger->sets_capacity, sizeof *ledger->set);
    if (ledger->text && ledger->set)
        return UF_OK;
    ledger_free(ledger);
    return fail(why, UF_ENOMEM, "no memory for a ledger of %zu bytes", bytes);
}

void ledger_free(struct ledger *ledger)
{
    mem_free(&ledger->mem, ledger->text, ledger->capacity, 1);
    mem_free(&ledger->mem, ledger->set, ledger->sets_capacity, sizeof *ledger->set);
    *ledger = (struct ledger){0};
}

/* ---- lines ---- */

int ledger_name_fits(const char *text, size_t capacity)
{
    size_t length = strlen(text);
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 127)
            return 0;
    return length && length < capacity;
}

/* What a line says. `release` and its fields point into the line. */
struct record {
    int release; /* 0: a budget */
    const char *data_set, *mechanism, *id;
    double number;
};

/* Cuts a line into its fields at single spaces. Returns how many there are, more than FIELDS when there are too many.
 */
static unsigned split(char *line, char *field[FIELDS])
{
    unsigned fields = 0;
    for (char *next = line; next; fields++) {
        char *at = next;
        next = strchr(at, ' ');
        if (next)
            *next++ = 0;
        if (fields < FIELDS)
            field[fields] = at;
    }
    return fields;
}

static int read_record(char *line, struct record *out)
{
    char *field[FIELDS];
    const uf_ledger_entry *entry = NULL;
    unsigned fields = split(line, field);
    if (fields == 3 && !strcmp(field[0], "budget"))
        *out = (struct record){0, field[1], "-", "-", 0};
    else if (fields == FIELDS && !strcmp(field[0], "release"))
        *out = (struct record){1, field[1], field[3], field[4], 0};
    else
        return 0;
    return ledger_name_fits(out->data_set, sizeof entry->data_set) &&
           ledger_name_fits(out->mechanism, sizeof entry->mechanism) && ledger_name_fits(out->id, sizeof entry->id) &&
           number_parse(field[2], &out->number) && out->number > 0;
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
    if (memcmp(ledger->text, FIRST_LINE, first) != 0)
        return fail(why, UF_EFORMAT, "is a ledger of another version than 1, or its line ends were changed");
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

struct data_set *ledger_find(const struct ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->sets; i++)
        if (!strcmp(ledger->set[i].name, name))
            return &ledger->set[i];
    return NULL;
}

static struct data_set *add_set(struct ledger *ledger, const char *name, double budget)
{
    struct data_set *set = &ledger->set[ledger->sets++];
    *set = (struct data_set){.state = {.budget = budget, .left = budget}};
    strcpy(set->name, name); /* its length was checked */
    return set;
}

static void spend(struct data_set *set, double epsilon)
{
    uf_ledger_state *state = &set->state;
    state->spent = sum_up(state->spent, epsilon);
    state->left = rest_down(state->budget, state->spent);
    state->charged = epsilon;
    state->releases++;
}

/* 0 when the line contradicts those before it. */
static int take_record(struct ledger *ledger, const struct record *record, uf_ledger_entry *entry)
{
    struct data_set *set = ledger_find(ledger, record->data_set);
    if (!record->release)
        return !set && add_set(ledger, record->data_set, record->number);
    if (!set)
        return 0;
    spend(set, record->number);
    *entry = (uf_ledger_entry){.epsilon = record->number, .after = set->state};
    strcpy(entry->data_set, record->data_set); /* their lengths were checked */
    strcpy(entry->mechanism, record->mechanism);
    strcpy(entry->id, record->id);
    return set->state.spent <= set->state.budget;
}

/* ---- the whole ---- */

/* One line, without its newline, as a string; 0 when it is too long or has a NUL in it. */
static int copy_line(const char *at, size_t length, char out[LINE_CAPACITY])
{
    if (length >= LINE_CAPACITY || memchr(at, 0, length))
        return 0;
    memcpy(out, at, length);
    out[length] = 0;
    return 1;
}

/* Returns what `each` returned, or UF_EFORMAT. *line is the number of the line, from 1. */
static int walk(struct ledger *ledger, ledger_each *each, void *arg, size_t *line)
{
    const char *at = ledger->text + sizeof FIRST_LINE - 1, *last = ledger->text + last_line(ledger);
    ledger->sets = 0;
    *line = 1;
    while (at < last) {
        char text[LINE_CAPACITY];
        struct record record;
        uf_ledger_entry entry;
        size_t length = (size_t)((const char *)memchr(at, '\n', (size_t)(last - at)) - at);
        ++*line;
        if (!copy_line(at, length, text) || !read_record(text, &record) || !take_record(ledger, &record, &entry))
            return UF_EFORMAT;
        int stop = record.release && each ? each(arg, &entry) : 0;
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

void ledger_clear(struct ledger *ledger)
{
    ledger->bytes = sizeof FIRST_LINE - 1;
    ledger->lines = 1;
    ledger->sets = 0;
    memcpy(ledger->text, FIRST_LINE, sizeof FIRST_LINE);
    append_end(ledger);
}

__attribute__((format(printf, 2, 3))) static void append_line(struct ledger *ledger, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    ledger->bytes += (size_t)vsnprintf(ledger->text + ledger->bytes, LINE_CAPACITY, format, values);
    va_end(values);
    ledger->lines++;
}

int ledger_add(struct ledger *ledger, const uf_ledger_entry *entry, double budget, uf_error *why)
{
    char number[32];
    struct data_set *set = ledger_find(ledger, entry->data_set);
    if (ledger->bytes + 2 * LINE_CAPACITY > LEDGER_MOST)
        return fail(why, UF_EFULL, "the ledger is full at %zu releases: start a new one for new data sets",
                    ledger->lines - 1 - ledger->sets);
    ledger->bytes = last_line(ledger);
    if (!set) {
        set = add_set(ledger, entry->data_set, budget);
        number_format(budget, number, sizeof number);
        append_line(ledger, "budget %s %s\n", entry->data_set, number);
    }
    spend(set, entry->epsilon);
    number_format(entry->epsilon, number, sizeof number);
    append_line(ledger, "release %s %s %s %s\n", entry->data_set, number, entry->mechanism, entry->id);
    append_end(ledger);
    return UF_OK;
}
