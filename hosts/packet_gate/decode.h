/* SPDX-License-Identifier: MIT */
/*
 * From the bytes of a captured frame to a source and its payload.
 *
 * Link types: Ethernet (with any number of VLAN tags), raw IP, Linux cooked (both versions), loopback. The payload is
 * what follows the TCP or UDP header, and for other protocols what follows the IP header. A later fragment has no TCP
 * or UDP header: all of it is payload, so fragments that come in order give the bytes that were sent.
 *
 * Nothing in a frame is trusted: every length is checked against the bytes that were captured and against those that
 * were on the wire. The two differ when the capture was cut (its snap length).
 */
#ifndef GATE_DECODE_H
#define GATE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "address.h"

enum decoded {
    DECODED,           /* source and payload are known; some of the payload may be missing */
    DECODED_OTHER,     /* not IP */
    DECODED_MALFORMED, /* lengths or versions that contradict each other */
    DECODED_CUT        /* the capture ends inside the headers */
};

struct packet {
    struct address source;
    const uint8_t *payload; /* inside the frame */
    size_t size;
    size_t missing; /* bytes of the payload that were on the wire, but not captured */
    int fragment;   /* 1: a fragment of a larger packet */
};

/* Whether decode_frame knows this link type of libpcap (DLT_...). */
int decode_knows(int link);

enum decoded decode_frame(int link, const uint8_t *frame, size_t captured, size_t wire, struct packet *out);

#endif
