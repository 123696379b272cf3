/* SPDX-License-Identifier: MIT */
/*
 * Every path that this machine has against the scalar one, which is the specification: filters of every kind and of
 * every loop in it, built, asked and added to with each, from keys of all lengths, have the same bytes and the same
 * answers. A path that this machine lacks says so.
 *
 * usage: torture_paths short|full
 */
#include "paths.h"

#include "bytes.h"
#include "check.h"
#include "figure.h"
#include "random.h"
#include "secrets.h"
#include "subjects.h"

enum { LONGEST = 300, WIDTHS = 6 };

static const char *const specs[] = {
    "bloom:fpr=0.01",
    "bloom:fpr=1e-6",
    "bloom:fpr=0.3",
    "blocked:fpr=0.01",
    "blocked:fpr=1e-4",
    "blocked:fpr=0.3",
    "blocked:fpr=0.01,parts=3",
    "blocked:fpr=0.01,full=scale",
    "ribbon:fpr=0.01",
    "ribbon:fpr=1e-9,band=128",
    "dcso:fpr=0.01",
    "counting:fpr=0.01",
    "deletable:fpr=0.01",
    "tombstone:fpr=0.01",
    "keyed(bloom:fpr=0.01)",
    "keyed(bloom:fpr=0.01,prf=aes)",
    "keyed(blocked:fpr=0.01)",
    "keyed(blocked:fpr=0.001,prf=aes)",
    "keyed(ribbon:fpr=0.01,prf=aes)",
    "keyed(counting:fpr=0.01,prf=aes)",
    "dpset:epsilon=3",
    "dpset:epsilon=8,variant=dyadic",
    "ultra:epsilon=3",
    "partition:fpr=0.05",
    "robust:fpr=0.05",
};

enum { SPECS = sizeof specs / sizeof specs[0] };

/* Keys of every length up to LONGEST, short ones more often; the first half are members, the other half strangers. */
struct texts {
    unsigned char *text;
    uf_key *key;
    size_t count;
};

static struct texts texts_make(size_t count, uint64_t *seed)
{
    struct texts texts = {calloc(count, LONGEST), calloc(count, sizeof(uf_key)), count};
    assert_true(texts.text && texts.key);
    for (size_t i = 0; i < count; i++) {
        const uint64_t bound = 1 + random_below(seed, random_below(seed, 8) ? 40 : LONGEST);
        const size_t size = 8 + (size_t)random_below(seed, bound > LONGEST - 8 ? LONGEST - 8 : bound);
        (void)random_bytes(seed, texts.text + i * LONGEST, size);
        texts.key[i] = (uf_key){texts.text + i * LONGEST, size};
    }
    return texts;
}

static void texts_free(struct texts *texts)
{
    free(texts->text);
    free(texts->key);
}

/* What one path makes of it. */
struct made {
    struct bytes built, added;
    uint8_t *answers;
    size_t answer_count;
};

static void keep_answers(struct made *made, const uint8_t *answers, size_t count)
{
    made->answers = realloc(made->answers, made->answer_count + count);
    assert_non_null(made->answers);
    memcpy(made->answers + made->answer_count, answers, count);
    made->answer_count += count;
}

/* One by one, many at once, and cut into widths that have loops of their own. */
static void ask(struct made *made, const uf_filter *filter, const struct texts *texts)
{
    static const size_t widths[WIDTHS] = {1, 4, 8, 16, 32, 100};
    uint8_t *answers = malloc(texts->count);
    assert_non_null(answers);
    uf_query_many(filter, texts->key, texts->count, answers);
    keep_answers(made, answers, texts->count);
    for (size_t i = 0; i < texts->count; i++)
        answers[i] = (uint8_t)uf_query(filter, texts->key[i]);
    keep_answers(made, answers, texts->count);
    for (size_t w = 0; w < WIDTHS; w++) {
        uf_query_fixed(filter, texts->text, widths[w], texts->count, answers);
        keep_answers(made, answers, texts->count);
    }
    free(answers);
}

/* Kinds that take no more keys refuse on each path. */
static void add(struct made *made, uf_filter *filter, const struct texts *texts)
{
    const size_t half = texts->count / 2;
    int8_t *verdicts = calloc(half, 1);
    assert_non_null(verdicts);
    const uint8_t status = (uint8_t)-uf_add_many(filter, texts->key + half, half, verdicts, NULL);
    keep_answers(made, &status, 1);
    keep_answers(made, (const uint8_t *)verdicts, half);
    made->added = bytes_of(filter, UF_FORMAT_UF);
    free(verdicts);
}

/* The same coins for each path. */
static int make(const char *text, int cpu, const struct texts *texts, struct made *made)
{
    uf_spec spec = spec_of(text);
    uf_context ctx = subject_context();
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    uint64_t coins = 7;
    char number[24];
    *made = (struct made){.answers = NULL};
    ctx.secret = subject_secret(text);
    ctx.random = random_bytes, ctx.random_arg = &coins;
    ctx.cpu = cpu;
    (void)snprintf(number, sizeof number, "%zu", texts->count);
    assert_status(UF_OK, uf_spec_set(&spec, "n", number, &why), &why);
    const int status = uf_build(&spec, texts->key, texts->count / 2, &ctx, &filter, &why);
    if (status != UF_OK) {
        if (status != UF_EUNSUPPORTED)
            complain("%s, %s: %s", text, path_name(cpu), why.text);
        return status;
    }
    made->built = bytes_of(filter, UF_FORMAT_UF);
    ask(made, filter, texts);
    add(made, filter, texts);
    uf_free(filter);
    return UF_OK;
}

static void made_free(struct made *made)
{
    bytes_free(&made->built);
    bytes_free(&made->added);
    free(made->answers);
}

static uint64_t differences(const char *text, const struct made *one, const struct made *two)
{
    uint64_t wrong = bytes_equal(&one->built, &two->built) && bytes_equal(&one->added, &two->added) ? 0 : 1;
    for (size_t i = 0; i < one->answer_count; i++)
        wrong += one->answers[i] != two->answers[i];
    if (wrong)
        complain("%s: %llu differences", text, (unsigned long long)wrong);
    return wrong;
}

static void compare(int cpu, const struct texts *texts)
{
    uint64_t answers = 0, wrong = 0;
    unsigned made_of = 0;
    char check[96];
    const double start = figure_clock();
    (void)snprintf(check, sizeof check, "paths: %s against scalar", path_name(cpu));
    for (size_t i = 0; i < SPECS; i++) {
        struct made scalar, other;
        const int status = make(specs[i], cpu, texts, &other);
        if (status == UF_OK && make(specs[i], UF_CPU_SCALAR, texts, &scalar) == UF_OK) {
            wrong += differences(specs[i], &scalar, &other);
            answers += other.answer_count;
            made_of++;
            made_free(&scalar);
        }
        made_free(&other);
    }
    if (made_of)
        figure(check, answers, 10000000, wrong, "answers, and the bytes of %u filters, built and added to; %.0f s",
               made_of, figure_clock() - start);
    else
        figure_say(check, "not run", "10000000 tried, 0 wrong", FIGURE_SHORT,
                   "this machine has none; emulated ones have conform_add and the golden files");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: torture_paths short|full\n");
        return 2;
    }
    const int full = !strcmp(argv[1], "full");
    uint64_t seed = figure_seed(full);
    struct texts texts = texts_make(full ? 60000 : 1500, &seed);
    for (int cpu = UF_CPU_SCALAR + 1; cpu <= LAST_PATH; cpu++)
        compare(cpu, &texts);
    texts_free(&texts);
    return figure_status();
}
