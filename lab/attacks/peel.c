/* SPDX-License-Identifier: MIT */
/*
 * A15, peeling: a counting filter says how many members have each cell, and the attacker can list all items there could
 * be, 100 n of them. Candidates are those of which no counter is zero. Then, as long as it helps:
 *
 *     a cell has as many candidates as its counter says:  all of them are members; take them off its counters
 *     a counter is zero:                                   none of its candidates is a member
 *
 * There is a threshold: with 10 counters per key and k = 7, or 8 and 4, this finds every member and nobody else in a
 * few rounds; with 5 and 4, or 4 and 3, hardly anyone. Counters that are full (15) are not used.
 */
#include <math.h>
#include <stdlib.h>

#include "attack.h"
#include "keyring.h"
#include "refuse.h"

enum { UNIVERSE = 100, FULL = 15 };

static const struct design {
    unsigned per_key, k;
    const char *metric, *about;
} designs[] = {
    {10, 7, "certified_10_7", "10 counters per key, k = 7"},
    {8, 4, "certified_8_4", "8 counters per key, k = 4"},
    {5, 4, "certified_5_4", "5 counters per key, k = 4"},
    {4, 3, "certified_4_3", "4 counters per key, k = 3"},
};

struct peeling {
    struct view view;       /* its cells are in `counter` */
    unsigned char *counter; /* owned: members left at each cell */
    uint32_t *candidates;   /* owned: candidates left at each cell */
    struct item_list open;  /* the candidates, members first */
    unsigned char *state;   /* owned: of each */
    uint64_t members;       /* how many of them are members */
};

enum { OPEN, MEMBER, OTHER };

static void clear(struct peeling *peeling)
{
    view_free(&peeling->view);
    free(peeling->counter);
    free(peeling->candidates);
    free(peeling->open.items);
    free(peeling->state);
}

/* ---- the counters ---- */

static uint64_t cells_of(const struct view *view)
{
    return 64 / view->cell * (uint64_t)view->word_count;
}

/* Adds `step` to all cells of an item. */
static void shift(struct peeling *peeling, const struct item *item, int member, int step)
{
    struct view_hash hash = view_hash(&peeling->view, item);
    for (unsigned i = 0; i < peeling->view.k; i++) {
        uint64_t at = view_position(&peeling->view, hash, i);
        peeling->candidates[at] += (uint32_t)step;
        if (member && peeling->counter[at] != FULL)
            peeling->counter[at] = (unsigned char)(peeling->counter[at] + step);
    }
}

/* A counting filter of ours, of n items, and what its file says. *members is where the stream stood before them. */
static int count_ours(struct attack_run *run, const struct design *design, struct view *out, struct stream *members)
{
    uint64_t n = run->request->plan.n;
    int keyed = run->id == TARGET_KEYED;
    struct target target = {.id = run->id};
    uf_secret *key = NULL;
    uf_context ctx = run->ctx;
    char text[128];
    (void)snprintf(text, sizeof text, "%scounting:n=%llu,bits=%llu,k=%u,full=warn%s", keyed ? "keyed(" : "",
                   (unsigned long long)n, 4ull * design->per_key * n, design->k, keyed ? ")" : "");
    int status = uf_spec_parse(text, &target.spec, run->why);
    if (status == UF_OK && keyed)
        status = keyring_draw(&run->ctx, &key, run->why);
    ctx.secret = key;
    if (status == UF_OK)
        status = uf_build(&target.spec, NULL, 0, &ctx, &target.filter, run->why);
    *members = run->other;
    if (status == UF_OK)
        status = attack_failed(run, target_fill(&target, &run->other, n));
    if (status == UF_OK)
        status = view_of_filter(target.filter, stream_next(&run->stream), out, run->why);
    uf_free(target.filter);
    uf_secret_free(key);
    return status;
}

/* Counters behind RedisBloom's positions, of the lab's own: it has none. */
static int count_redis(struct attack_run *run, const struct design *design, struct peeling *peeling)
{
    struct item item;
    int status = view_of_redis(design->per_key * run->request->plan.n, design->k, NULL, &peeling->view, run->why);
    if (status != UF_OK)
        return status;
    peeling->counter = calloc((size_t)cells_of(&peeling->view), 1);
    if (!peeling->counter)
        return refuse(run->why, UF_ENOMEM, "no memory for the counters");
    for (uint64_t i = 0; i < run->request->plan.n; i++) {
        items_draw(&run->other, &item, 1);
        struct view_hash hash = view_hash(&peeling->view, &item);
        for (unsigned j = 0; j < design->k; j++) {
            unsigned char *counter = &peeling->counter[view_position(&peeling->view, hash, j)];
            *counter = (unsigned char)(*counter + (*counter < FULL));
        }
    }
    return UF_OK;
}

static int read_counters(struct attack_run *run, struct peeling *peeling)
{
    uint64_t cells = cells_of(&peeling->view);
    peeling->counter = calloc((size_t)cells, 1);
    if (!peeling->counter)
        return refuse(run->why, UF_ENOMEM, "no memory for the counters");
    for (uint64_t i = 0; i < cells; i++)
        peeling->counter[i] = (unsigned char)view_count(&peeling->view, i);
    return UF_OK;
}

/* ---- peeling ---- */

static int may_be_member(const struct peeling *peeling, const struct item *item)
{
    struct view_hash hash = view_hash(&peeling->view, item);
    for (unsigned i = 0; i < peeling->view.k; i++)
        if (!peeling->counter[view_position(&peeling->view, hash, i)])
            return 0;
    return 1;
}

static int is_certain(const struct peeling *peeling, const struct item *item)
{
    struct view_hash hash = view_hash(&peeling->view, item);
    for (unsigned i = 0; i < peeling->view.k; i++) {
        uint64_t at = view_position(&peeling->view, hash, i);
        if (peeling->counter[at] != FULL && peeling->candidates[at] == peeling->counter[at])
            return 1;
    }
    return 0;
}

/* `stream` stands where the members begin; the rest of the universe follows them. */
static int list_candidates(struct attack_run *run, struct stream stream, struct peeling *peeling)
{
    uint64_t n = run->request->plan.n;
    int full = 0;
    peeling->candidates = calloc((size_t)cells_of(&peeling->view), sizeof *peeling->candidates);
    for (uint64_t i = 0; peeling->candidates && !full && i < UNIVERSE * n; i++) {
        struct item item;
        items_draw(&stream, &item, 1);
        if (may_be_member(peeling, &item)) {
            full = items_push(&peeling->open, &item);
            shift(peeling, &item, 0, 1);
            peeling->members += i < n;
        }
    }
    peeling->state = calloc(peeling->open.count + 1, 1);
    return peeling->candidates && peeling->state && !full ? UF_OK
                                                          : refuse(run->why, UF_ENOMEM, "no memory for the candidates");
}

/* One look at every candidate that is open; returns how many were decided. */
static uint64_t peel_round(struct peeling *peeling)
{
    uint64_t decided = 0;
    for (uint64_t i = 0; i < peeling->open.count; i++) {
        const struct item *item = &peeling->open.items[i];
        if (peeling->state[i] != OPEN)
            continue;
        if (!may_be_member(peeling, item))
            peeling->state[i] = OTHER;
        else if (is_certain(peeling, item))
            peeling->state[i] = MEMBER;
        else
            continue;
        shift(peeling, item, peeling->state[i] == MEMBER, -1);
        decided++;
    }
    return decided;
}

static int peel_all(struct attack_run *run, struct peeling *peeling)
{
    uint64_t done = 0, step;
    int status = UF_OK;
    while (status == UF_OK && (step = peel_round(peeling))) {
        done += step;
        status = attack_progress(run, done, peeling->open.count);
    }
    return status;
}

/* Returns how many were taken for members and are none. */
static uint64_t report(struct attack_run *run, const struct design *design, const struct peeling *peeling)
{
    uint64_t right = 0, wrong = 0;
    for (uint64_t i = 0; i < peeling->open.count; i++) {
        right += i < peeling->members && peeling->state[i] == MEMBER;
        wrong += i >= peeling->members && peeling->state[i] == MEMBER;
    }
    (void)attack_share(run->result, target_name(run->id), design->metric, design->about, right, run->request->plan.n,
                       NAN);
    return wrong;
}

static int peel_design(struct attack_run *run, const struct design *design, uint64_t *wrong)
{
    struct peeling peeling = {.members = 0};
    struct stream members = run->other;
    int status;
    if (run->id == TARGET_REDIS) {
        status = count_redis(run, design, &peeling);
    } else {
        status = count_ours(run, design, &peeling.view, &members);
        if (status == UF_OK)
            status = read_counters(run, &peeling);
    }
    if (status == UF_OK)
        status = list_candidates(run, members, &peeling);
    if (status == UF_OK)
        status = peel_all(run, &peeling);
    if (status == UF_OK)
        *wrong += report(run, design, &peeling);
    clear(&peeling);
    return status;
}

static int peel(struct attack_run *run)
{
    uint64_t wrong = 0;
    int status = UF_OK;
    for (unsigned i = 0; status == UF_OK && i < sizeof designs / sizeof designs[0]; i++)
        status = peel_design(run, &designs[i], &wrong);
    if (status == UF_OK)
        (void)attack_count(run->result, target_name(run->id), "certified_wrong", "others taken for members",
                           (double)wrong, NAN);
    return status;
}

static int run_attack(const struct attack_request *request, struct attack_result *out, uf_error *why)
{
    return attack_each(request, out, peel, NULL, why);
}

const struct attack attack_peel = {
    .name = "peel",
    .about = "find the members from the counters of a counting filter (A15)",
    .meaning =
        "The value is the share of the members that were found for certain, of a universe of 100 items for each "
        "that the attacker can list. Never publish counters: with enough of them the set can be read off. Without "
        "the key the same steps lead to others, taken for members by mistake.",
    .usual = {.n = 10000, .trials = 1},
    .run = run_attack,
};
