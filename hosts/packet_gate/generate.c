/* SPDX-License-Identifier: MIT */
/*
 * Makes a capture of which the truth is known. Everything follows from the seed, so a capture need not be kept: made
 * again, it has the same bytes.
 */
#include "generate.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "actors.h"
#include "rng.h"
#include "frames.h"
#include "number.h"
#include "output.h"
#include "message.h"

static const char usage[] =
    "usage: packet_gate generate -o CAPTURE [options]\n"
    "\n"
    "  -o, --output FILE    the capture; - is standard output\n"
    "  --folder DIR         write patterns.txt, deny.txt and truth.txt there, for --patterns, --deny and --ask\n"
    "  --packets N          (1000000)\n"
    "  --sources N          (100000)\n"
    "  --strangers N        addresses in truth.txt that never send (as many as sources)\n"
    "  --attack-share P     share of sources that send at least three bad sequences, given time (0.1)\n"
    "  --deny-share P       share of sources on the do-not-serve list (0.01)\n"
    "  --patterns N         bad sequences (16)\n"
    "  --length N, N-M      bytes of each, or from N to M of them (12)\n"
    "  --spread N           packets that a sequence is spread over, about (3)\n"
    "  --fragments P        share of packets that come as IP fragments (0.02)\n"
    "  --ipv6 P             share of sources with an IPv6 address (0)\n"
    "  --link NAME          ethernet, vlan, raw, cooked, cooked2 or loopback (ethernet)\n"
    "  --snaplen N          bytes kept of each packet; what is cut off is missing from the truth's point of view\n"
    "  --lines              the seed's form instead of a capture: an address and 32 bits of payload a line\n"
    "  --seed N             (1)\n";

enum {
    FOLDER = 256,
    PACKETS,
    SOURCES,
    STRANGERS,
    ATTACK,
    DENY,
    PATTERNS,
    LENGTH,
    SPREAD,
    FRAGMENTS,
    IPV6,
    LINK,
    SNAPLEN,
    LINES,
    SEED
};

static const struct option table[] = {{"output", 1, NULL, 'o'},
                                      {"folder", 1, NULL, FOLDER},
                                      {"packets", 1, NULL, PACKETS},
                                      {"sources", 1, NULL, SOURCES},
                                      {"strangers", 1, NULL, STRANGERS},
                                      {"attack-share", 1, NULL, ATTACK},
                                      {"deny-share", 1, NULL, DENY},
                                      {"patterns", 1, NULL, PATTERNS},
                                      {"length", 1, NULL, LENGTH},
                                      {"spread", 1, NULL, SPREAD},
                                      {"fragments", 1, NULL, FRAGMENTS},
                                      {"ipv6", 1, NULL, IPV6},
                                      {"link", 1, NULL, LINK},
                                      {"snaplen", 1, NULL, SNAPLEN},
                                      {"lines", 0, NULL, LINES},
                                      {"seed", 1, NULL, SEED},
                                      {"help", 0, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

enum { MOST_PAYLOAD = 64, WHOLE_SNAPLEN = 262144, OTHER_EVERY = 1000 };

struct plan {
    const char *output, *folder;
    uint64_t packets, strangers, snaplen;
    int strangers_given, lines;
    double fragments;
    enum link_form link;
    struct actors_options actors;
};

/* ---- options ---- */

static int set_link(struct plan *plan, const char *text)
{
    for (int form = 0; form < LINK_FORMS; form++)
        if (!strcmp(text, link_form_name((enum link_form)form))) {
            plan->link = (enum link_form)form;
            return EXIT_FINE;
        }
    return print_error("--link %s: not one of ethernet, vlan, raw, cooked, cooked2 and loopback", text);
}

static int set_lengths(struct actors_options *actors, const char *text)
{
    char first[16] = "";
    const char *dash = strchr(text, '-');
    const size_t size = dash ? (size_t)(dash - text) : strlen(text);
    if (!size || size >= sizeof first)
        return print_error("--length %s: not a number, or two such as 8-32", text);
    memcpy(first, text, size);
    if (number_whole("--length", first, 2, 65, &actors->shortest) ||
        number_whole("--length", dash ? dash + 1 : first, 2, 65, &actors->longest))
        return EXIT_ERROR;
    if (actors->shortest > actors->longest)
        return print_error("--length %s: the first number is the larger one", text);
    return EXIT_FINE;
}

static int set_option(int option, const char *text, struct plan *plan)
{
    struct actors_options *actors = &plan->actors;
    switch (option) {
    case 'o':
        plan->output = text;
        return EXIT_FINE;
    case FOLDER:
        plan->folder = text;
        return EXIT_FINE;
    case LINES:
        plan->lines = 1;
        return EXIT_FINE;
    case LINK:
        return set_link(plan, text);
    case PACKETS:
        return number_whole("--packets", text, 0, 1e12, &plan->packets);
    case SOURCES:
        return number_whole("--sources", text, 1, 2e9, &actors->sources);
    case STRANGERS:
        plan->strangers_given = 1;
        return number_whole("--strangers", text, 0, 2e9, &plan->strangers);
    case SNAPLEN:
        return number_whole("--snaplen", text, 1, WHOLE_SNAPLEN, &plan->snaplen);
    case ATTACK:
        return number_real("--attack-share", text, 0, 1, &actors->attack);
    case DENY:
        return number_real("--deny-share", text, 0, 1, &actors->listed);
    case IPV6:
        return number_real("--ipv6", text, 0, 1, &actors->ipv6);
    case FRAGMENTS:
        return number_real("--fragments", text, 0, 1, &plan->fragments);
    case PATTERNS:
        return number_whole("--patterns", text, 1, 1e8, &actors->patterns);
    case LENGTH:
        return set_lengths(actors, text);
    case SPREAD:
        return number_whole("--spread", text, 1, 64, &actors->spread);
    default:
        return number_seed("--seed", text, &actors->seed);
    }
}

enum parsed { PARSED_RUN, PARSED_HELPED, PARSED_WRONG };

static enum parsed parse(int argc, char **argv, struct plan *plan)
{
    int option;
    *plan = (struct plan){.packets = 1000000, .snaplen = WHOLE_SNAPLEN, .fragments = 0.02};
    plan->actors = (struct actors_options){.sources = 100000, .attack = 0.1, .listed = 0.01, .seed = 1};
    plan->actors.patterns = 16;
    plan->actors.shortest = plan->actors.longest = 12;
    plan->actors.spread = 3;
    while ((option = getopt_long(argc, argv, "ho:", table, NULL)) != -1) {
        if (option == 'h') {
            (void)fputs(usage, stdout);
            return PARSED_HELPED;
        }
        if (option == '?')
            (void)fputs("try: packet_gate generate --help\n", stderr);
        if (option == '?' || set_option(option, optarg, plan))
            return PARSED_WRONG;
    }
    if (optind < argc)
        return (void)print_error("generate: '%s' is one word too many", argv[optind]), PARSED_WRONG;
    if (!plan->output)
        return (void)print_error("generate: -o CAPTURE is missing"), PARSED_WRONG;
    if (plan->lines && plan->actors.ipv6 > 0)
        return (void)print_error("generate: --lines has no room for the addresses of --ipv6; leave out one of them"),
               PARSED_WRONG;
    if (!plan->strangers_given)
        plan->strangers = plan->actors.sources;
    return PARSED_RUN;
}

/* ---- the capture ---- */

struct writing {
    FILE *file;
    const struct plan *plan;
    uint64_t written;
};

static void write_u32(FILE *file, uint32_t value)
{
    for (int shift = 0; shift < 32; shift += 8)
        (void)putc((int)(value >> shift & 255), file);
}

/* Little-endian pcap, version 2.4, with microseconds. */
static void write_file_header(FILE *file, const struct plan *plan)
{
    write_u32(file, 0xa1b2c3d4);
    write_u32(file, 4 << 16 | 2);
    write_u32(file, 0); /* time zone */
    write_u32(file, 0); /* accuracy */
    write_u32(file, (uint32_t)plan->snaplen);
    write_u32(file, link_form_number(plan->link));
}

/* Ten packets a millisecond, from 1 January 2024. Failures are seen when the file is closed. */
static int write_frame(void *arg, const uint8_t *frame, size_t size)
{
    struct writing *writing = arg;
    const size_t kept = size < writing->plan->snaplen ? size : writing->plan->snaplen;
    const uint64_t time = UINT64_C(1704067200000000) + writing->written * 100;
    write_u32(writing->file, (uint32_t)(time / 1000000));
    write_u32(writing->file, (uint32_t)(time % 1000000));
    write_u32(writing->file, (uint32_t)kept);
    write_u32(writing->file, (uint32_t)size);
    (void)fwrite(frame, 1, kept, writing->file);
    writing->written++;
    return ferror(writing->file);
}

static int write_line(struct writing *writing, struct actors *actors)
{
    uint8_t word[4];
    uint64_t index = actors_choose(actors);
    struct address address = actors_address(actors, index);
    (void)actors_speak(actors, index, word, sizeof word, sizeof word);
    (void)fprintf(writing->file, "%s 0x%02x%02x%02x%02x\n", address_print(&address).text, word[0], word[1], word[2],
                  word[3]);
    writing->written++;
    return ferror(writing->file);
}

static int write_datagram(struct writing *writing, struct actors *actors, uint64_t *random)
{
    uint8_t payload[MOST_PAYLOAD];
    const uint64_t index = actors_choose(actors), left = writing->plan->packets - writing->written;
    struct datagram datagram = {actors_address(actors, index),
                                index % 3 ? TRANSPORT_UDP : TRANSPORT_TCP,
                                payload,
                                0,
                                (uint16_t)rng_next(random),
                                0};
    datagram.size = actors_speak(actors, index, payload, 0, MOST_PAYLOAD);
    if (rng_bernoulli(random, writing->plan->fragments))
        datagram.fragment = 24; /* whole TCP headers in the first one */
    if (frames_count(&datagram) > left)
        datagram.fragment = 0;
    return frames_write(writing->plan->link, &datagram, write_frame, writing);
}

static int write_all(struct writing *writing, struct actors *actors)
{
    uint64_t random = writing->plan->actors.seed ^ UINT64_C(0x6672616d6573);
    int failed = 0;
    while (!failed && writing->written < writing->plan->packets) {
        if (writing->plan->lines)
            failed = write_line(writing, actors);
        else if (writing->written % OTHER_EVERY == OTHER_EVERY / 2 && writing->plan->link != LINK_RAW &&
                 writing->plan->link != LINK_LOOPBACK)
            failed = frames_write_other(writing->plan->link, write_frame, writing);
        else
            failed = write_datagram(writing, actors, &random);
    }
    return failed;
}

static int write_capture(const struct plan *plan, struct actors *actors)
{
    struct writing writing = {output_open(plan->output), plan, 0};
    if (!writing.file)
        return EXIT_ERROR;
    if (!plan->lines)
        write_file_header(writing.file, plan);
    (void)write_all(&writing, actors);
    return output_close(writing.file, plan->output);
}

/* ---- the texts ---- */

typedef void text_writer(FILE *file, const struct plan *plan, const struct actors *actors);

static void write_patterns(FILE *file, const struct plan *plan, const struct actors *actors)
{
    for (uint64_t i = 0; i < plan->actors.patterns; i++) {
        size_t size;
        const uint8_t *pattern = actors_pattern(actors, i, &size);
        for (size_t j = 0; j < size; j++)
            (void)fprintf(file, "%02x", pattern[j]);
        (void)fputc('\n', file);
    }
}

static void write_deny(FILE *file, const struct plan *plan, const struct actors *actors)
{
    for (uint64_t i = 0; i < plan->actors.sources; i++)
        if (actors_listed(actors, i)) {
            struct address address = actors_address(actors, i);
            (void)fprintf(file, "%s\n", address_print(&address).text);
        }
}

static void write_truth(FILE *file, const struct plan *plan, const struct actors *actors)
{
    for (uint64_t i = 0; i < plan->actors.sources + plan->strangers; i++) {
        struct address address = actors_address(actors, i);
        (void)fprintf(file, "%s %s\n", address_print(&address).text, verdict_name(actors_truth(actors, i)));
    }
}

static int write_text(const struct plan *plan, const struct actors *actors, const char *name, text_writer *write_lines)
{
    char path[4096];
    if (!plan->folder)
        return EXIT_FINE;
    int length = snprintf(path, sizeof path, "%s/%s", plan->folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return print_error("--folder %.60s...: the path is too long", plan->folder);
    FILE *file = output_open(path);
    if (!file)
        return EXIT_ERROR;
    write_lines(file, plan, actors);
    return output_close(file, path);
}

static int make_folder(const struct plan *plan)
{
    if (!plan->folder || !mkdir(plan->folder, 0777) || errno == EEXIST)
        return EXIT_FINE;
    return print_error("--folder %s: cannot make it: %s", plan->folder, strerror(errno));
}

int generate(int argc, char **argv)
{
    struct plan plan;
    switch (parse(argc, argv, &plan)) {
    case PARSED_HELPED:
        return output_close(stdout, "-");
    case PARSED_WRONG:
        return EXIT_ERROR;
    default:
        break;
    }
    struct actors *actors = actors_new(&plan.actors);
    if (!actors)
        return print_error("--sources %llu: not enough memory", (unsigned long long)plan.actors.sources);
    int status = make_folder(&plan) || write_text(&plan, actors, "patterns.txt", write_patterns) ||
                 write_text(&plan, actors, "deny.txt", write_deny) || write_capture(&plan, actors) ||
                 write_text(&plan, actors, "truth.txt", write_truth);
    actors_free(actors);
    return status ? EXIT_ERROR : EXIT_FINE;
}
