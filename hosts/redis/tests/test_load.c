/* SPDX-License-Identifier: MIT */
/*
 * The type's load path with payloads that were altered at random: a value that answers, or none, and nothing else. Run
 * by make test with the sanitizers; UF_TEST_FULL=1: a million payloads.
 */
#include <stdlib.h>

#include "check.h"
#include "items.h"
#include "master_keys.h"
#include "standin.h"
#include "type.h"

enum { ITEMS = 200 };

static const char *const specs[] = {
    "bloom:n=500,fpr=0.01",    "blocked:n=64,fpr=0.05,full=scale",   "counting:n=100,fpr=0.1,full=refuse",
    "deletable:n=100,fpr=0.1", "tombstone:n=100,fpr=0.1,removed=50", "blocked:n=100,fpr=0.1,window=3",
};

enum { SPECS = sizeof specs / sizeof specs[0] };

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* What a server would save. */
static RedisModuleIO payload_of(const char *text)
{
    uf_context ctx = keys_context();
    RedisModuleIO io = {.bytes = NULL};
    struct value *value = value_new();
    uf_filter *filter = NULL;
    uf_spec spec;
    uf_error why;
    assert_status(UF_OK, uf_spec_parse(text, &spec, &why), &why);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, &ctx, &filter, &why), &why);
    for (uint64_t i = 0; i < ITEMS; i++)
        (void)uf_insert(filter, (uf_key){&i, sizeof i}, NULL);
    assert_status(UF_OK, value_add_level(value, filter), NULL);
    type_save(&io, value);
    value_release(value);
    return io;
}

/* Everything that a client could do to a value that loaded. */
static void use(struct value *value)
{
    uf_digest digest = {{1, 2, 3}};
    uint64_t key = 3;
    (void)value_memory(value);
    (void)value_capacity(value);
    (void)uf_query(value->filter[0], (uf_key){&key, sizeof key});
    (void)items_apply(value, &digest, 1, NULL);
    (void)items_unapply(value, &digest, 1, NULL);
}

static void alter(RedisModuleIO *io, uint64_t *state)
{
    for (uint64_t times = 1 + draw(state) % 4; times; times--) {
        size_t end = draw(state) % 2 ? 400 : io->count;
        io->bytes[draw(state) % (end < io->count ? end : io->count)] = (unsigned char)draw(state);
    }
    if (draw(state) % 8 == 0)
        io->count = draw(state) % io->count;
}

static void test_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        RedisModuleIO io = payload_of(specs[i]);
        struct value *value = type_load(&io, TYPE_VERSION);
        assert_non_null(value);
        use(value);
        value_release(value);
        standin_free(&io);
    }
}

static void test_altered(void **state)
{
    (void)state;
    const char *full = getenv("UF_TEST_FULL");
    uint64_t rounds = full && *full == '1' ? 1000000 : 3000, seed = 88172645463325252u, loaded = 0;
    RedisModuleIO whole[SPECS];
    for (size_t i = 0; i < SPECS; i++)
        whole[i] = payload_of(specs[i]);
    for (uint64_t i = 0; i < rounds; i++) {
        const RedisModuleIO *from = &whole[i % SPECS];
        RedisModuleIO io = {.bytes = malloc(from->count), .count = from->count};
        memcpy(io.bytes, from->bytes, from->count);
        alter(&io, &seed);
        struct value *value = type_load(&io, TYPE_VERSION);
        loaded += value != NULL;
        if (value)
            use(value);
        value_release(value);
        standin_free(&io);
    }
    for (size_t i = 0; i < SPECS; i++)
        standin_free(&whole[i]);
    assert_true(loaded < rounds / 2); /* figures, which nothing checks, may be any */
}

/* Every length, and every length that a string claims. */
static void test_cut(void **state)
{
    (void)state;
    RedisModuleIO whole = payload_of(specs[0]);
    for (size_t count = 0; count < whole.count; count += count < 300 ? 1 : 97) {
        RedisModuleIO io = {.bytes = malloc(count + 1), .count = count};
        memcpy(io.bytes, whole.bytes, count);
        assert_null(type_load(&io, TYPE_VERSION));
        standin_free(&io);
    }
    assert_null(type_load(&whole, TYPE_VERSION + 1));
    standin_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_altered),
                                       cmocka_unit_test(test_cut)};
    standin_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
