/* SPDX-License-Identifier: MIT */
/* Private copies of exact filters: the owner's filter stays as it is, the copy has the noise. */
#include "bits.h"
#include "coin_source.h"
#include "context.h"
#include "filter.h"
#include "fingerprint.h"
#include "locked.h"
#include "snapshot.h"
#include "status.h"
#include "table.h"

static int copy_with_noise(uf_filter *filter, const uf_filter *exact, const struct spec *plan, const uf_context *ctx,
                           uf_error *why)
{
    unsigned char digest[32] = {0};
    struct coin_source coins;
    uf_spec text;
    int status = context_repeats(ctx) ? filter_digest(exact, digest, why) : UF_OK;
    if (status != UF_OK)
        return status;
    status = coin_source_text(filter->ops, plan, &text);
    if (status == UF_OK)
        status = coin_source_open(&coins, ctx, filter->ops, &text, exact->hasher.seed, digest);
    if (status != UF_OK)
        return fail(why, status, "%s", uf_status_text(status));
    status = filter->ops->release(filter, exact, &coins.ctx, why);
    coin_source_close(&coins);
    filter->test_random = ctx->random && !context_repeats(ctx);
    filter->normal = exact->normal;
    return status;
}

static int make(const struct filter_ops *ops, const uf_filter *exact, const struct spec *plan, const uf_context *ctx,
                uf_filter **out, uf_error *why)
{
    struct snapshot snapshot; /* the coins and the copy are of the same bits */
    uf_filter *filter = NULL;
    int status = snapshot_take(exact, &snapshot, why);
    if (status == UF_OK)
        status = filter_make(ops, plan, &exact->hasher, ctx, &filter, why);
    if (status == UF_OK)
        status = copy_with_noise(filter, snapshot.filter, plan, ctx, why);
    snapshot_drop(&snapshot);
    if (status == UF_OK)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

/* What a filter was planned for is in every copy of it. The refusal does not say the number either. Of a released set
 * it is how many keys were released: that has the noise of the release, not that of the copy. */
static int check_declared(const uf_filter *exact, uf_error *why)
{
    if (is_released(exact))
        return fail(why, UF_EUNSUPPORTED,
                    "is a release already (%s), and a copy would have its n, which keeps the promise of that release "
                    "and not the copy's: publish it as it is, or release the keys anew",
                    mark_name(&exact->released));
    if (!exact->counted)
        return UF_OK;
    return fail(why, UF_EUNDECLARED,
                "its n was counted from its keys and not declared, and a copy would tell it: build the filter again "
                "with a capacity, as 'ultrafilter build --for-release --epsilon E -n CAPACITY' does");
}

int uf_release(const uf_filter *exact, const uf_spec *how, const uf_context *given, uf_filter **out, uf_error *why)
{
    uf_context ctx;
    struct spec plan;
    const struct filter_ops *ops;
    error_clear(why);
    if (!exact || !how || !out)
        return fail(why, UF_EINVAL, "no filter or no spec was given");
    if (exact->locked)
        return locked_refuse(exact, why);
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = spec_read(how->text, &plan, &ops, why);
    if (status != UF_OK)
        return status;
    if (!ops->release)
        return fail(why, UF_EUNSUPPORTED, "%s is not made from another filter: build it from the keys", ops->name);
    if (plan.keyed)
        return fail(why, UF_EINVAL, "the key is that of the exact filter, if it has one: leave out keyed()");
    if (spec_text(&plan, "seed"))
        return fail(why, UF_EINVAL, "the seed is that of the exact filter: leave it out");
    if (spec_text(&plan, "count_epsilon"))
        return fail(why, UF_EINVAL, "the capacity is that of the exact filter, without noise: leave count_epsilon out");
    status = check_declared(exact, why);
    if (status == UF_OK)
        status = ops->adapt(&plan, exact, why);
    if (status == UF_OK)
        status = ops->plan(ops, &plan, why);
    return status == UF_OK ? make(ops, exact, &plan, &ctx, out, why) : status;
}

int uf_distance(const uf_filter *a, const uf_filter *b, uint64_t *bits)
{
    if (!a || !b || !bits)
        return UF_EINVAL;
    if (a->word_count != b->word_count || a->children || b->children)
        return UF_EMISMATCH;
    struct snapshot first = {NULL, NULL}, second = {NULL, NULL};
    int status = snapshot_take(a, &first, NULL);
    if (status == UF_OK)
        status = snapshot_take(b, &second, NULL);
    if (status == UF_OK)
        *bits = bits_distance(first.filter->words, second.filter->words, a->word_count);
    snapshot_drop(&first);
    snapshot_drop(&second);
    return status;
}
