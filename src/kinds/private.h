/* SPDX-License-Identifier: MIT */
/*
 * What the private kinds have in common: a promise epsilon, and a capacity n that is public. n is declared, or it was
 * drawn as a noisy count (privacy/count.h), which cost count_epsilon on top.
 */
#ifndef UF_PRIVATE_H
#define UF_PRIVATE_H

#include "ops.h"

#define PRIVATE_MOST_KEYS (UINT64_C(1) << 40)

struct private_request {
    uint64_t n;
    double epsilon;
    uint64_t count_noise; /* threshold of the noisy count; 0: n is declared */
};

/* Reads n, epsilon and count_epsilon, or says what is wrong with them. */
int private_read(const struct spec *spec, struct private_request *out, uf_error *why);

/* The same where epsilon may be as little as `least`: a mechanism that promises nothing needs no sense in it. */
int private_read_from(const struct spec *spec, double least, struct private_request *out, uf_error *why);

/* For plans: count_epsilon stays as it was asked for. For filters that are described, leave count_noise out: a twin
 * has the n that was drawn, and declares it. */
void private_write(struct spec *spec, const struct private_request *request);

/* UF_EFULL, with what to do. */
int private_too_many(uint64_t n, uint64_t count_noise, uf_error *why);

/* epsilon, delta, and the sentences that hold for every mechanism with a promise. */
void private_claim(uf_claim *out, double epsilon, uint64_t count_noise);

#endif
