/* SPDX-License-Identifier: MIT */
/*
 * Items of a command against a value: asked, added and removed, many at a time, and what changed is replicated as
 * digests.
 */
#ifndef UFR_ITEMS_H
#define UFR_ITEMS_H

#include "value.h"

/* At once: enough for the library to have several cache misses in flight. */
enum { ITEMS_SLICE = 256 };

/* A change of a value under way: its key, the command that asked, and whether there was anything to change. */
struct change {
    RedisModuleCtx *ctx;
    RedisModuleString *key;
    struct value *value;
    int changed;
};

/* At the end of it: tells those who watch the key, and of the event. Not when nothing changed. */
void items_tell(const struct change *change, const char *event);

/* answers[i] is 1 or 0; count is ITEMS_SLICE at most. */
void items_query(const struct value *value, RedisModuleString **items, size_t count, uint8_t *answers);

/* The same for digests, which a locked value answers, too. UF_EUNSUPPORTED: kinds that have none. */
int items_query_digests(const struct value *value, const uf_digest *digests, size_t count, uint8_t *answers,
                        uf_error *why);

/* verdict[i] is 1, 0 or a status, as uf_add_many has it; count is ITEMS_SLICE at most. UF_OK, or the worst status. A
 * value that may grow gets a further filter when the last one is full. */
int items_add(struct change *change, RedisModuleString **items, size_t count, int8_t *verdict, uf_error *why);

/* The same for digests, which a locked value takes, too. `heard`: others get those that changed something. */
int items_add_digests(struct change *change, const uf_digest *digests, size_t count, int8_t *verdict, int heard,
                      uf_error *why);

/* Whether a status of adding is about some of the items, so that there are verdicts. */
static inline int items_per_item(int status)
{
    return status == UF_OK || status == UF_EFULL || status == UF_ESTUCK || status == UF_ENOMEM || status == UF_EPART;
}

/* removed[i] is 1 or 0. UF_OK, or a status other than UF_EABSENT and UF_ESTUCK. */
int items_remove(struct change *change, RedisModuleString **items, size_t count, uint8_t *removed, uf_error *why);

/* What a replica does with digests. */
int items_apply(struct value *value, const uf_digest *digests, size_t count, uf_error *why);
int items_unapply(struct value *value, const uf_digest *digests, size_t count, uf_error *why);

#endif
