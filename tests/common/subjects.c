/* SPDX-License-Identifier: MIT */
#include "subjects.h"

#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "keys.h"

static const struct {
    const char *kind, *params;
} shapes[] = {
    {"bloom", "fpr=0.01"},
    {"bloom", "fpr=0.3"},
    {"bloom", "fpr=1e-9"},
    {"bloom", "k=1"},
    {"blocked", "k=8"},
    {"blocked", "k=16"},
    {"blocked", "fpr=0.3"},
    {"ribbon", "fpr=0.01"},
    {"ribbon", "fpr=0.3,band=128"},
    {"ribbon", "fpr=0.001953125"},
    {"ribbon", "fpr=1e-12"},
    {"dcso", "fpr=0.01"},
    {"counting", "fpr=0.01"},
    {"deletable", "fpr=0.01"},
    {"deletable", "fpr=0.3,region=64"},
    {"tombstone", "fpr=0.01"},
    {"tombstone", "fpr=0.3,removed=500"},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0], MOST = 64 };

static struct subject subjects[MOST];
static size_t subject_count;

static void add_subject(const char *kind, const char *params)
{
    struct subject *subject = &subjects[subject_count++];
    uf_spec spec;
    subject->kind = kind;
    subject->counts_in_order = !strcmp(kind, "dcso");
    (void)snprintf(subject->unsown, sizeof subject->unsown, "%s:%s", kind, params);
    (void)snprintf(subject->spec, sizeof subject->spec, "%s:%s,seed=0x5eed", kind, params);
    subject->has_seed = uf_spec_parse(subject->spec, &spec, NULL) == UF_OK;
    if (!subject->has_seed)
        memcpy(subject->spec, subject->unsown, sizeof subject->spec);
}

static void list_subjects(void)
{
    for (size_t i = 0; uf_kind_name(i); i++) {
        size_t before = subject_count;
        for (size_t j = 0; j < SHAPES; j++)
            if (!strcmp(shapes[j].kind, uf_kind_name(i)))
                add_subject(uf_kind_name(i), shapes[j].params);
        if (subject_count == before)
            add_subject(uf_kind_name(i), "fpr=0.01");
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

int subjects_run(const char *group, const struct check *checks, size_t count)
{
    static struct work work[MOST * 64];
    static struct CMUnitTest tests[MOST * 64];
    static char names[MOST * 64][128];
    size_t made = 0;
    list_subjects();
    for (size_t s = 0; s < subject_count; s++)
        for (size_t c = 0; c < count; c++, made++) {
            work[made] = (struct work){&subjects[s], &checks[c]};
            (void)snprintf(names[made], sizeof names[0], "%s: %s", subjects[s].unsown, checks[c].name);
            tests[made] = (struct CMUnitTest){names[made], run_check, NULL, NULL, &work[made]};
        }
    return _cmocka_run_group_tests(group, tests, made, NULL, NULL);
}

uf_filter *build(const char *text, const uf_key *keys, size_t count, const uf_context *ctx)
{
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    uf_error why = {0, ""};
    int status = uf_build(&spec, keys, count, ctx, &filter, &why);
    assert_that(status == UF_OK, "building %s from %zu keys gave %d: %s", text, count, status, why.text);
    return filter;
}

const char *with(const struct subject *subject, const char *format, ...)
{
    static char text[8][256];
    static unsigned next;
    char *out = text[next++ % 8];
    va_list args;
    int used = snprintf(out, sizeof text[0], "%s,", subject->spec);
    va_start(args, format);
    (void)vsnprintf(out + used, sizeof text[0] - (size_t)used, format, args);
    va_end(args);
    return out;
}

void assert_same_bytes(const uf_filter *a, const uf_filter *b, const char *what)
{
    struct bytes one = bytes_of(a, UF_FORMAT_UF), two = bytes_of(b, UF_FORMAT_UF);
    assert_that(one.size == two.size, "%s: %zu and %zu bytes", what, one.size, two.size);
    for (size_t i = 0; i < one.size; i++)
        assert_that(one.data[i] == two.data[i], "%s: byte %zu of %zu differs", what, i, one.size);
    bytes_free(&one);
    bytes_free(&two);
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
