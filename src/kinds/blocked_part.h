/* SPDX-License-Identifier: MIT */
/*
 * Parts of one blocked filter, for sets that one machine does not hold. A filter of B blocks, B a multiple of N, is cut
 * into N parts: part p has blocks p B/N to (p + 1) B/N - 1. Where a key belongs follows from its hash alone, with any
 * N:
 *
 *     part    p = floor(h.hi N / 2^64)
 *     block   within the part:  floor(r b / 2^64),  r = h.hi N mod 2^64,  b = B/N
 *
 * That is exactly where the whole has it. By the definition of p and r,  h.hi N = p 2^64 + r  with r < 2^64. So
 *
 *     h.hi B / 2^64  =  (h.hi N) b / 2^64  =  p b + r b / 2^64
 *
 * and as p b is a whole number, the block of the whole, floor(h.hi B / 2^64), is p b + floor(r b / 2^64). r b / 2^64 is
 * below b, so it is a block of part p. Which bits a key has there depends on h.lo, of which a part changes nothing.
 *
 * So a part is a blocked filter of b blocks over the hashes (h.lo, r), and runs on the same paths; and all parts behind
 * one another are the whole, byte for byte.
 *
 * n is that of the whole. How many of n keys come to one part is chance, of mean m = n/N: no more than
 *
 *     share = m + 8 sqrt(m) + 64/3
 *
 * for by Bernstein more happens with probability e^-32 at most, and to any of 65536 parts in one whole of 10^9. That is
 * the capacity of a part, with its own limit of the rate (capacity.h): so full=refuse takes any n keys that nobody
 * chose, and holds the rate of each part whoever chooses them.
 */
#ifndef UF_BLOCKED_PART_H
#define UF_BLOCKED_PART_H

#include "plan.h"
#include "ops.h"

DECLARE_KIND(blocked_part)

enum { PARTS_MOST = 65536 };

/* Which part of how many. */
struct part {
    uint32_t index, count;
};

/* What a spec says, as part=3/16 or parts=16: 0 neither; 1 a whole that can be cut into `count`; 2 a part. UF_EINVAL,
 * negative: it makes no sense, alone or with the rest of the spec. */
enum { PARTS_NONE, PARTS_WHOLE, PARTS_PART };
int parts_of(const struct spec *spec, struct part *out, uf_error *why);

/* plan_resolve, with a number of blocks that the parts share evenly, if there are some. */
int parts_plan(struct spec *spec, const struct plan_rules *rules, uf_error *why);

/* Of a filter that is one. */
struct part part_of(const struct uf_filter *filter);
uint64_t part_blocks(const struct uf_filter *filter);

#endif
