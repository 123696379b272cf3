/* SPDX-License-Identifier: MIT */
/* New filters: of a spec, of what BF.RESERVE and CF.RESERVE ask for, and the next level of one that grows. */
#ifndef UFR_CREATE_H
#define UFR_CREATE_H

#include "value.h"

/* What BF.RESERVE and BF.INSERT say. */
struct bf_request {
    double error_rate;
    long long capacity, expansion;
    int non_scaling;
};

struct cf_request {
    long long capacity, bucket, iterations, expansion;
};

int create_bf_spec(const struct bf_request *want, uf_spec *out, uf_error *why);
int create_cf_spec(const struct cf_request *want, uf_spec *out, uf_error *why);

/* Makes an empty filter the last one of a value. Its size is checked before anything is allocated. */
int create_filter(const uf_spec *spec, struct value *value, uf_error *why);

/*
 * The next one of a value that grows, under the first one's seed and key, so that an item has one digest in all of
 * them. Filter i has e^i times the capacity of the first. Of the rate P that was asked for the first has 0.8 P, and
 * filter i > 0 has 0.2 P 6/(pi i)^2: so all of them together have less than P, however many there are. (Halves would do
 * as well, but the first filter, which most values end with, would be larger, and the 16th would have P/65536 and not
 * P/1850.) With e = 1 the last ones double, since there are MOST_LEVELS at most. UF_EFULL: it has them all.
 */
int create_level(struct value *value, uf_error *why);

/* Bytes of memory that a filter of this spec takes; 0 when that is not known. */
uint64_t create_memory(const uf_spec *spec);

/* A value with one filter of this spec, or NULL. */
struct value *create_value(const uf_spec *spec, const uint64_t figures[FIGURES], uf_error *why);

#endif
