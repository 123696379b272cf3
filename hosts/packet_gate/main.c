/* SPDX-License-Identifier: MIT */
/* packet_gate: reads packets, lets the gate decide, answers what is asked, reports. README.md has an example. */
#include <signal.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

#include "exact.h"
#include "generate.h"
#include "keep.h"
#include "list.h"
#include "output.h"
#include "record.h"
#include "report.h"
#include "message.h"

enum { SAVE_STRIDE = 1024 }; /* packets between looks at the clock */

struct run {
    struct options options;
    struct patterns *patterns; /* owned; NULL when there are none */
    struct packets *packets;   /* owned */
    struct gate gate;
    struct keep keep;
    double saved; /* when, as now() tells it */
    struct record record;
    struct exact *exact; /* owned; NULL without --exact */
    struct outcome outcome;
    FILE *answers;       /* where they are printed; NULL when they become part of the JSON report */
    json_t *answer_list; /* owned; NULL when they are printed */
};

/* ---- preparing ---- */

static struct packets *open_packets(const struct options *options)
{
    switch (options->form) {
    case INPUT_LINES:
        return packets_open_lines(options->input, options->limits);
    case INPUT_LIVE:
        return packets_open_live(options->input, options->limits);
    default:
        return packets_open_file(options->input, options->limits);
    }
}

static int deny(void *arg, const struct address *address, const char *word)
{
    struct run *run = arg;
    (void)word;
    if (gate_deny(&run->gate, address))
        return EXIT_ERROR;
    return run->exact ? exact_deny(run->exact, address) : EXIT_FINE;
}

/* The gate, with what earlier runs left. */
static int open_gate(struct run *run)
{
    const struct options *options = &run->options;
    struct gate_options gate = options->gate;
    gate.patterns = run->patterns;
    if (!options->keep)
        return gate_open(&run->gate, &gate);
    if (keep_open(&run->keep, options->keep))
        return EXIT_ERROR;
    gate.good_file = run->keep.good;
    gate.bad_file = run->keep.bad;
    if (gate_open(&run->gate, &gate) || keep_load(&run->keep, &run->gate))
        return EXIT_ERROR;
    if (options->exact && (run->gate.good.loaded || run->gate.bad.loaded))
        return print_error("--exact --keep %s: exact sets know nothing of earlier runs; leave out --exact, or begin "
                           "with an empty folder",
                           options->keep);
    return EXIT_FINE;
}

static int prepare(struct run *run)
{
    const struct options *options = &run->options;
    if (options->patterns && !(run->patterns = patterns_load(options->patterns)))
        return EXIT_ERROR;
    if (open_gate(run))
        return EXIT_ERROR;
    if (options->exact && !(run->exact = exact_new(run->patterns, options->gate.strikes)))
        return print_error("not enough memory for exact sets; run without --exact");
    if (options->deny && list_read(options->deny, "the do-not-serve list", deny, run))
        return EXIT_ERROR;
    run->packets = open_packets(options);
    if (!run->packets)
        return EXIT_ERROR;
    return record_open(&run->record, options->verdicts, options->output, run->packets);
}

/* ---- packets ---- */

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int pass(struct run *run, const struct packet *packet)
{
    const struct judged said = gate_packet(&run->gate, packet);
    enum served truly;
    record_judged(&run->record, run->packets, packet, &said);
    if (!run->exact)
        return EXIT_FINE;
    if (exact_packet(run->exact, packet, &truly))
        return EXIT_ERROR;
    run->outcome.refused_wrongly += said.served == REFUSED && truly == SERVED;
    run->outcome.served_wrongly += said.served == SERVED && truly == REFUSED;
    return EXIT_FINE;
}

/* What is written lies no longer than a wait in a buffer, and what is kept no longer than --save-every in memory. */
static int now_and_then(struct run *run, int waited)
{
    const struct options *options = &run->options;
    const double every = options->save_every > 0 ? options->save_every : 60;
    if (waited)
        record_flush(&run->record);
    if (!options->keep || (!waited && run->gate.clock % SAVE_STRIDE) || now() - run->saved < every)
        return EXIT_FINE;
    run->saved = now();
    return keep_save(&run->keep, &run->gate);
}

static int pass_next(struct run *run, int *more)
{
    struct packet packet;
    enum decoded decoded;
    const enum packets_status next = packets_next(run->packets, &packet, &decoded);
    *more = next == PACKETS_ONE || next == PACKETS_NONE;
    if (next == PACKETS_ONE && decoded != DECODED)
        record_skipped(&run->record, decoded);
    else if (next == PACKETS_ONE && pass(run, &packet))
        return EXIT_ERROR;
    return *more ? now_and_then(run, next == PACKETS_NONE) : EXIT_FINE;
}

/* What was read before an input broke off is used; packets_error tells of the rest. */
static int pass_all(struct run *run)
{
    double start = now();
    int status = EXIT_FINE, more = 1;
    run->saved = start;
    while (!status && more)
        status = pass_next(run, &more);
    run->outcome.seconds = now() - start;
    run->outcome.packets = packets_counted(run->packets);
    if (record_close(&run->record) || (run->options.keep && keep_save(&run->keep, &run->gate)))
        status = EXIT_ERROR;
    return status;
}

/* ---- answers ---- */

static int expected_verdict(const struct address *address, const char *word, enum verdict *out)
{
    for (int verdict = 0; verdict < VERDICTS; verdict++)
        if (!strcmp(word, verdict_name((enum verdict)verdict))) {
            *out = (enum verdict)verdict;
            return EXIT_FINE;
        }
    return print_error("%s %.60s: an expected verdict is one of good, bad and unknown", address_print(address).text,
                       word);
}

static int print_answer(const struct run *run, const struct address *address, enum verdict said)
{
    const struct address_text text = address_print(address);
    if (run->answers) {
        (void)fprintf(run->answers, "%s %s\n", text.text, verdict_name(said)); /* output_close sees whether it worked */
        return EXIT_FINE;
    }
    json_t *object = json_pack("{s:s, s:s}", "address", text.text, "verdict", verdict_name(said));
    return json_array_append_new(run->answer_list, object) ? print_error("out of memory") : EXIT_FINE;
}

static int compare_with_exact(struct run *run, const struct address *address, enum verdict truly)
{
    const struct gate *gate = &run->gate;
    int good = uf_query(gate->good.filter, address_key(address)),
        bad = uf_query(gate->bad.filter, address_key(address));
    compare_member(&run->outcome.bad, truly == VERDICT_BAD, bad);
    /* A source that the bad filter turns away by mistake never comes near the good one. */
    if (!(truly == VERDICT_GOOD && bad))
        compare_member(&run->outcome.good, truly == VERDICT_GOOD, good);
    return compare_one(&run->outcome.exact, address, gate_verdict(gate, address), truly);
}

static int answer(void *arg, const struct address *address, const char *word)
{
    struct run *run = arg;
    enum verdict said = gate_verdict(&run->gate, address), expected = VERDICT_UNKNOWN;
    run->outcome.answers[said]++;
    if (print_answer(run, address, said))
        return EXIT_ERROR;
    enum verdict truly = run->exact ? exact_verdict(run->exact, address) : VERDICT_UNKNOWN;
    /* All others are compared as sources that the exact sets know. */
    if (run->exact && truly == VERDICT_UNKNOWN && compare_with_exact(run, address, truly))
        return EXIT_ERROR;
    if (!word)
        return EXIT_FINE;
    if (expected_verdict(address, word, &expected))
        return EXIT_ERROR;
    run->outcome.exact_against_words += run->exact && truly != expected;
    return compare_one(&run->outcome.words, address, said, expected);
}

static int open_answers(struct run *run)
{
    const char *path = run->options.answers;
    if (!path && run->options.report == REPORT_JSON) {
        run->answer_list = run->outcome.answer_list = json_array();
        return run->answer_list ? EXIT_FINE : print_error("out of memory");
    }
    run->answers = output_open(path ? path : "-");
    return run->answers ? EXIT_FINE : EXIT_ERROR;
}

static int answer_all(struct run *run)
{
    const struct options *options = &run->options;
    if (!options->ask)
        return EXIT_FINE;
    if (open_answers(run))
        return EXIT_ERROR;
    const char *path = options->answers ? options->answers : "-";
    int status = list_read(options->ask, "the addresses to answer for", answer, run);
    if (!run->answers)
        return status;
    if (!status)
        return output_close(run->answers, path);
    output_discard(run->answers, path);
    return status;
}

static int compare_all(struct run *run)
{
    const struct exact_source *source;
    size_t at = 0;
    while (run->exact && (source = exact_next(run->exact, &at)))
        if (compare_with_exact(run, &source->address, (enum verdict)source->verdict))
            return EXIT_ERROR;
    compare_finish(&run->outcome.exact);
    compare_finish(&run->outcome.words);
    return EXIT_FINE;
}

/* ---- the end ---- */

/* Bad sources that were missed as their history did not fit: how many, where the truth is known, and at most how many
 * where it is not. */
static int judge_history(const struct run *run)
{
    const struct comparison_rates exact = compare_rates(&run->outcome.exact, &run->gate),
                                  words = compare_rates(&run->outcome.words, &run->gate);
    const struct comparison_rates *truth = exact.compared ? &exact : &words;
    const unsigned long long lost = gate_lost_history(&run->gate), places = sources_places(run->gate.sources);
    if (truth->missed)
        return print_doubt("%llu of %llu bad sources were missed, as the %llu places for what is remembered of sources "
                           "were not enough: history was lost %llu times; give --sources more",
                           (unsigned long long)truth->missed, (unsigned long long)truth->bad, places, lost);
    if (lost && !truth->compared)
        return print_doubt(
            "bad sources may have been missed, as the %llu places for what is remembered of sources were "
            "not enough: history was lost %llu times; give --sources more",
            places, lost);
    return EXIT_FINE;
}

/* Conditions that make the verdicts doubtful. They are told after the report, and decide the exit status. */
static int judge(const struct run *run)
{
    const struct outcome *outcome = &run->outcome;
    int status = judge_history(run);
    if (compare_rates(&outcome->exact, &run->gate).worse || compare_rates(&outcome->words, &run->gate).worse)
        status = EXIT_WORSE;
    if (run->gate.good.turned_away)
        status =
            print_error("the good filter was full %llu times, so sources are missing from it; give --good a larger n",
                        (unsigned long long)run->gate.good.turned_away);
    if (run->gate.bad.turned_away)
        status =
            print_error("the bad filter was full %llu times, so sources are missing from it; give --bad a larger n",
                        (unsigned long long)run->gate.bad.turned_away);
    if (outcome->packets.cut && run->options.on_cut == CUT_IS_ERROR)
        status =
            print_error("%llu of %llu packets were cut by the snap length of the capture, and sequences in the missing "
                        "bytes are not seen; capture whole packets (tcpdump -s 0), or give --allow-cut",
                        (unsigned long long)outcome->packets.cut, (unsigned long long)outcome->packets.read);
    if (run->keep.failed)
        status = print_error("%s: cannot be written, so sources that turned bad are not kept: %s",
                             run->keep.journal_path, strerror(run->keep.failed));
    if (packets_error(run->packets)[0])
        status = print_error("%s", packets_error(run->packets));
    return status;
}

static int run_gate(struct run *run)
{
    run->outcome.options = &run->options;
    run->outcome.gate = &run->gate;
    if (prepare(run) || pass_all(run) || answer_all(run) || compare_all(run) || report(&run->outcome))
        return EXIT_ERROR;
    return judge(run);
}

static void clean_up(struct run *run)
{
    (void)record_close(&run->record);
    keep_close(&run->keep);
    packets_close(run->packets);
    exact_free(run->exact);
    gate_close(&run->gate);
    patterns_free(run->patterns);
    compare_free(&run->outcome.exact);
    compare_free(&run->outcome.words);
    json_decref(run->answer_list);
}

int main(int argc, char **argv)
{
    struct run run = {.keep = {.journal = -1}};
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like any other */
    if (sodium_init() < 0)
        return print_error("no randomness from the system");
    if (argc > 1 && !strcmp(argv[1], "generate"))
        return generate(argc - 1, argv + 1);
    switch (options_parse(argc, argv, &run.options)) {
    case OPTIONS_HELPED:
        return output_close(stdout, "-");
    case OPTIONS_WRONG:
        return EXIT_ERROR;
    default:
        break;
    }
    int status = run_gate(&run);
    clean_up(&run);
    return status;
}
