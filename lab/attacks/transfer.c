/* SPDX-License-Identifier: MIT */
/*
 * A7, transfer: the attacker knows the set, or can guess it, builds a filter of it and looks for false positives of
 * that one. They are those of the target too when both find the bits of an item in the same way.
 */
#include "attack.h"

enum { BATCH = 256 };

/* Random items that the copy accepts; returns the tries it took. */
static uint64_t search(const void *copy, struct stream *stream, struct item *out, size_t count)
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
        status = attack_show(run, target, search, &copy, metric, about);
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
    .usual = {.n = 100000, .trials = 100000},
    .run = run_attack,
};
