/* SPDX-License-Identifier: MIT */
/* Numbers as people read them. Each returns a small struct, so that several fit into one printf. */
#ifndef CLI_HUMAN_H
#define CLI_HUMAN_H

#include <stdint.h>

struct human {
    char text[32];
};

struct human human_bytes(double bytes);      /* "706 KiB", "1.20 MiB" */
struct human human_count(double count);      /* "1,000,000" */
struct human human_estimate(double count);   /* "about 1,000,000", or "far too many" */
struct human human_percent(double share);    /* "1.00 %", "0.0039 %" */
struct human human_rate(double per_second);  /* "4.1 M" */
struct human human_seconds(double duration); /* "0:12", "1:02:03" */

#endif
