/* SPDX-License-Identifier: MIT */
/* Which servers are spoken to, and how: what the options say, for all threads. */
#ifndef CLI_ENDPOINT_H
#define CLI_ENDPOINT_H

#include <openssl/ssl.h>
#include <stdint.h>

#include "address.h"
#include "args.h"

struct endpoint {
    struct address address[MOST_ADDRESSES];
    size_t count;
    const char *user; /* NULL: the default user */
    char *password;   /* NULL: none; owned, wiped */
    SSL_CTX *tls;     /* NULL: plain */
    double wait;      /* seconds that trouble may last */
    int replicas;     /* that must have a change; -1: one where there are any */
};

/* EXIT_FINE, or EXIT_ERROR after a message. */
int endpoint_open(const struct args *args, struct endpoint *out);
void endpoint_close(struct endpoint *endpoint);

/* Seconds on a clock that is never set. */
double endpoint_now(void);

#endif
