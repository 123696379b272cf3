/* SPDX-License-Identifier: MIT */
#include "describe.h"

#include <math.h>
#include <string.h>

#include "capacity.h"
#include "filter.h"
#include "keying.h"
#include "payload.h"
#include "released.h"
#include "sized.h"
#include "snapshot.h"

void plan_of(const uf_filter *filter, struct spec *plan)
{
    *plan = (struct spec){.count = 0};
    strcpy(plan->kind, filter->ops->name);
    filter->ops->describe(filter, plan);
    if (filter->hasher.kind != HASH_FNV1)
        spec_set_seed(plan, "seed", filter->hasher.seed);
    plan->keyed = is_keyed(filter) && !filter->ops->keyed;
    if (filter->capacity.policy != capacity_default(plan->keyed) && capacity_applies(filter->ops) &&
        !is_released(filter))
        (void)spec_set_text(plan, "full", capacity_name(filter->capacity.policy), NULL);
    if (is_keyed(filter))
        (void)spec_set_text(plan, "prf", keying_name(filter->hasher.kind), NULL);
}

/* Nobody publishes copies of other kinds, so that their files need not tell. */
void uf_mark_counted(uf_filter *filter)
{
    if (filter && filter->ops->copies)
        filter->counted = 1;
}

static int is_declared(const uf_filter *filter)
{
    return filter->ops->declared || (filter->ops->copies && !filter->counted && !is_released(filter));
}

static void info_of(const uf_filter *filter, uf_info *out)
{
    *out = (uf_info){.kind = filter->ops->name,
                     .bytes = payload_bytes(filter),
                     .count_estimate = NAN,
                     .fill = NAN,
                     .fpr_now = NAN,
                     .fnr_now = NAN,
                     .removed_estimate = NAN,
                     .deletable_share = NAN,
                     .copies = NAN,
                     .saturated = NAN,
                     .count = NAN};
    filter->ops->info(filter, out);
    out->normal = filter->normal;
    capacity_info(filter, out);
    out->declared = is_declared(filter);
    if (is_released(filter))
        released_info(filter, out);
}

int uf_get_info(const uf_filter *filter, uf_info *out, size_t size)
{
    struct snapshot snapshot;
    uf_info info;
    int status = snapshot_take(filter, &snapshot, NULL);
    if (status == UF_OK)
        info_of(snapshot.filter, &info);
    snapshot_drop(&snapshot);
    return status == UF_OK ? sized_write(&info, sizeof info, out, size) : status;
}

void uf_get_plan(const uf_filter *filter, uf_spec *out)
{
    struct spec plan;
    plan_of(filter, &plan);
    (void)spec_print(&plan, out, NULL); /* a handful of numbers always fits */
}

int uf_set_normal(uf_filter *filter, unsigned normal)
{
    if (!filter || normal & ~(unsigned)UF_NORMAL_ALL)
        return UF_EINVAL;
    if (filter->map)
        return UF_EREADONLY;
    filter->normal = normal;
    return UF_OK;
}

unsigned uf_get_normal(const uf_filter *filter)
{
    return filter ? filter->normal : 0;
}

void uf_get_key_id(const uf_filter *filter, char out[UF_KEY_ID_SIZE])
{
    out[0] = 0;
    if (is_keyed(filter))
        keying_id_text(&filter->hasher.stamp, out);
}

/* Whoever has the file knows how full this one is, so that a mean over seeds promises him nothing: where there is one,
 * the rate at its limit does. Kinds that remove have said in words of their own against whom. */
static void keyed_claim(const uf_filter *filter, uf_claim *out)
{
    if (isnan(out->adversarial_fpr))
        out->adversarial_fpr = filter->ops->most_rate ? fmax(filter->ops->most_rate(filter), out->fpr) : out->fpr;
    if (filter->ops->remove_many)
        return;
    out->adversary = "anyone without its key, even with this file and all answers at hand";
    out->not_protected = "how many keys there are; anything, from whoever has its key; and a false positive that was "
                         "found by asking is one until the filter is built with another seed";
    out->proof = "docs/threat-model.md#keyed";
}

/* Removals set no bit that a member has, so that they never raise the rate of keys that nobody has inserted; inserts do
 * where the filter neither refuses nor grows. */
static unsigned rate_holds_against(const uf_filter *filter, const uf_claim *claim)
{
    if (isnan(claim->adversarial_fpr))
        return 0;
    int grows = capacity_applies(filter->ops) && !is_released(filter) && filter->capacity.policy == FULL_WARN;
    return grows ? UF_AGAINST_ALL & ~(unsigned)UF_AGAINST_INSERTS : UF_AGAINST_ALL;
}

/* Kinds that remove say themselves what that does to members; released sets and other kinds take no removals. */
static void standing_claim(const uf_filter *filter, uf_claim *out)
{
    if (filter->ops->remove_many && !is_released(filter))
        return;
    out->fnr_against = UF_AGAINST_ALL;
    out->adversarial_fnr = out->fnr;
}

/* A plan is an average over seeds, and whoever has the file reads its fill: what is above the plan is claimed, too; so
 * is what a file hides that someone altered. */
static int claim_of_fill(const uf_filter *filter, uf_claim *out)
{
    uf_info info = {.fpr_now = NAN, .fnr_now = NAN};
    struct snapshot snapshot;
    int status = snapshot_take(filter, &snapshot, NULL);
    if (status == UF_OK)
        snapshot.filter->ops->info(snapshot.filter, &info);
    snapshot_drop(&snapshot);
    out->adversarial_fpr = fmax(out->adversarial_fpr, info.fpr_now);
    if (!isnan(out->adversarial_fnr))
        out->adversarial_fnr = fmax(out->adversarial_fnr, info.fnr_now);
    return status;
}

static int claim_of(const uf_filter *filter, uf_claim *out)
{
    *out = (uf_claim){
        .epsilon = NAN,
        .fpr = NAN,
        .adversarial_fpr = NAN,
        .unscored_fpr = NAN,
        .adversarial_fnr = NAN,
        .removed_fpr = NAN,
        .unit = "none",
        .adversary = "keys chosen without knowledge of this file; whoever has it can find false positives",
        .not_protected = "the keys: whoever has this file can test any guess against it",
        .proof = "",
        .rests_on = "",
    };
    int status = UF_OK;
    filter->ops->claim(filter, out);
    if (is_keyed(filter) && !filter->ops->own_claim) {
        keyed_claim(filter, out);
        status = claim_of_fill(filter, out);
    }
    if (filter->test_random)
        out->adversary = "nobody: its noise came from test randomness, which whoever made it can repeat";
    if (is_released(filter))
        released_claim(filter, out);
    standing_claim(filter, out);
    out->fpr_against = rate_holds_against(filter, out);
    return status;
}

int uf_get_claim(const uf_filter *filter, uf_claim *out, size_t size)
{
    uf_claim claim;
    int status = claim_of(filter, &claim);
    return status == UF_OK ? sized_write(&claim, sizeof claim, out, size) : status;
}
