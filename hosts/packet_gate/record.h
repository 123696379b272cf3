/* SPDX-License-Identifier: MIT */
/*
 * What the gate did with each packet, for whoever acts on it: the packets it serves, as they came, and a line a packet.
 *
 *     NUMBER served SOURCE STRIKES    let through; the strikes of its source after it
 *     NUMBER refused SOURCE bad       the bad filter knows its source
 *     NUMBER skipped - REASON         no source to judge: not-ip, malformed, or cut inside its headers. Not served
 *
 * Numbers count all packets read, from 1.
 */
#ifndef GATE_RECORD_H
#define GATE_RECORD_H

#include "gate.h"
#include "packets.h"

struct record {
    const char *lines_path, *served_path; /* borrowed; NULL when not asked for */
    FILE *lines, *served;                 /* owned, unless they are stdout */
    uint64_t number;
};

/* Non-zero, and said on stderr, when one cannot be written. Paths may be NULL, or "-" for standard output. */
int record_open(struct record *record, const char *lines, const char *served, const struct packets *packets);

void record_judged(struct record *record, const struct packets *packets, const struct packet *packet,
                   const struct judged *judged);
void record_skipped(struct record *record, enum decoded why);

/* So that readers see what there is while nothing comes. */
void record_flush(const struct record *record);

/* Non-zero, and said on stderr, when not everything could be written. */
int record_close(struct record *record);

#endif
