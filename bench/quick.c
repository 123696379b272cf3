/* SPDX-License-Identifier: MIT */
#include "quick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

void quick_stop(const char *text)
{
    fprintf(stderr, "bench: %s\n", text);
    exit(2);
}

double quick_best(void (*call)(void *arg), void *arg, uint64_t keys)
{
    double best = INFINITY;
    for (int run = 0; run < QUICK_RUNS; run++) {
        double start = clock_ns();
        call(arg);
        best = fmin(best, (clock_ns() - start) / (double)keys);
    }
    return best;
}

struct building {
    const char *text;
    const struct keys *keys;
    const uf_context *ctx;
    uf_filter *filter;
};

static void build_once(void *arg)
{
    struct building *building = arg;
    const struct keys *keys = building->keys;
    uf_builder *builder;
    uf_spec spec;
    uf_error why;
    uf_free(building->filter);
    if (uf_spec_parse(building->text, &spec, &why) || uf_builder_new(&spec, building->ctx, &builder, &why)) {
        quick_stop(why.text);
    }
    if (uf_builder_add_fixed(builder, keys->at, keys->width, keys->count, &why) ||
        uf_builder_finish(builder, &building->filter, &why)) {
        quick_stop(why.text);
    }
    uf_builder_free(builder);
}

uf_filter *quick_build(const char *spec, const struct keys *keys, const uf_context *ctx, double *ns)
{
    struct building building = {spec, keys, ctx, NULL};
    *ns = quick_best(build_once, &building, keys->count);
    return building.filter;
}

struct asking {
    const uf_filter *filter;
    const struct keys *keys;
    uint8_t *answers;
};

static void ask_once(void *arg)
{
    struct asking *asking = arg;
    uf_query_fixed(asking->filter, asking->keys->at, asking->keys->width, asking->keys->count, asking->answers);
}

double quick_query(const uf_filter *filter, const struct keys *keys)
{
    struct asking asking = {filter, keys, malloc(keys->count)};
    if (!asking.answers) {
        quick_stop("no memory for answers");
    }
    double best = quick_best(ask_once, &asking, keys->count);
    free(asking.answers);
    return best;
}
