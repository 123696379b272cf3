/* SPDX-License-Identifier: MIT */
/*
 * A4, inversion: the attacker knows one bit that is set, and nothing else of the content.
 *
 *   redis    an item with b = 0 has all its k bits at a mod m. The hash can be inverted (murmur.h), so the attacker
 * makes items whose one bit is the known one: always accepted. unkeyed  the k bits of an item are distinct, whatever
 * its hash. The attacker can only search items that have the known bit among theirs; the other k - 1 must happen to be
 * set. The rate is FPR / fill, about twice FPR. keyed    which items have the known bit cannot be told.
 */
#include "attack.h"
#include "murmur.h"

enum { PER_BIT = 64 };

/* A random position that is set: there is one. */
static uint64_t known_bit(const struct view *view, struct stream *stream)
{
    for (;;) {
        uint64_t at = stream_next(stream) % (64 * (uint64_t)view->word_count);
        if (view_bit(view, at))
            return at;
    }
}

/* The work of searching or crafting, and the hits. */
struct score {
    uint64_t items, hits, work;
};

static void search(struct attack_run *run, const struct target *target, const struct view *view, struct score *score)
{
    uint64_t known = known_bit(view, &run->stream);
    struct item item;
    do {
        items_draw(&run->stream, &item, 1);
        score->work++;
    } while (!view_touches(view, &item, known));
    score->hits += target_hits(target, &item, 1);
    score->items++;
}

static void craft(struct attack_run *run, const struct target *target, const struct view *view, struct score *score)
{
    uint64_t known = known_bit(view, &run->stream), room = run->wish->trials - score->items;
    struct item items[PER_BIT];
    size_t found = murmur_craft_any(known, view->units, 0, &run->stream, items, room < PER_BIT ? (size_t)room : PER_BIT,
                                    &score->work);
    score->hits += target_hits(target, items, found);
    score->items += found;
}

static int attack_bits(struct attack_run *run, const struct target *target, const struct view *view)
{
    struct score score = {0, 0, 0};
    int crafted = target->id == TARGET_REDIS, status = UF_OK;
    while (status == UF_OK && score.items < run->wish->trials && view_ones(view)) {
        (crafted ? craft : search)(run, target, view, &score);
        status = attack_progress(run, score.items, run->wish->trials);
    }
    if (status != UF_OK)
        return status;
    struct attack_row *row = attack_share(run->result, target->name, "hit_rate", "items through one known bit",
                                          score.hits, score.items, target->design);
    if (score.items)
        attack_cost(row, (double)score.work / (double)score.items,
                    crafted ? "solver steps per item" : "tries per item");
    return UF_OK;
}

static int invert(struct attack_run *run)
{
    return attack_full_view(run, attack_bits);
}

static int run_attack(const struct attack_wish *wish, struct attack_result *out, uf_error *why)
{
    return attack_each(wish, out, invert, NULL, why);
}

const struct attack attack_invert = {
    .name = "invert",
    .about = "make items from one bit that is known to be set (A4)",
    .meaning =
        "Where the hash can be inverted and the bits of an item can be made one and the same, one known bit gives "
        "any number of false positives. Our k bits are distinct whatever the hash says, so one known bit saves "
        "guessing one of them, no more; with a key it saves nothing.",
    .takes = ATTACK_PLAN,
    .usual = {.n = 1000, .trials = 20000},
    .run = run_attack,
};
