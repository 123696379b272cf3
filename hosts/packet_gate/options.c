/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "message.h"

static const char usage[] =
    "usage: packet_gate [options] CAPTURE        a file of pcap or pcapng; - is standard input\n"
    "       packet_gate [options] --lines FILE   a 32-bit source address and a 32-bit payload a line\n"
    "       packet_gate [options] --live NAME    a network interface, until Ctrl-C, --packets or --seconds\n"
    "       packet_gate generate [options]       makes captures of which the truth is known\n"
    "\n"
    "Refuses packets of bad sources. A source is bad when it is on the do-not-serve list, or when it has sent three\n"
    "known bad byte sequences, which may be spread over several packets. Memory does not grow with the sources.\n"
    "\n"
    "  --patterns FILE   bad sequences, one a line: hex digits, bits after 0b, or text in double quotes\n"
    "  --deny FILE       the do-not-serve list, one address a line\n"
    "  --ask FILE        at the end say of each address in FILE: good, bad or unknown. A second word in a line is\n"
    "                    what should be said, and differences are reported\n"
    "  --answers FILE    write these answers to FILE instead of before the report\n"
    "  --strikes N       sequences until a source is bad (3)\n"
    "  --good SPEC       filter of the good sources, of a kind that can remove (counting:n=200000,fpr=0.001)\n"
    "  --bad SPEC        filter of the bad sources (bloom:n=100000,fpr=0.001)\n"
    "  --sources N       places for what is remembered of a source between packets (262144, 29 bytes each)\n"
    "  --exact           also run exact sets, which need memory for each source, and report every difference\n"
    "  --allow-cut       do not fail when packets were cut by the capture's snap length\n"
    "  --packets N       stop after N packets\n"
    "  --seconds S       stop after S seconds\n"
    "  --seed N          the same filters and table each time, for tests; otherwise they are made from randomness\n"
    "  --json            the report as JSON\n"
    "\n"
    "Exit status: 0; 1 when more verdicts are wrong than the filters' rates allow (--exact, --ask); 2 on an error.\n";

enum {
    LINES = 256,
    LIVE,
    PATTERNS,
    DENY,
    ASK,
    ANSWERS,
    STRIKES,
    GOOD,
    BAD,
    SOURCES,
    EXACT,
    ALLOW_CUT,
    PACKETS,
    SECONDS,
    SEED,
    JSON
};

static const struct option table[] = {
    {"lines", 1, NULL, LINES},     {"live", 1, NULL, LIVE},       {"patterns", 1, NULL, PATTERNS},
    {"deny", 1, NULL, DENY},       {"ask", 1, NULL, ASK},         {"answers", 1, NULL, ANSWERS},
    {"strikes", 1, NULL, STRIKES}, {"good", 1, NULL, GOOD},       {"bad", 1, NULL, BAD},
    {"sources", 1, NULL, SOURCES}, {"exact", 0, NULL, EXACT},     {"allow-cut", 0, NULL, ALLOW_CUT},
    {"packets", 1, NULL, PACKETS}, {"seconds", 1, NULL, SECONDS}, {"seed", 1, NULL, SEED},
    {"json", 0, NULL, JSON},       {"help", 0, NULL, 'h'},        {NULL, 0, NULL, 0}};

static int set_input(struct options *out, enum input_form form, const char *input)
{
    if (out->input)
        return print_error("%s and %s: there can be one input only; see packet_gate --help", out->input, input);
    out->form = form;
    out->input = input;
    return EXIT_FINE;
}

static int set_number(int option, const char *text, struct options *out)
{
    uint64_t strikes;
    switch (option) {
    case STRIKES:
        if (number_whole("--strikes", text, 1, SOURCE_MOST_STRIKES, &strikes))
            return EXIT_ERROR;
        out->gate.strikes = (unsigned)strikes;
        return EXIT_FINE;
    case SOURCES:
        return number_whole("--sources", text, 1, 1e12, &out->gate.places);
    case PACKETS:
        return number_whole("--packets", text, 1, 1e18, &out->limits.packets);
    case SECONDS:
        return number_real("--seconds", text, 0.001, 1e9, &out->limits.seconds);
    default:
        out->gate.seeded = 1;
        return number_seed("--seed", text, &out->gate.seed);
    }
}

static int set_option(int option, const char *text, struct options *out)
{
    switch (option) {
    case LINES:
        return set_input(out, INPUT_LINES, text);
    case LIVE:
        return set_input(out, INPUT_LIVE, text);
    case PATTERNS:
        out->patterns = text;
        return EXIT_FINE;
    case DENY:
        out->deny = text;
        return EXIT_FINE;
    case ASK:
        out->ask = text;
        return EXIT_FINE;
    case ANSWERS:
        out->answers = text;
        return EXIT_FINE;
    case GOOD:
        out->gate.good = text;
        return EXIT_FINE;
    case BAD:
        out->gate.bad = text;
        return EXIT_FINE;
    case EXACT:
        out->exact = 1;
        return EXIT_FINE;
    case ALLOW_CUT:
        out->on_cut = CUT_IS_FINE;
        return EXIT_FINE;
    case JSON:
        out->report = REPORT_JSON;
        return EXIT_FINE;
    default:
        return set_number(option, text, out);
    }
}

static int check(const struct options *options)
{
    int readers = (options->form != INPUT_LIVE && !strcmp(options->input, "-")) +
                  (options->deny && !strcmp(options->deny, "-")) + (options->ask && !strcmp(options->ask, "-"));
    if (readers > 1)
        return print_error("standard input can be read once only: give - to one of the packets, --deny and --ask");
    if (options->answers && !options->ask)
        return print_error("--answers %s: nothing is asked; give --ask", options->answers);
    return EXIT_FINE;
}

enum options_next options_parse(int argc, char **argv, struct options *out)
{
    int option;
    *out = (struct options){
        .gate = {
            .good = "counting:n=200000,fpr=0.001", .bad = "bloom:n=100000,fpr=0.001", .places = 262144, .strikes = 3}};
    while ((option = getopt_long(argc, argv, "-h", table, NULL)) != -1) {
        if (option == 'h') {
            (void)fputs(usage, stdout);
            return OPTIONS_HELPED;
        }
        if (option == '?') { /* getopt has said what is wrong */
            (void)fputs("try: packet_gate --help\n", stderr);
            return OPTIONS_WRONG;
        }
        if (option == 1 ? set_input(out, INPUT_FILE, optarg) : set_option(option, optarg, out))
            return OPTIONS_WRONG;
    }
    for (; optind < argc; optind++)
        if (set_input(out, INPUT_FILE, argv[optind]))
            return OPTIONS_WRONG;
    if (!out->input) {
        (void)print_error("no packets: give a capture, --lines or --live; see packet_gate --help");
        return OPTIONS_WRONG;
    }
    return check(out) ? OPTIONS_WRONG : OPTIONS_RUN;
}
