/* SPDX-License-Identifier: MIT */
#include "private_build.h"

#include "coin_source.h"
#include "context.h"
#include "filter.h"
#include "key_summary.h"
#include "noisy_count.h"
#include "rounding.h"
#include "runs.h"
#include "status.h"

/* A capacity that nobody declared is a noisy count of the keys. */
static int draw_capacity(struct spec *want, uint64_t distinct, const struct mem *mem, const uf_context *ctx)
{
    double epsilon = 0;
    struct rng rng;
    struct sampler *sampler = mem_alloc_dirty(mem, 1, sizeof *sampler);
    int status = sampler ? rng_open(&rng, ctx) : UF_ENOMEM;
    if (status == UF_OK) {
        sampler_start(sampler, &rng);
        (void)spec_get_number(want, "count_epsilon", &epsilon, NULL);
        spec_set_number(want, "n", (double)count_noisy(sampler, erase_threshold(epsilon), distinct));
        status = sampler_end(sampler);
        rng_close(&rng);
    }
    mem_free(mem, sampler, 1, sizeof *sampler);
    return status;
}

static int solve(const struct filter_ops *ops, const struct spec *want, const struct hasher *hasher,
                 struct hash_runs *runs, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    struct spec plan = *want;
    int status = ops->plan(ops, &plan, why);
    return status == UF_OK ? filter_solve(ops, &plan, hasher, runs, ctx, out, why) : status;
}

int private_build(const struct filter_ops *ops, const struct spec *want, const struct hasher *hasher,
                  struct hash_runs *runs, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    struct key_summary summary = {0};
    struct coin_source coins = {.fixed = 0};
    struct spec counted = *want;
    uf_spec text;
    int declared = spec_text(want, "n") != NULL;
    int status = declared && !context_repeats(ctx) ? UF_OK : summarize_keys(runs, ctx, &summary);
    if (status == UF_OK)
        status = coin_source_text(ops, want, &text);
    if (status == UF_OK)
        status = coin_source_open(&coins, ctx, ops, &text, hasher->seed, summary.digest);
    if (status == UF_OK && !declared)
        status = draw_capacity(&counted, summary.distinct, runs->mem, &coins.ctx);
    if (status != UF_OK)
        fail(why, status, "%s", uf_status_text(status));
    else
        status = solve(ops, &counted, hasher, runs, &coins.ctx, out, why);
    coin_source_close(&coins);
    if (status == UF_OK)
        (*out)->test_random = ctx->random && !context_repeats(ctx);
    return status;
}
