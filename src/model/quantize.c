/* SPDX-License-Identifier: MIT */
#include "quantize.h"

#include <math.h>
#include <string.h>

struct table {
    const float *weight, *power;
    size_t count;
};

static int round_to(float weight, float steps, int most)
{
    float value = rintf(weight * steps);
    return value > (float)most ? most : value < (float)-most ? -most : (int)value;
}

/* Of weights that have been met. */
static double spread_of(const struct table *table)
{
    double squares = 0, met = 0;
    for (size_t i = 0; i < table->count; i++) {
        squares += (double)table->power[i] * table->weight[i] * table->weight[i];
        met += table->power[i];
    }
    return met > 0 && squares > 0 ? sqrt(squares / met) : 1;
}

static double error_of(const struct table *table, float steps, int most)
{
    double error = 0;
    for (size_t i = 0; i < table->count; i++) {
        double off = table->weight[i] - (double)round_to(table->weight[i], steps, most) / steps;
        error += table->power[i] * off * off;
    }
    return error;
}

/* Steps per unit of weight. The clips tried are 1 to 12 times the spread, a factor 1.15 apart. */
static float best_steps(const struct table *table, int most)
{
    double spread = spread_of(table), least = INFINITY;
    float best = 1;
    for (double clip = spread; clip < 12 * spread; clip *= 1.15) {
        float steps = (float)(most / clip);
        double error = error_of(table, steps, most);
        if (error < least) {
            least = error;
            best = steps;
        }
    }
    return best;
}

void quantize(const float *weight, const float *power, unsigned log_weights, unsigned weight_bits, uint64_t *words)
{
    struct table table = {weight, power, (size_t)1 << log_weights};
    const int zero = 1 << (weight_bits - 1), most = zero - 1;
    const unsigned per_word = 64 / weight_bits;
    float steps = best_steps(&table, most);
    memset(words, 0, table.count / per_word * sizeof *words);
    for (size_t i = 0; i < table.count; i++)
        words[i / per_word] |= (uint64_t)(zero + round_to(weight[i], steps, most)) << (i % per_word) * weight_bits;
}
