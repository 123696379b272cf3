/* SPDX-License-Identifier: MIT */
#include "hasher_start.h"

#include <string.h>

#include "coin_source.h"
#include "context.h"
#include "derive.h"
#include "filter.h"
#include "keying.h"
#include "rng.h"
#include "status.h"

uint64_t seed_from_secret(const struct filter_ops *ops, const struct spec *spec, const uf_secret *secret,
                          const char *label)
{
    unsigned char key[32];
    struct reader reader = {key, 8, 0};
    struct digest digest;
    uf_spec text = {""};
    (void)coin_source_text(ops, spec, &text); /* it was planned before, from as long a text */
    digest_start(&digest, secret->master, label ? "release seed" : "hash seed");
    if (label)
        digest_add(&digest, label, strlen(label) + 1);
    digest_add(&digest, text.text, strlen(text.text));
    digest_end(&digest, key);
    return read_uint(&reader, 8);
}

/* With a label the seed of a private filter is fixed, too: it does not depend on the keys, which are not known yet.
 * Any other filter has a new one each time, so that building it anew ends every false positive that someone has found,
 * unless its spec says seed=derived. */
static int draw_seed(const struct filter_ops *ops, const struct spec *want, const uf_context *ctx, uint64_t *seed,
                     uf_error *why)
{
    struct rng rng;
    if (ops->hash != HASH_XXH3 || spec_get_seed(want, "seed", seed, why) == 1)
        return UF_OK;
    int derived = spec_derives_seed(want);
    if (derived && !ctx->secret)
        return fail(why, UF_EKEY, "seed=derived takes the seed from a key, and none was given");
    if (ops->declared && derived && !ctx->label)
        return fail(why, UF_EINVAL,
                    "seed=derived is not for %s: a private filter has fresh coins each time, and only a release with a "
                    "label can be made again",
                    ops->name);
    if (derived || (ops->declared && context_repeats(ctx))) {
        *seed = seed_from_secret(ops, want, ctx->secret, ops->declared ? ctx->label : NULL);
        return UF_OK;
    }
    int status = rng_open(&rng, ctx);
    if (status == UF_OK) {
        status = rng_u64(&rng, seed);
        rng_close(&rng);
    }
    return status == UF_OK ? status : fail(why, status, "the system gave no randomness for the filter's seed");
}

int hasher_start(const struct filter_ops *ops, const struct spec *want, const uf_context *ctx, struct hasher *out,
                 uf_error *why)
{
    const int keyed = has_key(ops, want);
    out->kind = ops->hash;
    if (keyed && !ctx->secret)
        return fail(why, UF_EKEY, "a keyed filter needs a key, which 'ultrafilter keygen' makes");
    int status = keyed ? keying_kind(want, &out->kind, why) : UF_OK;
    if (status == UF_OK)
        status = draw_seed(ops, want, ctx, &out->seed, why);
    if (status == UF_OK && keyed)
        keying_start(out, ctx->cpu, ctx->secret);
    return status;
}
