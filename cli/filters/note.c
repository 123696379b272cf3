/* SPDX-License-Identifier: MIT */
#include "note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "message.h"

const struct option option_note_name = {0, "name", VALUE_TEXT, "NAME",
                                        "Put a name into the file, for whoever has it to see: up to 63 bytes."};
const struct option option_note_comment = {0, "comment", VALUE_TEXT, "TEXT",
                                           "Put a comment into the file: one line, up to 255 bytes."};
const struct option option_note_date = {
    0, "date", VALUE_TEXT, "DATE",
    "Put a date into the file: 2026-11-15, 2026-11-15T17:22:14Z, or the word now. Without it there is none."};

void note_date_text(uint64_t date, char out[NOTE_DATE_SIZE])
{
    const time_t moment = (time_t)date;
    struct tm parts;
    out[0] = 0;
    if (gmtime_r(&moment, &parts))
        (void)strftime(out, NOTE_DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* What was written must be what it is taken for: the 31st of February is none. */
static int parse_date(const char *text, uint64_t *out)
{
    static const char *const formats[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"};
    char again[NOTE_DATE_SIZE];
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct tm parts = {.tm_mday = 0};
        const char *end = strptime(text, formats[i], &parts);
        const time_t moment = end && !*end ? timegm(&parts) : 0;
        if (moment <= 0)
            continue;
        note_date_text((uint64_t)moment, again);
        *out = (uint64_t)moment;
        return !strncmp(again, text, strlen(text));
    }
    return 0;
}

static int read_date(const char *text, uint64_t *out)
{
    int64_t seconds;
    if (!strcmp(text, "now")) {
        int status = clock_read(&seconds);
        *out = (uint64_t)seconds;
        return status;
    }
    if (parse_date(text, out))
        return EXIT_FINE;
    return print_error("--date %s: is none; write it as 2026-11-15 or 2026-11-15T17:22:14Z, in UTC and after 1970, or "
                       "say now",
                       text);
}

int note_check(const struct args *args, unsigned format)
{
    static const struct option *const options[] = {NOTE_OPTIONS};
    uint64_t date;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (format == UF_FORMAT_DCSO && args_has(args, options[i]))
            return print_error("%s: DCSO's format has no place for it; write a .uf file",
                               args_label(args, options[i]).text);
    return args_has(args, &option_note_date) ? read_date(args_value(args, &option_note_date), &date) : EXIT_FINE;
}

int note_put(const struct args *args, uf_filter *filter)
{
    uf_note note = {.date = 0};
    uf_error why;
    (void)uf_get_note(filter, &note, sizeof note);
    const char *name = args_has(args, &option_note_name) ? args_value(args, &option_note_name) : note.name;
    const char *comment = args_has(args, &option_note_comment) ? args_value(args, &option_note_comment) : note.comment;
    if (args_has(args, &option_note_date))
        (void)read_date(args_value(args, &option_note_date), &note.date);
    if (uf_set_note(filter, name, comment, note.date, &why) != UF_OK)
        return print_error("%s", why.text);
    return EXIT_FINE;
}
