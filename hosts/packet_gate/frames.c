/* SPDX-License-Identifier: MIT */
/* All packets go to one server, port 4433, IPv4 or IPv6 as the source is. Checksums are right. */
#include "frames.h"

#include <string.h>

enum { MOST_SEGMENT = FRAMES_MOST_PAYLOAD + 20, MOST_HEADERS = 128 };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_FRAGMENT = 44 };
enum { TYPE_IPV4 = 0x0800, TYPE_ARP = 0x0806, TYPE_IPV6 = 0x86dd };

static const uint8_t server_v4[4] = {192, 0, 2, 1};
static const uint8_t server_v6[16] = {0x20, 1, 0x0d, 0xb8, [15] = 1};
static const uint8_t mapped[12] = {[10] = 0xff, 0xff};

const char *link_form_name(enum link_form form)
{
    static const char *const names[LINK_FORMS] = {"ethernet", "vlan", "raw", "cooked", "cooked2", "loopback"};
    return names[form];
}

uint32_t link_form_number(enum link_form form)
{
    static const uint32_t numbers[LINK_FORMS] = {1, 1, 101, 113, 276, 0};
    return numbers[form];
}

/* ---- bytes ---- */

/* A frame that grows; there is room for MOST_HEADERS and a segment. */
struct buffer {
    uint8_t bytes[MOST_HEADERS + MOST_SEGMENT];
    size_t size;
};

static void append_u16(struct buffer *to, unsigned value)
{
    to->bytes[to->size++] = (uint8_t)(value >> 8);
    to->bytes[to->size++] = (uint8_t)value;
}

static void append_bytes(struct buffer *to, const uint8_t *bytes, size_t size)
{
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void append_zeros(struct buffer *to, size_t size)
{
    memset(to->bytes + to->size, 0, size);
    to->size += size;
}

/* The internet checksum (RFC 1071), of parts that follow each other: all but the last must be even. */
static uint64_t sum(uint64_t so_far, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        so_far += i % 2 ? bytes[i] : (uint64_t)bytes[i] << 8;
    return so_far;
}

static void set_checksum(uint8_t *at, uint64_t total)
{
    while (total >> 16)
        total = (total & 0xffff) + (total >> 16);
    uint16_t value = (uint16_t)~total;
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static int is_v4(const struct address *address)
{
    return !memcmp(address->bytes, mapped, sizeof mapped);
}

/* ---- transport ---- */

static void append_header(struct buffer *to, const struct datagram *datagram)
{
    append_u16(to, 40000); /* from */
    append_u16(to, 4433);  /* to */
    if (datagram->transport == TRANSPORT_UDP) {
        append_u16(to, (unsigned)datagram->size + 8);
        append_u16(to, 0);
        return;
    }
    append_zeros(to, 8);     /* numbers of bytes sent and received */
    append_u16(to, 0x5018);  /* five words of header; PSH and ACK */
    append_u16(to, 0xffff);  /* window */
    append_zeros(to, 2 + 2); /* checksum, urgent pointer */
}

/* Header and payload, with the checksum that covers the addresses too. */
static void make_segment(const struct datagram *datagram, struct buffer *to)
{
    const int udp = datagram->transport == TRANSPORT_UDP, v4 = is_v4(&datagram->source);
    to->size = 0;
    append_header(to, datagram);
    append_bytes(to, datagram->payload, datagram->size);
    uint64_t total = to->size + (udp ? PROTOCOL_UDP : PROTOCOL_TCP);
    total = sum(total, datagram->source.bytes + (v4 ? 12 : 0), v4 ? 4 : 16);
    total = v4 ? sum(total, server_v4, 4) : sum(total, server_v6, 16);
    set_checksum(to->bytes + (udp ? 6 : 16), sum(total, to->bytes, to->size));
}

static size_t segment_size(const struct datagram *datagram)
{
    return datagram->size + (datagram->transport == TRANSPORT_UDP ? 8 : 20);
}

size_t frames_count(const struct datagram *datagram)
{
    size_t size = segment_size(datagram);
    return datagram->fragment ? (size + datagram->fragment - 1) / datagram->fragment : 1;
}

/* ---- IP and link ---- */

/* A piece of a segment: where it begins, and whether more follow. */
struct piece {
    const uint8_t *bytes;
    size_t size, offset;
    unsigned more;
};

static void append_ipv4(struct buffer *to, const struct datagram *datagram, const struct piece *piece)
{
    const size_t start = to->size;
    append_u16(to, 0x4500);
    append_u16(to, (unsigned)piece->size + 20);
    append_u16(to, datagram->id);
    append_u16(to, piece->more << 13 | (unsigned)(piece->offset / 8));
    append_u16(to, 64U << 8 | (datagram->transport == TRANSPORT_UDP ? PROTOCOL_UDP : PROTOCOL_TCP));
    append_u16(to, 0);
    append_bytes(to, datagram->source.bytes + 12, 4);
    append_bytes(to, server_v4, 4);
    set_checksum(to->bytes + start + 10, sum(0, to->bytes + start, 20));
}

static void append_ipv6(struct buffer *to, const struct datagram *datagram, const struct piece *piece)
{
    const unsigned protocol = datagram->transport == TRANSPORT_UDP ? PROTOCOL_UDP : PROTOCOL_TCP;
    const int fragment = piece->more || piece->offset;
    append_u16(to, 0x6000);
    append_u16(to, 0);
    append_u16(to, (unsigned)piece->size + (fragment ? 8 : 0));
    append_u16(to, (fragment ? PROTOCOL_FRAGMENT : protocol) << 8 | 64);
    append_bytes(to, datagram->source.bytes, 16);
    append_bytes(to, server_v6, 16);
    if (!fragment)
        return;
    append_u16(to, protocol << 8);
    append_u16(to, (unsigned)piece->offset | piece->more);
    append_u16(to, 0);
    append_u16(to, datagram->id);
}

static void append_link(struct buffer *to, enum link_form form, unsigned type)
{
    static const uint8_t cards[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}; /* to, from */
    to->size = 0;
    switch (form) {
    case LINK_ETHERNET:
    case LINK_VLAN:
        append_bytes(to, cards, sizeof cards);
        if (form == LINK_VLAN) {
            append_u16(to, 0x88a8);
            append_u16(to, 7);
            append_u16(to, 0x8100);
            append_u16(to, 42);
        }
        append_u16(to, type);
        return;
    case LINK_COOKED:
        append_zeros(to, 2); /* sent to us */
        append_u16(to, 1);   /* Ethernet */
        append_u16(to, 6);
        append_bytes(to, cards + 6, 6);
        append_zeros(to, 2);
        append_u16(to, type);
        return;
    case LINK_COOKED2:
        append_u16(to, type);
        append_zeros(to, 2 + 4); /* reserved; the interface */
        append_u16(to, 1);       /* Ethernet */
        append_u16(to, 6);       /* sent to us, six bytes of address */
        append_bytes(to, cards + 6, 6);
        append_zeros(to, 2);
        return;
    case LINK_LOOPBACK:
        append_u16(to, type == TYPE_IPV6 ? 0x1800 : 0x0200); /* as a little-endian machine writes 24 and 2 */
        append_zeros(to, 2);
        return;
    default:
        return;
    }
}

static int write_piece(enum link_form form, const struct datagram *datagram, const struct piece *piece,
                       frame_sink *sink, void *arg)
{
    struct buffer frame;
    const int v4 = is_v4(&datagram->source);
    append_link(&frame, form, v4 ? TYPE_IPV4 : TYPE_IPV6);
    if (v4)
        append_ipv4(&frame, datagram, piece);
    else
        append_ipv6(&frame, datagram, piece);
    append_bytes(&frame, piece->bytes, piece->size);
    if ((form == LINK_ETHERNET || form == LINK_VLAN) && frame.size < 60)
        append_zeros(&frame, 60 - frame.size); /* the shortest frame that Ethernet sends */
    return sink(arg, frame.bytes, frame.size);
}

int frames_write(enum link_form form, const struct datagram *datagram, frame_sink *sink, void *arg)
{
    struct buffer segment;
    make_segment(datagram, &segment);
    const size_t most = datagram->fragment ? datagram->fragment : segment.size;
    for (size_t offset = 0; offset < segment.size; offset += most) {
        size_t left = segment.size - offset;
        struct piece piece = {segment.bytes + offset, left < most ? left : most, offset, left > most};
        if (write_piece(form, datagram, &piece, sink, arg))
            return -1;
    }
    return 0;
}

int frames_write_other(enum link_form form, frame_sink *sink, void *arg)
{
    struct buffer frame;
    if (form == LINK_RAW || form == LINK_LOOPBACK)
        return 0;
    append_link(&frame, form, TYPE_ARP);
    append_zeros(&frame, 46);
    return sink(arg, frame.bytes, frame.size);
}
