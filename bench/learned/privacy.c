/* SPDX-License-Identifier: MIT */
/*
 * What privacy costs a learned filter. The universe is all keys of the lists; the members are released by dime, at
 * several epsilons, and the model is trained on what was released, decoys and all. Its AUC is given as everyone sees it
 * (released keys against valid negatives that were not released) and as only the owner can tell (members against test
 * negatives). A ribbon filter of the same release is beside it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

static const double rate = 0.01;
static const double epsilons[] = {0.5, 1, 2, 4, 8};

enum column { RELEASED, DECOYS, AUC_SEEN, AUC_TRUE, KIB, RIBBON, SAVED, MISSED, ACCEPTED };
static const char *const columns[] = {"released", "decoys",  "AUC seen", "AUC true", "KiB",
                                      "ribbon",   "saved %", "missed",   "accepted", NULL};

/* ---- sets ---- */

static size_t all_keys(const struct lists *lists, uf_key *out)
{
    const struct list *list[] = {&lists->members, &lists->train, &lists->valid, &lists->test};
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        if (out) {
            memcpy(out + count, list[i]->keys, list[i]->count * sizeof *out);
        }
        count += list[i]->count;
    }
    return count;
}

static uf_universe *make_universe(const struct lists *lists)
{
    size_t count = all_keys(lists, NULL);
    uf_key *keys = malloc(count * sizeof *keys);
    uf_universe *universe;
    uf_error why;
    if (!keys) {
        stop("no memory for a universe");
    }
    (void)all_keys(lists, keys);
    if (uf_universe_list(keys, count, NULL, &universe, &why) != UF_OK) {
        stop(why.text);
    }
    free(keys);
    return universe;
}

static uf_set *make_set(const uf_universe *universe, const struct list *members)
{
    uf_set *set;
    uf_error why;
    if (uf_set_new(universe, NULL, &set, &why) || uf_set_add(set, members->keys, members->count, &why)) {
        stop(why.text);
    }
    return set;
}

/* A key of the release is one of the universe, which keeps it. */
static int keep(void *arg, const uf_key *keys, size_t count)
{
    struct list *list = arg;
    memcpy(list->keys + list->count, keys, count * sizeof *keys);
    list->count += count;
    return 0;
}

static struct list keys_of(const uf_set *set)
{
    struct list list = {.keys = malloc((uf_set_count(set) + 1) * sizeof(uf_key))};
    uf_error why;
    if (!list.keys) {
        stop("no memory for released keys");
    }
    if (uf_set_each(set, keep, &list, &why) != UF_OK) {
        stop(why.text);
    }
    return list;
}

/* ---- figures ---- */

enum { SCORE_MOST = 1 << 17 }; /* 523 features of at most 127 each */

static uint32_t *count_scores(const uf_model *model, const struct list *list)
{
    uint32_t *count = calloc(2 * SCORE_MOST, sizeof *count);
    if (!count) {
        stop("no memory for scores");
    }
    for (size_t i = 0; i < list->count; i++) {
        count[uf_model_score(model, list->keys[i]) + SCORE_MOST]++;
    }
    return count;
}

/* Chance that a member scores above a negative; ties count half. */
static double auc_of(const uf_model *model, const struct list *members, const struct list *negatives)
{
    uint32_t *high = count_scores(model, members), *low = count_scores(model, negatives);
    double pairs = 0, below = 0;
    for (size_t s = 0; s < 2 * (size_t)SCORE_MOST; s++) {
        pairs += high[s] * (below + low[s] / 2.0);
        below += low[s];
    }
    free(high);
    free(low);
    return pairs / ((double)members->count * (double)negatives->count);
}

static uf_filter *build(const char *kind, const uf_set *set, const uf_learning *learning)
{
    uf_context ctx = context();
    uf_filter *filter;
    uf_error why;
    char text[64];
    snprintf(text, sizeof text, "%s:fpr=%g", kind, rate);
    uf_spec spec = spec_of(text);
    ctx.learning = learning;
    if (uf_build_set(&spec, set, &ctx, &filter, &why) != UF_OK) {
        stop(why.text);
    }
    return filter;
}

static double kib_of(const uf_filter *filter)
{
    uf_info info;
    uf_get_info(filter, &info, sizeof info);
    return (double)info.bytes / 1024;
}

static void show_filters(struct row *row, const uf_set *set, const uf_model *model, const struct lists *lists)
{
    uf_learning learning = learning_with(model, lists);
    uf_learned learned;
    uf_filter *filter = build("partition", set, &learning), *plain = build("ribbon", set, NULL);
    struct asked members = ask(filter, &lists->members), others = ask(filter, &lists->test);
    if (uf_get_learned(filter, &learned, sizeof learned) == UF_OK) {
        row_show(row, AUC_SEEN, learned.auc);
    }
    row_show(row, AUC_TRUE, auc_of(model, &lists->members, &lists->test));
    row_show(row, KIB, kib_of(filter));
    row_show(row, RIBBON, kib_of(plain));
    row_show(row, SAVED, 100 * (1 - kib_of(filter) / kib_of(plain)));
    row_show(row, MISSED, 1 - members.share);
    row_show(row, ACCEPTED, others.share);
    uf_free(filter);
    uf_free(plain);
}

static size_t members_in(const uf_set *released, const struct list *members)
{
    uf_filter *exact;
    uf_spec spec = spec_of("ribbon:fpr=1e-12");
    uf_error why;
    if (uf_build_set(&spec, released, NULL, &exact, &why) != UF_OK) {
        stop(why.text);
    }
    size_t kept = members->count - ask(exact, members).refused;
    uf_free(exact);
    return kept;
}

static void show_release(struct row *row, const uf_set *set, const struct lists *lists)
{
    struct list keys = keys_of(set);
    uf_model *model = train(&keys, lists, rate, "ribbon");
    row_show(row, RELEASED, (double)keys.count);
    row_show(row, DECOYS, (double)(keys.count - members_in(set, &lists->members)));
    show_filters(row, set, model, lists);
    uf_model_free(model);
    free(keys.keys);
}

void measure_privacy(struct report *report, const struct lists *lists)
{
    uf_universe *universe = make_universe(lists);
    uf_set *set = make_set(universe, &lists->members), *released;
    char name[24], title[160];
    uf_error why;
    snprintf(name, sizeof name, "%.14s-private", lists->name);
    snprintf(title, sizeof title,
             "%s, released by dime from a universe of %llu keys: partition at %g %%, ribbons inside", lists->name,
             (unsigned long long)uf_universe_size(universe), 100 * rate);
    struct table *table = report_table(report, name, title, columns);
    table->head[0] = "epsilon";
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        char how[64], label[24];
        snprintf(how, sizeof how, "dime:epsilon=%g", epsilons[i]);
        snprintf(label, sizeof label, "%g", epsilons[i]);
        if (uf_set_release(set, how, NULL, &released, &why) != UF_OK) {
            stop(why.text);
        }
        show_release(table_row(report, table, label, ""), released, lists);
        uf_set_free(released);
    }
    show_release(table_row(report, table, "not private", ""), set, lists);
    uf_set_free(set);
    uf_universe_free(universe);
}
