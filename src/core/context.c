/* SPDX-License-Identifier: MIT */
#include "context.h"

#include "cpu.h"
#include "name.h"
#include "sized.h"
#include "status.h"

static int check_label(const uf_context *ctx, uf_error *why)
{
    if (!ctx->label)
        return UF_OK;
    if (!name_fits(ctx->label, UF_LABEL_SIZE))
        return fail(why, UF_EINVAL, "the label '%.99s' is not 1 to %d visible characters without a space", ctx->label,
                    UF_LABEL_SIZE - 1);
    if (!ctx->secret)
        return fail(why, UF_EKEY, "the label %s needs a key: the coins of a release with a label come from it",
                    ctx->label);
    return UF_OK;
}

int context_repeats(const uf_context *ctx)
{
    return ctx->secret && ctx->label;
}

int context_read(const uf_context *given, uf_context *out, uf_error *why)
{
    *out = (uf_context)UF_CONTEXT_INIT;
    int status = given ? sized_read(out, sizeof *out, given, given->size, "UF_CONTEXT_INIT", why) : UF_OK;
    if (status != UF_OK)
        return status;
    out->threads = out->threads ? out->threads : 1;
    if (!out->allocator.alloc != !out->allocator.release || (out->allocator.alloc_zeroed && !out->allocator.alloc))
        return fail(why, UF_EINVAL, "an allocator needs both alloc and release");
    int cpu = cpu_choose(out->cpu);
    if (cpu < 0)
        return fail(why, UF_EUNSUPPORTED, "this machine lacks the instruction set number %d that was asked for",
                    out->cpu);
    out->cpu = cpu;
    return check_label(out, why);
}
