/* SPDX-License-Identifier: MIT */
#include "visible.h"

#include <stdint.h>

/* Ranges that are not to be seen, or change how others are. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},
    {0x2060, 0x206f}, {0xd800, 0xdfff}, {0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff},
};

static int is_hidden(uint32_t code)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (code >= hidden[i].first && code <= hidden[i].last)
            return 1;
    return (code & 0xfffe) == 0xfffe;
}

/* How many bytes the character that begins so has, and the least code that takes as many. 0: none begins so. */
static size_t length_of(unsigned char first, uint32_t *least)
{
    static const uint32_t leasts[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = first < 0x80                    ? 1
                    : first >= 0xc2 && first < 0xe0 ? 2
                    : first >= 0xe0 && first < 0xf0 ? 3
                    : first >= 0xf0 && first < 0xf5 ? 4
                                                    : 0;
    *least = leasts[length];
    return length;
}

int is_visible(const char *text, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    for (size_t left = bytes, length; left; left -= length, at += length) {
        uint32_t least, code;
        length = length_of(at[0], &least);
        if (!length || length > left)
            return 0;
        code = length == 1 ? at[0] : at[0] & (0x7fU >> length);
        for (size_t i = 1; i < length; i++) {
            if ((at[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (at[i] & 0x3f);
        }
        if (code < least || code > 0x10ffff || is_hidden(code))
            return 0;
    }
    return 1;
}
