/* SPDX-License-Identifier: MIT */
/*
 * rebuild: a filter like an old one, from its keys, with a new seed and the key that is given. This is how a key is
 * rotated, and how the false positives that someone has found come to an end.
 */
#include "commands.h"

#include <math.h>
#include <stdio.h>

#include "build.h"
#include "human.h"
#include "message.h"
#include "paths.h"
#include "secret.h"
#include "shared.h"
#include "spec.h"
#include "store.h"
#include "written.h"

static const struct option option_old = {0, "like", VALUE_FILE, "OLD.uf",
                                         "Take kind and parameters from this filter, but not its seed."};

struct old {
    struct keys_format format; /* its keys are normalised alike */
    uf_spec plan;
    uf_info info;
};

/* The old one is only described, so the key it was made with may be gone. */
static int describe_old(const struct args *args, const uf_context *context, struct old *out)
{
    const char *path = args_value(args, &option_old);
    uf_filter *filter;
    uf_released released;
    if (store_load(path, UF_WITHOUT_KEY, context, &filter))
        return EXIT_ERROR;
    int status = keys_format_for(args, filter, &out->format);
    uf_get_plan(filter, &out->plan);
    uf_get_info(filter, &out->info, sizeof out->info);
    uf_get_released(filter, &released, sizeof released);
    uf_free(filter);
    if (status)
        return status;
    if (spec_has_trait(&out->plan, UF_TRAIT_PRIVATE) || released.mechanism)
        return print_private_model(path);
    if (spec_has_trait(&out->plan, UF_TRAIT_LEARNED))
        return print_error("%s: is a learned filter, which takes its model and negatives again: use build --kind %s",
                           path, out->info.kind);
    return EXIT_FINE;
}

/* Its parameters, keyed when there is a key, without its seed. */
static int spec_like(const struct args *args, const struct old *old, uf_spec *out)
{
    char text[sizeof out->text + 8];
    uf_error why;
    int wrap = args_has(args, &option_key_file) && !uf_spec_is_keyed(&old->plan);
    (void)snprintf(text, sizeof text, "%s%s%s", wrap ? "keyed(" : "", old->plan.text, wrap ? ")" : "");
    int status = uf_spec_parse(text, out, &why);
    if (status == UF_OK)
        status = uf_spec_set(out, "seed", NULL, &why);
    if (status == UF_OK && args_has(args, &option_prf))
        status = uf_spec_set(out, "prf", args_value(args, &option_prf), &why);
    return status == UF_OK ? EXIT_FINE : print_error("%s: %s", args_value(args, &option_old), why.text);
}

/* Estimates wander by less than sqrt(n) each: five times that is more than chance. When these were not all the keys,
 * the old filter is the only one that has the others: it is not replaced then. */
static int check_count(const struct args *args, const struct old *old, const uf_filter *filter)
{
    const char *path = args_value(args, &option_old);
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    double before = old->info.count_estimate;
    if (!(info.count_estimate < before - 5 * sqrt(before) - 1))
        return EXIT_FINE;
    struct human had = human_estimate(before), has = human_estimate(info.count_estimate);
    if (paths_same(path, args_value(args, &option_output)))
        return print_error(
            "%s holds %s keys, and the new filter %s: it is left as it is; if these are all of them, write "
            "to another file",
            path, had.text, has.text);
    print_warning("%s holds %s keys, and the new filter %s: are these all of them?", path, had.text, has.text);
    return EXIT_FINE;
}

static int rebuild(const struct args *args, const uf_context *context)
{
    const char *path = args_value(args, &option_output);
    struct keys_input input;
    struct old old;
    uf_spec spec;
    uf_filter *filter = NULL;
    uint64_t keys = 0;
    if (store_lock(path) || describe_old(args, context, &old) || spec_like(args, &old, &spec) ||
        keys_open_operands(args, 0, &old.format, &input))
        return EXIT_ERROR;
    int status = build_filter(&input, &spec, context, &filter, &keys);
    keys_close(&input);
    if (!status && !old.info.declared)
        uf_mark_counted(filter);
    if (!status)
        status = check_count(args, &old, filter);
    if (!status)
        status = store_save(filter, path, UF_FORMAT_UF);
    if (!status)
        status = report_written(args, &(struct report_written){path, filter, keys, "line", "", "lines", false, false});
    uf_free(filter);
    return status;
}

static int run(const struct args *args)
{
    uf_context context;
    if (args_require(args, &option_output) || args_require(args, &option_old) ||
        store_check_output(args_value(args, &option_output)) || secret_check(args) || store_open(args, &context))
        return EXIT_ERROR;
    int status = rebuild(args, &context);
    store_close(&context);
    return status;
}

static const struct option *const options[] = {
    &option_output,  &option_overwrite, &option_old,  &option_key_file, &option_prf, KEYS_OPTIONS,
    &option_threads, &option_quiet,     &option_json, &option_progress, NULL};

static const struct example examples[] = {
    {"ultrafilter rebuild -o seen.uf --like seen.uf --key-file new.key keys.txt",
     "Rotates the key: seen.uf is replaced when the new one is complete."},
    {"ultrafilter rebuild -o new.uf --like seen.uf --key-file seen.key keys.txt",
     "The same key, a new seed: ends false positives that someone found."},
    {NULL, NULL},
};

const struct command command_rebuild = {
    .name = "rebuild",
    .synopsis = "-o NEW.uf --like OLD.uf [--key-file KEYFILE] [options] [KEYS ...|-]",
    .summary = "build a filter anew, with a new seed and another key",
    .description =
        "Builds a filter of the kind and parameters of OLD.uf from its keys, one a line, with a new seed and the key "
        "that is given. The two cannot be merged, and a false positive of one is none of the other but by chance. "
        "OLD.uf may be keyed or not; its own key is not needed, so this also helps when it was lost. Learned filters "
        "are built anew with build.\n\n"
        "NEW.uf may be OLD.uf, which is then replaced, unless it holds clearly more keys than the new filter.\n\n"
        "To rotate a key: make a new one with keygen, rebuild every filter of the old one, let readers load the new "
        "files with the new key, then destroy the old key. Meanwhile readers can be given both: --key-file twice.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when the filter was written, 2 on an error. An error leaves no file, and an old one unchanged.",
    .least = 0,
    .most = (size_t)-1,
    .over = &option_old,
    .run = run,
};
