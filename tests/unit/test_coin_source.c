/* SPDX-License-Identifier: MIT */
/*
 * Where the coins of private filters come from: one text for all spellings of the same parameters, and no filter when
 * any draw fails. getrandom and rng_bytes are replaced here: each of the first calls fails once, then every 11th.
 */
#include "table.h"
#include "coin_source.h"

#include <errno.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "counting.h"
#include "derive.h"
#include "filter.h"
#include "keys.h"
#include "random.h"

/* ---- draws that fail ---- */

static struct {
    unsigned at, seen; /* which call of those that are counted is refused; 0: none */
    int system;        /* counts getrandom, else rng_bytes */
} plot;

static int strikes(int system)
{
    return system == plot.system && __atomic_add_fetch(&plot.seen, 1, __ATOMIC_RELAXED) == plot.at;
}

ssize_t __real_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    if (!strikes(1))
        return __real_getrandom(out, bytes, flags);
    errno = ENOSYS;
    return -1;
}

int __real_rng_bytes(struct rng *rng, void *out, size_t bytes);
int __wrap_rng_bytes(struct rng *rng, void *out, size_t bytes);
int __wrap_rng_bytes(struct rng *rng, void *out, size_t bytes)
{
    return strikes(0) ? UF_ERANDOM : __real_rng_bytes(rng, out, bytes);
}

struct fixture {
    const char *spec;
    const uf_filter *exact; /* to be released; NULL: build from the keys */
    struct keys keys;
    uf_context ctx;
    uf_filter *out;
    uf_error why;
};

static int run(struct fixture *fixture)
{
    uf_spec spec = spec_of(fixture->spec);
    if (fixture->exact)
        return uf_release(fixture->exact, &spec, &fixture->ctx, &fixture->out, &fixture->why);
    return uf_build(&spec, fixture->keys.key, fixture->keys.count, &fixture->ctx, &fixture->out, &fixture->why);
}

/* Returns how many calls failed before one attempt had none that did. */
static unsigned fail_each(struct fixture *fixture, int system)
{
    struct counting counting = {0};
    const uf_secret *secret = fixture->ctx.secret;
    unsigned threads = fixture->ctx.threads, failed = 0;
    plot.system = system;
    for (plot.at = 1;; plot.at += plot.at < 8 ? 1 : 11) {
        plot.seen = 0;
        fixture->ctx = counting_context(&counting);
        fixture->ctx.secret = secret;
        fixture->ctx.label = secret ? "spring" : NULL;
        fixture->ctx.threads = threads;
        fixture->out = NULL;
        int status = run(fixture), fired = plot.seen >= plot.at;
        assert_that(status == (fired ? UF_ERANDOM : UF_OK), "%s gave %d when draw %u of %u failed", fixture->spec,
                    status, plot.at, plot.seen);
        assert_true((fixture->out == NULL) == fired &&
                    (!fired || (fixture->why.status == UF_ERANDOM && fixture->why.text[0])));
        uf_free(fixture->out);
        assert_true(counting_is_clean(&counting));
        if (!fired)
            break;
        failed++;
    }
    plot.at = 0;
    return failed;
}

static void test_no_filter_without_coins(void **state)
{
    static const struct uf_secret secret = {{7}};
    static const struct {
        const char *spec;
        int release;
    } cases[] = {
        {"dpset:n=3000,epsilon=3", 0},
        {"dpset:n=140000,epsilon=3,variant=integer", 0}, /* four shards */
        {"dpset:epsilon=3,count_epsilon=1", 0},
        {"ultra:n=3000,epsilon=3", 0},
        {"ultra:n=200000,epsilon=3,bits_per_key=6", 0}, /* several chunks of noise */
        {"ultra:epsilon=3,count_epsilon=1,mechanism=published", 0},
        {"ultra:epsilon=3", 1},
    };
    uf_spec spec = spec_of("bloom:n=3000");
    struct keys keys = keys_make("key", 3000);
    uf_filter *exact;
    (void)state;
    assert_status(UF_OK, uf_build(&spec, keys.key, keys.count, NULL, &exact, NULL), NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned threads = 1; threads <= 2; threads++)
            for (int keyed = 0; keyed < 2; keyed++) {
                struct fixture fixture = {
                    .spec = cases[i].spec, .exact = cases[i].release ? exact : NULL, .keys = keys};
                fixture.ctx.threads = threads;
                fixture.ctx.secret = keyed ? &secret : NULL;
                assert_true(fail_each(&fixture, 0) >= 2);
                unsigned asked = fail_each(&fixture, 1);
                assert_that(keyed ? asked == 0 : asked >= 1, "%s asked the system %u times", cases[i].spec, asked);
            }
    uf_free(exact);
    keys_free(&keys);
}

/* ---- one text ---- */

static uf_spec text_of(const char *request)
{
    struct spec spec;
    const struct filter_ops *ops;
    uf_spec text;
    uf_error why;
    assert_status(UF_OK, spec_read(request, &spec, &ops, &why), &why);
    assert_status(UF_OK, coin_source_text(ops, &spec, &text), NULL);
    return text;
}

static void test_one_text_for_all_spellings(void **state)
{
    static const char *const same[][2] = {
        {"dpset:n=1e6,epsilon=3", "dpset:epsilon=3,n=1000000"},
        {"dpset:n=1000,epsilon=0.5,variant=dyadic", "dpset:n=1e3,epsilon=5e-1,variant=dyadic,slack=0.12"},
        {"dpset:n=1000,epsilon=3", "dpset:n=1000,epsilon=3,seed=0x7"},
        {"dpset:n=1000,epsilon=3,columns=12,accept=195", "dpset:accept=195,n=1000,columns=12.0,epsilon=3.00"},
        {"dpset:epsilon=3,count_epsilon=0.1", "dpset:count_epsilon=1e-1,epsilon=3.0"},
        {"ultra:n=1000,epsilon=3", "ultra:n=1000,epsilon=3,bits_per_key=16,mechanism=rr,hashes=true"},
        {"ultra:n=1000,epsilon=3", "ultra:n=1000,epsilon=3,bits=16000,k=1,t=1"},
        {"ultra:n=1000,epsilon=3,mechanism=published,hashes=paper",
         "ultra:hashes=paper,k=10,mechanism=published,n=1000,epsilon=3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        uf_spec one = text_of(same[i][0]), other = text_of(same[i][1]);
        assert_string_equal(one.text, other.text);
        uf_spec again = text_of(one.text); /* a text is its own text */
        assert_string_equal(one.text, again.text);
    }
}

/* Coins must not be shared by filters that differ in anything. */
static void test_another_text_for_other_parameters(void **state)
{
    static const char *const other[][2] = {
        {"dpset:n=1000,epsilon=3", "dpset:n=1001,epsilon=3"},
        {"dpset:n=1000,epsilon=3", "dpset:n=1000,epsilon=3.0000000001"},
        {"dpset:n=1000,epsilon=3", "dpset:n=1000,epsilon=3,variant=integer"},
        {"dpset:n=1000,epsilon=3", "dpset:n=1000,epsilon=3,slack=0.13"},
        {"dpset:n=1000,epsilon=3", "dpset:n=1000,epsilon=3,columns=12,accept=196"},
        {"dpset:epsilon=3,count_epsilon=0.1", "dpset:epsilon=3,count_epsilon=0.2"},
        {"dpset:epsilon=3,count_epsilon=0.1", "dpset:epsilon=3,count_epsilon=0.1,bits_per_key=7"},
        {"ultra:epsilon=3,count_epsilon=0.1,bits_per_key=8", "ultra:epsilon=3,count_epsilon=0.1,bits_per_key=16"},
        {"ultra:n=1000,epsilon=3", "ultra:n=1000,epsilon=3,mechanism=published"},
        {"ultra:n=1000,epsilon=3,k=4,t=2", "ultra:n=1000,epsilon=3,k=4,t=3"},
        {"ultra:n=1000,epsilon=3", "dpset:n=1000,epsilon=3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        uf_spec one = text_of(other[i][0]), two = text_of(other[i][1]);
        assert_string_not_equal(one.text, two.text);
    }
}

/* ---- the stream ---- */

/* One bit of the secret, the label, the text, the seed, the digest or the kind's word changes all of the stream. */
static void test_stream_follows_from_all_of_it(void **state)
{
    struct uf_secret secret[2] = {{{1}}, {{2}}};
    uf_spec text[2] = {{"dpset:n=1"}, {"dpset:n=2"}};
    unsigned char digest[2][32] = {{0}, {1}}, drawn[64][32];
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        const struct filter_ops ops = {.coins = i & 32 ? "coins" : "coins 2"};
        uf_context ctx = UF_CONTEXT_INIT;
        struct coin_source coins;
        ctx.secret = &secret[i & 1];
        ctx.label = i & 16 ? "spring" : "autumn";
        assert_status(UF_OK, coin_source_open(&coins, &ctx, &ops, &text[i >> 1 & 1], i >> 2 & 1, digest[i >> 3 & 1]),
                      NULL);
        assert_int_equal(coins.ctx.random(coins.ctx.random_arg, drawn[i], 32), 0);
        coin_source_close(&coins);
        for (unsigned j = 0; j < i; j++)
            assert_memory_not_equal(drawn[i], drawn[j], 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_filter_without_coins),
        cmocka_unit_test(test_one_text_for_all_spellings),
        cmocka_unit_test(test_another_text_for_other_parameters),
        cmocka_unit_test(test_stream_follows_from_all_of_it),
    };
    return cmocka_run_group_tests_name("coins", tests, NULL, NULL);
}
