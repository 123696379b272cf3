/* SPDX-License-Identifier: MIT */
/* Who has which slot: learned from CLUSTER SLOTS, or from ROLE of a server that stands alone. */
#ifndef CLI_TOPOLOGY_H
#define CLI_TOPOLOGY_H

#include <stdbool.h>

#include "link.h"
#include "slots.h"

enum { MOST_NODES = 1024, NOBODY = -1 };

struct node_place {
    struct address address;
    unsigned replicas; /* of a master: those that are not known to have failed */
};

struct topology {
    struct node_place node[MOST_NODES]; /* never taken out, so that their numbers stay */
    size_t nodes;
    short owner[SLOTS]; /* the number of a node, or NOBODY */
    bool cluster;
    unsigned asked; /* which of the servers to ask next */
};

void topology_start(const struct endpoint *endpoint, struct topology *out);

/* The number of a node, a new one if need be; -1 when there are too many. */
int topology_find(struct topology *topology, const struct address *address);

/* Asks one server after the other until one tells, from another one each time. LINK_TROUBLE: none did; `why` is what
 * the last one said. */
enum link_state topology_refresh(const struct endpoint *endpoint, struct topology *topology, double seconds,
                                 char why[LINK_TEXT]);

#endif
