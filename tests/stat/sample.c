/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ultrafilter.h"

enum { BATCH = 1 << 16 };

/* Keys are numbers of 8 bytes: members count from 0, strangers from 2^40. */
static const uint64_t strangers = UINT64_C(1) << 40;

static void need(int status, const char *what, const uf_error *why)
{
    if (status == UF_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, why->text);
    exit(1);
}

/* The next numbers, as bytes that are the same on every machine. */
static void number(unsigned char *keys, uint64_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned j = 0; j < 8; j++)
            keys[8 * i + j] = (unsigned char)((first + i) >> 8 * j);
}

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

static double rate_of(const uf_filter *filter, uint64_t first, uint64_t queries)
{
    static unsigned char keys[8 * BATCH];
    static uint8_t answers[BATCH];
    uint64_t yes = 0;
    for (uint64_t done = 0; done < queries; done += batch_of(queries - done)) {
        size_t now = batch_of(queries - done);
        number(keys, first + done, now);
        uf_query_fixed(filter, keys, 8, now, answers);
        for (size_t i = 0; i < now; i++)
            yes += answers[i];
    }
    return (double)yes / (double)queries;
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

struct sample sample_take(const struct wish *wish)
{
    struct sample sample = {0, 0, 0};
    uf_spec spec, plan;
    uf_error why;
    double squares = 0, filters = (double)wish->filters;
    need(uf_spec_parse(wish->spec, &spec, &why), wish->spec, &why);
    need(uf_plan(&spec, &plan, &why), wish->spec, &why);
    (void)uf_spec_get(&plan, "fpr", &sample.planned);
    for (uint64_t i = 0; i < wish->filters; i++) {
        uf_spec sown = with_seed(&spec, wish->seed + i);
        uf_filter *filter = build(&sown, wish->members);
        double rate = rate_of(filter, strangers + i * wish->queries, wish->queries);
        sample.measured += rate / filters;
        squares += rate * rate / filters;
        uf_free(filter);
    }
    double variance = squares - sample.measured * sample.measured;
    sample.spread = wish->filters > 1 && variance > 0 ? sqrt(variance / (filters - 1)) : 0;
    return sample;
}

double sample_distance(const struct sample *sample, const struct wish *wish, double rate)
{
    double least = sqrt(rate * (1 - rate) / ((double)wish->filters * (double)wish->queries));
    return (sample->measured - rate) / fmax(sample->spread, least);
}
