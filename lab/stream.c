/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <sys/random.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t stream_next(struct stream *stream)
{
    return mix(stream->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Mixed twice, so that streams of neighbouring numbers are not parts of one another. */
int stream_open(struct stream *stream, struct stream_seed seed, uint64_t number)
{
    stream->state = mix(mix(seed.value + UINT64_C(0x6a09e667f3bcc909)) ^ (number * UINT64_C(0xd1342543de82ef95) + 1));
    if (seed.given)
        return 0;
    return getrandom(&stream->state, sizeof stream->state, 0) == (ssize_t)sizeof stream->state ? 0 : -1;
}

/* Bytes, least first, so that a seed means the same everywhere. */
int stream_fill(void *stream, void *out, size_t bytes)
{
    unsigned char *at = out;
    for (uint64_t word = 0; bytes; bytes--, word >>= 8) {
        if ((size_t)(at - (unsigned char *)out) % 8 == 0)
            word = stream_next(stream);
        *at++ = (unsigned char)word;
    }
    return 0;
}
