/* SPDX-License-Identifier: MIT */
/*
 * The same gate with exact sets and a table without bound: what the filters are measured against. It needs memory for
 * every source, which is what the gate is there to avoid.
 */
#ifndef GATE_EXACT_H
#define GATE_EXACT_H

#include "gate.h"

struct exact;

/* One source, listed or seen. */
struct exact_source {
    struct address address;
    uint32_t state;
    uint32_t strikes;
    uint8_t verdict; /* enum verdict; VERDICT_UNKNOWN marks a free place */
};

/* `patterns` is borrowed. NULL when memory is short. Give back with exact_free. */
struct exact *exact_new(const struct patterns *patterns, unsigned strikes);
void exact_free(struct exact *exact); /* NULL is fine */

/* Non-zero when memory is short; said on stderr. */
int exact_deny(struct exact *exact, const struct address *address);
int exact_packet(struct exact *exact, const struct packet *packet, enum served *out);

enum verdict exact_verdict(const struct exact *exact, const struct address *address);

/* Walks over all sources: start with *at = 0. NULL past the last. */
const struct exact_source *exact_next(const struct exact *exact, size_t *at);

#endif
