/* SPDX-License-Identifier: MIT */
/*
 * eta in mixed radix: the chance that the row of one more key depends on the planted rows of its shard, in any field. A
 * dpset is charged radix_eta for it (privacy/eta.h), and docs/privacy.md#mixed-radix has the mathematics: in one field
 * eta never falls as rows are added, so that a full shard is the worst case, and
 *
 *     eta_p(L) <= 1 - (share of the shards alive with L rows that are alive with L + d)^(1/d)
 *
 * is bounded by a share, with the exact limit of Clopper and Pearson. Of several fields, for rows between m and m',
 * eta <= sum of eta_p(m') * share alive in p with m / share alive in all with m'. So shards are grown, row by row, from
 * 4 % below what they take to 1.6 % above, by the elimination of the build itself, and the points are counted at which
 * they fail. usage: stat_eta_radix [SEED [SHARDS [ROWS]]]
 *
 * UF_TEST_FULL=1 (make test-full) grows 4000 shards that take 133000 rows, a few more than those of 2^17 keys do. Their
 * upper limits, all together 99.9 %, must be below 1.5 times what is charged, and with 60000 shards below that itself.
 * The short size can only reject: the lower limit of eta must not be above what is charged. Control: with no spare
 * slots it must be.
 *
 * What is charged rests on this table, for which another program with an elimination of its own grew 60000 to 500000
 * shards each on a GPU. "failed": of tries at full load, 4.5 standard deviations above the average one.
 *
 *     band  slack  rows       1 field at most  2       3       failed
 *     64    8 %    133000     7.5e-4           1.8e-3  2.8e-3  73 %
 *     64    8.5 %  133000     5.7e-4           1.3e-3  1.9e-3  62 %
 *     128   3 %    133000     1.2e-3           2.9e-3  4.3e-3  65 %
 *     128   3.5 %  133000     6.7e-4           1.5e-3  2.1e-3  43 %
 *     64    8 %    33000      7.4e-4           1.5e-3  2.0e-3  27 %
 *     128   3 %    33000      1.1e-3           2.1e-3  3.1e-3  19 %
 *     64    8 %    8000       6.0e-4           1.1e-3  1.4e-3  6 %
 *     128   3 %    8000       4.7e-4           8.5e-4  1.2e-3  2 %
 *     128   3 %    1000       7e-6             2e-5    2e-5    none
 *     both         1 to 100   9e-7             2e-6    3e-6    none
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eta.h"
#include "interval.h"
#include "random.h"
#include "sparse.h"

/* A point is a thousandth of the rows; at FULL a shard has all that it takes. */
enum { FIELDS = 3, SUBSETS = 1 << FIELDS, POINT = 1000, FULL = 40, POINTS = FULL + 17 };

#define ALL_LIMITS 0.999 /* of all limits of a layout together */
#define WIDER 1.5        /* limits from fewer shards than the table's */
#define LIMITS 2000.0    /* so many are there, at most */

/* ---- growing shards ---- */

struct shape {
    unsigned band;
    double slack;
    uint32_t rows; /* what a shard takes */
};

/* alive[w][j]: shards whose rows are independent in all fields of w, with j - FULL steps of rows more than they take.
 */
struct lives {
    uint32_t step;
    uint64_t shards, alive[SUBSETS][POINTS];
};

struct shard {
    uint32_t slots, base, more;
    struct sparse_row *row; /* base and more */
    uint64_t *cell;
};

static void *need_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        exit(1);
    return memory;
}

static int by_start(const void *a, const void *b)
{
    uint32_t x = ((const struct sparse_row *)a)->start, y = ((const struct sparse_row *)b)->start;
    return (x > y) - (x < y);
}

static void draw_rows(struct shard *shard, unsigned band, uint64_t *seed)
{
    uint32_t starts = shard->slots - band + 1;
    for (uint32_t i = 0; i < shard->base + shard->more; i++) {
        uint64_t bits = next_random(seed);
        shard->row[i] = (struct sparse_row){.start = (uint32_t)((bits >> 32) * starts >> 32), .terms = (uint32_t)bits};
    }
    qsort(shard->row, shard->base, sizeof *shard->row, by_start); /* the order of rows is no matter, but for speed */
}

/* How many of the rows beyond the first are independent of those before; -1: not even those are. */
static int64_t grow(const struct shard *shard, unsigned field, unsigned band)
{
    struct sparse system = {.cell = shard->cell, .slots = shard->slots, .field = field, .band = band, .columns = 1};
    memset(shard->cell, 0, shard->slots * sparse_words(field, band) * sizeof *shard->cell);
    if (sparse_add(&system, shard->row, shard->base) < shard->base)
        return -1;
    return (int64_t)sparse_add(&system, shard->row + shard->base, shard->more);
}

static void count_points(struct lives *lives, const int64_t grown[FIELDS])
{
    for (unsigned w = 1; w < SUBSETS; w++) {
        int64_t least = INT64_MAX;
        for (unsigned p = 0; p < FIELDS; p++)
            if (w >> p & 1 && grown[p] < least)
                least = grown[p];
        for (int j = 0; j < POINTS && least >= (int64_t)lives->step * j; j++)
            lives->alive[w][j]++;
    }
}

static struct lives grow_shards(const struct shape *shape, uint64_t shards, uint64_t seed)
{
    struct lives lives = {.step = shape->rows / POINT, .shards = shards};
    struct shard shard = {.slots = shape->rows + (uint32_t)ceil(shape->rows * shape->slack) + shape->band,
                          .base = shape->rows - FULL * lives.step,
                          .more = (POINTS - 1) * lives.step};
    shard.row = need_memory(shard.base + shard.more, sizeof *shard.row);
    shard.cell = need_memory(shard.slots * sparse_words(FIELDS - 1, shape->band), sizeof *shard.cell);
    for (uint64_t i = 0; i < shards; i++) {
        int64_t grown[FIELDS];
        draw_rows(&shard, shape->band, &seed);
        for (unsigned p = 0; p < FIELDS; p++)
            grown[p] = grow(&shard, p, shape->band);
        count_points(&lives, grown);
    }
    free(shard.row);
    free(shard.cell);
    return lives;
}

/* ---- limits ---- */

static double confidence(void)
{
    return 1 - (1 - ALL_LIMITS) / LIMITS;
}

/* Of one field with the rows of point j: the best of several d. */
static double eta_above(const struct lives *lives, unsigned p, int j)
{
    static const int distances[] = {1, 2, 4, 8, 16};
    const uint64_t *alive = lives->alive[1u << p];
    double least = 1;
    for (size_t i = 0; i < sizeof distances / sizeof distances[0] && j + distances[i] < POINTS; i++) {
        double lower = interval_lower(alive[j + distances[i]], alive[j], confidence());
        least = fmin(least, 1 - pow(lower, 1.0 / (lives->step * (double)distances[i])));
    }
    return least;
}

/* With all rows that a shard takes, from the rows before: eta is not above the last one's. */
static double eta_below(const struct lives *lives, unsigned p)
{
    const uint64_t *alive = lives->alive[1u << p];
    double most = 0;
    for (int d = 1; d <= FULL; d *= 2) {
        double upper = interval_upper(alive[FULL], alive[FULL - d], confidence());
        most = fmax(most, 1 - pow(upper, 1.0 / (lives->step * (double)d)));
    }
    return most;
}

/* Of all fields in w, with any number of rows up to point `to`, and more than up to the point before. */
static double segment(const struct lives *lives, unsigned w, int to)
{
    double sum = 0, all = interval_lower(lives->alive[w][to], lives->shards, confidence());
    for (unsigned p = 0; p < FIELDS; p++) {
        double one = to ? interval_upper(lives->alive[1u << p][to - 1], lives->shards, confidence()) : 1;
        if (w >> p & 1)
            sum += eta_above(lives, p, to) * one / all;
    }
    return sum;
}

static double above(const struct lives *lives, unsigned w)
{
    double most = 0;
    for (unsigned p = 0; p < FIELDS; p++)
        if (w == 1u << p)
            return eta_above(lives, p, FULL);
    for (int j = 0; j <= FULL; j++)
        most = fmax(most, segment(lives, w, j));
    return most;
}

/* ---- layouts ---- */

enum { FEW_SHARDS = 16, CONTROL_SHARDS = 60, FEW_ROWS = 4000 };

static uint64_t seed = 0x5eed, shards, rows;

static void print_lives(const struct shape *shape, const struct lives *lives)
{
    uint64_t alive = lives->alive[SUBSETS - 1][FULL];
    printf("band %3u, slack %.3f, %u rows: %llu of %llu tries fail\n", shape->band, shape->slack, shape->rows,
           (unsigned long long)(lives->shards - alive), (unsigned long long)lives->shards);
}

static int check_layout(const struct eta_layout *layout, int full)
{
    const struct shape shape = {layout->band, layout->least_slack, (uint32_t)rows};
    const struct lives lives = grow_shards(&shape, shards, seed++);
    int good = 1;
    print_lives(&shape, &lives);
    for (unsigned w = 1; full && w < SUBSETS; w++) {
        double limit = above(&lives, w), charged = radix_eta(shape.band, shape.slack, (unsigned)__builtin_popcount(w));
        good &= limit <= WIDER * charged;
        printf("  %s%s%s: at most %.2e, charged %.2e  %s\n", w & 1 ? "2 " : "", w & 2 ? "3 " : "", w & 4 ? "7 " : "",
               limit, charged, limit <= WIDER * charged ? "ok" : "OUT");
    }
    for (unsigned p = 0; !full && p < FIELDS; p++) {
        double limit = eta_below(&lives, p), charged = radix_eta(shape.band, shape.slack, 1);
        good &= limit <= charged;
        printf("  field %u: at least %.2e, charged %.2e  %s\n", p, limit, charged, limit <= charged ? "ok" : "OUT");
    }
    return good;
}

static int check_control(const struct eta_layout *layout)
{
    const struct shape shape = {layout->band, 0, FEW_ROWS};
    const struct lives lives = grow_shards(&shape, CONTROL_SHARDS, seed++);
    double limit = eta_below(&lives, 0), charged = radix_eta(layout->band, layout->least_slack, 1);
    print_lives(&shape, &lives);
    printf("  field 0: at least %.2e, charged %.2e  %s\n", limit, charged,
           limit > charged ? "out, as it must be" : "NOT REJECTED");
    return limit > charged;
}

int main(int argc, char **argv)
{
    int small = getenv("UF_TEST_SMALL") != NULL, full = !small && getenv("UF_TEST_FULL"), good = 1;
    shards = full ? 4000 : small ? FEW_SHARDS : 50;
    rows = full ? 133000 : FEW_ROWS;
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        shards = strtoull(argv[2], NULL, 0);
    if (argc > 3)
        rows = strtoull(argv[3], NULL, 0);
    const struct eta_layout *layout;
    for (unsigned i = 0; (layout = eta_layout(i)); i++)
        good &= check_layout(layout, full || argc > 2);
    return good & check_control(eta_layout(0)) ? 0 : 1;
}
