/* SPDX-License-Identifier: MIT */
#include "socket_bio.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>

static int descriptor(BIO *bio)
{
    return (int)(intptr_t)BIO_get_data(bio);
}

static int must_wait(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static int bio_write(BIO *bio, const char *data, int bytes)
{
    BIO_clear_retry_flags(bio);
    ssize_t sent = send(descriptor(bio), data, (size_t)bytes, MSG_NOSIGNAL);
    if (sent < 0 && must_wait())
        BIO_set_retry_write(bio);
    return (int)sent;
}

static int bio_read(BIO *bio, char *data, int bytes)
{
    BIO_clear_retry_flags(bio);
    ssize_t got = recv(descriptor(bio), data, (size_t)bytes, 0);
    if (got < 0 && must_wait())
        BIO_set_retry_read(bio);
    return (int)got;
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *method;

static void make_method(void)
{
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (method && (!BIO_meth_set_write(method, bio_write) || !BIO_meth_set_read(method, bio_read) ||
                   !BIO_meth_set_ctrl(method, bio_control)))
        method = NULL;
}

BIO *socket_bio(int fd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_method);
    BIO *bio = method ? BIO_new(method) : NULL;
    if (bio) {
        BIO_set_data(bio, (void *)(intptr_t)fd);
        BIO_set_init(bio, 1);
    }
    return bio;
}
