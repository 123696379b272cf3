/* SPDX-License-Identifier: MIT */
/*
 * kinds bloom and blocked, and those that remove: a key has k distinct positions whatever its hash. Hashes that
 * collapse other filters (all zeros, all ones, equal halves, single bits) are put in through the inner operations, past
 * the hash function, and on every way into the filter: one writer, many writers, scattered by place, each instruction
 * set.
 */
#include <math.h>
#include <stdio.h>

#include "table.h"
#include "context.h"
#include "bits.h"
#include "check.h"
#include "cpu.h"
#include "filter.h"
#include "paths.h"
#include "random.h"
#include "scatter.h"

/* An empty filter of a plan. Freed with uf_free. */
static uf_filter *empty_filter(const char *text, int cpu)
{
    uf_context request = UF_CONTEXT_INIT, ctx;
    struct spec spec;
    const struct filter_ops *ops;
    uf_filter *filter;
    request.cpu = cpu;
    assert_status(UF_OK, context_read(&request, &ctx, NULL), NULL);
    assert_status(UF_OK, spec_read(text, &spec, &ops, NULL), NULL);
    assert_status(UF_OK, ops->plan(ops, &spec, NULL), NULL);
    assert_status(UF_OK, filter_new(ops, &ctx, &filter, NULL), NULL);
    assert_status(UF_OK, ops->shape(filter, &spec, NULL), NULL);
    assert_status(UF_OK, filter_allocate(filter, NULL), NULL);
    if (ops->bind)
        ops->bind(filter);
    return filter;
}

/* Crafted hashes: the pairs of these values, each single bit, and some random ones. */
static size_t crafted(struct hash128 *out)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   UINT64_MAX,
                                   UINT64_MAX - 1,
                                   UINT64_C(1) << 63,
                                   UINT32_MAX,
                                   UINT64_C(0xffffffff00000000),
                                   UINT64_C(0x5555555555555555)};
    size_t count = 0;
    uint64_t seed = 9;
    for (size_t i = 0; i < 9; i++)
        for (size_t j = 0; j < 9; j++)
            out[count++] = (struct hash128){odd[i], odd[j]};
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t one = UINT64_C(1) << bit;
        out[count++] = (struct hash128){one, 0};
        out[count++] = (struct hash128){0, one};
        out[count++] = (struct hash128){one, one};
        out[count++] = (struct hash128){~one, 0 - one};
    }
    for (int i = 0; i < 100; i++)
        out[count++] = (struct hash128){next_random(&seed), next_random(&seed)};
    return count;
}

enum { CRAFTED = 81 + 256 + 100 };

enum way { ONE_WRITER, MANY_WRITERS, SCATTERED, WAYS };

static void never_full(void *ctx, unsigned group)
{
    (void)ctx, (void)group;
    abort();
}

/* As a builder with several threads does it: items first, all in one group here, and applied later. */
static void insert_scattered(uf_filter *filter, struct hash_source *source)
{
    static struct item items[SCATTER_CAPACITY];
    uint32_t used = 0;
    const struct scatter scatter = {items, &used, 63, never_full, NULL};
    filter->ops->scatter(filter, source, 1, &scatter);
    for (uint32_t i = 0; i < used; i++)
        assert_true(items[i].place < filter->ops->places(filter));
    filter->calls.apply(filter, items, used);
}

static void insert(uf_filter *filter, struct hash128 hash, enum way way)
{
    struct hash_source source = source_of_hashes(&hash);
    if (way == ONE_WRITER)
        filter->calls.add_many(filter, &source, 1, NULL);
    else if (way == MANY_WRITERS)
        filter->ops->add_shared(filter, &source, 1, NULL);
    else
        insert_scattered(filter, &source);
}

static int answer(const uf_filter *filter, struct hash128 hash)
{
    struct hash_source source = source_of_hashes(&hash);
    uint8_t many = 2;
    int one = filter->calls.query(filter, hash);
    filter->calls.query_many(filter, &source, 1, &many);
    assert_int_equal(one, many);
    return one;
}

static void check_k_bits(const char *plan, unsigned k, int cpu)
{
    struct hash128 hashes[CRAFTED];
    uf_filter *filter = empty_filter(plan, cpu), *other = empty_filter(plan, UF_CPU_SCALAR);
    assert_int_equal(crafted(hashes), CRAFTED);
    for (size_t i = 0; i < CRAFTED; i++)
        for (enum way way = 0; way < WAYS; way++) {
            size_t bytes = filter->word_count * 8;
            memset(filter->words, 0, bytes);
            memset(other->words, 0, bytes);
            assert_int_equal(answer(filter, hashes[i]), 0);
            insert(filter, hashes[i], way);
            insert(other, hashes[i], ONE_WRITER);
            assert_that(bits_count(filter->words, filter->word_count) == k, "%s: hash %zu sets %llu bits", plan, i,
                        (unsigned long long)bits_count(filter->words, filter->word_count));
            assert_int_equal(answer(filter, hashes[i]), 1);
            assert_memory_equal(filter->words, other->words, bytes); /* the scalar way is the specification */
        }
    uf_free(filter);
    uf_free(other);
}

static void test_bloom(void **state)
{
    (void)state;
    check_k_bits("bloom:n=1000,bits=10000,k=1", 1, UF_CPU_AUTO);
    check_k_bits("bloom:n=1000,bits=10000,k=7", 7, UF_CPU_AUTO);
    check_k_bits("bloom:n=1000,bits=10000,k=64", 64, UF_CPU_AUTO);
    check_k_bits("bloom:n=1,bits=64,k=64", 64, UF_CPU_AUTO);   /* partitions of one bit */
    check_k_bits("bloom:n=1,bits=4160,k=64", 64, UF_CPU_AUTO); /* of 65 bits: two words each */
    check_k_bits("bloom:n=5000,fpr=1e-6", 20, UF_CPU_AUTO);
}

/* Counters that count one, flags that are down, tombstones that are not there: one key is k bits. */
static void test_kinds_that_remove(void **state)
{
    (void)state;
    check_k_bits("counting:n=1000,bits=40000,k=1", 1, UF_CPU_AUTO);
    check_k_bits("counting:n=1000,bits=40000,k=7", 7, UF_CPU_AUTO);
    check_k_bits("counting:n=1,bits=256,k=64", 64, UF_CPU_AUTO);  /* partitions of one counter */
    check_k_bits("counting:n=1,bits=4352,k=64", 64, UF_CPU_AUTO); /* of 17: two words each */
    check_k_bits("deletable:n=1000,bits=10000,k=7,region=1", 7, UF_CPU_AUTO);
    check_k_bits("deletable:n=1000,bits=10000,k=10,region=3", 10, UF_CPU_AUTO);
    check_k_bits("deletable:n=1,bits=4160,k=64,region=64", 64, UF_CPU_AUTO);
    check_k_bits("tombstone:n=1000,bits=20000,k=7,removed_bits=10000", 7, UF_CPU_AUTO);
}

/* Takes a key out, and says what became of it. */
static int take(uf_filter *filter, struct hash128 hash)
{
    struct hash_source source = source_of_hashes(&hash);
    signed char verdict = 1;
    filter->ops->remove_many(filter, &source, 1, &verdict);
    return verdict;
}

/* A key inserted twice raises the flag number at / region of each of its bits, in narrow partitions and in wide ones,
 * and on every way in. A key inserted once and taken out leaves nothing. */
static void check_flags(const char *plan, unsigned k, unsigned region, size_t hashes)
{
    struct hash128 crafty[CRAFTED];
    uf_filter *filter = empty_filter(plan, UF_CPU_AUTO);
    size_t flags = (size_t)filter->ops->places(filter), bits = filter->word_count - flags, each = bits / k;
    assert_int_equal(crafted(crafty), CRAFTED);
    for (size_t i = CRAFTED - hashes; i < CRAFTED; i++) {
        enum way way = (enum way)(i % WAYS);
        memset(filter->words, 0, filter->word_count * 8);
        insert(filter, crafty[i], way);
        assert_int_equal(take(filter, crafty[i]), UF_OK);
        assert_int_equal(bits_count(filter->words, filter->word_count), 0);
        assert_int_equal(take(filter, crafty[i]), UF_EABSENT);
        insert(filter, crafty[i], way);
        insert(filter, crafty[i], way);
        assert_int_equal(take(filter, crafty[i]), UF_ESTUCK);
        assert_int_equal(bits_count(filter->words, bits), k);
        assert_int_equal(bits_count(filter->words + bits, flags), k);
        for (size_t w = 0; w < bits; w++)
            if (filter->words[w]) {
                uint64_t at = w % each * 64 + (unsigned)__builtin_ctzll(filter->words[w]);
                const uint64_t *partition = filter->words + bits + w / each * (flags / k);
                assert_true(partition[at / region / 64] >> at / region % 64 & 1);
            }
    }
    uf_free(filter);
}

static void test_flags(void **state)
{
    char plan[100];
    (void)state;
    for (unsigned region = 1; region <= 64; region++) {
        (void)snprintf(plan, sizeof plan, "deletable:n=100,bits=%u,k=7,region=%u", 7 * 20 * (region + 1), region);
        check_flags(plan, 7, region, CRAFTED);
    }
    check_flags("deletable:n=100,bits=402653184,k=1,region=3", 1, 3, 3); /* 301989888 bits: more than 2^28 */
}

/* How many different lo + i * (hi | 1) there are. */
static size_t different_arguments(const struct hash128 *hashes, uint64_t i)
{
    size_t different = 0;
    for (size_t a = 0; a < CRAFTED; a++) {
        size_t b = 0;
        while (b < a && hashes[b].lo + i * (hashes[b].hi | 1) != hashes[a].lo + i * (hashes[a].hi | 1))
            b++;
        different += a == b;
    }
    return different;
}

/* Partitions of 2^28 bits and more take their positions from other bits of the hash. Two of 2^28 are 64 MiB; each way
 * in makes the same array, with two bits for each of the crafted hashes, and each way to ask finds them. */
static void test_wide_partitions(void **state)
{
    static const char plan[] = "bloom:n=1000,bits=536870912,k=2";
    struct hash128 hashes[CRAFTED];
    uf_filter *filter[WAYS];
    (void)state;
    assert_int_equal(crafted(hashes), CRAFTED);
    for (enum way way = 0; way < WAYS; way++) {
        filter[way] = empty_filter(plan, UF_CPU_AUTO);
        for (size_t i = 0; i < CRAFTED; i++)
            insert(filter[way], hashes[i], way);
        for (size_t i = 0; i < CRAFTED; i++)
            assert_int_equal(answer(filter[way], hashes[i]), 1);
        assert_memory_equal(filter[way]->words, filter[0]->words, filter[0]->word_count * 8);
    }
    size_t half = filter[0]->word_count / 2;
    uint64_t lower = bits_count(filter[0]->words, half), upper = bits_count(filter[0]->words + half, half);
    /* One bit for every argument of the scramble; that two of them meet in 2^28 bits is unlikely. */
    assert_int_equal(lower, different_arguments(hashes, 0));
    assert_int_equal(upper, different_arguments(hashes, 1));
    for (enum way way = 0; way < WAYS; way++)
        uf_free(filter[way]);
}

static void test_blocked(void **state)
{
    (void)state;
    for (int cpu = UF_CPU_SCALAR; cpu <= LAST_PATH; cpu++) {
        if (cpu_choose(cpu) < 0) {
            print_message("skipped: this machine has no %s\n", path_name(cpu));
            continue;
        }
        check_k_bits("blocked:n=1,bits=512,k=8", 8, cpu);
        check_k_bits("blocked:n=1,bits=512,k=16", 16, cpu);
        check_k_bits("blocked:n=1000,bits=51200,k=8", 8, cpu);
        check_k_bits("blocked:n=1000,bits=51200,k=16", 16, cpu);
    }
}

/* Each position is used evenly: one bit of every lane or partition per key, 64 000 random hashes, and the counts of
 * all bits within 6 sigma of their mean. */
static void check_even(const char *plan, double bits, unsigned k)
{
    enum { HASHES = 64000 };
    uint64_t seed = 10;
    uf_filter *filter = empty_filter(plan, UF_CPU_AUTO);
    unsigned *hits = calloc(filter->word_count * 64, sizeof *hits);
    double mean = HASHES * k / bits;
    size_t used = 0;
    assert_non_null(hits);
    for (int i = 0; i < HASHES; i++) {
        memset(filter->words, 0, filter->word_count * 8);
        insert(filter, (struct hash128){next_random(&seed), next_random(&seed)}, ONE_WRITER);
        for (size_t w = 0; w < filter->word_count; w++)
            for (uint64_t word = filter->words[w]; word; word &= word - 1)
                hits[64 * w + (size_t)__builtin_ctzll(word)]++;
    }
    for (size_t bit = 0; bit < filter->word_count * 64; bit++) {
        used += hits[bit] > 0;
        assert_that(!hits[bit] || fabs(hits[bit] - mean) < 6 * sqrt(mean), "%s: bit %zu was set %u times, mean %g",
                    plan, bit, hits[bit], mean);
    }
    assert_true((double)used == bits);
    free(hits);
    uf_free(filter);
}

static void test_positions_are_even(void **state)
{
    (void)state;
    check_even("bloom:n=100,bits=700,k=7", 700, 7);
    check_even("bloom:n=10,bits=640,k=64", 640, 64);
    check_even("blocked:n=1,bits=1024,k=8", 1024, 8);
    check_even("blocked:n=1,bits=1024,k=16", 1024, 16);
}

/*
 * Blind forgery (threats.md A5): in a filter that is half full, hashes with one crafted half must be accepted at
 * fill^k, not at the fill. 200 000 of them, half with hi = 0, half with hi = lo. The control is the scheme that A5
 * broke, (lo + i * hi) mod m, on the same words: with hi = 0 it accepts at the fill, whatever k is.
 */
static int broken_scheme(const uf_filter *filter, struct hash128 hash, unsigned k)
{
    uint64_t all = 1;
    for (unsigned i = 0; i < k; i++) {
        uint64_t at = (hash.lo + i * hash.hi) % (filter->word_count * 64);
        all &= filter->words[at / 64] >> at % 64;
    }
    return (int)(all & 1);
}

static void check_forgery(const char *plan, unsigned k)
{
    enum { TRIES = 200000 };
    uint64_t seed = 11;
    uf_filter *filter = empty_filter(plan, UF_CPU_AUTO);
    double accepted = 0, control = 0, expected = pow(0.5, k), sigma = sqrt(expected * (1 - expected) / TRIES);
    for (size_t i = 0; i < filter->word_count; i++)
        filter->words[i] = next_random(&seed); /* half of all bits */
    for (int i = 0; i < TRIES; i++) {
        uint64_t word = next_random(&seed);
        accepted += answer(filter, (struct hash128){word, i % 2 ? 0 : word});
        control += broken_scheme(filter, (struct hash128){word, 0}, k);
    }
    print_message("%s: forged %.5f of %d, expected %.5f +- %.5f; the control %.3f\n", plan, accepted / TRIES, TRIES,
                  expected, sigma, control / TRIES);
    assert_true(fabs(accepted / TRIES - expected) < 3 * sigma + 0.02 * expected); /* the fill is a sample too */
    assert_true(fabs(control / TRIES - 0.5) < 0.01);
    uf_free(filter);
}

static void test_blind_forgery(void **state)
{
    (void)state;
    check_forgery("bloom:n=100000,bits=716800,k=7", 7); /* 102400 bits a partition: whole words */
    check_forgery("bloom:n=100000,bits=204800,k=2", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bloom),         cmocka_unit_test(test_wide_partitions),
        cmocka_unit_test(test_blocked),       cmocka_unit_test(test_kinds_that_remove),
        cmocka_unit_test(test_flags),         cmocka_unit_test(test_positions_are_even),
        cmocka_unit_test(test_blind_forgery),
    };
    return cmocka_run_group_tests_name("positions", tests, NULL, NULL);
}
