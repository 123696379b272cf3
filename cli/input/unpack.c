/* SPDX-License-Identifier: MIT */
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codecs.h"
#include "message.h"

enum { IN_BYTES = 128 << 10, OUT_BYTES = 256 << 10, PIPE_BYTES = 1 << 20 };

struct unpacking {
    struct source raw;
    const struct codec *codec;
    void *state; /* the codec's */
    int fd;      /* the end of the pipe that is written to; -1: closed */
    pthread_t thread;
    bool joined;
    int status; /* of the thread, once it is joined */
    atomic_uint_least64_t taken;
    struct codec_io io;
    bool in_member;
    unsigned char in[IN_BYTES], out[OUT_BYTES];
};

static int say(const struct unpacking *unpacking, const char *what)
{
    return print_error("%s: %s", unpacking->raw.name, what);
}

/* ---- the thread ---- */

/* Waiting for a pipe that nobody writes to is the only place where it can be stopped from outside. */
static ssize_t read_packed(struct unpacking *unpacking)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    ssize_t got = source_fetch(&unpacking->raw, unpacking->in, IN_BYTES);
    pthread_setcancelstate(before, NULL);
    if (got > 0)
        atomic_fetch_add(&unpacking->taken, (uint64_t)got);
    unpacking->io.in = unpacking->in;
    unpacking->io.in_left = got > 0 ? (size_t)got : 0;
    return got;
}

/* 0 when nobody reads any more, which is fine, or when the pipe takes no more, which is not. */
static int write_out(struct unpacking *unpacking)
{
    const unsigned char *at = unpacking->out;
    while (at < unpacking->io.out) {
        ssize_t done = write(unpacking->fd, at, (size_t)(unpacking->io.out - at));
        if (done < 0 && errno != EINTR) {
            if (errno != EPIPE)
                unpacking->status = say(unpacking, strerror(errno));
            return 0;
        }
        at += done > 0 ? done : 0;
    }
    return 1;
}

/* Zeros that fill a file up are no member; xz and tapes have them. */
static void skip_padding(struct unpacking *unpacking)
{
    struct codec_io *io = &unpacking->io;
    while (io->in_left && !*io->in) {
        io->in++;
        io->in_left--;
    }
    unpacking->in_member = io->in_left != 0;
}

/* Unpacks what was read. 0 when there is no more to do, `status` says why. */
static int unpack_piece(struct unpacking *unpacking)
{
    struct codec_io *io = &unpacking->io;
    bool full = false;
    for (;;) {
        if (!unpacking->in_member)
            skip_padding(unpacking);
        if (!unpacking->in_member || (!io->in_left && !full))
            return 1;
        io->out = unpacking->out;
        io->out_left = OUT_BYTES;
        enum codec_result result = unpacking->codec->step(unpacking->state, io);
        full = !io->out_left;
        unpacking->in_member = result != CODEC_END;
        if (result == CODEC_DAMAGED)
            unpacking->status = say(unpacking, "is damaged, or something else follows what is compressed");
        if (result == CODEC_MEMORY)
            unpacking->status = say(unpacking, "there is not enough memory to unpack it");
        if (unpacking->status || !write_out(unpacking))
            return 0;
    }
}

static void *unpack(void *arg)
{
    struct unpacking *unpacking = arg;
    ssize_t got;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    while ((got = read_packed(unpacking)) > 0 && unpack_piece(unpacking)) {
    }
    if (got < 0)
        unpacking->status = say(unpacking, strerror(errno));
    else if (!got && unpacking->in_member)
        unpacking->status = say(unpacking, "is cut: what is compressed ends too early");
    close(unpacking->fd);
    unpacking->fd = -1;
    return NULL;
}

/* ---- outside ---- */

/* A write to a pipe that nobody reads is an error in this thread, not the end of the program. */
static int start_thread(struct unpacking *unpacking)
{
    sigset_t pipe_only, before;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    int status = pthread_create(&unpacking->thread, NULL, unpack, unpacking);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static int no_memory(const struct source *raw)
{
    return print_error("%s: no memory to unpack it", raw->name);
}

int unpacking_start(const struct source *raw, struct unpacking **out, int *fd)
{
    struct unpacking *unpacking = calloc(1, sizeof *unpacking);
    int ends[2];
    if (!unpacking)
        return no_memory(raw);
    unpacking->raw = *raw;
    unpacking->codec = codec_for(raw->content->type);
    unpacking->in_member = true;
    unpacking->state = unpacking->codec->start();
    if (!unpacking->state || pipe2(ends, O_CLOEXEC)) {
        if (unpacking->state)
            unpacking->codec->stop(unpacking->state);
        free(unpacking);
        return no_memory(raw);
    }
    (void)fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* larger is faster; a limit may forbid it */
    unpacking->fd = ends[1];
    *fd = ends[0];
    *out = unpacking;
    if (!start_thread(unpacking))
        return EXIT_FINE;
    unpacking->joined = true;
    close(ends[0]);
    close(ends[1]);
    unpacking_free(unpacking);
    return print_error("%s: no thread to unpack it", raw->name);
}

uint64_t unpacking_taken(const struct unpacking *unpacking)
{
    return atomic_load(&unpacking->taken);
}

int unpacking_end(struct unpacking *unpacking)
{
    if (!unpacking->joined)
        pthread_join(unpacking->thread, NULL);
    unpacking->joined = true;
    return unpacking->status;
}

void unpacking_free(struct unpacking *unpacking)
{
    if (!unpacking)
        return;
    if (!unpacking->joined) {
        pthread_cancel(unpacking->thread);
        pthread_join(unpacking->thread, NULL);
        if (unpacking->fd >= 0)
            close(unpacking->fd);
    }
    unpacking->codec->stop(unpacking->state);
    free(unpacking);
}
