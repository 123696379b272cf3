/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "number.h"
#include "message.h"

static const char usage[] =
    "usage: packet_gate [options] CAPTURE        a file of pcap or pcapng; - is standard input\n"
    "       packet_gate [options] --lines FILE   a 32-bit source address and a 32-bit payload a line\n"
    "       packet_gate [options] --live NAME    a network interface, until Ctrl-C, --packets or --seconds\n"
    "       packet_gate generate [options]       makes captures of which the truth is known\n"
    "\n"
    "Serves packets of good sources and refuses those of bad ones. A source is bad when it is on the do-not-serve "
    "list,\n"
    "or when it has sent three known bad byte sequences, which may be spread over several packets. Memory does not "
    "grow\n"
    "with the sources.\n"
    "\n"
    "  --output FILE     write the packets that are served to FILE, as they came: a capture for a capture or an\n"
    "                    interface, lines for lines\n"
    "  --verdicts FILE   write a line a packet to FILE: its number, served, refused or skipped, and of whom\n"
    "                    With - for either, standard output has nothing else, and the report goes to standard error\n"
    "  --keep FOLDER     load both filters and the strikes from FOLDER, and save them there at the end and now and\n"
    "                    then; a source that turned bad stays so, also when this program is killed\n"
    "  --save-every S    seconds between (60)\n"
    "  --patterns FILE   bad sequences, one a line: hex digits, bits after 0b, or text in double quotes; 0 and 1 only\n"
    "                    need a 0x or 0b before them\n"
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
    "Exit status: 0; 1 when bad sources were missed, or may have been, as the table of sources had no room for their\n"
    "history, or when more verdicts are wrong than the filters' rates allow (--exact, --ask); 2 on an error.\n";

enum {
    LINES = 256,
    LIVE,
    OUTPUT,
    VERDICT_LINES,
    KEEP,
    SAVE_EVERY,
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

static const struct option table[] = {{"lines", 1, NULL, LINES},       {"live", 1, NULL, LIVE},
                                      {"output", 1, NULL, OUTPUT},     {"verdicts", 1, NULL, VERDICT_LINES},
                                      {"keep", 1, NULL, KEEP},         {"save-every", 1, NULL, SAVE_EVERY},
                                      {"patterns", 1, NULL, PATTERNS}, {"deny", 1, NULL, DENY},
                                      {"ask", 1, NULL, ASK},           {"answers", 1, NULL, ANSWERS},
                                      {"strikes", 1, NULL, STRIKES},   {"good", 1, NULL, GOOD},
                                      {"bad", 1, NULL, BAD},           {"sources", 1, NULL, SOURCES},
                                      {"exact", 0, NULL, EXACT},       {"allow-cut", 0, NULL, ALLOW_CUT},
                                      {"packets", 1, NULL, PACKETS},   {"seconds", 1, NULL, SECONDS},
                                      {"seed", 1, NULL, SEED},         {"json", 0, NULL, JSON},
                                      {"help", 0, NULL, 'h'},          {NULL, 0, NULL, 0}};

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
    case SAVE_EVERY:
        return number_real("--save-every", text, 0.001, 1e9, &out->save_every);
    case SECONDS:
        return number_real("--seconds", text, 0.001, 1e9, &out->limits.seconds);
    default:
        out->gate.seeded = 1;
        return number_seed("--seed", text, &out->gate.seed);
    }
}

/* The options that name something; NULL for the others. */
static const char **named(int option, struct options *out)
{
    switch (option) {
    case OUTPUT:
        return &out->output;
    case VERDICT_LINES:
        return &out->verdicts;
    case KEEP:
        return &out->keep;
    case PATTERNS:
        return &out->patterns;
    case DENY:
        return &out->deny;
    case ASK:
        return &out->ask;
    case ANSWERS:
        return &out->answers;
    case GOOD:
        out->gate.good_given = 1;
        return &out->gate.good;
    case BAD:
        out->gate.bad_given = 1;
        return &out->gate.bad;
    default:
        return NULL;
    }
}

static int set_option(int option, const char *text, struct options *out)
{
    const char **name = named(option, out);
    if (name) {
        *name = text;
        return EXIT_FINE;
    }
    switch (option) {
    case LINES:
        return set_input(out, INPUT_LINES, text);
    case LIVE:
        return set_input(out, INPUT_LIVE, text);
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

static int is_stream(const char *path)
{
    return path && !strcmp(path, "-");
}

/* One file under two names is one file. */
static int same_file(const char *one, const char *other)
{
    struct stat a, b;
    if (!one || !other || is_stream(one) || is_stream(other))
        return 0;
    if (!strcmp(one, other))
        return 1;
    return !stat(one, &a) && !stat(other, &b) && S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Nothing that is read, or written as well, is written over. */
static int check_written(const struct options *options)
{
    const char *written[] = {options->output, options->verdicts, options->answers};
    const char *others[] = {options->form == INPUT_LIVE ? NULL : options->input,
                            options->patterns,
                            options->deny,
                            options->ask,
                            options->output,
                            options->verdicts,
                            options->answers};
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
        for (size_t j = 0; j < sizeof others / sizeof others[0]; j++)
            if (j != i + 4 && same_file(written[i], others[j]))
                return print_error("%s: would be written over what this run reads or writes too; give another name",
                                   written[i]);
    if (is_stream(options->output) + is_stream(options->verdicts) + is_stream(options->answers) > 1)
        return print_error(
            "standard output can be written once only: give - to one of --output, --verdicts and --answers");
    return EXIT_FINE;
}

static int check(const struct options *options)
{
    int readers =
        (options->form != INPUT_LIVE && is_stream(options->input)) + is_stream(options->deny) + is_stream(options->ask);
    if (readers > 1)
        return print_error("standard input can be read once only: give - to one of the packets, --deny and --ask");
    if (options->answers && !options->ask)
        return print_error("--answers %s: nothing is asked; give --ask", options->answers);
    if (options->save_every > 0 && !options->keep)
        return print_error("--save-every: nothing is kept; give --keep");
    return check_written(options);
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
    out->report_to = is_stream(out->output) || is_stream(out->verdicts) ? stderr : stdout;
    if (!out->input) {
        (void)print_error("no packets: give a capture, --lines or --live; see packet_gate --help");
        return OPTIONS_WRONG;
    }
    return check(out) ? OPTIONS_WRONG : OPTIONS_RUN;
}
