/* SPDX-License-Identifier: MIT */
#include "build.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "message.h"
#include "progress.h"
#include "spec.h"

struct feeding {
    uf_builder *builder;
    atomic_int status; /* of an add that failed */
};

static enum keys_verdict add_block(void *arg, struct keys_block *block)
{
    struct feeding *feeding = arg;
    uf_key keys[KEYS_BATCH];
    const char *cursor = NULL;
    for (size_t count; (count = keys_next(block, &cursor, keys));) {
        int status = uf_builder_add(feeding->builder, keys, count, NULL);
        if (status != UF_OK) {
            atomic_store(&feeding->status, status);
            return KEYS_FAILED;
        }
        block->keys += count;
    }
    return KEYS_GO_ON;
}

int build_feed(struct keys_input *input, unsigned threads, uf_builder *builder, uint64_t *keys)
{
    struct feeding feeding = {.builder = builder};
    const struct keys_job job = {.work = add_block, .arg = &feeding, .threads = threads};
    struct keys_totals totals;
    progress_phase("building", input->bytes);
    int status = keys_run(input, &job, &totals);
    *keys = totals.keys;
    if (feeding.status == UF_ENOMEM && !input->regular)
        return print_error("%s: out of memory; with -n a build from a pipe needs no memory per key", input->name);
    if (feeding.status)
        return print_error("%s: cannot add the keys: %s", input->name, uf_status_text(feeding.status));
    return status;
}

/* Nobody has said how many keys there will be. */
static bool needs_count(const uf_spec *spec)
{
    return !spec_has(spec, "n") && !(spec_has(spec, "bits") && spec_has(spec, "fpr"));
}

/* Of a private kind it must not be seen whether there are any. */
static int check_some(const struct keys_input *input, const uf_spec *request, uint64_t keys)
{
    if (keys || !needs_count(request) || spec_has_trait(request, UF_TRAIT_PRIVATE))
        return EXIT_FINE;
    return print_error("%s: has no keys, and nothing says how many to plan for; -n N makes an empty filter for N keys",
                       input->name);
}

/* Puts the number of keys into a spec that needs it, if it can be known before they are added. Of a private filter it
 * is a secret: its n is declared, or the library counts with noise. */
static int count_if_needed(struct keys_input *input, unsigned threads, uf_spec *spec, int *counted)
{
    uint64_t count;
    char text[24];
    uf_error why;
    if (!input->regular || spec_has_trait(spec, UF_TRAIT_PRIVATE) || !needs_count(spec))
        return EXIT_FINE;
    if (keys_count(input, threads, &count) || check_some(input, spec, count))
        return EXIT_ERROR;
    *counted = 1;
    (void)snprintf(text, sizeof text, "%" PRIu64, count);
    return uf_spec_set(spec, "n", text, &why) == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}

int build_filter(struct keys_input *input, const uf_spec *request, const uf_context *given, uf_filter **out,
                 uint64_t *keys)
{
    uf_spec spec = *request;
    uf_context context = *given;
    uf_builder *builder = NULL;
    uf_error why;
    int counted = 0;
    if (count_if_needed(input, context.threads, &spec, &counted))
        return EXIT_ERROR;
    if (spec_is_kind(&spec, "dcso"))
        context.threads = 1; /* it stores how many keys changed a bit, which depends on their order */
    if (uf_builder_new(&spec, &context, &builder, &why) != UF_OK)
        return print_error("%s%s", why.text, why.status == UF_EKEY ? "; give it with --key-file" : "");
    int status = build_feed(input, context.threads, builder, keys);
    if (!status)
        status = check_some(input, &spec, *keys);
    if (!status) {
        progress_library_phase("finishing");
        if (uf_builder_finish(builder, out, &why) != UF_OK)
            status = print_error("%s: %s", input->name, why.text);
        else {
            (void)uf_set_normal(*out, input->format.normal);
            if (counted)
                uf_mark_counted(*out);
        }
        progress_hide();
    }
    uf_builder_free(builder);
    return status;
}
