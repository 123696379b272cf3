/* SPDX-License-Identifier: MIT */
/*
 * Everything that the library reads from files and writes beside them, with each call of the system failing once
 * (faults.h): it works all the same or is UF_EIO, hands nothing out, and leaves neither a descriptor nor a file. And
 * what needs libsodium, where that does not start.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "bytes.h"
#include "check.h"
#include "faults.h"
#include "folder.h"
#include "init.h"
#include "keys.h"
#include "secrets.h"
#include "status.h"
#include "subjects.h"

FAKE(int, fstat64, (int fd, struct stat64 *about), (fd, about), -1)
FAKE(int, lstat64, (const char *path, struct stat64 *about), (path, about), -1)
FAKE(int, stat64, (const char *path, struct stat64 *about), (path, about), -1)

FAKE(int, open64, (const char *path, int flags, mode_t mode), (path, flags, mode), -1)
FAKE(int, flock, (int fd, int how), (fd, how), -1)
FAKE(int, fchown, (int fd, uid_t owner, gid_t group), (fd, owner, group), -1)
FAKE(ssize_t, getxattr, (const char *path, const char *name, void *out, size_t bytes), (path, name, out, bytes), -1)
FAKE(int, fsetxattr, (int fd, const char *name, const void *data, size_t bytes, int how), (fd, name, data, bytes, how),
     -1)
FAKE(int, fremovexattr, (int fd, const char *name), (fd, name), -1)
FAKE(void *, mmap64, (void *at, size_t bytes, int protection, int flags, int fd, off_t offset),
     (at, bytes, protection, flags, fd, offset), MAP_FAILED)

int __real_fcntl64(int fd, int command, unsigned long more);
int __wrap_fcntl64(int fd, int command, unsigned long more);
int __wrap_fcntl64(int fd, int command, unsigned long more)
{
    return strikes('l') ? -1 : __real_fcntl64(fd, command, more);
}

static int no_crypto;

int __real_crypto_init(uf_error *why);
int __wrap_crypto_init(uf_error *why);
int __wrap_crypto_init(uf_error *why)
{
    return no_crypto ? fail(why, UF_ERANDOM, "there is no randomness in this test") : __real_crypto_init(why);
}

/* What is there to be read. */
static struct {
    struct folder folder;
    char filter[600], compact[600], dcso[600], model[600], key[600], secret[600];
    uf_context ctx;
    uf_filter *built;
    uf_verify_key verify;
} all;

static int set_up(void **state)
{
    static const struct {
        char *path;
        const char *name;
    } paths[] = {{all.filter, "a.uf"}, {all.compact, "a.ufc"}, {all.dcso, "a.bloom"},
                 {all.model, "a.ufm"}, {all.key, "a.pub"},     {all.secret, "a.key"}};
    struct keys keys = keys_make("key", 100);
    (void)state;
    all.folder = folder_make();
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        (void)snprintf(paths[i].path, sizeof all.filter, "%s/%s", all.folder.path, paths[i].name);
    all.ctx = secret_context();
    all.built = build("blocked:n=60000,seed=0x1", keys.key, keys.count, NULL); /* two chunks */
    uf_filter *dcso = build("dcso:n=100", keys.key, keys.count, NULL);
    assert_status(UF_OK, uf_set_attached(dcso, "attached", 8, NULL), NULL);
    assert_status(UF_OK, uf_save(all.built, all.filter, UF_FORMAT_UF, NULL), NULL);
    assert_status(UF_OK, uf_save(all.built, all.compact, UF_FORMAT_COMPACT, NULL), NULL);
    assert_status(UF_OK, uf_save(dcso, all.dcso, UF_FORMAT_DCSO, NULL), NULL);
    assert_status(UF_OK, uf_model_save(subject_learning()->model, all.model, NULL), NULL);
    uf_verify_key_of(all.ctx.secret, &all.verify);
    assert_status(UF_OK, uf_verify_key_save(&all.verify, all.key, NULL), NULL);
    assert_status(UF_OK, uf_secret_create(all.secret, NULL), NULL);
    assert_status(UF_OK, uf_sign(all.filter, NULL, UF_SIGN_PUBLIC, &all.ctx, NULL), NULL);
    uf_free(dcso);
    keys_free(&keys);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    uf_free(all.built);
    folder_remove(&all.folder);
    return 0;
}

/* ---- the calls; each gives back what it was handed ---- */

static int load(const char *path, unsigned how, uf_error *why)
{
    uf_filter *filter = NULL;
    int status = uf_load(path, how, NULL, &filter, why);
    assert_true((status == UF_OK) == (filter != NULL));
    uf_free(filter);
    return status;
}

static int read_filter(uf_error *why)
{
    return load(all.filter, UF_FORMAT_UF, why);
}

static int map_filter(uf_error *why)
{
    return load(all.filter, UF_MAP, why);
}

static int lock_filter(uf_error *why)
{
    uf_file_lock *lock = NULL;
    int status = uf_lock_file(all.filter, NULL, NULL, NULL, &lock, why);
    assert_true((status == UF_OK) == (lock != NULL));
    uf_unlock_file(lock);
    return status;
}

static int read_compact(uf_error *why)
{
    return load(all.compact, UF_FORMAT_UF, why);
}

static int read_dcso(uf_error *why)
{
    return load(all.dcso, UF_FORMAT_DCSO, why);
}

static int read_signed(uf_error *why)
{
    uf_filter *filter = NULL;
    int status = uf_load_signed(all.filter, NULL, &all.verify, NULL, &filter, why);
    assert_true((status == UF_OK) == (filter != NULL));
    uf_free(filter);
    return status;
}

static int read_signature(uf_error *why)
{
    uf_signed said;
    return uf_read_signature(all.filter, NULL, &said, sizeof said, why);
}

static int write_signature(uf_error *why)
{
    return uf_sign(all.filter, NULL, UF_SIGN_PUBLIC, &all.ctx, why);
}

static int read_key(uf_error *why)
{
    uf_verify_key key;
    return uf_verify_key_load(all.key, &key, why);
}

static int write_key(uf_error *why)
{
    return uf_verify_key_save(&all.verify, all.key, why);
}

static int read_secret(uf_error *why)
{
    uf_secret *secret = NULL;
    int status = uf_secret_load(all.secret, &secret, why);
    assert_true((status == UF_OK) == (secret != NULL));
    uf_secret_free(secret);
    return status;
}

static int read_model(uf_error *why)
{
    uf_model *model = NULL;
    int status = uf_model_load(all.model, NULL, &model, why);
    assert_true((status == UF_OK) == (model != NULL));
    uf_model_free(model);
    return status;
}

static int write_model(uf_error *why)
{
    return uf_model_save(subject_learning()->model, all.model, why);
}

static const struct {
    const char *name;
    int (*call)(uf_error *why);
    unsigned reads; /* calls of the system that can fail, at least */
} calls[] = {
    {"a filter", read_filter, 5},          {"a mapped filter", map_filter, 3}, {"a locked filter", lock_filter, 1},
    {"a compact filter", read_compact, 5}, {"a DCSO filter", read_dcso, 3},    {"a signed filter", read_signed, 6},
    {"a signature", read_signature, 1},    {"signing", write_signature, 10},   {"a verify key", read_key, 1},
    {"saving a verify key", write_key, 5}, {"a key", read_secret, 1},          {"a model", read_model, 3},
    {"saving a model", write_model, 7}};

/* How many of the calls that it makes could not be done without. ENOENT, EACCES and EAGAIN may say that another process
 * has taken the temporary file, and removes it: that one stays until the next call. */
static unsigned check_call(int (*call)(uf_error *why), const char *name, int code)
{
    const struct folder open = {"/proc/self/fd"};
    const size_t descriptors = folder_entries(&open), files = folder_entries(&all.folder);
    const int taken = code == ENOENT || code == EACCES || code == EAGAIN;
    unsigned failed = 0;
    int fired = 1;
    for (unsigned at = 1; fired; at++) {
        uf_error why = {0, 0, ""};
        expect_fault(FAIL, at, code);
        int status = call(&why);
        fired = end_fault();
        assert_that(status == UF_OK || (fired && status == UF_EIO && why.status == UF_EIO && why.text[0]),
                    "%s, call %u with errno %d: gave %d: %s", name, at, code, status, why.text);
        assert_int_equal(folder_entries(&open), descriptors);
        assert_that(taken || folder_entries(&all.folder) == files, "%s, call %u with errno %d: leaves a file", name, at,
                    code);
        failed += status != UF_OK;
    }
    assert_status(UF_OK, call(NULL), NULL);
    assert_int_equal(folder_entries(&all.folder), files);
    return failed;
}

static void test_every_call_may_fail(void **state)
{
    static const int others[] = {EACCES, EOPNOTSUPP, ENOENT, EAGAIN};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].call == map_filter && !views_work())
            continue;
        unsigned failed = check_call(calls[i].call, calls[i].name, EIO);
        assert_that(failed >= calls[i].reads, "%s: only %u calls could fail", calls[i].name, failed);
        for (size_t code = 0; code < sizeof others / sizeof others[0]; code++)
            (void)check_call(calls[i].call, calls[i].name, others[code]);
    }
}

/* Signatures and fingerprints are digests of libsodium's, and keys are in its memory. */
static void test_without_libsodium(void **state)
{
    static const unsigned char bytes[UF_SECRET_BYTES] = {1};
    char fingerprint[UF_FINGERPRINT_SIZE] = "as before";
    uf_secret *secret = NULL;
    uf_universe *universe;
    uf_set *set, *released = NULL;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_universe_parse("range:1-9", NULL, &universe, &why), &why);
    assert_status(UF_OK, uf_set_new(universe, NULL, &set, &why), &why);
    no_crypto = 1;
    assert_refused(UF_ERANDOM, uf_fingerprint(all.built, fingerprint, &why), &why);
    assert_string_equal(fingerprint, "as before");
    assert_refused(UF_ERANDOM, read_signed(&why), &why);
    assert_refused(UF_ERANDOM, write_signature(&why), &why);
    assert_refused(UF_ERANDOM, read_secret(&why), &why);
    assert_refused(UF_ERANDOM, uf_secret_from_bytes(bytes, sizeof bytes, &secret, &why), &why);
    assert_refused(UF_ERANDOM, uf_secret_create(folder_file(&all.folder, "new.key"), &why), &why);
    assert_refused(UF_ERANDOM, uf_set_release(set, "dime:epsilon=3", NULL, &released, &why), &why);
    assert_true(!secret && !released);
    no_crypto = 0;
    assert_status(UF_OK, read_signed(&why), &why); /* all is as it was */
    assert_int_equal(folder_entries(&all.folder), 7);
    uf_set_free(set);
    uf_universe_free(universe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call_may_fail),
        cmocka_unit_test(test_without_libsodium),
    };
    return cmocka_run_group_tests_name("file_faults", tests, set_up, tear_down);
}
