/* SPDX-License-Identifier: MIT */
#include "train.h"

#include <math.h>
#include <string.h>

#include "feature_inline.h"
#include "parallel.h"

enum {
    BATCH = 8192,
    UNIT = 4096, /* residuals are whole parts of it */
    STEPS = 64,  /* entries of the logistic table per unit of z */
    REACH = 12,  /* beyond that z it is 0 or 1 */
    TABLE = 2 * REACH * STEPS + 1
};

static const float rate = 0.1F;

/* ---- the logistic function ---- */

/* e^z by multiplication, which gives the same on every machine; a library's exp need not. */
static void make_table(int32_t table[TABLE])
{
    const double step = 0x1.04080ab55de39p+0; /* e^(1/64) */
    double power = 1;
    for (int i = 0; i <= REACH * STEPS; i++) {
        double p = power / (1 + power);
        table[REACH * STEPS + i] = (int32_t)rint(p * UNIT);
        table[REACH * STEPS - i] = UNIT - table[REACH * STEPS + i];
        power *= step;
    }
}

static inline int32_t logistic(const int32_t table[TABLE], float z)
{
    float at = z * STEPS + REACH * STEPS;
    if (!(at > 0))
        return table[0];
    return table[at < TABLE - 1 ? (int)(at + 0.5F) : TABLE - 1];
}

/* ---- one batch ---- */

struct batch {
    struct training *training;
    const int32_t *table;
    const struct example *example;
    size_t count;
};

/* Where piece i of so many begins. */
static size_t cut(size_t count, size_t pieces, size_t i)
{
    return (size_t)((uint64_t)count * i / pieces);
}

static int add_slopes(void *arg, size_t piece)
{
    const struct batch *batch = arg;
    const struct training *training = batch->training;
    uint32_t *slope = training->slope + (piece << training->log_weights), index[FEATURES_MOST];
    size_t end = cut(batch->count, training->threads, piece + 1);
    for (size_t i = cut(batch->count, training->threads, piece); i < end; i++) {
        const size_t count = features_count(batch->example[i].key);
        float z = 0;
        (void)features_write(batch->example[i].key, 64 - training->log_weights, index, use_later, NULL);
        for (size_t j = 0; j < count; j++)
            z += training->weight[index[j]];
        uint32_t residual = (uint32_t)(logistic(batch->table, z) - (batch->example[i].member ? UNIT : 0));
        for (size_t j = 0; residual && j < count; j++)
            slope[index[j]] += residual; /* a negative one wraps around, and back */
    }
    return 0;
}

static int move_weights(void *arg, size_t piece)
{
    struct training *training = ((const struct batch *)arg)->training;
    size_t count = (size_t)1 << training->log_weights, end = cut(count, training->threads, piece + 1);
    float *weight = training->weight, *power = training->power;
    for (size_t i = cut(count, training->threads, piece); i < end; i++) {
        uint32_t sum = 0;
        for (size_t t = 0; t < training->threads; t++) {
            sum += training->slope[t * count + i];
            training->slope[t * count + i] = 0;
        }
        float slope = (float)(int32_t)sum * (1.0F / UNIT);
        power[i] += slope * slope;
        weight[i] -= rate * slope / sqrtf(power[i]);
    }
    return 0;
}

static int stopped(struct training *training, size_t count)
{
    const uf_context *ctx = training->ctx;
    training->done += count;
    if (training->total < training->done)
        training->total = training->done; /* more folds than expected */
    return ctx->progress && ctx->progress(ctx->progress_arg, training->done, training->total);
}

/* ---- passes ---- */

int training_run(struct training *training, unsigned passes)
{
    int32_t table[TABLE];
    struct batch batch = {training, table, NULL, 0};
    size_t count = training->examples->count;
    make_table(table);
    for (; passes; passes--)
        for (size_t from = 0; from < count; from += BATCH) {
            batch.example = training->examples->example + from;
            batch.count = count - from < BATCH ? count - from : BATCH;
            (void)parallel_for(training->threads, training->threads, add_slopes, &batch);
            (void)parallel_for(training->threads, training->threads, move_weights, &batch);
            if (stopped(training, batch.count))
                return UF_ECANCELED;
        }
    return UF_OK;
}

void training_fold(struct training *training)
{
    float *weight = training->weight, *power = training->power;
    training->log_weights--;
    for (size_t i = 0; i < (size_t)1 << training->log_weights; i++) {
        float a = power[2 * i], b = power[2 * i + 1];
        weight[i] = (weight[2 * i] * a + weight[2 * i + 1] * b) / (a + b);
        power[i] = a + b;
    }
}

int training_start(const struct mem *mem, const struct examples *examples, const uf_context *ctx, unsigned log_weights,
                   unsigned passes, struct training *out)
{
    size_t capacity = (size_t)1 << log_weights;
    struct training training = {
        .mem = *mem, .examples = examples, .ctx = ctx, .log_weights = log_weights, .capacity = capacity};
    training.threads = ctx->threads < 16 ? ctx->threads : 16;
    training.total = (uint64_t)passes * examples->count;
    training.weight = mem_alloc(mem, capacity, sizeof *training.weight);
    training.power = mem_alloc(mem, capacity, sizeof *training.power);
    training.slope = mem_alloc(mem, capacity * training.threads, sizeof *training.slope);
    *out = training;
    if (!training.weight || !training.power || !training.slope) {
        training_free(out);
        return UF_ENOMEM;
    }
    for (size_t i = 0; i < capacity; i++)
        training.power[i] = 1;
    return UF_OK;
}

void training_free(struct training *training)
{
    mem_free(&training->mem, training->weight, training->capacity, sizeof *training->weight);
    mem_free(&training->mem, training->power, training->capacity, sizeof *training->power);
    mem_free(&training->mem, training->slope, training->capacity * training->threads, sizeof *training->slope);
}
