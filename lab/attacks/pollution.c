/* SPDX-License-Identifier: MIT */
/*
 * A1, pollution: n inserts, as many as the filter was planned for, but chosen so that each sets as many bits as it can.
 * After items of which each set k new bits the fill is n k / m instead of 1 - e^(-n k / m), and the rate (n k / m)^k:
 * 0.1105 instead of 0.0099 at 1 %. A candidate is looked up in the attacker's own copy, which takes no query.
 *
 * A9, negatives only: whoever cannot compute bits, but may query, inserts only what the filter does not have yet. Every
 * insert then sets a bit at least. That gains next to nothing.
 */
#include <stdio.h>

#include "attack.h"

/* Candidates for one insert. Against a filter that is 73 % full, seven zeros take 10,000; six take 400. */
enum { EFFORT = 2048, POINTS = 24 };

/* The best of some candidates; returns how many were tried. */
static uint64_t choose(const struct view *view, struct stream *stream, struct item *best)
{
    unsigned most = 0;
    uint64_t tries = 0;
    for (; tries < EFFORT && most < view->k; tries++) {
        struct item candidate;
        items_draw(stream, &candidate, 1);
        unsigned fresh = view_fresh(view, &candidate, most + 1);
        if (!tries || fresh > most) {
            most = fresh;
            *best = candidate;
        }
    }
    return tries;
}

static void add_point(struct attack_run *run, const struct target *target, uint64_t items)
{
    struct attack_result *result = run->result;
    if (result->points == ATTACK_POINTS)
        return;
    struct attack_point *point = &result->point[result->points++];
    *point = (struct attack_point){.items = items, .fpr = target_rate_now(target)};
    (void)snprintf(point->target, sizeof point->target, "%s", target->name);
}

static int is_point(uint64_t items, uint64_t n)
{
    return items * POINTS / n != (items - 1) * POINTS / n;
}

/* One insert after the other, as `pick` says; *cost counts what it took to find them. */
static int insert_all(struct attack_run *run, struct target *target, struct view *view, int plot,
                      uint64_t (*pick)(struct attack_run *, const struct target *, struct view *, struct item *),
                      uint64_t *cost)
{
    uint64_t n = run->wish->plan.n;
    int status = UF_OK;
    for (uint64_t i = 1; status == UF_OK && i <= n; i++) {
        struct item item;
        *cost += pick(run, target, view, &item);
        status = attack_failed(run, target_insert(target, &item, 1));
        if (plot && is_point(i, n))
            add_point(run, target, i);
        if (status == UF_OK && i % 256 == 0)
            status = attack_progress(run, i, n);
    }
    return status;
}

static uint64_t pick_fresh(struct attack_run *run, const struct target *target, struct view *view, struct item *item)
{
    (void)target;
    uint64_t tries = choose(view, &run->stream, item);
    view_set(view, item);
    return tries;
}

static uint64_t pick_negative(struct attack_run *run, const struct target *target, struct view *view, struct item *item)
{
    uint64_t queries = 0;
    (void)view;
    do
        items_draw(&run->stream, item, 1);
    while (queries++ < EFFORT && target_hits(target, item, 1));
    return queries;
}

static void report(struct attack_run *run, const struct target *target, const char *metric, const char *about,
                   uint64_t cost, const char *unit)
{
    uint64_t hits = target_hits_random(target, &run->other, run->wish->trials);
    struct attack_row *row =
        attack_share(run->result, target->name, metric, about, hits, run->wish->trials, target->design);
    attack_cost(row, (double)cost / (double)run->wish->plan.n, unit);
}

static int pollute(struct attack_run *run)
{
    struct target target;
    struct view view;
    uint64_t tries = 0;
    int status = attack_target(run, &target);
    if (status != UF_OK)
        return status;
    status = target_view(&target, stream_next(&run->stream), &view, run->why);
    if (status == UF_OK) {
        status = insert_all(run, &target, &view, 1, pick_fresh, &tries);
        view_free(&view);
    }
    if (status == UF_OK)
        report(run, &target, "fpr", "accepted afterwards", tries, "candidates per item");
    target_free(&target);
    return status;
}

static int insert_negatives(struct attack_run *run)
{
    struct target target;
    uint64_t queries = 0;
    int status = attack_target(run, &target);
    if (status != UF_OK)
        return status;
    status = insert_all(run, &target, NULL, 0, pick_negative, &queries);
    if (status == UF_OK)
        report(run, &target, "fpr_negatives_only", "by negatives only", queries, "queries per item");
    target_free(&target);
    return status;
}

static int both(struct attack_run *run)
{
    int status = pollute(run);
    return status == UF_OK ? insert_negatives(run) : status;
}

static int run_attack(const struct attack_wish *wish, struct attack_result *out, uf_error *why)
{
    return attack_each(wish, out, both, NULL, why);
}

const struct attack attack_pollution = {
    .name = "pollution",
    .about = "insert items that set as many bits as possible (A1, A9)",
    .meaning =
        "As many items were inserted as the filter is planned for, each the best of up to 2,048 candidates in the "
        "attacker's own copy; then other items were asked for. Without the key the copy is worthless, and "
        "inserting only what the filter does not know yet gains next to nothing.",
    .takes = ATTACK_PLAN,
    .usual = {.n = 100000, .trials = 1000000},
    .has_plot = 1,
    .run = run_attack,
};
