/* SPDX-License-Identifier: MIT */
/* Where packets come from: a capture file, a live interface, or lines in the seed's form. */
#ifndef GATE_PACKETS_H
#define GATE_PACKETS_H

#include <stdio.h>

#include "decode.h"

struct packets;

/* What was read. All but `read` and `bytes` are kinds of packets among `read`. */
struct packets_counts {
    uint64_t read;
    uint64_t bytes; /* captured, with headers */
    uint64_t fragments;
    uint64_t other;     /* not IP */
    uint64_t malformed; /* not passed on */
    uint64_t cut;       /* bytes are missing: those cut inside their headers are not passed on */
    uint64_t lost;      /* live only, not among `read`: the system had no room for them */
};

/* When a run ends by itself; 0 means never. */
struct packets_limits {
    uint64_t packets;
    double seconds;
};

/* Each says on stderr what is wrong and returns NULL when it fails. `path` "-" is standard input. The limits apply to
 * all three; SIGINT and SIGTERM end any of them in good order. Give back with packets_close. */
struct packets *packets_open_file(const char *path, struct packets_limits limits);
struct packets *packets_open_lines(const char *path, struct packets_limits limits);
struct packets *packets_open_live(const char *interface, struct packets_limits limits);

/* PACKETS_NONE: live only, nothing came for a tenth of a second. PACKETS_FAILED: the input broke off; packets_error
 * says why. */
enum packets_status { PACKETS_ONE, PACKETS_NONE, PACKETS_END, PACKETS_FAILED };

/* The next packet, and whether its source and payload are known (DECODED). The payload is good until the next call. */
enum packets_status packets_next(struct packets *packets, struct packet *out, enum decoded *decoded);

/* Begins a file of packets in the form of these: a capture of the same link type, snap length and precision of time
 * for captures and interfaces, lines for lines. Non-zero, and said on stderr, when it cannot. */
int packets_write_header(const struct packets *packets, FILE *to, const char *path);

/* Appends the packet that packets_next gave last, as it came. */
void packets_write(const struct packets *packets, const struct packet *packet, FILE *to);

struct packets_counts packets_counted(struct packets *packets);
const char *packets_error(const struct packets *packets);
void packets_close(struct packets *packets); /* NULL is fine */

#endif
