/* SPDX-License-Identifier: MIT */
#include "released_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refuse.h"

enum { NEGATIVES = 256, FIRST_NEGATIVE = 1000000000, TEXT = 16 };

static void kind_of(const uf_spec *spec, char out[24])
{
    size_t length = strcspn(spec->text, ":");
    (void)snprintf(out, 24, "%.*s", (int)(length < 23 ? length : 23), spec->text);
}

int released_filter_is_learned(const uf_spec *spec)
{
    char kind[24];
    kind_of(spec, kind);
    return (uf_kind_traits(kind) & UF_TRAIT_LEARNED) != 0;
}

/* The released keys: their texts stay with the universe's owner only until the next call, so they are copied. */
struct key_copy {
    uf_key *keys;       /* owned */
    char (*text)[TEXT]; /* owned */
    size_t count, capacity;
};

static int copy_keys(void *arg, const uf_key *keys, size_t count)
{
    struct key_copy *copy = arg;
    for (size_t i = 0; i < count; i++, copy->count++) {
        if (copy->count == copy->capacity || keys[i].size > TEXT)
            return 1;
        memcpy(copy->text[copy->count], keys[i].data, keys[i].size);
        copy->keys[copy->count] = (uf_key){copy->text[copy->count], keys[i].size};
    }
    return 0;
}

/* Half of them to train on, half to plan with. */
struct negatives {
    uf_key key[2 * NEGATIVES];
    char text[2 * NEGATIVES][TEXT];
};

static void list_negatives(struct negatives *out)
{
    for (unsigned i = 0; i < 2 * NEGATIVES; i++) {
        int length = snprintf(out->text[i], TEXT, "%u", FIRST_NEGATIVE + 7919 * i);
        out->key[i] = (uf_key){out->text[i], (size_t)length};
    }
}

static int build_learned(const uf_spec *spec, const uf_set *released, const struct key_copy *keys,
                         const uf_context *ctx, uf_filter **out, uf_model **model, uf_error *why)
{
    struct negatives negatives;
    uf_training how = UF_TRAINING_INIT;
    uf_learning learning = UF_LEARNING_INIT;
    uf_context own = *ctx;
    list_negatives(&negatives);
    how.positives = keys->keys;
    how.positive_count = keys->count;
    how.negatives = negatives.key;
    how.valid = learning.valid = negatives.key + NEGATIVES;
    how.negative_count = how.valid_count = learning.valid_count = NEGATIVES;
    int status = uf_train(&how, ctx, model, why);
    learning.model = *model;
    learning.force = 1;
    own.learning = &learning;
    return status == UF_OK ? uf_build_set(spec, released, &own, out, why) : status;
}

int released_filter_make(const uf_spec *spec, const uf_set *released, const uf_context *ctx, uf_filter **out,
                         uf_model **model, uf_error *why)
{
    *model = NULL;
    if (!released_filter_is_learned(spec))
        return uf_build_set(spec, released, ctx, out, why);
    const size_t count = (size_t)uf_set_count(released);
    struct key_copy copy = {calloc(count + 1, sizeof *copy.keys), calloc(count + 1, sizeof *copy.text), 0, count};
    int status = copy.keys && copy.text ? uf_set_each(released, copy_keys, &copy, why)
                                        : refuse(why, UF_ENOMEM, "no memory for the released keys");
    if (status == UF_OK)
        status = build_learned(spec, released, &copy, ctx, out, model, why);
    free(copy.keys);
    free(copy.text);
    return status;
}
