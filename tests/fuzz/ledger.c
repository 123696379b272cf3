/* SPDX-License-Identifier: MIT */
/*
 * Ledgers. The input: u8 of flags · the text up to its last line. The last line, with the number of lines and the
 * checksum, is added where flag 1 is not set. What is read can be added to and read again.
 */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "ledger_text.h"

enum { MOST_TEXT = 1 << 16, LAST_LINE = 64 };

static int open_ledger(const char *text, size_t bytes, struct ledger *out, uf_error *why)
{
    fuzz_check(ledger_start(out, bytes, why) == UF_OK);
    memcpy(out->text, text, bytes);
    int status = ledger_parse(out, why);
    if (status != UF_OK)
        ledger_free(out);
    return status;
}

static int visit(void *arg, const uf_ledger_entry *entry)
{
    size_t *count = arg;
    ++*count;
    fuzz_check(entry->epsilon > 0 && entry->delta >= 0 && entry->spent <= entry->budget && entry->left >= 0);
    fuzz_check(entry->data_set[0] && entry->mechanism[0] && entry->id[0]);
    fuzz_plant(entry->delta > 0.5, entry->epsilon < 0.1);
    return 0;
}

/* One more release, and the whole is read again. */
static void add(struct ledger *ledger, size_t count)
{
    static char text[MOST_TEXT + 4096];
    uf_ledger_entry entry = {.size = sizeof entry,
                             .data_set = "another",
                             .mechanism = "dpset",
                             .id = "0123456789abcdef",
                             .epsilon = 0.5,
                             .date = "2026-11-15T17:22:14Z",
                             .file = "a file%"};
    struct ledger again;
    size_t bytes, counted = 0;
    const struct data_set *set = ledger_find(ledger, entry.data_set);
    if (set && set->state.left < entry.epsilon)
        return;
    fuzz_check(ledger_add(ledger, &entry, 1, NULL) == UF_OK);
    bytes = ledger->bytes;
    memcpy(text, ledger->text, bytes);
    fuzz_check(open_ledger(text, bytes, &again, NULL) == UF_OK);
    fuzz_check(!ledger_walk(&again, visit, &counted) && counted == count + 1);
    ledger_free(&again);
}

int fuzz_ledger(const uint8_t *data, size_t size)
{
    static char text[MOST_TEXT + LAST_LINE];
    struct tape tape = {data, size};
    const unsigned flags = tape_byte(&tape);
    const uint8_t *given;
    struct ledger ledger;
    uf_error why = {0, 0, ""};
    size_t bytes = tape_take(&tape, MOST_TEXT, &given), lines = 0, count = 0;
    memcpy(text, given, bytes);
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    if (!(flags & 1))
        bytes += (size_t)snprintf(text + bytes, LAST_LINE, "end %zu %016llx\n", lines,
                                  (unsigned long long)checksum(text, bytes, lines));
    int status = open_ledger(text, bytes, &ledger, &why);
    fuzz_check(why.status == status && (status == UF_OK) == !why.text[0]);
    if (status != UF_OK)
        return 0;
    fuzz_check(!ledger_walk(&ledger, visit, &count));
    if (flags & 2)
        add(&ledger, count);
    ledger_free(&ledger);
    return 0;
}
