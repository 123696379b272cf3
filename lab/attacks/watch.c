/* SPDX-License-Identifier: MIT */
/*
 * A12 against a learned filter that watches itself and has a backup (docs/learned.md#the-watch): what Reviriego et al.
 * propose, to detect the attack and to react.
 *
 *   honest         runs of 20,000 queries for fresh negatives: in how many is there ever an alarm, or drift?
 *   no limit       the control: whoever takes the first region above its plan for an attack is wrong nearly always.
 *   all hostile    every query is a mutant of a member, or of a mutant that was accepted: queries until the alarm, the
 *                  share of them that is accepted until then and afterwards, and fresh negatives afterwards.
 *   one in twenty  the same after 20,000 honest queries, and with the share that robust is planned for.
 *   told           the same with three members in ten queries, where the watch is told what was accepted wrongly.
 *
 * Where a keyed filter has the last word an attack gains little, and there is little to see: of those that saw no alarm
 * in 100,000 queries the time is that.
 */
#include <math.h>
#include <stdlib.h>

#include "attack.h"
#include "keyring.h"
#include "oracle.h"
#include "refuse.h"

enum {
    REGIONS = 8,
    HONEST = 20000,
    MOST = 100000,
    AFTER = 5000,
    RUNS = 15,
    BATCH = 64,
    PARENTS = 1024,
    SUPPLY = 20000
};

static const double false_alarm = 0.05; /* so that some may be seen */

/* A filter, its backup, and who asks it. */
struct scene {
    struct attack_run *run;
    const struct learned_target *target;
    uf_filter *backup; /* owned */
    struct oracle oracle;
    struct text parent[PARENTS];
    size_t parents;
    struct corpus fresh; /* negatives, each asked for once */
    size_t used;         /* of them */
    int failed;          /* there were no more: a status */
};

/* ---- traffic ---- */

/* Fresh names for the next batch, by the one who made up the corpus. Those that are members are passed over. */
static void restock(struct scene *s)
{
    if (s->used + 2 * BATCH <= 2 * s->fresh.fresh.count)
        return;
    corpus_free(&s->fresh);
    s->used = 0;
    s->failed = corpus_make(1, SUPPLY, &s->run->other, &s->fresh, s->run->why);
}

static uf_key fresh_key(struct scene *s)
{
    const struct corpus *corpus = s->target->setup->corpus;
    while (!s->failed) {
        const struct corpus_list *list = s->used & 1 ? &s->fresh.valid : &s->fresh.fresh;
        uf_key key = list->keys[s->used++ / 2 % list->count];
        if (!key_set_has(&corpus->set, key))
            return key;
    }
    return corpus->fresh.keys[0];
}

static void plant(struct scene *s, const struct text *text)
{
    s->parent[s->parents++ % PARENTS] = *text;
}

/* A mutant that is new. The attacker knows some members to begin with. */
static int next_mutant(struct scene *s, struct text *out)
{
    const struct corpus_list *members = &s->target->setup->corpus->members;
    struct text parent;
    const size_t known = s->parents < PARENTS ? s->parents : PARENTS;
    const uint64_t draw = stream_next(&s->run->stream);
    if (known && draw & 1)
        parent = s->parent[(draw >> 1) % known];
    else if (!text_take(members->keys[(draw >> 1) % members->count], &parent))
        return 0;
    return oracle_mutate(&s->oracle, &parent, out) && key_set_add(&s->oracle.asked, text_key(out)) > 0;
}

/* Who asks what: shares of the queries. */
struct mix {
    double hostile, members;
    int told;
};

struct asked {
    uint64_t mutants, hits;
};

/* One query. The answer to a mutant is the attacker's to use, and every false one the watch's where it is told. */
static void ask_one(struct scene *s, uf_watch *watch, const struct mix *mix, struct asked *asked)
{
    const struct corpus_list *members = &s->target->setup->corpus->members;
    const double draw = (double)(stream_next(&s->run->stream) >> 11) * 0x1p-53;
    struct text mutant;
    uint8_t answer;
    restock(s);
    int is_mutant = draw < mix->hostile && next_mutant(s, &mutant);
    int is_member = draw >= mix->hostile && draw < mix->hostile + mix->members;
    uf_key key = is_mutant   ? text_key(&mutant)
                 : is_member ? members->keys[stream_next(&s->run->stream) % members->count]
                             : fresh_key(s);
    uf_watch_query(watch, &key, 1, &answer);
    asked->mutants += (uint64_t)is_mutant;
    asked->hits += (uint64_t)(is_mutant && answer);
    if (is_mutant && answer)
        plant(s, &mutant);
    if (mix->told && answer && !is_member)
        uf_watch_false(watch, &key, 1);
}

static uf_watched seen_by(const uf_watch *watch)
{
    uf_watched seen;
    (void)uf_get_watch(watch, &seen, sizeof seen);
    return seen;
}

static int open_watch(const struct scene *s, const struct mix *mix, uf_watch **out)
{
    uf_watching how = UF_WATCHING_INIT;
    how.false_alarm = mix->hostile > 0 ? 0.001 : false_alarm;
    how.told = mix->told;
    how.backup = s->backup;
    return uf_watch_new(s->target->filter, &how, NULL, out, s->run->why);
}

/* ---- honest runs ---- */

struct honest {
    uint64_t runs, alarms, naive;
};

static int above_plan(const uf_watch *watch)
{
    uf_watched_region region[UF_MOST_REGIONS];
    const unsigned regions = seen_by(watch).regions;
    int above = 0;
    (void)uf_get_watch_regions(watch, region, sizeof region[0], UF_MOST_REGIONS);
    for (unsigned i = 0; i < regions; i++)
        above |= region[i].passed > region[i].passed_planned;
    return above;
}

static int run_honest(struct scene *s, struct honest *honest)
{
    const struct mix mix = {0, 0, 0};
    uf_watch *watch;
    uint8_t answers[BATCH];
    int naive = 0, status = open_watch(s, &mix, &watch);
    for (size_t done = 0; status == UF_OK && done < HONEST; done += BATCH) {
        uf_key key[BATCH];
        restock(s);
        for (size_t i = 0; i < BATCH; i++)
            key[i] = fresh_key(s);
        uf_watch_query(watch, key, BATCH, answers);
        naive |= above_plan(watch);
    }
    if (status == UF_OK) {
        const uf_watched seen = seen_by(watch);
        honest->runs++;
        honest->alarms += seen.alarm_at || seen.drift_at;
        honest->naive += (uint64_t)naive;
        uf_watch_free(watch);
    }
    return status == UF_OK ? s->failed : status;
}

static int show_honest(struct scene *s)
{
    struct honest honest = {0, 0, 0};
    int status = UF_OK;
    for (uint64_t i = 0; status == UF_OK && i < s->run->request->trials; i++) {
        status = run_honest(s, &honest);
        if (status == UF_OK)
            status = attack_progress(s->run, i, s->run->request->trials);
    }
    if (status != UF_OK)
        return status;
    (void)attack_share(s->run->result, s->target->name, "false_alarms", "honest runs with an alarm or drift",
                       honest.alarms, honest.runs, false_alarm);
    (void)attack_share(s->run->result, s->target->name, "false_alarms_no_limit", "control: first time above the plan",
                       honest.naive, honest.runs, NAN);
    return UF_OK;
}

/* ---- attacks ---- */

/* What came of the runs of one mix. */
struct course {
    uint64_t queries[RUNS]; /* until the alarm, from where the attack began */
    unsigned runs, unseen;
    struct asked before, after;
    uint64_t fresh_after, fresh_hits;
};

static void ask_after(struct scene *s, uf_watch *watch, const struct mix *mix, struct course *course)
{
    for (unsigned i = 0; i < AFTER; i++)
        ask_one(s, watch, mix, &course->after);
    for (unsigned i = 0; i < AFTER; i++) {
        restock(s);
        uf_key key = fresh_key(s);
        uint8_t answer;
        uf_watch_query(watch, &key, 1, &answer);
        course->fresh_after++;
        course->fresh_hits += answer;
    }
}

static int run_course(struct scene *s, const struct mix *mix, uint64_t quiet, struct course *course)
{
    uf_watch *watch;
    const struct mix before = {0, mix->members, mix->told};
    struct asked none = {0, 0};
    int status = open_watch(s, mix, &watch);
    if (status == UF_OK) {
        uint64_t queries = 0;
        s->parents = 0;
        key_set_clear(&s->oracle.asked);
        for (uint64_t i = 0; i < quiet; i++)
            ask_one(s, watch, &before, &none);
        for (; queries < MOST && !seen_by(watch).alarm_at; queries++)
            ask_one(s, watch, mix, &course->before);
        course->unseen += queries == MOST;
        course->queries[course->runs++] = queries;
        if (queries < MOST)
            ask_after(s, watch, mix, course);
        uf_watch_free(watch);
    }
    return status == UF_OK ? s->failed : status;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return (one > two) - (one < two);
}

/* The middle of the runs, and the slowest. */
static void add_time(struct scene *s, struct course *course, const char *metric, const char *about)
{
    qsort(course->queries, course->runs, sizeof course->queries[0], by_number);
    struct attack_row *row =
        attack_count(s->run->result, s->target->name, metric, about, (double)course->queries[course->runs / 2], NAN);
    row->trials = course->runs;
    attack_cost(row, (double)course->queries[course->runs - 1], "in the slowest run");
}

static int run_courses(struct scene *s, const struct mix *mix, uint64_t quiet, struct course *course)
{
    int status = UF_OK;
    *course = (struct course){.runs = 0};
    for (unsigned i = 0; status == UF_OK && i < RUNS && i < s->run->request->trials; i++)
        status = run_course(s, mix, quiet, course);
    return status;
}

static int show_hostile(struct scene *s)
{
    const struct mix all = {1, 0, 0}, some = {0.05, 0, 0}, told = {0.05, 0.3, 1};
    const struct learned_target *target = s->target;
    struct attack_result *result = s->run->result;
    struct course course;
    int status = run_courses(s, &all, 0, &course);
    if (status != UF_OK)
        return status;
    add_time(s, &course, "queries_all_hostile", "queries to the alarm, all hostile");
    (void)attack_share(result, target->name, "hit_rate_before", "mutants before the alarm", course.before.hits,
                       course.before.mutants, target->bound);
    (void)attack_share(result, target->name, "hit_rate_after", "mutants after it", course.after.hits,
                       course.after.mutants, s->run->request->plan.fpr);
    (void)attack_share(result, target->name, "hit_rate_fresh_after", "fresh negatives after it", course.fresh_hits,
                       course.fresh_after, target->promised);
    status = run_courses(s, &some, HONEST, &course);
    if (status != UF_OK)
        return status;
    add_time(s, &course, "queries_some_hostile", "queries to the alarm, one in twenty");
    status = run_courses(s, &told, HONEST, &course);
    if (status == UF_OK)
        add_time(s, &course, "queries_told", "the same, 30 % members, told");
    return status;
}

/* ---- the whole ---- */

static int make_backup(struct attack_run *run, const struct learned_target *target, uf_filter **out)
{
    const struct corpus_list *members = &target->setup->corpus->members;
    uf_context ctx = run->ctx;
    uf_secret *key = NULL;
    uf_spec spec;
    int status = uf_get_backup_plan(target->filter, run->request->plan.fpr, &spec, run->why);
    if (status == UF_OK)
        status = keyring_draw(&run->ctx, &key, run->why);
    ctx.secret = key;
    if (status == UF_OK)
        status = uf_build(&spec, members->keys, members->count, &ctx, out, run->why);
    uf_secret_free(key);
    return status;
}

static int watch_target(struct attack_run *run, const struct learned_target *target)
{
    struct scene *s = calloc(1, sizeof *s);
    if (!s)
        return refuse(run->why, UF_ENOMEM, "no memory for an attack");
    *s = (struct scene){.run = run, .target = target};
    s->oracle = (struct oracle){
        .target = target, .corpus = target->setup->corpus, .stream = &run->stream, .edits = TEXT_ALL_EDITS};
    int status = make_backup(run, target, &s->backup);
    if (status == UF_OK)
        status = show_honest(s);
    if (status == UF_OK)
        status = show_hostile(s);
    oracle_close(&s->oracle);
    corpus_free(&s->fresh);
    uf_free(s->backup);
    free(s);
    return status;
}

static int attack_kind(struct attack_run *run, const struct learned_setup *setup, enum learned_id id)
{
    struct learned_target target;
    int status = learned_target_new(setup, id, &run->ctx, &target, run->why);
    if (status != UF_OK)
        return status;
    status = watch_target(run, &target);
    learned_target_free(&target);
    return status;
}

static int run_attack(const struct attack_request *request, struct attack_result *out, uf_error *why)
{
    const struct learned_plan plan = {request->plan.kind, request->plan.fpr, request->share, REGIONS, 0};
    const size_t n = (size_t)request->plan.n;
    struct learned_setup setup;
    struct corpus corpus;
    struct attack_run run;
    int status = attack_open(request, out, LEARNED_TARGETS, &run, why);
    if (status == UF_OK)
        status = corpus_make(n, n, &run.other, &corpus, why);
    if (status != UF_OK)
        return status;
    status = learned_setup_open(&corpus, &plan, &setup, why);
    for (unsigned id = 0; status == UF_OK && id < LEARNED_KEYED; id++)
        if (request->learned & 1u << id) {
            status = attack_open(request, out, id, &run, why);
            if (status == UF_OK)
                status = attack_kind(&run, &setup, id);
        }
    learned_setup_close(&setup);
    corpus_free(&corpus);
    return status;
}

const struct attack attack_watch = {
    .name = "watch",
    .about = "mutate, against learned filters that watch themselves and have a backup",
    .meaning = "Honest traffic raises an alarm in no more runs than the watch was told, however long they are; whoever "
               "acts without its limit is wrong nearly always. A filter that believes its model notices mutants within "
               "some dozens of them, and from then on accepts no more than its backup. Where a keyed filter has the "
               "last word there is less to gain, and less to notice.",
    .takes = ATTACK_PLAN,
    .usual = {.n = 10000, .trials = 200, .kind = "bloom"},
    .has_plot = 0,
    .run = run_attack,
};
