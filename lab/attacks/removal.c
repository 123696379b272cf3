/* SPDX-License-Identifier: MIT */
/*
 * A17, removal: find a key that is accepted and is no member, and have it removed. What goes with it belonged to
 * members, who are then missing. The attacker has neither key nor file: one in 1 / FPR of the keys they ask for will
 * do.
 *
 * What to expect, of n members in k partitions of `part` cells after R such removals. A cell has Poisson(l) members,
 * l = n / part, and a false positive's cells are any that are not empty, so that each of those is hit Poisson(h) times,
 * h = R / (part (1 - e^-l)). A member is lost when one of their k cells is, which has chance
 *
 *     counting    sum over v of Pois(v; l) P[H > v]        the cell has v others, and is taken as often as it counts
 *     deletable   u (1 - e^-h)                             u: nobody else in the cell, nobody twice in its region
 *
 * and for tombstone, whose removals take nothing away, with the chance that the filter of removed keys takes a member
 * for one of them. Ten thousand members at 1 %: the first removal costs 4.8 members of counting and 3.3 of deletable.
 *
 * The same behind an exact check: the owner has the set, and removes what is in it. No member is lost, as nothing is
 * removed. The filter cannot do this for them: that is what its false positives are.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attack.h"
#include "key_set.h"

enum { BATCH = 256, MOST_ASKED = 1 << 14 };

static const char *const kinds[] = {"counting", "deletable", "tombstone"};

struct removal {
    struct attack_run *run;
    struct target target;
    const char *kind;
    char name[24];
    struct item_list members;
    struct key_set set;       /* the exact check: the same members */
    uint64_t asked, attempts; /* keys asked for; of these, accepted and to be removed */
};

/* ---- what to expect ---- */

static double number_of(const uf_spec *plan, const char *name)
{
    double value;
    return uf_spec_get(plan, name, &value) == UF_OK ? value : NAN;
}

/* P[Poisson(mean) > value]. */
static double poisson_above(double mean, unsigned value)
{
    double term = exp(-mean), sum = term;
    for (unsigned i = 1; i <= value; i++) {
        term *= mean / i;
        sum += term;
    }
    return fmax(0, 1 - sum);
}

static double cell_lost_counting(double load, double hits)
{
    double chance = exp(-load), lost = 0;
    for (unsigned others = 0; others < 15; others++) {
        lost += chance * poisson_above(hits, others);
        chance *= load / (others + 1);
    }
    return lost;
}

static double cell_lost_deletable(double load, double hits, double region)
{
    return exp(-load) * pow((1 + load) * exp(-load), region - 1) * (1 - exp(-hits));
}

static double expected(const struct removal *removal)
{
    uf_spec plan;
    uf_get_plan(removal->target.filter, &plan);
    const double k = number_of(&plan, "k"), bits = number_of(&plan, "bits"), r = (double)removal->attempts;
    if (!strcmp(removal->kind, "tombstone")) {
        double hashes = number_of(&plan, "removed_k"), part = number_of(&plan, "removed_bits") / hashes;
        return pow(1 - exp(-r / part), hashes);
    }
    const int counting = !strcmp(removal->kind, "counting");
    const double region = counting ? 1 : number_of(&plan, "region"), part = bits / (counting ? 4 : 1 + 1 / region) / k;
    const double load = (double)removal->members.count / part, hits = r / (part * (1 - exp(-load)));
    return 1 - pow(1 - (counting ? cell_lost_counting(load, hits) : cell_lost_deletable(load, hits, region)), k);
}

/* ---- the attack ---- */

static int fill(struct removal *removal)
{
    const uint64_t n = removal->target.plan.n;
    for (uint64_t i = 0; i < n; i++) {
        struct item item;
        items_draw(&removal->run->other, &item, 1);
        int status = target_insert(&removal->target, &item, 1);
        if (status == UF_OK &&
            (items_push(&removal->members, &item) || key_set_add(&removal->set, (uf_key){item.bytes, ITEM_BYTES}) < 0))
            status = UF_ENOMEM;
        if (status != UF_OK)
            return attack_failed(removal->run, status);
    }
    return UF_OK;
}

/* What a service does that is asked to remove a key. */
static void remove_if_asked(struct removal *removal, const struct item *item, int checked)
{
    const uf_key key = {item->bytes, ITEM_BYTES};
    if (!checked || key_set_has(&removal->set, key))
        (void)uf_remove(removal->target.filter, key, NULL);
}

/* Asks for random keys and has removed what is accepted; a member would not be among them. A filter that accepts
 * nothing any more ends it. */
static int attack_with(struct removal *removal, int checked)
{
    const uint64_t most = removal->run->request->trials;
    uint64_t vain = 0;
    int status = UF_OK;
    removal->asked = removal->attempts = 0;
    while (status == UF_OK && removal->attempts < most && vain < MOST_ASKED) {
        struct item items[BATCH];
        uint8_t answers[BATCH];
        items_draw(&removal->run->stream, items, BATCH);
        target_query(&removal->target, items, BATCH, answers);
        removal->asked += BATCH;
        for (size_t i = 0; i < BATCH && removal->attempts < most; i++) {
            vain = answers[i] ? 0 : vain + 1;
            if (!answers[i])
                continue;
            removal->attempts++;
            remove_if_asked(removal, &items[i], checked);
        }
        status = attack_progress(removal->run, removal->attempts, most);
    }
    return status;
}

static void report(const struct removal *removal, const char *metric, const char *about, double design)
{
    const uint64_t n = removal->members.count;
    uint64_t found = target_hits(&removal->target, removal->members.items, removal->members.count);
    attack_cost(attack_share(removal->run->result, removal->name, metric, about, n - found, n, design),
                removal->attempts ? (double)removal->asked / (double)removal->attempts : NAN,
                "keys asked for per removal");
}

/* Behind the check first: it leaves the filter as it is. */
static int play(struct removal *removal)
{
    int status = fill(removal);
    if (status == UF_OK)
        status = attack_with(removal, 1);
    if (status != UF_OK)
        return status;
    report(removal, "members_lost_checked", "members lost, exact check", 0);
    status = attack_with(removal, 0);
    if (status == UF_OK)
        report(removal, "members_lost", "members lost, no check", expected(removal));
    return status;
}

static int removal_one(struct attack_run *run, const char *kind)
{
    struct removal removal = {.run = run, .kind = kind};
    struct target_plan plan = run->request->plan;
    plan.kind = kind;
    plan.full = "warn";
    (void)snprintf(removal.name, sizeof removal.name, run->id == TARGET_KEYED ? "keyed(%s)" : "%s", kind);
    int status = target_new(run->id, &plan, &run->ctx, &removal.target, run->why);
    if (status == UF_OK) {
        status = play(&removal);
        target_free(&removal.target);
    }
    free(removal.members.items);
    key_set_free(&removal.set);
    return status;
}

static int removal_all(struct attack_run *run)
{
    int status = UF_OK;
    for (unsigned i = 0; status == UF_OK && run->id != TARGET_REDIS && i < sizeof kinds / sizeof kinds[0]; i++)
        status = removal_one(run, kinds[i]);
    return status;
}

static int run_attack(const struct attack_request *request, struct attack_result *out, uf_error *why)
{
    return attack_each(request, out, removal_all, NULL, why);
}

const struct attack attack_removal = {
    .name = "removal",
    .about = "find a false positive, have it removed, and see which members go with it (A17)",
    .meaning =
        "The value is the share of the members that are lost after --trials such removals, the design what theory "
        "expects. A filter cannot tell a false positive from a member: remove only what an exact set says is in "
        "it. Behind such a check nobody is lost; a key does not help.",
    .takes = ATTACK_RATE,
    .usual = {.n = 10000, .trials = 100},
    .run = run_attack,
};
