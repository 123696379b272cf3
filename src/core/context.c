/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <string.h>

#include "cpu.h"
#include "status.h"

int context_read(const uf_context *given, uf_context *out, uf_error *why)
{
    *out = (uf_context)UF_CONTEXT_INIT;
    if (given && (given->size < sizeof(size_t) || given->size > sizeof *out))
        return fail(why, UF_EINVAL, "the context has a size of %zu: start from UF_CONTEXT_INIT", given->size);
    if (given)
        memcpy(out, given, given->size);
    out->size = sizeof *out;
    out->threads = out->threads ? out->threads : 1;
    if (!out->allocator.alloc != !out->allocator.release)
        return fail(why, UF_EINVAL, "an allocator needs both alloc and release");
    int cpu = cpu_choose(out->cpu);
    if (cpu < 0)
        return fail(why, UF_EUNSUPPORTED, "this machine lacks the instruction set number %d that was asked for",
                    out->cpu);
    out->cpu = cpu;
    return UF_OK;
}
