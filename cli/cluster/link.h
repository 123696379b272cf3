/* SPDX-License-Identifier: MIT */
/*
 * A connection to one server, with or without TLS, that never waits by itself: commands go into a buffer, replies come
 * out of hiredis' reader. (The hiredis of Debian 12 has no TLS, so sockets are handled here.)
 */
#ifndef CLI_LINK_H
#define CLI_LINK_H

#include <hiredis/hiredis.h>

#include "endpoint.h"

struct link;

/* Words of a command. */
enum { MOST_WORDS = 16 };
struct words {
    size_t count;
    const char *word[MOST_WORDS];
    size_t bytes[MOST_WORDS];
};

/* Of texts, up to a NULL. */
struct words words_of(const char *first, ...) __attribute__((sentinel));
void words_add(struct words *words, const void *data, size_t bytes);

enum { LINK_TEXT = 320 };

enum link_state {
    LINK_OPEN,
    LINK_TROUBLE, /* that may pass: `why` says what */
    LINK_REFUSED  /* wrong password, wrong certificate: trying again does not help */
};

/* Connects and logs in, within `seconds`. */
enum link_state link_open(const struct endpoint *endpoint, const struct address *address, double seconds,
                          struct link **out, char why[LINK_TEXT]);
void link_close(struct link *link); /* NULL is fine */

/* Buffers a command. 0: no memory. */
int link_put(struct link *link, const struct words *words);

/* For poll(). */
int link_descriptor(const struct link *link);
short link_events(const struct link *link);

/* Sends and receives what goes without waiting. 0, or -1 when the connection is lost: `why`. */
int link_move(struct link *link, char why[LINK_TEXT]);

/* The next reply, which the caller frees. 1, 0 when none is whole yet, -1 when it is not the language of Redis. */
int link_reply(struct link *link, redisReply **out);

/* One command and its reply, within `seconds`. NULL: `why`. For connections with nothing else under way. */
redisReply *link_ask(struct link *link, const struct words *words, double seconds, char why[LINK_TEXT]);

#endif
