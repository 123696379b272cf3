/* SPDX-License-Identifier: MIT */
/* Failures to write are seen when the files are closed. */
#include "record.h"

#include <inttypes.h>

#include "message.h"
#include "output.h"

int record_open(struct record *record, const char *lines, const char *served, const struct packets *packets)
{
    *record = (struct record){.lines_path = lines, .served_path = served};
    if (lines && !(record->lines = output_open(lines)))
        return EXIT_ERROR;
    if (served && !(record->served = output_open(served)))
        return EXIT_ERROR;
    return served ? packets_write_header(packets, record->served, served) : EXIT_FINE;
}

void record_judged(struct record *record, const struct packets *packets, const struct packet *packet,
                   const struct judged *judged)
{
    record->number++;
    if (record->served && judged->served == SERVED)
        packets_write(packets, packet, record->served);
    if (!record->lines)
        return;
    const struct address_text source = address_print(&packet->source);
    if (judged->served == SERVED)
        (void)fprintf(record->lines, "%" PRIu64 " served %s %u\n", record->number, source.text, judged->strikes);
    else
        (void)fprintf(record->lines, "%" PRIu64 " refused %s bad\n", record->number, source.text);
}

void record_skipped(struct record *record, enum decoded why)
{
    static const char *const reasons[] = {
        [DECODED_OTHER] = "not-ip", [DECODED_MALFORMED] = "malformed", [DECODED_CUT] = "cut"};
    record->number++;
    if (record->lines)
        (void)fprintf(record->lines, "%" PRIu64 " skipped - %s\n", record->number, reasons[why]);
}

void record_flush(const struct record *record)
{
    if (record->lines)
        (void)fflush(record->lines);
    if (record->served)
        (void)fflush(record->served);
}

/* Both are closed, whatever becomes of the first. */
int record_close(struct record *record)
{
    int status = EXIT_FINE;
    if (record->lines && output_close(record->lines, record->lines_path))
        status = EXIT_ERROR;
    if (record->served && output_close(record->served, record->served_path))
        status = EXIT_ERROR;
    record->lines = record->served = NULL;
    return status;
}
