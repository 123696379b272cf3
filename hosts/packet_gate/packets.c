/* SPDX-License-Identifier: MIT */
/*
 * libpcap reads captures (pcap and pcapng, either byte order) and interfaces. A file that ends inside a packet is an
 * error that is told at the end, after what was read up to there has been used.
 *
 * The seed's form is text, one packet a line: a source address and 32 bits of payload, apart or as 64 binary digits.
 *
 * Times are read in nanoseconds where the file has them, and then written so.
 */
#include "packets.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "message.h"

enum { LIVE_SNAPLEN = 262144, LIVE_WAKE_MS = 100, LIMIT_STRIDE = 1024 };

struct packets {
    pcap_t *pcap; /* owned; NULL for lines */
    FILE *lines;  /* owned, unless it is stdin; NULL for captures */
    char *line;   /* owned, by getline */
    size_t line_capacity;
    uint64_t line_number;
    uint8_t word[4];            /* the payload of a line */
    struct pcap_pkthdr *header; /* libpcap's own, of the last frame; good until the next */
    const uint8_t *frame;
    int link, live, live_fd;
    struct packets_limits limits;
    struct timespec start;
    struct packets_counts counts;
    const char *name;
    char error[512];
};

static volatile sig_atomic_t stop_asked; /* a signal handler has no other place to write to */

static void ask_to_stop(int signal)
{
    (void)signal;
    stop_asked = 1;
}

/* Without SA_RESTART: what waits for input is to end too. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

static struct packets *new_packets(const char *path, struct packets_limits limits)
{
    struct packets *packets = calloc(1, sizeof *packets);
    if (!packets) {
        (void)print_error("out of memory");
        return NULL;
    }
    packets->name = strcmp(path, "-") ? path : "standard input";
    packets->limits = limits;
    (void)clock_gettime(CLOCK_MONOTONIC, &packets->start);
    catch_signals();
    return packets;
}

void packets_close(struct packets *packets)
{
    if (!packets)
        return;
    if (packets->pcap)
        pcap_close(packets->pcap);
    if (packets->lines && packets->lines != stdin)
        (void)fclose(packets->lines);
    free(packets->line);
    free(packets);
}

/* ---- opening ---- */

static int accept_link(struct packets *packets)
{
    packets->link = pcap_datalink(packets->pcap);
    if (decode_knows(packets->link))
        return EXIT_FINE;
    const char *name = pcap_datalink_val_to_name(packets->link);
    return print_error(
        "%s: packets of link type %d (%s) are not read here; Ethernet, raw IP, Linux cooked and loopback "
        "are, and editcap -T converts",
        packets->name, packets->link, name ? name : "unknown");
}

/* Nanoseconds for files that may have them: pcapng, and pcap whose first bytes say so. They are put back. */
static unsigned precision_of(FILE *file)
{
    static const uint8_t micro[2][4] = {{0xa1, 0xb2, 0xc3, 0xd4}, {0xd4, 0xc3, 0xb2, 0xa1}};
    uint8_t magic[4] = {0};
    int have = 0, byte;
    while (have < 4 && (byte = getc(file)) != EOF)
        magic[have++] = (uint8_t)byte;
    for (int i = have; i > 0; i--)
        (void)ungetc(magic[i - 1], file);
    return memcmp(magic, micro[0], 4) && memcmp(magic, micro[1], 4) ? PCAP_TSTAMP_PRECISION_NANO
                                                                    : PCAP_TSTAMP_PRECISION_MICRO;
}

struct packets *packets_open_file(const char *path, struct packets_limits limits)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    struct packets *packets = new_packets(path, limits);
    if (!packets)
        return NULL;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (file)
        (void)__fsetlocking(file, FSETLOCKING_BYCALLER); /* one thread: 8 % of the time went into locks */
    if (!file)
        (void)print_error("%s: cannot open the capture: %s", packets->name, strerror(errno));
    else if (!(packets->pcap = pcap_fopen_offline_with_tstamp_precision(file, precision_of(file), why))) {
        (void)print_error("%s: not a capture of pcap or pcapng: %s", packets->name, why);
        if (file != stdin)
            (void)fclose(file);
    } else if (!accept_link(packets))
        return packets;
    packets_close(packets);
    return NULL;
}

struct packets *packets_open_lines(const char *path, struct packets_limits limits)
{
    struct packets *packets = new_packets(path, limits);
    if (!packets)
        return NULL;
    packets->lines = strcmp(path, "-") ? fopen(path, "r") : stdin;
    if (packets->lines)
        return packets;
    (void)print_error("%s: cannot open the packets: %s", packets->name, strerror(errno));
    packets_close(packets);
    return NULL;
}

static int refuse_live(const char *interface, int status, const char *detail)
{
    switch (status) {
    case PCAP_ERROR_PERM_DENIED:
    case PCAP_ERROR_PROMISC_PERM_DENIED:
        return print_error("%s: you may not capture from this interface; that takes root or the capability CAP_NET_RAW "
                           "(as root: setcap cap_net_raw+ep on this program)",
                           interface);
    case PCAP_ERROR_NO_SUCH_DEVICE:
        return print_error("%s: there is no such interface; ip link lists those of this machine", interface);
    case PCAP_ERROR_IFACE_NOT_UP:
        return print_error("%s: the interface is down; ip link set %s up", interface, interface);
    default:
        return print_error("%s: cannot capture from this interface: %s", interface,
                           detail[0] ? detail : pcap_statustostr(status));
    }
}

/* Opens without waiting, in nanoseconds where the system has them. On Linux libpcap takes packets from AF_PACKET. */
static int activate(struct packets *packets, const char *interface)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    packets->pcap = pcap_create(interface, why);
    if (!packets->pcap)
        return refuse_live(interface, PCAP_ERROR, why);
    (void)pcap_set_snaplen(packets->pcap, LIVE_SNAPLEN);
    (void)pcap_set_timeout(packets->pcap, LIVE_WAKE_MS);
    (void)pcap_set_tstamp_precision(packets->pcap, PCAP_TSTAMP_PRECISION_NANO);
    int status = pcap_activate(packets->pcap);
    if (status < 0)
        return refuse_live(interface, status, pcap_geterr(packets->pcap));
    if (accept_link(packets))
        return EXIT_ERROR;
    (void)pcap_setdirection(packets->pcap, PCAP_D_IN); /* our own packets are no guests; not all systems can */
    packets->live_fd = pcap_get_selectable_fd(packets->pcap);
    if (packets->live_fd >= 0 && !pcap_setnonblock(packets->pcap, 1, why))
        return EXIT_FINE;
    return print_error("%s: cannot wait for packets of this interface: %s", interface, why);
}

struct packets *packets_open_live(const char *interface, struct packets_limits limits)
{
    struct packets *packets = new_packets(interface, limits);
    if (!packets)
        return NULL;
    packets->live = 1;
    if (!activate(packets, interface))
        return packets;
    packets_close(packets);
    return NULL;
}

/* ---- reading ---- */

static enum packets_status failed(struct packets *packets, const char *what, const char *detail)
{
    (void)snprintf(packets->error, sizeof packets->error, "%s: %s at packet %llu: %.300s", packets->name, what,
                   (unsigned long long)packets->counts.read + 1, detail);
    return PACKETS_FAILED;
}

/* The seed's form. The line is split in place. */
static int parse_line(char *line, struct packet *out, uint8_t word[4])
{
    static const char blanks[] = " \t\r\n,";
    char *rest = NULL, *address = strtok_r(line, blanks, &rest);
    char *payload = address ? strtok_r(NULL, blanks, &rest) : NULL;
    char first[33];
    uint32_t value;
    if (address && !payload && strlen(address) == 64) {
        memcpy(first, address, 32);
        first[32] = 0;
        payload = address + 32;
        address = first;
    }
    if (!payload || strtok_r(NULL, blanks, &rest) || address_parse(address, &out->source) ||
        word_parse(payload, &value))
        return -1;
    word_bytes(value, word);
    return 0;
}

static enum packets_status next_line(struct packets *packets, struct packet *out)
{
    ssize_t length;
    do {
        errno = 0;
        length = getline(&packets->line, &packets->line_capacity, packets->lines);
        if (length < 0 && stop_asked)
            return PACKETS_END;
        if (length < 0)
            return ferror(packets->lines) || errno ? failed(packets, "cannot be read", strerror(errno)) : PACKETS_END;
        packets->line_number++;
    } while (packets->line[strspn(packets->line, " \t\r\n")] == 0 || packets->line[0] == '#');
    packets->counts.bytes += (uint64_t)length;
    if (memchr(packets->line, 0, (size_t)length) || parse_line(packets->line, out, packets->word)) {
        char where[96];
        (void)snprintf(where, sizeof where,
                       "line %llu is not a source address and a 32-bit payload, such as 10.0.0.1 0xdeadbeef",
                       (unsigned long long)packets->line_number);
        return failed(packets, "broken off", where);
    }
    out->payload = packets->word;
    out->size = sizeof packets->word;
    out->missing = 0;
    out->fragment = 0;
    packets->counts.read++;
    return PACKETS_ONE;
}

static void count(struct packets *packets, enum decoded decoded, const struct packet *packet)
{
    switch (decoded) {
    case DECODED:
        packets->counts.fragments += (uint64_t)packet->fragment;
        packets->counts.cut += packet->missing != 0;
        return;
    case DECODED_OTHER:
        packets->counts.other++;
        return;
    case DECODED_MALFORMED:
        packets->counts.malformed++;
        return;
    case DECODED_CUT:
        packets->counts.cut++;
        return;
    }
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

/* The clock is asked now and then only: it costs as much as a packet. */
static int at_limit(const struct packets *packets)
{
    if (packets->limits.packets && packets->counts.read >= packets->limits.packets)
        return 1;
    if (stop_asked)
        return 1;
    return packets->limits.seconds > 0 && (packets->live || packets->counts.read % LIMIT_STRIDE == 0) &&
           seconds_since(&packets->start) >= packets->limits.seconds;
}

/* Left to itself, libpcap would wait for a packet however long that takes, and no limit would be looked at. */
static void wait_for_packets(const struct packets *packets)
{
    struct pollfd wait = {.fd = packets->live_fd, .events = POLLIN};
    (void)poll(&wait, 1, LIVE_WAKE_MS); /* a signal may end it early, which is as well */
}

/* One frame from libpcap, decoded. */
static enum packets_status next_frame(struct packets *packets, struct packet *out, enum decoded *decoded)
{
    int status = pcap_next_ex(packets->pcap, &packets->header, &packets->frame);
    if (status == PCAP_ERROR_BREAK || (status < 0 && stop_asked))
        return PACKETS_END;
    if (status < 0)
        return failed(packets, "broken off", pcap_geterr(packets->pcap));
    if (status == 0) {
        wait_for_packets(packets);
        return PACKETS_NONE;
    }
    packets->counts.read++;
    packets->counts.bytes += packets->header->caplen;
    *decoded = decode_frame(packets->link, packets->frame, packets->header->caplen, packets->header->len, out);
    count(packets, *decoded, out);
    return PACKETS_ONE;
}

enum packets_status packets_next(struct packets *packets, struct packet *out, enum decoded *decoded)
{
    *decoded = DECODED;
    if (at_limit(packets))
        return PACKETS_END;
    return packets->lines ? next_line(packets, out) : next_frame(packets, out, decoded);
}

/* ---- writing ---- */

/* libpcap's handle for writing is the stream itself, which is closed by whoever opened it. */
int packets_write_header(const struct packets *packets, FILE *to, const char *path)
{
    if (packets->lines || pcap_dump_fopen(packets->pcap, to))
        return EXIT_FINE;
    return print_error("%s: cannot begin a capture: %s", path, pcap_geterr(packets->pcap));
}

void packets_write(const struct packets *packets, const struct packet *packet, FILE *to)
{
    if (packets->lines)
        (void)fprintf(to, "%s 0x%02x%02x%02x%02x\n", address_print(&packet->source).text, packets->word[0],
                      packets->word[1], packets->word[2], packets->word[3]);
    else
        pcap_dump((unsigned char *)to, packets->header, packets->frame);
}

struct packets_counts packets_counted(struct packets *packets)
{
    struct pcap_stat stat;
    if (packets->live && !pcap_stats(packets->pcap, &stat))
        packets->counts.lost = stat.ps_drop;
    return packets->counts;
}

const char *packets_error(const struct packets *packets)
{
    return packets->error;
}
