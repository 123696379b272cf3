/* SPDX-License-Identifier: MIT */
/*
 * A16, concentration: all items into a share of the blocks of a blocked filter. Its fill stays that of few items, since
 * bits are set over and over, but blocks that are full accept everything: with 55 % of them the rate is half of one,
 * long before the fill is what was planned. So a filter that measures its fill lets that happen, and one that measures
 * its rate does not. Each target is attacked with full=warn and with full=refuse, by n items at most; without the key
 * the blocks are others, and the items no better than random ones. RedisBloom has no blocks.
 */
#include "attack.h"

#define SHARE 0.55

enum { BLOCK = 512 };

/* The next item whose block, as far as the attacker can tell, is one of the first; returns how many were tried. */
static uint64_t choose(const struct view *view, struct stream *stream, struct item *out)
{
    uint64_t tries = 0;
    do {
        items_draw(stream, out, 1);
        tries++;
    } while ((double)(view_position(view, view_hash(view, out), 0) / BLOCK) >= SHARE * (double)view->units);
    return tries;
}

/* Until it refuses, or n are in. */
static int insert_all(struct attack_run *run, struct target *target, const struct view *view, uint64_t *in,
                      uint64_t *tries)
{
    uint64_t n = run->request->plan.n;
    int status = UF_OK;
    for (*in = *tries = 0; status == UF_OK && *in < n;) {
        struct item item;
        *tries += choose(view, &run->stream, &item);
        status = target_insert(target, &item, 1);
        *in += status == UF_OK;
        if (status == UF_OK && *in % 256 == 0)
            status = attack_progress(run, *in, n);
    }
    return status == UF_EFULL ? UF_OK : status;
}

static void report(struct attack_run *run, const struct target *target, int refuses, uint64_t in, uint64_t tries)
{
    uint64_t trials = run->request->trials, hits = target_hits_random(target, &run->other, trials);
    struct attack_row *row;
    if (refuses)
        (void)attack_count(run->result, target->name, "items_until_refused", "items until it refused more", (double)in,
                           (double)run->request->plan.n);
    row = attack_share(run->result, target->name, refuses ? "fpr_when_refused" : "fpr",
                       refuses ? "accepted then" : "accepted afterwards, with full=warn", hits, trials, target->design);
    attack_cost(row, in ? (double)tries / (double)in : 0, "candidates per item");
}

static int concentrate(struct attack_run *run, int refuses)
{
    struct target_plan plan = run->request->plan;
    struct target target;
    struct view view;
    uint64_t in, tries;
    plan.kind = "blocked";
    plan.full = refuses ? "refuse" : "warn";
    int status = target_new(run->id, &plan, &run->ctx, &target, run->why);
    if (status != UF_OK)
        return status;
    status = target_view(&target, stream_next(&run->stream), &view, run->why);
    if (status == UF_OK) {
        status = attack_failed(run, insert_all(run, &target, &view, &in, &tries));
        view_free(&view);
    }
    if (status == UF_OK)
        report(run, &target, refuses, in, tries);
    target_free(&target);
    return status;
}

static int both(struct attack_run *run)
{
    if (run->id == TARGET_REDIS)
        return UF_OK;
    int status = concentrate(run, 0);
    return status == UF_OK ? concentrate(run, 1) : status;
}

static int run_attack(const struct attack_request *request, struct attack_result *out, uf_error *why)
{
    return attack_each(request, out, both, NULL, why);
}

const struct attack attack_concentrate = {
    .name = "concentrate",
    .about = "insert items into a share of the blocks only (A16)",
    .meaning =
        "Items were inserted, as many as the filter is planned for at most, whose blocks are among 55 % of all; then "
        "other items were asked for. With full=refuse the rate itself is limited, so that nobody gets above it. "
        "Without "
        "the key the attacker knows no blocks. The kind is always blocked.",
    .usual = {.n = 100000, .trials = 1000000},
    .run = run_attack,
};
