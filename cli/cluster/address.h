/* SPDX-License-Identifier: MIT */
/* Where a server is: host and port, or the path of a socket. */
#ifndef CLI_ADDRESS_H
#define CLI_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_HOST = 256, MOST_ADDRESSES = 64 };

struct address {
    char host[MOST_HOST]; /* a path when it begins with a slash */
    char port[8];
};

/* "host:port", "[::1]:port", "host" (port 6379) or "/path". 0: it is none. */
int address_read(const char *text, size_t size, struct address *out);

/* The list of --redis. EXIT_FINE, or EXIT_ERROR after a message. */
int address_read_list(const char *list, struct address out[MOST_ADDRESSES], size_t *count);

bool address_same(const struct address *a, const struct address *b);

/* As it is typed, for messages. */
struct address_text {
    char text[MOST_HOST + 16];
};
struct address_text address_show(const struct address *address);

#endif
