/* SPDX-License-Identifier: MIT */
/* Payloads as frames: the generator's way down the layers, which decode.c goes up. */
#ifndef GATE_FRAMES_H
#define GATE_FRAMES_H

#include <stddef.h>

#include "address.h"

enum link_form { LINK_ETHERNET, LINK_VLAN, LINK_RAW, LINK_COOKED, LINK_COOKED2, LINK_LOOPBACK, LINK_FORMS };

enum { FRAMES_MOST_PAYLOAD = 1024 };

const char *link_form_name(enum link_form form);

/* The number of the link type in a pcap file. */
uint32_t link_form_number(enum link_form form);

enum transport { TRANSPORT_UDP, TRANSPORT_TCP };

struct datagram {
    struct address source;
    enum transport transport;
    const uint8_t *payload;
    size_t size;     /* at most FRAMES_MOST_PAYLOAD */
    uint16_t id;     /* the same for all its fragments */
    size_t fragment; /* bytes of IP payload in a frame, a multiple of eight; 0: all of them */
};

/* Given each frame, in order. Non-zero stops. */
typedef int frame_sink(void *arg, const uint8_t *frame, size_t size);

/* How many frames the datagram takes. */
size_t frames_count(const struct datagram *datagram);

int frames_write(enum link_form form, const struct datagram *datagram, frame_sink *sink, void *arg);

/* A frame that is not IP: an ARP request. Nothing for raw IP, which has none. */
int frames_write_other(enum link_form form, frame_sink *sink, void *arg);

#endif
