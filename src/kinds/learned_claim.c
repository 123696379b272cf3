/* SPDX-License-Identifier: MIT */
/* Figures of learned filters, and what they promise. */
#include <math.h>

#include "learned.h"

static double child_rate(const struct uf_filter *child)
{
    uf_claim claim = {.fpr = 1};
    child->ops->claim(child, &claim);
    return claim.fpr;
}

static double region_rate(const struct uf_filter *filter, unsigned region)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    unsigned child = learned->child_of[region];
    return child == LEARNED_NO_CHILD ? learned->regions.region[region].fpr : child_rate(filter->child[child]);
}

/* As model/regions.c has it, with the rates that the children really have. */
double learned_rate(const struct uf_filter *filter, double margin)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    const struct regions *regions = &learned->regions;
    double rate = 0, squares = 0, seen = 1;
    for (unsigned i = 0; i < regions->count; i++)
        seen += (double)regions->region[i].negatives;
    for (unsigned i = 0; i < regions->count; i++) {
        const struct region *region = &regions->region[i];
        double share = ((double)region->negatives + 1) / seen, fpr = region_rate(filter, i);
        rate += share * fpr;
        squares += share * fpr * fpr;
    }
    if (regions->count == 1) /* every negative is in it: no share had to be estimated */
        squares = 0;
    rate = fmin(rate + margin * sqrt(squares / seen), 1);
    return has_first(learned) ? child_rate(filter->child[0]) * rate : rate;
}

double learned_worst_rate(const struct uf_filter *filter)
{
    double worst = 0;
    for (unsigned i = 0; i < CONST_PARAMS(struct learned, filter)->regions.count; i++)
        worst = fmax(worst, region_rate(filter, i));
    return worst;
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
    out->fpr_now = learned_rate(filter, 0);
}

/* ---- claims ---- */

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
        out->not_protected = "what the keys look like: whoever has this file has its model; with its key any guess can "
                             "be tested, too";
    else if (learned->source == SCORES_OF_CALLER)
        out->not_protected = "the keys: whoever has this file and the scores can test any guess against it";
    out->proof = "docs/learned.md#promise";
}

/* Where every region has a filter with a key of its own, the choice of a region is all that an adversary has. */
static void claim_under_attack(const struct uf_filter *filter, uf_claim *out)
{
    double worst = learned_worst_rate(filter);
    out->adversarial_fpr = worst < 1 ? worst : NAN;
    out->adversary = worst < 1 ? "keys like the negatives it was planned with; with the rate under attack, anyone "
                                 "without its key, even with this file, its model and all answers at hand"
                               : "keys like the negatives it was planned with; whoever looks for keys with high scores "
                                 "finds false positives";
    out->not_protected = "what the keys look like and how many there are: whoever has this file has its model; "
                         "anything, from whoever has its key; and a false positive that was found by asking is one "
                         "until the filter is built anew";
    out->proof = "docs/learned.md#under-attack";
}

void learned_claim(const struct uf_filter *filter, uf_claim *out)
{
    out->fpr = learned_rate(filter, REGIONS_MARGIN);
    if (has_own_keys(filter))
        claim_under_attack(filter, out);
    else
        claim_of_likeness(filter, out);
}
