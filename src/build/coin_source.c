/* SPDX-License-Identifier: MIT */
#include "coin_source.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "derive.h"
#include "number.h"
#include "wire.h"

static int by_name(const void *one, const void *other)
{
    const struct spec_param *a = one, *b = other;
    return strcmp(a->name, b->name);
}

static void one_notation(struct spec *spec)
{
    for (unsigned i = 0; i < spec->count; i++) {
        double value;
        if (number_parse(spec->param[i].value, &value))
            number_format(value, spec->param[i].value, sizeof spec->param[i].value);
    }
}

/* Parts have the seed of the whole that they are of: part=3/16 and parts=16 are the same here. */
static void parts_alike(struct spec *spec)
{
    char parts[SPEC_VALUE];
    const char *part = spec_text(spec, "part"), *slash = part ? strchr(part, '/') : NULL;
    if (!slash)
        return;
    strcpy(parts, slash + 1);
    spec_remove(spec, "part");
    (void)spec_set_text(spec, "parts", parts, NULL);
}

int coin_source_text(const struct filter_ops *ops, const struct spec *want, uf_spec *out)
{
    struct spec spec = *want;
    int status = ops->declared && spec_text(want, "n") ? ops->plan(ops, &spec, NULL) : UF_OK;
    one_notation(&spec);
    spec_remove(&spec, "seed");
    parts_alike(&spec);
    if (spec.keyed && !spec_text(&spec, "prf"))
        status = status == UF_OK ? spec_set_text(&spec, "prf", "siphash", NULL) : status;
    qsort(spec.param, spec.count, sizeof spec.param[0], by_name);
    return status == UF_OK ? spec_print(&spec, out, NULL) : status;
}

static int from_stream(void *arg, void *out, size_t bytes)
{
    return rng_bytes(arg, out, bytes) == UF_OK ? 0 : -1;
}

int coin_source_open(struct coin_source *coins, const uf_context *ctx, const struct filter_ops *ops,
                     const uf_spec *text, uint64_t seed, const unsigned char *digest)
{
    struct {
        char text[sizeof(uf_spec)], label[UF_LABEL_SIZE];
        unsigned char seed[8], digest[32];
    } context;
    unsigned char key[32];
    struct writer writer = {context.seed, sizeof context.seed, 0};
    coins->ctx = *ctx;
    coins->fixed = 0;
    if (!context_repeats(ctx))
        return UF_OK;
    memset(&context, 0, sizeof context);
    memcpy(context.text, text->text, strnlen(text->text, sizeof context.text));
    memcpy(context.label, ctx->label, strlen(ctx->label)); /* context_read has checked it */
    write_uint(&writer, seed, sizeof context.seed);
    memcpy(context.digest, digest, sizeof context.digest);
    derive(ctx->secret->master, ops->coins, &context, sizeof context, key);
    int status = rng_open_seeded(&coins->stream, key);
    explicit_bzero(key, sizeof key);
    explicit_bzero(&context, sizeof context);
    if (status != UF_OK)
        return status;
    coins->fixed = 1;
    coins->ctx.random = from_stream;
    coins->ctx.random_arg = &coins->stream;
    return UF_OK;
}

void coin_source_close(struct coin_source *coins)
{
    if (coins->fixed)
        rng_close(&coins->stream);
}
