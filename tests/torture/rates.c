/* SPDX-License-Identifier: MIT */
/*
 * Rates are what filters claim (uf_claim), at 10^7 and 10^8 keys and as many strangers, in every kind: of strangers
 * that are accepted, and of members that are missed by kinds that do so. One filter a row, with keys from a seed that
 * is another one each time, and printed.
 *
 * A row is rejected when chance alone would bring it so far from the claim with probability below FAMILY / rows
 * (Bonferroni): all claims being true, a run fails with probability FAMILY at most. The deviation of a share p of N
 * answers is sqrt(p (1 - p) / N + p^2 * 512 / bits): the second term is for what differs between filters, whose blocks
 * of 512 bits have loads of their own; it is right for blocked, and more than other kinds have. Where a rate was
 * planned on V strangers, p (1 - p) / V is added. The control: with half of the rate claimed, every row is rejected.
 *
 * usage: torture_rates short|full [KEYS]
 */
#include <math.h>

#include "check.h"
#include "figure.h"
#include "large.h"

#define FAMILY 1e-3

enum sides { EXACT, AT_MOST };

static const struct subject {
    const char *spec;
    enum sides sides; /* whether a lower rate than claimed is an error, too */
    int missing;      /* it claims to miss members, at a rate */
} subjects[] = {
    {"bloom:fpr=0.01", EXACT, 0},
    {"blocked:fpr=0.01", EXACT, 0},
    {"ribbon:fpr=0.01", EXACT, 0},
    {"counting:fpr=0.01", EXACT, 0},
    {"deletable:fpr=0.01", EXACT, 0},
    {"tombstone:fpr=0.01", EXACT, 0},
    {"dcso:fpr=0.01", AT_MOST, 0},
    {"keyed(bloom:fpr=0.01)", EXACT, 0},
    {"keyed(blocked:fpr=0.01,prf=aes)", EXACT, 0},
    {"blocked:fpr=0.01,full=scale", AT_MOST, 0},
    {"dpset:epsilon=3", EXACT, 1},
    {"ultra:epsilon=3", EXACT, 1},
    {"learned:fpr=0.01", AT_MOST, 0},
    {"sandwich:fpr=0.01", AT_MOST, 0},
    {"partition:fpr=0.01", AT_MOST, 0},
    {"uptown:fpr=0.01", AT_MOST, 0},
    {"downtown:fpr=0.01", AT_MOST, 0},
    {"robust:fpr=0.01", AT_MOST, 0},
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0], SIZES = 2, MOST_ROWS = 2 * SIZES * SUBJECTS };

/* One share beside what is claimed. */
struct row {
    char check[128], note[160];
    double claim, share, trials; /* trials: answers */
    double deviation, sigmas, chance;
    enum sides sides;
    uint64_t keys, wanted;
};

static struct row rows[MOST_ROWS];
static size_t row_count;

/* ---- statistics ---- */

static double deviation_of(double claim, double trials, const struct large_result *from)
{
    const double planned = from->planned > 0 ? claim * (1 - claim) / from->planned : 0;
    return sqrt(claim * (1 - claim) / trials + claim * claim * 64 / from->bytes + planned);
}

/* That a true claim is missed by so many deviations. */
static double chance_of(double sigmas, enum sides sides)
{
    return sides == EXACT ? erfc(fabs(sigmas) / M_SQRT2) : 0.5 * erfc(sigmas / M_SQRT2);
}

static double per_row(void)
{
    return FAMILY / (double)row_count;
}

/* ---- rows ---- */

static void add_row(const char *what, const struct subject *subject, const struct large *request, uint64_t wanted,
                    const struct large_result *result)
{
    struct row *row = &rows[row_count++];
    const int misses = what[0] == 'm';
    const uint64_t trials = misses ? result->members : result->strangers;
    *row = (struct row){.claim = misses ? result->fnr : result->fpr,
                        .share = (double)(misses ? result->missed : result->accepted) / (double)trials,
                        .trials = (double)trials,
                        .sides = subject->sides,
                        .keys = request->n,
                        .wanted = wanted};
    row->deviation = deviation_of(row->claim, row->trials, result);
    row->sigmas = (row->share - row->claim) / row->deviation;
    row->chance = chance_of(row->sigmas, row->sides);
    (void)snprintf(row->check, sizeof row->check, "share of %s: %s, %.0e keys", what, subject->spec, (double)wanted);
    (void)snprintf(row->note, sizeof row->note, "%+.2f deviations of %.2g; %.0f s, %.2f GiB; SEED=0x%llx", row->sigmas,
                   row->deviation, result->build_seconds + result->ask_seconds, result->peak_kib / (1 << 20),
                   (unsigned long long)request->seed);
    (void)fprintf(stderr, "%-70s claimed %.5g, found %.5g, %s\n", row->check, row->claim, row->share, row->note);
}

static void measure(const struct subject *subject, uint64_t n, uint64_t seed, int full)
{
    struct large request = {subject->spec, n, subject->missing ? n : 0, n, seed};
    const uint64_t wanted = full ? n : 10000000;
    if (full)
        request = large_fit(&request);
    const struct large_result result = large_run(&request);
    if (result.status != UF_OK) {
        complain("%s, %llu keys: %s", subject->spec, (unsigned long long)request.n, result.why);
        return;
    }
    add_row("strangers accepted", subject, &request, wanted, &result);
    if (subject->missing)
        add_row("members missed", subject, &request, wanted, &result);
}

static void print_row(const struct row *row)
{
    const int rejected = row->chance < per_row();
    char found[96], target[96];
    (void)snprintf(found, sizeof found, "%.6g of %.3g", row->share, row->trials);
    (void)snprintf(target, sizeof target, "%s%.6g of %.0e", row->sides == EXACT ? "" : "at most ", row->claim,
                   (double)row->wanted);
    figure_say(row->check, found, target,
               rejected                  ? FIGURE_FAILED
               : row->keys < row->wanted ? FIGURE_SHORT
                                         : FIGURE_MET,
               "%s", row->note);
}

/* How many rows are too far above half of what they claim. */
static size_t rejected_controls(void)
{
    size_t rejected = 0;
    for (size_t i = 0; i < row_count; i++) {
        const double sigmas = (rows[i].share - rows[i].claim / 2) / rows[i].deviation;
        const int out = chance_of(sigmas, AT_MOST) < per_row();
        if (!out)
            (void)fprintf(stderr, "control not rejected: %s, %+.1f deviations\n", rows[i].check, sigmas);
        rejected += (size_t)out;
    }
    return rejected;
}

static void print_all(void)
{
    double least = 1;
    char found[96], target[96];
    for (size_t i = 0; i < row_count; i++) {
        print_row(&rows[i]);
        least = fmin(least, rows[i].chance);
    }
    const double family = fmin(1, least * (double)row_count);
    (void)snprintf(found, sizeof found, "%.2g", family);
    (void)snprintf(target, sizeof target, "at least %g", FAMILY);
    figure_say("rates: chance of the farthest row, over all", found, target,
               family < FAMILY ? FIGURE_FAILED : FIGURE_MET,
               "the family-wise error of a run, by Bonferroni over %zu rows, is %g", row_count, FAMILY);
    const size_t rejected = rejected_controls();
    (void)snprintf(found, sizeof found, "%zu of %zu rejected", rejected, row_count);
    figure_say("rates: the control, half of each claim", found, "all rejected",
               rejected < row_count || !row_count ? FIGURE_FAILED : FIGURE_MET, "on the very same answers");
}

/* Every kind is here. */
static void check_kinds(void)
{
    for (size_t k = 0; uf_kind_name(k); k++) {
        int found = 0;
        for (size_t i = 0; i < SUBJECTS && !found; i++) {
            const uf_spec spec = spec_of(subjects[i].spec);
            found = !strcmp(uf_spec_kind(&spec), uf_kind_name(k));
        }
        if (!found)
            complain("kind %s is not held to its rate", uf_kind_name(k));
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: torture_rates short|full [KEYS]\n");
        return 2;
    }
    const int full = !strcmp(argv[1], "full");
    const uint64_t given = argc > 2 ? (uint64_t)strtod(argv[2], NULL) : 0;
    const uint64_t sizes[SIZES] = {given ? given : full ? 10000000 : 40000, full && !given ? 100000000 : 0};
    uint64_t seed = figure_seed(full);
    check_kinds();
    large_open(50000);
    for (size_t s = 0; s < SIZES && sizes[s]; s++)
        for (size_t i = 0; i < SUBJECTS; i++)
            measure(&subjects[i], sizes[s], seed, full);
    print_all();
    return figure_status();
}
