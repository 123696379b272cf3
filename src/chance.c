/* SPDX-License-Identifier: MIT */
#include "chance.h"

#include <string.h>

#include "derive.h"
#include "wire.h"

static int from_stream(void *arg, void *out, size_t bytes)
{
    return rng_bytes(arg, out, bytes) == UF_OK ? 0 : -1;
}

int chance_open(struct chance *chance, const uf_context *ctx, const struct spec *plan, uint64_t seed,
                const unsigned char *digest)
{
    struct {
        char text[sizeof(uf_spec)];
        unsigned char seed[8], digest[32];
    } context;
    unsigned char key[32];
    uf_spec text;
    struct writer writer = {context.seed, sizeof context.seed, 0};
    chance->ctx = *ctx;
    chance->fixed = 0;
    if (!ctx->secret)
        return UF_OK;
    memset(&context, 0, sizeof context);
    memset(&text, 0, sizeof text);
    int status = spec_print(plan, &text, NULL);
    memcpy(context.text, text.text, strnlen(text.text, sizeof context.text));
    write_uint(&writer, seed, sizeof context.seed);
    memcpy(context.digest, digest, sizeof context.digest);
    derive(ctx->secret->master, "coins", &context, sizeof context, key);
    if (status == UF_OK)
        status = rng_open_seeded(&chance->stream, key);
    explicit_bzero(key, sizeof key);
    if (status != UF_OK)
        return status;
    chance->fixed = 1;
    chance->ctx.random = from_stream;
    chance->ctx.random_arg = &chance->stream;
    return UF_OK;
}

void chance_close(struct chance *chance)
{
    if (chance->fixed)
        rng_close(&chance->stream);
}
