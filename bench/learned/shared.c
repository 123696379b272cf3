/* SPDX-License-Identifier: MIT */
#include "shared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 5, ASKED = 100000 };

void stop(const char *text)
{
    fprintf(stderr, "uf_bench_learned: %s\n", text);
    exit(2);
}

uf_context context(void)
{
    uf_context ctx = UF_CONTEXT_INIT;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    ctx.threads = processors > 1 ? (unsigned)processors : 1;
    return ctx;
}

uf_spec spec_of(const char *text)
{
    uf_spec spec;
    uf_error why;
    if (uf_spec_parse(text, &spec, &why) != UF_OK) {
        stop(why.text);
    }
    return spec;
}

uf_model *train(const struct list *members, const struct lists *lists, double rate, const char *children)
{
    uf_training how = UF_TRAINING_INIT;
    uf_context ctx = context();
    uf_model *model;
    uf_error why;
    how.positives = members->keys;
    how.positive_count = members->count;
    how.negatives = lists->train.keys;
    how.negative_count = lists->train.count;
    how.valid = lists->valid.keys;
    how.valid_count = lists->valid.count;
    how.fpr = rate;
    how.children = children;
    if (uf_train(&how, &ctx, &model, &why) != UF_OK) {
        stop(why.text);
    }
    return model;
}

uf_learning learning_with(const uf_model *model, const struct lists *lists)
{
    uf_learning learning = UF_LEARNING_INIT;
    learning.model = model;
    learning.valid = lists->valid.keys;
    learning.valid_count = lists->valid.count;
    learning.force = 1;
    return learning;
}

/* Of this thread: what else the machine does counts little. */
static double thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

struct asked ask(const uf_filter *filter, const struct list *list)
{
    struct asked out = {INFINITY, INFINITY, 0, list->count};
    uint8_t *answers = malloc(list->count);
    size_t count = list->count < ASKED ? list->count : ASKED;
    if (!answers) {
        stop("no memory for answers");
    }
    uf_query_many(filter, list->keys, list->count, answers);
    for (size_t i = 0; i < list->count; i++) {
        out.refused -= answers[i];
    }
    out.share = 1 - (double)out.refused / (double)list->count;
    for (int run = 0; run < RUNS; run++) {
        double start = thread_ns();
        uf_query_many(filter, list->keys, count, answers);
        out.ns = fmin(out.ns, (thread_ns() - start) / (double)count);
        start = thread_ns();
        for (size_t i = 0; i < count; i++) {
            answers[i] = (uint8_t)uf_query(filter, list->keys[i]);
        }
        out.single = fmin(out.single, (thread_ns() - start) / (double)count);
    }
    free(answers);
    return out;
}
