/* SPDX-License-Identifier: MIT */
/*
 * Threads, forks and signals. Eight threads insert into one shared filter and ask for what they inserted, on every path
 * that this machine has, while another takes snapshots, each of which loads and has every key that was in before; a
 * forked child gets no coin that its parent has; and a signal a millisecond changes nothing of what is built, saved and
 * loaded. And processes that change one file (processes.h). Also run under the thread sanitizer.
 *
 * usage: torture_threads short|full
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "figure.h"
#include "folder.h"
#include "keys.h"
#include "processes.h"
#include "secrets.h"
#include "subjects.h"

enum { THREADS = 8, KEY = 8, BATCH = 500 };

/* ---- inserts and queries at once ---- */

struct shared {
    uf_filter *filter;
    const uf_context *ctx;
    uint64_t each;                       /* keys of a thread */
    atomic_uint_least64_t done[THREADS]; /* inserts that have returned */
    atomic_int finished;
    atomic_uint_least64_t missed, snapshots;
    uint64_t wanted; /* snapshots */
};

struct worker {
    struct shared *shared;
    unsigned number;
};

static void fill(unsigned char *keys, unsigned thread, uint64_t from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = (from + i) * THREADS + thread;
        memcpy(keys + i * KEY, &key, KEY);
    }
}

static uint64_t missed_of(const uf_filter *filter, unsigned thread, uint64_t from, uint64_t count)
{
    unsigned char keys[BATCH * KEY];
    uint8_t answers[BATCH];
    uint64_t missed = 0;
    for (uint64_t at = 0; at < count; at += BATCH) {
        const size_t some = count - at < BATCH ? (size_t)(count - at) : BATCH;
        fill(keys, thread, from + at, some);
        uf_query_fixed(filter, keys, KEY, some, answers);
        for (size_t i = 0; i < some; i++)
            missed += !answers[i];
    }
    return missed;
}

/* Inserts a batch, and finds it, whatever the others do; and finds what the next thread has inserted last. */
static uint64_t insert_batch(struct shared *shared, unsigned number, uint64_t at)
{
    unsigned char keys[BATCH * KEY];
    uint8_t answers[2 * BATCH];
    uint64_t missed = 0;
    const unsigned next = (number + 1) % THREADS;
    const size_t count = shared->each - at < BATCH ? (size_t)(shared->each - at) : BATCH;
    fill(keys, number, at, count);
    if (uf_insert_fixed(shared->filter, keys, KEY, count, NULL) != UF_OK)
        return count;
    if (atomic_load(&shared->done[number]) < at + count)
        atomic_store(&shared->done[number], at + count);
    uf_query_fixed(shared->filter, keys, KEY, count, answers);
    const uint64_t there = atomic_load(&shared->done[next]);
    const size_t more = there >= BATCH ? BATCH : 0;
    fill(keys, next, there - more, more);
    uf_query_fixed(shared->filter, keys, KEY, more, answers + count);
    for (size_t i = 0; i < count + more; i++)
        missed += !answers[i];
    return missed;
}

/* All of its keys, and once more from the start until there were enough snapshots. */
static void *work(void *arg)
{
    struct worker *worker = arg;
    struct shared *shared = worker->shared;
    do
        for (uint64_t at = 0; at < shared->each; at += BATCH)
            atomic_fetch_add(&shared->missed, insert_batch(shared, worker->number, at));
    while (atomic_load(&shared->snapshots) < shared->wanted);
    return NULL;
}

/* The first keys of every thread, and the last that had been inserted. */
static uint64_t missed_in_snapshot(const uf_filter *copy, const uint64_t before[THREADS])
{
    uint64_t missed = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        const uint64_t last = before[i] < 4 * BATCH ? before[i] : 4 * BATCH;
        missed += missed_of(copy, i, 0, last) + missed_of(copy, i, before[i] - last, last);
    }
    return missed;
}

static void *take_snapshots(void *arg)
{
    struct shared *shared = arg;
    do {
        uint64_t before[THREADS];
        uf_filter *copy = NULL;
        struct bytes bytes = {NULL, 0, 0};
        for (unsigned i = 0; i < THREADS; i++)
            before[i] = atomic_load(&shared->done[i]);
        int status = uf_write(shared->filter, UF_FORMAT_UF, bytes_put, &bytes, NULL);
        if (status == UF_OK)
            status = uf_load_bytes(bytes.data, bytes.size, UF_FORMAT_UF, shared->ctx, &copy, NULL);
        atomic_fetch_add(&shared->missed, status == UF_OK ? missed_in_snapshot(copy, before) : 1);
        atomic_fetch_add(&shared->snapshots, 1);
        uf_free(copy);
        bytes_free(&bytes);
    } while (!atomic_load(&shared->finished));
    return NULL;
}

static void insert_at_once(const char *text, int cpu, uint64_t each, int full)
{
    static const char *const paths[] = {"auto", "scalar", "neon", "avx2", "avx512"};
    struct shared shared = {.each = each, .wanted = full ? 125 : 2};
    struct worker worker[THREADS];
    pthread_t thread[THREADS + 1];
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of(text);
    char number[24], check[160];
    uf_error why = {0, 0, ""};
    const double start = figure_clock();
    ctx.secret = subject_secret(text);
    ctx.cpu = cpu;
    shared.ctx = &ctx;
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)(each * THREADS));
    assert_status(UF_OK, uf_spec_set(&spec, "n", number, NULL), NULL);
    const int status = uf_build(&spec, NULL, 0, &ctx, &shared.filter, &why);
    if (status == UF_EUNSUPPORTED)
        return; /* a path that this machine lacks */
    assert_status(UF_OK, status, &why);
    assert_status(UF_OK, uf_tune(shared.filter, UF_KNOB_SHARED, 1), NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        worker[i] = (struct worker){&shared, i};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &worker[i]), 0);
    }
    assert_int_equal(pthread_create(&thread[THREADS], NULL, take_snapshots, &shared), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    atomic_store(&shared.finished, 1);
    assert_int_equal(pthread_join(thread[THREADS], NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        atomic_fetch_add(&shared.missed, missed_of(shared.filter, i, 0, each));
    uf_free(shared.filter);
    const uint64_t missed = atomic_load(&shared.missed);
    (void)snprintf(check, sizeof check, "8 threads at one filter: %s, %s", text, paths[cpu]);
    figure(check, each * THREADS, 8000000, missed, "%llu snapshots meanwhile; %.1f s",
           (unsigned long long)atomic_load(&shared.snapshots), figure_clock() - start);
}

/* ---- forks ---- */

static uf_builder *private_builder(const struct keys *keys)
{
    uf_spec spec = spec_of("ultra:n=2000,epsilon=1,seed=0x1");
    uf_builder *builder = NULL;
    assert_status(UF_OK, uf_builder_new(&spec, NULL, &builder, NULL), NULL);
    assert_status(UF_OK, uf_builder_add(builder, keys->key, keys->count, NULL), NULL);
    return builder;
}

static struct bytes finish_builder(uf_builder *builder, int *status)
{
    struct bytes bytes = {NULL, 0, 0};
    uf_filter *filter = NULL;
    *status = uf_builder_finish(builder, &filter, NULL);
    if (*status == UF_OK)
        bytes = bytes_of(filter, UF_FORMAT_UF);
    uf_free(filter);
    return bytes;
}

static size_t differing_bits(const struct bytes *a, const struct bytes *b)
{
    size_t bits = 0;
    for (size_t i = 4096; i < a->size && i < b->size; i++)
        bits += (size_t)__builtin_popcount((unsigned)(a->data[i] ^ b->data[i]));
    return bits;
}

/* A builder lives on in both processes, with one set: the noise of the two must not be the same. At epsilon 1 hundreds
 * of the bits differ, unless the coins are shared. */
/* The control: the same coins twice. */
static uint64_t shared_coins(const struct keys *keys)
{
    struct bytes made[2];
    for (int i = 0; i < 2; i++) {
        uint64_t state = 1;
        const uf_context ctx = seeded_context(&state);
        made[i] = bytes_of_build("ultra:n=2000,epsilon=1,seed=0x1", keys->key, keys->count, &ctx);
    }
    const size_t bits = differing_bits(&made[0], &made[1]);
    bytes_free(&made[0]);
    bytes_free(&made[1]);
    return bits >= 100;
}

static void fork_with_a_builder(uint64_t rounds)
{
    struct keys keys = keys_make("key", 1000);
    uint64_t wrong = shared_coins(&keys), refused = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        uf_builder *builder = private_builder(&keys);
        int ends[2], status, result;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        struct bytes mine = finish_builder(builder, &status);
        if (!child) {
            if (status == UF_OK && write(ends[1], mine.data, mine.size) != (ssize_t)mine.size)
                _exit(2);
            _exit(status == UF_OK ? 0 : status == UF_ERANDOM ? 1 : 2);
        }
        close(ends[1]);
        struct bytes other = {NULL, 0, 0};
        char buffer[4096];
        for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
            bytes_put(&other, buffer, (size_t)got);
        close(ends[0]);
        assert_int_equal(waitpid(child, &result, 0), child);
        refused += WEXITSTATUS(result) == 1;
        if (status != UF_OK || !WIFEXITED(result) || WEXITSTATUS(result) == 2 ||
            (WEXITSTATUS(result) == 0 && differing_bits(&mine, &other) < 100)) {
            wrong++;
            complain("fork: status %d, child %d, %zu bits differ", status, WEXITSTATUS(result),
                     differing_bits(&mine, &other));
        }
        bytes_free(&mine);
        bytes_free(&other);
        uf_builder_free(builder);
    }
    keys_free(&keys);
    figure("forks with a live builder", rounds, 100, wrong, "no coins in common; %llu children were refused theirs",
           (unsigned long long)refused);
}

/* ---- signals ---- */

static atomic_ulong signals;

static void on_signal(int signal)
{
    (void)signal;
    atomic_fetch_add(&signals, 1);
}

/* Handlers that do not restart calls, a thousand times a second, while filters are built, saved and loaded. */
static void interrupt(uint64_t rounds)
{
    static const char *const texts[] = {"blocked:n=200000,seed=0x1", "ribbon:seed=0x1", "bloom:n=200000,seed=0x1"};
    struct keys keys = keys_make("key", 60000);
    struct folder folder = folder_make();
    struct bytes quiet[3];
    uint64_t wrong = 0;
    for (size_t i = 0; i < 3; i++)
        quiet[i] = bytes_of_build(texts[i], keys.key, keys.count, NULL);
    struct sigaction action = {.sa_handler = on_signal};
    const struct itimerval each = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &each, NULL), 0);
    for (uint64_t round = 0; round < rounds; round++) {
        const size_t i = round % 3;
        const char *path = folder_file(&folder, "a.uf");
        uf_filter *filter = build(texts[i], keys.key, keys.count, NULL), *again = NULL;
        int status = uf_save(filter, path, UF_FORMAT_UF, NULL);
        if (status == UF_OK)
            status = uf_load(path, UF_FORMAT_UF, NULL, &again, NULL);
        struct bytes bytes = {NULL, 0, 0};
        if (again)
            bytes = bytes_of(again, UF_FORMAT_UF);
        if (status != UF_OK || !bytes_equal(&bytes, &quiet[i])) {
            wrong++;
            complain("signals: %s gave %d, or other bytes", texts[i], status);
        }
        bytes_free(&bytes);
        uf_free(filter);
        uf_free(again);
    }
    assert_int_equal(setitimer(ITIMER_REAL, &off, NULL), 0);
    for (size_t i = 0; i < 3; i++)
        bytes_free(&quiet[i]);
    folder_remove(&folder);
    keys_free(&keys);
    figure("builds, saves and loads under signals", rounds, 300, wrong, "%lu signals, calls not restarted",
           atomic_load(&signals));
}

int main(int argc, char **argv)
{
    static const char *const texts[] = {"blocked:fpr=0.01", "bloom:fpr=0.01", "keyed(blocked:fpr=0.001,prf=aes)",
                                        "keyed(bloom:fpr=0.01)"};
    if (argc < 2) {
        (void)fprintf(stderr, "usage: torture_threads short|full\n");
        return 2;
    }
    const int full = !strcmp(argv[1], "full");
    const uint64_t each = argc > 2 ? strtoull(argv[2], NULL, 10) : full ? 1000000 : 5000;
    for (size_t i = 0; i < (full ? 4 : 2); i++)
        for (int cpu = UF_CPU_SCALAR; cpu <= UF_CPU_AVX512; cpu++)
            insert_at_once(texts[i], cpu, each, full);
    fork_with_a_builder(full ? 200 : 5);
    interrupt(full ? 300 : 3);
    processes_run(each / 10, full ? 25 : 2);
    return figure_status();
}
