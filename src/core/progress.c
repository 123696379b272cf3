/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include "status.h"

void progress_start(struct progress *progress, int (*told)(void *arg, uint64_t done, uint64_t total), void *arg,
                    uint64_t total)
{
    progress->told = told;
    progress->arg = arg;
    progress->done = 0;
    progress->total = total;
    progress->reason = 0;
    (void)pthread_mutex_init(&progress->lock, NULL);
}

int progress_add(struct progress *progress, uint64_t more)
{
    if (!progress->told)
        return UF_OK;
    pthread_mutex_lock(&progress->lock);
    progress->done += more;
    if (!progress->reason)
        progress->reason = progress->told(progress->arg, progress->done, progress->total);
    int stop = progress->reason;
    pthread_mutex_unlock(&progress->lock);
    return stop ? UF_ECANCELED : UF_OK;
}

int progress_stopped(const struct progress *progress, uf_error *why)
{
    return fail_because(why, UF_ECANCELED, progress->reason, "the progress callback asked to stop, after %llu of %llu",
                        (unsigned long long)progress->done, (unsigned long long)progress->total);
}

void progress_end(struct progress *progress)
{
    (void)pthread_mutex_destroy(&progress->lock);
}
