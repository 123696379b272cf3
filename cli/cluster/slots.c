/* SPDX-License-Identifier: MIT */
#include "slots.h"

#include <stdio.h>
#include <string.h>

uint16_t crc16(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    unsigned crc = 0;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= (unsigned)at[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
    }
    return (uint16_t)crc;
}

unsigned slot_of_key(const char *key, size_t bytes)
{
    const char *open = memchr(key, '{', bytes), *end = key + bytes;
    const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
    if (close && close > open + 1)
        return crc16(open + 1, (size_t)(close - open - 1)) % SLOTS;
    return crc16(key, bytes) % SLOTS;
}

struct part_key part_key(const char *name, unsigned part, unsigned parts)
{
    struct part_key key;
    for (unsigned j = 0;; j++) {
        int bytes = snprintf(key.text, sizeof key.text, "{%s/%u/%u}", name, part, j);
        key.slot = crc16(key.text + 1, (size_t)bytes - 2) % SLOTS;
        if (key.slot * parts / SLOTS == part)
            return key;
    }
}
