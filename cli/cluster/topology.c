/* SPDX-License-Identifier: MIT */
#include "topology.h"

#include <stdio.h>
#include <string.h>

void topology_start(const struct endpoint *endpoint, struct topology *out)
{
    out->nodes = 0;
    out->asked = 0;
    out->cluster = false;
    slots_fill(out->owner, 0, SLOTS - 1, NOBODY);
    for (size_t i = 0; i < endpoint->count; i++)
        (void)topology_find(out, &endpoint->address[i]);
}

int topology_find(struct topology *topology, const struct address *address)
{
    for (size_t i = 0; i < topology->nodes; i++)
        if (address_same(&topology->node[i].address, address))
            return (int)i;
    if (topology->nodes == MOST_NODES)
        return -1;
    topology->node[topology->nodes] = (struct node_place){*address, 0};
    return (int)topology->nodes++;
}

static bool is_text(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS;
}

/* [host, port, ...]; without a host it is the one that was asked. A path would be a socket of the own machine, which no
 * server names. */
static int read_node(const redisReply *reply, const struct address *asked, struct address *out)
{
    *out = *asked;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements < 2 || reply->element[1]->type != REDIS_REPLY_INTEGER)
        return 0;
    const redisReply *host = reply->element[0];
    if (is_text(host) && host->str[0] == '/')
        return 0;
    if (is_text(host) && host->len && strcmp(host->str, "?") != 0)
        (void)snprintf(out->host, sizeof out->host, "%s", host->str);
    (void)snprintf(out->port, sizeof out->port, "%d", (int)(reply->element[1]->integer & 0xffff));
    return 1;
}

/* Slots that there are, the first not behind the last. */
static int slots_of(const redisReply *range, long long *first, long long *last)
{
    if (range->element[0]->type != REDIS_REPLY_INTEGER || range->element[1]->type != REDIS_REPLY_INTEGER)
        return 0;
    *first = range->element[0]->integer;
    *last = range->element[1]->integer;
    return *first >= 0 && *first <= *last && *last < SLOTS;
}

/* [first, last, master, replica...] */
static int read_range(const redisReply *range, const struct address *asked, struct topology *out)
{
    struct address address;
    long long first, last;
    if (range->type != REDIS_REPLY_ARRAY || range->elements < 3 || !slots_of(range, &first, &last) ||
        !read_node(range->element[2], asked, &address))
        return 0;
    int node = topology_find(out, &address);
    if (node < 0)
        return 0;
    out->node[node].replicas = (unsigned)range->elements - 3;
    for (size_t i = 3; i < range->elements; i++) /* who may be asked, when masters are gone */
        if (read_node(range->element[i], asked, &address))
            (void)topology_find(out, &address);
    slots_fill(out->owner, (unsigned)first, (unsigned)last, (short)node);
    return 1;
}

static int read_slots(const redisReply *reply, const struct address *asked, struct topology *out)
{
    int fits = 1;
    slots_fill(out->owner, 0, SLOTS - 1, NOBODY);
    for (size_t i = 0; fits && i < reply->elements; i++)
        fits = read_range(reply->element[i], asked, out);
    out->cluster = true;
    return fits;
}

/* A server alone: a master has all slots; of a replica others are asked. */
static int read_role(const redisReply *reply, const struct address *asked, struct topology *out)
{
    if (reply->type != REDIS_REPLY_ARRAY || !reply->elements || !is_text(reply->element[0]) ||
        strcmp(reply->element[0]->str, "master") != 0)
        return 0;
    int node = topology_find(out, asked);
    if (node < 0)
        return 0;
    out->node[node].replicas =
        reply->elements > 2 && reply->element[2]->type == REDIS_REPLY_ARRAY ? (unsigned)reply->element[2]->elements : 0;
    slots_fill(out->owner, 0, SLOTS - 1, (short)node);
    out->cluster = false;
    return 1;
}

static bool says(const redisReply *reply, const char *text)
{
    return reply->type == REDIS_REPLY_ERROR && strstr(reply->str, text);
}

static enum link_state refuse(const redisReply *reply, char why[LINK_TEXT])
{
    (void)snprintf(why, LINK_TEXT, "%s",
                   reply->type == REDIS_REPLY_ERROR ? reply->str : "is a replica, and its master was not given");
    return says(reply, "NOAUTH") || says(reply, "NOPERM") ? LINK_REFUSED : LINK_TROUBLE;
}

static enum link_state ask_role(struct link *link, const struct address *asked, struct topology *out, double seconds,
                                char why[LINK_TEXT])
{
    const struct words role = words_of("ROLE", NULL);
    redisReply *reply = link_ask(link, &role, seconds, why);
    if (!reply)
        return LINK_TROUBLE;
    enum link_state state = read_role(reply, asked, out) ? LINK_OPEN : refuse(reply, why);
    freeReplyObject(reply);
    return state;
}

static enum link_state ask_slots(struct link *link, const struct address *asked, struct topology *out, double seconds,
                                 char why[LINK_TEXT])
{
    const struct words slots = words_of("CLUSTER", "SLOTS", NULL);
    redisReply *reply = link_ask(link, &slots, seconds, why);
    enum link_state state = LINK_OPEN;
    if (!reply)
        return LINK_TROUBLE;
    if (says(reply, "cluster support disabled"))
        state = ask_role(link, asked, out, seconds, why);
    else if (reply->type != REDIS_REPLY_ARRAY)
        state = refuse(reply, why);
    else if (!reply->elements || !read_slots(reply, asked, out)) {
        (void)snprintf(why, LINK_TEXT, "its cluster has no slots yet");
        state = LINK_TROUBLE;
    }
    freeReplyObject(reply);
    return state;
}

enum link_state topology_refresh(const struct endpoint *endpoint, struct topology *topology, double seconds,
                                 char why[LINK_TEXT])
{
    enum link_state state = LINK_TROUBLE;
    const size_t nodes = topology->nodes;
    for (size_t tried = 0; state == LINK_TROUBLE && tried < nodes; tried++) {
        const struct address address = topology->node[(topology->asked + tried) % nodes].address;
        struct link *link = NULL;
        char text[LINK_TEXT] = "";
        state = link_open(endpoint, &address, seconds, &link, text);
        if (state == LINK_OPEN)
            state = ask_slots(link, &address, topology, seconds, text);
        link_close(link);
        if (state != LINK_OPEN)
            (void)snprintf(why, LINK_TEXT, "%.100s: %.200s", address_show(&address).text, text);
    }
    topology->asked++;
    return state;
}
