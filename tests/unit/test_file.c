/* SPDX-License-Identifier: MIT */
/*
 * core/file, through uf_save and uf_load: whatever the system refuses, and wherever the process dies, the path has the
 * old file or the whole new one; no temporary file and no descriptor is left. trouble.h makes each call of the system
 * fail, do half its work, or be the last.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "file.h"
#include "folder.h"
#include "faults.h"

/* ---- a scene: a folder with an old file, and a filter to put in its place ---- */

struct fixture {
    struct folder folder;
    char path[1024];
    uf_filter *filter;
    struct bytes old, new;
};

static uf_filter *some_filter(const char *text)
{
    uf_spec spec = spec_of(text);
    uf_filter *filter;
    assert_status(UF_OK, uf_build(&spec, &(uf_key){"alice", 5}, 1, NULL, &filter, NULL), NULL);
    return filter;
}

static int set_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    end_fault();
    fixture->folder = folder_make();
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/a.uf", fixture->folder.path);
    uf_filter *before = some_filter("bloom:n=10,seed=0x1");
    assert_status(UF_OK, uf_save(before, fixture->path, UF_FORMAT_UF, NULL), NULL);
    fixture->old = bytes_of(before, UF_FORMAT_UF);
    uf_free(before);
    fixture->filter = some_filter("blocked:n=40000,seed=0x2"); /* some 80 KB: several writes */
    fixture->new = bytes_of(fixture->filter, UF_FORMAT_UF);
    *state = fixture;
    return 0;
}

static int clear_fixture(void **state)
{
    struct fixture *fixture = *state;
    end_fault();
    uf_free(fixture->filter);
    bytes_free(&fixture->old);
    bytes_free(&fixture->new);
    folder_remove(&fixture->folder);
    free(fixture);
    return 0;
}

static int file_is(const char *path, const struct bytes *expected)
{
    struct bytes now = file_get_all(path);
    int same = bytes_equal(&now, expected);
    bytes_free(&now);
    return same;
}

static size_t open_descriptors(void)
{
    const struct folder self = {"/proc/self/fd"};
    return folder_entries(&self);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

/* ---- when all goes well ---- */

static void test_save_replaces(void **state)
{
    struct fixture *fixture = *state;
    uf_error why;
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, &why), &why);
    assert_true(file_is(fixture->path, &fixture->new));
    assert_int_equal(folder_entries(&fixture->folder), 1);
}

/* While threads share it, what is written is a copy of each chunk. */
static void test_save_while_shared(void **state)
{
    struct fixture *fixture = *state;
    uf_error why;
    assert_int_equal(uf_tune(fixture->filter, UF_KNOB_SHARED, 1), UF_OK);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, &why), &why);
    assert_true(file_is(fixture->path, &fixture->new));
}

/* To survive a power cut, the data must be on disk before it gets its name, and the name before we say that it is done:
 * open, write ..., (mode), fsync, close, rename, close (the lock), fsync of the folder, close. */
static void test_order_of_calls(void **state)
{
    struct fixture *fixture = *state;
    expect_fault(NONE, 0, 0);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    const char *calls = plot.calls, *end = calls + strlen(calls);
    assert_int_equal(calls[0], 'o');
    calls += 1 + strspn(calls + 1, "w");
    assert_true(calls[-1] == 'w');
    assert_that(end - calls == 7 && !strcmp(calls, "ffcrcfc"), "after the writes come '%s'", calls);
}

static void test_mode_follows_the_umask(void **state)
{
    static const mode_t masks[] = {0, 022, 027, 077, 0177};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        const char *path = folder_file(&fixture->folder, "fresh.uf");
        mode_t before = umask(masks[i]);
        int status = uf_save(fixture->filter, path, UF_FORMAT_UF, NULL);
        umask(before);
        assert_status(UF_OK, status, NULL);
        assert_int_equal(mode_of(path), 0666 & ~masks[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(folder_entries(&fixture->folder), 1);
}

static void test_mode_of_the_old_file_stays(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0444, 0666};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(fixture->path, modes[i]), 0);
        assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
        assert_int_equal(mode_of(fixture->path), modes[i]);
    }
}

/* ---- who may use it ---- */

/* As another user, who may write into the folder: what happens to the file of root. */
static int save_as_other(const struct fixture *fixture)
{
    if (setgid(65533) || setuid(65534))
        return 2;
    return uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL) == UF_OK ? 0 : 1;
}

static void save_by_child(const struct fixture *fixture)
{
    int result;
    pid_t child = fork();
    if (!child)
        _exit(save_as_other(fixture));
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
}

static void test_owner_and_group_stay(void **state)
{
    struct fixture *fixture = *state;
    struct stat about;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chown(fixture->path, 65534, 65533), 0);
    assert_int_equal(chmod(fixture->path, 0640), 0);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    assert_int_equal(stat(fixture->path, &about), 0);
    assert_true(about.st_uid == 65534 && about.st_gid == 65533 && (about.st_mode & 0777) == 0640);
}

/* Where owner and group cannot be kept, a class of users gets what all that are in it now had before. */
static void test_access_does_not_widen(void **state)
{
    static const struct {
        mode_t before, after;
    } modes[] = {{0640, 0600}, {0604, 0600}, {0660, 0600}, {0664, 0644}, {0666, 0666}, {0600, 0600}, {0646, 0644}};
    struct fixture *fixture = *state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(fixture->folder.path, 0777), 0);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chown(fixture->path, 0, 0), 0);
        assert_int_equal(chmod(fixture->path, modes[i].before), 0);
        save_by_child(fixture);
        assert_int_equal(mode_of(fixture->path), modes[i].after);
    }
}

/* The access list of a file as the system has it: version 2, then (tag, rights, id) each. */
#define ENTRY(tag, rights, id) \
    {                          \
        (tag), (rights), (id)  \
    }

struct acl {
    uint32_t version;
    struct {
        uint16_t tag, rights;
        uint32_t id;
    } entry[5];
};

/* user::rw- user:65534:r-- group::--- mask::r-- other::---: its mode is 0640, but the group may not read. */
static const struct acl list = {2,
                                {ENTRY(1, 6, UINT32_MAX), ENTRY(2, 4, 65534), ENTRY(4, 0, UINT32_MAX),
                                 ENTRY(16, 4, UINT32_MAX), ENTRY(32, 0, UINT32_MAX)}};

static void test_access_lists_stay(void **state)
{
    static const char name[] = "system.posix_acl_access";
    struct fixture *fixture = *state;
    struct acl now;
    if (setxattr(fixture->path, name, &list, sizeof list, 0))
        skip(); /* not on this file system */
    assert_int_equal(mode_of(fixture->path), 0640);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    assert_int_equal(getxattr(fixture->path, name, &now, sizeof now), sizeof now);
    assert_memory_equal(&now, &list, sizeof list);
    if (geteuid() != 0)
        return;
    assert_int_equal(chmod(fixture->folder.path, 0777), 0);
    save_by_child(fixture);
    assert_int_equal(mode_of(fixture->path), 0600); /* without the list, nobody but the owner */
}

/* The list that a folder gives to new files is none of those that replace one without. */
static void test_access_lists_of_the_folder_stay_out(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(chmod(fixture->path, 0640), 0);
    if (setxattr(fixture->folder.path, "system.posix_acl_default", &list, sizeof list, 0))
        skip();
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    assert_int_equal(mode_of(fixture->path), 0640);
    assert_true(getxattr(fixture->path, "system.posix_acl_access", NULL, 0) <= 0);
}

/* Nobody else may read a file that is not complete yet. */
static void test_temporary_file_is_private(void **state)
{
    struct fixture *fixture = *state;
    struct file_writer writer;
    mode_t before = umask(0);
    assert_status(UF_OK, file_create(&writer, fixture->path, NULL), NULL);
    umask(before);
    assert_int_equal(mode_of(writer.temporary), 0600);
    assert_true(file_is(fixture->path, &fixture->old));
    file_abandon(&writer);
    assert_int_equal(folder_entries(&fixture->folder), 1);
}

static void test_relative_path(void **state)
{
    struct fixture *fixture = *state;
    char before[1024];
    assert_true(getcwd(before, sizeof before) && !chdir(fixture->folder.path));
    int status = uf_save(fixture->filter, "a.uf", UF_FORMAT_UF, NULL);
    assert_int_equal(chdir(before), 0);
    assert_status(UF_OK, status, NULL);
    assert_true(file_is(fixture->path, &fixture->new));
}

/* ---- places where no file can be ---- */

static void test_impossible_places(void **state)
{
    struct fixture *fixture = *state;
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(mkfifo(folder_file(&fixture->folder, "pipe"), 0600), 0);
    const char *const places[] = {
        fixture->folder.path,
        folder_file(&fixture->folder, "none/a.uf"),
        folder_file(&fixture->folder, "a.uf/b.uf"),
        folder_file(&fixture->folder, "pipe"),
        "/dev/null",
        "",
        longest,
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        uf_error why;
        uf_filter *filter;
        assert_refused(UF_EIO, uf_save(fixture->filter, places[i], UF_FORMAT_UF, &why), &why);
        assert_refused(UF_EIO, uf_load(places[i], UF_FORMAT_UF, NULL, &filter, &why), &why);
        assert_int_equal(folder_entries(&fixture->folder), 2);
    }
    assert_true(file_is(fixture->path, &fixture->old));
}

/* Root may write anywhere, so a child gives its rights away first. */
static int save_without_rights(const struct fixture *fixture)
{
    if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
        return 2;
    uf_error why = {0, 0, ""};
    int status = uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, &why);
    return status == UF_EIO && strstr(why.text, "ermission") ? 0 : 1;
}

static void test_folder_without_rights(void **state)
{
    struct fixture *fixture = *state;
    int result;
    assert_int_equal(chmod(fixture->folder.path, 0555), 0);
    pid_t child = fork();
    if (!child)
        _exit(save_without_rights(fixture));
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(chmod(fixture->folder.path, 0700), 0);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_true(file_is(fixture->path, &fixture->old));
    assert_int_equal(folder_entries(&fixture->folder), 1);
}

/* The real thing, not a fake: the system refuses to let files grow past 20 000 bytes. */
static void test_file_size_limit(void **state)
{
    struct fixture *fixture = *state;
    struct rlimit before, limit;
    uf_error why;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){20000, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int status = uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_refused(UF_EIO, status, &why);
    assert_true(file_is(fixture->path, &fixture->old));
    assert_int_equal(folder_entries(&fixture->folder), 1);
}

/* The same with descriptors: none is left, then one, then two, until there are enough. */
static void test_descriptors_run_out(void **state)
{
    struct fixture *fixture = *state;
    const size_t descriptors = open_descriptors();
    const int lowest = dup(STDERR_FILENO);
    int status = UF_EIO;
    rlim_t spare = 0;
    close(lowest);
    for (; status != UF_OK; spare++) {
        struct rlimit before, limit;
        uf_error why;
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
        limit = (struct rlimit){(rlim_t)lowest + spare, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        status = uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, &why);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_true(file_is(fixture->path, status == UF_OK ? &fixture->new : &fixture->old));
        assert_int_equal(folder_entries(&fixture->folder), 1);
        assert_int_equal(open_descriptors(), descriptors);
        if (status != UF_OK)
            assert_refused(UF_EIO, status, &why);
    }
    assert_true(spare > 2);
}

/* ---- each call fails once ---- */

/* Call number `at` fails. 0 when there is no such call. */
static int fail_call(struct fixture *fixture, unsigned at, int code)
{
    uf_error why = {0, 0, ""};
    size_t descriptors = open_descriptors();
    expect_fault(FAIL, at, code);
    int status = uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, &why);
    if (!end_fault()) {
        assert_status(UF_OK, status, &why);
        return 0;
    }
    assert_int_equal(open_descriptors(), descriptors);
    assert_int_equal(folder_entries(&fixture->folder), 1);
    if (status == UF_OK)
        assert_true(file_is(fixture->path, &fixture->new)); /* closing the folder, say, matters to nobody */
    else
        assert_refused(UF_EIO, status, &why);
    assert_true(file_is(fixture->path, &fixture->old) || file_is(fixture->path, &fixture->new));
    file_put_all(fixture->path, fixture->old.data, fixture->old.size);
    return 1;
}

static void test_every_call_may_fail(void **state)
{
    static const int codes[] = {EIO, ENOSPC, EDQUOT, EROFS};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        unsigned at = 1;
        while (fail_call(*state, at, codes[i]))
            at++;
        assert_true(at > 8); /* create, several writes, mode, sync, close, rename, sync of the folder */
    }
}

/* A failure before the rename must leave the old file, and be reported. */
static void test_failure_before_the_rename_keeps_the_old_file(void **state)
{
    struct fixture *fixture = *state;
    unsigned at = 0, kept = 0;
    int fired = 1;
    while (fired) {
        expect_fault(FAIL, ++at, EIO);
        int status = uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL);
        fired = end_fault();
        if (file_is(fixture->path, &fixture->old)) {
            assert_status(UF_EIO, status, NULL);
            kept++;
        }
        file_put_all(fixture->path, fixture->old.data, fixture->old.size);
    }
    assert_true(kept >= 7);
}

static void test_half_done_and_interrupted_writes_go_on(void **state)
{
    struct fixture *fixture = *state;
    expect_fault(SHORT, 2, 0); /* call 1 makes the file */
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    assert_true(end_fault() && file_is(fixture->path, &fixture->new));
    file_put_all(fixture->path, fixture->old.data, fixture->old.size);
    expect_fault(INTERRUPT, 3, 0);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    assert_true(end_fault() && file_is(fixture->path, &fixture->new));
}

static void test_every_read_may_fail(void **state)
{
    struct fixture *fixture = *state;
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    int fired = 1;
    unsigned at = 0;
    while (fired) {
        uf_filter *filter = NULL;
        uf_error why;
        size_t descriptors = open_descriptors();
        expect_fault(FAIL, ++at, EIO);
        int status = uf_load(fixture->path, UF_FORMAT_UF, NULL, &filter, &why);
        fired = end_fault();
        assert_int_equal(open_descriptors(), descriptors);
        assert_true(status == UF_OK ? filter != NULL : status == UF_EIO && !filter);
        uf_free(filter);
    }
    assert_true(at > 3);
}

static void test_half_done_and_interrupted_reads_go_on(void **state)
{
    struct fixture *fixture = *state;
    uf_filter *filter;
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    for (unsigned at = 1; at <= 3; at++)
        for (enum fault fault = SHORT; fault <= INTERRUPT; fault++) {
            expect_fault(fault, at, 0);
            assert_status(UF_OK, uf_load(fixture->path, UF_FORMAT_UF, NULL, &filter, NULL), NULL);
            assert_true(end_fault());
            struct bytes again = bytes_of(filter, UF_FORMAT_UF);
            assert_true(bytes_equal(&again, &fixture->new));
            bytes_free(&again);
            uf_free(filter);
        }
}

/* ---- the process dies at each call ---- */

static void test_death_at_every_call(void **state)
{
    struct fixture *fixture = *state;
    unsigned at = 0, old = 0, new = 0;
    for (int result = 42 << 8; WEXITSTATUS(result) == 42;) {
        at++;
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            expect_fault(DIE, at, 0);
            _exit(uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL) == UF_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) != 1);
        old += file_is(fixture->path, &fixture->old) != 0;
        new += file_is(fixture->path, &fixture->new) != 0;
        assert_int_equal(old + new, at); /* one of the two, never something else */
        file_put_all(fixture->path, fixture->old.data, fixture->old.size);
    }
    print_message("died at %u calls: %u times the old file, %u times the new one\n", at - 1, old, new);
    assert_true(old >= 7 && new >= 2);
}

static size_t left_behind(const struct fixture *fixture)
{
    return folder_entries(&fixture->folder) - 1;
}

/* What the dead have left goes with the next save, whatever its number; what another process is writing stays, and so
 * does what is not ours. */
static void test_leftovers_go(void **state)
{
    struct fixture *fixture = *state;
    struct file_writer writer;
    char text[1100];
    for (unsigned i = 0; i < TEMPORARY_SLOTS; i++) {
        (void)snprintf(text, sizeof text, "%s.~%u", fixture->path, i);
        file_put_all(text, "left", 4);
    }
    assert_int_equal(left_behind(fixture), TEMPORARY_SLOTS);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    assert_int_equal(left_behind(fixture), 0);

    assert_status(UF_OK, file_create(&writer, fixture->path, NULL), NULL);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    assert_int_equal(left_behind(fixture), 1); /* it is in use */
    assert_status(UF_OK, file_write(&writer, fixture->old.data, fixture->old.size, NULL), NULL);
    assert_status(UF_OK, file_commit(&writer, NULL), NULL);
    assert_true(file_is(fixture->path, &fixture->old));
    assert_int_equal(left_behind(fixture), 0);

    (void)snprintf(text, sizeof text, "%s.~0", fixture->path);
    assert_int_equal(symlink(fixture->path, text), 0);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    assert_int_equal(left_behind(fixture), 1); /* a link is nobody's temporary file */
    assert_true(file_is(fixture->path, &fixture->new));
}

/* The last fsync is that of the folder: what it cannot promise is said, and what is there. */
static void test_error_after_the_rename_says_so(void **state)
{
    struct fixture *fixture = *state;
    uf_error why;
    expect_fault(NONE, 0, 0);
    assert_status(UF_OK, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, NULL), NULL);
    const unsigned folder = (unsigned)(strrchr(plot.calls, 'f') - plot.calls) + 1;
    file_put_all(fixture->path, fixture->old.data, fixture->old.size);
    expect_fault(FAIL, folder, EIO);
    assert_refused(UF_EIO, uf_save(fixture->filter, fixture->path, UF_FORMAT_UF, &why), &why);
    assert_non_null(strstr(why.text, "is in place"));
    assert_true(end_fault() && file_is(fixture->path, &fixture->new));
}

/* ---- reading ---- */

static void test_read_past_the_end(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[64];
    uint64_t bytes = 0;
    uf_error why;
    int fd = file_open(fixture->path, &bytes, &why);
    assert_true(fd >= 0 && bytes == fixture->old.size);
    assert_status(UF_OK, file_read(fd, out, sizeof out, bytes - sizeof out, &why), &why);
    assert_memory_equal(out, fixture->old.data + bytes - sizeof out, sizeof out);
    assert_refused(UF_EFORMAT, file_read(fd, out, sizeof out, bytes - sizeof out + 1, &why), &why);
    assert_refused(UF_EFORMAT, file_read(fd, out, 1, bytes, &why), &why);
    assert_status(UF_OK, file_read(fd, out, 0, bytes + 5, &why), &why);
    close(fd);
}

int main(void)
{
#define FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_fixture, clear_fixture)
    const struct CMUnitTest tests[] = {
        FIXTURE(test_save_replaces),
        FIXTURE(test_save_while_shared),
        FIXTURE(test_order_of_calls),
        FIXTURE(test_mode_follows_the_umask),
        FIXTURE(test_mode_of_the_old_file_stays),
        FIXTURE(test_owner_and_group_stay),
        FIXTURE(test_access_does_not_widen),
        FIXTURE(test_access_lists_stay),
        FIXTURE(test_access_lists_of_the_folder_stay_out),
        FIXTURE(test_temporary_file_is_private),
        FIXTURE(test_relative_path),
        FIXTURE(test_impossible_places),
        FIXTURE(test_folder_without_rights),
        FIXTURE(test_file_size_limit),
        FIXTURE(test_descriptors_run_out),
        FIXTURE(test_every_call_may_fail),
        FIXTURE(test_failure_before_the_rename_keeps_the_old_file),
        FIXTURE(test_half_done_and_interrupted_writes_go_on),
        FIXTURE(test_every_read_may_fail),
        FIXTURE(test_half_done_and_interrupted_reads_go_on),
        FIXTURE(test_death_at_every_call),
        FIXTURE(test_leftovers_go),
        FIXTURE(test_error_after_the_rename_says_so),
        FIXTURE(test_read_past_the_end),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
