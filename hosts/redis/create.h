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

/* Checks its size before anything is allocated, then makes it. */
int create_filter(const uf_spec *spec, uf_filter **out, uf_error *why);
int create_level(const struct value *value, uf_filter **out, uf_error *why);

/* Bytes of memory that a filter of this spec takes; 0 when that is not known. */
uint64_t create_memory(const uf_spec *spec);

/* A value with one filter. Owns it. */
struct value *create_value(enum family family, uf_filter *filter);

#endif
