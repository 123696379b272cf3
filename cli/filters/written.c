/* SPDX-License-Identifier: MIT */
#include "written.h"

#include <math.h>
#include <stdio.h>

#include "human.h"
#include "message.h"
#include "report.h"
#include "shared.h"
#include "store.h"
#include "stream.h"

/* An estimate from a fill wanders by less than sqrt(n): three times that is more than chance. */
static bool is_over(double estimate, double planned)
{
    return estimate > planned + 3 * sqrt(planned) + 1;
}

/* How full what takes keys is: the filter, or its newest generation. */
struct fullness {
    double keys, planned;
    const char *what;
};

/* Keys that were removed from a tombstone filter are still in its filter of members. */
static struct fullness fullness_of(const uf_filter *filter, const uf_info *info)
{
    uf_generation newest;
    if (uf_get_generations(filter, &newest, sizeof newest, 1) == UF_OK)
        return (struct fullness){newest.count_estimate, (double)info->capacity / info->generations, "generation"};
    return (struct fullness){info->count_estimate + (isnan(info->removed_estimate) ? 0 : info->removed_estimate),
                             (double)info->capacity, "filter"};
}

bool report_is_overfull(const uf_info *info)
{
    return is_over(info->count_estimate, (double)info->capacity);
}

static void warn_when_overfull(const char *path, const struct fullness *full, const uf_info *info,
                               const uf_claim *claim)
{
    if (is_over(full->keys, full->planned))
        print_warning("%s: %s keys in a %s planned for %s; %s of other keys are now accepted instead of %s; "
                      "build a larger one (-n)",
                      path, human_estimate(full->keys).text, full->what, human_count(full->planned).text,
                      human_percent(info->fpr_now).text, human_percent(claim->fpr).text);
}

static void warn_when_overremoved(const char *path, const uf_filter *filter, const uf_info *info, const uf_claim *claim)
{
    uf_spec plan;
    double planned;
    uf_get_plan(filter, &plan);
    if (!isnan(info->removed_estimate) && uf_spec_get(&plan, "removed", &planned) == UF_OK &&
        is_over(info->removed_estimate, planned))
        print_warning("%s: %s keys removed from a filter planned for %s; %s of members are now missed instead of %s; "
                      "build a new one from those that are left",
                      path, human_estimate(info->removed_estimate).text, human_count(planned).text,
                      human_percent(info->fnr_now).text, human_percent(claim->fnr).text);
}

static double bits_per_key(const uf_info *info)
{
    return info->capacity ? (double)info->bits / (double)info->capacity : NAN;
}

/* What was written, and what is known about it. */
struct facts {
    const struct report_written *result;
    const struct report_extra *extra;
    size_t extras;
    uf_info info;
    uf_claim claim;
    uint64_t file_bytes;
    bool overfull;
};

/* How many keys there are is a secret then, and members are missed. */
static bool is_private(const struct facts *facts)
{
    return (uf_kind_traits(facts->info.kind) & UF_TRAIT_PRIVATE) != 0;
}

/* What holds now, where the filter tells; of a filter that was just built to plan, the plan. */
static void print_rate(const struct facts *facts)
{
    const bool differs = facts->result->changed || facts->overfull;
    if (!differs || isnan(facts->info.fpr_now))
        (void)printf("  FPR %s", human_percent(facts->claim.fpr).text);
    else
        (void)printf("  FPR %s now, %s planned", human_percent(facts->info.fpr_now).text,
                     human_percent(facts->claim.fpr).text);
    if (is_private(facts))
        (void)printf("  FNR %s", human_percent(facts->claim.fnr).text);
    if (uf_kind_traits(facts->info.kind) & UF_TRAIT_LEARNED && facts->claim.adversarial_fpr > facts->claim.fpr)
        (void)printf(", of chosen keys %s", human_percent(facts->claim.adversarial_fpr).text);
    (void)printf("\n");
}

static int print_line(const struct facts *facts)
{
    const struct report_written *result = facts->result;
    (void)printf("%s  %s  %s", stream_name(result->path), facts->info.kind,
                 human_bytes((double)facts->file_bytes).text);
    if (facts->info.capacity)
        (void)printf("  %.2f bits per key", bits_per_key(&facts->info));
    if (is_private(facts))
        (void)printf("  room for %s keys", human_count((double)facts->info.capacity).text);
    else
        (void)printf("  %s %s%s%s", human_count((double)result->number).text, result->noun,
                     result->number == 1 ? "" : "s", result->done);
    for (size_t i = 0; i < facts->extras; i++)
        if (facts->extra[i].number)
            (void)printf(", %s %s", human_count((double)facts->extra[i].number).text, facts->extra[i].words);
    print_rate(facts);
    return EXIT_FINE;
}

/* Keeps a failure: the object is NULL then. */
static void set_field(json_t **object, const char *name, json_t *value)
{
    if (*object && json_object_set_new(*object, name, value)) {
        json_decref(*object);
        *object = NULL;
    }
}

static int print_object(const struct facts *facts)
{
    const struct report_written *result = facts->result;
    const uf_info *info = &facts->info;
    uf_spec spec;
    uf_get_plan(result->filter, &spec);
    json_t *object =
        json_pack("{s:o, s:s, s:s, s:I, s:I, s:I, s:o}", "file", report_text(result->path), "kind", info->kind, "spec",
                  spec.text, "bytes", (json_int_t)info->bytes, "file_bytes", (json_int_t)facts->file_bytes, "bits",
                  (json_int_t)info->bits, "bits_per_key", report_number(bits_per_key(info)));
    if (!is_private(facts))
        set_field(&object, result->field, json_integer((json_int_t)result->number));
    set_field(&object, "fpr", report_number(facts->claim.fpr));
    set_field(&object, "fpr_now", report_number(info->fpr_now));
    set_field(&object, "adversarial_fpr", report_number(facts->claim.adversarial_fpr));
    if (is_private(facts))
        set_field(&object, "fnr", report_number(facts->claim.fnr));
    for (size_t i = 0; i < facts->extras; i++)
        set_field(&object, facts->extra[i].field, json_integer((json_int_t)facts->extra[i].number));
    return report_json(object);
}

int report_changed(const struct args *args, const struct report_written *result, const struct report_extra *extra,
                   size_t count)
{
    struct facts facts = {.result = result, .extra = extra, .extras = count};
    uf_get_info(result->filter, &facts.info, sizeof facts.info);
    uf_get_claim(result->filter, &facts.claim, sizeof facts.claim);
    facts.file_bytes = store_file_bytes(result->path);
    const struct fullness full = fullness_of(result->filter, &facts.info);
    facts.overfull = is_over(full.keys, full.planned);
    warn_when_overfull(result->path, &full, &facts.info, &facts.claim);
    warn_when_overremoved(result->path, result->filter, &facts.info, &facts.claim);
    if (args_has(args, &option_json))
        return print_object(&facts);
    return result->silent || args_has(args, &option_quiet) ? EXIT_FINE : print_line(&facts);
}

int report_written(const struct args *args, const struct report_written *result)
{
    return report_changed(args, result, NULL, 0);
}
