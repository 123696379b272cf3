/* SPDX-License-Identifier: MIT */
/* Figures of learned filters, and what they promise. */
#include <math.h>

#include "learned.h"

static double child_rate(const struct uf_filter *child, enum learned_basis basis)
{
    uf_claim claim = {.fpr = 1};
    uf_info info = {.fpr_now = 1};
    if (basis == LEARNED_AS_IS)
        child->ops->info(child, &info);
    else
        child->ops->claim(child, &claim);
    return basis == LEARNED_AS_IS ? info.fpr_now : claim.fpr;
}

double learned_region_rate(const struct uf_filter *filter, unsigned region, enum learned_basis basis)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    unsigned child = learned->child_of[region];
    return child == LEARNED_NO_CHILD ? learned->regions.region[region].fpr : child_rate(filter->child[child], basis);
}

double learned_first_rate(const struct uf_filter *filter, enum learned_basis basis)
{
    return has_first(CONST_PARAMS(struct learned, filter)) ? child_rate(filter->child[0], basis) : 1;
}

/* As model/regions.c has it, with the rates that the children really have. */
double learned_rate(const struct uf_filter *filter, enum learned_basis basis, double margin)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    const struct regions *regions = &learned->regions;
    double rate = 0, squares = 0, seen = 1, worst = 0;
    for (unsigned i = 0; i < regions->count; i++)
        seen += (double)regions->region[i].negatives;
    for (unsigned i = 0; i < regions->count; i++) {
        const struct region *region = &regions->region[i];
        double share = ((double)region->negatives + 1) / seen, fpr = learned_region_rate(filter, i, basis);
        rate += share * fpr;
        squares += share * fpr * fpr;
        worst = fmax(worst, fpr);
    }
    if (regions->count == 1) /* every negative is in it: no share had to be estimated */
        squares = 0;
    rate = fmin(rate + margin * sqrt(squares / seen), worst); /* whatever the shares are */
    return learned_first_rate(filter, basis) * rate;
}

/* Of keys that someone chose who knows all but the secret, the fill of every filter included; 1 where a region has no
 * filter. */
static double worst_rate(const struct uf_filter *filter)
{
    double worst = 0;
    for (unsigned i = 0; i < CONST_PARAMS(struct learned, filter)->regions.count; i++)
        worst = fmax(worst, learned_region_rate(filter, i, LEARNED_AS_IS));
    return worst;
}

/* Of keys without a score, which are looked up in every region: at most the sum, whatever these have in common. */
static double unscored_rate(const struct uf_filter *filter)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    double sum = 0;
    for (unsigned i = 0; i < learned->regions.count; i++)
        sum += learned_region_rate(filter, i, LEARNED_AS_IS);
    return learned_first_rate(filter, LEARNED_AS_IS) * fmin(sum, 1);
}

void learned_capacity(const struct uf_filter *filter, struct planned *out)
{
    *out = (struct planned){.n = learned_keys(CONST_PARAMS(struct learned, filter))};
}

void learned_info(const struct uf_filter *filter, uf_info *out)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    out->capacity = learned_keys(learned);
    double filled = 0, bits = 0;
    for (unsigned i = 0; i < filter->children; i++) {
        uf_info child = {.bits = 0};
        filter->child[i]->ops->info(filter->child[i], &child);
        filled += child.fill * (double)child.bits;
        bits += (double)child.bits;
    }
    out->bits = (uint64_t)filter->word_count * 64 + (uint64_t)bits;
    out->fill = bits > 0 ? filled / bits : 0; /* of the filters inside */
    out->count_estimate = (double)out->capacity;
    out->fpr_now = learned_rate(filter, LEARNED_AS_IS, 0);
}

/* ---- claims ---- */

/* What a file tells to those who lack its key. */
static const char *told_without_key(const struct uf_filter *filter)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    for (unsigned i = 0; i < learned->regions.count; i++)
        if (!learned->regions.region[i].keys) /* of files that were made before regions had a least number of keys */
            return "how many keys score in each range, what they look like where a model is in this file, and that "
                   "none scores where it has none: such guesses are ruled out; anything, from whoever has its key; and "
                   "a false positive that was found by asking is one until the filter is built with another seed";
    if (learned->source == SCORES_OF_CALLER)
        return "how many keys score in each range, which makes some guesses likelier than others; anything, from "
               "whoever has its key; and a false positive that was found by asking is one until the filter is built "
               "with another seed";
    return "what the keys look like and how many score in each range, which makes some guesses likelier than others: "
           "whoever has this file has its model; anything, from whoever has its key; and a false positive that was "
           "found by asking is one until the filter is built with another seed";
}

/* A key changes nothing about the model, which everyone can read: whoever looks for keys with high scores finds those
 * that are accepted without a filter. */
static void claim_of_likeness(const struct uf_filter *filter, uf_claim *out)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    out->adversary =
        "keys like the negatives it was planned with; whoever changes a few letters of a key that it accepts "
        "finds false positives";
    out->not_protected = "the keys: whoever has this file can test any guess against it, and its model tells what they "
                         "look like";
    if (hash_is_keyed(filter->hasher.kind))
        out->not_protected = told_without_key(filter);
    else if (learned->source == SCORES_OF_CALLER)
        out->not_protected = "the keys: whoever has this file and the scores can test any guess against it";
    out->proof = "docs/learned.md#promise";
}

/* Where every region has a filter with a key of its own, the choice of a region is all that an adversary has. */
static void claim_under_attack(const struct uf_filter *filter, uf_claim *out)
{
    double worst = worst_rate(filter);
    out->adversarial_fpr = worst < 1 ? worst : NAN;
    out->adversary = worst < 1 ? "keys like the negatives it was planned with; with the rate under attack, anyone "
                                 "without its key, even with this file, its model and all answers at hand"
                               : "keys like the negatives it was planned with; whoever looks for keys with high scores "
                                 "finds false positives";
    out->not_protected = told_without_key(filter);
    out->proof = "docs/learned.md#under-attack";
}

/* Neither the model nor anyone else without the key sees more of a key than random bytes. */
static void claim_of_permuted(uf_claim *out)
{
    out->adversarial_fpr = out->fpr;
    out->adversary = "anyone without its key, even with this file and all answers at hand";
    out->not_protected = "how many keys there are; anything, from whoever has its key; and a false positive that was "
                         "found by asking is one until the filter is built with another seed";
    out->proof = "docs/learned.md#under-attack";
}

void learned_claim(const struct uf_filter *filter, uf_claim *out)
{
    out->fpr = learned_rate(filter, LEARNED_AS_IS, REGIONS_MARGIN);
    if (CONST_PARAMS(struct learned, filter)->source == SCORES_OF_CALLER)
        out->unscored_fpr = unscored_rate(filter);
    if (filter->ops->learned->permuted)
        claim_of_permuted(out);
    else if (has_own_keys(filter))
        claim_under_attack(filter, out);
    else
        claim_of_likeness(filter, out);
}
