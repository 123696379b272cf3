/* SPDX-License-Identifier: MIT */
#include "learned_report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "human.h"
#include "layout.h"
#include "report.h"

enum { COLUMN = 17 };

static void print_model(const uf_learned *learned)
{
    char text[256];
    if (learned->model_bytes)
        (void)snprintf(text, sizeof text, "%s, AUC %.4f", human_bytes((double)learned->model_bytes).text, learned->auc);
    else
        (void)snprintf(text, sizeof text, "none: scores come from the caller, AUC %.4f", learned->auc);
    layout_entry(stdout, "Model", text, COLUMN);
}

static void print_validation(const uf_learned *learned)
{
    char text[256], overlap[96] = "";
    if (learned->overlap)
        (void)snprintf(overlap, sizeof overlap, "; %s more were keys of the set, and left out",
                       human_count((double)learned->overlap).text);
    (void)snprintf(text, sizeof text, "%s of %s different negatives are accepted%s",
                   human_percent(learned->fpr_valid).text, human_count((double)learned->valid).text, overlap);
    layout_entry(stdout, "Validation", text, COLUMN);
}

static void print_saving(const uf_learned *learned)
{
    char text[256];
    double share = 1 - (double)learned->bytes / (double)learned->plain_bytes;
    (void)snprintf(text, sizeof text, "%.0f %% %s than one %s filter, which takes %s", fabs(100 * share),
                   share < 0 ? "more" : "less", learned->children, human_bytes((double)learned->plain_bytes).text);
    layout_entry(stdout, "Compared", text, COLUMN);
}

static void print_row(const char *from, double keys, double negatives, double fpr, const char *size, const char *key)
{
    (void)printf("  %14s %13s %13s %12s   %-*s%s\n", from, human_count(keys).text, human_count(negatives).text,
                 human_percent(fpr).text, *key ? 12 : 0, size, key);
}

/* Filters with keys of their own have one more column. */
static bool has_keys(const struct learned_report *report)
{
    for (unsigned i = 0; i < report->learned.regions; i++)
        if (report->region[i].key[0])
            return true;
    return false;
}

static const char *region_size(const uf_region *region, struct human *buffer)
{
    if (region->bytes) {
        *buffer = human_bytes((double)region->bytes);
        return buffer->text;
    }
    return region->keys ? "all accepted" : "no keys";
}

static void print_regions(const struct learned_report *report)
{
    const uf_learned *learned = &report->learned;
    (void)printf("  %14s %13s %13s %12s   %-*s%s\n", "scores from", "keys", "negatives", "FPR",
                 has_keys(report) ? 12 : 0, "filter", has_keys(report) ? "key" : "");
    if (learned->first_fpr < 1)
        print_row("all, in front", (double)learned->keys, (double)learned->valid, learned->first_fpr,
                  human_bytes((double)learned->first_bytes).text, "");
    for (unsigned i = 0; i < learned->regions; i++) {
        const uf_region *region = &report->region[i];
        struct human buffer;
        char from[32] = "the lowest";
        if (i)
            (void)snprintf(from, sizeof from, "%.6g", region->from);
        print_row(from, (double)region->keys, (double)region->negatives, region->fpr, region_size(region, &buffer),
                  region->key);
    }
}

void learned_print(const struct learned_report *report)
{
    const uf_learned *learned = &report->learned;
    print_model(learned);
    print_validation(learned);
    if (learned->plain_bytes)
        print_saving(learned);
    print_regions(report);
}

static json_t *regions_array(const struct learned_report *report)
{
    json_t *array = json_array();
    for (unsigned i = 0; array && i < report->learned.regions; i++) {
        const uf_region *region = &report->region[i];
        json_t *from = i ? report_number(region->from) : json_null();
        json_t *object = json_pack("{s:o, s:I, s:I, s:o, s:I}", "from", from, "keys", (json_int_t)region->keys,
                                   "negatives", (json_int_t)region->negatives, "fpr", report_number(region->fpr),
                                   "bytes", (json_int_t)region->bytes);
        if ((region->key[0] && json_object_set_new(object, "key", json_string(region->key))) ||
            json_array_append_new(array, object)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *learned_object(const struct learned_report *report)
{
    const uf_learned *learned = &report->learned;
    return json_pack("{s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:o, s:I, s:o}", "children", learned->children,
                     "adversarial_share", report_number(learned->adversarial_share), "bytes",
                     (json_int_t)learned->bytes, "model_bytes", (json_int_t)learned->model_bytes, "plain_bytes",
                     (json_int_t)learned->plain_bytes, "auc", report_number(learned->auc), "fpr_valid",
                     report_number(learned->fpr_valid), "keys", (json_int_t)learned->keys, "valid",
                     (json_int_t)learned->valid, "overlap", (json_int_t)learned->overlap, "first_fpr",
                     report_number(learned->first_fpr), "first_bytes", (json_int_t)learned->first_bytes, "regions",
                     regions_array(report));
}
