/* SPDX-License-Identifier: MIT */
/*
 * A3, forgery by search: the attacker tries random items on a copy of the file until some are accepted there, and only
 * then shows them to the filter. About 1 / FPR tries on their own machine for each; not one query is wasted.
 */
#include "attack.h"

enum { BATCH = 256 };

/* Items that the copy accepts; returns the tries it took. */
static uint64_t search(const struct view *view, struct stream *stream, struct item *out, size_t count)
{
    uint64_t tries = 0;
    for (size_t found = 0; found < count; tries++) {
        items_draw(stream, &out[found], 1);
        found += (size_t)view_has(view, &out[found]);
    }
    return tries;
}

static int show(struct attack_run *run, const struct target *target, const struct view *view)
{
    uint64_t trials = run->wish->trials, hits = 0, tries = 0;
    int status = UF_OK;
    for (uint64_t done = 0; status == UF_OK && done < trials;) {
        struct item items[BATCH];
        size_t step = trials - done < BATCH ? (size_t)(trials - done) : BATCH;
        tries += search(view, &run->stream, items, step);
        hits += target_hits(target, items, step);
        done += step;
        status = attack_progress(run, done, trials);
    }
    if (status == UF_OK)
        attack_cost(
            attack_share(run->result, target->name, "hit_rate", "forged items accepted", hits, trials, target->design),
            (double)tries / (double)trials, "tries on the copy per item");
    return status;
}

static int forge(struct attack_run *run)
{
    struct target target;
    struct view view;
    int status = attack_full_target(run, &target);
    if (status != UF_OK)
        return status;
    status = target_view(&target, stream_next(&run->stream), &view, run->why);
    if (status == UF_OK) {
        status = show(run, &target, &view);
        view_free(&view);
    }
    target_free(&target);
    return status;
}

static int run_attack(const struct attack_wish *wish, struct attack_result *out, uf_error *why)
{
    return attack_each(wish, out, forge, NULL, why);
}

const struct attack attack_forge = {
    .name = "forge",
    .about = "search false positives on a copy of the file (A3)",
    .meaning = "Whoever has the file of an unkeyed filter finds as many false positives as they like without a single "
               "query. Without the key the same search finds nothing: what it shows is accepted at the design rate.",
    .takes = ATTACK_PLAN,
    .usual = {100000, 100000},
    .run = run_attack,
};
