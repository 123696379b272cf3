/* SPDX-License-Identifier: MIT */
/*
 * uf_lock_file: processes that load, change and save one file lose nothing that they have acknowledged. The control
 * does the same without the lock and must lose keys. Whoever waits hears for whom.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "folder.h"

enum { PROCESSES = 8, ROUNDS = 25 };

struct fixture {
    struct folder folder;
    char path[1024];
};

static void open_fixture(struct fixture *fixture)
{
    uf_spec spec = spec_of("bloom:n=10000,fpr=1e-9,seed=0x1");
    uf_filter *filter;
    fixture->folder = folder_make();
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/a.uf", fixture->folder.path);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, NULL, &filter, NULL), NULL);
    assert_status(UF_OK, uf_save(filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    uf_free(filter);
}

static uf_key key_of(char buffer[32], int process, int round)
{
    int length = snprintf(buffer, 32, "%d of %d", round, process);
    return (uf_key){buffer, (size_t)length};
}

/* 0 when it is done and on disk. */
static int insert_one(const char *path, uf_key key, int locked)
{
    uf_file_lock *lock = NULL;
    uf_filter *filter = NULL;
    int status = locked ? uf_lock_file(path, NULL, NULL, NULL, &lock, NULL) : UF_OK;
    if (status == UF_OK)
        status = uf_load(path, UF_FORMAT_UF, NULL, &filter, NULL);
    if (status == UF_OK)
        status = uf_insert(filter, key, NULL);
    if (status == UF_OK)
        status = uf_save(filter, path, UF_FORMAT_UF, NULL);
    uf_free(filter);
    uf_unlock_file(lock);
    return status;
}

static int insert_all(const char *path, int process, int locked)
{
    char buffer[32];
    for (int round = 0; round < ROUNDS; round++)
        if (insert_one(path, key_of(buffer, process, round), locked) != UF_OK)
            return 1;
    return 0;
}

/* How many keys of all processes are missing afterwards. */
static int lost(int locked)
{
    struct fixture fixture;
    uf_filter *filter;
    char buffer[32];
    int missing = 0, result;
    open_fixture(&fixture);
    for (int process = 0; process < PROCESSES; process++)
        if (!fork())
            _exit(insert_all(fixture.path, process, locked));
    for (int process = 0; process < PROCESSES; process++) {
        assert_true(wait(&result) > 0 && WIFEXITED(result));
        assert_int_equal(WEXITSTATUS(result), 0);
    }
    assert_status(UF_OK, uf_load(fixture.path, UF_FORMAT_UF, NULL, &filter, NULL), NULL);
    for (int process = 0; process < PROCESSES; process++)
        for (int round = 0; round < ROUNDS; round++)
            missing += !uf_query(filter, key_of(buffer, process, round));
    uf_free(filter);
    assert_int_equal(folder_entries(&fixture.folder), 1);
    folder_remove(&fixture.folder);
    return missing;
}

static void test_nothing_is_lost(void **state)
{
    (void)state;
    assert_int_equal(lost(1), 0);
}

static void test_control_loses(void **state)
{
    (void)state;
    int missing = lost(0);
    print_message("without the lock, %d of %d keys are lost\n", missing, PROCESSES * ROUNDS);
    assert_true(missing > 0);
}

static int note(void *arg, long pid)
{
    *(long *)arg = pid;
    return 7;
}

/* A process of ours is like any other: the lock belongs to whoever opened it. */
static void test_waiting_and_giving_up(void **state)
{
    struct fixture fixture;
    uf_file_lock *first = NULL, *second = NULL;
    long pid = -1;
    uf_error why;
    (void)state;
    open_fixture(&fixture);
    assert_status(UF_OK, uf_lock_file(fixture.path, note, &pid, NULL, &first, &why), &why);
    assert_int_equal(pid, -1);
    assert_refused(UF_ECANCELED, uf_lock_file(fixture.path, note, &pid, NULL, &second, &why), &why);
    assert_int_equal(why.reason, 7);
    assert_true(pid == getpid() || pid == 0); /* 0: a system without /proc/locks, or with other numbers there */
    uf_unlock_file(first);
    assert_status(UF_OK, uf_lock_file(fixture.path, note, &pid, NULL, &second, &why), &why);
    uf_unlock_file(second);
    uf_unlock_file(NULL);
    folder_remove(&fixture.folder);
}

static void test_what_cannot_be_locked(void **state)
{
    struct folder folder = folder_make();
    uf_file_lock *lock = NULL;
    uf_error why;
    (void)state;
    assert_refused(UF_EIO, uf_lock_file(folder_file(&folder, "none"), NULL, NULL, NULL, &lock, &why), &why);
    assert_refused(UF_EIO, uf_lock_file(folder.path, NULL, NULL, NULL, &lock, &why), &why);
    assert_refused(UF_EIO, uf_lock_file("/dev/null", NULL, NULL, NULL, &lock, &why), &why);
    assert_refused(UF_EINVAL, uf_lock_file(NULL, NULL, NULL, NULL, &lock, &why), &why);
    assert_null(lock);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_control_loses),
        cmocka_unit_test(test_waiting_and_giving_up),
        cmocka_unit_test(test_what_cannot_be_locked),
    };
    return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
