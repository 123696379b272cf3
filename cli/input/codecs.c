/* SPDX-License-Identifier: MIT */
/* Each step ends a member by being ready for the next: files made with cat, pigz, pzstd or bgzip have several. */
#include "codecs.h"

#include <bzlib.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* ---- gzip ---- */

static void *gzip_start(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, 15 + 16) == Z_OK) /* the largest window; gzip's header only */
        return stream;
    free(stream);
    return NULL;
}

static enum codec_result gzip_step(void *state, struct codec_io *io)
{
    z_stream *stream = state;
    stream->next_in = (unsigned char *)(uintptr_t)io->in; /* zlib reads it only */
    stream->avail_in = (unsigned)io->in_left;
    stream->next_out = io->out;
    stream->avail_out = (unsigned)io->out_left;
    int status = inflate(stream, Z_NO_FLUSH);
    *io = (struct codec_io){stream->next_in, stream->avail_in, stream->next_out, stream->avail_out};
    if (status == Z_STREAM_END)
        return inflateReset(stream) == Z_OK ? CODEC_END : CODEC_DAMAGED;
    if (status == Z_MEM_ERROR)
        return CODEC_MEMORY;
    return status == Z_OK || status == Z_BUF_ERROR ? CODEC_MORE : CODEC_DAMAGED;
}

static void gzip_stop(void *state)
{
    (void)inflateEnd(state);
    free(state);
}

/* ---- xz ---- */

#define XZ_MOST_MEMORY (UINT64_C(1) << 30) /* xz -9 asks for 65 MiB */

static int xz_open(lzma_stream *stream)
{
    return lzma_stream_decoder(stream, XZ_MOST_MEMORY, 0) == LZMA_OK;
}

static void *xz_start(void)
{
    lzma_stream *stream = calloc(1, sizeof *stream); /* zeros are LZMA_STREAM_INIT */
    if (stream && xz_open(stream))
        return stream;
    free(stream);
    return NULL;
}

static enum codec_result xz_step(void *state, struct codec_io *io)
{
    lzma_stream *stream = state;
    stream->next_in = io->in;
    stream->avail_in = io->in_left;
    stream->next_out = io->out;
    stream->avail_out = io->out_left;
    lzma_ret status = lzma_code(stream, LZMA_RUN);
    *io = (struct codec_io){stream->next_in, stream->avail_in, stream->next_out, stream->avail_out};
    if (status == LZMA_STREAM_END)
        return xz_open(stream) ? CODEC_END : CODEC_MEMORY;
    if (status == LZMA_MEM_ERROR || status == LZMA_MEMLIMIT_ERROR)
        return CODEC_MEMORY;
    return status == LZMA_OK || status == LZMA_BUF_ERROR ? CODEC_MORE : CODEC_DAMAGED;
}

static void xz_stop(void *state)
{
    lzma_end(state);
    free(state);
}

/* ---- zstd ---- */

static void *zstd_start(void)
{
    return ZSTD_createDCtx();
}

static enum codec_result zstd_step(void *state, struct codec_io *io)
{
    ZSTD_inBuffer in = {io->in, io->in_left, 0};
    ZSTD_outBuffer out = {io->out, io->out_left, 0};
    size_t status = ZSTD_decompressStream(state, &out, &in);
    *io = (struct codec_io){io->in + in.pos, in.size - in.pos, io->out + out.pos, out.size - out.pos};
    if (!ZSTD_isError(status))
        return status ? CODEC_MORE : CODEC_END;
    ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
    return code == ZSTD_error_memory_allocation || code == ZSTD_error_frameParameter_windowTooLarge ? CODEC_MEMORY
                                                                                                    : CODEC_DAMAGED;
}

static void zstd_stop(void *state)
{
    (void)ZSTD_freeDCtx(state);
}

/* ---- bzip2 ---- */

static void *bzip2_start(void)
{
    bz_stream *stream = calloc(1, sizeof *stream);
    if (stream && BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK)
        return stream;
    free(stream);
    return NULL;
}

static int bzip2_again(bz_stream *stream)
{
    (void)BZ2_bzDecompressEnd(stream);
    *stream = (bz_stream){.next_in = NULL};
    return BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK;
}

static enum codec_result bzip2_step(void *state, struct codec_io *io)
{
    bz_stream *stream = state;
    stream->next_in = (char *)(uintptr_t)io->in; /* bzip2 reads it only */
    stream->avail_in = (unsigned)io->in_left;
    stream->next_out = (char *)io->out;
    stream->avail_out = (unsigned)io->out_left;
    int status = BZ2_bzDecompress(stream);
    *io = (struct codec_io){(const unsigned char *)stream->next_in, stream->avail_in, (unsigned char *)stream->next_out,
                            stream->avail_out};
    if (status == BZ_STREAM_END)
        return bzip2_again(stream) ? CODEC_END : CODEC_MEMORY;
    if (status == BZ_MEM_ERROR)
        return CODEC_MEMORY;
    return status == BZ_OK ? CODEC_MORE : CODEC_DAMAGED;
}

static void bzip2_stop(void *state)
{
    (void)BZ2_bzDecompressEnd(state);
    free(state);
}

const struct codec *codec_for(enum content_type type)
{
    static const struct codec codecs[] = {
        {CONTENT_GZIP, "gzip", gzip_start, gzip_step, gzip_stop},
        {CONTENT_XZ, "xz", xz_start, xz_step, xz_stop},
        {CONTENT_ZSTD, "zstd", zstd_start, zstd_step, zstd_stop},
        {CONTENT_BZIP2, "bzip2", bzip2_start, bzip2_step, bzip2_stop},
    };
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (codecs[i].type == type)
            return &codecs[i];
    return NULL;
}
