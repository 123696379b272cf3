/* SPDX-License-Identifier: MIT */
/* A socket for OpenSSL that raises no SIGPIPE when the other side is gone, which OpenSSL's own does. */
#ifndef CLI_SOCKET_BIO_H
#define CLI_SOCKET_BIO_H

#include <openssl/bio.h>

/* The descriptor stays the caller's. NULL: no memory. */
BIO *socket_bio(int fd);

#endif
