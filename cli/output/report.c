/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

/* Lists and objects that lack what there was no memory for look whole: whatever jansson was refused is remembered. */
static bool out_of_memory;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        out_of_memory = true;
    return memory;
}

void report_open(void)
{
    json_set_alloc_funcs(allocate, free);
}

json_t *report_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *report_text(const char *text)
{
    json_t *string = json_string(text);
    char *copy = string ? NULL : strdup(text);
    if (!copy)
        return string;
    for (char *at = copy; *at; at++)
        if (*at & 0x80)
            *at = '?';
    string = json_string(copy);
    free(copy);
    return string;
}

int report_json(json_t *object)
{
    if (!object || out_of_memory) {
        json_decref(object);
        return print_error("out of memory");
    }
    int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) || putchar('\n') == EOF;
    json_decref(object);
    return failed ? print_error("cannot write to standard output: %s", strerror(errno)) : EXIT_FINE;
}

/* The names of enum uf_against. */
static json_t *against_list(unsigned against)
{
    static const char *const names[] = {"queries", "inserts", "own_removals", "any_removals"};
    json_t *list = json_array();
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (against & 1u << i)
            (void)json_array_append_new(list, json_string(names[i]));
    return list;
}

json_t *report_claim(const uf_claim *claim)
{
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:s}", "epsilon",
        report_number(claim->epsilon), "delta", report_number(claim->delta), "fpr", report_number(claim->fpr),
        "adversarial_fpr", report_number(claim->adversarial_fpr), "unscored_fpr", report_number(claim->unscored_fpr),
        "fpr_against", against_list(claim->fpr_against), "fnr", report_number(claim->fnr), "fnr_against",
        against_list(claim->fnr_against), "adversarial_fnr", report_number(claim->adversarial_fnr), "removed_fpr",
        report_number(claim->removed_fpr), "unit", claim->unit, "adversary", claim->adversary, "not_protected",
        claim->not_protected, "proof", claim->proof);
    if (object && claim->rests_on[0] && json_object_set_new(object, "rests_on", json_string(claim->rests_on))) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

int report_write(const char *data, size_t size)
{
    while (size) {
        ssize_t done = write(STDOUT_FILENO, data, size);
        if (done < 0 && errno != EINTR)
            return print_error("cannot write to standard output: %s", strerror(errno));
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        }
    }
    return EXIT_FINE;
}

static int flush_error; /* why report_flush failed */

bool report_flush(void)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout))
        return true;
    flush_error = errno;
    return false;
}

int report_close(void)
{
    int failed = ferror(stdout);
    errno = 0;
    if (!fclose(stdout) && !failed)
        return EXIT_FINE;
    const int code = flush_error ? flush_error : errno;
    return print_error("cannot write to standard output: %s", code ? strerror(code) : "it failed");
}
