/* SPDX-License-Identifier: MIT */
/*
 * crypto/sample and crypto/lanes: a lane is 1 exactly when the bits that were drawn for it are below those of T, each
 * bit is drawn for one lane, and how many are drawn follows from T and the words alone: all of it against a model that
 * looks at one lane after the other. Rates of many draws and of pairs, with controls that must fail; and a failing
 * source is never papered over. rng_bytes is replaced here, so that a test can say which words come.
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "random.h"
#include "arith.h"
#include "lanes_ways.h"
#include "sample.h"
#include "wire.h"

/* ---- a source that the test decides ---- */

enum { BATCH = sizeof((struct sampler *)0)->word / sizeof(uint64_t) };

static struct {
    const uint64_t *script; /* these words first ... */
    size_t length;
    uint64_t state; /* ... then those of a seed */
    size_t calls;
    const uint64_t *near; /* numbers whose bits are mostly those of this T */
    size_t fails_at;      /* this call fails, counted from 1, and the next one in another way; 0: none */
    int broken;           /* every call fails */
} source;

static void start_source(const uint64_t *script, size_t length, uint64_t seed)
{
    source.script = script;
    source.length = length;
    source.state = seed;
    source.calls = source.fails_at = 0;
    source.near = NULL;
    source.broken = 0;
}

/* The words of a seed again, for the one who checks. */
static uint64_t next_word(void)
{
    if (!source.length)
        return next_random(&source.state);
    source.length--;
    return *source.script++;
}

/* Words that keep lanes open. Those of the first call are bits 63 to 60 of all words, then 59 to 56 of carriers:
 * an eighth of them differ from T's. Later ones are bytes or the rest of a number: T's there, or next to it. */
static uint64_t next_near(size_t index, size_t count)
{
    uint64_t t = *source.near, random = next_random(&source.state);
    const size_t first = 4 * LANES_STEP;
    size_t bit = index < first ? index / LANES_STEP : 4 + (index - first) / ((count - first) / 4);
    if (source.calls == 1)
        return (0 - (t >> (63 - bit) & 1)) ^ (random & next_random(&source.state) & next_random(&source.state));
    switch (random % 8) {
    case 0:
        return random;
    case 1:
        return (t << 4 >> 56) * UINT64_C(0x0101010101010101);
    case 2:
        return (t << 8 >> 56) * UINT64_C(0x0101010101010101);
    default:
        return (t << (random % 16 < 8 ? 12 : 16)) + (random >> 8) % 3 - 1;
    }
}

int __wrap_rng_bytes(struct rng *rng, void *out, size_t bytes);
int __wrap_rng_bytes(struct rng *rng, void *out, size_t bytes)
{
    struct writer writer = {out, bytes, 0};
    (void)rng;
    source.calls++;
    if (source.broken || source.calls == source.fails_at)
        return UF_ERANDOM;
    if (source.fails_at && source.calls == source.fails_at + 1)
        return UF_EIO;
    for (size_t i = 0; i < bytes / 8; i++)
        write_uint(&writer, source.near ? next_near(i, bytes / 8) : next_word(), 8);
    return UF_OK;
}

static struct sampler *begin(const uint64_t *script, size_t length, uint64_t seed)
{
    static struct sampler sampler;
    start_source(script, length, seed);
    sampler_start(&sampler, NULL);
    return &sampler;
}

/* ---- exactness ---- */

static const uint64_t thresholds[] = {0,
                                      1,
                                      2,
                                      UINT64_C(1) << 63,
                                      (UINT64_C(1) << 63) - 1,
                                      (UINT64_C(1) << 63) + 1,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      UINT64_C(0x44d921f5b5a4cd0c),
                                      UINT64_C(0x5555555555555555)};

enum { THRESHOLDS = sizeof thresholds / sizeof thresholds[0] };

/* ---- the model ---- */

enum { MOST_WORDS = 300, STEP = 256, SHARERS = 16 };

/* What was drawn for a lane, highest bit first. */
struct lane {
    unsigned char bit[80];
    unsigned bits;
};

/* Draws as the sampler does: in runs, or from its buffer. */
struct model {
    uint64_t threshold;
    uint64_t buffer[BATCH];
    size_t next;
    struct bytes {
        uint64_t word;
        unsigned left;
    } bytes;
    size_t alone, tied; /* lanes that were decided one by one, and by more than a byte */
};

static void draw_words(uint64_t *out, size_t words)
{
    unsigned char bytes[8];
    unsigned char *all = malloc(8 * words);
    assert_non_null(all);
    (void)__wrap_rng_bytes(NULL, all, 8 * words);
    for (size_t i = 0; i < words; i++) {
        memcpy(bytes, all + 8 * i, 8);
        struct reader reader = {bytes, 8, 0};
        out[i] = read_uint(&reader, 8);
    }
    free(all);
}

static uint64_t model_u64(struct model *model)
{
    if (model->next == BATCH) {
        draw_words(model->buffer, BATCH);
        model->next = 0;
    }
    return model->buffer[model->next++];
}

static void add_bits(struct lane *lane, uint64_t value, unsigned bits)
{
    while (bits)
        lane->bit[lane->bits++] = (unsigned char)(value >> --bits & 1);
}

/* 1: the bits are below those of T, 0: above, -1: those so far are T's. T's bits past the 64th are zeros. */
static int verdict(const struct lane *lane, uint64_t threshold)
{
    for (unsigned i = 0; i < lane->bits; i++) {
        unsigned bit = i < 64 ? threshold >> (63 - i) & 1 : 0;
        if (lane->bit[i] != bit)
            return lane->bit[i] < bit;
    }
    return lane->bits >= 64 ? 0 : -1;
}

static int is_open(const struct lane *lane, uint64_t threshold)
{
    return verdict(lane, threshold) < 0;
}

static void model_alone(struct model *model, struct lane *lane)
{
    if (!model->bytes.left)
        model->bytes = (struct bytes){model_u64(model), 8};
    add_bits(lane, model->bytes.word & 0xff, 8);
    model->bytes.word >>= 8;
    model->bytes.left--;
    model->alone++;
    if (!is_open(lane, model->threshold))
        return;
    add_bits(lane, model_u64(model), 64);
    model->tied++;
}

/* lane[i] has the 64 lanes of word i, by pointer; NULL where no lane needs that bit. */
typedef struct lane *row[64];

static void model_planes(row *lane, size_t words, const uint64_t *drawn)
{
    for (size_t i = 0; i < words; i++)
        for (unsigned at = 0; at < 64; at++)
            for (unsigned j = 0; j < 4 && lane[i][at]; j++)
                add_bits(lane[i][at], drawn[j * words + i] >> at & 1, 1);
}

/* 64 words at a time, the first open lane of each, then again. */
static void model_finish(struct model *model, row *lane, size_t words)
{
    model->bytes.left = 0;
    for (size_t from = 0; from < words; from += 64)
        for (int found = 1; found;) {
            found = 0;
            for (size_t i = from; i < from + 64 && i < words; i++)
                for (unsigned at = 0; at < 64; at++)
                    if (lane[i][at] && is_open(lane[i][at], model->threshold)) {
                        model_alone(model, lane[i][at]);
                        found = 1;
                        break;
                    }
        }
}

static void model_step(struct model *model, uint64_t *out, const size_t words)
{
    static struct lane lane[STEP][64];
    static row all[STEP], carrier[2 * STEP / SHARERS];
    static uint64_t drawn[4 * (STEP + 2 * STEP / SHARERS)];
    size_t columns = (words + SHARERS - 1) / SHARERS;
    draw_words(drawn, 4 * (words + 2 * columns));
    memset(lane, 0, sizeof lane);
    memset(carrier, 0, sizeof carrier);
    for (size_t i = 0; i < words; i++)
        for (unsigned at = 0; at < 64; at++)
            all[i][at] = &lane[i][at];
    model_planes(all, words, drawn);
    for (size_t i = 0; i < words; i++)
        for (unsigned at = 0; at < 64; at++) {
            struct lane **first = &carrier[i % columns][at], **second = &carrier[columns + i % columns][at];
            if (is_open(&lane[i][at], model->threshold))
                *(*first ? second : first) = *first && *second ? *second : &lane[i][at];
        }
    model_planes(carrier, 2 * columns, drawn + 4 * words);
    model_finish(model, carrier, 2 * columns);
    model_finish(model, all, words);
    for (size_t i = 0; i < words; i++) {
        out[i] = 0;
        for (unsigned at = 0; at < 64; at++) {
            assert_false(is_open(&lane[i][at], model->threshold));
            out[i] |= (uint64_t)verdict(&lane[i][at], model->threshold) << at;
        }
    }
}

static void model_fill(struct model *model, uint64_t *out, size_t words)
{
    static uint64_t step[STEP];
    for (size_t i = 0; i < words; i += STEP) {
        model_step(model, step, STEP);
        memcpy(out + i, step, 8 * (words - i < STEP ? words - i : STEP));
    }
}

static const size_t sizes[] = {1, 255, 256, MOST_WORDS};

/* The words and the number behind them, from any words and from those that keep lanes open as long as there are any. */
static void compare_with_model(struct model *model, uint64_t threshold, size_t words, uint64_t seed, int near)
{
    static uint64_t want[MOST_WORDS], got[MOST_WORDS];
    struct sampler *sampler = begin(NULL, 0, seed);
    source.near = near ? &threshold : NULL;
    sample_fill(sampler, threshold, got, words);
    uint64_t next = sample_u64(sampler);
    start_source(NULL, 0, seed);
    source.near = near ? &threshold : NULL;
    model->threshold = threshold;
    model->next = BATCH;
    model_fill(model, want, words);
    for (size_t i = 0; i < words; i++)
        assert_that(got[i] == want[i], "T = %llx, word %zu of %zu: lanes %llx are wrong", (unsigned long long)threshold,
                    i, words, (unsigned long long)(got[i] ^ want[i]));
    assert_true(model_u64(model) == next);
    assert_int_equal(sampler_end(sampler), UF_OK);
}

static void test_lanes_against_the_model(void **state)
{
    static struct model model;
    (void)state;
    for (size_t i = 0; i < THRESHOLDS; i++)
        compare_with_model(&model, thresholds[i], sizes[i % 4], i, 0);
    assert_true(model.alone > 1000 && model.tied > 1);
}

static void test_lanes_at_the_edge(void **state)
{
    static struct model model;
    (void)state;
    for (size_t i = 0; i < THRESHOLDS; i++)
        compare_with_model(&model, thresholds[i], sizes[i % 4], i, 1);
    assert_true(model.tied > 3000);
}

/* 4.6 words of the keystream for 64 lanes, give or take what is left in the buffer: 4 and a half, bytes for 0.6 lanes.
 */
static void test_words_drawn(void **state)
{
    enum { WORDS = 1 << 14 };
    static uint64_t out[WORDS];
    struct sampler *sampler = begin(NULL, 0, 99);
    (void)state;
    sample_fill(sampler, thresholds[8], out, WORDS);
    size_t runs = WORDS / STEP, batches = source.calls - runs;
    double drawn = 4 + 4 * 2.0 / SHARERS + (double)(batches * BATCH - (BATCH - sampler->next)) / WORDS;
    assert_that(drawn > 4.55 && drawn < 4.65, "%.3f words for 64 lanes", drawn);
    assert_int_equal(sampler_end(sampler), UF_OK);
}

static void test_coins_at_the_edge(void **state)
{
    (void)state;
    for (size_t i = 0; i < THRESHOLDS; i++) {
        uint64_t threshold = thresholds[i], words[] = {threshold - 1, threshold, threshold + 1, 0, UINT64_MAX};
        struct sampler *sampler = begin(words, 5, 0);
        for (size_t j = 0; j < 5; j++)
            assert_int_equal(sample_coin(sampler, threshold), words[j] < threshold);
    }
}

/* The number whose product with an odd `bound` has the lower half 1: Newton's iteration doubles the good bits. */
static uint64_t inverse(uint64_t bound)
{
    uint64_t x = bound;
    for (int i = 0; i < 6; i++)
        x *= 2 - bound * x;
    return x;
}

/* 2^64 mod bound draws are thrown away, those whose product has a lower half below it: no more and no fewer. */
static void test_below_throws_the_right_draws_away(void **state)
{
    static const uint64_t bounds[] = {3, 7, 389, 1000000007, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        uint64_t bound = bounds[i], thrown = (0 - bound) % bound;
        uint64_t last_bad = (thrown - 1) * inverse(bound), first_good = thrown * inverse(bound);
        uint64_t words[] = {0, last_bad, first_good, UINT64_MAX};
        struct sampler *sampler = begin(words, 4, 0);
        assert_true(sample_below(sampler, bound) == mul_high(first_good, bound));
        assert_true(sample_below(sampler, bound) == bound - 1);
    }
    uint64_t words[] = {0, 77};
    assert_true(sample_below(begin(words, 2, 0), UINT64_C(1) << 40) == 0); /* a power of two wastes nothing */
    assert_true(sample_below(begin(words, 2, 0), 1) == 0);
}

/* ---- rates ---- */

enum { ROUNDS = 20000 };

/* How far the number of ones among 64 * ROUNDS lanes (1 280 000) is from what `rate` lets expect, in standard
 * deviations; and, in *evenness, the chi-square of the 64 lanes against each other. */
static double deviation(uint64_t threshold, double rate, uint64_t seed, double *evenness)
{
    static uint64_t lanes[ROUNDS];
    double count[64] = {0}, total = 0, draws = 64.0 * ROUNDS;
    sample_fill(begin(NULL, 0, seed), threshold, lanes, ROUNDS);
    for (int i = 0; i < ROUNDS; i++)
        for (int lane = 0; lane < 64; lane++)
            count[lane] += (double)(lanes[i] >> lane & 1);
    for (int lane = 0; lane < 64; lane++)
        total += count[lane];
    double mean = total / 64;
    *evenness = 0;
    for (int lane = 0; lane < 64; lane++)
        *evenness += (count[lane] - mean) * (count[lane] - mean) / (mean * (1 - mean / ROUNDS));
    return fabs(total - draws * rate) / sqrt(draws * rate * (1 - rate));
}

/* Three standard deviations; 103.4 is the 99.9 % point of chi-square with 63 degrees of freedom. */
static void test_rates(void **state)
{
    static const double rates[] = {0.5, 0.26894142136999512, 0.1, 0.9, 0.001, 0.0474};
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double evenness, off = deviation((uint64_t)(rates[i] * 0x1p64), rates[i], i, &evenness);
        assert_that(off < 3 && evenness < 103.4, "rate %g: off by %.2f, lanes uneven by %.1f", rates[i], off, evenness);
    }
}

/* The control: a threshold that is 1 % too large is seen. */
static void test_a_wrong_rate_is_seen(void **state)
{
    double evenness;
    (void)state;
    assert_true(deviation((uint64_t)(0.27163 * 0x1p64), 0.26894, 1, &evenness) > 3);
    assert_true(deviation((uint64_t)(0.505 * 0x1p64), 0.5, 3, &evenness) > 3);
}

/* How far the number of pairs of ones is from what independent lanes let expect, in standard deviations: lanes at the
 * same position of words so far apart, in steps. `copied` of 2^64 lanes are the other's instead. */
static double pairs(uint64_t apart, uint64_t copied, uint64_t seed)
{
    enum { STEPS = 20 };
    static uint64_t lanes[STEP * STEPS];
    const double rate = 0.26894142136999512, both = rate * rate;
    double count = 0, draws = 64.0 * STEPS * (double)(STEP - apart);
    uint64_t random = seed;
    sample_fill(begin(NULL, 0, seed), (uint64_t)(rate * 0x1p64), lanes, STEP * STEPS);
    for (size_t i = 0; i < STEP * STEPS; i++)
        if (i % STEP + apart < STEP)
            for (unsigned at = 0; at < 64; at++) {
                uint64_t one = lanes[i] >> at & 1, other = lanes[i + apart] >> at & 1;
                if (copied && next_random(&random) < copied)
                    other = one;
                count += (double)(one & other);
            }
    return fabs(count - draws * both) / sqrt(draws * both * (1 - both) + 2 * draws * both * rate * (1 - rate));
}

/* Words 16 apart share carriers, in a step of 256 words. 307,200 pairs; three standard deviations. The control: one
 * lane in 20 that is decided by another one's bits. */
static void test_lanes_that_share_are_independent(void **state)
{
    static const uint64_t distances[] = {1, 16, 32, 48};
    (void)state;
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        double off = pairs(distances[i], 0, i + 1);
        assert_that(off < 3, "words %llu apart: pairs are off by %.2f", (unsigned long long)distances[i], off);
    }
    assert_true(pairs(16, UINT64_MAX / 20, 2) > 3);
}

typedef uint64_t draw(struct sampler *sampler, uint64_t bound);

/* The mistake that sample_below does not make. */
static uint64_t naive_below(struct sampler *sampler, uint64_t bound)
{
    return sample_u64(sampler) % bound;
}

/* Chi-square of 60 000 draws over `cells` equal parts of [0, bound). */
static double chi_square(draw *below, uint64_t bound, uint64_t cells)
{
    enum { DRAWS = 60000 };
    double count[16] = {0}, sum = 0, expected = (double)DRAWS / (double)cells;
    struct sampler *sampler = begin(NULL, 0, bound);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = below(sampler, bound);
        assert_true(value < bound);
        count[value / (bound / cells + (bound % cells != 0))]++;
    }
    for (uint64_t c = 0; c < cells; c++)
        sum += (count[c] - expected) * (count[c] - expected) / expected;
    return sum;
}

/* The 99.9 % points with 1, 2, 5 and 9 degrees of freedom are 10.8, 13.8, 20.5 and 27.9. */
static void test_below_is_uniform(void **state)
{
    (void)state;
    assert_true(chi_square(sample_below, 2, 2) < 10.8);
    assert_true(chi_square(sample_below, 3, 3) < 13.8);
    assert_true(chi_square(sample_below, 6, 6) < 20.5);
    assert_true(chi_square(sample_below, 10, 10) < 27.9);
    assert_true(chi_square(sample_below, UINT64_C(3) << 62, 3) < 13.8);
    assert_true(chi_square(sample_below, (UINT64_C(1) << 63) + 2, 2) < 10.8);
    assert_true(chi_square(naive_below, UINT64_C(3) << 62, 3) > 1000); /* the control */
}

/* ---- failures, and what is left behind ---- */

static void test_a_failure_is_kept(void **state)
{
    (void)state;
    for (size_t fails_at = 1; fails_at <= 3; fails_at++) {
        struct sampler *sampler = begin(NULL, 0, 5);
        source.fails_at = fails_at;
        for (size_t i = 0; i < 5 * BATCH; i++) /* later calls work again */
            (void)sample_u64(sampler);
        assert_int_equal(source.calls, 5);
        assert_int_equal(sampler_end(sampler), UF_ERANDOM);
    }
    struct sampler *sampler = begin(NULL, 0, 5);
    uint64_t lanes;
    sample_fill(sampler, 1, &lanes, 1);
    assert_int_equal(sampler_end(sampler), UF_OK); /* the control */
}

/* A source that never works leaves zeros, which sample_below would throw away for ever. */
static void test_no_endless_loop_without_randomness(void **state)
{
    struct sampler *sampler = begin(NULL, 0, 5);
    uint64_t lanes;
    (void)state;
    memset(sampler->word, 0, sizeof sampler->word);
    source.broken = 1;
    (void)sample_below(sampler, UINT64_C(3) << 62);
    sample_fill(sampler, UINT64_MAX, &lanes, 1);
    (void)sample_coin(sampler, 1);
    assert_int_equal(sampler_end(sampler), UF_ERANDOM);
}

/* The same words from the same draws, whatever the instructions. */
static void test_ways_agree(void **state)
{
    (void)state;
    for (int way = LANES_BASE + 1; way < LANES_WAYS; way++) {
        if (!lanes_find(way)) {
            print_message("way %d skipped: this machine has no AVX-512\n", way);
            continue;
        }
        for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++) {
            uint64_t plain[4 * STEP], other[4 * STEP];
            lanes_find(LANES_BASE)(begin(NULL, 0, i + 1), thresholds[i], plain, 4);
            size_t calls = source.calls;
            lanes_find(way)(begin(NULL, 0, i + 1), thresholds[i], other, 4);
            assert_memory_equal(plain, other, sizeof plain);
            assert_int_equal(calls, source.calls);
        }
    }
}

static uint64_t any_of(const uint64_t *words, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= words[i];
    return any;
}

static void test_the_end_wipes(void **state)
{
    struct sampler *sampler = begin(NULL, 0, 6);
    uint64_t lanes[STEP];
    (void)state;
    sample_fill(sampler, thresholds[8], lanes, STEP);
    const struct {
        const uint64_t *words;
        size_t count;
    } parts[] = {{sampler->word, BATCH}, {sampler->plane, 4 * STEP}, {sampler->carried, 2 * STEP / SHARERS}};
    for (size_t i = 0; i < 3; i++)
        assert_true(any_of(parts[i].words, parts[i].count) != 0);
    assert_int_equal(sampler_end(sampler), UF_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(any_of(parts[i].words, parts[i].count) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_against_the_model),
        cmocka_unit_test(test_lanes_at_the_edge),
        cmocka_unit_test(test_words_drawn),
        cmocka_unit_test(test_coins_at_the_edge),
        cmocka_unit_test(test_below_throws_the_right_draws_away),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_a_wrong_rate_is_seen),
        cmocka_unit_test(test_lanes_that_share_are_independent),
        cmocka_unit_test(test_below_is_uniform),
        cmocka_unit_test(test_ways_agree),
        cmocka_unit_test(test_a_failure_is_kept),
        cmocka_unit_test(test_no_endless_loop_without_randomness),
        cmocka_unit_test(test_the_end_wipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
