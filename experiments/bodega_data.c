/* SPDX-License-Identifier: MIT */
/*
 * Filters of real keys, all of the same size, while an adversary chooses a share alpha of the queries: a keyed Bloom
 * filter of 1 %, and the lowest rate that kinds downtown and robust reach in its bytes, their model included. The
 * adversary knows the model and not the key: mutants of real keys, one character changed, which score where the filter
 * is worst. Measured are the two parts of the queries, others that nobody chose and mutants; the rate of the whole is
 * (1 - alpha) of one and alpha of the other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodega.h"
#include "dataset.h"
#include "keyring.h"

enum { CLASSICAL_BATCH = 1024, MUTANTS = 20000, FEW_MUTANTS = 4000, STREAM_DATA = 400, LONGEST = 256 };

enum design { DOWNTOWN, ROBUST, WHOLE, DESIGNS };

static const char *const design_spec[DESIGNS] = {
    [DOWNTOWN] = "downtown:fpr=%.9g,alpha=%g,children=bloom",
    [ROBUST] = "robust:fpr=%.9g,alpha=%g,regions=8,children=bloom",
    [WHOLE] = "downtown:fpr=%.9g,alpha=%g,children=bloom,definition=paper",
};

static const double alphas[] = {0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3};
enum { ALPHAS = sizeof alphas / sizeof alphas[0] };

/* One filter of the comparison, measured. */
struct candidate {
    double planned; /* (1 - alpha) of ordinary ones and alpha of the worst */
    double ordinary, attacked;
    double worst; /* of its regions */
    double mutants, bytes;
};

struct comparison {
    struct dataset dataset;
    uf_model *model;
    double bytes;     /* of every filter */
    uint64_t mutants; /* asked of each */
    struct candidate candidate[ALPHAS][DESIGNS];
    uf_model_info info;
};

/* ---- asking ---- */

static double accepted_share(const uf_filter *filter, const uf_key *keys, size_t count)
{
    uint8_t answer[CLASSICAL_BATCH];
    uint64_t yes = 0;
    for (size_t done = 0; done < count;) {
        size_t batch = count - done < CLASSICAL_BATCH ? count - done : CLASSICAL_BATCH;
        uf_query_many(filter, keys + done, batch, answer);
        for (size_t i = 0; i < batch; i++)
            yes += answer[i];
        done += batch;
    }
    return (double)yes / (double)count;
}

/* ---- the adversary ---- */

struct range {
    double from, to; /* of scores */
};

static struct range worst_range(const uf_learned *learned, double *rate)
{
    unsigned worst = 0;
    for (unsigned i = 1; i < learned->regions; i++)
        if (learned->region[i].fpr > learned->region[worst].fpr)
            worst = i;
    *rate = learned->region[worst].fpr;
    return (struct range){learned->region[worst].from,
                          worst + 1 < learned->regions ? learned->region[worst + 1].from : INFINITY};
}

/* Of a member or of another key that is not measured with, by turns. */
static uf_key mutate(const struct dataset *dataset, struct stream *stream, char out[LONGEST])
{
    uint64_t random = stream_next(stream);
    const struct dataset_keys *from = random & 1 ? &dataset->members : &dataset->others[DATASET_VALID];
    uf_key key = from->key[(random >> 1) % from->count];
    size_t size = key.size < LONGEST ? key.size : LONGEST;
    memcpy(out, key.data, size);
    random = stream_next(stream);
    out[random % size] = (char)('a' + (random >> 32) % 26);
    return (uf_key){out, size};
}

/* The share of mutants that are accepted; how many there were is in *count. */
static double attack(const struct comparison *comparison, const uf_filter *filter, struct range range,
                     struct stream *stream, double *count)
{
    char text[LONGEST];
    uint64_t yes = 0, asked = 0;
    for (uint64_t tries = 0; asked < comparison->mutants && tries < 50 * comparison->mutants; tries++) {
        uf_key key = mutate(&comparison->dataset, stream, text);
        double score = uf_model_score(comparison->model, key);
        if (score < range.from || score >= range.to || dataset_has(&comparison->dataset, key))
            continue;
        yes += (uint64_t)uf_query(filter, key);
        asked++;
    }
    *count = (double)asked;
    return asked ? (double)yes / (double)asked : 0;
}

/* ---- filters of one size ---- */

static int build(const struct comparison *comparison, enum design design, double fpr, double alpha,
                 const uf_context *ctx, uf_filter **out, uf_error *why)
{
    const struct dataset *dataset = &comparison->dataset;
    uf_learning learning = UF_LEARNING_INIT;
    uf_context with = *ctx;
    uf_spec spec;
    learning.model = comparison->model;
    learning.valid = dataset->others[DATASET_VALID].key;
    learning.valid_count = dataset->others[DATASET_VALID].count;
    learning.force = 1;
    with.learning = &learning;
    char text[sizeof spec.text];
    (void)snprintf(text, sizeof text, design_spec[design], fpr, alpha);
    int status = uf_spec_parse(text, &spec, why);
    return status == UF_OK ? uf_build(&spec, dataset->members.key, dataset->members.count, &with, out, why) : status;
}

static double bytes_of(const uf_filter *filter)
{
    uf_learned learned;
    return uf_get_learned(filter, &learned) == UF_OK ? (double)learned.bytes : NAN;
}

/*
 * The lowest rate whose filter fits, within one percent of the bytes. Bytes fall with ln F, by at most
 * n / (8 (ln 2)^2) for each unit (twice that when both filters hold all keys), and more slowly where regions are open:
 * steps of that size stay on the large side, and the slope seen so far makes them longer.
 */
static int fit(const struct comparison *comparison, enum design design, double alpha, const uf_context *ctx,
               uf_filter **out, uf_error *why)
{
    double copies = design == WHOLE ? 2 : 1, x = log(0.01), last_x = 0, last = 0;
    double slope = copies * (double)comparison->dataset.members.count / (8 * M_LN2 * M_LN2);
    double most = log(0.9), least = log(1e-12);
    *out = NULL;
    for (int i = 0; i < 12; i++) {
        uf_filter *filter = NULL;
        int status = build(comparison, design, exp(x), alpha, ctx, &filter, why);
        if (status != UF_OK)
            return status;
        double bytes = bytes_of(filter);
        if (i && fabs(x - last_x) > 1e-9 && (bytes - last) / (last_x - x) > slope / 50)
            slope = (bytes - last) / (last_x - x);
        last_x = x;
        last = bytes;
        if (bytes <= comparison->bytes) {
            uf_free(*out);
            *out = filter;
            most = fmin(most, x);
        } else {
            uf_free(filter);
            least = fmax(least, x);
        }
        if (bytes <= comparison->bytes && bytes >= 0.99 * comparison->bytes)
            break;
        x += (bytes - 0.995 * comparison->bytes) / slope;
        if (!(x > least && x < most))
            x = (least + most) / 2;
    }
    if (!*out)
        (void)snprintf(why->text, sizeof why->text, "no %.*s filter fits %.0f bytes",
                       (int)strcspn(design_spec[design], ":"), design_spec[design], comparison->bytes);
    return *out ? UF_OK : UF_EIMPOSSIBLE;
}

static void measure(const struct comparison *comparison, const uf_filter *filter, double alpha, struct stream *stream,
                    struct candidate *out)
{
    const struct dataset_keys *test = &comparison->dataset.others[DATASET_TEST];
    uf_learned learned;
    if (uf_get_learned(filter, &learned) != UF_OK)
        return;
    struct range range = worst_range(&learned, &out->worst);
    out->bytes = (double)learned.bytes;
    out->planned = (1 - alpha) * learned.fpr_valid + alpha * out->worst;
    out->ordinary = accepted_share(filter, test->key, test->count);
    out->attacked = attack(comparison, filter, range, stream, &out->mutants);
}

/* Trial number: which alpha and which product. */
static int measure_candidate(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct comparison *comparison = arg;
    double alpha = alphas[number / DESIGNS];
    enum design design = (enum design)(number % DESIGNS);
    uf_context keyed = *ctx;
    uf_secret *secret = NULL;
    uf_filter *filter = NULL;
    struct stream stream = {number + 1};
    int status = keyring_draw(ctx, &secret, why);
    keyed.secret = secret;
    if (status == UF_OK)
        status = fit(comparison, design, alpha, &keyed, &filter, why);
    if (status == UF_OK)
        measure(comparison, filter, alpha, &stream, &comparison->candidate[number / DESIGNS][design]);
    uf_free(filter);
    uf_secret_free(secret);
    return status;
}

/* ---- the comparison ---- */

static int train(const struct setup *setup, struct comparison *comparison, uf_error *why)
{
    const struct dataset *dataset = &comparison->dataset;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_training how = UF_TRAINING_INIT;
    ctx.threads = setup->trials.threads;
    how.positives = dataset->members.key;
    how.positive_count = dataset->members.count;
    how.negatives = dataset->others[DATASET_TRAIN].key;
    how.negative_count = dataset->others[DATASET_TRAIN].count;
    how.valid = dataset->others[DATASET_VALID].key;
    how.valid_count = dataset->others[DATASET_VALID].count;
    how.children = "bloom";
    int status = uf_train(&how, &ctx, &comparison->model, why);
    if (status == UF_OK)
        uf_model_get_info(comparison->model, &comparison->info);
    return status;
}

/* The keyed Bloom filter: its bytes are what the others may have, and its rate what they must beat. */
static int open_classical(const struct setup *setup, struct comparison *comparison, double *rate, uf_error *why)
{
    const struct dataset *dataset = &comparison->dataset;
    const struct dataset_keys *test = &dataset->others[DATASET_TEST];
    struct trials trials = setup->trials;
    struct stream stream;
    uf_context ctx;
    uf_secret *secret = NULL;
    uf_filter *filter = NULL;
    uf_spec spec;
    uf_info info;
    int status = trials_context(&trials, (uint64_t)STREAM_DATA << 32, &stream, &ctx);
    if (status == UF_OK)
        status = keyring_draw(&ctx, &secret, why);
    ctx.secret = secret;
    if (status == UF_OK)
        status = uf_spec_parse("keyed(bloom:fpr=0.01)", &spec, why);
    if (status == UF_OK)
        status = uf_build(&spec, dataset->members.key, dataset->members.count, &ctx, &filter, why);
    if (status == UF_OK) {
        uf_get_info(filter, &info);
        comparison->bytes = (double)info.bytes;
        *rate = accepted_share(filter, test->key, test->count);
    }
    uf_free(filter);
    uf_secret_free(secret);
    return status;
}

static int measure_all(const struct setup *setup, struct comparison *comparison, double *classical, uf_error *why)
{
    struct trials trials = setup->trials;
    int status = train(setup, comparison, why);
    if (status == UF_OK)
        status = open_classical(setup, comparison, classical, why);
    trials.count = (uint64_t)ALPHAS * DESIGNS;
    trials.seed.value += (uint64_t)(STREAM_DATA + 1) << 32;
    return status == UF_OK ? trials_run(&trials, measure_candidate, comparison, why) : status;
}

/* ---- the table ---- */

static double mixed(const struct candidate *candidate, double alpha)
{
    return (1 - alpha) * candidate->ordinary + alpha * candidate->attacked;
}

/* Sampling on both sides, the negatives it was planned with and those it is measured with; filters fill unevenly by
 * some percent. What is below the plan is fine: plans have a margin. */
static void check_below(struct row *row, size_t column, double value, double plan, double tolerance)
{
    row_check(row, column, value, plan, value <= plan ? plan : tolerance + 0.05 * plan);
}

static void fill_design(struct row *row, size_t column, const struct comparison *comparison,
                        const struct candidate *candidate, double alpha)
{
    const struct dataset_keys *others = comparison->dataset.others;
    double ordinary = candidate->planned, sampling = rate_tolerance(ordinary, (double)others[DATASET_TEST].count) +
                                                     rate_tolerance(ordinary, (double)others[DATASET_VALID].count);
    row_show(row, column, candidate->planned);
    check_below(row, column + 1, mixed(candidate, alpha), candidate->planned,
                (1 - alpha) * sampling + alpha * rate_tolerance(candidate->worst, candidate->mutants));
}

static void fill_alpha(struct report *report, struct table *table, const struct comparison *comparison, size_t i,
                       double classical)
{
    const struct candidate *candidate = comparison->candidate[i];
    double test = (double)comparison->dataset.others[DATASET_TEST].count;
    char label[TABLE_LABEL];
    (void)snprintf(label, sizeof label, "%g", alphas[i]);
    struct row *row = table_row(report, table, label, "");
    row_check(row, 0, classical, 0.01, rate_tolerance(0.01, test) + 0.0005);
    fill_design(row, 1, comparison, &candidate[DOWNTOWN], alphas[i]);
    fill_design(row, 3, comparison, &candidate[ROBUST], alphas[i]);
    row_show(row, 5, mixed(&candidate[WHOLE], alphas[i]));
    row_show(row, 6, mixed(&comparison->candidate[0][ROBUST], alphas[i]));
    row_show(row, 7, candidate[ROBUST].worst);
    check_below(row, 8, candidate[ROBUST].attacked, candidate[ROBUST].worst,
                rate_tolerance(candidate[ROBUST].worst, candidate[ROBUST].mutants));
}

static void add_table(const struct setup *setup, struct report *report, const struct comparison *comparison,
                      double classical)
{
    static const char *const columns[] = {"classical", "downtown", "seen",  "robust",      "seen",
                                          "paper's",   "for 0",    "max f", "attack seen", NULL};
    char title[160];
    (void)snprintf(
        title, sizeof title, "Measured: %zu %s, filters of %.0f KiB with a model of %.0f KiB (AUC %.4f); FPR by alpha",
        comparison->dataset.members.count, setup->data ? "keys of --data" : "French words, asked for English ones",
        comparison->bytes / 1024, (double)comparison->info.bytes / 1024, comparison->info.auc);
    struct table *table = report_table(report, "bodega_measured", title, columns);
    table->head[0] = "alpha";
    table->note =
        "Classical: a keyed Bloom filter. Downtown and robust are planned for that alpha; seen is what came out, with\n"
        "alpha of the queries chosen to score where the filter is worst. Paper's: downtown with all keys in both\n"
        "filters. For 0: robust planned for no adversary, a partitioned learned filter with keys. Max f: the rate of\n"
        "robust's worst region, which bounds what an attack gets; seen: what it got.";
    for (size_t i = 0; i < ALPHAS; i++)
        fill_alpha(report, table, comparison, i, classical);
}

int bodega_data(const struct setup *setup, struct report *report, uf_error *why)
{
    struct comparison *comparison = calloc(1, sizeof *comparison);
    double classical = NAN;
    if (!comparison)
        return experiment_fail(why, UF_ENOMEM);
    /* The usual number is that of another paper; only a smaller one was meant. */
    uint64_t most = setup->keys < PAPER_KEYS ? setup->keys : UINT64_MAX;
    comparison->mutants = setup->keys < PAPER_KEYS ? FEW_MUTANTS : MUTANTS;
    int status = dataset_read(setup->data, most, &comparison->dataset, why);
    if (status == UF_OK)
        status = measure_all(setup, comparison, &classical, why);
    if (status == UF_OK)
        add_table(setup, report, comparison, classical);
    uf_model_free(comparison->model);
    dataset_free(&comparison->dataset);
    free(comparison);
    return status;
}
