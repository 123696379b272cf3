/* SPDX-License-Identifier: MIT */
/*
 * A5, blind forgery: the attacker knows nothing of the filter, neither content nor size, and makes items with b = 0
 * (murmur.h). In RedisBloom each has one bit instead of k, so it is accepted whenever that bit is set: at the fill,
 * about 50 %, whatever rate the filter was planned for. In ours they are items like any other.
 */
#include <stdlib.h>

#include "attack.h"
#include "murmur.h"
#include "refuse.h"

/* Most solutions taken of one a, and the number of different ones that there should be. For redis all solutions of one
 * are the same bit, so only the first of each counts there. */
enum { PER_HASH = 200, HASHES = 500 };

struct forgeries {
    struct item *items; /* owned */
    size_t count;
    size_t *first; /* owned: where each a begins */
    size_t hashes;
    uint64_t steps;
};

static int craft_all(struct attack_run *run, struct forgeries *out)
{
    size_t wanted = (size_t)run->wish->trials, each = (wanted + HASHES - 1) / HASHES;
    each = each < PER_HASH ? each : PER_HASH;
    *out = (struct forgeries){calloc(wanted, sizeof *out->items), 0, calloc(wanted, sizeof *out->first), 0, 0};
    int status = out->items && out->first ? UF_OK : refuse(run->why, UF_ENOMEM, "no memory for the crafted items");
    while (status == UF_OK && out->count < wanted) {
        size_t room = wanted - out->count < each ? wanted - out->count : each;
        out->first[out->hashes++] = out->count;
        out->count += murmur_craft_any(0, 1, 0, &run->stream, out->items + out->count, room, &out->steps);
        status = attack_progress(run, out->count, wanted);
    }
    return status;
}

static uint64_t hits_of_firsts(const struct target *target, const struct forgeries *forged)
{
    uint64_t hits = 0;
    for (size_t i = 0; i < forged->hashes; i++)
        hits += target_hits(target, &forged->items[forged->first[i]], 1);
    return hits;
}

static int show(struct attack_run *run)
{
    const struct forgeries *forged = run->arg;
    struct target target;
    int status = attack_full_target(run, &target);
    if (status != UF_OK)
        return status;
    int one_bit = run->id == TARGET_REDIS;
    uint64_t trials = one_bit ? forged->hashes : forged->count;
    uint64_t hits = one_bit ? hits_of_firsts(&target, forged) : target_hits(&target, forged->items, forged->count);
    attack_cost(
        attack_share(run->result, target.name, "hit_rate", "crafted items accepted", hits, trials, target.design),
        (double)forged->steps / (double)trials, "solver steps per item");
    target_free(&target);
    return UF_OK;
}

static int run_attack(const struct attack_wish *wish, struct attack_result *out, uf_error *why)
{
    struct attack_run run;
    struct forgeries forged = {.items = NULL};
    int status = attack_open(wish, out, TARGETS, &run, why);
    if (status == UF_OK)
        status = craft_all(&run, &forged);
    if (status == UF_OK)
        status = attack_each(wish, out, show, &forged, why);
    free(forged.items);
    free(forged.first);
    return status;
}

const struct attack attack_blind = {
    .name = "blind",
    .about = "forge without any knowledge of the filter (A5)",
    .meaning =
        "The items were made before the filters were, from public constants alone. With RedisBloom's bits each is "
        "accepted at the fill, about 50 %, whatever the filter was planned for; with ours, at the design rate.",
    .takes = ATTACK_PLAN,
    .usual = {.n = 100000, .trials = 400000},
    .run = run_attack,
};
