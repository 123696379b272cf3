/* SPDX-License-Identifier: MIT */
#include "context.h"

#include "cpu.h"
#include "sized.h"
#include "status.h"

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
    return UF_OK;
}
