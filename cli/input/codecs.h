/* SPDX-License-Identifier: MIT */
/* Four ways to unpack behind one interface: zlib, liblzma, libzstd and libbz2, a piece at a time. */
#ifndef CLI_CODECS_H
#define CLI_CODECS_H

#include "content.h"

enum codec_result {
    CODEC_MORE,    /* all of the input is used, or all of the room */
    CODEC_END,     /* a member is complete; another may follow */
    CODEC_DAMAGED, /* this cannot be unpacked */
    CODEC_MEMORY   /* it asks for more memory than there is, or than is sensible */
};

/* Moved forward by a step. */
struct codec_io {
    const unsigned char *in;
    size_t in_left;
    unsigned char *out;
    size_t out_left;
};

struct codec {
    enum content_type type;
    const char *name;
    void *(*start)(void); /* NULL: no memory */
    enum codec_result (*step)(void *state, struct codec_io *io);
    void (*stop)(void *state);
};

/* NULL for what is not packed. */
const struct codec *codec_for(enum content_type type);

#endif
