/* SPDX-License-Identifier: MIT */
/*
 * build --backup-of: a keyed filter of the keys of a learned one, for `query --watch --backup`. A backup that lacks a
 * key of the set would hide a member one day. So every key has to be in the learned filter, and as many as it has must
 * come.
 */
#include "build_backup.h"

#include <inttypes.h>
#include <stdlib.h>

#include "keys.h"
#include "message.h"
#include "note.h"
#include "progress.h"
#include "shared.h"
#include "store.h"
#include "written.h"

const struct option option_backup_of = {0, "backup-of", VALUE_FILE, "F.uf",
                                        "Build the backup of a learned filter, from the same keys, for 'query --watch "
                                        "--backup'. Its rate is -p, or that of "
                                        "F.uf. Needs a key."};

struct feeding {
    const uf_filter *filter;
    uf_builder *builder;
    uint64_t strangers; /* atomic, as is: */
    int status;         /* of an add that failed */
};

static enum keys_verdict add_block(void *arg, struct keys_block *block)
{
    struct feeding *feeding = arg;
    uf_key keys[KEYS_BATCH];
    uint8_t known[KEYS_BATCH];
    const char *cursor = NULL;
    for (size_t count; (count = keys_next(block, &cursor, keys));) {
        uf_query_many(feeding->filter, keys, count, known);
        for (size_t i = 0; i < count; i++)
            (void)__atomic_fetch_add(&feeding->strangers, !known[i], __ATOMIC_RELAXED);
        int status = uf_builder_add(feeding->builder, keys, count, NULL);
        if (status != UF_OK) {
            __atomic_store_n(&feeding->status, status, __ATOMIC_RELAXED);
            return KEYS_FAILED;
        }
        block->keys += count;
    }
    return KEYS_GO_ON;
}

static int check_keys(const struct args *args, const struct feeding *feeding, uint64_t keys)
{
    const char *path = args_value(args, &option_backup_of);
    uf_learned learned;
    (void)uf_get_learned(feeding->filter, &learned, sizeof learned);
    if (feeding->strangers)
        return print_error("%s: %" PRIu64 " of the keys are not in it: give those that it was built from", path,
                           feeding->strangers);
    if (keys < learned.keys)
        return print_error("%s: has %" PRIu64 " keys, and %" PRIu64 " came: give all that it was built from", path,
                           learned.keys, keys);
    return EXIT_FINE;
}

static int feed(const struct args *args, struct keys_input *input, const uf_context *context, struct feeding *feeding,
                uint64_t *keys)
{
    const struct keys_job job = {.work = add_block, .arg = feeding, .threads = context->threads};
    struct keys_totals totals;
    progress_phase("building", input->bytes);
    int status = keys_run(input, &job, &totals);
    *keys = totals.keys;
    if (feeding->status)
        return print_error("%s: cannot add the keys: %s", input->name, uf_status_text(feeding->status));
    return status ? status : check_keys(args, feeding, totals.keys);
}

static int build(const struct args *args, const uf_spec *spec, const uf_filter *learned, struct keys_input *input,
                 const uf_context *context)
{
    const char *path = args_value(args, &option_output);
    struct feeding feeding = {.filter = learned};
    uf_filter *backup = NULL;
    uint64_t keys = 0;
    uf_error why;
    if (uf_builder_new(spec, context, &feeding.builder, &why) != UF_OK)
        return print_error("%s", why.text);
    int status = feed(args, input, context, &feeding, &keys);
    if (!status && uf_builder_finish(feeding.builder, &backup, &why) != UF_OK)
        status = print_error("%s: %s", input->name, why.text);
    uf_builder_free(feeding.builder);
    progress_hide();
    if (!status)
        (void)uf_set_normal(backup, input->format.normal);
    if (!status)
        status = note_put(args, backup) || store_save(backup, path, UF_FORMAT_UF) ||
                 report_written(args, &(struct report_written){path, backup, keys, "line", "", "lines", false, false});
    uf_free(backup);
    return status;
}

static int with_filter(const struct args *args, const uf_filter *learned, const uf_context *context)
{
    const double fpr = args_has(args, &option_fpr) ? strtod(args_value(args, &option_fpr), NULL) : 0;
    struct keys_format format;
    struct keys_input input;
    uf_spec spec;
    uf_error why;
    if (uf_get_backup_plan(learned, fpr, &spec, &why) != UF_OK)
        return print_error("%s: %s", args_value(args, &option_backup_of), why.text);
    if (keys_format_for(args, learned, &format) || keys_open_operands(args, 0, &format, &input))
        return EXIT_ERROR;
    int status = build(args, &spec, learned, &input, context);
    keys_close(&input);
    return status;
}

int build_backup(const struct args *args, const uf_context *context)
{
    uf_filter *learned;
    if (args_require(args, &option_key_file) || store_check_output(args_value(args, &option_output)) ||
        store_load(args_value(args, &option_backup_of), 0, context, &learned))
        return EXIT_ERROR;
    int status = with_filter(args, learned, context);
    uf_free(learned);
    return status;
}

int build_backup_check(const struct args *args)
{
    static const struct option *const others[] = {&option_spec,  &option_kind,  &option_capacity, &option_bits,
                                                  &option_model, &option_label, &option_full,     &option_window};
    int status = EXIT_FINE;
    for (size_t i = 0; !status && args_has(args, &option_backup_of) && i < sizeof others / sizeof others[0]; i++)
        status = args_exclusive(args, &option_backup_of, others[i]);
    return status;
}
