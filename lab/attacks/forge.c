/* SPDX-License-Identifier: MIT */
/*
 * A3, forgery by search: the attacker tries random items on a copy of the file until some are accepted there, and only
 * then shows them to the filter. About 1 / FPR tries on their own machine for each; not one query is wasted.
 */
#include "attack.h"

/* Items that the copy accepts; returns the tries it took. */
static uint64_t search(const void *view, struct stream *stream, struct item *out, size_t count)
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
    return attack_show(run, target, search, view, "hit_rate", "forged items accepted");
}

static int forge(struct attack_run *run)
{
    return attack_full_view(run, show);
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
    .usual = {.n = 100000, .trials = 100000},
    .run = run_attack,
};
