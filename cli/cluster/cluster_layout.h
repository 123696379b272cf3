/* SPDX-License-Identifier: MIT */
/*
 * One filter over many keys of a cluster (docs/partitions.md#in-a-cluster). Under its name there is a hash with what
 * clients need: how it was planned, in how many parts, with which key (its public id), and how its keys are
 * normalised. The parts are filters of their own under the keys of slots.h.
 */
#ifndef CLI_CLUSTER_LAYOUT_H
#define CLI_CLUSTER_LAYOUT_H

#include "router.h"
#include "ultrafilter.h"

struct layout {
    char name[MOST_NAME + 1];
    uf_spec spec; /* of the whole, with every number and the seed */
    unsigned parts;
    char key_id[UF_KEY_ID_SIZE]; /* empty: it has no key */
    unsigned normal;             /* enum uf_normal */
    struct part_key *key;        /* owned: of each part */
};

/* A name that can be one. EXIT_FINE, or EXIT_ERROR after a message. */
int layout_check_name(const char *name);

/* Of a new filter, from one of its parts. EXIT_FINE, or EXIT_ERROR after a message. */
int layout_of_part(const char *name, const uf_filter *part, struct layout *out);

/* What there is under the name. EXIT_NONE when there is nothing, without a message. */
int layout_read(struct router *router, const char *name, struct layout *out);
/* The same; it is an error when there is nothing. */
int layout_open(struct router *router, const char *name, struct layout *out);

/* Puts it there, in the place of what was. */
int layout_write(struct router *router, const struct layout *layout);

void layout_close(struct layout *layout);

/* The spec of a part. */
uf_spec layout_part_spec(const struct layout *layout, unsigned part);

/* Is a filter with this spec and key the part? */
bool layout_has(const struct layout *layout, unsigned part, const char *spec, const char *key_id);
bool layout_has_filter(const struct layout *layout, const uf_filter *filter, unsigned *part);

/* A small filter that hashes as the whole does, with the context's key of that id. EXIT_FINE, or EXIT_ERROR after a
 * message. */
int layout_hasher(const struct layout *layout, const uf_context *context, uf_filter **out);

/* The part of a digest. */
unsigned layout_part(const struct layout *layout, const uf_digest *digest);

/* Says what a server replied to a command about a part. EXIT_ERROR. */
int layout_refused(const struct layout *layout, unsigned part, const struct router *router,
                   const struct request *request);

#endif
