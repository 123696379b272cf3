/* SPDX-License-Identifier: MIT */
#include "cluster_session.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cluster_options.h"
#include "human.h"
#include "message.h"
#include "numbers.h"
#include "shared.h"

int cluster_session_open(const struct args *args, struct cluster_session *out)
{
    *out = (struct cluster_session){.name = args->operand[1]};
    if (layout_check_name(out->name) || endpoint_open(args, &out->endpoint))
        return EXIT_ERROR;
    if (router_open(&out->endpoint, &out->router)) {
        endpoint_close(&out->endpoint);
        return EXIT_ERROR;
    }
    return EXIT_FINE;
}

void cluster_session_close(struct cluster_session *session)
{
    router_close(session->router);
    endpoint_close(&session->endpoint);
}

int cluster_part_bytes(const struct args *args, uint64_t *out)
{
    *out = PART_BYTES;
    return args_whole(args, &option_part_bytes, 1 << 16, MOST_PART_BYTES, out);
}

int cluster_check_part(const char *name, uint64_t bytes, unsigned parts, uint64_t most)
{
    if (bytes <= most)
        return EXIT_FINE;
    return print_error("%s: each of its %u parts has %s, and the limit is %s (--part-bytes, at most %s): cut it into "
                       "more parts",
                       name, parts, human_bytes((double)bytes).text, human_bytes((double)most).text,
                       human_bytes(MOST_PART_BYTES).text);
}

static int unlink_key(struct router *router, const char *key)
{
    const struct words words = words_of("UNLINK", key, NULL);
    redisReply *reply = router_ask(router, &words, false);
    if (!reply)
        return EXIT_ERROR;
    int status = reply->type == REDIS_REPLY_ERROR ? print_error("%s: %s", key, reply->str) : EXIT_FINE;
    freeReplyObject(reply);
    return status;
}

int cluster_make_room(const struct args *args, struct cluster_session *session)
{
    struct layout old;
    int status = layout_read(session->router, session->name, &old);
    if (status == EXIT_NONE)
        return EXIT_FINE;
    if (status)
        return status;
    if (!args_has(args, &option_overwrite))
        status = print_error("%s: is there already, with %u parts; choose another name, or add --overwrite to lose it",
                             session->name, old.parts);
    if (!status)
        status = unlink_key(session->router, session->name);
    for (unsigned i = 0; !status && i < old.parts; i++)
        status = unlink_key(session->router, old.key[i].text);
    layout_close(&old);
    return status;
}

void cluster_undo(struct cluster_session *session, const struct layout *layout, unsigned parts)
{
    router_clean_up(session->router);
    for (unsigned i = 0; i < parts; i++)
        if (unlink_key(session->router, layout->key[i].text))
            return;
}
