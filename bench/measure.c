/* SPDX-License-Identifier: MIT */
/*
 * Measuring is checking: every run over the keys that were built in must find all of them (but for filters that forget
 * some by design), and the batched answers must agree in number with those one by one, or the filter is disqualified. A
 * wrong filter cannot win.
 *
 * A row's time is the minimum over the runs: noise on a shared machine only ever adds. A run of few keys repeats its
 * keys until it has asked 2^17, so that no run is shorter than the clock and the caches allow. Absent keys are 2^17 or
 * more different ones even for small filters: a branch predictor must not learn them by heart.
 */
#include "measure.h"

#include "clock.h"
#include "team.h"

#include <math.h>
#include <stdio.h>

enum { QUERIES_MIN = 1 << 17 };

typedef uint64_t ask_function(const void *self, const void *keys, uint64_t count);

struct asking {
    const void *self;
    ask_function *ask;
    const struct keys *keys;
    uint64_t count;
    uint64_t passes;
    unsigned threads;
    uint64_t found[TEAM_MAX];
};

struct timing {
    double ns; /* per key, the best run */
    unsigned runs;
    uint64_t found; /* per pass */
    uint64_t count;
    struct latency alone;
};

static const struct latency not_measured = {NAN, NAN};

int effort_again(const struct effort *effort, unsigned runs, double spent_ns)
{
    if (runs > 0 && spent_ns > effort->too_long_ns) {
        return 0;
    }
    return runs < effort->runs_min || spent_ns < effort->enough_ns;
}

static void ask_slice(void *arg, unsigned index)
{
    struct asking *asking = arg;
    uint64_t from, to, found = 0;
    team_slice(asking->count, asking->threads, index, &from, &to);
    const unsigned char *keys = asking->keys->at + from * asking->keys->width;
    for (uint64_t pass = 0; pass < asking->passes; pass++) {
        found += asking->ask(asking->self, keys, to - from);
    }
    asking->found[index] = found;
}

static uint64_t found_by_all(const struct asking *asking)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < asking->threads; i++) {
        found += asking->found[i];
    }
    return found;
}

static struct timing time_queries(const struct measure_job *job, const void *self, ask_function *ask,
                                  const struct keys *keys)
{
    uint64_t count = keys->count < job->effort.queries_max ? keys->count : job->effort.queries_max;
    struct asking asking = {.self = self, .ask = ask, .keys = keys, .count = count, .threads = job->threads};
    struct timing timing = {.ns = INFINITY, .count = count, .alone = not_measured};
    double spent = 0;
    asking.passes = (QUERIES_MIN + count - 1) / count;
    while (effort_again(&job->effort, timing.runs, spent)) {
        double ns = team_run(job->threads, ask_slice, &asking);
        spent += ns;
        timing.ns = fmin(timing.ns, ns / (double)(count * asking.passes));
        timing.found = found_by_all(&asking) / asking.passes;
        timing.runs++;
    }
    return timing;
}

/* Builds until the effort is spent and leaves the last filter in *self. One build is enough where its time is not
 * wanted: a peer that builds on one thread, about to be asked by several. */
static int time_builds(const struct measure_job *job, struct peer_job *want, void **self, struct timing *timing)
{
    const struct peer *peer = job->peer;
    const int once = want->threads != job->threads;
    double spent = 0;
    *timing = (struct timing){.ns = INFINITY, .count = job->hits->count, .alone = not_measured};
    for (;;) {
        *self = peer->open(peer, want);
        if (!*self) {
            return -1;
        }
        double start = clock_ns();
        int status = peer->build(*self, job->hits->at, job->hits->count);
        double ns = clock_ns() - start;
        spent += ns;
        timing->ns = fmin(timing->ns, ns / (double)job->hits->count);
        timing->runs++;
        if (status != 0 || once || !effort_again(&job->effort, timing->runs, spent)) {
            return status;
        }
        peer->close(*self);
    }
}

/* The ratios are filled in later, when everything of this size was measured. */
static void add_row(const struct measure_job *job, const struct timing *timing, enum op op, uint64_t bits,
                    struct results *results)
{
    int absent = op == OP_MISS || op == OP_MANY_MISS;
    struct result row = {
        .peer = job->peer,
        .n = job->hits->count,
        .key_bytes = job->hits->width,
        .threads = job->threads,
        .op = op,
        .ns = timing->ns,
        .ratio_limit = NAN,
        .ratio_libbloom = NAN,
        .bits_per_key = (double)bits / (double)job->hits->count,
        .fpr = absent ? (double)timing->found / (double)timing->count : NAN,
        .bytes = bits / 8,
        .runs = timing->runs,
        .alone = timing->alone,
    };
    results_add(results, &row);
}

static int wrong(const struct measure_job *job, const char *what, uint64_t found, uint64_t expected)
{
    fprintf(stderr, "uf_bench: %s %s, n = %llu, %u thread(s): %s found %llu keys where %llu were expected\n",
            job->peer->name, job->peer->kind, (unsigned long long)job->hits->count, job->threads, what,
            (unsigned long long)found, (unsigned long long)expected);
    return -1;
}

/* Every key that was built in, not only those that are timed. Skipped where it would take minutes. */
static int check_all(const struct measure_job *job, const void *self)
{
    ask_function *ask = job->peer->query_many;
    if (!ask || job->peer->forgets || job->hits->count <= job->effort.queries_max) {
        return 0;
    }
    struct asking asking = {.self = self, .ask = ask, .keys = job->hits, .count = job->hits->count};
    asking.passes = 1;
    asking.threads = job->threads;
    team_run(job->threads, ask_slice, &asking);
    uint64_t found = found_by_all(&asking);
    return found == asking.count ? 0 : wrong(job, "the check of all keys", found, asking.count);
}

static int measure_queries(const struct measure_job *job, const void *self, struct results *results)
{
    static const enum op order[] = {OP_HIT, OP_MISS, OP_MANY_HIT, OP_MANY_MISS};
    const struct peer *peer = job->peer;
    uint64_t bits = peer->bits(self);
    uint64_t one_by_one[2] = {0}; /* found, of absent and of present keys */
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        enum op op = order[i];
        int many = op == OP_MANY_HIT || op == OP_MANY_MISS;
        int hit = op == OP_HIT || op == OP_MANY_HIT;
        if (many && !peer->query_many) {
            continue;
        }
        const struct keys *keys = hit ? job->hits : job->misses;
        struct timing timing = time_queries(job, self, many ? peer->query_many : peer->query, keys);
        if (!many && job->threads == 1) {
            timing.alone = latency_measure(peer->query, self, keys);
        }
        if (hit && !peer->forgets && timing.found != timing.count) {
            return wrong(job, op_name(op), timing.found, timing.count);
        }
        if (many && timing.found != one_by_one[hit]) {
            return wrong(job, op_name(op), timing.found, one_by_one[hit]);
        }
        one_by_one[hit] = timing.found;
        add_row(job, &timing, op, bits, results);
    }
    return check_all(job, self);
}

int measure_peer(const struct measure_job *job, struct limits *limits, struct results *results)
{
    const struct peer *peer = job->peer;
    struct peer_job want = {.n = job->hits->count, .fpr = job->fpr, .key_bytes = job->hits->width};
    struct timing timing;
    void *self = NULL;
    size_t before = results->count;
    want.threads = peer->parallel_build ? job->threads : 1;
    team_settle(want.threads);
    int status = time_builds(job, &want, &self, &timing);
    if (status != 0) {
        fprintf(stderr, "uf_bench: %s %s, n = %llu: %s: %s\n", peer->name, peer->kind, (unsigned long long)want.n,
                self ? "the build failed" : "skipped", want.why[0] ? want.why : "no reason given");
        status = self ? -1 : 0;
    } else {
        uint64_t bits = peer->bits(self);
        if (want.threads == job->threads) {
            add_row(job, &timing, OP_BUILD, bits, results);
        }
        (void)limits_lines(limits, (size_t)(bits / 8), job->threads);
        team_settle(job->threads);
        status = measure_queries(job, self, results);
        (void)limits_lines(limits, (size_t)(bits / 8), job->threads);
    }
    if (status != 0) {
        results->count = before;
    }
    if (self) {
        peer->close(self);
    }
    return status;
}
