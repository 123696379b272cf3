/* SPDX-License-Identifier: MIT */
/* One struct view walks down the layers; `take` is the only place that decides whether bytes are there. */
#include "decode.h"

#include <pcap/pcap.h>

enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100, TYPE_QINQ = 0x88a8, TYPE_OLD_QINQ = 0x9100 };
enum { PROTOCOL_HOPS = 0, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PROTOCOL_ROUTING = 43, PROTOCOL_FRAGMENT = 44 };
enum { PROTOCOL_AH = 51, PROTOCOL_NONE = 59, PROTOCOL_OPTIONS = 60 };

/* What is left of a frame: `captured` bytes are there, `wire` were sent. */
struct view {
    const uint8_t *at;
    size_t captured, wire;
};

static unsigned be16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static enum decoded have(const struct view *view, size_t bytes)
{
    if (bytes <= view->captured)
        return DECODED;
    return bytes <= view->wire ? DECODED_CUT : DECODED_MALFORMED;
}

/* Steps over `bytes` and hands out where they begin. */
static enum decoded take(struct view *view, size_t bytes, const uint8_t **out)
{
    enum decoded status = have(view, bytes);
    if (status != DECODED)
        return status;
    *out = view->at;
    view->at += bytes;
    view->captured -= bytes;
    view->wire -= bytes;
    return DECODED;
}

/* The layer above says that only `bytes` belong to it; Ethernet pads short frames, for one. */
static enum decoded clip(struct view *view, size_t bytes)
{
    if (bytes > view->wire)
        return DECODED_MALFORMED;
    view->wire = bytes;
    if (view->captured > bytes)
        view->captured = bytes;
    return DECODED;
}

static enum decoded finish(const struct view *view, struct packet *out)
{
    out->payload = view->at;
    out->size = view->captured;
    out->missing = view->wire - view->captured;
    return DECODED;
}

/* ---- transport ---- */

static enum decoded udp(struct view *view, struct packet *out)
{
    const uint8_t *header;
    enum decoded status = take(view, 8, &header);
    if (status != DECODED)
        return status;
    size_t length = be16(header + 4);
    if (length == 0 || out->fragment) /* 0: larger than the field can say; a first fragment: of all fragments */
        return finish(view, out);
    status = length < 8 ? DECODED_MALFORMED : clip(view, length - 8);
    return status == DECODED ? finish(view, out) : status;
}

static enum decoded tcp(struct view *view, struct packet *out)
{
    const uint8_t *header, *options;
    enum decoded status = take(view, 20, &header);
    if (status != DECODED)
        return status;
    size_t length = (size_t)(header[12] >> 4) * 4;
    status = length < 20 ? DECODED_MALFORMED : take(view, length - 20, &options);
    return status == DECODED ? finish(view, out) : status;
}

static enum decoded transport(struct view *view, unsigned protocol, struct packet *out)
{
    switch (protocol) {
    case PROTOCOL_UDP:
        return udp(view, out);
    case PROTOCOL_TCP:
        return tcp(view, out);
    default:
        return finish(view, out);
    }
}

/* ---- IP ---- */

static enum decoded ipv4(struct view *view, struct packet *out)
{
    const uint8_t *header, *options;
    struct view whole = *view;
    enum decoded status = take(view, 20, &header);
    if (status != DECODED)
        return status;
    size_t length = (size_t)(header[0] & 15) * 4;
    size_t total = be16(header + 2);
    if (total == 0) /* a card that cuts packets itself leaves it open */
        total = whole.wire;
    if (header[0] >> 4 != 4 || length < 20 || total < length || total > whole.wire)
        return DECODED_MALFORMED;
    (void)clip(view, total - 20); /* checked in the line above */
    status = take(view, length - 20, &options);
    if (status != DECODED)
        return status;
    unsigned offset = be16(header + 6) & 0x1fff;
    out->fragment = (be16(header + 6) & 0x3fff) != 0;
    out->source = address_v4(header + 12);
    return offset ? finish(view, out) : transport(view, header[9], out);
}

/* Steps over one extension header. Sets *later when what follows is the middle of a packet. */
static enum decoded extension(struct view *view, unsigned *protocol, struct packet *out, int *later)
{
    const uint8_t *header;
    enum decoded status = have(view, 8);
    if (status != DECODED)
        return status;
    size_t length = ((size_t)view->at[1] + 1) * 8;
    if (*protocol == PROTOCOL_FRAGMENT) {
        length = 8;
        *later = (be16(view->at + 2) & 0xfff8) != 0;
        out->fragment = (be16(view->at + 2) & 0xfff9) != 0;
    } else if (*protocol == PROTOCOL_AH) {
        length = ((size_t)view->at[1] + 2) * 4;
    }
    *protocol = view->at[0];
    return take(view, length, &header);
}

static int is_extension(unsigned protocol)
{
    return protocol == PROTOCOL_HOPS || protocol == PROTOCOL_ROUTING || protocol == PROTOCOL_FRAGMENT ||
           protocol == PROTOCOL_AH || protocol == PROTOCOL_OPTIONS;
}

static enum decoded ipv6(struct view *view, struct packet *out)
{
    const uint8_t *header;
    int later = 0;
    enum decoded status = take(view, 40, &header);
    if (status != DECODED)
        return status;
    if (header[0] >> 4 != 6)
        return DECODED_MALFORMED;
    size_t length = be16(header + 4);
    if (length) /* 0: larger than the field can say */
        status = clip(view, length);
    out->source = address_v6(header + 8);
    unsigned protocol = header[6];
    while (status == DECODED && !later && is_extension(protocol))
        status = extension(view, &protocol, out, &later);
    if (status != DECODED)
        return status;
    if (protocol == PROTOCOL_NONE && !later)
        status = clip(view, 0);
    return later || protocol == PROTOCOL_NONE ? finish(view, out) : transport(view, protocol, out);
}

static enum decoded raw_ip(struct view *view, struct packet *out)
{
    enum decoded status = have(view, 1);
    if (status != DECODED)
        return status;
    switch (view->at[0] >> 4) {
    case 4:
        return ipv4(view, out);
    case 6:
        return ipv6(view, out);
    default:
        return DECODED_MALFORMED;
    }
}

/* ---- link ---- */

/* What a type field announces, after any VLAN tags: 2 bytes of tag, 2 of the next type. */
static enum decoded by_type(struct view *view, unsigned type, struct packet *out)
{
    while (type == TYPE_VLAN || type == TYPE_QINQ || type == TYPE_OLD_QINQ) {
        const uint8_t *tag;
        enum decoded status = take(view, 4, &tag);
        if (status != DECODED)
            return status;
        type = be16(tag + 2);
    }
    switch (type) {
    case TYPE_IPV4:
        return ipv4(view, out);
    case TYPE_IPV6:
        return ipv6(view, out);
    default:
        return DECODED_OTHER;
    }
}

/* A header of fixed length with the type somewhere in it. */
static enum decoded typed(struct view *view, size_t length, size_t type_at, struct packet *out)
{
    const uint8_t *header;
    enum decoded status = take(view, length, &header);
    return status == DECODED ? by_type(view, be16(header + type_at), out) : status;
}

/* Four bytes of address family, in the byte order of whoever captured. IPv6 has three numbers on as many systems. */
static enum decoded loopback(struct view *view, struct packet *out)
{
    const uint8_t *header;
    enum decoded status = take(view, 4, &header);
    if (status != DECODED)
        return status;
    unsigned family = header[0] | header[1] ? header[0] | (unsigned)header[1] << 8 : be16(header + 2);
    switch (family) {
    case 2:
        return ipv4(view, out);
    case 10:
    case 24:
    case 28:
    case 30:
        return ipv6(view, out);
    default:
        return DECODED_OTHER;
    }
}

int decode_knows(int link)
{
    switch (link) {
    case DLT_EN10MB:
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
    case DLT_NULL:
    case DLT_LOOP:
        return 1;
    default:
        return 0;
    }
}

enum decoded decode_frame(int link, const uint8_t *frame, size_t captured, size_t wire, struct packet *out)
{
    struct view view = {frame, captured, wire < captured ? captured : wire};
    out->fragment = 0;
    switch (link) {
    case DLT_EN10MB:
        return typed(&view, 14, 12, out);
    case DLT_LINUX_SLL:
        return typed(&view, 16, 14, out);
    case DLT_LINUX_SLL2:
        return typed(&view, 20, 0, out);
    case DLT_NULL:
    case DLT_LOOP:
        return loopback(&view, out);
    default:
        return raw_ip(&view, out);
    }
}
