/* SPDX-License-Identifier: MIT */
/*
 * A8, queries only: the attacker asks for random items until some are accepted, then asks for those again, and for
 * items that differ from them in one bit. A false positive that was found stays one for as long as the filter lives;
 * what it must not do is to lead to others.
 */
#include <math.h>

#include "attack.h"

enum { BATCH = 256, KEPT = 2048, MUTANTS = 8 * ITEM_BYTES };

/* False positives: how many, and the first of them. */
struct found {
    uint64_t count;
    size_t kept;
    struct item item[KEPT];
};

static int hunt_random(struct attack_run *run, const struct target *target, struct found *found)
{
    uint64_t trials = run->wish->trials;
    int status = UF_OK;
    for (uint64_t done = 0; status == UF_OK && done < trials;) {
        struct item items[BATCH];
        uint8_t answers[BATCH];
        size_t step = trials - done < BATCH ? (size_t)(trials - done) : BATCH;
        items_draw(&run->stream, items, step);
        target_query(target, items, step, answers);
        for (size_t i = 0; i < step; i++) {
            found->count += answers[i];
            if (answers[i] && found->kept < KEPT)
                found->item[found->kept++] = items[i];
        }
        done += step;
        status = attack_progress(run, done, trials);
    }
    return status;
}

static uint64_t hits_of_mutants(const struct target *target, const struct item *item)
{
    struct item mutants[MUTANTS];
    for (unsigned bit = 0; bit < MUTANTS; bit++) {
        mutants[bit] = *item;
        mutants[bit].bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    return target_hits(target, mutants, MUTANTS);
}

static void report(struct attack_run *run, const struct target *target, const struct found *found)
{
    uint64_t mutants = 0;
    for (size_t i = 0; i < found->kept; i++)
        mutants += hits_of_mutants(target, &found->item[i]);
    attack_cost(attack_share(run->result, target->name, "hit_rate", "random items", found->count, run->wish->trials,
                             target->design),
                found->count ? (double)run->wish->trials / (double)found->count : NAN, "queries per hit");
    (void)attack_share(run->result, target->name, "hit_rate_mutants", "found ones, one bit changed", mutants,
                       found->kept * (uint64_t)MUTANTS, target->design);
    (void)attack_share(run->result, target->name, "hit_rate_replay", "found ones, asked again",
                       target_hits(target, found->item, found->kept), found->kept, NAN);
}

static int hunt(struct attack_run *run)
{
    struct target target;
    struct found found = {.count = 0};
    int status = attack_full_target(run, &target);
    if (status != UF_OK)
        return status;
    status = hunt_random(run, &target, &found);
    if (status == UF_OK)
        report(run, &target, &found);
    target_free(&target);
    return status;
}

static int run_attack(const struct attack_wish *wish, struct attack_result *out, uf_error *why)
{
    return attack_each(wish, out, hunt, NULL, why);
}

const struct attack attack_hunt = {
    .name = "hunt",
    .about = "look for false positives by queries alone, replay and mutate them (A8)",
    .meaning =
        "Queries find false positives at the design rate, and what differs from one in a bit is accepted at that "
        "rate too. Replay works against every filter, keyed ones included, until it is built anew.",
    .takes = ATTACK_PLAN,
    .usual = {.n = 100000, .trials = 1000000},
    .run = run_attack,
};
