/* SPDX-License-Identifier: MIT */
#include "ledger_line.h"

#include <stdio.h>
#include <string.h>

#include "count.h"
#include "date.h"
#include "name.h"
#include "number.h"

enum { OLD_FIELDS = 5, MOST_FIELDS = 9, NUMBER = 32 };

/* ---- names of files ---- */

static int is_plain(unsigned char byte)
{
    return byte > ' ' && byte != '%' && byte != 127;
}

static void encode(const char *name, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    char *at = out;
    for (; *name; name++) {
        const unsigned char byte = (unsigned char)*name;
        if (is_plain(byte)) {
            *at++ = *name;
            continue;
        }
        *at++ = '%';
        *at++ = digits[byte >> 4];
        *at++ = digits[byte & 15];
    }
    *at = 0;
}

static int digit_of(char digit)
{
    return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* 0 when the text is no encoded name, or not in the one way that `encode` writes it. */
static int decode(const char *text, char *out, size_t capacity)
{
    size_t used = 0;
    for (; *text && used + 1 < capacity; used++) {
        if (is_plain((unsigned char)*text)) {
            out[used] = *text++;
            continue;
        }
        const int high = *text == '%' ? digit_of(text[1]) : -1, low = high >= 0 ? digit_of(text[2]) : -1;
        if (low < 0 || !(high | low) || is_plain((unsigned char)(16 * high + low)))
            return 0;
        out[used] = (char)(16 * high + low);
        text += 3;
    }
    out[used] = 0;
    return used && !*text;
}

/* ---- reading ---- */

/* Cuts a line into its fields at single spaces. Returns how many there are, more than MOST_FIELDS when there are too
 * many. */
static unsigned split(char *line, char *field[MOST_FIELDS])
{
    unsigned fields = 0;
    for (char *next = line; next && fields <= MOST_FIELDS; fields++) {
        char *at = next;
        next = strchr(at, ' ');
        if (next)
            *next++ = 0;
        if (fields < MOST_FIELDS)
            field[fields] = at;
    }
    return fields;
}

static int take_name(const char *text, char *out, size_t capacity)
{
    if (!name_fits(text, capacity))
        return 0;
    strcpy(out, text);
    return 1;
}

/* What stands behind "name=" in the next field, if that is what it has. */
static const char *value_of(const char *name, char *const *field, unsigned *at, unsigned fields)
{
    size_t length = strlen(name);
    if (*at >= fields || strncmp(field[*at], name, length) != 0)
        return NULL;
    return field[(*at)++] + length;
}

static int read_rest(char *const *field, unsigned fields, uf_ledger_entry *out)
{
    unsigned at = OLD_FIELDS;
    const char *delta = value_of("delta=", field, &at, fields), *date = value_of("date=", field, &at, fields);
    const char *label = value_of("label=", field, &at, fields), *file = value_of("file=", field, &at, fields);
    if (!delta || !date || at != fields || !date_fits(date))
        return 0;
    strcpy(out->date, date);
    return number_parse(delta, &out->delta) && out->delta >= 0 &&
           (!label || take_name(label, out->label, sizeof out->label)) &&
           (!file || decode(file, out->file, sizeof out->file));
}

static int read_release(char *const *field, unsigned fields, int version, uf_ledger_entry *out)
{
    *out = (uf_ledger_entry){.size = sizeof *out, .delta = COUNT_SHORT};
    return take_name(field[1], out->data_set, sizeof out->data_set) && number_parse(field[2], &out->epsilon) &&
           out->epsilon > 0 && take_name(field[3], out->mechanism, sizeof out->mechanism) &&
           take_name(field[4], out->id, sizeof out->id) &&
           (fields == OLD_FIELDS || (version > 1 && read_rest(field, fields, out)));
}

enum ledger_line ledger_line_read(char *line, int version, uf_ledger_entry *out)
{
    char *field[MOST_FIELDS];
    unsigned fields = split(line, field);
    if (fields == 3 && !strcmp(field[0], "budget"))
        return take_name(field[1], out->data_set, sizeof out->data_set) && number_parse(field[2], &out->budget) &&
                       out->budget > 0
                   ? LINE_BUDGET
                   : LINE_BAD;
    if (fields >= OLD_FIELDS && fields <= MOST_FIELDS && !strcmp(field[0], "release"))
        return read_release(field, fields, version, out) ? LINE_RELEASE : LINE_BAD;
    return LINE_BAD;
}

/* ---- writing ---- */

size_t ledger_line_budget(const uf_ledger_entry *entry, double budget, char out[LEDGER_LINE])
{
    char number[NUMBER];
    number_format(budget, number, sizeof number);
    return (size_t)snprintf(out, LEDGER_LINE, "budget %s %s\n", entry->data_set, number);
}

size_t ledger_line_release(const uf_ledger_entry *entry, char out[LEDGER_LINE])
{
    char epsilon[NUMBER], delta[NUMBER], file[3 * sizeof entry->file];
    number_format(entry->epsilon, epsilon, sizeof epsilon);
    number_format(entry->delta, delta, sizeof delta);
    encode(entry->file, file);
    return (size_t)snprintf(out, LEDGER_LINE, "release %s %s %s %s delta=%s date=%s%s%s%s%s\n", entry->data_set,
                            epsilon, entry->mechanism, entry->id, delta, entry->date, entry->label[0] ? " label=" : "",
                            entry->label, file[0] ? " file=" : "", file);
}
