/* SPDX-License-Identifier: MIT */
/*
 * Commands with many items. Up to MANY_AT_ONCE of them are done at once. More are done for a millisecond at a time
 * while their client waits, and others are served in between; they may see the first of the items before the last one
 * is there. In MULTI and in scripts everything is done at once.
 */
#ifndef UFR_MANY_H
#define UFR_MANY_H

#include "items.h"

enum { MANY_AT_ONCE = 4096 };

struct many;

/* What a command does with its items. */
struct many_work {
    int changes;       /* the value */
    const char *event; /* that tells of it */
    /* Up to ITEMS_SLICE items, with a verdict for each. Returns how many of them have a reply: with fewer than `count`
     * the command ends there. 0: with an error, `why`, which is the whole reply where there was none before. */
    size_t (*slice)(struct many *many, struct change *change, RedisModuleString **items, size_t count, int8_t *verdict);
    void (*reply)(const struct many *many, int verdict);
};

struct many {
    const struct many_work *work;
    RedisModuleCtx *ctx; /* that replies go to */
    RedisModuleString *name;
    struct value *value; /* NULL: there is none, and the answer to all questions is no */
    RedisModuleString **items;
    size_t count;
    int variant; /* for `work` */
    uf_error why;
    /* its own */
    size_t done, replied;
    int ended, postponed, changed;
    RedisModuleBlockedClient *client;
    RedisModuleTimerID timer;
    struct many *next;
};

/* Replies. `many` is copied where it is needed for longer, and its key may be open. */
void many_run(struct many *many);

#endif
