/* SPDX-License-Identifier: MIT */
#include "audit_report.h"

#include <math.h>
#include <stdio.h>

#include "human.h"
#include "layout.h"
#include "message.h"
#include "report.h"

/* What both experiments end with. */
struct finding {
    double epsilon, claim, delta;
    double most; /* that any mechanism could have shown */
    double noticed;
};

static int exit_status(const struct finding *finding)
{
    switch (audit_verdict(finding->epsilon, finding->claim, finding->noticed)) {
    case AUDIT_VIOLATED:
        return EXIT_NONE;
    case AUDIT_NO_POWER:
        return EXIT_NO_POWER;
    default:
        return EXIT_FINE;
    }
}

/* ---- JSON ---- */

static const char *verdict_word(const struct finding *finding)
{
    static const char *const words[] = {
        [AUDIT_CONSISTENT] = "consistent", [AUDIT_VIOLATED] = "violated", [AUDIT_NO_POWER] = "no power"};
    return words[audit_verdict(finding->epsilon, finding->claim, finding->noticed)];
}

static json_t *result(const struct question *question, const char *metric, double value, double low, double high,
                      double design, uint64_t trials)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:I}", "target", report_text(question->name), "metric", metric,
                     "value", report_number(value), "low", report_number(low), "high", report_number(high), "design",
                     report_number(design), "trials", (json_int_t)trials);
}

/* A lower bound: there is no upper end. */
static json_t *bound(const struct question *question, const struct finding *finding, uint64_t trials)
{
    return result(question, "epsilon", finding->epsilon, finding->epsilon, NAN, finding->claim, trials);
}

/* JSON has no infinity. */
static json_t *number_or_null(double value)
{
    return report_number(isfinite(value) ? value : NAN);
}

/* Takes the arrays over. */
static int print_object(const struct question *question, const char *experiment, const struct finding *finding,
                        json_t *results, json_t *events)
{
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "verdict", verdict_word(finding), "experiment",
                  experiment, "claim", report_number(finding->claim), "delta", report_number(finding->delta),
                  "confidence", report_number(question->audit.confidence), "noticed", number_or_null(finding->noticed),
                  "most", number_or_null(finding->most), "results", results);
    if (object && events)
        (void)json_object_set_new(object, "events", events);
    return report_json(object) ? EXIT_ERROR : exit_status(finding);
}

static json_t *event_object(const struct audit_event *event, uint64_t trials)
{
    char text[512];
    event_text(&event->event, text, sizeof text);
    return json_pack("{s:o, s:s, s:I, s:I, s:I, s:o}", "event", report_text(text), "likelier",
                     event->event.likelier ? "with x" : "without x", "with", (json_int_t)event->hits[1], "without",
                     (json_int_t)event->hits[0], "trials", (json_int_t)trials, "epsilon",
                     report_number(event->epsilon));
}

static int print_worlds_json(const struct question *question, const struct audit_worlds *worlds,
                             const struct finding *finding)
{
    json_t *results = json_pack("[o]", bound(question, finding, worlds->trials)), *events = json_array();
    for (unsigned i = 0; i < worlds->events; i++)
        (void)json_array_append_new(events, event_object(&worlds->event[i], worlds->trials));
    return print_object(question, "two worlds", finding, results, events);
}

/* ---- words ---- */

static void print_claim(const struct question *question, const struct finding *finding)
{
    const char *whose = question->own_claim ? "as it claims" : "as is claimed";
    if (finding->delta > 0)
        (void)printf("epsilon %.4g and delta %.4g, %s", finding->claim, finding->delta, whose);
    else
        (void)printf("epsilon %.4g, %s", finding->claim, whose);
}

static void print_power(const struct finding *finding)
{
    if (finding->most <= finding->claim)
        (void)printf("So few trials cannot show more than %.2f, whatever is audited.\n", finding->most);
    else if (isinf(finding->noticed))
        (void)printf("So few trials notice hardly any loss, whatever is audited.\n");
    else
        (void)printf("It would have noticed %.2f or more, in nine of ten audits.\n", finding->noticed);
}

static void print_verdict(const struct question *question, const struct finding *finding)
{
    switch (audit_verdict(finding->epsilon, finding->claim, finding->noticed)) {
    case AUDIT_VIOLATED:
        (void)printf("Violated: it is not ");
        print_claim(question, finding);
        (void)printf(", but at least %.4f.\n", finding->epsilon);
        return;
    case AUDIT_NO_POWER:
        (void)printf("No power: it cannot be told whether it is ");
        print_claim(question, finding);
        (void)printf(". ");
        break;
    default:
        (void)printf("Consistent with ");
        print_claim(question, finding);
        (void)printf(". ");
    }
    print_power(finding);
}

static void print_heading(const struct question *question)
{
    layout_paragraph(stdout, question->name, 0, 2);
}

static const char *keys_word(size_t count)
{
    return count == 1 ? "key" : "keys";
}

static void print_event(const struct audit_event *event, uint64_t trials)
{
    char text[512];
    event_text(&event->event, text, sizeof text);
    int at = printf("  %8.4f  %8.4f  %8.4f  ", event->epsilon, (double)event->hits[1] / (double)trials,
                    (double)event->hits[0] / (double)trials);
    layout_paragraph(stdout, text, (size_t)at, (size_t)at + 2);
}

static void print_events(const struct question *question, const struct audit_worlds *worlds)
{
    size_t base = question->audit.base;
    (void)printf("%s %s with and without one more, x; events chosen on %s runs of each, counted on %s others\n",
                 human_count((double)base).text, keys_word(base), human_count((double)worlds->chosen_on).text,
                 human_count((double)worlds->trials).text);
    if (!worlds->events)
        (void)printf("No event stands out.\n");
    else
        (void)printf("   epsilon    with x   without  event\n");
    for (unsigned i = 0; i < worlds->events; i++)
        print_event(&worlds->event[i], worlds->trials);
}

static void print_worlds(const struct question *question, const struct audit_worlds *worlds,
                         const struct finding *finding)
{
    print_heading(question);
    print_events(question, worlds);
    (void)printf("epsilon is at least %.4f, with %.4g %% confidence\n", worlds->epsilon,
                 100 * question->audit.confidence);
    if (question->presence_only)
        (void)printf("Nickel protects presence only: 'x is accepted' is what it bounds, and others show absence.\n");
    print_verdict(question, finding);
}

int audit_report_worlds(const struct question *question, const struct audit_worlds *worlds, int json)
{
    struct finding finding = {worlds->epsilon, worlds->claim.epsilon, worlds->claim.delta, worlds->most,
                              worlds->noticed};
    if (json)
        return print_worlds_json(question, worlds, &finding);
    print_worlds(question, worlds, &finding);
    return exit_status(&finding);
}

/* ---- one run ---- */

/* Said when the filter's own errors hide more than a fiftieth of what is claimed. */
static void note_most(const struct finding *finding, const struct audit_run *run)
{
    if (run->most < 0.98 * finding->claim)
        (void)printf(
            "At its size, keys that collide blur the answers: one run shows at most %.2f. More bits show more.\n",
            run->most);
}

static void print_run(const struct question *question, const struct audit_run *run, const struct finding *finding)
{
    print_heading(question);
    (void)printf("canaries guessed right: %s of %s, %.4f  [%.4f, %.4f]\n", human_count((double)run->right).text,
                 human_count((double)run->canaries).text, (double)run->right / (double)run->canaries, run->rate.low,
                 run->rate.high);
    (void)printf("epsilon is at least %.4f, with %.4g %% confidence\n", run->epsilon, 100 * question->audit.confidence);
    note_most(finding, run);
    print_verdict(question, finding);
}

int audit_report_run(const struct question *question, const struct audit_run *run, int json)
{
    const double confidence = question->audit.confidence, share = (double)run->right / (double)run->canaries;
    struct finding finding = {run->epsilon, question->audit.claim.epsilon, question->audit.claim.delta,
                              audit_guesses(run->canaries, run->canaries, confidence), run->noticed};
    if (json)
        return print_object(
            question, "one run", &finding,
            json_pack("[o, o, o]", bound(question, &finding, run->canaries),
                      result(question, "right_guesses", share, run->rate.low, run->rate.high, NAN, run->canaries),
                      result(question, "epsilon_most", run->most, NAN, NAN, NAN, run->canaries)),
            NULL);
    print_run(question, run, &finding);
    return exit_status(&finding);
}
