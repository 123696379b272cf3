/* SPDX-License-Identifier: MIT */
#include "ultrafilter_keys.h"

#include <stdlib.h>

#include "random_strings.h"

enum { PIECE = 4096 };

/* Streams of their own, far from those of trials. */
static const uint64_t first_piece = UINT64_C(1) << 62;

static uf_spec array_spec(const struct hashed_keys *keys, unsigned hashes)
{
    uf_spec spec;
    (void)snprintf(spec.text, sizeof spec.text, "bloom:n=%llu,bits=%llu,k=%u,seed=0x%016llx",
                   (unsigned long long)keys->count, (unsigned long long)keys->count * PAPER_BITS, hashes,
                   (unsigned long long)keys->seed);
    return spec;
}

struct making {
    struct hashed_keys *keys;
    const uf_filter *hasher;
    const struct setup *setup;
};

static int hash_piece(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    const struct making *making = arg;
    const uint64_t count = making->keys->count, from = (number - first_piece) * PIECE;
    const size_t step = 2 * count - from < PIECE ? (size_t)(2 * count - from) : PIECE;
    struct stream stream;
    char strings[PIECE * STRING_BYTES];
    uf_key list[PIECE];
    (void)ctx;
    if (stream_open(&stream, making->setup->trials.seed, number))
        return experiment_fail(why, UF_ERANDOM);
    random_strings_draw(&stream, strings, step);
    for (size_t i = 0; i < step; i++)
        list[i] = (uf_key){strings + i * STRING_BYTES, STRING_BYTES};
    return uf_digest_many(making->hasher, list, step, making->keys->members + from, why);
}

int hashed_keys_make(const struct setup *setup, struct hashed_keys *out, uf_error *why)
{
    struct stream stream;
    struct trials trials = setup->trials;
    uf_filter *hasher = NULL;
    *out = (struct hashed_keys){.count = setup->keys};
    if (stream_open(&stream, setup->trials.seed, UINT64_MAX))
        return experiment_fail(why, UF_ERANDOM);
    out->seed = stream_next(&stream);
    out->members = malloc((size_t)(2 * setup->keys) * sizeof *out->members);
    if (!out->members)
        return experiment_fail(why, UF_ENOMEM);
    out->others = out->members + setup->keys;
    uf_spec spec = array_spec(out, 1);
    int status = uf_build(&spec, NULL, 0, NULL, &hasher, why);
    struct making making = {out, hasher, setup};
    trials.first = first_piece;
    trials.count = (2 * setup->keys + PIECE - 1) / PIECE;
    trials.progress = NULL;
    if (status == UF_OK)
        status = trials_run(&trials, hash_piece, &making, why);
    uf_free(hasher);
    return status;
}

void hashed_keys_free(struct hashed_keys *keys)
{
    free(keys->members);
}

int hashed_array(const struct hashed_keys *keys, unsigned hashes, const uf_digest *members, uint64_t count,
                 const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uf_spec spec = array_spec(keys, hashes);
    int status = uf_build(&spec, NULL, 0, ctx, out, why);
    return status == UF_OK ? uf_add_digests(*out, members, (size_t)count, NULL, why) : status;
}
