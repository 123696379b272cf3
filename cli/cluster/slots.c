/* SPDX-License-Identifier: MIT */
#include "slots.h"

#include <stdio.h>
#include <string.h>

static uint16_t crc16_more(uint16_t before, const void *data, size_t bytes)
{
    static const uint16_t table[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
                                       0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef};
    const unsigned char *at = data;
    unsigned crc = before;
    for (size_t i = 0; i < bytes; i++) {
        crc = (crc << 4 & 0xffff) ^ table[crc >> 12 ^ at[i] >> 4];
        crc = (crc << 4 & 0xffff) ^ table[crc >> 12 ^ (at[i] & 15u)];
    }
    return (uint16_t)crc;
}

uint16_t crc16(const void *data, size_t bytes)
{
    return crc16_more(0, data, bytes);
}

unsigned slot_of_key(const char *key, size_t bytes)
{
    const char *open = memchr(key, '{', bytes), *end = key + bytes;
    const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
    if (close && close > open + 1)
        return crc16(open + 1, (size_t)(close - open - 1)) % SLOTS;
    return crc16(key, bytes) % SLOTS;
}

void slots_fill(short owner[SLOTS], unsigned first, unsigned last, short node)
{
    for (unsigned slot = first; slot <= last; slot++)
        owner[slot] = node;
}

/* The digits of a number, up to `end`. */
static char *digits_of(unsigned number, char *end)
{
    do
        *--end = (char)('0' + number % 10);
    while (number /= 10);
    return end;
}

/* With N parts about N numbers are tried. */
struct part_key part_key(const char *name, unsigned part, unsigned parts)
{
    struct part_key key;
    char digits[16], *const end = digits + sizeof digits;
    const int front = snprintf(key.text, sizeof key.text, "{%s/%u/", name, part);
    const uint16_t before = crc16(key.text + 1, (size_t)front - 1);
    for (unsigned j = 0;; j++) {
        const char *text = digits_of(j, end);
        key.slot = crc16_more(before, text, (size_t)(end - text)) % SLOTS;
        if (key.slot * parts / SLOTS == part) {
            (void)snprintf(key.text + front, sizeof key.text - (size_t)front, "%.*s}", (int)(end - text), text);
            return key;
        }
    }
}
