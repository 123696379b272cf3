/* SPDX-License-Identifier: MIT */
/*
 * Master keys in files. A key file is one line of text, so that it survives being copied by hand, and a checksum
 * notices when it did not:
 *
 *     ultrafilter-key-1 <64 hexadecimal digits> <16 hexadecimal digits>
 *
 * The second number is the checksum (XXH3-64) of all that is before its space. There is one spelling of a key: small
 * letters, single spaces, one newline at the end. No text of an error has any part of a key.
 */
#include <errno.h>
#include <sodium/utils.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"
#include "derive.h"
#include "file.h"
#include "init.h"
#include "rng.h"
#include "status.h"
#include "subject.h"

#define KEY_NAME "ultrafilter-key-"
#define KEY_VERSION "1 "

enum {
    NAME_BYTES = sizeof KEY_NAME - 1,
    HEX_AT = NAME_BYTES + sizeof KEY_VERSION - 1,
    HEX_BYTES = 2 * SECRET_BYTES,
    SUM_AT = HEX_AT + HEX_BYTES + 1,
    LINE_BYTES = SUM_AT + 16 + 1
};

/* ---- the line ---- */

static void format_line(const unsigned char master[SECRET_BYTES], char line[LINE_BYTES + 1])
{
    memcpy(line, KEY_NAME KEY_VERSION, HEX_AT);
    (void)sodium_bin2hex(line + HEX_AT, HEX_BYTES + 1, master, SECRET_BYTES);
    (void)snprintf(line + SUM_AT - 1, LINE_BYTES + 1 - (SUM_AT - 1), " %016llx\n",
                   (unsigned long long)checksum(line, SUM_AT - 1, 0));
}

/* sodium_hex2bin takes capital letters, too; parse_line does not. */
static int read_hex(const char *text, unsigned char master[SECRET_BYTES])
{
    size_t made = 0;
    int failed = sodium_hex2bin(master, SECRET_BYTES, text, HEX_BYTES, NULL, &made, NULL);
    return failed || made != SECRET_BYTES ? UF_EFORMAT : UF_OK;
}

static int check_start(const char *text, size_t bytes, uf_error *why)
{
    if (bytes < HEX_AT || memcmp(text, KEY_NAME, NAME_BYTES) != 0)
        return fail(why, UF_EFORMAT, "is not a key file: those are made by 'ultrafilter keygen'");
    if (memcmp(text + NAME_BYTES, KEY_VERSION, sizeof KEY_VERSION - 1) != 0)
        return fail(why, UF_EVERSION, "is a key file of another version: this library reads version 1");
    if (bytes != LINE_BYTES)
        return fail(why, UF_EFORMAT, "has %s the %d bytes of a key file: it was %s; take the copy that was kept",
                    bytes < LINE_BYTES ? "fewer than" : "more than", LINE_BYTES,
                    bytes < LINE_BYTES ? "cut" : "added to, or its line end changed");
    return UF_OK;
}

/* Reads the numbers, writes them as they should be, and compares: so there is one spelling. */
static int parse_line(const char *text, size_t bytes, unsigned char master[SECRET_BYTES], uf_error *why)
{
    char again[LINE_BYTES + 1];
    int status = check_start(text, bytes, why);
    if (status != UF_OK)
        return status;
    status = read_hex(text + HEX_AT, master);
    if (status == UF_OK) {
        format_line(master, again);
        status = sodium_memcmp(text, again, LINE_BYTES) ? UF_EFORMAT : UF_OK;
        explicit_bzero(again, sizeof again);
    }
    return status == UF_OK
               ? UF_OK
               : fail(why, status, "is a damaged key file: a digit was changed; take the copy that was kept");
}

/* ---- memory ---- */

/*
 * sodium_malloc: on pages of its own between two that nobody may touch, in no core dump, and locked, so that it is
 * never swapped out. Where RLIMIT_MEMLOCK does not allow the lock, all but the lock holds. Read-only once it is filled,
 * and wiped when it is freed.
 */
static int secret_new(uf_secret **out, uf_error *why)
{
    int status = crypto_init(why);
    if (status != UF_OK)
        return status;
    *out = sodium_malloc(sizeof **out);
    return *out ? UF_OK : fail(why, UF_ENOMEM, "no memory for a key");
}

static int secret_seal(uf_secret *secret, uf_error *why)
{
    return sodium_mprotect_readonly(secret) ? fail(why, UF_ENOMEM, "no memory for a key that cannot be written to")
                                            : UF_OK;
}

void uf_secret_free(uf_secret *secret)
{
    sodium_free(secret);
}

/* Hands the secret out when it was filled, and ends it otherwise. */
static int secret_give(uf_secret *secret, int status, uf_secret **out, uf_error *why)
{
    if (status == UF_OK)
        status = secret_seal(secret, why);
    if (status == UF_OK)
        *out = secret;
    else
        uf_secret_free(secret);
    return status;
}

int uf_secret_from_bytes(const void *bytes, size_t count, uf_secret **out, uf_error *why)
{
    uf_secret *secret;
    error_clear(why);
    if (!bytes || !out)
        return fail(why, UF_EINVAL, "no bytes or no place for the key were given");
    if (count != UF_SECRET_BYTES)
        return fail(why, UF_EINVAL, "%zu bytes are no key: a key has %d, all of them random", count, UF_SECRET_BYTES);
    int status = secret_new(&secret, why);
    if (status != UF_OK)
        return status;
    memcpy(secret->master, bytes, SECRET_BYTES);
    return secret_give(secret, UF_OK, out, why);
}

/* ---- making one ---- */

static int draw(unsigned char master[SECRET_BYTES], uf_error *why)
{
    struct rng rng;
    int status = rng_open(&rng, NULL);
    if (status == UF_OK) {
        status = rng_bytes(&rng, master, SECRET_BYTES);
        rng_close(&rng);
    }
    return status == UF_OK ? UF_OK : fail(why, status, "the system gave no randomness for a key");
}

int uf_secret_create(const char *path, uf_error *why)
{
    unsigned char master[SECRET_BYTES];
    char line[LINE_BYTES + 1];
    error_clear(why);
    if (!path)
        return fail(why, UF_EINVAL, "no path was given");
    int status = crypto_init(why);
    if (status == UF_OK)
        status = draw(master, why);
    if (status == UF_OK) {
        format_line(master, line);
        status = file_replace_bytes(path, FILE_NEW_OR_NONE, line, LINE_BYTES, why);
        explicit_bzero(line, sizeof line);
    }
    explicit_bzero(master, sizeof master);
    return subject_file(status, path, why);
}

/* ---- loading ---- */

/* Up to `capacity` bytes, to the end of the file: one more than a key has shows that there is too much. */
static int read_some(int fd, char *out, size_t capacity, size_t *bytes, uf_error *why)
{
    *bytes = 0;
    while (*bytes < capacity) {
        ssize_t got = read(fd, out + *bytes, capacity - *bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_system_error(why, "read");
        if (got == 0)
            break;
        *bytes += (size_t)got;
    }
    return UF_OK;
}

static int load_from(int fd, uf_secret **out, uf_error *why)
{
    char text[LINE_BYTES + 1];
    size_t bytes;
    uf_secret *secret;
    int status = read_some(fd, text, sizeof text, &bytes, why);
    if (status == UF_OK)
        status = secret_new(&secret, why);
    if (status == UF_OK)
        status = secret_give(secret, parse_line(text, bytes, secret->master, why), out, why);
    explicit_bzero(text, sizeof text);
    return status;
}

int uf_secret_load_fd(int fd, uf_secret **out, uf_error *why)
{
    char name[32];
    error_clear(why);
    if (!out)
        return fail(why, UF_EINVAL, "no place for the key was given");
    (void)snprintf(name, sizeof name, "descriptor %d", fd);
    return subject_file(load_from(fd, out, why), name, why);
}

/* Whoever owns a file can read it and put another key there. */
static int check_access(int fd, uf_error *why)
{
    struct stat about;
    if (fstat(fd, &about))
        return file_system_error(why, "examined");
    if (about.st_uid != geteuid() && about.st_uid != 0)
        return fail(why, UF_EIO,
                    "belongs to another user (uid %lu), who has the key, too: use one of your own, or hand it over as "
                    "an open descriptor (/dev/fd/3)",
                    (unsigned long)about.st_uid);
    if (about.st_mode & 077)
        return fail(why, UF_EIO,
                    "is open to other users (mode %04o): run chmod 600 on it, and make a new key if "
                    "they may have read it",
                    (unsigned)about.st_mode & 07777);
    return UF_OK;
}

static int load_file(const char *path, uf_secret **out, uf_error *why)
{
    uint64_t bytes;
    int fd = file_open(path, &bytes, why);
    if (fd < 0)
        return fd;
    int status = check_access(fd, why);
    if (status == UF_OK)
        status = load_from(fd, out, why);
    close(fd);
    return status;
}

int uf_secret_load(const char *path, uf_secret **out, uf_error *why)
{
    error_clear(why);
    if (!path || !out)
        return fail(why, UF_EINVAL, "no path or no place for the key was given");
    return subject_file(load_file(path, out, why), path, why);
}
