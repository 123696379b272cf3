/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

enum { BATCH = 1 << 16 };

static size_t batch_of(uint64_t left)
{
    return left < BATCH ? (size_t)left : BATCH;
}

static uf_filter *build(const uf_spec *spec, uint64_t members)
{
    static unsigned char keys[8 * BATCH];
    uf_builder *builder;
    uf_filter *filter;
    uf_error why;
    need(uf_builder_new(spec, NULL, &builder, &why), spec->text, &why);
    for (uint64_t done = 0; done < members; done += batch_of(members - done)) {
        number(keys, done, batch_of(members - done));
        (void)uf_builder_add_fixed(builder, keys, 8, batch_of(members - done));
    }
    need(uf_builder_finish(builder, &filter, &why), spec->text, &why);
    uf_builder_free(builder);
    return filter;
}

/* The share of the `count` keys from `first` on that are found. */
static double found_of(const uf_filter *filter, uint64_t first, uint64_t count)
{
    static unsigned char keys[8 * BATCH];
    static uint8_t answers[BATCH];
    uint64_t yes = 0;
    for (uint64_t done = 0; done < count; done += batch_of(count - done)) {
        size_t now = batch_of(count - done);
        number(keys, first + done, now);
        uf_query_fixed(filter, keys, 8, now, answers);
        for (size_t i = 0; i < now; i++)
            yes += answers[i];
    }
    return count ? (double)yes / (double)count : 0;
}

/* Removes the first `count` members; the share that was refused. */
static double remove_from(uf_filter *filter, uint64_t count)
{
    static unsigned char keys[8 * BATCH];
    static uint8_t removed[BATCH];
    uint64_t gone = 0;
    for (uint64_t done = 0; done < count; done += batch_of(count - done)) {
        size_t now = batch_of(count - done);
        number(keys, done, now);
        (void)uf_remove_fixed(filter, keys, 8, now, removed);
        for (size_t i = 0; i < now; i++)
            gone += removed[i];
    }
    return count ? 1 - (double)gone / (double)count : 0;
}

/* Kinds without a seed get other keys instead: every filter asks for strangers of its own. */
static uf_spec with_seed(const uf_spec *spec, uint64_t seed)
{
    uf_spec sown = *spec;
    char text[32];
    (void)snprintf(text, sizeof text, "0x%llx", (unsigned long long)seed);
    (void)uf_spec_set(&sown, "seed", text, NULL);
    return sown;
}

/* A sum of values and of their squares. */
struct sum {
    double values, squares;
};

static void sum_add(struct sum *sum, double value)
{
    sum->values += value;
    sum->squares += value * value;
}

static struct share share_of(const struct sum *sum, double count)
{
    double mean = sum->values / count, variance = sum->squares / count - mean * mean;
    return (struct share){mean, count > 1 && variance > 0 ? sqrt(variance / (count - 1)) : 0};
}

struct sample sample_take(const struct request *request)
{
    struct sample sample = {.planned = 0};
    struct sum accepted = {0, 0}, missed = {0, 0}, refused = {0, 0};
    uf_spec spec, plan;
    uf_error why;
    double filters = (double)request->filters;
    need(uf_spec_parse(request->spec, &spec, &why), request->spec, &why);
    need(uf_plan(&spec, &plan, &why), request->spec, &why);
    (void)uf_spec_get(&plan, "fpr", &sample.planned);
    for (uint64_t i = 0; i < request->filters; i++) {
        uf_spec sown = with_seed(&spec, request->seed + i);
        uf_filter *filter = build(&sown, request->members);
        sum_add(&refused, remove_from(filter, request->removes));
        sum_add(&missed, 1 - found_of(filter, request->removes, request->members - request->removes));
        sum_add(&accepted, found_of(filter, strangers + i * request->queries, request->queries));
        uf_free(filter);
    }
    struct share share = share_of(&accepted, filters);
    sample.measured = share.measured;
    sample.spread = share.spread;
    sample.missed = share_of(&missed, filters);
    sample.refused = share_of(&refused, filters);
    return sample;
}

double share_distance(const struct share *share, double trials, double rate)
{
    double least = sqrt(rate * (1 - rate) / trials);
    return (share->measured - rate) / fmax(share->spread, least);
}

double sample_distance(const struct sample *sample, const struct request *request, double rate)
{
    struct share accepted = {sample->measured, sample->spread};
    return share_distance(&accepted, (double)request->filters * (double)request->queries, rate);
}
