/* SPDX-License-Identifier: MIT */
#include "attack.h"

#include <math.h>
#include <string.h>

#include "refuse.h"

static const struct attack *const attacks[] = {
    &attack_pollution, &attack_saturation, &attack_concentrate, &attack_forge, &attack_invert,  &attack_blind,
    &attack_transfer,  &attack_hunt,       &attack_enumerate,   &attack_peel,  &attack_average, &attack_churn,
    &attack_removal,   &attack_mutate,     &attack_supply,      &attack_watch,
};

enum { ATTACKS = sizeof attacks / sizeof attacks[0], BATCH = 256 };

const struct attack *attack_at(size_t index)
{
    return index < ATTACKS ? attacks[index] : NULL;
}

const struct attack *attack_find(const char *name)
{
    for (size_t i = 0; i < ATTACKS; i++)
        if (!strcmp(attacks[i]->name, name))
            return attacks[i];
    return NULL;
}

/* ---- runs ---- */

int attack_open(const struct attack_request *request, struct attack_result *out, uint64_t number,
                struct attack_run *run, uf_error *why)
{
    *run = (struct attack_run){.request = request, .result = out, .ctx = UF_CONTEXT_INIT, .why = why};
    if (stream_open(&run->stream, request->seed, 2 * number) || stream_open(&run->other, request->seed, 2 * number + 1))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for an attack");
    run->ctx.random = stream_fill;
    run->ctx.random_arg = &run->other;
    return UF_OK;
}

int attack_each(const struct attack_request *request, struct attack_result *out, int (*one)(struct attack_run *run),
                void *arg, uf_error *why)
{
    int status = UF_OK;
    for (unsigned id = 0; status == UF_OK && id < TARGETS; id++) {
        struct attack_run run;
        if (!(request->targets & 1u << id))
            continue;
        status = attack_open(request, out, id, &run, why);
        run.id = id;
        run.arg = arg;
        if (status == UF_OK)
            status = one(&run);
    }
    return status;
}

int attack_target(struct attack_run *run, struct target *out)
{
    struct target_plan plan = run->request->plan;
    plan.full = "warn";
    return target_new(run->id, &plan, &run->ctx, out, run->why);
}

int attack_full_target(struct attack_run *run, struct target *out)
{
    int status = attack_target(run, out);
    if (status != UF_OK)
        return status;
    status = target_fill(out, &run->other, run->request->plan.n);
    if (status != UF_OK)
        target_free(out);
    return attack_failed(run, status);
}

int attack_full_view(struct attack_run *run,
                     int (*attack)(struct attack_run *run, const struct target *target, const struct view *view))
{
    struct target target;
    struct view view;
    int status = attack_full_target(run, &target);
    if (status != UF_OK)
        return status;
    status = target_view(&target, stream_next(&run->stream), &view, run->why);
    if (status == UF_OK) {
        status = attack(run, &target, &view);
        view_free(&view);
    }
    target_free(&target);
    return status;
}

int attack_show(struct attack_run *run, const struct target *target, attack_search *search, const void *copy,
                const char *metric, const char *about)
{
    uint64_t trials = run->request->trials, hits = 0, tries = 0;
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

int attack_failed(const struct attack_run *run, int status)
{
    return status == UF_OK ? status : refuse(run->why, status, "%s", uf_status_text(status));
}

int attack_progress(const struct attack_run *run, uint64_t done, uint64_t total)
{
    const struct attack_request *request = run->request;
    if (request->progress && request->progress(request->progress_arg, done, total))
        return refuse(run->why, UF_ECANCELED, "stopped");
    return UF_OK;
}

/* ---- rows ---- */

static struct attack_row *add_row(struct attack_result *result, const char *target)
{
    struct attack_row *row = &result->row[result->rows < ATTACK_ROWS ? result->rows++ : ATTACK_ROWS - 1];
    *row = (struct attack_row){.interval = {NAN, NAN}, .design = NAN, .cost = NAN};
    (void)snprintf(row->target, sizeof row->target, "%s", target);
    return row;
}

struct attack_row *attack_share(struct attack_result *result, const char *target, const char *metric, const char *about,
                                uint64_t hits, uint64_t trials, double design)
{
    struct attack_row *row = add_row(result, target);
    row->metric = metric;
    row->about = about;
    row->unit = ATTACK_SHARE;
    row->value = trials ? (double)hits / (double)trials : NAN;
    row->interval = interval_exact(hits, trials, ATTACK_CONFIDENCE);
    row->design = design;
    row->trials = trials;
    return row;
}

struct attack_row *attack_count(struct attack_result *result, const char *target, const char *metric, const char *about,
                                double value, double design)
{
    struct attack_row *row = add_row(result, target);
    row->metric = metric;
    row->about = about;
    row->unit = ATTACK_COUNT;
    row->value = value;
    row->design = design;
    row->trials = 1;
    return row;
}

void attack_cost(struct attack_row *row, double cost, const char *unit)
{
    row->cost = cost;
    row->cost_unit = unit;
}
