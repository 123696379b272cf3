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
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "file.h"
#include "folder.h"
#include "trouble.h"

/* ---- a scene: a folder with an old file, and a filter to put in its place ---- */

struct scene {
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

static int set_scene(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    end_trouble();
    scene->folder = folder_make();
    (void)snprintf(scene->path, sizeof scene->path, "%s/a.uf", scene->folder.path);
    uf_filter *before = some_filter("bloom:n=10,seed=0x1");
    assert_status(UF_OK, uf_save(before, scene->path, UF_FORMAT_UF, NULL), NULL);
    scene->old = bytes_of(before, UF_FORMAT_UF);
    uf_free(before);
    scene->filter = some_filter("blocked:n=40000,seed=0x2"); /* some 80 KB: several writes */
    scene->new = bytes_of(scene->filter, UF_FORMAT_UF);
    *state = scene;
    return 0;
}

static int clear_scene(void **state)
{
    struct scene *scene = *state;
    end_trouble();
    uf_free(scene->filter);
    bytes_free(&scene->old);
    bytes_free(&scene->new);
    folder_remove(&scene->folder);
    free(scene);
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
    struct scene *scene = *state;
    uf_error why;
    assert_status(UF_OK, uf_save(scene->filter, scene->path, UF_FORMAT_UF, &why), &why);
    assert_true(file_is(scene->path, &scene->new));
    assert_int_equal(folder_entries(&scene->folder), 1);
}

/* To survive a power cut, the data must be on disk before it gets its name, and the name before we say that it is done:
 * make, write ..., (mode), fsync, close, rename, fsync of the folder, close. */
static void test_order_of_calls(void **state)
{
    struct scene *scene = *state;
    expect_trouble(NONE, 0, 0);
    assert_status(UF_OK, uf_save(scene->filter, scene->path, UF_FORMAT_UF, NULL), NULL);
    const char *calls = plot.calls, *end = calls + strlen(calls);
    assert_int_equal(calls[0], 'm');
    calls += 1 + strspn(calls + 1, "w");
    assert_true(calls[-1] == 'w');
    assert_that(end - calls == 6 && !strcmp(calls, "ffcrfc"), "after the writes come '%s'", calls);
}

static void test_mode_follows_the_umask(void **state)
{
    static const mode_t masks[] = {0, 022, 027, 077, 0177};
    struct scene *scene = *state;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        const char *path = folder_file(&scene->folder, "fresh.uf");
        mode_t before = umask(masks[i]);
        int status = uf_save(scene->filter, path, UF_FORMAT_UF, NULL);
        umask(before);
        assert_status(UF_OK, status, NULL);
        assert_int_equal(mode_of(path), 0666 & ~masks[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(folder_entries(&scene->folder), 1);
}

static void test_mode_of_the_old_file_stays(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0444, 0666};
    struct scene *scene = *state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(scene->path, modes[i]), 0);
        assert_status(UF_OK, uf_save(scene->filter, scene->path, UF_FORMAT_UF, NULL), NULL);
        assert_int_equal(mode_of(scene->path), modes[i]);
    }
}

/* Nobody else may read a file that is not complete yet. */
static void test_temporary_file_is_private(void **state)
{
    struct scene *scene = *state;
    struct file_writer writer;
    mode_t before = umask(0);
    assert_status(UF_OK, file_create(&writer, scene->path, NULL), NULL);
    umask(before);
    assert_int_equal(mode_of(writer.temporary), 0600);
    assert_true(file_is(scene->path, &scene->old));
    file_abandon(&writer);
    assert_int_equal(folder_entries(&scene->folder), 1);
}

static void test_relative_path(void **state)
{
    struct scene *scene = *state;
    char before[1024];
    assert_true(getcwd(before, sizeof before) && !chdir(scene->folder.path));
    int status = uf_save(scene->filter, "a.uf", UF_FORMAT_UF, NULL);
    assert_int_equal(chdir(before), 0);
    assert_status(UF_OK, status, NULL);
    assert_true(file_is(scene->path, &scene->new));
}

/* ---- places where no file can be ---- */

static void test_impossible_places(void **state)
{
    struct scene *scene = *state;
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(mkfifo(folder_file(&scene->folder, "pipe"), 0600), 0);
    const char *const places[] = {
        scene->folder.path,
        folder_file(&scene->folder, "none/a.uf"),
        folder_file(&scene->folder, "a.uf/b.uf"),
        folder_file(&scene->folder, "pipe"),
        "/dev/null",
        "",
        longest,
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        uf_error why;
        uf_filter *filter;
        assert_refused(UF_EIO, uf_save(scene->filter, places[i], UF_FORMAT_UF, &why), &why);
        assert_refused(UF_EIO, uf_load(places[i], UF_FORMAT_UF, NULL, &filter, &why), &why);
        assert_int_equal(folder_entries(&scene->folder), 2);
    }
    assert_true(file_is(scene->path, &scene->old));
}

/* Root may write anywhere, so a child gives its rights away first. */
static int save_without_rights(const struct scene *scene)
{
    if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
        return 2;
    uf_error why = {0, ""};
    int status = uf_save(scene->filter, scene->path, UF_FORMAT_UF, &why);
    return status == UF_EIO && strstr(why.text, "ermission") ? 0 : 1;
}

static void test_folder_without_rights(void **state)
{
    struct scene *scene = *state;
    int result;
    assert_int_equal(chmod(scene->folder.path, 0555), 0);
    pid_t child = fork();
    if (!child)
        _exit(save_without_rights(scene));
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(chmod(scene->folder.path, 0700), 0);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_true(file_is(scene->path, &scene->old));
    assert_int_equal(folder_entries(&scene->folder), 1);
}

/* The real thing, not a fake: the system refuses to let files grow past 20 000 bytes. */
static void test_file_size_limit(void **state)
{
    struct scene *scene = *state;
    struct rlimit before, limit;
    uf_error why;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){20000, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int status = uf_save(scene->filter, scene->path, UF_FORMAT_UF, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_refused(UF_EIO, status, &why);
    assert_true(file_is(scene->path, &scene->old));
    assert_int_equal(folder_entries(&scene->folder), 1);
}

/* ---- each call fails once ---- */

/* Call number `at` fails. 0 when there is no such call. */
static int fail_call(struct scene *scene, unsigned at, int code)
{
    uf_error why = {0, ""};
    size_t descriptors = open_descriptors();
    expect_trouble(FAIL, at, code);
    int status = uf_save(scene->filter, scene->path, UF_FORMAT_UF, &why);
    if (!end_trouble()) {
        assert_status(UF_OK, status, &why);
        return 0;
    }
    assert_int_equal(open_descriptors(), descriptors);
    assert_int_equal(folder_entries(&scene->folder), 1);
    if (status == UF_OK)
        assert_true(file_is(scene->path, &scene->new)); /* closing the folder, say, matters to nobody */
    else
        assert_refused(UF_EIO, status, &why);
    assert_true(file_is(scene->path, &scene->old) || file_is(scene->path, &scene->new));
    file_put_all(scene->path, scene->old.data, scene->old.size);
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
    struct scene *scene = *state;
    unsigned at = 0, kept = 0;
    int fired = 1;
    while (fired) {
        expect_trouble(FAIL, ++at, EIO);
        int status = uf_save(scene->filter, scene->path, UF_FORMAT_UF, NULL);
        fired = end_trouble();
        if (file_is(scene->path, &scene->old)) {
            assert_status(UF_EIO, status, NULL);
            kept++;
        }
        file_put_all(scene->path, scene->old.data, scene->old.size);
    }
    assert_true(kept >= 7);
}

static void test_half_done_and_interrupted_writes_go_on(void **state)
{
    struct scene *scene = *state;
    expect_trouble(SHORT, 2, 0); /* call 1 makes the file */
    assert_status(UF_OK, uf_save(scene->filter, scene->path, UF_FORMAT_UF, NULL), NULL);
    assert_true(end_trouble() && file_is(scene->path, &scene->new));
    file_put_all(scene->path, scene->old.data, scene->old.size);
    expect_trouble(INTERRUPT, 3, 0);
    assert_status(UF_OK, uf_save(scene->filter, scene->path, UF_FORMAT_UF, NULL), NULL);
    assert_true(end_trouble() && file_is(scene->path, &scene->new));
}

static void test_every_read_may_fail(void **state)
{
    struct scene *scene = *state;
    assert_status(UF_OK, uf_save(scene->filter, scene->path, UF_FORMAT_UF, NULL), NULL);
    int fired = 1;
    unsigned at = 0;
    while (fired) {
        uf_filter *filter = NULL;
        uf_error why;
        size_t descriptors = open_descriptors();
        expect_trouble(FAIL, ++at, EIO);
        int status = uf_load(scene->path, UF_FORMAT_UF, NULL, &filter, &why);
        fired = end_trouble();
        assert_int_equal(open_descriptors(), descriptors);
        assert_true(status == UF_OK ? filter != NULL : status == UF_EIO && !filter);
        uf_free(filter);
    }
    assert_true(at > 3);
}

static void test_half_done_and_interrupted_reads_go_on(void **state)
{
    struct scene *scene = *state;
    uf_filter *filter;
    assert_status(UF_OK, uf_save(scene->filter, scene->path, UF_FORMAT_UF, NULL), NULL);
    for (unsigned at = 1; at <= 3; at++)
        for (enum trouble trouble = SHORT; trouble <= INTERRUPT; trouble++) {
            expect_trouble(trouble, at, 0);
            assert_status(UF_OK, uf_load(scene->path, UF_FORMAT_UF, NULL, &filter, NULL), NULL);
            assert_true(end_trouble());
            struct bytes again = bytes_of(filter, UF_FORMAT_UF);
            assert_true(bytes_equal(&again, &scene->new));
            bytes_free(&again);
            uf_free(filter);
        }
}

/* ---- the process dies at each call ---- */

static void test_death_at_every_call(void **state)
{
    struct scene *scene = *state;
    unsigned at = 0, old = 0, new = 0;
    for (int result = 42 << 8; WEXITSTATUS(result) == 42;) {
        at++;
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            expect_trouble(DIE, at, 0);
            _exit(uf_save(scene->filter, scene->path, UF_FORMAT_UF, NULL) == UF_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) != 1);
        old += file_is(scene->path, &scene->old) != 0;
        new += file_is(scene->path, &scene->new) != 0;
        assert_int_equal(old + new, at); /* one of the two, never something else */
        file_put_all(scene->path, scene->old.data, scene->old.size);
    }
    print_message("died at %u calls: %u times the old file, %u times the new one\n", at - 1, old, new);
    assert_true(old >= 7 && new >= 2);
}

/* ---- reading ---- */

static void test_read_past_the_end(void **state)
{
    struct scene *scene = *state;
    unsigned char out[64];
    uint64_t bytes = 0;
    uf_error why;
    int fd = file_open(scene->path, &bytes, &why);
    assert_true(fd >= 0 && bytes == scene->old.size);
    assert_status(UF_OK, file_read(fd, out, sizeof out, bytes - sizeof out, &why), &why);
    assert_memory_equal(out, scene->old.data + bytes - sizeof out, sizeof out);
    assert_refused(UF_EFORMAT, file_read(fd, out, sizeof out, bytes - sizeof out + 1, &why), &why);
    assert_refused(UF_EFORMAT, file_read(fd, out, 1, bytes, &why), &why);
    assert_status(UF_OK, file_read(fd, out, 0, bytes + 5, &why), &why);
    close(fd);
}

int main(void)
{
#define SCENE(test) cmocka_unit_test_setup_teardown(test, set_scene, clear_scene)
    const struct CMUnitTest tests[] = {
        SCENE(test_save_replaces),
        SCENE(test_order_of_calls),
        SCENE(test_mode_follows_the_umask),
        SCENE(test_mode_of_the_old_file_stays),
        SCENE(test_temporary_file_is_private),
        SCENE(test_relative_path),
        SCENE(test_impossible_places),
        SCENE(test_folder_without_rights),
        SCENE(test_file_size_limit),
        SCENE(test_every_call_may_fail),
        SCENE(test_failure_before_the_rename_keeps_the_old_file),
        SCENE(test_half_done_and_interrupted_writes_go_on),
        SCENE(test_every_read_may_fail),
        SCENE(test_half_done_and_interrupted_reads_go_on),
        SCENE(test_death_at_every_call),
        SCENE(test_read_past_the_end),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
