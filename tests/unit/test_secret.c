/* SPDX-License-Identifier: MIT */
/*
 * Master keys: a key file is complete or absent, closed to others, and never replaces anything; what is loaded is
 * exactly what was made, and the text of an error never has any of it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"
#include "derive.h"
#include "folder.h"
#include "faults.h"

/* The key 00 01 02 ... 1f. The checksum was computed with xxHash itself. */
static const char line[] =
    "ultrafilter-key-1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 23b16c0b9e477122\n";

enum { LINE = sizeof line - 1, DIGITS_AT = 18 };

struct fixture {
    struct folder folder;
    char path[1024];
};

static int set_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    end_fault();
    fixture->folder = folder_make();
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/a.key", fixture->folder.path);
    *state = fixture;
    return 0;
}

static int clear_fixture(void **state)
{
    struct fixture *fixture = *state;
    end_fault();
    folder_remove(&fixture->folder);
    free(fixture);
    return 0;
}

static void put_key(const struct fixture *fixture, const void *data, size_t size)
{
    unlink(fixture->path); /* some file systems write a file to disk when it is cut to nothing and written again */
    file_put_all(fixture->path, data, size);
    assert_int_equal(chmod(fixture->path, 0600), 0);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static size_t open_descriptors(void)
{
    const struct folder self = {"/proc/self/fd"};
    return folder_entries(&self);
}

/* ---- getrandom ---- */

static int no_randomness;

ssize_t __real_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    if (!no_randomness)
        return __real_getrandom(out, bytes, flags);
    errno = ENOSYS;
    return -1;
}

/* ---- making ---- */

static void test_create_and_load(void **state)
{
    struct fixture *fixture = *state;
    uf_secret *secret = NULL, *again = NULL;
    uf_error why;
    assert_status(UF_OK, uf_secret_create(fixture->path, &why), &why);
    assert_int_equal(folder_entries(&fixture->folder), 1);
    assert_status(UF_OK, uf_secret_load(fixture->path, &secret, &why), &why);
    assert_status(UF_OK, uf_secret_load(fixture->path, &again, &why), &why);
    assert_memory_equal(secret, again, sizeof *secret);
    uf_secret_free(secret);
    uf_secret_free(again);
    uf_secret_free(NULL);
}

static void test_keys_differ(void **state)
{
    struct fixture *fixture = *state;
    uf_secret *secret[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        assert_status(UF_OK, uf_secret_create(fixture->path, NULL), NULL);
        assert_status(UF_OK, uf_secret_load(fixture->path, &secret[i], NULL), NULL);
        assert_int_equal(unlink(fixture->path), 0);
    }
    assert_memory_not_equal(secret[0], secret[1], sizeof *secret[0]);
    uf_secret_free(secret[0]);
    uf_secret_free(secret[1]);
}

static void test_mode_ignores_the_umask(void **state)
{
    static const mode_t masks[] = {0, 022, 077, 0177, 0777};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        mode_t before = umask(masks[i]);
        int status = uf_secret_create(fixture->path, NULL);
        umask(before);
        assert_status(UF_OK, status, NULL);
        assert_int_equal(mode_of(fixture->path), 0600);
        assert_int_equal(unlink(fixture->path), 0);
    }
}

/* A file, a link to a file, a link to nothing, a folder. */
static void test_nothing_is_replaced(void **state)
{
    struct fixture *fixture = *state;
    uf_error why;
    put_key(fixture, "old", 3);
    assert_int_equal(symlink("a.key", folder_file(&fixture->folder, "link")), 0);
    assert_int_equal(symlink("nowhere", folder_file(&fixture->folder, "dangling")), 0);
    assert_int_equal(mkdir(folder_file(&fixture->folder, "folder"), 0700), 0);
    static const char *const names[] = {"a.key", "link", "dangling", "folder"};
    for (size_t i = 0; i < 4; i++)
        assert_refused(UF_EIO, uf_secret_create(folder_file(&fixture->folder, names[i]), &why), &why);
    struct bytes now = file_get_all(fixture->path);
    assert_true(now.size == 3 && !memcmp(now.data, "old", 3));
    bytes_free(&now);
    assert_int_equal(folder_entries(&fixture->folder), 4);
    assert_refused(UF_EIO, uf_secret_create(folder_file(&fixture->folder, "none/a.key"), &why), &why);
    assert_refused(UF_EINVAL, uf_secret_create(NULL, &why), &why);
}

/* Call number `at` fails: there is no file when that is an error, and no descriptor is left. Returns whether there was
 * such a call. */
static int fail_call(struct fixture *fixture, unsigned at, int code)
{
    uf_error why = {0, 0, ""};
    uf_secret *secret = NULL;
    size_t descriptors = open_descriptors();
    expect_fault(FAIL, at, code);
    int status = uf_secret_create(fixture->path, &why), fired = end_fault();
    assert_int_equal(open_descriptors(), descriptors);
    if (status != UF_OK)
        assert_refused(UF_EIO, status, &why);
    if (status == UF_OK) {
        assert_status(UF_OK, uf_secret_load(fixture->path, &secret, &why), &why);
        assert_true(at > strcspn(plot.calls, "r"));
        assert_int_equal(unlink(fixture->path), 0);
        uf_secret_free(secret);
    }
    assert_int_equal(folder_entries(&fixture->folder), 0);
    return fired;
}

static void test_every_call_may_fail(void **state)
{
    static const int codes[] = {EIO, ENOSPC, EROFS};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        unsigned at = 1;
        while (fail_call(*state, at, codes[i]))
            at++;
        assert_true(at > 7); /* create, write, mode, sync, close, rename, sync of the folder */
    }
}

static unsigned rename_call(struct fixture *fixture)
{
    expect_fault(NONE, 0, 0);
    assert_status(UF_OK, uf_secret_create(fixture->path, NULL), NULL);
    assert_int_equal(unlink(fixture->path), 0);
    return (unsigned)(strchr(plot.calls, 'r') - plot.calls) + 1;
}

/* A file system that knows no RENAME_NOREPLACE, and another process that was quicker. */
static void test_rename_is_not_everywhere(void **state)
{
    struct fixture *fixture = *state;
    uf_error why;
    unsigned at = rename_call(fixture);
    expect_fault(FAIL, at, EINVAL);
    assert_status(UF_OK, uf_secret_create(fixture->path, &why), &why);
    assert_true(end_fault());
    assert_int_equal(folder_entries(&fixture->folder), 1);
    assert_int_equal(mode_of(fixture->path), 0600);
    assert_int_equal(unlink(fixture->path), 0);
    expect_fault(FAIL, at, EEXIST);
    assert_refused(UF_EIO, uf_secret_create(fixture->path, &why), &why);
    assert_non_null(strstr(why.text, "exists already"));
    assert_int_equal(folder_entries(&fixture->folder), 0);
}

static void test_death_at_every_call(void **state)
{
    struct fixture *fixture = *state;
    unsigned at = 0, absent = 0, complete = 0;
    for (int result = 42 << 8; WEXITSTATUS(result) == 42;) {
        at++;
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            expect_fault(DIE, at, 0);
            _exit(uf_secret_create(fixture->path, NULL) == UF_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) != 1);
        uf_secret *secret = NULL;
        absent += access(fixture->path, F_OK) != 0;
        complete += uf_secret_load(fixture->path, &secret, NULL) == UF_OK;
        uf_secret_free(secret);
        assert_int_equal(absent + complete, at);
        unlink(fixture->path);
    }
    assert_true(absent >= 6 && complete >= 2);
}

static void test_no_key_without_randomness(void **state)
{
    struct fixture *fixture = *state;
    uf_error why;
    no_randomness = 1;
    int status = uf_secret_create(fixture->path, &why);
    no_randomness = 0;
    assert_refused(UF_ERANDOM, status, &why);
    assert_int_equal(folder_entries(&fixture->folder), 0);
}

/* ---- loading ---- */

static void test_known_line(void **state)
{
    struct fixture *fixture = *state;
    uf_secret *secret;
    put_key(fixture, line, LINE);
    assert_status(UF_OK, uf_secret_load(fixture->path, &secret, NULL), NULL);
    for (unsigned i = 0; i < SECRET_BYTES; i++)
        assert_int_equal(secret->master[i], i);
    uf_secret_free(secret);
}

/* Loading must be refused with this status, by path and by descriptor, and without a digit of the key in the text:
 * four digits in a row of it would be too many. */
static void refused(const struct fixture *fixture, int want, const char *text, size_t size)
{
    uf_secret *const untouched = (uf_secret *)(uintptr_t)8;
    uf_secret *secret = untouched;
    uf_error why;
    put_key(fixture, text, size);
    assert_refused(want, uf_secret_load(fixture->path, &secret, &why), &why);
    assert_true(!strncmp(why.text, fixture->path, strlen(fixture->path)));
    int fd = open(fixture->path, O_RDONLY);
    assert_true(fd >= 0);
    assert_refused(want, uf_secret_load_fd(fd, &secret, &why), &why);
    assert_true(!strncmp(why.text, "descriptor ", 11));
    close(fd);
    assert_ptr_equal(secret, untouched);
    for (size_t i = DIGITS_AT; i + 4 <= LINE - 1; i++) {
        char part[5] = {line[i], line[i + 1], line[i + 2], line[i + 3], 0};
        assert_that(!strstr(why.text, part), "the text has a part of the key: %s", why.text);
    }
}

static void test_every_cut(void **state)
{
    for (size_t size = 0; size < LINE; size++)
        refused(*state, UF_EFORMAT, line, size);
}

/* Every bit of every byte: another version where the version is, damage elsewhere. */
static void test_every_bit(void **state)
{
    char text[LINE];
    for (size_t i = 0; i < LINE; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(text, line, LINE);
            text[i] = (char)(text[i] ^ 1 << bit);
            refused(*state, i == 16 || i == 17 ? UF_EVERSION : UF_EFORMAT, text, LINE);
        }
}

/* What happens when a line is typed: another digit, two that change places. */
static void test_typing_errors(void **state)
{
    char text[LINE];
    for (size_t i = DIGITS_AT; i < LINE - 2; i++) {
        memcpy(text, line, LINE);
        text[i] = line[i] == 'f' ? '0' : line[i] == '9' ? 'a' : (char)(line[i] + 1);
        refused(*state, UF_EFORMAT, text, LINE);
        memcpy(text, line, LINE);
        text[i] = line[i + 1];
        text[i + 1] = line[i];
        if (text[i] != line[i])
            refused(*state, UF_EFORMAT, text, LINE);
    }
}

static void test_other_spellings(void **state)
{
    static const struct {
        size_t keep; /* bytes of the line, then: */
        const char *tail;
    } tails[] = {{LINE, "\n"},      {LINE, "x"},     {LINE, line},          {LINE - 1, "\r\n"},
                 {LINE - 1, " \n"}, {LINE - 1, " "}, {LINE, "\n# a note\n"}};
    char text[4 * LINE];
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        memcpy(text, line, tails[i].keep);
        strcpy(text + tails[i].keep, tails[i].tail);
        refused(*state, UF_EFORMAT, text, strlen(text));
    }
    (void)snprintf(text, sizeof text, "\xef\xbb\xbf%s", line);
    refused(*state, UF_EFORMAT, text, strlen(text));
    (void)snprintf(text, sizeof text, " %s", line);
    refused(*state, UF_EFORMAT, text, strlen(text));
    memset(text, 0, sizeof text);
    refused(*state, UF_EFORMAT, text, sizeof text);
    refused(*state, UF_EFORMAT, text, LINE);
}

static void test_modes(void **state)
{
    struct fixture *fixture = *state;
    uf_secret *secret;
    uf_error why;
    put_key(fixture, line, LINE);
    for (unsigned mode = 0400; mode < 01000; mode++) {
        assert_int_equal(chmod(fixture->path, mode), 0);
        int status = uf_secret_load(fixture->path, &secret, &why);
        if (mode & 077) {
            assert_refused(UF_EIO, status, &why);
            assert_non_null(strstr(why.text, "chmod 600"));
        } else {
            assert_status(UF_OK, status, &why);
            uf_secret_free(secret);
        }
    }
}

/* Of another user: only root can make such a file, so only root sees it refused. */
static void test_owner_matters(void **state)
{
    struct fixture *fixture = *state;
    uf_secret *secret;
    uf_error why;
    if (geteuid() != 0)
        skip();
    put_key(fixture, line, LINE);
    assert_int_equal(chown(fixture->path, 65534, 65534), 0);
    assert_refused(UF_EIO, uf_secret_load(fixture->path, &secret, &why), &why);
    assert_non_null(strstr(why.text, "another user (uid 65534)"));
    assert_int_equal(chown(fixture->path, 0, 65534), 0);
    assert_status(UF_OK, uf_secret_load(fixture->path, &secret, &why), &why);
    uf_secret_free(secret);
}

static void test_what_is_no_file(void **state)
{
    struct fixture *fixture = *state;
    uf_secret *secret;
    uf_error why;
    assert_int_equal(mkfifo(folder_file(&fixture->folder, "pipe"), 0600), 0);
    const char *const places[] = {fixture->folder.path, folder_file(&fixture->folder, "pipe"),
                                  folder_file(&fixture->folder, "missing"), "/dev/null", ""};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        assert_refused(UF_EIO, uf_secret_load(places[i], &secret, &why), &why);
    assert_refused(UF_EIO, uf_secret_load_fd(-1, &secret, &why), &why);
    assert_refused(UF_EINVAL, uf_secret_load(NULL, &secret, &why), &why);
    assert_refused(UF_EINVAL, uf_secret_load_fd(0, NULL, &why), &why);
}

static void test_from_a_pipe(void **state)
{
    uf_secret *secret;
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], line, LINE), LINE);
    close(ends[1]);
    assert_status(UF_OK, uf_secret_load_fd(ends[0], &secret, NULL), NULL);
    assert_int_equal(secret->master[31], 31);
    uf_secret_free(secret);
    assert_int_equal(close(ends[0]), 0); /* it was left open */
}

static void test_reads_may_fail(void **state)
{
    struct fixture *fixture = *state;
    uf_secret *secret;
    uf_error why;
    put_key(fixture, line, LINE);
    size_t descriptors = open_descriptors();
    expect_fault(FAIL, 1, EIO);
    assert_refused(UF_EIO, uf_secret_load(fixture->path, &secret, &why), &why);
    assert_true(end_fault());
    for (enum fault fault = SHORT; fault <= INTERRUPT; fault++) {
        expect_fault(fault, 1, 0);
        assert_status(UF_OK, uf_secret_load(fixture->path, &secret, &why), &why);
        assert_true(end_fault());
        uf_secret_free(secret);
    }
    assert_int_equal(open_descriptors(), descriptors);
}

/* ---- from memory ---- */

static void test_from_bytes(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[UF_SECRET_BYTES + 1];
    uf_secret *loaded, *made = NULL;
    uf_error why;
    put_key(fixture, line, LINE);
    assert_status(UF_OK, uf_secret_load(fixture->path, &loaded, NULL), NULL);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t count = 0; count <= sizeof bytes; count++)
        if (count != UF_SECRET_BYTES)
            assert_refused(UF_EINVAL, uf_secret_from_bytes(bytes, count, &made, &why), &why);
    assert_refused(UF_EINVAL, uf_secret_from_bytes(NULL, UF_SECRET_BYTES, &made, &why), &why);
    assert_refused(UF_EINVAL, uf_secret_from_bytes(bytes, UF_SECRET_BYTES, NULL, &why), &why);
    assert_null(made);
    assert_status(UF_OK, uf_secret_from_bytes(bytes, UF_SECRET_BYTES, &made, &why), &why);
    memset(bytes, 0, sizeof bytes); /* they were copied */
    assert_memory_equal(loaded, made, sizeof *made);
    uf_secret_free(loaded);
    uf_secret_free(made);
}

/* ---- where they are ---- */

static uf_secret *any_secret(void)
{
    static const unsigned char bytes[UF_SECRET_BYTES] = {7};
    uf_secret *secret = NULL;
    return uf_secret_from_bytes(bytes, sizeof bytes, &secret, NULL) == UF_OK ? secret : NULL;
}

/* Kilobytes of locked memory of this process, -1 when the system does not say. */
static long locked_memory(void)
{
    char text[256];
    long locked = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(text, sizeof text, file))
        (void)sscanf(text, "VmLck: %ld", &locked);
    if (file)
        (void)fclose(file);
    return locked;
}

typedef int deed(uf_secret *secret);

static int write_into(uf_secret *secret)
{
    *(volatile unsigned char *)secret->master = 1;
    return 0;
}

static int read_behind(uf_secret *secret)
{
    return *((volatile unsigned char *)secret->master + SECRET_BYTES) & 0;
}

static int read_inside(uf_secret *secret)
{
    return *((volatile unsigned char *)secret->master + SECRET_BYTES - 1) & 0;
}

/* Without the right to lock memory, and without a limit that allows it. */
static int no_lock(uf_secret *secret)
{
    const struct rlimit none = {0, 0};
    uf_secret_free(secret);
    if (setrlimit(RLIMIT_MEMLOCK, &none) || (!geteuid() && setuid(65534)))
        return 2;
    secret = any_secret();
    int wrong = !secret || secret->master[0] != 7 || locked_memory() > 0;
    uf_secret_free(secret);
    return wrong;
}

/* The address sanitizer makes mlock do nothing. */
#ifdef __SANITIZE_ADDRESS__
enum { LOCKS_ARE_REAL = 0 };
#else
enum { LOCKS_ARE_REAL = 1 };
#endif

static int lock_is_there(uf_secret *secret)
{
    struct rlimit limit;
    long before = locked_memory();
    if (!LOCKS_ARE_REAL || before < 0 || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur < 1 << 20)
        return 0; /* nothing to see here */
    uf_secret *another = any_secret();
    long with_it = locked_memory();
    uf_secret_free(another);
    return !secret || with_it <= before || locked_memory() != before;
}

/* In a child: 0 when all was well, otherwise how it ended. */
static int in_a_child(deed *what)
{
    int ended;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        (void)signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the next test, here too */
        uf_secret *secret = any_secret();
        _exit(secret ? what(secret) : 3);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    return ended;
}

static void test_memory(void **state)
{
    (void)state;
    assert_int_equal(in_a_child(read_inside), 0); /* the control */
    assert_int_not_equal(in_a_child(write_into), 0);
    assert_int_not_equal(in_a_child(read_behind), 0);
    assert_int_equal(in_a_child(lock_is_there), 0);
    assert_int_equal(in_a_child(no_lock), 0);
}

/* ---- contexts ---- */

/* A program that was compiled before there were secrets has a shorter context. */
static void test_older_contexts(void **state)
{
    uf_spec spec = spec_of("bloom:n=1");
    uf_filter *filter;
    uf_context ctx = UF_CONTEXT_INIT;
    (void)state;
    assert_null(ctx.secret);
    ctx.size = offsetof(uf_context, secret);
    ctx.secret = (const uf_secret *)(uintptr_t)8; /* what lies behind a shorter one is not looked at */
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, NULL), NULL);
    uf_free(filter);
}

/* One that was compiled later has a longer one: what this library does not know must not be asked for. */
static void test_newer_contexts(void **state)
{
    struct {
        uf_context ctx;
        uint64_t later;
    } newer = {UF_CONTEXT_INIT, 0};
    uf_spec spec = spec_of("bloom:n=1");
    uf_filter *filter;
    uf_error why;
    (void)state;
    newer.ctx.size = sizeof newer;
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &newer.ctx, &filter, &why), &why);
    uf_free(filter);
    newer.later = 1;
    assert_refused(UF_EVERSION, uf_build(&spec, NULL, 0, &newer.ctx, &filter, &why), &why);
    assert_non_null(strstr(why.text, "UF_CONTEXT_INIT"));
}

int main(void)
{
#define FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_fixture, clear_fixture)
    const struct CMUnitTest tests[] = {
        FIXTURE(test_create_and_load),
        FIXTURE(test_from_bytes),
        cmocka_unit_test(test_memory),
        FIXTURE(test_keys_differ),
        FIXTURE(test_mode_ignores_the_umask),
        FIXTURE(test_nothing_is_replaced),
        FIXTURE(test_every_call_may_fail),
        FIXTURE(test_rename_is_not_everywhere),
        FIXTURE(test_death_at_every_call),
        FIXTURE(test_no_key_without_randomness),
        FIXTURE(test_known_line),
        FIXTURE(test_every_cut),
        FIXTURE(test_every_bit),
        FIXTURE(test_typing_errors),
        FIXTURE(test_other_spellings),
        FIXTURE(test_modes),
        FIXTURE(test_owner_matters),
        FIXTURE(test_what_is_no_file),
        FIXTURE(test_from_a_pipe),
        FIXTURE(test_reads_may_fail),
        FIXTURE(test_older_contexts),
        FIXTURE(test_newer_contexts),
    };
    return cmocka_run_group_tests_name("secret", tests, NULL, NULL);
}
