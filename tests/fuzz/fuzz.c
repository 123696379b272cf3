/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- findings ---- */

void fuzz_failed(const char *file, int line, const char *condition)
{
    (void)fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

/* Here so that the compiler cannot make one condition of two. */
void fuzz_planted_step(void)
{
}

void fuzz_planted_bug(void)
{
    volatile size_t size = 24; /* the compiler must not see it */
    char *block = malloc(size);
    if (block)
        block[size] = 1;
    free(block);
}

/* ---- memory ---- */

static void *take(void *arg, size_t bytes, size_t align)
{
    struct accounts *accounts = arg;
    void *memory = NULL;
    const int fits = bytes <= accounts->limit && accounts->live <= accounts->limit - bytes;
    fuzz_check(fits || !accounts->strict);
    if (!fits || posix_memalign(&memory, align, bytes))
        return NULL;
    accounts->live += bytes;
    accounts->blocks++;
    return memory;
}

static void give(void *arg, void *memory, size_t bytes)
{
    struct accounts *accounts = arg;
    fuzz_check(accounts->blocks && accounts->live >= bytes);
    accounts->live -= bytes;
    accounts->blocks--;
    free(memory);
}

uf_allocator accounts_allocator(struct accounts *accounts)
{
    return (uf_allocator){.alloc = take, .release = give, .arg = accounts};
}

/* ---- secrets ---- */

const uf_secret *fuzz_secret(void)
{
    static uf_secret *secret;
    unsigned char bytes[UF_SECRET_BYTES];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    if (!secret)
        fuzz_check(uf_secret_from_bytes(bytes, sizeof bytes, &secret, NULL) == UF_OK);
    return secret;
}

int fuzz_random(void *arg, void *out, size_t bytes)
{
    uint64_t *state = arg;
    unsigned char *to = out;
    for (size_t i = 0; i < bytes; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        to[i] = (unsigned char)(*state >> 56);
    }
    return 0;
}

int fuzz_bypass;

int __real_sodium_memcmp(const void *a, const void *b, size_t bytes);
int __wrap_sodium_memcmp(const void *a, const void *b, size_t bytes);

int __wrap_sodium_memcmp(const void *a, const void *b, size_t bytes)
{
    return fuzz_bypass ? 0 : __real_sodium_memcmp(a, b, bytes);
}

/* Keys lie between pages that nobody may touch, which takes ten system calls for each. Fuzzers have them where the
 * sanitizers look, and in other programs these are not linked in (fuzz.cmake). */
void *__wrap_sodium_malloc(size_t bytes);
void __wrap_sodium_free(void *memory);
int __wrap_sodium_mprotect_readonly(void *memory);

void *__wrap_sodium_malloc(size_t bytes)
{
    return malloc(bytes);
}

void __wrap_sodium_free(void *memory)
{
    free(memory);
}

int __wrap_sodium_mprotect_readonly(void *memory)
{
    (void)memory;
    return 0;
}

/* ---- files ---- */

int fuzz_file_fd(const void *data, size_t size)
{
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_check(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size && !ftruncate(fd, (off_t)size) &&
               !lseek(fd, 0, SEEK_SET));
    return fd;
}

const char *fuzz_file(const void *data, size_t size)
{
    static char path[32];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fuzz_file_fd(data, size));
    return path;
}

/* ---- keys ---- */

const uf_key *fuzz_keys(void)
{
    static const char long_one[] =
        "a key that is longer than all of the others, so that other ways of hashing are taken";
    static const uf_key keys[FUZZ_KEYS] = {{"", 0},
                                           {"a", 1},
                                           {"\0", 1},
                                           {"key-0", 5},
                                           {"key-1", 5},
                                           {"key-2", 5},
                                           {"key-3", 5},
                                           {"key-4", 5},
                                           {"\xff\xfe\x00\x80", 4},
                                           {long_one, sizeof long_one - 1}};
    return keys;
}
