/* SPDX-License-Identifier: MIT */
/*
 * Many at one ledger, and sudden death. Processes and threads charge the same budget at the same time: what was
 * acknowledged is recorded, once, and the sum is exact and within the budget. A process that is killed at any moment
 * loses nothing that it had acknowledged, and at most one charge is there that it had not. The control takes the lock
 * away and must lose charges.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ledger_fixture.h"
#include "random.h"

/* ---- the lock: the control does without it, and others may be quicker ---- */

static int no_lock;
static struct fixture *quicker; /* where another charge comes between opening and locking, once */

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how)
{
    struct fixture *fixture = quicker;
    quicker = NULL;
    if (fixture)
        assert_charged(fixture, "patients", "quicker", 1, 3);
    return no_lock ? 0 : __real_flock(fd, how);
}

/* ---- a crowd ---- */

enum { CROWD = 8, TRIES = 12, COVERED = 60 }; /* the budget covers 60 of 96 releases */

#define EPSILON 0.125 /* sums of it are exact */

/* What one member got: a bit for each release that was acknowledged. */
struct member {
    struct fixture *fixture;
    unsigned number;
    uint32_t acknowledged;
    int failed; /* with something else than a spent budget */
};

static void *charge_all(void *arg)
{
    struct member *member = arg;
    for (unsigned i = 0; i < TRIES; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "%u-%u", member->number, i);
        const uf_charge what = charge_of("patients", id, EPSILON, COVERED * EPSILON);
        int status = uf_ledger_charge(member->fixture->path, &what, NULL, 0, NULL);
        if (status == UF_OK)
            member->acknowledged |= UINT32_C(1) << i;
        else if (status != UF_EBUDGET)
            member->failed = status;
    }
    return NULL;
}

/* Which releases the file has. */
struct roll {
    uint32_t recorded[CROWD];
    unsigned count;
    double sum; /* by plain addition: exact here */
    uf_ledger_entry last;
};

static int call_roll(void *arg, const uf_ledger_entry *entry)
{
    struct roll *roll = arg;
    unsigned number, i;
    assert_int_equal(sscanf(entry->id, "%u-%u", &number, &i), 2);
    assert_true(number < CROWD && i < TRIES && !(roll->recorded[number] >> i & 1)); /* each once */
    roll->recorded[number] |= UINT32_C(1) << i;
    roll->count++;
    roll->sum += entry->epsilon;
    roll->last = *entry;
    return 0;
}

static struct roll roll_of(struct fixture *fixture)
{
    struct roll roll = {0};
    assert_status(UF_OK, uf_ledger_read(fixture->path, call_roll, &roll, &fixture->why), &fixture->why);
    return roll;
}

static void check_roll(struct fixture *fixture, const struct member *members)
{
    struct roll roll = roll_of(fixture);
    for (unsigned m = 0; m < CROWD; m++) {
        assert_int_equal(members[m].failed, UF_OK);
        assert_int_equal(members[m].acknowledged, roll.recorded[m]);
    }
    assert_int_equal(roll.count, COVERED);
    assert_int_equal(roll.last.releases, COVERED);
    assert_true(roll.sum == COVERED * EPSILON && roll.last.spent == roll.sum && roll.last.left == 0);
    assert_int_equal(folder_entries(&fixture->folder), 1);
}

static void start_process(struct member *member, int out)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child)
        return;
    charge_all(member);
    _exit(write(out, member, sizeof *member) == sizeof *member ? 0 : 1); /* small enough to be one piece */
}

static void run_processes(struct fixture *fixture, struct member members[CROWD])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    for (unsigned m = 0; m < CROWD; m++) {
        members[m] = (struct member){fixture, m, 0, 0};
        start_process(&members[m], ends[1]);
    }
    for (unsigned m = 0; m < CROWD; m++) {
        struct member told;
        int result;
        assert_int_equal(read(ends[0], &told, sizeof told), sizeof told);
        members[told.number] = told;
        assert_true(wait(&result) > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0);
    }
    close(ends[0]);
    close(ends[1]);
}

static void test_processes(void **state)
{
    struct fixture *fixture = *state;
    struct member members[CROWD];
    run_processes(fixture, members);
    check_roll(fixture, members);
}

static void test_threads(void **state)
{
    struct fixture *fixture = *state;
    struct member members[CROWD];
    pthread_t thread[CROWD];
    for (unsigned m = 0; m < CROWD; m++) {
        members[m] = (struct member){fixture, m, 0, 0};
        assert_int_equal(pthread_create(&thread[m], NULL, charge_all, &members[m]), 0);
    }
    for (unsigned m = 0; m < CROWD; m++)
        assert_int_equal(pthread_join(thread[m], NULL), 0);
    check_roll(fixture, members);
}

/* One crowd without the lock, at a ledger of its own: how many acknowledged charges are gone. */
static unsigned lost_without_the_lock(struct fixture *fixture)
{
    struct member members[CROWD];
    unsigned acknowledged = 0;
    unlink(fixture->path);
    no_lock = 1;
    run_processes(fixture, members);
    no_lock = 0;
    for (unsigned m = 0; m < CROWD; m++)
        acknowledged += (unsigned)__builtin_popcount(members[m].acknowledged);
    return acknowledged - roll_of(fixture).count;
}

/* The control: without the lock, members write over each other, and acknowledged charges are gone. On a busy machine
 * one may be done before the next begins: some crowds are tried. */
static void test_without_the_lock_charges_are_lost(void **state)
{
    unsigned lost = 0, crowds = 0;
    for (; !lost && crowds < 100; crowds++)
        lost = lost_without_the_lock(*state);
    print_message("without the lock: %u charges lost in crowd %u\n", lost, crowds);
    assert_true(lost > 0);
}

/* Another charge replaced the file that was opened: its lock is free, and worth nothing. */
static void test_replaced_before_the_lock(void **state)
{
    struct fixture *fixture = *state;
    assert_charged(fixture, "patients", "a", 1, 3);
    quicker = fixture;
    assert_charged(fixture, "patients", "b", 1, 0);
    assert_null(quicker);
    assert_true(fixture->now.spent == 3 && fixture->now.releases == 3);
    assert_int_equal(list_of(fixture).count, 3);
}

/* ---- sudden death ---- */

/* Charges without end, and says so after each. */
static void charge_until_killed(struct fixture *fixture, unsigned first, int out)
{
    for (unsigned i = first;; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "%u", i);
        const uf_charge what = charge_of("patients", id, EPSILON, 1e6);
        if (uf_ledger_charge(fixture->path, &what, NULL, 0, NULL) != UF_OK || write(out, "+", 1) != 1)
            _exit(1);
    }
}

static int count_entry(void *arg, const uf_ledger_entry *entry)
{
    unsigned *count = arg;
    char id[16];
    (void)snprintf(id, sizeof id, "%u", (*count)++);
    assert_string_equal(entry->id, id); /* none is missing */
    assert_true(entry->spent == *count * EPSILON);
    return 0;
}

static unsigned recorded_in(struct fixture *fixture)
{
    unsigned count = 0;
    if (!access(fixture->path, F_OK))
        assert_status(UF_OK, uf_ledger_read(fixture->path, count_entry, &count, &fixture->why), &fixture->why);
    return count;
}

static unsigned drain(int fd)
{
    char buffer[256];
    unsigned total = 0;
    for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;)
        total += (unsigned)got;
    return total;
}

/* Returns how many charges are there now. */
static unsigned kill_one(struct fixture *fixture, unsigned before, uint64_t microseconds)
{
    int ends[2], result;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        charge_until_killed(fixture, before, ends[1]);
    close(ends[1]);
    nanosleep(&(struct timespec){0, (long)microseconds * 1000}, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    unsigned acknowledged = drain(ends[0]), now = recorded_in(fixture);
    close(ends[0]);
    assert_that(now == before + acknowledged || now == before + acknowledged + 1,
                "%u were there, %u were acknowledged, %u are there", before, acknowledged, now);
    return now;
}

/* A busy machine needs longer for a charge: the kills stay about as early as the first few of them. */
static uint64_t next_wait(uint64_t most, unsigned charged)
{
    if (!charged)
        return most < 500000 ? most + most / 4 : most;
    return charged > 3 && most > 2000 ? most / 2 : most;
}

static void test_killed_at_any_moment(void **state)
{
    struct fixture *fixture = *state;
    const unsigned kills = test_full() ? 10000 : test_small() ? 40 : 200;
    uint64_t random = 20240601, most = 8000;
    unsigned now = 0, charged = 0, extra = 0;
    for (unsigned i = 0; i < kills; i++) {
        if (i % 20 == 0) {
            now = 0;
            unlink(fixture->path); /* the first charge of all is killed too */
        }
        unsigned before = now;
        now = kill_one(fixture, before, random_below(&random, most));
        most = next_wait(most, now - before);
        charged += now - before;
        extra += now > before;
    }
    print_message("%u kills, %u charges; %u of the kills came after a charge\n", kills, charged, extra);
    assert_true(extra > kills / 20); /* or nothing was tested */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE(test_replaced_before_the_lock),
        FIXTURE(test_processes),
        FIXTURE(test_threads),
        FIXTURE(test_without_the_lock_charges_are_lost),
        FIXTURE(test_killed_at_any_moment),
    };
    return cmocka_run_group_tests_name("ledger_crowd", tests, NULL, NULL);
}
