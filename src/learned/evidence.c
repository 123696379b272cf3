/* SPDX-License-Identifier: MIT */
#include "evidence.h"

#include <math.h>

static const double odds[EVIDENCE_ODDS] = {1.2, 1.5, 2, 3, 6, 15, 50, 300};
static const double log_odds[EVIDENCE_ODDS] = {0.18232155679395462, 0.40546510810816438, 0.69314718055994531,
                                               1.0986122886681098,  1.7917594692280550,  2.7080502011022101,
                                               3.9120230054281461,  5.7037824746562009};

static const uint64_t length[EVIDENCE_WINDOWS] = {1000, 10000, 100000, 1000000, UINT64_MAX};

static void open_window(const struct evidence *evidence, struct evidence_window *window, uint64_t number)
{
    const double at = (double)number, parts = (double)EVIDENCE_WINDOWS * EVIDENCE_ODDS * evidence->events;
    *window = (struct evidence_window){.number = number, .log_weight = -log(at * (at + 1) * parts)};
}

void evidence_start(struct evidence *evidence, const double *most, unsigned events)
{
    *evidence = (struct evidence){.events = events};
    for (unsigned i = 0; i < events; i++)
        for (unsigned r = 0; r < EVIDENCE_ODDS; r++)
            evidence->cost[i][r] = most[i] > 0 && most[i] < 1 ? log1p((odds[r] - 1) * most[i]) : INFINITY;
    for (unsigned i = 0; i < EVIDENCE_WINDOWS; i++)
        open_window(evidence, &evidence->window[i], 1);
}

void evidence_roll(struct evidence *evidence)
{
    for (unsigned i = 0; i < EVIDENCE_WINDOWS; i++)
        if (evidence->window[i].queries >= length[i])
            open_window(evidence, &evidence->window[i], evidence->window[i].number + 1);
}

void evidence_add(struct evidence *evidence, uint64_t queries, const uint64_t *seen)
{
    for (unsigned i = 0; i < EVIDENCE_WINDOWS; i++) {
        evidence->window[i].queries += queries;
        for (unsigned j = 0; j < evidence->events; j++)
            evidence->window[i].seen[j] += seen[j];
    }
}

/* Of one window, event and odds: weight and likelihood ratio. Before the first query nothing was seen. */
static double part_of(const struct evidence *evidence, const struct evidence_window *window, unsigned event, unsigned r)
{
    if (!window->queries)
        return -INFINITY;
    return window->log_weight + (double)window->seen[event] * log_odds[r] -
           (double)window->queries * evidence->cost[event][r];
}

static double largest_part(const struct evidence *evidence)
{
    double most = -INFINITY;
    for (unsigned w = 0; w < EVIDENCE_WINDOWS; w++)
        for (unsigned i = 0; i < evidence->events; i++)
            for (unsigned r = 0; r < EVIDENCE_ODDS; r++)
                most = fmax(most, part_of(evidence, &evidence->window[w], i, r));
    return most;
}

double evidence_log(const struct evidence *evidence)
{
    const double most = largest_part(evidence);
    double sum = 0;
    for (unsigned w = 0; w < EVIDENCE_WINDOWS && !isinf(most); w++)
        for (unsigned i = 0; i < evidence->events; i++)
            for (unsigned r = 0; r < EVIDENCE_ODDS; r++)
                sum += exp(part_of(evidence, &evidence->window[w], i, r) - most);
    return isinf(most) ? -INFINITY : most + log(sum);
}

int evidence_reaches(const struct evidence *evidence, double log_limit)
{
    const double parts = (double)EVIDENCE_WINDOWS * EVIDENCE_ODDS * evidence->events;
    return largest_part(evidence) + log(parts) >= log_limit && evidence_log(evidence) >= log_limit;
}

/* KL(x || p) in nats. */
static double divergence(double x, double p)
{
    double of_some = x > 0 ? x * log(x / p) : 0, of_others = x < 1 ? (1 - x) * log((1 - x) / (1 - p)) : 0;
    return of_some + of_others;
}

double evidence_most_share(uint64_t seen, uint64_t all, double chance)
{
    double share = all ? (double)seen / (double)all : 1, low = share, high = 1;
    for (int i = 0; i < 60 && share < 1; i++) {
        double middle = (low + high) / 2;
        if ((double)all * divergence(share, middle) < -log(chance))
            low = middle;
        else
            high = middle;
    }
    return high;
}
