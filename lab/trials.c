/* SPDX-License-Identifier: MIT */
#include "trials.h"

#include <pthread.h>
#include <stdio.h>

enum { MOST_THREADS = 256, MOST_BATCH = 16 };

struct team {
    const struct trials *trials;
    trial *one;
    void *arg;
    pthread_mutex_t lock; /* of all that follows */
    uint64_t next, done, batch;
    int status; /* of the first trial that failed */
    uf_error why;
};

int trials_context(const struct trials *trials, uint64_t number, struct stream *stream, uf_context *out)
{
    *out = (uf_context)UF_CONTEXT_INIT;
    if (!trials->seed.given)
        return UF_OK;
    out->random = stream_fill;
    out->random_arg = stream;
    return stream_open(stream, trials->seed, number) ? UF_ERANDOM : UF_OK;
}

/* Tells what was done and takes the next batch: [*from, *to). 0 when there is none. */
static int next_batch(struct team *team, uint64_t *from, uint64_t *to)
{
    const struct trials *trials = team->trials;
    pthread_mutex_lock(&team->lock);
    team->done += *to - *from;
    if (trials->progress && trials->progress(trials->progress_arg, team->done, trials->count) && team->status == UF_OK)
        team->status = UF_ECANCELED;
    *from = team->next;
    *to = trials->count - *from < team->batch ? trials->count : *from + team->batch;
    team->next = *to;
    int more = team->status == UF_OK && *from < *to;
    pthread_mutex_unlock(&team->lock);
    return more;
}

static void stop(struct team *team, int status, const uf_error *why)
{
    pthread_mutex_lock(&team->lock);
    if (team->status == UF_OK) {
        team->status = status;
        team->why = *why;
    }
    pthread_mutex_unlock(&team->lock);
}

static int run_one(const struct team *team, uint64_t number, uf_error *why)
{
    uf_context ctx;
    struct stream stream;
    int status = trials_context(team->trials, number, &stream, &ctx);
    if (status == UF_OK)
        return team->one(team->arg, number, &ctx, why);
    (void)snprintf(why->text, sizeof why->text, "%s", uf_status_text(status));
    return status;
}

static void *work(void *arg)
{
    struct team *team = arg;
    uf_error why = {0};
    for (uint64_t from = 0, to = 0; next_batch(team, &from, &to);)
        for (uint64_t i = from; i < to; i++) {
            int status = run_one(team, team->trials->first + i, &why);
            if (status != UF_OK) {
                stop(team, status, &why);
                break;
            }
        }
    return NULL;
}

/* Batches spare the lock when trials are short and many; few trials may be long, and are handed out one by one. */
static uint64_t batch_of(const struct trials *trials)
{
    uint64_t share = trials->count / 64 / (trials->threads ? trials->threads : 1);
    return share < 1 ? 1 : share > MOST_BATCH ? MOST_BATCH : share;
}

int trials_run(const struct trials *trials, trial *one, void *arg, uf_error *why)
{
    struct team team = {
        .trials = trials, .one = one, .arg = arg, .lock = PTHREAD_MUTEX_INITIALIZER, .batch = batch_of(trials)};
    pthread_t helper[MOST_THREADS];
    unsigned helpers = 0;
    while (helpers + 1 < trials->threads && helpers < MOST_THREADS &&
           !pthread_create(&helper[helpers], NULL, work, &team))
        helpers++;
    (void)work(&team);
    while (helpers)
        pthread_join(helper[--helpers], NULL);
    if (team.status != UF_OK && why)
        *why = team.why;
    return team.status;
}
