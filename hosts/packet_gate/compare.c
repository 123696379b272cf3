/* SPDX-License-Identifier: MIT */
/* The rows of the table in gate.h, summed over what was compared. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

int compare_one(struct comparison *comparison, const struct address *address, enum verdict said, enum verdict truly)
{
    comparison->verdicts[truly][said]++;
    if (said == truly)
        return EXIT_FINE;
    if (comparison->count == comparison->capacity) {
        size_t capacity = comparison->capacity ? comparison->capacity * 2 : 64;
        struct difference *grown = reallocarray(comparison->differences, capacity, sizeof *grown);
        if (!grown)
            return print_error("not enough memory for %zu differences", comparison->count);
        comparison->differences = grown;
        comparison->capacity = capacity;
    }
    comparison->differences[comparison->count++] = (struct difference){*address, (uint8_t)said, (uint8_t)truly};
    return EXIT_FINE;
}

void compare_member(struct membership *membership, int member, int accepted)
{
    *(member ? &membership->members : &membership->others) += 1;
    membership->missing += member && !accepted;
    membership->accepted += !member && accepted;
}

static int by_address(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(struct address)); /* the address is the first field */
}

void compare_finish(struct comparison *comparison)
{
    if (comparison->count)
        qsort(comparison->differences, comparison->count, sizeof *comparison->differences, by_address);
}

void compare_free(struct comparison *comparison)
{
    free(comparison->differences);
}

/* Rates of both filters, at one moment. */
struct rates {
    double good_fpr, good_fnr, bad_fpr;
};

static struct rates rates_now(const struct gate *gate, const struct rates *planned)
{
    uf_info good, bad;
    uf_get_info(gate->good.filter, &good, sizeof good);
    uf_get_info(gate->bad.filter, &bad, sizeof bad);
    return (struct rates){isnan(good.fpr_now) ? planned->good_fpr : good.fpr_now,
                          isnan(good.fnr_now) ? planned->good_fnr : good.fnr_now,
                          isnan(bad.fpr_now) ? planned->bad_fpr : bad.fpr_now};
}

static struct rates rates_planned(const struct gate *gate)
{
    uf_claim good, bad;
    uf_get_claim(gate->good.filter, &good, sizeof good);
    uf_get_claim(gate->bad.filter, &bad, sizeof bad);
    return (struct rates){good.fpr, good.fnr, bad.fpr};
}

static uint64_t row(const struct comparison *comparison, enum verdict truly)
{
    const uint64_t *said = comparison->verdicts[truly];
    return said[VERDICT_UNKNOWN] + said[VERDICT_GOOD] + said[VERDICT_BAD];
}

static double wrong_at(const struct comparison *comparison, const struct rates *rates, int evicted)
{
    double missing = rates->good_fnr + (evicted ? rates->good_fpr : 0);
    double good = rates->bad_fpr + (1 - rates->bad_fpr) * missing;
    double unknown = rates->bad_fpr + (1 - rates->bad_fpr) * rates->good_fpr;
    return (double)row(comparison, VERDICT_GOOD) * good + (double)row(comparison, VERDICT_UNKNOWN) * unknown;
}

struct comparison_rates compare_rates(const struct comparison *comparison, const struct gate *gate)
{
    const int evicted = sources_counted(gate->sources).evicted || gate->good.loaded;
    const struct rates planned = rates_planned(gate), now = rates_now(gate, &planned);
    struct comparison_rates out = {.wrong = comparison->count};
    for (int truly = 0; truly < VERDICTS; truly++)
        out.compared += row(comparison, (enum verdict)truly);
    out.expected = wrong_at(comparison, &now, evicted);
    out.planned = wrong_at(comparison, &planned, evicted);
    out.missed = row(comparison, VERDICT_BAD) - comparison->verdicts[VERDICT_BAD][VERDICT_BAD];
    out.bad = row(comparison, VERDICT_BAD);
    out.lost = gate_lost_history(gate) + gate->bad.turned_away;
    out.worse = (double)(out.wrong - out.missed) > out.planned + 3 * sqrt(out.planned) || out.missed > out.lost;
    return out;
}
