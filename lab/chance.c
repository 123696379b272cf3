/* SPDX-License-Identifier: MIT */
#include "chance.h"

#include <errno.h>
#include <sys/random.h>

/* splitmix64: each step adds a constant and scrambles the sum. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int from_system(unsigned char *at, size_t bytes)
{
    while (bytes) {
        ssize_t got = getrandom(at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        at += got;
        bytes -= (size_t)got;
    }
    return 0;
}

int chance_bytes(void *arg, void *out, size_t bytes)
{
    struct chance *chance = arg;
    unsigned char *at = out;
    if (!chance->seeded)
        return from_system(at, bytes);
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = next(&chance->state);
        for (size_t j = i; j < i + 8 && j < bytes; j++, word >>= 8)
            at[j] = (unsigned char)word;
    }
    return 0;
}
