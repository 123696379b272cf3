/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

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
    if (!object)
        return print_error("out of memory");
    int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) || putchar('\n') == EOF;
    json_decref(object);
    return failed ? print_error("cannot write to standard output: %s", strerror(errno)) : EXIT_FINE;
}

json_t *report_claim(const uf_claim *claim)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:s}", "epsilon", report_number(claim->epsilon),
                     "delta", report_number(claim->delta), "fpr", report_number(claim->fpr), "adversarial_fpr",
                     report_number(claim->adversarial_fpr), "unscored_fpr", report_number(claim->unscored_fpr), "fnr",
                     report_number(claim->fnr), "unit", claim->unit, "adversary", claim->adversary, "not_protected",
                     claim->not_protected, "proof", claim->proof);
}

int report_close(void)
{
    int failed = ferror(stdout);
    errno = 0;
    if (fclose(stdout) || failed)
        return print_error("cannot write to standard output: %s", errno ? strerror(errno) : "it failed");
    return EXIT_FINE;
}
