/* SPDX-License-Identifier: MIT */
/*
 * A2, saturation: inserts until every bit is set and everything is accepted. Random items take
 *
 *     (m / k) (ln m + 0.577)
 *
 * of them, since the last bits are hit by chance only (the coupon collector). Whoever can choose where bits go needs
 * m / k: crafted items with b = 1 have k neighbouring bits in RedisBloom (murmur.h). Search on a copy comes near.
 * A filter that refuses inserts beyond its plan (full=refuse) ends the attack there, whoever it is that inserts: the
 * second part goes on until it does, and asks what the filter accepts then.
 */
#include <math.h>

#include "attack.h"
#include "murmur.h"

/* Candidates for one insert; at the end, as many as it takes to hit a bit. */
enum { EFFORT = 1024, LOOKS = 512, ASKED = 1000000 };

static double random_items(const struct view *view)
{
    return (double)view->bits / view->k * (log((double)view->bits) + 0.5772);
}

/* An item with the most new bits of some candidates, and with one at least. */
static uint64_t choose(const struct view *view, struct stream *stream, struct item *best)
{
    unsigned most = 0;
    uint64_t tries = 0;
    while (most < view->k && (tries < EFFORT || !most)) {
        struct item candidate;
        items_draw(stream, &candidate, 1);
        unsigned fresh = view_fresh(view, &candidate, most + 1);
        tries++;
        if (fresh > most) {
            most = fresh;
            *best = candidate;
        }
    }
    return tries;
}

/* What the attacker has at the moment. */
struct progress {
    struct view view;
    uint64_t items, work;
    uint64_t left; /* bits that are not set in the copy */
};

static void next_item(struct attack_run *run, struct progress *progress, struct item *item)
{
    struct view *view = &progress->view;
    if (!progress->left) /* the copy is full and the target is not: it was no copy */
        items_draw(&run->stream, item, 1);
    else if (run->id == TARGET_REDIS)
        (void)murmur_craft_any(progress->items * view->k % view->units, view->units, 1, &run->stream, item, 1,
                               &progress->work);
    else
        progress->work += choose(view, &run->stream, item);
    progress->left -= view_set(view, item);
}

static int fill_up(struct attack_run *run, struct target *target, struct progress *progress)
{
    uint64_t look = 1, expected = (uint64_t)random_items(&progress->view);
    int status = UF_OK;
    while (status == UF_OK) {
        struct item item;
        next_item(run, progress, &item);
        status = target_insert(target, &item, 1);
        progress->items += status == UF_OK;
        if (status == UF_OK && progress->items >= look) {
            if (target_fill_now(target) >= 1)
                break;
            look += 1 + progress->items / LOOKS;
            status = attack_progress(run, progress->items, expected);
        }
    }
    return status;
}

static void report_cost(const struct attack_run *run, const struct progress *progress, struct attack_row *row)
{
    if (progress->items)
        attack_cost(row, (double)progress->work / (double)progress->items,
                    run->id == TARGET_REDIS ? "solver steps per item" : "candidates per item");
}

static void report_full(struct attack_run *run, const struct target *target, const struct progress *progress)
{
    report_cost(run, progress,
                attack_count(run->result, target->name, "items_until_full", "items until all bits are set",
                             (double)progress->items, random_items(&progress->view)));
}

static void report_refused(struct attack_run *run, const struct target *target, const struct progress *progress)
{
    uint64_t hits = target_hits_random(target, &run->other, ASKED);
    report_cost(run, progress,
                attack_count(run->result, target->name, "items_until_refused", "items until it refused more",
                             (double)progress->items, (double)run->wish->plan.n));
    (void)attack_share(run->result, target->name, "fpr_when_refused", "accepted then", hits, ASKED, target->design);
}

/* One target of this policy, until it is full in its way. */
static int saturate(struct attack_run *run, const char *full)
{
    struct target_plan plan = run->wish->plan;
    struct target target;
    struct progress progress = {.items = 0};
    plan.full = full;
    int status = target_new(run->id, &plan, &run->ctx, &target, run->why);
    if (status != UF_OK)
        return status;
    status = target_view(&target, stream_next(&run->stream), &progress.view, run->why);
    if (status == UF_OK) {
        progress.left = progress.view.bits;
        status = fill_up(run, &target, &progress);
        if (status == UF_OK)
            report_full(run, &target, &progress);
        else if (status == UF_EFULL)
            report_refused(run, &target, &progress);
        status = status == UF_EFULL ? UF_OK : attack_failed(run, status);
        view_free(&progress.view);
    }
    target_free(&target);
    return status;
}

static int both(struct attack_run *run)
{
    int status = saturate(run, "warn");
    return status == UF_OK && run->id != TARGET_REDIS ? saturate(run, "refuse") : status;
}

static int run_attack(const struct attack_wish *wish, struct attack_result *out, uf_error *why)
{
    return attack_each(wish, out, both, NULL, why);
}

const struct attack attack_saturation = {
    .name = "saturation",
    .about = "insert until every item is accepted (A2)",
    .meaning =
        "The design is the number of random items it takes. Choosing them saves most of it; against a keyed filter "
        "nothing can be chosen. Ours is attacked twice: with full=warn, which takes all items, and with full=refuse, "
        "the default of keyed filters, which ends the attack at the rate that was planned.",
    .takes = ATTACK_PLAN,
    .usual = {.n = 2000, .trials = 1},
    .run = run_attack,
};
