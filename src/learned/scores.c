/* SPDX-License-Identifier: MIT */
#include "scores.h"

#include <ctype.h>
#include <math.h>

#include "status.h"

enum { BATCH = 256 };

/* Names the key when its bytes can be shown. */
static int no_number(uf_key key, uf_error *why)
{
    const char *text = key.data;
    int shown = key.size > 0 && key.size <= 80;
    for (size_t i = 0; shown && i < key.size; i++)
        shown = isprint((unsigned char)text[i]);
    if (shown)
        return fail(why, UF_EINVAL, "the score of '%.*s' is not a number: every key needs one", (int)key.size, text);
    return fail(why, UF_EINVAL, "the score of a key of %zu bytes is not a number: every key needs one", key.size);
}

static void score_by_model(const uf_model *model, const uf_key *keys, size_t count, int64_t *out)
{
    int32_t score[BATCH];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < BATCH ? count - done : BATCH;
        uf_model_score_many(model, keys + done, step, score);
        for (size_t i = 0; i < step; i++)
            out[done + i] = score[i];
        done += step;
    }
}

static void score_hashes(const uf_model *model, const struct hash128 *hashes, size_t count, int64_t *out)
{
    unsigned char bytes[HASH_BYTES];
    for (size_t i = 0; i < count; i++) {
        hash_bytes(hashes[i], bytes);
        out[i] = model ? uf_model_score(model, (uf_key){bytes, HASH_BYTES}) : 0; /* it is trained when all are there */
    }
}

int learner_score(const struct learner *learner, const uf_key *keys, const struct hash128 *hashes, size_t count,
                  int64_t *out, uf_error *why)
{
    const uf_learning *learning = &learner->learning;
    if (learner->ops->learned->permuted)
        score_hashes(learning->model, hashes, count, out);
    else if (learning->model)
        score_by_model(learning->model, keys, count, out);
    for (size_t i = 0; learning->score && i < count; i++) {
        double own = learning->score(learning->score_arg, keys[i]);
        if (isnan(own))
            return no_number(keys[i], why);
        out[i] = score_order(own);
    }
    return UF_OK;
}
