/* SPDX-License-Identifier: MIT */
/* overlap: how two filters differ, and how many keys they have in common. */
#define UF_EXPERIMENTAL /* uf_distance */
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "human.h"
#include "layout.h"
#include "message.h"
#include "report.h"
#include "shared.h"
#include "store.h"

static const struct option option_distance = {0, "distance", VALUE_NONE, NULL,
                                              "Print in how many bits the two arrays differ (their Hamming distance) "
                                              "instead of estimates. Of an exact filter and "
                                              "a private copy of it that is the copy's reconstruction error."};

/* Error bars are two standard deviations: 95 of 100 such estimates are within them. */
enum { SIGMAS = 2 };

struct side {
    const char *path;
    uf_filter *filter;
    uf_spec spec;
    char key_id[UF_KEY_ID_SIZE];
};

struct pair {
    struct side side[2];
    uf_overlap overlap;
    uf_error why; /* why there are no estimates; status UF_OK: there are */
};

/* Bits tell without a key. */
static int load_side(const char *path, const uf_context *context, struct side *out)
{
    out->path = path;
    if (store_load(path, UF_WITHOUT_KEY, context, &out->filter))
        return EXIT_ERROR;
    uf_get_plan(out->filter, &out->spec);
    uf_get_key_id(out->filter, out->key_id);
    return EXIT_FINE;
}

static int compare(const struct args *args, struct pair *out)
{
    uf_context context;
    if (store_open(args, &context))
        return EXIT_ERROR;
    int status = EXIT_FINE;
    for (size_t i = 0; !status && i < 2; i++)
        status = load_side(args->operand[i], &context, &out->side[i]);
    store_close(&context);
    if (status)
        return status;
    out->why.status =
        uf_get_overlap(out->side[0].filter, out->side[1].filter, &out->overlap, sizeof out->overlap, &out->why);
    return out->why.status == UF_ENOMEM ? print_error("%s", out->why.text) : EXIT_FINE;
}

/* ---- distance ---- */

/* The Hamming distance of two arrays, and what the UltraFilter paper's definitions 6.1 and 6.2 bound it by. */
struct distance {
    uint64_t bits, of;
    int copy;     /* 1: one may be a private copy of the other, as the seeds are equal: definition 6.1 */
    double bound; /* of the share */
};

static int is_copy(const struct side *exact, const struct side *noisy)
{
    char a[32], b[32];
    return !strncmp(exact->spec.text, "bloom:", 6) && !strncmp(noisy->spec.text, "ultra:", 6) &&
           !uf_spec_get_text(&exact->spec, "seed", a, sizeof a) &&
           !uf_spec_get_text(&noisy->spec, "seed", b, sizeof b) && !strcmp(a, b);
}

static int measure(const struct pair *pair, struct distance *out)
{
    uf_info info, other;
    double epsilon = 0;
    uf_get_info(pair->side[0].filter, &info, sizeof info);
    uf_get_info(pair->side[1].filter, &other, sizeof other);
    *out = (struct distance){.of = info.bits, .bound = 1};
    if (info.bits != other.bits || uf_distance(pair->side[0].filter, pair->side[1].filter, &out->bits) != UF_OK)
        return print_error("%s has %llu bits and %s has %llu: a distance is between arrays of one size",
                           pair->side[0].path, (unsigned long long)info.bits, pair->side[1].path,
                           (unsigned long long)other.bits);
    int first = is_copy(&pair->side[0], &pair->side[1]), second = is_copy(&pair->side[1], &pair->side[0]);
    out->copy = first || second;
    if (out->copy && uf_spec_get(&pair->side[first ? 1 : 0].spec, "epsilon", &epsilon) == UF_OK)
        out->bound = 1 / (1 + exp(-epsilon));
    return EXIT_FINE;
}

static int print_distance(const struct args *args, const struct pair *pair)
{
    struct distance distance;
    char text[160];
    if (measure(pair, &distance))
        return EXIT_ERROR;
    const double share = (double)distance.bits / (double)distance.of;
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:[o, o], s:I, s:I, s:f, s:b, s:f}", "files", report_text(pair->side[0].path),
                                     report_text(pair->side[1].path), "distance", (json_int_t)distance.bits, "bits",
                                     (json_int_t)distance.of, "share", share, "reconstruction", distance.copy, "bound",
                                     distance.bound));
    (void)snprintf(text, sizeof text, "%s of %s bits differ, %.4f of them", human_count((double)distance.bits).text,
                   human_count((double)distance.of).text, share);
    layout_entry(stdout, "Distance", text, 13);
    (void)snprintf(text, sizeof text,
                   distance.copy ? "the reconstruction error, if the one is a private copy of the other; the paper's "
                                   "bound is %.4f (definition 6.1)"
                                 : "of two arrays; the paper's bound is %.0f (definition 6.2)",
                   distance.bound);
    layout_entry(stdout, "", text, 13);
    return EXIT_FINE;
}

/* ---- estimates ---- */

static json_t *estimate_object(double value, double error)
{
    return json_pack("{s:o, s:o}", "estimate", report_number(value), "error", report_number(SIGMAS * error));
}

static int print_object(const struct pair *pair)
{
    const uf_overlap *overlap = &pair->overlap;
    json_t *object = json_pack("{s:[o, o], s:[s, s], s:b}", "files", report_text(pair->side[0].path),
                               report_text(pair->side[1].path), "specs", pair->side[0].spec.text,
                               pair->side[1].spec.text, "twins", pair->why.status == UF_OK);
    int bad = 0;
    if (object && pair->why.status != UF_OK)
        bad = json_object_set_new(object, "why", json_string(pair->why.text));
    else if (object)
        bad = json_object_set_new(object, "first", estimate_object(overlap->first, overlap->first_error)) ||
              json_object_set_new(object, "second", estimate_object(overlap->second, overlap->second_error)) ||
              json_object_set_new(object, "both", estimate_object(overlap->both, overlap->both_error)) ||
              json_object_set_new(object, "either", estimate_object(overlap->either, overlap->either_error));
    if (bad) {
        json_decref(object);
        object = NULL;
    }
    return report_json(object);
}

static void field(const char *label, const char *text)
{
    layout_entry(stdout, label, text, 13);
}

static void print_estimate(const char *label, double value, double error)
{
    char text[96];
    (void)snprintf(text, sizeof text, "%s, give or take %s", human_estimate(fmax(value, 0)).text,
                   human_count(ceil(SIGMAS * error)).text);
    field(label, text);
}

static void print_side(const char *label, const struct side *side)
{
    char text[sizeof side->spec.text + 64];
    (void)snprintf(text, sizeof text, "%s%s%s", side->spec.text, side->key_id[0] ? ", key " : "", side->key_id);
    (void)printf("%s\n", side->path);
    field(label, text);
}

static void print_human(const struct pair *pair)
{
    const uf_overlap *overlap = &pair->overlap;
    const int same = pair->why.status == UF_OK;
    print_side("Spec", &pair->side[0]);
    if (same)
        print_estimate("Keys", overlap->first, overlap->first_error);
    print_side("Spec", &pair->side[1]);
    if (same)
        print_estimate("Keys", overlap->second, overlap->second_error);
    (void)printf("together\n");
    if (same) {
        print_estimate("In both", overlap->both, overlap->both_error);
        print_estimate("In either", overlap->either, overlap->either_error);
    } else {
        field("Not told", pair->why.text);
    }
}

static int run(const struct args *args)
{
    struct pair pair = {.why = {0, 0, ""}};
    int status = compare(args, &pair);
    const int distance = args_has(args, &option_distance);
    if (!status && distance)
        status = print_distance(args, &pair);
    else if (!status && args_has(args, &option_json))
        status = print_object(&pair);
    else if (!status)
        print_human(&pair);
    for (size_t i = 0; i < 2; i++)
        uf_free(pair.side[i].filter);
    return status ? status : distance || pair.why.status == UF_OK ? EXIT_FINE : EXIT_NONE;
}

static const struct option *const options[] = {&option_distance, &option_json, &option_progress, NULL};

static const struct example examples[] = {
    {"ultrafilter overlap monday.uf tuesday.uf", "How many keys of two filters that were built with --like."},
    {"ultrafilter overlap --json a.uf b.uf | jq .both.estimate", "One figure, for a script."},
    {"ultrafilter overlap --distance exact.uf copy.uf", "The reconstruction error of a private copy."},
    {NULL, NULL},
};

const struct command command_overlap = {
    .name = "overlap",
    .synopsis = "A.uf B.uf [options]",
    .summary = "estimate how many keys two filters have in common",
    .description =
        "Prints what the two filters are and, where they are twins, how many keys each has, both have, and they have "
        "together, estimated from their bits. Twins have equal parameters, an equal seed and the same key, as 'build "
        "--like' makes them, and are of a kind that tells: bloom, blocked, counting or deletable. 'give or take' is "
        "two "
        "standard deviations: 95 of 100 such estimates are that close. Where they are no twins it says in what they "
        "differ.\n\n"
        "A key is not needed: bits tell how many, not which.",
    .options = options,
    .examples = examples,
    .exit_status =
        "0 when there are estimates or a distance, 1 when the filters are no twins or of another kind, 2 on an error.",
    .least = 2,
    .most = 2,
    .run = run,
};
