/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"
#include "say.h"

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
        return say_error("out of memory");
    int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) || putchar('\n') == EOF;
    json_decref(object);
    return failed ? say_error("cannot write to standard output: %s", strerror(errno)) : EXIT_FINE;
}

json_t *report_claim(const uf_claim *claim)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:s}", "epsilon", report_number(claim->epsilon), "delta",
                     report_number(claim->delta), "fpr", report_number(claim->fpr), "fnr", report_number(claim->fnr),
                     "unit", claim->unit, "adversary", claim->adversary, "not_protected", claim->not_protected, "proof",
                     claim->proof);
}

/* The estimate from the fill wanders by less than sqrt(n): three times that is more than chance. */
static void warn_when_overfull(const char *path, const uf_info *info, const uf_claim *claim)
{
    double capacity = (double)info->capacity;
    if (!(info->count_estimate > capacity + 3 * sqrt(capacity) + 1))
        return;
    say_warning("%s: %s keys in a filter planned for %s; %s of other keys are now accepted instead of %s; "
                "build a larger one (-n)",
                path, human_estimate(info->count_estimate).text, human_count(capacity).text,
                human_percent(info->fpr_now).text, human_percent(claim->fpr).text);
}

static double bits_per_key(const uf_info *info)
{
    return info->capacity ? (double)info->bits / (double)info->capacity : NAN;
}

static int print_line(const struct report_written *result, const uf_info *info, const uf_claim *claim)
{
    (void)printf("%s  %s  %s", result->path, info->kind, human_bytes((double)info->bytes).text);
    if (info->capacity)
        (void)printf("  %.2f bits per key", bits_per_key(info));
    (void)printf("  %s %s%s%s  FPR %s\n", human_count((double)result->number).text, result->noun,
                 result->number == 1 ? "" : "s", result->done, human_percent(claim->fpr).text);
    return EXIT_FINE;
}

static int print_object(const struct report_written *result, const uf_info *info, const uf_claim *claim)
{
    uf_spec spec;
    uf_get_plan(result->filter, &spec);
    return report_json(json_pack("{s:o, s:s, s:s, s:I, s:I, s:o, s:I, s:o}", "file", report_text(result->path), "kind",
                                 info->kind, "spec", spec.text, "bytes", (json_int_t)info->bytes, "bits",
                                 (json_int_t)info->bits, "bits_per_key", report_number(bits_per_key(info)),
                                 result->field, (json_int_t)result->number, "fpr", report_number(claim->fpr)));
}

int report_written(const struct args *args, const struct report_written *result)
{
    uf_info info;
    uf_claim claim;
    uf_get_info(result->filter, &info);
    uf_get_claim(result->filter, &claim);
    warn_when_overfull(result->path, &info, &claim);
    if (args_has(args, OPT_JSON))
        return print_object(result, &info, &claim);
    return args_has(args, OPT_QUIET) ? EXIT_FINE : print_line(result, &info, &claim);
}

int report_close(void)
{
    int failed = ferror(stdout);
    errno = 0;
    if (fclose(stdout) || failed)
        return say_error("cannot write to standard output: %s", errno ? strerror(errno) : "it failed");
    return EXIT_FINE;
}
