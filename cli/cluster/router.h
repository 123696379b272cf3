/* SPDX-License-Identifier: MIT */
/*
 * Commands to the servers that hold their slots, many at once, through whatever happens to those. Belongs to one
 * thread.
 *
 * A command that is answered with MOVED or ASK goes where that says; one whose server is lost, fails over, loads or has
 * no majority waits and goes to whoever has the slot then. What is sent here may therefore come twice: commands must be
 * such that this does no harm. Trouble that lasts longer than --wait is an error.
 *
 * With `confirm`, a command counts as answered when as many replicas as --replicas says have what it changed (WAIT).
 * Until then it is kept, and sent again when its server is lost: what an old master had and no replica has gone with
 * it.
 */
#ifndef CLI_ROUTER_H
#define CLI_ROUTER_H

#include <stdbool.h>

#include "link.h"
#include "slots.h"

struct router;

enum request_state { REQUEST_WAITS, REQUEST_SENT, REQUEST_ANSWERED, REQUEST_DONE };

struct request {
    unsigned slot;
    struct words words;
    redisReply *reply; /* owned; no error of those that pass */
    /* The router's own. */
    enum request_state state;
    int node, ask;            /* where it was sent; where to ask once, or -1 */
    double since, not_before; /* when its trouble began, 0 without; when to send it */
    unsigned turns;           /* how often it was sent elsewhere */
};

/* A command to the slot of its first word behind the name. */
struct request request_of(const struct words *words);
void request_clear(struct request *request);

/* What a server is, by the map of slots. */
struct master {
    struct address address;
    unsigned slots, replicas;
    int number; /* as router_owner has it */
};

/* Learns who has which slot from one of the endpoint's servers. EXIT_FINE, or EXIT_ERROR after a message. */
int router_open(const struct endpoint *endpoint, struct router **out);
/* The same for another thread, from what a router knows that is not at work now: no server is asked, and none has to be
 * there at this moment. */
int router_open_beside(const struct router *known, struct router **out);
void router_close(struct router *router); /* NULL is fine */

/* Until all are answered. EXIT_FINE, or EXIT_ERROR after a message. */
int router_run(struct router *router, struct request *requests, size_t count, bool confirm);

/* Where signals are held (signals.h): one waits to end the program. Then trouble is not waited for, and no message
 * comes. */
bool router_is_interrupted(const struct router *router);
/* From here on it does not matter. */
void router_clean_up(struct router *router);

/* The server that answered it last. */
struct address_text router_where(const struct router *router, const struct request *request);

/* One command. NULL after a message. */
redisReply *router_ask(struct router *router, const struct words *words, bool confirm);

/* The masters, by their first slots: `index` from 0. 0: there are no more. And which one has a slot, -1 for none. */
int router_master(const struct router *router, size_t index, struct master *out);
int router_owner(const struct router *router, unsigned slot);
bool router_is_cluster(const struct router *router);

#endif
