/* SPDX-License-Identifier: MIT */
/*
 * Bounded little-endian reading and writing. Both ends remember their first failure, so that a parser reads
 * all its fields and asks once. A read past the end yields zeros, never bytes.
 */
#ifndef UF_WIRE_H
#define UF_WIRE_H

#include <stddef.h>
#include <stdint.h>

struct reader {
    const unsigned char *at;
    size_t left;
    int bad; /* something was read that was not there */
};

uint64_t read_uint(struct reader *reader, unsigned bytes); /* 1 to 8 bytes */
double read_double(struct reader *reader);
const unsigned char *read_bytes(struct reader *reader, size_t bytes); /* NULL when they are not there */

struct writer {
    unsigned char *at;
    size_t left;
    int bad; /* something did not fit */
};

void write_uint(struct writer *writer, uint64_t value, unsigned bytes);
void write_double(struct writer *writer, double value);
void write_bytes(struct writer *writer, const void *data, size_t bytes);

#endif
