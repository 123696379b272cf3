/* SPDX-License-Identifier: MIT */
/*
 * Compressed lists. The input: u8 (1: the whole way, with its thread and its pipe) · the file. Otherwise the codec that
 * the content asks for is stepped through as unpack.c does it, in two pieces.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "codecs.h"
#include "source.h"

enum { ROOM = 1 << 12, MOST_STEPS = 256 };

static void read_file(const uint8_t *data, size_t size)
{
    struct source source;
    char *text = NULL;
    size_t bytes;
    if (source_open(fuzz_file(data, size), "the keys", &source))
        return;
    (void)source_read_all(&source, &text, &bytes);
    free(text);
    source_close(&source);
}

/* 1 as long as there is something to do. */
static int step_on(const struct codec *codec, void *state, struct codec_io *io, size_t *unpacked)
{
    static unsigned char room[ROOM];
    const size_t before = io->in_left;
    io->out = room;
    io->out_left = sizeof room;
    enum codec_result result = codec->step(state, io);
    fuzz_check(io->in_left <= before && io->out_left <= sizeof room && io->out == room + sizeof room - io->out_left);
    *unpacked += sizeof room - io->out_left;
    if (result == CODEC_DAMAGED || result == CODEC_MEMORY)
        return -1;
    return io->in_left || !io->out_left;
}

static void step_through(const struct codec *codec, const uint8_t *data, size_t size)
{
    void *state = codec->start();
    size_t unpacked = 0, steps = 0;
    fuzz_check(state);
    const size_t half = size / 2;
    struct codec_io pieces[2] = {{data, half, NULL, 0}, {data + half, size - half, NULL, 0}};
    int going = 1;
    for (unsigned i = 0; going >= 0 && i < 2; i++)
        do
            going = step_on(codec, state, &pieces[i], &unpacked);
        while (going > 0 && ++steps < MOST_STEPS);
    codec->stop(state);
    fuzz_plant(codec->type == CONTENT_GZIP, unpacked == 3);
}

int fuzz_unpack(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned flags = tape_byte(&tape);
    const struct content *content = content_of(tape.at, tape.left);
    (void)content_undecided(tape.at, tape.left);
    if (flags & 1)
        read_file(tape.at, tape.left);
    else if (content_is_packed(content))
        step_through(codec_for(content->type), tape.at, tape.left);
    return 0;
}
