/* SPDX-License-Identifier: MIT */
/* What an action of `cluster` works with. */
#ifndef CLI_CLUSTER_SESSION_H
#define CLI_CLUSTER_SESSION_H

#include "cluster_layout.h"

struct cluster_session {
    const char *name; /* of the filter */
    struct endpoint endpoint;
    struct router *router;
};

/* EXIT_FINE, or EXIT_ERROR after a message. */
int cluster_session_open(const struct args *args, struct cluster_session *out);
void cluster_session_close(struct cluster_session *session);

/* Most bytes of a part, by --part-bytes. */
int cluster_part_bytes(const struct args *args, uint64_t *out);

/* Refuses a part of so many bytes. */
int cluster_check_part(const char *name, uint64_t bytes, unsigned parts, uint64_t most);

/* What is there under the name, to be replaced: nothing, or with --overwrite its parts are taken away. */
int cluster_make_room(const struct args *args, struct cluster_session *session);

/* Takes away the first parts of a filter that could not be made: nothing is left of it. */
void cluster_undo(struct cluster_session *session, const struct layout *layout, unsigned parts);

#endif
