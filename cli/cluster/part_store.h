/* SPDX-License-Identifier: MIT */
/* Parts as they lie on the servers: looked at, put there from a filter, and fetched as one. */
#ifndef CLI_PART_STORE_H
#define CLI_PART_STORE_H

#include "cluster_layout.h"

enum part_state { PART_THERE, PART_MISSING, PART_WRONG };

struct part_info {
    enum part_state state;
    char spec[sizeof(uf_spec)]; /* of a wrong one: what it is; empty when it is no filter */
    uint64_t items, capacity, memory;
    int node; /* as router_owner has it */
};

/* Of all parts. EXIT_FINE, or EXIT_ERROR after a message. */
int part_look(struct router *router, const struct layout *layout, struct part_info *out);

/* The same, and an error that names one that is missing or wrong. */
int part_check_all(struct router *router, const struct layout *layout);

/* In pieces, which no server works on for longer than about a millisecond; what is there is replaced when `replace` is
 * set. Replicas have it when it returns. */
int part_send(struct router *router, const struct layout *layout, unsigned part, const uf_filter *filter, bool replace);

/* A filter, which the caller frees; locked, when it is keyed. */
int part_fetch(struct router *router, const struct layout *layout, unsigned part, const uf_context *context,
               uf_filter **out);

#endif
