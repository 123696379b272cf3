/* SPDX-License-Identifier: MIT */
#include "noisy_count.h"

#include "count.h"

/* How many coins in a row come up: P[x] = (1 - a) a^x, exactly. */
static uint64_t run_of_coins(struct sampler *sampler, uint64_t threshold)
{
    uint64_t run = 0;
    while (sampler->status == UF_OK && sample_coin(sampler, threshold))
        run++;
    return run;
}

/* The difference of two such runs has the two-sided distribution. */
uint64_t count_noisy(struct sampler *sampler, uint64_t threshold, uint64_t count)
{
    uint64_t up = count + count_margin(threshold) + run_of_coins(sampler, threshold);
    uint64_t down = run_of_coins(sampler, threshold);
    return up > down ? up - down : 0;
}
