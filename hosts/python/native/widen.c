/* SPDX-License-Identifier: MIT */
#include "widen.h"

#include "key.h"

size_t widen_bytes(enum element element, size_t width)
{
    return element == ELEMENT_UCS4 ? width : INTEGER_BYTES; /* four bytes of UCS-4 are four of UTF-8 at most */
}

/* An unsigned number of `width` bytes, from 1 to 8. */
static uint64_t number(const char *from, size_t width, int swapped)
{
    int little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != (swapped != 0);
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | (unsigned char)from[little ? width - 1 - i : i];
    return value;
}

static size_t put_utf8(uint32_t c, unsigned char *out)
{
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = 0xfffd;
    if (c < 0x80)
        return out[0] = (unsigned char)c, 1;
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (unsigned char)(first[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        out[i] = (unsigned char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

static size_t utf8(const char *from, size_t width, int swapped, unsigned char *out)
{
    size_t characters = width / 4, bytes = 0;
    while (characters && !number(from + 4 * (characters - 1), 4, 0))
        characters--;
    for (size_t i = 0; i < characters; i++)
        bytes += put_utf8((uint32_t)number(from + 4 * i, 4, swapped), out + bytes);
    return bytes;
}

size_t widen(enum element element, const char *from, size_t width, int swapped, unsigned char *out)
{
    if (element == ELEMENT_UCS4)
        return utf8(from, width, swapped, out);
    uint64_t value = number(from, width, swapped);
    unsigned free_bits = (unsigned)(64 - 8 * width);
    if (element == ELEMENT_SIGNED)
        value = (uint64_t)((int64_t)(value << free_bits) >> free_bits);
    key_put_integer(value, out);
    return INTEGER_BYTES;
}
