/* SPDX-License-Identifier: MIT */
/*
 * The address of a source: always 16 bytes. IPv4 addresses are written as IPv6 maps them (::ffff:a.b.c.d), so that
 * filters, tables and lists know one kind of key and no IPv4 address can be taken for an IPv6 one.
 */
#ifndef GATE_ADDRESS_H
#define GATE_ADDRESS_H

#include <stdint.h>

#include <ultrafilter.h>

enum { ADDRESS_BYTES = 16 };

struct address {
    uint8_t bytes[ADDRESS_BYTES];
};

struct address_text {
    char text[48];
};

struct address address_v4(const uint8_t bytes[4]);
struct address address_v6(const uint8_t bytes[ADDRESS_BYTES]);

/* A 32-bit word as the seed's form writes it: decimal, 0x and hex digits, or 32 binary digits. 0 when it is one. */
int word_parse(const char *text, uint32_t *out);

/* The word as four bytes, the highest first: the order of the network. */
void word_bytes(uint32_t word, uint8_t out[4]);

/* "10.0.0.1", "2001:db8::1", or a 32-bit word. 0 when it is one. */
int address_parse(const char *text, struct address *out);

struct address_text address_print(const struct address *address);

static inline uf_key address_key(const struct address *address)
{
    return (uf_key){address->bytes, ADDRESS_BYTES};
}

#endif
