/* SPDX-License-Identifier: MIT */
/*
 * A team is started per measurement. Its members pin themselves, report in, and spin until all are there; the clock
 * starts when they are released, so the cost of creating threads is not in the result. CPUs are taken from the end of
 * the list of allowed ones: the first usually serves the interrupts.
 */
#include "team.h"

#include "clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct member {
    struct team *team;
    unsigned index;
    pthread_t thread;
    double start, end;
    double cpu_ns;
};

struct team {
    void (*work)(void *arg, unsigned index);
    void *arg;
    atomic_uint ready;
    atomic_int go;
    struct member members[TEAM_MAX];
};

/* Summed over everything that team_run ran. */
static double all_cpu_ns, all_wall_ns;

double team_cpu_share(void)
{
    return all_wall_ns > 0 ? all_cpu_ns / all_wall_ns : 1;
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The process's CPUs as they were before the first pinning. */
static const cpu_set_t *allowed(void)
{
    static cpu_set_t set;
    static int known;
    if (!known) {
        if (sched_getaffinity(0, sizeof set, &set) != 0) {
            CPU_ZERO(&set);
            CPU_SET(0, &set);
        }
        known = 1;
    }
    return &set;
}

unsigned team_cpus(void)
{
    unsigned count = (unsigned)CPU_COUNT(allowed());
    return count < TEAM_MAX ? count : TEAM_MAX;
}

/* Pins the calling thread to the index-th allowed CPU from the end, round and round. */
static void pin(unsigned index)
{
    cpu_set_t one;
    unsigned skip = index % team_cpus();
    for (size_t cpu = CPU_SETSIZE; cpu-- > 0;) {
        if (CPU_ISSET(cpu, allowed()) && skip-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            (void)sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

void team_settle(unsigned threads)
{
    if (threads == 1) {
        pin(0);
    } else {
        (void)sched_setaffinity(0, sizeof(cpu_set_t), allowed());
    }
}

static void *member_main(void *arg)
{
    struct member *me = arg;
    struct team *team = me->team;
    pin(me->index);
    atomic_fetch_add(&team->ready, 1);
    while (!atomic_load_explicit(&team->go, memory_order_acquire)) {
    }
    me->cpu_ns = cpu_ns();
    me->start = clock_ns();
    team->work(team->arg, me->index);
    me->end = clock_ns();
    me->cpu_ns = cpu_ns() - me->cpu_ns;
    return NULL;
}

static double team_of_many(struct team *team, unsigned threads)
{
    (void)allowed();
    for (unsigned i = 0; i < threads; i++) {
        team->members[i].team = team;
        team->members[i].index = i;
        if (pthread_create(&team->members[i].thread, NULL, member_main, &team->members[i]) != 0) {
            fprintf(stderr, "uf_bench: the system refused thread %u of %u; try a smaller --threads\n", i + 1, threads);
            exit(2);
        }
    }
    while (atomic_load(&team->ready) != threads) {
        sched_yield();
    }
    double start = clock_ns();
    double end = start;
    atomic_store_explicit(&team->go, 1, memory_order_release);
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(team->members[i].thread, NULL);
        const struct member *done = &team->members[i];
        end = done->end > end ? done->end : end;
        all_cpu_ns += done->cpu_ns;
        all_wall_ns += done->end - done->start;
    }
    return end - start;
}

double team_run(unsigned threads, void (*work)(void *arg, unsigned index), void *arg)
{
    if (threads == 1) {
        double cpu = cpu_ns();
        double start = clock_ns();
        work(arg, 0);
        double ns = clock_ns() - start;
        all_cpu_ns += cpu_ns() - cpu;
        all_wall_ns += ns;
        return ns;
    }
    struct team *team = calloc(1, sizeof *team);
    if (!team) {
        fprintf(stderr, "uf_bench: no memory for %u threads\n", threads);
        exit(2);
    }
    team->work = work;
    team->arg = arg;
    double ns = team_of_many(team, threads);
    free(team);
    return ns;
}
