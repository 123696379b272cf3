/* SPDX-License-Identifier: MIT */
/* core/parallel and core/cpu: every piece is done once whatever the number of threads, and the first failure ends it.
 */
#include "check.h"
#include "cpu.h"
#include "parallel.h"
#include "paths.h"

enum { PIECES = 1000 };

struct job {
    unsigned done[PIECES];
    unsigned total;
    size_t fails_at;
};

static int work(void *arg, size_t piece)
{
    struct job *job = arg;
    __atomic_add_fetch(&job->done[piece], 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&job->total, 1, __ATOMIC_RELAXED);
    return piece == job->fails_at ? UF_EBUILD : UF_OK;
}

static void test_every_piece_once(void **state)
{
    static const unsigned threads[] = {0, 1, 2, 3, 8, 255, 256, 257, 100000};
    static const size_t pieces[] = {0, 1, 2, 7, PIECES};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            struct job job = {.fails_at = SIZE_MAX};
            assert_int_equal(parallel_for(threads[t], pieces[p], work, &job), UF_OK);
            assert_int_equal(job.total, pieces[p]);
            for (size_t i = 0; i < pieces[p]; i++)
                assert_int_equal(job.done[i], 1);
        }
}

static void test_first_failure_is_returned(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads *= 2)
        for (size_t at = 0; at < PIECES; at += 333) {
            struct job job = {.fails_at = at};
            assert_int_equal(parallel_for(threads, PIECES, work, &job), UF_EBUILD);
            assert_int_equal(job.done[at], 1);
            if (threads == 1)
                assert_int_equal(job.total, at + 1); /* and nothing after it */
        }
}

static void test_cpu_is_one_of_this_machine(void **state)
{
    int best = cpu_choose(UF_CPU_AUTO);
    (void)state;
    assert_true(best >= UF_CPU_SCALAR && best <= LAST_PATH);
    assert_int_equal(cpu_choose(best), best);
    assert_int_equal(cpu_choose(UF_CPU_SCALAR), UF_CPU_SCALAR);
    assert_int_equal(cpu_choose(LAST_PATH + 1), UF_EUNSUPPORTED);
    assert_int_equal(cpu_choose(-1), UF_EUNSUPPORTED);
    assert_true(cpu_choose(UF_CPU_NEON) == UF_EUNSUPPORTED || cpu_choose(UF_CPU_AVX2) == UF_EUNSUPPORTED);
    if (cpu_choose(UF_CPU_AVX512) == UF_CPU_AVX512) /* its files may use all that the smaller path has */
        assert_true(best == UF_CPU_AVX512 && cpu_choose(UF_CPU_AVX2) == UF_CPU_AVX2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_once),
        cmocka_unit_test(test_first_failure_is_returned),
        cmocka_unit_test(test_cpu_is_one_of_this_machine),
    };
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
