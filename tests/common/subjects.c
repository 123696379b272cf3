/* SPDX-License-Identifier: MIT */
#include "subjects.h"

#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "folder.h"
#include "keys.h"
#include "random.h"
#include "secrets.h"

enum { PLAIN, KEYED }; /* in brackets */

static const struct {
    const char *kind, *params;
    int keyed;
} shapes[] = {
    {"bloom", "fpr=0.01", PLAIN},
    {"bloom", "fpr=0.3", PLAIN},
    {"bloom", "fpr=1e-9", PLAIN},
    {"bloom", "k=1", PLAIN},
    {"bloom", "fpr=0.01,full=refuse", PLAIN},
    {"bloom", "fpr=0.01,full=scale", PLAIN},
    {"bloom", "fpr=0.01,window=3", PLAIN},
    {"blocked", "k=8", PLAIN},
    {"blocked", "k=16", PLAIN},
    {"blocked", "fpr=0.3", PLAIN},
    {"blocked", "fpr=0.01,full=scale", PLAIN},
    {"blocked", "fpr=0.01,parts=3", PLAIN},
    {"ribbon", "fpr=0.01", PLAIN},
    {"ribbon", "fpr=0.3,band=128", PLAIN},
    {"ribbon", "fpr=0.001953125", PLAIN},
    {"ribbon", "fpr=1e-12", PLAIN},
    {"dcso", "fpr=0.01", PLAIN},
    {"counting", "fpr=0.01", PLAIN},
    {"deletable", "fpr=0.01", PLAIN},
    {"deletable", "fpr=0.3,region=64", PLAIN},
    {"tombstone", "fpr=0.01", PLAIN},
    {"tombstone", "fpr=0.3,removed=500", PLAIN},
    {"learned", "fpr=0.01", PLAIN},
    {"learned", "fpr=0.3,children=bloom", PLAIN},
    {"sandwich", "fpr=0.001", PLAIN},
    {"sandwich", "fpr=0.01,children=blocked", PLAIN},
    {"partition", "fpr=0.01,regions=4", PLAIN},
    {"partition", "fpr=0.0001,children=bloom,regions=16", PLAIN},
    {"partition", "fpr=0.3,children=blocked", PLAIN},
    {"uptown", "fpr=0.01", PLAIN},
    {"uptown", "fpr=0.1,children=bloom,prf=aes", PLAIN},
    {"downtown", "fpr=0.01", PLAIN},
    {"downtown", "fpr=0.1,alpha=0.2,children=bloom,definition=paper,prf=aes", PLAIN},
    {"robust", "fpr=0.01,regions=4", PLAIN},
    {"robust", "fpr=0.001,alpha=0.3,children=bloom,regions=16,prf=aes", PLAIN},
    {"robust", "fpr=0.3,alpha=0,children=blocked", PLAIN},
    {"bloom", "fpr=0.01", KEYED},
    {"bloom", "k=10,prf=aes", KEYED},
    {"blocked", "k=8,prf=aes", KEYED},
    {"blocked", "k=16", KEYED},
    {"blocked", "fpr=0.01,full=scale,prf=aes", KEYED},
    {"blocked", "fpr=0.01,window=2", KEYED},
    {"blocked", "fpr=0.01,part=0/1", KEYED},
    {"ribbon", "fpr=0.01,prf=aes", KEYED},
    {"counting", "fpr=0.01", KEYED},
    {"deletable", "fpr=0.01,prf=aes", KEYED},
    {"tombstone", "fpr=0.01", KEYED},
    {"sandwich", "fpr=0.01,prf=aes", KEYED},
    {"partition", "fpr=0.01", KEYED},
};

static const struct {
    const char *kind, *params;
    double epsilon;
} private_shapes[] = {
    {"dpset", "epsilon=0.05", 0.05},
    {"dpset", "epsilon=0.5", 0.5},
    {"dpset", "epsilon=1", 1},
    {"dpset", "epsilon=3", 3},
    {"dpset", "epsilon=8", 8},
    {"dpset", "epsilon=20", 20},
    {"dpset", "epsilon=1,variant=integer", 1},
    {"dpset", "epsilon=3,variant=integer", 3},
    {"dpset", "epsilon=8,variant=integer", 8},
    {"dpset", "epsilon=1,variant=dyadic", 1},
    {"dpset", "epsilon=3,variant=dyadic,slack=0.5", 3},
    {"dpset", "epsilon=2,variant=radix,prefer=accurate", 2},
    {"dpset", "epsilon=8,prefer=small", 8},
    {"ultra", "epsilon=0.05", 0.05},
    {"ultra", "epsilon=1,k=1", 1},
    {"ultra", "epsilon=3,k=2", 3},
    {"ultra", "epsilon=8,k=4", 8},
    {"ultra", "epsilon=8,k=4,t=2", 8},
    {"ultra", "epsilon=3,mechanism=published", 3},
    {"ultra", "epsilon=3,mechanism=published,hashes=paper", 3},
};

enum {
    SHAPES = sizeof shapes / sizeof shapes[0],
    PRIVATE_SHAPES = sizeof private_shapes / sizeof private_shapes[0],
    MOST = 64
};

static struct subject subjects[MOST];
static size_t subject_count;

const uf_secret *subject_secret(const char *text)
{
    uf_spec spec;
    int keyed = uf_spec_parse(text, &spec, NULL) == UF_OK && uf_spec_set(&spec, "prf", "aes", NULL) == UF_OK;
    return keyed ? secret_number(0) : NULL;
}

static void add_subject(const char *kind, const char *params, double epsilon, int keyed)
{
    struct subject *subject = &subjects[subject_count++];
    const char *open = keyed ? "keyed(" : "", *close = keyed ? ")" : "";
    uf_spec spec;
    subject->kind = kind;
    subject->epsilon = epsilon;
    subject->counts_in_order = !strcmp(kind, "dcso");
    (void)snprintf(subject->unsown, sizeof subject->unsown, "%s%s:%s%s", open, kind, params, close);
    (void)snprintf(subject->spec, sizeof subject->spec, "%s%s:%s,seed=0x5eed%s", open, kind, params, close);
    subject->secret = subject_secret(subject->unsown);
    subject->has_seed = uf_spec_parse(subject->spec, &spec, NULL) == UF_OK;
    if (!subject->has_seed)
        memcpy(subject->spec, subject->unsown, sizeof subject->spec);
}

static int learns(const char *kind)
{
    uf_spec spec = spec_of(kind);
    return uf_spec_set(&spec, "children", "bloom", NULL) == UF_OK;
}

/*
 * How many shapes of a kind, where each takes long. The thread sanitizer (UF_TEST_FEW=1) sees one of each kind, with
 * and without a key; of those that learn, which all run the same threads, two kinds. At small sizes these have one
 * shape.
 */
static int most_shapes(const char *kind, int keyed)
{
    if (getenv("UF_TEST_FEW"))
        return !learns(kind) || (!keyed && (!strcmp(kind, "partition") || !strcmp(kind, "robust")));
    int slow = !strcmp(kind, "uptown") && !test_full(); /* which trains its model in every build */
    return learns(kind) && (test_small() || slow) ? 1 : SHAPES;
}

static void list_subjects(void)
{
    for (size_t i = 0; uf_kind_name(i); i++) {
        size_t before = subject_count;
        if (kind_is_private(uf_kind_name(i)))
            continue;
        int have[2] = {0, 0};
        for (size_t j = 0; j < SHAPES; j++) {
            int keyed = shapes[j].keyed == KEYED;
            if (!strcmp(shapes[j].kind, uf_kind_name(i)) && have[keyed]++ < most_shapes(shapes[j].kind, keyed))
                add_subject(uf_kind_name(i), shapes[j].params, 0, shapes[j].keyed);
        }
        if (subject_count == before && !have[0])
            add_subject(uf_kind_name(i), "fpr=0.01", 0, PLAIN);
    }
}

static void list_private_subjects(void)
{
    for (size_t i = 0; uf_kind_name(i); i++) {
        size_t before = subject_count;
        if (!kind_is_private(uf_kind_name(i)))
            continue;
        for (size_t j = 0; j < PRIVATE_SHAPES; j++)
            if (!strcmp(private_shapes[j].kind, uf_kind_name(i)))
                add_subject(uf_kind_name(i), private_shapes[j].params, private_shapes[j].epsilon, PLAIN);
        if (subject_count == before)
            add_subject(uf_kind_name(i), "epsilon=3", 3, PLAIN);
    }
}

struct work {
    const struct subject *subject;
    const struct check *check;
};

static void run_check(void **state)
{
    const struct work *work = *state;
    work->check->run(work->subject);
}

static int run_all(const char *group, const struct check *checks, size_t count)
{
    static struct work work[MOST * 64];
    static struct CMUnitTest tests[MOST * 64];
    static char names[MOST * 64][128];
    size_t made = 0;
    for (size_t s = 0; s < subject_count; s++)
        for (size_t c = 0; c < count; c++, made++) {
            work[made] = (struct work){&subjects[s], &checks[c]};
            (void)snprintf(names[made], sizeof names[0], "%s: %s", subjects[s].unsown, checks[c].name);
            tests[made] = (struct CMUnitTest){names[made], run_check, NULL, NULL, &work[made]};
        }
    return _cmocka_run_group_tests(group, tests, made, NULL, NULL);
}

int subjects_run(const char *group, const struct check *checks, size_t count)
{
    subject_count = 0;
    list_subjects();
    return run_all(group, checks, count);
}

int subjects_run_private(const char *group, const struct check *checks, size_t count)
{
    subject_count = 0;
    list_private_subjects();
    return run_all(group, checks, count);
}

enum { LESSONS = 2000, FAR = 1000000, CAPACITY = 24, LISTS = 7, MIXED = 2 * LESSONS + LESSONS / 5 };

/* "name-from", "name-(from+step)", ... */
static const uf_key *lesson(const char *name, size_t from, size_t step)
{
    static char text[LISTS][LESSONS][CAPACITY];
    static uf_key keys[LISTS][LESSONS];
    static size_t made;
    assert_true(made < LISTS);
    for (size_t i = 0; i < LESSONS; i++) {
        int size = snprintf(text[made][i], CAPACITY, "%s-%zu", name, from + i * step);
        keys[made][i] = (uf_key){text[made][i], (size_t)size};
    }
    return keys[made++];
}

/* All of the first two lists and a fifth of the third, in turns. */
static size_t mix(const uf_key *a, const uf_key *b, const uf_key *c, uf_key out[MIXED])
{
    size_t count = 0;
    for (size_t i = 0; i < LESSONS; i++) {
        out[count++] = a[i];
        out[count++] = b[i];
        if (i % 5 == 0)
            out[count++] = c[i];
    }
    return count;
}

const uf_learning *subject_learning(void)
{
    static uf_learning learning = UF_LEARNING_INIT;
    static uf_key negatives[MIXED], valid[MIXED];
    uf_training how = UF_TRAINING_INIT;
    uf_model *model = NULL;
    uf_error why;
    if (learning.model)
        return &learning;
    how.positives = lesson("key", FAR, 2), how.positive_count = LESSONS;
    how.negatives = negatives, how.valid = valid;
    how.negative_count = mix(lesson("probe", FAR, 1), lesson("key", FAR + 1, 2), lesson("key", 2 * FAR, 2), negatives);
    how.valid_count = mix(lesson("probe", 3 * FAR, 1), lesson("key", 3 * FAR + 1, 2), lesson("key", 4 * FAR, 2), valid);
    how.budget = 512;
    how.fpr = 1e-12; /* a filter so large that a model of some size is worth it */
    assert_status(UF_OK, uf_train(&how, NULL, &model, &why), &why);
    learning.model = model;
    learning.valid = how.valid;
    learning.valid_count = how.valid_count;
    learning.negatives = how.negatives;
    learning.negative_count = how.negative_count;
    learning.force = 1;
    return &learning;
}

uf_context subject_context(void)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.learning = subject_learning();
    return ctx;
}

uf_filter *build(const char *text, const uf_key *keys, size_t count, const uf_context *given)
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    uf_error why = {0, 0, ""};
    if (given)
        ctx = *given;
    if (!ctx.secret)
        ctx.secret = subject_secret(text);
    if (!ctx.learning)
        ctx.learning = subject_learning();
    int status = uf_build(&spec, keys, count, &ctx, &filter, &why);
    assert_that(status == UF_OK, "building %s from %zu keys gave %d: %s", text, count, status, why.text);
    return filter;
}

uf_context seeded_context(uint64_t *state)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.random = random_bytes;
    ctx.random_arg = state;
    return ctx;
}

uf_secret *new_secret(void)
{
    struct folder folder = folder_make();
    const char *path = folder_file(&folder, "secret.key");
    uf_secret *secret;
    uf_error why;
    assert_status(UF_OK, uf_secret_create(path, &why), &why);
    assert_status(UF_OK, uf_secret_load(path, &secret, &why), &why);
    folder_remove(&folder);
    return secret;
}

uf_context context_of(const struct subject *subject)
{
    uf_context ctx = subject_context();
    ctx.secret = subject->secret;
    return ctx;
}

/* Inside the brackets, where there are some. */
static const char *add_params(const char *spec, const char *format, va_list args)
{
    static char text[8][256];
    static unsigned next;
    char *out = text[next++ % 8];
    size_t used = strlen(spec), keyed = spec[used - 1] == ')';
    memcpy(out, spec, used);
    out[used - keyed] = ',';
    used += 1 - keyed;
    used += (size_t)vsnprintf(out + used, sizeof text[0] - used, format, args);
    if (keyed)
        (void)snprintf(out + used, sizeof text[0] - used, ")");
    return out;
}

const char *with(const struct subject *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = add_params(subject->spec, format, args);
    va_end(args);
    return text;
}

const char *unsown_with(const struct subject *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = add_params(subject->unsown, format, args);
    va_end(args);
    return text;
}

void ask_all_ways(const uf_filter *filter, const unsigned char *packed, size_t width, size_t count, uint8_t *answers)
{
    uint8_t *fixed = malloc(count + 1), *column = malloc(count + 1);
    uf_key *keys = calloc(count + 1, sizeof *keys);
    int32_t *offset = calloc(count + 1, sizeof *offset);
    assert_true(fixed && column && keys && offset);
    for (size_t i = 0; i <= count; i++) {
        keys[i] = (uf_key){packed + i * width, width};
        offset[i] = (int32_t)(i * width);
    }
    memset(answers, 7, count);
    memset(fixed, 7, count + 1);
    uf_query_many(filter, keys, count, answers);
    uf_query_fixed(filter, packed, width, count, fixed);
    assert_memory_equal(answers, fixed, count);
    assert_int_equal(uf_query_offsets(filter, packed, offset, sizeof *offset, count, column), UF_OK);
    assert_memory_equal(answers, column, count);
    assert_int_equal(fixed[count], 7); /* nothing is written behind the last answer */
    for (size_t i = 0; i < count; i++)
        assert_true(answers[i] <= 1 && uf_query(filter, keys[i]) == answers[i]);
    free(fixed);
    free(column);
    free(keys);
    free(offset);
}

static void compare_bytes(const uf_filter *a, const uf_filter *b, size_t from, const char *what)
{
    struct bytes one = bytes_of(a, UF_FORMAT_UF), two = bytes_of(b, UF_FORMAT_UF);
    assert_that(one.size == two.size, "%s: %zu and %zu bytes", what, one.size, two.size);
    for (size_t i = from; i < one.size; i++)
        assert_that(one.data[i] == two.data[i], "%s: byte %zu of %zu differs", what, i, one.size);
    bytes_free(&one);
    bytes_free(&two);
}

void assert_same_bytes(const uf_filter *a, const uf_filter *b, const char *what)
{
    compare_bytes(a, b, 0, what);
}

void assert_same_keys(const uf_filter *a, const uf_filter *b, const char *what)
{
    enum { HEADER = 4096 };
    uf_spec one, two;
    uf_get_plan(a, &one);
    uf_get_plan(b, &two);
    assert_string_equal(one.text, two.text);
    compare_bytes(a, b, HEADER, what);
}

void assert_same_answers(const uf_filter *a, const uf_filter *b, const char *what)
{
    struct keys probes = keys_make("probe", 2000);
    for (size_t i = 0; i < probes.count; i++)
        assert_that(uf_query(a, probes.key[i]) == uf_query(b, probes.key[i]), "%s: answers to probe %zu differ", what,
                    i);
    keys_free(&probes);
}

void assert_same_set(const struct subject *subject, const uf_filter *a, const uf_filter *b, const char *what)
{
    if (subject->counts_in_order)
        assert_same_answers(a, b, what);
    else
        assert_same_bytes(a, b, what);
}
