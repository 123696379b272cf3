/* SPDX-License-Identifier: MIT */
/* Filters of sets, released or not. */
#include <stdio.h>
#include <unistd.h>

#include "capacity.h"
#include "context.h"
#include "counted.h"
#include "filter.h"
#include "mechanism.h"
#include "rounding.h"
#include "hasher_start.h"
#include "set_keys.h"
#include "status.h"
#include "table.h"

/* Bytes that a build takes: the filter, and 16 for each key of a static kind. 0 when the plan does not say. */
static double bytes_to_build(const struct filter_ops *ops, const uf_spec *spec, uint64_t count)
{
    uf_spec plan;
    double bits;
    if (uf_plan(spec, &plan, NULL) != UF_OK || uf_spec_get(&plan, "bits", &bits) != UF_OK)
        return 0;
    return bits / 8 + (ops->solve ? 16.0 * (double)count : 0);
}

/* The system hands out more memory than it has, and stops the process later: so the size of a release is compared with
 * what there is. */
static int check_memory(const struct filter_ops *ops, const uf_spec *spec, const uf_set *set, uf_error *why)
{
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), count = (double)set_count(set);
    double need = bytes_to_build(ops, spec, set_count(set));
    char fits[64] = "a smaller universe";
    if (set->mark.mechanism == RELEASE_NONE || need <= have || have <= 0)
        return UF_OK;
    double epsilon = mechanism_epsilon_for(&set->mark, count * have / need); /* not of the members, which are secret */
    if (epsilon <= EPSILON_MOST)
        (void)snprintf(fits, sizeof fits, "epsilon %.4g or more, or a smaller universe", epsilon);
    return fail(why, UF_EIMPOSSIBLE,
                "a %s filter of this release of %.3g keys takes %.3g bytes, and this machine has %.3g: take %s",
                ops->name, count, need, have, fits);
}

static int give_to_builder(void *arg, const uf_key *keys, size_t count)
{
    return uf_builder_add(arg, keys, count, NULL);
}

static int build_from(const uf_set *set, unsigned threads, const uf_context *ctx, uf_builder *builder, int counted,
                      uf_filter **out, uf_error *why)
{
    int status = set_walk_keys(set, threads, ctx, give_to_builder, builder);
    if (status != UF_OK)
        return fail(why, status, "adding the keys of the set failed: %s", uf_status_text(status));
    status = uf_builder_finish(builder, out, why);
    if (status != UF_OK)
        return status;
    (*out)->released = set->mark;
    if (set->mark.mechanism == RELEASE_NONE && counted)
        uf_mark_counted(*out);
    if (set->mark.mechanism != RELEASE_NONE && capacity_applies((*out)->ops))
        capacity_open(*out, FULL_WARN, 0); /* it takes no keys, and does not tell how many it has */
    (*out)->test_random = set->test_random;
    return UF_OK;
}

/* The same release twice is the same bytes, keyed or not: a released set is private, whatever the kind. */
static int fix_seed(uf_spec *spec, const uf_context *ctx, uf_error *why)
{
    struct spec parsed;
    const struct filter_ops *ops;
    int status = spec_read(spec->text, &parsed, &ops, why);
    if (status != UF_OK || ops->hash != HASH_XXH3 || (spec_text(&parsed, "seed") && !spec_derives_seed(&parsed)))
        return status;
    spec_set_seed(&parsed, "seed", seed_from_secret(ops, &parsed, ctx->secret, ctx->label));
    return spec_print(&parsed, spec, why);
}

/* It takes no keys, so there is nothing to grow for. */
static int check_policy(const uf_set *set, const struct spec *spec, const struct filter_ops *ops, uf_error *why)
{
    uint32_t policy;
    int status = capacity_policy(spec, ops, &policy, why);
    if (status == UF_OK && set->mark.mechanism != RELEASE_NONE && spec_text(spec, "window"))
        return fail(why, UF_EINVAL, "a window makes no sense for a released set, whose filter takes no more keys");
    if (status == UF_OK && set->mark.mechanism != RELEASE_NONE && ops->own)
        return fail(why, UF_EINVAL, "part=%s makes no sense for a released set, which is handed out whole",
                    spec_text(spec, "part"));
    if (status == UF_OK && policy == FULL_SCALE && set->mark.mechanism != RELEASE_NONE)
        return fail(why, UF_EINVAL, "full=scale makes no sense for a released set, whose filter takes no more keys");
    return status;
}

int uf_build_set(const uf_spec *want, const uf_set *set, const uf_context *given, uf_filter **out, uf_error *why)
{
    uf_context ctx;
    struct spec parsed;
    const struct filter_ops *ops;
    uf_spec spec;
    uf_builder *builder;
    error_clear(why);
    if (!want || !set || !out)
        return fail(why, UF_EINVAL, "no spec or no set was given");
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = spec_read(want->text, &parsed, &ops, why);
    if (status == UF_OK)
        status = check_policy(set, &parsed, ops, why);
    if (status == UF_OK)
        status = spec_with_count(want, set_count(set), &spec, why);
    if (status == UF_OK && set->mark.mechanism != RELEASE_NONE && context_repeats(&ctx))
        status = fix_seed(&spec, &ctx, why);
    if (status == UF_OK)
        status = check_memory(ops, &spec, set, why);
    if (status == UF_OK)
        status = uf_builder_new(&spec, &ctx, &builder, why);
    if (status != UF_OK)
        return status;
    unsigned threads = ops->hash == HASH_FNV1 ? 1 : ctx.threads; /* order matters there */
    status = build_from(set, threads, &ctx, builder, !spec_has_size(&parsed), out, why);
    uf_builder_free(builder);
    return status;
}
