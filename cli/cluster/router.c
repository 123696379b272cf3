/* SPDX-License-Identifier: MIT */
#include "router.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "topology.h"

/* Seconds: to connect; between two looks at who has which slot; before a command is sent again. */
static const double CONNECT = 2, REFRESH = 0.2, AGAIN = 0.05;

enum { WAIT_MS = 500, POLL_MS = 100, MOST_TURNS = 4 };

/* What was sent to a server and is not answered. */
enum flight_kind { FLIGHT_REQUEST, FLIGHT_ASKING, FLIGHT_WAIT };

struct flight {
    enum flight_kind kind;
    struct request *request;
};

struct node {
    struct link *link;     /* NULL: not connected */
    struct flight *flight; /* owned: from `first` on, `count` of them */
    size_t first, count, capacity;
    double heard;      /* when the last byte came */
    double not_before; /* when to connect again */
};

struct router {
    const struct endpoint *endpoint;
    struct topology topology;
    struct node node[MOST_NODES];
    bool stale; /* somebody else may have the slots by now */
    double refreshed, now;
    char trouble[LINK_TEXT + MOST_HOST]; /* the last one, for the message when it does not pass */
    struct request *requests;            /* that are under way */
    size_t count;
    bool confirm, fatal;
    bool heedless; /* signals that wait do not stop it */
};

/* One thread's words are enough. */
static int say(const char *text)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    return atomic_flag_test_and_set(&said) ? EXIT_ERROR : print_error("%s", text);
}

/* ---- requests ---- */

struct request request_of(const struct words *words)
{
    return (struct request){.words = *words,
                            .ask = -1,
                            .node = -1,
                            .slot = words->count > 1 ? slot_of_key(words->word[1], words->bytes[1]) : 0};
}

void request_clear(struct request *request)
{
    freeReplyObject(request->reply);
    request->reply = NULL;
}

/* Back to where it waits to be sent. */
static void delay(struct router *router, struct request *request, double seconds)
{
    request->state = REQUEST_WAITS;
    request->not_before = router->now + seconds;
    if (request->since <= 0)
        request->since = router->now;
}

static void note(struct router *router, int node, const char *text)
{
    (void)snprintf(router->trouble, sizeof router->trouble, "%s: %s",
                   address_show(&router->topology.node[node].address).text, text);
}

struct address_text router_where(const struct router *router, const struct request *request)
{
    return request->node < 0 ? (struct address_text){"no server"}
                             : address_show(&router->topology.node[request->node].address);
}

/* ---- one server ---- */

/* The connection is gone, and with it the answers to come; what no replica has confirmed may be gone, too. */
static void lose(struct router *router, int number, const char *text)
{
    struct node *node = &router->node[number];
    note(router, number, text);
    link_close(node->link);
    node->link = NULL;
    node->count = 0;
    node->not_before = router->now + AGAIN;
    router->stale = true;
    for (size_t i = 0; i < router->count; i++) {
        struct request *request = &router->requests[i];
        if (request->node == number && (request->state == REQUEST_SENT || request->state == REQUEST_ANSWERED))
            delay(router, request, AGAIN);
    }
}

static int fly(struct node *node, enum flight_kind kind, struct request *request)
{
    if (!node->count)
        node->first = 0;
    if (node->first + node->count == node->capacity) {
        size_t capacity = 2 * node->capacity + 16;
        struct flight *grown = realloc(node->flight, capacity * sizeof *grown);
        if (!grown)
            return 0;
        node->flight = grown;
        node->capacity = capacity;
    }
    node->flight[node->first + node->count++] = (struct flight){kind, request};
    return 1;
}

static int put(struct router *router, int number, const struct words *words, enum flight_kind kind,
               struct request *request)
{
    struct node *node = &router->node[number];
    if (!node->count)
        node->heard = router->now;
    if (link_put(node->link, words) && fly(node, kind, request))
        return 1;
    lose(router, number, "no memory for a command");
    return 0;
}

/* 1 when there is a connection. */
static int reach(struct router *router, int number)
{
    struct node *node = &router->node[number];
    char why[LINK_TEXT] = "";
    if (node->link)
        return 1;
    if (router->now < node->not_before)
        return 0;
    enum link_state state =
        link_open(router->endpoint, &router->topology.node[number].address, CONNECT, &node->link, why);
    if (state == LINK_OPEN)
        return 1;
    router->fatal |= state == LINK_REFUSED;
    lose(router, number, why);
    return 0;
}

static void dispatch(struct router *router, struct request *request)
{
    const struct words asking = words_of("ASKING", NULL);
    int asks = request->ask >= 0, number = asks ? request->ask : router->topology.owner[request->slot];
    request->ask = -1;
    if (number < 0) {
        (void)snprintf(router->trouble, sizeof router->trouble, "no master has slot %u", request->slot);
        router->stale = true;
        delay(router, request, AGAIN);
        return;
    }
    if (!reach(router, number)) {
        delay(router, request, AGAIN);
        return;
    }
    request->node = number;
    request->state = REQUEST_SENT;
    if (!asks || put(router, number, &asking, FLIGHT_ASKING, NULL))
        (void)put(router, number, &request->words, FLIGHT_REQUEST, request);
}

/* ---- replies ---- */

/* "MOVED 3999 127.0.0.1:6381": who has it now, or -1. Without a host it is the server that says so; a path is no host.
 */
static int redirected(struct router *router, const struct request *request, const char *text)
{
    struct address address = router->topology.node[request->node].address;
    const char *place = strchr(text, ' ');
    place = place ? strchr(place + 1, ' ') : NULL;
    const char *colon = place ? strrchr(++place, ':') : NULL;
    if (!colon || *place == '/' || (size_t)(colon - place) >= sizeof address.host ||
        strlen(colon + 1) >= sizeof address.port)
        return -1;
    if (colon > place && *place != '?') {
        memcpy(address.host, place, (size_t)(colon - place));
        address.host[colon - place] = '\0';
    }
    strcpy(address.port, colon + 1);
    return topology_find(&router->topology, &address);
}

static int begins(const redisReply *reply, const char *word)
{
    size_t size = strlen(word);
    return reply->type == REDIS_REPLY_ERROR && !strncmp(reply->str, word, size) &&
           (!reply->str[size] || reply->str[size] == ' ');
}

/* Errors that say where to go. */
static int is_redirection(struct router *router, struct request *request, const redisReply *reply)
{
    const int moved = begins(reply, "MOVED");
    if (!moved && !begins(reply, "ASK"))
        return 0;
    int number = redirected(router, request, reply->str);
    note(router, request->node, reply->str);
    if (moved && number >= 0)
        router->topology.owner[request->slot] = (short)number;
    router->stale |= moved;
    const double since = request->since;
    delay(router, request, ++request->turns > MOST_TURNS ? AGAIN : 0);
    if (request->turns <= MOST_TURNS)
        request->since = since; /* it is on its way, which is no trouble yet */
    request->ask = moved ? -1 : number;
    return 1;
}

/* Errors that pass. */
static int is_passing(struct router *router, struct request *request, const redisReply *reply)
{
    static const char *const passing[] = {"TRYAGAIN", "CLUSTERDOWN", "LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS"};
    for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++)
        if (begins(reply, passing[i])) {
            note(router, request->node, reply->str);
            router->stale |= i > 0;
            delay(router, request, AGAIN);
            return 1;
        }
    return 0;
}

/* The first answer counts: the second one to an item that was added says that it is known. */
static void settle(struct router *router, struct request *request, redisReply *reply)
{
    if (is_redirection(router, request, reply) || is_passing(router, request, reply)) {
        freeReplyObject(reply);
        return;
    }
    const bool fails = reply->type == REDIS_REPLY_ERROR;
    if (request->reply && !fails) {
        freeReplyObject(reply);
    } else {
        request_clear(request);
        request->reply = reply;
    }
    request->state = router->confirm && !fails ? REQUEST_ANSWERED : REQUEST_DONE;
    request->since = 0;
    request->turns = 0;
}

/* ---- replicas ---- */

static unsigned needed(const struct router *router, int number)
{
    unsigned there = router->topology.node[number].replicas;
    return router->endpoint->replicas < 0 ? (there ? 1 : 0) : (unsigned)router->endpoint->replicas;
}

/* To all that this server has answered. */
static void mark_answered(struct router *router, int number, bool confirmed)
{
    for (size_t i = 0; i < router->count; i++) {
        struct request *request = &router->requests[i];
        if (request->state != REQUEST_ANSWERED || request->node != number)
            continue;
        if (confirmed)
            request->state = REQUEST_DONE;
        else if (request->since <= 0)
            request->since = router->now;
    }
}

static void settle_wait(struct router *router, int number, const redisReply *reply)
{
    if (reply->type != REDIS_REPLY_INTEGER) {
        lose(router, number, "is no master any more");
        return;
    }
    const bool confirmed = reply->integer >= (long long)needed(router, number);
    if (!confirmed) {
        note(router, number, "too few of its replicas have confirmed what was added");
        router->stale = true;
    }
    mark_answered(router, number, confirmed);
}

static bool has_answered(const struct router *router, int number)
{
    for (size_t i = 0; i < router->count; i++)
        if (router->requests[i].state == REQUEST_ANSWERED && router->requests[i].node == number)
            return true;
    return false;
}

/* Asks replicas, once a server has answered all that it was sent. */
static void ask_replicas(struct router *router)
{
    char count[16], timeout[16];
    (void)snprintf(timeout, sizeof timeout, "%d", WAIT_MS);
    for (int number = 0; number < (int)router->topology.nodes; number++) {
        struct node *node = &router->node[number];
        if (!node->link || node->count || !has_answered(router, number))
            continue;
        if (!needed(router, number)) {
            mark_answered(router, number, true);
            continue;
        }
        (void)snprintf(count, sizeof count, "%u", needed(router, number));
        const struct words wait = words_of("WAIT", count, timeout, NULL);
        (void)put(router, number, &wait, FLIGHT_WAIT, NULL);
    }
}

/* ---- the loop ---- */

static void take_reply(struct router *router, int number, redisReply *reply)
{
    struct node *node = &router->node[number];
    const struct flight flight = node->flight[node->first++];
    node->count--;
    if (flight.kind == FLIGHT_REQUEST) {
        settle(router, flight.request, reply);
        return;
    }
    if (flight.kind == FLIGHT_WAIT)
        settle_wait(router, number, reply);
    freeReplyObject(reply);
}

static void pump(struct router *router, int number)
{
    struct node *node = &router->node[number];
    char why[LINK_TEXT] = "";
    redisReply *reply = NULL;
    int came = 0, gone = link_move(node->link, why);
    while (node->link && node->count && (came = link_reply(node->link, &reply)) > 0) {
        node->heard = router->now;
        take_reply(router, number, reply);
    }
    if (node->link && (gone || came < 0))
        lose(router, number, gone ? why : "does not speak the language of Redis");
}

static void look_again(struct router *router)
{
    char why[LINK_TEXT] = "";
    if (!router->stale || router->now < router->refreshed + REFRESH)
        return;
    router->stale = topology_refresh(router->endpoint, &router->topology, CONNECT / 2, why) != LINK_OPEN;
    router->now = router->refreshed = endpoint_now();
}

/* Milliseconds until something has to be sent. */
static int send_due(struct router *router)
{
    double next = POLL_MS * 1e-3;
    for (size_t i = 0; i < router->count && !router->fatal; i++) {
        struct request *request = &router->requests[i];
        if (request->state == REQUEST_WAITS && request->not_before <= router->now)
            dispatch(router, request);
        if (request->state == REQUEST_WAITS && request->not_before - router->now < next)
            next = request->not_before - router->now;
    }
    return next > 0 ? (int)(next * 1e3) + 1 : 0;
}

static void exchange(struct router *router, int timeout)
{
    struct pollfd wanted[MOST_NODES];
    int number[MOST_NODES];
    nfds_t count = 0;
    for (int i = 0; i < (int)router->topology.nodes; i++)
        if (router->node[i].link) {
            wanted[count] =
                (struct pollfd){link_descriptor(router->node[i].link), link_events(router->node[i].link), 0};
            number[count++] = i;
        }
    (void)poll(wanted, count, timeout);
    router->now = endpoint_now();
    for (nfds_t i = 0; i < count; i++)
        if (wanted[i].revents && router->node[number[i]].link)
            pump(router, number[i]);
}

static void end_silence(struct router *router)
{
    double patience = router->endpoint->wait / 3;
    patience = patience < 1 ? 1 : patience;
    for (int i = 0; i < (int)router->topology.nodes; i++)
        if (router->node[i].link && router->node[i].count && router->now - router->node[i].heard > patience)
            lose(router, i, "does not answer");
}

bool router_is_interrupted(const struct router *router)
{
    sigset_t waiting;
    return !router->heedless && !sigpending(&waiting) &&
           (sigismember(&waiting, SIGINT) || sigismember(&waiting, SIGTERM) || sigismember(&waiting, SIGHUP));
}

void router_clean_up(struct router *router)
{
    router->heedless = true;
}

static double patience_of(const struct router *router)
{
    return router_is_interrupted(router) ? 0 : router->endpoint->wait;
}

/* 1 when all are done, -1 when it takes too long. */
static int is_over(const struct router *router)
{
    int over = 1;
    if (router->fatal)
        return -1;
    for (size_t i = 0; i < router->count; i++) {
        const struct request *request = &router->requests[i];
        if (request->state == REQUEST_DONE)
            continue;
        over = 0;
        if (request->since > 0 && router->now - request->since > patience_of(router))
            return -1;
    }
    return over;
}

static int give_up(const struct router *router)
{
    char text[sizeof router->trouble + 64];
    if (router_is_interrupted(router))
        return EXIT_ERROR;
    (void)snprintf(text, sizeof text, router->fatal ? "%s" : "%s (tried for %.0f s; see --wait)", router->trouble,
                   router->endpoint->wait);
    return say(text);
}

/* What is left of requests that will not be answered: nobody asks for them any more. */
static void abandon(struct router *router)
{
    router->count = 0;
    for (int i = 0; i < (int)router->topology.nodes; i++) {
        link_close(router->node[i].link);
        router->node[i].link = NULL;
        router->node[i].count = 0;
    }
}

int router_run(struct router *router, struct request *requests, size_t count, bool confirm)
{
    int over;
    router->requests = requests;
    router->count = count;
    router->confirm = confirm;
    router->now = endpoint_now();
    while (!(over = is_over(router))) {
        look_again(router);
        int timeout = send_due(router);
        for (int i = 0; i < (int)router->topology.nodes; i++)
            if (router->node[i].link)
                pump(router, i);
        if (confirm)
            ask_replicas(router);
        if (is_over(router))
            continue;
        exchange(router, timeout);
        end_silence(router);
    }
    if (over < 0)
        abandon(router);
    router->count = 0;
    return over < 0 ? give_up(router) : EXIT_FINE;
}

redisReply *router_ask(struct router *router, const struct words *words, bool confirm)
{
    struct request request = request_of(words);
    if (router_run(router, &request, 1, confirm)) {
        request_clear(&request);
        return NULL;
    }
    return request.reply;
}

/* ---- opening ---- */

int router_open(const struct endpoint *endpoint, struct router **out)
{
    char why[LINK_TEXT] = "";
    struct router *router = calloc(1, sizeof *router);
    if (!router)
        return print_error("no memory for connections");
    router->endpoint = endpoint;
    topology_start(endpoint, &router->topology);
    const double end = endpoint_now() + endpoint->wait;
    enum link_state state;
    do {
        state = topology_refresh(endpoint, &router->topology, CONNECT, why);
    } while (state == LINK_TROUBLE && strstr(why, "LOADING") && endpoint_now() < end && !poll(NULL, 0, POLL_MS));
    router->refreshed = endpoint_now();
    if (state == LINK_OPEN) {
        *out = router;
        return EXIT_FINE;
    }
    free(router);
    return say(why);
}

int router_open_beside(const struct router *known, struct router **out)
{
    struct router *router = calloc(1, sizeof *router);
    if (!router)
        return print_error("no memory for connections");
    router->endpoint = known->endpoint;
    router->topology = known->topology;
    router->stale = true;
    *out = router;
    return EXIT_FINE;
}

void router_close(struct router *router)
{
    if (!router)
        return;
    for (size_t i = 0; i < router->topology.nodes; i++) {
        link_close(router->node[i].link);
        free(router->node[i].flight);
    }
    free(router);
}

/* ---- what is known of the servers ---- */

int router_owner(const struct router *router, unsigned slot)
{
    return router->topology.owner[slot];
}

bool router_is_cluster(const struct router *router)
{
    return router->topology.cluster;
}

/* The master whose first slot comes after those of `index` others. */
int router_master(const struct router *router, size_t index, struct master *out)
{
    bool seen[MOST_NODES] = {false};
    for (int slot = 0; slot < SLOTS; slot++) {
        const int number = router->topology.owner[slot];
        if (number < 0 || seen[number])
            continue;
        seen[number] = true;
        if (index--)
            continue;
        *out =
            (struct master){router->topology.node[number].address, 0, router->topology.node[number].replicas, number};
        for (int i = slot; i < SLOTS; i++)
            out->slots += router->topology.owner[i] == number;
        return 1;
    }
    return 0;
}
