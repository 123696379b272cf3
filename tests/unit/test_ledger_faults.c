/* SPDX-License-Identifier: MIT */
/*
 * The ledger when the system refuses: trouble.h makes each call fail once, and be the last; memory and pauses are
 * replaced here. What was acknowledged is in the ledger, the ledger is whole, and a second try charges once.
 */
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>

#include "ledger_fixture.h"
#include "faults.h"

/* ---- memory and pauses ---- */

static unsigned allocations, refuse_allocation, pauses;

void *__real_aligned_alloc(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
    return ++allocations == refuse_allocation ? NULL : __real_aligned_alloc(align, bytes);
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)wanted, (void)left;
    pauses++;
    return 0;
}

static size_t open_descriptors(void)
{
    const struct folder self = {"/proc/self/fd"};
    return folder_entries(&self);
}

/* A lock that is never given back is an error in the end. */
static void test_a_lock_that_stays(void **state)
{
    struct fixture *fixture = *state;
    assert_charged(fixture, "patients", "a", 1, 9);
    FILE *other = fopen(fixture->path, "r");
    assert_non_null(other);
    assert_int_equal(flock(fileno(other), LOCK_SH), 0);
    pauses = 0;
    assert_not_charged(UF_EIO, fixture, "patients", "b", 1, 0);
    assert_true(pauses > 1000);
    assert_int_equal(list_of(fixture).count, 1); /* readers need no lock */
    assert_int_equal(fclose(other), 0);
    assert_charged(fixture, "patients", "b", 1, 0);
}

/* ---- each call fails once, and is the last ---- */

/* The first release makes the file, the second replaces it. */
static const struct {
    size_t before; /* entries */
    const char *id;
} rounds[] = {{0, "a"}, {1, "b"}};

static void start_round(struct fixture *fixture, size_t before)
{
    unlink(fixture->path);
    if (before)
        assert_charged(fixture, "patients", "a", 1, 9);
}

/* With a label, so that a second try is the same release. */
static int charge_round(struct fixture *fixture, size_t round)
{
    return charge_label(fixture, "patients", rounds[round].id, "spring");
}

static size_t entries_now(struct fixture *fixture)
{
    return access(fixture->path, F_OK) ? 0 : list_of(fixture).count;
}

/* Whatever failed: the ledger is whole; what was acknowledged is in it; a second try makes it so, and charges once. */
static int fail_call(struct fixture *fixture, size_t round, unsigned at, int code)
{
    size_t before = rounds[round].before;
    start_round(fixture, before);
    size_t descriptors = open_descriptors();
    expect_fault(FAIL, at, code);
    int status = charge_round(fixture, round), fired = end_fault();
    assert_int_equal(open_descriptors(), descriptors);
    if (status != UF_OK)
        assert_refused(UF_EIO, status, &fixture->why);
    size_t after = entries_now(fixture);
    assert_true(after == before + 1 || (status != UF_OK && after == before));
    assert_int_equal(folder_entries(&fixture->folder), after > 0); /* no temporary file */
    assert_status(UF_OK, charge_round(fixture, round), &fixture->why);
    assert_int_equal(list_of(fixture).count, before + 1);
    return fired;
}

static void test_every_call_may_fail(void **state)
{
    static const int codes[] = {EIO, ENOSPC, EDQUOT};
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
            unsigned at = 1;
            while (fail_call(*state, round, at, codes[i]))
                at++;
            assert_true(at > 7); /* (read,) create, write, mode, sync, close, rename, sync of the folder */
        }
}

static void test_death_at_every_call(void **state)
{
    struct fixture *fixture = *state;
    for (size_t round = 0; round < 2; round++) {
        unsigned at = 0, absent = 0, charged = 0;
        for (int result = 42 << 8; WEXITSTATUS(result) == 42;) {
            start_round(fixture, rounds[round].before);
            at++;
            pid_t child = fork();
            assert_true(child >= 0);
            if (!child) {
                expect_fault(DIE, at, 0);
                _exit(charge_round(fixture, round) == UF_OK ? 0 : 1);
            }
            assert_int_equal(waitpid(child, &result, 0), child);
            assert_true(WIFEXITED(result) && WEXITSTATUS(result) != 1);
            size_t after = entries_now(fixture);
            absent += after == rounds[round].before;
            charged += after == rounds[round].before + 1;
            assert_int_equal(absent + charged, at);
            if (WEXITSTATUS(result) == 0)
                assert_int_equal(after, rounds[round].before + 1); /* acknowledged */
            assert_status(UF_OK, charge_round(fixture, round), &fixture->why);
            assert_int_equal(list_of(fixture).count, rounds[round].before + 1);
        }
        assert_true(absent >= 6 && charged >= 2);
    }
}

/* On disk before it is acknowledged: the data before its name, the name before we say so. */
static void test_order_of_calls(void **state)
{
    static const char *const orders[] = {"owffcrcfc", "powffcrcfcc"};
    struct fixture *fixture = *state;
    for (size_t round = 0; round < 2; round++) {
        start_round(fixture, rounds[round].before);
        expect_fault(NONE, 0, 0);
        assert_charged(fixture, "patients", rounds[round].id, 1, 9);
        assert_string_equal(plot.calls, orders[round]);
    }
}

static void test_half_done_and_interrupted_calls_go_on(void **state)
{
    struct fixture *fixture = *state;
    for (enum fault fault = SHORT; fault <= INTERRUPT; fault++)
        for (unsigned at = 1; at <= 3; at += 2) { /* the read, the write */
            start_round(fixture, 1);
            expect_fault(fault, at, 0);
            assert_charged(fixture, "patients", "b", 1, 9);
            assert_true(end_fault());
            assert_int_equal(list_of(fixture).count, 2);
        }
}

static void test_every_allocation_may_fail(void **state)
{
    struct fixture *fixture = *state;
    for (size_t round = 0; round < 2; round++) {
        unsigned refused_at = 0;
        int status = UF_ENOMEM;
        while (status == UF_ENOMEM) {
            start_round(fixture, rounds[round].before);
            allocations = 0;
            refuse_allocation = ++refused_at;
            status = charge(fixture, "patients", rounds[round].id, 1, 9);
            refuse_allocation = 0;
            if (status != UF_OK)
                assert_refused(UF_ENOMEM, status, &fixture->why);
            assert_int_equal(entries_now(fixture), rounds[round].before + (status == UF_OK));
        }
        assert_status(UF_OK, status, &fixture->why);
        assert_true(refused_at > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE(test_a_lock_that_stays),
        FIXTURE(test_every_call_may_fail),
        FIXTURE(test_death_at_every_call),
        FIXTURE(test_order_of_calls),
        FIXTURE(test_half_done_and_interrupted_calls_go_on),
        FIXTURE(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("ledger_trouble", tests, NULL, NULL);
}
