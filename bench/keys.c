/* SPDX-License-Identifier: MIT */
/*
 * Key number i is mix(i), a bijection of 64 bits, so no key comes twice and none of the hits is a miss. As text it is
 * its 16 hexadecimal digits behind as much of a fixed beginning as the width asks for, the way names and URLs share
 * theirs: 50 bytes give "https://filter.example/key/path?k=0123456789abcdef".
 */
#include "keys.h"

#include <string.h>

static const char beginning[] = "https://filter.example/key/path?k=";
static const char digits[] = "0123456789abcdef";

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static void write_text(unsigned char *at, size_t width, uint64_t value)
{
    size_t before = width - KEYS_TEXT_MIN;
    for (size_t i = 0; i < before; i++) {
        at[i] = (unsigned char)beginning[i % (sizeof beginning - 1)];
    }
    for (size_t i = 0; i < KEYS_TEXT_MIN; i++) {
        at[before + i] = (unsigned char)digits[value >> (60 - 4 * i) & 15];
    }
}

int keys_make(struct keys *out, uint64_t first, uint64_t count, size_t width)
{
    struct pages pages;
    if (count > SIZE_MAX / width || pages_get(&pages, count * width) != 0) {
        return -1;
    }
    *out = (struct keys){.at = pages.at, .count = count, .width = width, .pages = pages};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = mix(first + i + 1);
        if (width == sizeof value) {
            memcpy(out->at + i * sizeof value, &value, sizeof value);
        } else {
            write_text(out->at + i * width, width, value);
        }
    }
    return 0;
}

void keys_free(struct keys *keys)
{
    pages_put(&keys->pages);
    *keys = (struct keys){0};
}
