/* SPDX-License-Identifier: MIT */
#include "parallel.h"

#include <pthread.h>

enum { MAX_THREADS = 256 };

struct team {
    size_t pieces, next;
    int (*work)(void *arg, size_t piece);
    void *arg;
    int result;
};

static void *drain(void *arg)
{
    struct team *team = arg;
    while (!__atomic_load_n(&team->result, __ATOMIC_RELAXED)) {
        size_t piece = __atomic_fetch_add(&team->next, 1, __ATOMIC_RELAXED);
        if (piece >= team->pieces)
            break;
        int result = team->work(team->arg, piece);
        if (result)
            __atomic_store_n(&team->result, result, __ATOMIC_RELAXED);
    }
    return NULL;
}

int parallel_for(unsigned threads, size_t pieces, int (*work)(void *arg, size_t piece), void *arg)
{
    struct team team = {pieces, 0, work, arg, 0};
    pthread_t helper[MAX_THREADS];
    size_t wanted = threads < MAX_THREADS ? threads : MAX_THREADS;
    size_t helpers = 0;
    if (wanted > pieces)
        wanted = pieces;
    while (helpers + 1 < wanted && !pthread_create(&helper[helpers], NULL, drain, &team))
        helpers++;
    drain(&team);
    while (helpers)
        pthread_join(helper[--helpers], NULL);
    return team.result;
}
