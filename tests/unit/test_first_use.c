/* SPDX-License-Identifier: MIT */
/*
 * The first use of the library in a process is when the libraries below it start, too. In a fresh process each, the
 * k-th allocation of anyone, in whatever library, is refused: a call then succeeds or says UF_ENOMEM, the process lives
 * on, and the same call works afterwards.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "check.h"

/* ---- malloc and its kin, for all libraries of the process ---- */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t align, size_t bytes);

static int armed;
static size_t calls, fail_at;

static int refuse(void)
{
    if (!armed || ++calls != fail_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return refuse() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t bytes)
{
    return refuse() ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return refuse() ? NULL : __libc_memalign(align, bytes);
}

/* ---- first uses: each returns a status ---- */

static int make_secret(uf_secret **out)
{
    static const unsigned char bytes[UF_SECRET_BYTES] = {1, 2, 3};
    return uf_secret_from_bytes(bytes, sizeof bytes, out, NULL);
}

static int build_with(const char *text, const uf_secret *secret)
{
    char print[33];
    uf_spec spec;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_filter *filter = NULL;
    ctx.secret = secret;
    int status = uf_spec_parse(text, &spec, NULL);
    if (status == UF_OK)
        status = uf_build(&spec, &(uf_key){"a", 1}, 1, &ctx, &filter, NULL);
    if (status == UF_OK)
        status = uf_fingerprint(filter, print, NULL);
    uf_free(filter);
    return status;
}

static int use_plain(void)
{
    return build_with("bloom:n=10", NULL);
}

static int use_keyed(void)
{
    uf_secret *secret = NULL;
    int status = make_secret(&secret);
    if (status == UF_OK)
        status = build_with("keyed(bloom:n=10,prf=aes)", secret);
    uf_secret_free(secret);
    return status;
}

static int use_private(void)
{
    uf_secret *secret = NULL;
    int status = make_secret(&secret);
    if (status == UF_OK)
        status = build_with("dpset:n=10,epsilon=3", secret);
    uf_secret_free(secret);
    return status;
}

static int use_release(void)
{
    uf_universe *universe = NULL;
    uf_set *set = NULL, *released = NULL;
    int status = uf_universe_parse("range:1-1000", NULL, &universe, NULL);
    if (status == UF_OK)
        status = uf_set_new(universe, NULL, &set, NULL);
    if (status == UF_OK)
        status = uf_set_add(set, &(uf_key){"7", 1}, 1, NULL);
    if (status == UF_OK)
        status = uf_set_release(set, "dime:epsilon=8", NULL, &released, NULL);
    uf_set_free(released);
    uf_set_free(set);
    uf_universe_free(universe);
    return status;
}

/* ---- children ---- */

typedef int use(void);

enum { FINE = 0, REFUSED = 1, NOTHING_LEFT = 2, WRONG = 3 };

static int run_refused(use *first)
{
    calls = 0;
    armed = 1;
    int status = first();
    armed = 0;
    if ((status != UF_OK && status != UF_ENOMEM) || first() != UF_OK)
        return WRONG;
    return calls < fail_at ? NOTHING_LEFT : status == UF_OK ? FINE : REFUSED;
}

static void check_use(const char *name, use *first)
{
    size_t refused = 0;
    int result = FINE;
    for (fail_at = 1; result != NOTHING_LEFT; fail_at++) {
        int ended;
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
            _exit(run_refused(first));
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_that(WIFEXITED(ended), "%s: allocation %zu refused, ended by signal %d", name, fail_at, WTERMSIG(ended));
        result = WEXITSTATUS(ended);
        assert_that(result != WRONG, "%s: allocation %zu refused: another error, or no recovery", name, fail_at);
        refused += result == REFUSED;
    }
    assert_that(refused > 0, "%s never ran out of memory", name);
}

static void test_first_use_without_memory(void **state)
{
    (void)state;
    check_use("a plain filter", use_plain);
    check_use("a keyed filter", use_keyed);
    check_use("a private filter", use_private);
    check_use("a released set", use_release);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_use_without_memory)};
    return cmocka_run_group_tests_name("first use", tests, NULL, NULL);
}
