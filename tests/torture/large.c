/* SPDX-License-Identifier: MIT */
#include "large.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "figure.h"
#include "random.h"
#include "secrets.h"
#include "subjects.h"

enum { BATCH = 1 << 14, NUMBER = 8, WORD = 12, LESSONS = 4000, PILOT = 100 };

#define STEP UINT64_C(0x9e3779b97f4a7c15) /* from one state of next_random to the next */

/* ---- keys ---- */

enum sort { MEMBERS, STRANGERS, TAUGHT, TAUGHT_STRANGERS, VALID };

/* Where the numbers of a sort begin; of 2^64, so that those of two sorts do not meet. */
static uint64_t begin_of(enum sort sort, uint64_t seed)
{
    uint64_t state = seed;
    for (int i = 0; i <= (int)sort; i++)
        (void)next_random(&state);
    return next_random(&state);
}

/* A language takes three letters in four from its own half of the alphabet. */
static void put_word(unsigned char *out, enum sort sort, uint64_t state)
{
    const unsigned language = sort == STRANGERS || sort == TAUGHT_STRANGERS || sort == VALID;
    for (unsigned i = 0; i < WORD; i += 4) {
        uint64_t bits = next_random(&state);
        for (unsigned j = 0; j < 4; j++, bits >>= 16) {
            const unsigned half = (bits & 15) < 12 ? language : !language;
            out[i + j] = (unsigned char)('a' + 2 * ((bits >> 4 & 4095) % 13) + half);
        }
    }
}

static void fill_words(unsigned char *keys, enum sort sort, uint64_t from, size_t count, uint64_t seed)
{
    const uint64_t begin = begin_of(sort, seed);
    for (size_t i = 0; i < count; i++)
        put_word(keys + i * WORD, sort, begin + (from + i) * 3 * STEP);
}

/* The generator is one to one, so that strangers, far behind the members, are none of them. */
static void fill_numbers(unsigned char *keys, enum sort sort, uint64_t from, size_t count, uint64_t seed)
{
    uint64_t state = begin_of(MEMBERS, seed) + (from + (sort == MEMBERS ? 0 : UINT64_C(1) << 40)) * STEP;
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = next_random(&state);
        memcpy(keys + i * NUMBER, &key, NUMBER);
    }
}

static void fill(unsigned char *keys, size_t width, enum sort sort, uint64_t from, size_t count, uint64_t seed)
{
    if (width == WORD)
        fill_words(keys, sort, from, count, seed);
    else
        fill_numbers(keys, sort, from, count, seed);
}

/* ---- what learned kinds need ---- */

static uf_learning learning = UF_LEARNING_INIT;

static const uf_key *words_of(enum sort sort, size_t count)
{
    unsigned char *text = malloc(count * WORD);
    uf_key *keys = calloc(count, sizeof *keys);
    assert_true(text && keys);
    fill_words(text, sort, 0, count, 0);
    for (size_t i = 0; i < count; i++)
        keys[i] = (uf_key){text + i * WORD, WORD};
    return keys;
}

void large_open(uint64_t valid)
{
    uf_training how = UF_TRAINING_INIT;
    uf_model *model = NULL;
    uf_error why;
    how.positives = words_of(TAUGHT, LESSONS), how.positive_count = LESSONS;
    how.negatives = words_of(TAUGHT_STRANGERS, LESSONS), how.negative_count = LESSONS;
    how.valid = words_of(VALID, (size_t)valid), how.valid_count = (size_t)valid;
    how.budget = 1024;
    assert_status(UF_OK, uf_train(&how, NULL, &model, &why), &why);
    learning.model = model;
    learning.valid = how.valid, learning.valid_count = how.valid_count;
    learning.negatives = how.negatives, learning.negative_count = how.negative_count;
    learning.force = 1;
    (void)secret_number(0);
}

static int learns(const char *text)
{
    const uf_spec spec = spec_of(text);
    return kind_is_learned(uf_spec_kind(&spec));
}

static size_t width_of(const char *text)
{
    return learns(text) ? WORD : NUMBER;
}

/* ---- one filter ---- */

static int build_filter(const struct large *request, uf_filter **out, uf_error *why)
{
    static unsigned char keys[BATCH * WORD];
    uf_spec spec = spec_of(request->spec);
    uf_context ctx = UF_CONTEXT_INIT;
    uf_builder *builder = NULL;
    uint64_t coins = request->seed;
    char number[24];
    const size_t width = width_of(request->spec);
    const uint64_t n = request->n;
    ctx.secret = subject_secret(request->spec);
    ctx.learning = &learning;
    ctx.random = random_bytes, ctx.random_arg = &coins; /* the run can be made again */
    ctx.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    (void)snprintf(number, sizeof number, "%llu",
                   (unsigned long long)(strstr(request->spec, "scale") ? n / 100 + 1 : n));
    int status = uf_spec_set(&spec, "n", number, why);
    if (status == UF_OK)
        status = uf_builder_new(&spec, &ctx, &builder, why);
    for (uint64_t at = 0; at < n && status == UF_OK; at += BATCH) {
        const size_t count = n - at < BATCH ? (size_t)(n - at) : BATCH;
        fill(keys, width, MEMBERS, at, count, request->seed);
        status = uf_builder_add_fixed(builder, keys, width, count, why);
    }
    if (status == UF_OK)
        status = uf_builder_finish(builder, out, why);
    uf_builder_free(builder);
    return status;
}

/* How many of the first keys of a sort are accepted. */
static uint64_t accepted_of(const uf_filter *filter, const struct large *request, enum sort sort, uint64_t keys)
{
    static unsigned char batch[BATCH * WORD];
    static uint8_t answers[BATCH];
    uint64_t accepted = 0;
    const size_t width = width_of(request->spec);
    for (uint64_t at = 0; at < keys; at += BATCH) {
        const size_t count = keys - at < BATCH ? (size_t)(keys - at) : BATCH;
        fill(batch, width, sort, at, count, request->seed);
        uf_query_fixed(filter, batch, width, count, answers);
        for (size_t i = 0; i < count; i++)
            accepted += answers[i];
    }
    return accepted;
}

static double peak_kib(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss;
}

static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

static struct large_result run_here(const struct large *request)
{
    struct large_result result = {.status = UF_OK};
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    uf_claim claim;
    uf_sizes sizes;
    const double before = peak_kib(), start = figure_clock();
    result.status = build_filter(request, &filter, &why);
    result.build_seconds = figure_clock() - start;
    if (result.status == UF_OK)
        result.status = uf_get_claim(filter, &claim, sizeof claim);
    if (result.status == UF_OK)
        result.status = uf_get_sizes(filter, &sizes, sizeof sizes);
    if (result.status == UF_OK) {
        result.fpr = claim.fpr, result.fnr = claim.fnr;
        result.bytes = (double)sizes.payload_bytes;
        result.planned = learns(request->spec) ? (double)learning.valid_count : 0;
        result.members = request->members, result.strangers = request->strangers;
        result.missed = request->members - accepted_of(filter, request, MEMBERS, request->members);
        result.accepted = accepted_of(filter, request, STRANGERS, request->strangers);
    }
    result.ask_seconds = figure_clock() - start - result.build_seconds;
    result.peak_kib = peak_kib() - before;
    result.processor_seconds = processor_seconds();
    (void)snprintf(result.why, sizeof result.why, "%.190s", why.text);
    return result;
}

struct large_result large_run(const struct large *request)
{
    struct large_result result = {.status = UF_ENOMEM, .why = "the process was killed"};
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        result = run_here(request);
        _exit(write(ends[1], &result, sizeof result) == (ssize_t)sizeof result ? 0 : 1);
    }
    close(ends[1]);
    (void)!read(ends[0], &result, sizeof result);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return result;
}

/* ---- what this machine can do ---- */

static double available_kib(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
            break;
    if (file)
        (void)fclose(file);
    return kib ? (double)kib : 4 << 20;
}

static struct large scaled(const struct large *request, double by)
{
    struct large less = *request;
    less.n = (uint64_t)((double)request->n * by);
    less.members = (uint64_t)((double)request->members * by);
    less.strangers = (uint64_t)((double)request->strangers * by);
    return less;
}

struct large large_fit(const struct large *request)
{
    const char *given = getenv("FILTER_SECONDS");
    const double seconds = given ? strtod(given, NULL) : 600;
    const struct large pilot = scaled(request, 1.0 / PILOT);
    const struct large_result taken = large_run(&pilot);
    if (taken.status != UF_OK)
        return *request; /* which says why */
    const double time = PILOT * taken.processor_seconds, kib = PILOT * taken.peak_kib;
    const double share = fmin(seconds / time, 0.85 * available_kib() / kib);
    if (share >= 1)
        return *request;
    (void)fprintf(stderr, "%s: %.0f s of a processor and %.1f GiB for all\n", request->spec, time, kib / (1 << 20));
    return scaled(request, share);
}
