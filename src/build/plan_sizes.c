/* SPDX-License-Identifier: MIT */
/* How large a filter of a spec will be: its handle is made, without words, and asked. */
#include "plan_sizes.h"

#include "capacity.h"
#include "chain.h"
#include "context.h"
#include "sized.h"
#include "sizes.h"
#include "status.h"
#include "table.h"
#include "window.h"

/* A handle of the plan that knows how many words it would have, or at most. */
static int make_outline(const struct filter_ops *ops, const struct spec *plan, const uf_context *ctx, uf_filter **out,
                        uf_error *why)
{
    uf_filter *filter = NULL;
    uint64_t words = 0;
    int status = filter_new(ops, ctx, &filter, why);
    if (status == UF_OK)
        status = ops->shape(filter, plan, why);
    if (status == UF_OK && ops->most_words) {
        status = ops->most_words(plan, &words, why);
        filter->word_count = (size_t)words;
        if (status == UF_OK && words > SIZE_MAX / 8)
            status = fail(why, UF_ENOMEM, "a filter of %llu words does not fit into this machine's memory",
                          (unsigned long long)words);
    }
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

int plan_bits(const struct filter_ops *ops, const struct spec *plan, uint64_t *bits, uf_error *why)
{
    const uf_context ctx = UF_CONTEXT_INIT;
    uf_filter *outline = NULL;
    uf_info info = {.bits = 0};
    int status = make_outline(ops, plan, &ctx, &outline, why);
    if (status != UF_OK)
        return status;
    ops->info(outline, &info);
    uf_free(outline);
    *bits = info.bits;
    return UF_OK;
}

static int make_chain_outline(const struct filter_ops *ops, struct spec *plan, const uf_context *ctx, uf_filter **out,
                              uf_error *why)
{
    uf_filter *level = NULL;
    int status = chain_first(ops, plan, why);
    if (status == UF_OK)
        status = make_outline(ops, plan, ctx, &level, why);
    if (status == UF_OK)
        status = chain_wrap(level, ctx, out, why);
    if (status != UF_OK)
        uf_free(level);
    return status;
}

static int make_window_outline(const struct filter_ops *ops, struct spec *plan, unsigned generations,
                               const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uf_filter *newest = NULL;
    int status = window_generation(ops, plan, generations, why);
    if (status == UF_OK)
        status = make_outline(ops, plan, ctx, &newest, why);
    if (status == UF_OK)
        status = window_wrap(newest, generations, FULL_WARN, ctx, out, why);
    if (status != UF_OK)
        uf_free(newest);
    return status;
}

/* Of whatever the spec means. */
static int make_whole_outline(const struct filter_ops *ops, struct spec *plan, const uf_context *ctx, uf_filter **out,
                              uf_error *why)
{
    uint32_t policy = FULL_WARN;
    unsigned generations = 0;
    int status = capacity_policy(plan, ops, &policy, why);
    if (status == UF_OK)
        status = window_of(plan, ops, &generations, why);
    if (status != UF_OK)
        return status;
    if (generations)
        return make_window_outline(ops, plan, generations, ctx, out, why);
    if (policy == FULL_SCALE)
        return make_chain_outline(ops, plan, ctx, out, why);
    status = ops->plan(ops, plan, why);
    return status == UF_OK ? make_outline(ops, plan, ctx, out, why) : status;
}

int uf_plan_sizes(const uf_spec *want, uf_sizes *out, size_t size, uf_error *why)
{
    const uf_context ctx = UF_CONTEXT_INIT;
    const struct filter_ops *ops;
    struct spec plan;
    uf_filter *outline = NULL;
    uf_sizes sizes;
    error_clear(why);
    if (!want || !out)
        return fail(why, UF_EINVAL, "no spec or no place for the sizes was given");
    int status = spec_read(want->text, &plan, &ops, why);
    if (status == UF_OK && ops->learned)
        return fail(why, UF_EUNSUPPORTED,
                    "how large a %s filter will be follows from its keys, its negatives and its model: build it",
                    ops->name);
    if (status == UF_OK)
        status = make_whole_outline(ops, &plan, &ctx, &outline, why);
    if (status != UF_OK)
        return status;
    sizes_of(outline, &sizes);
    if (ops->most_words)
        (void)spec_get_count(&plan, "n", &sizes.capacity, NULL); /* a plan has it */
    uf_free(outline);
    status = sized_write(&sizes, sizeof sizes, out, size);
    return status == UF_OK ? UF_OK : fail(why, status, "sizes of %zu bytes were given: it is sizeof(uf_sizes)", size);
}
