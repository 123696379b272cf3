/* SPDX-License-Identifier: MIT */
/*
 * A watch over a learned filter: what is asked and accepted in each region, held against the plan.
 *
 * Let a be the rate of the filter in front, h the share of the negatives in a region, f the rate of its filter. Of
 * queries for keys like the negatives a h come to the region, and a h f are accepted there. h is an estimate, from V
 * negatives: in its place there is an upper bound that is too small, in any region, with half of the chance of a false
 * alarm. A quarter is for evidence (evidence.h) that some region, or all together, accept more than that, and a quarter
 * for evidence that some region is asked more often. The sum is the chance that honest traffic is ever taken for
 * something else. Members come on top: they are accepted, and score as the filter's keys do.
 *
 * The lock guards counts, not queries: these run side by side.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "context.h"
#include "design_regions.h"
#include "evidence.h"
#include "sized.h"
#include "status.h"

/* The answers to so many keys are given at once: an alarm is about those that follow. */
enum { BATCH = 256 };

/* Drift is looked for after so many queries; acceptance whenever something was accepted, since nothing else adds to
 * that evidence. */
enum { LOOK_EVERY = 64 };

/* No region has this number. */
enum { BACKUP_SEED = 255 };

static const double usual_false_alarm = 0.001;

/* What a region may be asked and accept, as shares of all queries. */
struct expected {
    double asked, asked_most, passed, passed_most;
};

struct uf_watch {
    struct mem mem;
    const uf_filter *filter, *backup;
    uf_watching how;
    unsigned regions;
    struct expected expected[REGIONS_MOST];

    pthread_mutex_t lock; /* guards all that follows */
    struct evidence accepting, asking;
    struct learned_tally tally; /* accepted: those that count */
    uint64_t queries, accepted, told, alarm_at, drift_at, looked_at;
};

/* ---- the plan ---- */

static double limit_of(const uf_watching *how)
{
    return 4 / how->false_alarm;
}

/* The most that a share may be when that many queries, at most, are for members. */
static double with_members(const uf_watching *how, double others, double of_members)
{
    double members = how->told ? 0 : how->members;
    return fmax(others, (1 - members) * others + members * of_members);
}

static void expect(struct uf_watch *watch)
{
    const uf_filter *filter = watch->filter;
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    const struct regions *regions = &learned->regions;
    const double first = learned_first_rate(filter, LEARNED_AS_IS), keys = (double)learned_keys(learned);
    uint64_t all = 0;
    for (unsigned i = 0; i < regions->count; i++)
        all += regions->region[i].negatives;
    for (unsigned i = 0; i < regions->count; i++) {
        const struct region *region = &regions->region[i];
        const double rate = learned_region_rate(filter, i, LEARNED_AS_IS);
        const double share = (double)region->negatives / (double)all;
        const double most = regions->count == 1 ? 1
                                                : evidence_most_share(region->negatives, all,
                                                                      watch->how.false_alarm / 2 / regions->count);
        const double of_members = learned->request.whole ? 1 : keys > 0 ? (double)region->keys / keys : 0;
        watch->expected[i] =
            (struct expected){first * share, with_members(&watch->how, first * most, of_members), first * share * rate,
                              with_members(&watch->how, first * most * rate, of_members)};
    }
}

/* All regions together: no more than the sum, nor than one in the worst of them. */
static double passed_in_all(const struct uf_watch *watch)
{
    double sum = 0;
    for (unsigned i = 0; i < watch->regions; i++)
        sum += watch->expected[i].passed_most;
    return fmin(sum, 1);
}

static void start_evidence(struct uf_watch *watch)
{
    double asked[EVIDENCE_EVENTS], passed[EVIDENCE_EVENTS];
    expect(watch);
    for (unsigned i = 0; i < watch->regions; i++) {
        asked[i] = watch->expected[i].asked_most;
        passed[i] = watch->expected[i].passed_most;
    }
    passed[watch->regions] = passed_in_all(watch);
    evidence_start(&watch->asking, asked, watch->regions);
    evidence_start(&watch->accepting, passed, watch->regions + 1);
}

/* ---- backups ---- */

static uint64_t backup_seed(const uf_filter *filter)
{
    return region_seed(filter->hasher.seed, BACKUP_SEED);
}

int uf_get_backup_plan(const uf_filter *filter, double fpr, uf_spec *out, uf_error *why)
{
    error_clear(why);
    if (!filter || !out || !filter->ops->learned)
        return fail(why, UF_EUNSUPPORTED, "only a learned filter has a backup");
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    char text[200];
    (void)snprintf(text, sizeof text, "keyed(%s:n=%" PRIu64 ",fpr=%.15g,seed=0x%016" PRIx64 ")",
                   learned->request.children->name, learned_keys(learned), fpr > 0 ? fpr : learned->request.fpr,
                   backup_seed(filter));
    return uf_spec_parse(text, out, why);
}

/* Of these very keys, as far as it can be told: planned for as many, with the seed that this filter gives it. */
static int check_backup(const uf_filter *filter, const uf_filter *backup, uf_error *why)
{
    struct planned planned;
    backup->ops->capacity(backup, &planned);
    if (!hash_is_keyed(backup->hasher.kind) || backup->hasher.seed != backup_seed(filter) ||
        planned.n != learned_keys(CONST_PARAMS(struct learned, filter)))
        return fail(why, UF_EMISMATCH,
                    "the backup is not that of this filter: build it from the same keys and from what "
                    "uf_get_backup_plan says");
    return backup->locked ? fail(why, UF_EKEY, "the backup has no key: unlock it first") : UF_OK;
}

/* ---- making one ---- */

static int read_how(const uf_watching *given, uf_watching *out, uf_error *why)
{
    *out = (uf_watching)UF_WATCHING_INIT;
    int status = given ? sized_read(out, sizeof *out, given, given->size, "UF_WATCHING_INIT", why) : UF_OK;
    if (status != UF_OK)
        return status;
    if (!(out->false_alarm >= 0 && out->false_alarm <= 1) || !(out->members >= 0 && out->members <= 1))
        return fail(why, UF_EINVAL,
                    "a chance of a false alarm of %g, with a share of members of %g, is not possible: both are from 0 "
                    "to 1",
                    out->false_alarm, out->members);
    out->false_alarm = out->false_alarm > 0 ? out->false_alarm : usual_false_alarm;
    return UF_OK;
}

static int check_filter(const uf_filter *filter, const uf_watching *how, uf_error *why)
{
    if (!filter->ops->learned)
        return fail(why, UF_EUNSUPPORTED,
                    "a %s filter has nothing to watch: only learned ones have a rate that depends on how keys look",
                    filter->ops->name);
    if (filter->locked)
        return fail(why, UF_EKEY, "a locked filter cannot be watched: unlock it first");
    return how->backup ? check_backup(filter, how->backup, why) : UF_OK;
}

int uf_watch_new(const uf_filter *filter, const uf_watching *given, const uf_context *given_ctx, uf_watch **out,
                 uf_error *why)
{
    uf_context ctx;
    uf_watching how;
    error_clear(why);
    if (!filter || !out)
        return fail(why, UF_EINVAL, "no filter to watch was given");
    int status = context_read(given_ctx, &ctx, why);
    if (status == UF_OK)
        status = read_how(given, &how, why);
    if (status == UF_OK)
        status = check_filter(filter, &how, why);
    if (status != UF_OK)
        return status;
    struct mem mem = {ctx.allocator};
    struct uf_watch *watch = mem_alloc(&mem, 1, sizeof *watch);
    if (!watch)
        return fail(why, UF_ENOMEM, "no memory for a watch");
    *watch = (struct uf_watch){.mem = mem, .filter = filter, .backup = how.backup, .how = how};
    watch->regions = CONST_PARAMS(struct learned, filter)->regions.count;
    pthread_mutex_init(&watch->lock, NULL);
    start_evidence(watch);
    *out = watch;
    return UF_OK;
}

void uf_watch_free(uf_watch *watch)
{
    if (!watch)
        return;
    struct mem mem = watch->mem;
    pthread_mutex_destroy(&watch->lock);
    mem_free(&mem, watch, 1, sizeof *watch);
}

/* ---- counting ---- */

/* Look at the evidence, and remember when it was enough for the first time. */
static void judge_accepting(struct uf_watch *watch)
{
    if (!watch->alarm_at && evidence_reaches(&watch->accepting, log(limit_of(&watch->how))))
        watch->alarm_at = watch->queries;
}

static void judge_asking(struct uf_watch *watch)
{
    if (watch->drift_at || watch->queries - watch->looked_at < LOOK_EVERY)
        return;
    watch->looked_at = watch->queries;
    if (evidence_reaches(&watch->asking, log(limit_of(&watch->how))))
        watch->drift_at = watch->queries;
}

static void count_accepted(struct uf_watch *watch, uint64_t queries, const struct learned_tally *tally)
{
    uint64_t seen[EVIDENCE_EVENTS] = {0};
    for (unsigned i = 0; i < watch->regions; i++) {
        seen[i] = tally->accepted[i];
        seen[watch->regions] += tally->accepted[i];
        watch->tally.accepted[i] += tally->accepted[i];
    }
    evidence_add(&watch->accepting, queries, seen);
    if (seen[watch->regions])
        judge_accepting(watch);
}

static void count(struct uf_watch *watch, uint64_t queries, uint64_t accepted, struct learned_tally *tally)
{
    for (unsigned i = 0; i < watch->regions; i++) {
        watch->tally.asked[i] += tally->asked[i];
        tally->accepted[i] = watch->how.told ? 0 : tally->accepted[i];
    }
    watch->queries += queries;
    watch->accepted += accepted;
    evidence_add(&watch->asking, queries, tally->asked);
    judge_asking(watch);
    count_accepted(watch, queries, tally);
}

/* 1 when the backup has to accept a key, too. */
static int begin(struct uf_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    evidence_roll(&watch->accepting);
    evidence_roll(&watch->asking);
    int switched = watch->alarm_at && watch->backup;
    pthread_mutex_unlock(&watch->lock);
    return switched;
}

static uint64_t sum(const uint8_t *answers, size_t count)
{
    uint64_t accepted = 0;
    for (size_t i = 0; i < count; i++)
        accepted += answers[i];
    return accepted;
}

static void query_batch(struct uf_watch *watch, const uf_key *keys, size_t count_of, uint8_t *answers)
{
    struct learned_tally tally = {.asked = {0}};
    uint8_t also[BATCH];
    int switched = begin(watch);
    learned_query_tally(watch->filter, keys, count_of, answers, &tally);
    uint64_t accepted = sum(answers, count_of);
    if (switched) {
        uf_query_many(watch->backup, keys, count_of, also);
        for (size_t i = 0; i < count_of; i++)
            answers[i] &= also[i];
    }
    pthread_mutex_lock(&watch->lock);
    count(watch, count_of, accepted, &tally);
    pthread_mutex_unlock(&watch->lock);
}

void uf_watch_query(uf_watch *watch, const uf_key *keys, size_t count_of, uint8_t *answers)
{
    for (size_t done = 0; done < count_of; done += BATCH)
        query_batch(watch, keys + done, count_of - done < BATCH ? count_of - done : BATCH, answers + done);
}

void uf_watch_false(uf_watch *watch, const uf_key *keys, size_t count_of)
{
    for (size_t done = 0; done < count_of; done += BATCH) {
        const size_t step = count_of - done < BATCH ? count_of - done : BATCH;
        struct learned_tally tally = {.asked = {0}};
        uint8_t answers[BATCH];
        learned_query_tally(watch->filter, keys + done, step, answers, &tally);
        pthread_mutex_lock(&watch->lock);
        watch->told += sum(answers, step);
        if (watch->how.told)
            count_accepted(watch, 0, &tally);
        pthread_mutex_unlock(&watch->lock);
    }
}

/* ---- what was seen ---- */

/* More than that would be no news. */
static double told(const struct evidence *evidence)
{
    return fmin(exp(evidence_log(evidence)), 1e12);
}

int uf_get_watch(const uf_watch *given, uf_watched *out, size_t size)
{
    uf_watch *watch = (uf_watch *)given; /* its lock changes */
    if (!watch)
        return UF_EINVAL;
    pthread_mutex_lock(&watch->lock);
    uf_watched seen = {.queries = watch->queries,
                       .accepted = watch->accepted,
                       .told = watch->told,
                       .evidence = told(&watch->accepting),
                       .drift = told(&watch->asking),
                       .limit = limit_of(&watch->how),
                       .alarm_at = watch->alarm_at,
                       .drift_at = watch->drift_at,
                       .switched = watch->alarm_at && watch->backup,
                       .regions = watch->regions};
    pthread_mutex_unlock(&watch->lock);
    return sized_write(&seen, sizeof seen, out, size);
}

static uf_watched_region region_seen(const struct uf_watch *watch, unsigned index)
{
    const struct expected *expected = &watch->expected[index];
    const double queries = (double)watch->queries;
    const uint64_t asked = watch->tally.asked[index], accepted = watch->tally.accepted[index];
    return (uf_watched_region){asked,
                               accepted,
                               watch->queries ? (double)asked / queries : NAN,
                               expected->asked,
                               expected->asked_most,
                               watch->queries ? (double)accepted / queries : NAN,
                               expected->passed,
                               expected->passed_most};
}

int uf_get_watch_regions(const uf_watch *given, uf_watched_region *out, size_t size, size_t capacity)
{
    uf_watch *watch = (uf_watch *)given;
    int status = watch ? UF_OK : UF_EINVAL;
    for (unsigned i = 0; status == UF_OK && i < watch->regions && i < capacity; i++) {
        pthread_mutex_lock(&watch->lock);
        uf_watched_region seen = region_seen(watch, i);
        pthread_mutex_unlock(&watch->lock);
        status = sized_write(&seen, sizeof seen, (char *)out + i * size, size);
    }
    return status;
}
