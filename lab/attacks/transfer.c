/* SPDX-License-Identifier: MIT */
/*
 * A7, transfer: the attacker knows the set, or can guess it, builds a filter of it and looks for false positives of
 * that one. They are those of the target too when both find the bits of an item in the same way.
 */
#include "attack.h"

enum { BATCH = 256 };

/* Random items that the copy accepts; returns the tries it took. */
static uint64_t search(const struct target *copy, struct stream *stream, struct item *out, size_t count)
{
    uint64_t tries = 0;
    for (size_t found = 0; found < count;) {
        struct item items[BATCH];
        uint8_t answers[BATCH];
        items_draw(stream, items, BATCH);
        target_query(copy, items, BATCH, answers);
        for (size_t i = 0; i < BATCH && found < count; i++, tries++)
            if (answers[i])
                out[found++] = items[i];
    }
    return tries;
}

static int show(struct attack_run *run, const struct target *target, const struct target *copy, const char *metric,
                const char *about)
{
    uint64_t trials = run->wish->trials, hits = 0, tries = 0;
    int status = UF_OK;
    for (uint64_t done = 0; status == UF_OK && done < trials;) {
        struct item items[BATCH];
        size_t step = trials - done < BATCH ? (size_t)(trials - done) : BATCH;
        tries += search(copy, &run->stream, items, step);
        hits += target_hits(target, items, step);
        done += step;
        status = attack_progress(run, done, trials);
    }
    if (status == UF_OK)
        attack_cost(attack_share(run->result, target->name, metric, about, hits, trials, target->design),
                    (double)tries / (double)trials, "tries on the copy per item");
    return status;
}

/* `members` is where the stream stood before the target got its items. */
static int with_copy(struct attack_run *run, const struct target *target, struct stream members,
                     enum target_knowledge knows, const char *metric, const char *about)
{
    struct target copy;
    uf_context ctx = run->ctx;
    ctx.random_arg = &run->stream;
    int status = target_copy(target, knows, &ctx, &copy, run->why);
    if (status != UF_OK)
        return status;
    status = attack_failed(run, target_fill(&copy, &members, run->wish->plan.n));
    if (status == UF_OK)
        status = show(run, target, &copy, metric, about);
    target_free(&copy);
    return status;
}

static int transfer(struct attack_run *run)
{
    struct target target;
    int status = attack_target(run, &target);
    if (status != UF_OK)
        return status;
    struct stream members = run->other;
    status = attack_failed(run, target_fill(&target, &run->other, run->wish->plan.n));
    if (status == UF_OK)
        status = with_copy(run, &target, members, KNOWS_FILE, "hit_rate", "copy like its file");
    if (status == UF_OK)
        status = with_copy(run, &target, members, KNOWS_PLAN, "hit_rate_without_file", "copy made without it");
    target_free(&target);
    return status;
}

static int run_attack(const struct attack_wish *wish, struct attack_result *out, uf_error *why)
{
    return attack_each(wish, out, transfer, NULL, why);
}

const struct attack attack_transfer = {
    .name = "transfer",
    .about = "false positives of one's own filter of the same set (A7)",
    .meaning =
        "The attacker knows the whole set. With RedisBloom's public hash that is enough. Our filters have a seed "
        "each, so it takes the file; keyed ones have a key as well, and then it takes the key.",
    .takes = ATTACK_PLAN,
    .usual = {100000, 100000},
    .run = run_attack,
};
