/* SPDX-License-Identifier: MIT */
/*
 * A17, churn: insert, remove, insert others, ask for what was removed again. The attacker has neither key nor file, and
 * does what a service lets its users do.
 *
 * First the owner removes, and only members, each once: an attacker has inserted them and has them removed, round after
 * round, among members of other people. Then strangers remove: whatever is accepted, be it a key that was removed
 * before or one that was found by asking. Each figure stands beside what the filter's own claim promises for it
 * (uf_claim); nothing where it promises nothing.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attack.h"

enum { BATCH = 256, ROUNDS = 3, HUNTED = 32 };

/* The last is the control: it promises nothing when strangers remove, since it refuses nothing. */
static const struct subject {
    const char *kind, *full, *name;
} subjects[] = {
    {"counting", "refuse", "counting"},
    {"deletable", "refuse", "deletable"},
    {"tombstone", "refuse", "tombstone"},
    {"tombstone", "warn", "tombstone, warn"},
};

struct churn {
    struct attack_run *run;
    struct target target;
    uf_claim claim;
    char name[24];
    struct item_list others, own, removed; /* members of other people, those of the attacker, and what was removed */
};

/* ---- what users do ---- */

/* Up to `count` new items; those that the filter takes are members. */
static int insert(struct churn *churn, struct stream *stream, uint64_t count, struct item_list *members)
{
    struct item items[BATCH];
    int8_t verdict[BATCH];
    for (uint64_t done = 0; done < count; done += BATCH) {
        size_t step = count - done < BATCH ? (size_t)(count - done) : BATCH;
        items_draw(stream, items, step);
        int status = uf_add_fixed(churn->target.filter, items, ITEM_BYTES, step, verdict, churn->run->why);
        if (status != UF_OK && status != UF_EFULL && status != UF_ESTUCK)
            return status;
        for (size_t i = 0; i < step; i++)
            if (verdict[i] >= 0 && items_push(members, &items[i]))
                return attack_failed(churn->run, UF_ENOMEM);
    }
    return UF_OK;
}

static int remove_one(struct churn *churn, const struct item *item)
{
    return uf_remove(churn->target.filter, (uf_key){item->bytes, ITEM_BYTES}, NULL) == UF_OK;
}

/* The owner takes the attacker's members out, as they asked for. What cannot be taken out stays a member. */
static int remove_own(struct churn *churn)
{
    size_t kept = 0;
    for (size_t i = 0; i < churn->own.count; i++) {
        const struct item item = churn->own.items[i];
        if (!remove_one(churn, &item))
            churn->own.items[kept++] = item;
        else if (items_push(&churn->removed, &item))
            return attack_failed(churn->run, UF_ENOMEM);
    }
    churn->own.count = kept;
    return UF_OK;
}

/* Strangers have everything removed again that is accepted again, and what they find by asking. */
static void remove_found(struct churn *churn)
{
    uint64_t asked = (uint64_t)HUNTED * churn->target.plan.n;
    for (size_t i = 0; i < churn->removed.count; i++)
        (void)remove_one(churn, &churn->removed.items[i]);
    for (uint64_t i = 0; i < asked; i++) {
        struct item item;
        items_draw(&churn->run->stream, &item, 1);
        (void)remove_one(churn, &item);
    }
}

/* ---- what came of it ---- */

static double missed_of(const struct churn *churn, const struct item_list *list)
{
    return (double)list->count - (double)target_hits(&churn->target, list->items, list->count);
}

static void report_share(const struct churn *churn, const char *metric, const char *about, uint64_t hits, uint64_t of,
                         double promised)
{
    (void)attack_share(churn->run->result, churn->name, metric, about, hits, of, promised);
}

static void report(const struct churn *churn, const char *const metric[3], const char *const about[3], double missed)
{
    struct attack_run *run = churn->run;
    double rate = churn->claim.fpr_against & UF_AGAINST_INSERTS ? churn->claim.adversarial_fpr : NAN;
    report_share(churn, metric[0], about[0], target_hits_random(&churn->target, &run->other, run->request->trials),
                 run->request->trials, rate);
    report_share(churn, metric[1], about[1], target_hits(&churn->target, churn->removed.items, churn->removed.count),
                 churn->removed.count, churn->claim.removed_fpr);
    report_share(churn, metric[2], about[2],
                 (uint64_t)(missed_of(churn, &churn->others) + missed_of(churn, &churn->own)),
                 churn->others.count + churn->own.count, missed);
}

static int by_owner(struct churn *churn)
{
    static const char *const metric[3] = {"fresh_accepted", "removed_accepted", "members_missed"};
    static const char *const about[3] = {"fresh items accepted", "removed items accepted", "members missed"};
    uint64_t n = churn->target.plan.n;
    int status = insert(churn, &churn->run->other, n / 4, &churn->others);
    for (unsigned round = 0; status == UF_OK && round < ROUNDS; round++) {
        status = insert(churn, &churn->run->stream, n - n / 4, &churn->own);
        if (status == UF_OK && round + 1 < ROUNDS)
            status = remove_own(churn);
    }
    if (status == UF_OK)
        report(churn, metric, about, churn->claim.fnr_against & UF_AGAINST_OWN_REMOVALS ? churn->claim.fnr : NAN);
    return status;
}

static int by_strangers(struct churn *churn)
{
    static const char *const metric[3] = {"fresh_accepted_strangers", "removed_accepted_strangers",
                                          "members_missed_strangers"};
    static const char *const about[3] = {"strangers: fresh accepted", "strangers: removed accepted",
                                         "strangers: members missed"};
    int status = UF_OK;
    for (unsigned round = 0; status == UF_OK && round < ROUNDS; round++) {
        remove_found(churn);
        status = insert(churn, &churn->run->stream, churn->target.plan.n, &churn->own);
    }
    if (status == UF_OK)
        report(churn, metric, about, churn->claim.adversarial_fnr);
    return status;
}

static int churn_one(struct attack_run *run, const struct subject *subject)
{
    struct churn churn = {.run = run};
    struct target_plan plan = run->request->plan;
    plan.kind = subject->kind;
    plan.full = subject->full;
    (void)snprintf(churn.name, sizeof churn.name, run->id == TARGET_KEYED ? "keyed(%s)" : "%s", subject->name);
    int status = target_new(run->id, &plan, &run->ctx, &churn.target, run->why);
    if (status == UF_OK) {
        uf_get_claim(churn.target.filter, &churn.claim, sizeof churn.claim);
        status = by_owner(&churn);
        if (status == UF_OK)
            status = by_strangers(&churn);
        target_free(&churn.target);
    }
    free(churn.others.items);
    free(churn.own.items);
    free(churn.removed.items);
    return status;
}

static int churn_all(struct attack_run *run)
{
    const unsigned count = sizeof subjects / sizeof subjects[0];
    int status = UF_OK;
    for (unsigned i = 0; status == UF_OK && run->id != TARGET_REDIS && i < count; i++) {
        status = churn_one(run, &subjects[i]);
        if (status == UF_OK)
            status = attack_progress(run, i + 1, count);
    }
    return status;
}

static int run_attack(const struct attack_request *request, struct attack_result *out, uf_error *why)
{
    return attack_each(request, out, churn_all, NULL, why);
}

const struct attack attack_churn = {
    .name = "churn",
    .about = "insert, have removed, insert others, ask again and remove that (A17)",
    .meaning =
        "The design is what the filter's own claim says; - where it promises nothing. Fresh items are accepted at the "
        "planned rate whoever removes, and no member is missed while the owner removes members only. Strangers who may "
        "remove what is accepted hide members of counting and deletable filters; of a keyed tombstone filter no more "
        "than it claims, since it refuses further removals.",
    .takes = ATTACK_RATE,
    .usual = {.n = 10000, .trials = 1000000},
    .run = run_attack,
};
