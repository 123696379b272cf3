/* SPDX-License-Identifier: MIT */
/*
 * A14, enumeration: the attacker can list all items there could be, here 100 n of them, and tests each against the
 * file.
 *
 *     recall      the share of the members that are listed
 *     precision   the share of those listed that are members
 *     certified   members that alone, of all that are listed, have some bit that is set: they are certain
 *
 * An exact filter gives up everyone, among (|U| - n) FPR others. A private one does too, in a sense: but it lists so
 * many others that being listed changes the odds by at most e^epsilon. Without the key a keyed filter cannot even be
 * asked.
 */
#include <math.h>
#include <stdlib.h>

#include "attack.h"
#include "refuse.h"

enum { UNIVERSE = 100 };

/* All items there could be, the members first: they are drawn again whenever they are needed. */
struct universe {
    struct stream start;
    uint64_t size, members;
};

struct list {
    uint64_t count, members;  /* how many were listed, and how many of those are members */
    struct item_list entries; /* where they are kept: members first */
};

/* ---- what is certain ---- */

static uint64_t count_certified(const struct view *view, const unsigned char *covers, const struct item *items,
                                uint64_t count)
{
    uint64_t certified = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct view_hash hash = view_hash(view, &items[i]);
        int alone = 0;
        for (unsigned j = 0; j < view->k; j++)
            alone |= covers[view_position(view, hash, j)] == 1;
        certified += (uint64_t)alone;
    }
    return certified;
}

/* Every set bit was set by a member, and every member is listed: whoever is alone at one is a member. */
static int report_certified(struct attack_run *run, const struct target *target, const struct view *view,
                            const struct list *list)
{
    unsigned char *covers = calloc(64 * view->word_count, 1);
    if (!covers)
        return refuse(run->why, UF_ENOMEM, "no memory for the attacker's counts");
    for (uint64_t i = 0; i < list->count; i++) {
        struct view_hash hash = view_hash(view, &list->entries.items[i]);
        for (unsigned j = 0; j < view->k; j++) {
            unsigned char *cover = &covers[view_position(view, hash, j)];
            *cover = (unsigned char)(*cover + (*cover < 2));
        }
    }
    uint64_t right = count_certified(view, covers, list->entries.items, list->members);
    uint64_t wrong = count_certified(view, covers, list->entries.items + list->members, list->count - list->members);
    (void)attack_share(run->result, target->name, "certified", "members that are certain", right, run->wish->plan.n,
                       NAN);
    (void)attack_share(run->result, target->name, "certified_wrong", "of those, not members", wrong, right + wrong,
                       NAN);
    free(covers);
    return UF_OK;
}

/* ---- who is listed ---- */

static void report_list(struct attack_run *run, const char *target, const struct list *list,
                        const struct universe *universe, double recall, double fpr)
{
    double n = (double)universe->members, others = (double)(universe->size - universe->members);
    (void)attack_share(run->result, target, "recall", "members listed", list->members, universe->members, recall);
    (void)attack_share(run->result, target, "precision", "of those listed, members", list->members, list->count,
                       recall * n / (recall * n + fpr * others));
}

static int list_by_view(struct attack_run *run, const struct view *view, const struct universe *universe,
                        struct list *out)
{
    struct stream stream = universe->start;
    int status = UF_OK;
    for (uint64_t i = 0; status == UF_OK && i < universe->size; i++) {
        struct item item;
        items_draw(&stream, &item, 1);
        if (view_has(view, &item)) {
            out->count++;
            out->members += i < universe->members;
            if (items_push(&out->entries, &item))
                status = refuse(run->why, UF_ENOMEM, "no memory for the attacker's list");
        }
        if (status == UF_OK && i % 65536 == 0)
            status = attack_progress(run, i, universe->size);
    }
    return status;
}

static int enumerate_view(struct attack_run *run, const struct target *target, const struct universe *universe)
{
    struct view view;
    struct list list = {.count = 0};
    double fpr = target->design;
    int keyed = run->id == TARGET_KEYED;
    int status = target_view(target, stream_next(&run->stream), &view, run->why);
    if (status != UF_OK)
        return status;
    status = list_by_view(run, &view, universe, &list);
    if (status == UF_OK)
        report_list(run, target->name, &list, universe, keyed ? fpr : 1, fpr);
    if (status == UF_OK && !keyed)
        status = report_certified(run, target, &view, &list);
    view_free(&view);
    free(list.entries.items);
    return status;
}

static struct universe universe_of(const struct attack_run *run)
{
    return (struct universe){run->other, UNIVERSE * run->wish->plan.n, run->wish->plan.n};
}

static int enumerate(struct attack_run *run)
{
    struct target target;
    int status = attack_target(run, &target);
    if (status != UF_OK)
        return status;
    struct universe universe = universe_of(run);
    status = attack_failed(run, target_fill(&target, &run->other, run->wish->plan.n));
    if (status == UF_OK)
        status = enumerate_view(run, &target, &universe);
    target_free(&target);
    return status;
}

/* ---- private filters: whoever has the file can ask it ---- */

struct private
{
    const char *name, *kind, *rest;
};

static int build_private(struct attack_run *run, const struct private *what, uf_filter **out)
{
    char text[160];
    uf_spec spec;
    uint64_t n = run->wish->plan.n;
    (void)snprintf(text, sizeof text, "%s:n=%llu,epsilon=%.17g%s", what->kind, (unsigned long long)n,
                   run->wish->epsilon, what->rest);
    struct item *items = calloc((size_t)n + 1, sizeof *items);
    uf_key *keys = calloc((size_t)n + 1, sizeof *keys);
    int status =
        items && keys ? uf_spec_parse(text, &spec, run->why) : refuse(run->why, UF_ENOMEM, "no memory for the members");
    if (status == UF_OK) {
        items_draw(&run->other, items, (size_t)n);
        for (uint64_t i = 0; i < n; i++)
            keys[i] = (uf_key){items[i].bytes, ITEM_BYTES};
        status = uf_build(&spec, keys, (size_t)n, &run->ctx, out, run->why);
    }
    free(items);
    free(keys);
    return status;
}

static int enumerate_private(struct attack_run *run, const struct private *what)
{
    struct target target = {.id = TARGET_UNKEYED, .name = what->name};
    struct universe universe = universe_of(run);
    struct list list = {.count = 0};
    uf_claim claim;
    struct stream stream = universe.start;
    int status = build_private(run, what, &target.filter);
    if (status != UF_OK)
        return status;
    list.members = target_hits_random(&target, &stream, universe.members);
    list.count = list.members + target_hits_random(&target, &stream, universe.size - universe.members);
    uf_get_claim(target.filter, &claim);
    report_list(run, what->name, &list, &universe, 1 - claim.fnr, claim.fpr);
    target_free(&target);
    return UF_OK;
}

static int run_attack(const struct attack_wish *wish, struct attack_result *out, uf_error *why)
{
    static const struct private all[] = {
        {"published", "ultra", ",bits_per_key=16,k=1,mechanism=published"},
        {"rr", "ultra", ",bits_per_key=16,k=1"},
        {"dpset", "dpset", ""},
    };
    int status = attack_each(wish, out, enumerate, NULL, why);
    for (unsigned i = 0; status == UF_OK && i < sizeof all / sizeof all[0] && wish->targets == ATTACK_ALL_TARGETS;
         i++) {
        struct attack_run run;
        status = attack_open(wish, out, TARGETS + i, &run, why);
        if (status == UF_OK)
            status = enumerate_private(&run, &all[i]);
    }
    return status;
}

const struct attack attack_enumerate = {
    .name = "enumerate",
    .about = "test every item there could be against the file (A14)",
    .meaning =
        "The universe is 100 items for each member, and the attacker can list it. An exact filter then gives up all "
        "members among a few others, and many of them for certain. A private one hides them among others, at the "
        "price of errors. Without the key a keyed filter lists at random.",
    .takes = ATTACK_PLAN | ATTACK_EPSILON,
    .usual = {.n = 10000, .trials = 1},
    .run = run_attack,
};
