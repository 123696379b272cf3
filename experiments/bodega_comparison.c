/* SPDX-License-Identifier: MIT */
#include "bodega_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keyring.h"

enum { CLASSICAL_BATCH = 1024, STREAM_DATA = 400, LONGEST = 256 };

static const char *const design_spec[DESIGNS] = {
    [DOWNTOWN] = "downtown:fpr=%.9g,alpha=%g,children=bloom",
    [ROBUST] = "robust:fpr=%.9g,alpha=%g,regions=8,children=bloom",
    [WHOLE] = "downtown:fpr=%.9g,alpha=%g,children=bloom,definition=paper",
};

const double comparison_alpha[ALPHAS] = {0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3};

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

static struct range worst_range(const uf_region *region, unsigned regions, double *rate)
{
    unsigned worst = 0;
    for (unsigned i = 1; i < regions; i++)
        if (region[i].fpr > region[worst].fpr)
            worst = i;
    *rate = region[worst].fpr;
    return (struct range){region[worst].from, worst + 1 < regions ? region[worst + 1].from : INFINITY};
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
    return uf_get_learned(filter, &learned, sizeof learned) == UF_OK ? (double)learned.bytes : NAN;
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
    uf_region region[UF_MOST_REGIONS];
    if (uf_get_learned(filter, &learned, sizeof learned) != UF_OK ||
        uf_get_regions(filter, region, sizeof region[0], UF_MOST_REGIONS) != UF_OK)
        return;
    struct range range = worst_range(region, learned.regions, &out->worst);
    out->bytes = (double)learned.bytes;
    out->planned = (1 - alpha) * learned.fpr_valid + alpha * out->worst;
    out->ordinary = accepted_share(filter, test->key, test->count);
    out->attacked = attack(comparison, filter, range, stream, &out->mutants);
}

/* Trial number: which alpha and which product. */
static int measure_candidate(void *arg, uint64_t number, const uf_context *ctx, uf_error *why)
{
    struct comparison *comparison = arg;
    double alpha = comparison_alpha[number / DESIGNS];
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
        uf_model_get_info(comparison->model, &comparison->info, sizeof comparison->info);
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
        uf_get_info(filter, &info, sizeof info);
        comparison->bytes = (double)info.bytes;
        *rate = accepted_share(filter, test->key, test->count);
    }
    uf_free(filter);
    uf_secret_free(secret);
    return status;
}

int comparison_measure(const struct setup *setup, struct comparison *comparison, double *classical, uf_error *why)
{
    struct trials trials = setup->trials;
    int status = train(setup, comparison, why);
    if (status == UF_OK)
        status = open_classical(setup, comparison, classical, why);
    trials.count = (uint64_t)ALPHAS * DESIGNS;
    trials.seed.value += (uint64_t)(STREAM_DATA + 1) << 32;
    return status == UF_OK ? trials_run(&trials, measure_candidate, comparison, why) : status;
}
