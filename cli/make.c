/* SPDX-License-Identifier: MIT */
#include "make.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "feed.h"
#include "progress.h"
#include "say.h"

int make_is_kind(const uf_spec *spec, const char *kind)
{
    size_t length = strcspn(spec->text, ":");
    return strlen(kind) == length && !memcmp(spec->text, kind, length);
}

int make_is_keyed(const uf_spec *spec)
{
    uf_spec trial = *spec;
    return uf_spec_set(&trial, "prf", "siphash", NULL) == UF_OK;
}

int make_says(const uf_spec *spec, const char *name)
{
    double value;
    return uf_spec_get(spec, name, &value) == UF_OK;
}

/* Puts the number of keys into a spec that needs it, if it can be known before they are added. */
static int count_if_needed(const struct keys_input *input, unsigned threads, uf_spec *spec)
{
    uint64_t count;
    char text[24];
    uf_error why;
    if (!input->regular || make_says(spec, "n") || (make_says(spec, "bits") && make_says(spec, "fpr")))
        return EXIT_FINE;
    if (keys_count(input, threads, &count))
        return EXIT_ERROR;
    (void)snprintf(text, sizeof text, "%" PRIu64, count);
    return uf_spec_set(spec, "n", text, &why) == UF_OK ? EXIT_FINE : say_error("%s", why.text);
}

int make_filter(const struct keys_input *input, const uf_spec *wish, const uf_context *given, uf_filter **out,
                uint64_t *keys)
{
    uf_spec spec = *wish;
    uf_context context = *given;
    uf_builder *builder = NULL;
    uf_error why;
    if (count_if_needed(input, context.threads, &spec))
        return EXIT_ERROR;
    if (make_is_kind(&spec, "dcso"))
        context.threads = 1; /* it stores how many keys changed a bit, which depends on their order */
    if (uf_builder_new(&spec, &context, &builder, &why) != UF_OK)
        return say_error("%s%s", why.text, why.status == UF_EKEY ? "; give it with --key-file" : "");
    int status = feed_builder(input, context.threads, builder, keys);
    if (!status) {
        progress_library_phase("finishing");
        if (uf_builder_finish(builder, out, &why) != UF_OK)
            status = say_error("%s: %s", input->name, why.text);
        progress_hide();
    }
    uf_builder_free(builder);
    return status;
}
