/* SPDX-License-Identifier: MIT */
#include "negatives.h"

#include <string.h>

#include "overlap.h"
#include "parallel.h"
#include "scores.h"
#include "status.h"

enum { SLICE = 4096 };

/* ---- hashes and scores ---- */

struct scoring {
    const struct learner *learner;
    int64_t *score;
    uint64_t *hash;
    uf_error *why;
    int failed;
};

static int score_slice(void *arg, size_t slice)
{
    struct scoring *s = arg;
    const uf_learning *learning = &s->learner->learning;
    size_t from = slice * SLICE, left = learning->valid_count - from, count = left < SLICE ? left : SLICE;
    struct hash_source source = source_of_keys(s->learner->hasher, learning->valid + from);
    struct hash128 hash[SLICE];
    uf_error why;
    source.fill(&source, hash, count);
    for (size_t i = 0; i < count; i++)
        s->hash[from + i] = hash[i].lo;
    int status = learner_score(s->learner, learning->valid + from, hash, count, s->score + from, &why);
    if (status != UF_OK && !__atomic_exchange_n(&s->failed, 1, __ATOMIC_RELAXED) && s->why)
        *s->why = why;
    return status;
}

/* ---- which of them count ---- */

/* What a negative is compared with. */
struct others {
    struct overlap set, trained, seen;
};

static int gather_set(const struct learner *learner, struct overlap *out)
{
    int status = overlap_new(&learner->mem, learner->keys.count, out);
    for (const struct scored_piece *piece = learner->keys.pieces; status == UF_OK && piece; piece = piece->next)
        for (size_t i = 0; i < piece->used; i++)
            (void)overlap_add(out, piece->item[i].hash.lo);
    return status;
}

static int gather_trained(const struct learner *learner, struct overlap *out)
{
    const uf_learning *learning = &learner->learning;
    size_t count = learning->negatives ? learning->negative_count : 0;
    int status = overlap_new(&learner->mem, count, out);
    for (size_t i = 0; status == UF_OK && i < count; i++)
        (void)overlap_add(out, hash_key(learner->hasher, learning->negatives[i]).lo);
    return status;
}

static void others_free(struct others *others)
{
    overlap_free(&others->set);
    overlap_free(&others->trained);
    overlap_free(&others->seen);
}

static int others_gather(const struct learner *learner, struct others *out)
{
    struct others others = {{.mem = learner->mem}, {.mem = learner->mem}, {.mem = learner->mem}};
    int status = gather_set(learner, &others.set);
    if (status == UF_OK)
        status = gather_trained(learner, &others.trained);
    if (status == UF_OK)
        status = overlap_new(&learner->mem, learner->learning.valid_count, &others.seen);
    if (status == UF_OK)
        *out = others;
    else
        others_free(&others);
    return status;
}

/* Scores of those that count, to the front. */
static void sort_out(struct negatives *out, const uint64_t *hash, struct others *others)
{
    for (size_t i = 0; i < out->lines; i++)
        if (!overlap_add(&others->seen, hash[i]))
            out->repeated++;
        else if (overlap_holds(&others->trained, hash[i]))
            out->known++;
        else if (overlap_holds(&others->set, hash[i]))
            out->member[out->members++] = out->score[i];
        else
            out->score[out->fresh++] = out->score[i];
    memcpy(out->score + out->fresh, out->member, out->members * sizeof *out->score);
}

static int check_rest(const struct negatives *negatives, uf_error *why)
{
    if (negatives->fresh)
        return UF_OK;
    if (!negatives->members)
        return fail(why, UF_EINVAL,
                    "all %zu negatives to plan with were trained on, too, and say nothing about fresh keys: split the "
                    "list, half for either",
                    negatives->known);
    return fail(why, UF_EINVAL, "all %zu negatives are keys of the set%s: give keys that are not in it",
                negatives->members + negatives->known, negatives->known ? " or were trained on" : "");
}

/* ---- the whole ---- */

static int read_all(const struct learner *learner, uint64_t *hash, struct negatives *out, uf_error *why)
{
    struct scoring scoring = {learner, out->score, hash, why, 0};
    struct others others;
    int status = parallel_for(learner->ctx.threads, (out->lines + SLICE - 1) / SLICE, score_slice, &scoring);
    if (status != UF_OK)
        return status;
    status = others_gather(learner, &others);
    if (status != UF_OK)
        return fail(why, status, "no memory to compare the negatives with the keys");
    sort_out(out, hash, &others);
    others_free(&others);
    return check_rest(out, why);
}

int negatives_read(const struct learner *learner, struct negatives *out, uf_error *why)
{
    struct negatives negatives = {.mem = learner->mem, .lines = learner->learning.valid_count};
    uint64_t *hash = mem_alloc_dirty(&learner->mem, negatives.lines, sizeof *hash);
    negatives.score = mem_alloc_dirty(&learner->mem, negatives.lines, sizeof *negatives.score);
    negatives.member = mem_alloc_dirty(&learner->mem, negatives.lines, sizeof *negatives.member);
    int status = hash && negatives.score && negatives.member
                     ? read_all(learner, hash, &negatives, why)
                     : fail(why, UF_ENOMEM, "no memory for the scores of %zu negatives", negatives.lines);
    mem_free(&learner->mem, hash, negatives.lines, sizeof *hash);
    if (status == UF_OK)
        *out = negatives;
    else
        negatives_free(&negatives);
    return status;
}

void negatives_free(struct negatives *negatives)
{
    mem_free(&negatives->mem, negatives->score, negatives->lines, sizeof *negatives->score);
    mem_free(&negatives->mem, negatives->member, negatives->lines, sizeof *negatives->member);
}
