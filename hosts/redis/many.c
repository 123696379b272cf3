/* SPDX-License-Identifier: MIT */
#include "many.h"

#include <string.h>
#include <time.h>

#include "counters.h"
#include "jobs.h"
#include "reply.h"
#include "type.h"

/* ---- slices ---- */

static void reply_verdicts(struct many *many, const int8_t *verdict, size_t count)
{
    for (size_t i = 0; i < count; i++)
        many->work->reply(many, verdict[i]);
    many->replied += count;
}

/* The array's length is known before the first reply when no item can end the command early. */
static void begin_array(struct many *many, size_t known, int is_last)
{
    many->postponed = !is_last && many->work->changes;
    (void)RedisModule_ReplyWithArray(many->ctx, many->postponed ? REDISMODULE_POSTPONED_LEN
                                                                : (long)(is_last ? known : many->count));
}

static void run_slice(struct many *many, RedisModuleCtx *ctx)
{
    struct change change = {ctx, many->name, many->value, 0};
    int8_t verdict[ITEMS_SLICE];
    size_t left = many->count - many->done, step = left < ITEMS_SLICE ? left : ITEMS_SLICE, replies = step;
    if (many->value)
        replies = many->work->slice(many, &change, many->items + many->done, step, verdict);
    else
        memset(verdict, 0, step);
    many->changed |= change.changed;
    many->ended = replies < step || step == left;
    if (!replies) {
        (void)reply_why(many->ctx, &many->why);
        many->replied += many->done > 0;
        return;
    }
    if (!many->done)
        begin_array(many, replies, many->ended);
    reply_verdicts(many, verdict, replies);
    many->done += step;
}

static void tell(struct many *many, RedisModuleCtx *ctx)
{
    const struct change change = {ctx, many->name, many->value, many->changed};
    items_tell(&change, many->work->event);
    many->changed = 0;
}

static void end(struct many *many, RedisModuleCtx *ctx)
{
    if (many->postponed)
        RedisModule_ReplySetArrayLength(many->ctx, (long)many->replied);
    if (many->work->changes && many->value)
        tell(many, ctx);
}

/* ---- steps: arguments of a client that waits stay as they are, until it goes away ---- */

enum { STEP_NS = 1000000, WAIT_MS = 10 };

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* An error in the place of the next reply, which is the last. */
static void break_off(struct many *many, const char *why)
{
    (void)RedisModule_ReplyWithError(many->ctx, why);
    many->replied++;
    many->ended = 1;
}

/* Whether the value is still the one that it was; a question about what is gone is answered with no. */
static int still_there(struct many *many, RedisModuleKey *key)
{
    struct value *there = NULL;
    if (many->value && type_of(key, &there) == FOUND && there == many->value)
        return 1;
    if (many->work->changes)
        break_off(many, "TRYAGAIN the key was deleted or replaced while its items were worked on");
    value_release(many->value);
    many->value = NULL;
    return 0;
}

/* For a millisecond, or to the end. */
static void run_step(RedisModuleCtx *ctx, struct many *many, int64_t until)
{
    RedisModuleKey *key = NULL;
    if (many->work->changes && (RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_SLAVE)) {
        break_off(many, "READONLY this server became a replica while items were added");
        return;
    }
    if (many->value) {
        key = RedisModule_OpenKey(ctx, many->name, REDISMODULE_READ | (many->work->changes ? REDISMODULE_WRITE : 0));
        (void)still_there(many, key);
    }
    while (!many->ended) {
        run_slice(many, ctx);
        if (now_ns() >= until)
            break;
    }
    if (many->value)
        tell(many, ctx);
    if (key)
        RedisModule_CloseKey(key);
}

/* Commands whose clients wait. */
static struct many *waiting;

static void forget(const struct many *many)
{
    struct many **at = &waiting;
    while (*at && *at != many)
        at = &(*at)->next;
    if (*at)
        *at = many->next;
}

static void finish(RedisModuleCtx *ctx, struct many *many)
{
    end(many, ctx);
    forget(many);
    value_release(many->value);
    RedisModule_FreeString(NULL, many->name);
    RedisModule_FreeThreadSafeContext(many->ctx);
    (void)RedisModule_UnblockClient(many->client, NULL);
    RedisModule_Free(many);
}

/* Nothing is written while a thread reads what must not change, nor while a failover waits for replicas. */
static int must_wait(const struct many *many)
{
    return many->work->changes && ((many->value && many->value->frozen) || RedisModule_AvoidReplicaTraffic());
}

static void step(RedisModuleCtx *ctx, void *data)
{
    struct many *many = data;
    int waits = must_wait(many);
    if (!waits)
        run_step(ctx, many, now_ns() + STEP_NS);
    if (many->ended)
        finish(ctx, many);
    else
        many->timer = RedisModule_CreateTimer(ctx, waits ? WAIT_MS : 0, step, many);
}

/* Its arguments go with it: what is left is done now, so that a command is done whole. */
static void when_gone(RedisModuleCtx *ctx, RedisModuleBlockedClient *client)
{
    struct many *many = waiting;
    while (many && many->client != client)
        many = many->next;
    if (!many)
        return;
    (void)RedisModule_StopTimer(ctx, many->timer, NULL);
    if (many->work->changes && !(many->value && many->value->frozen))
        run_step(ctx, many, INT64_MAX);
    finish(ctx, many);
}

static void start_steps(const struct many *from)
{
    RedisModuleCtx *ctx = from->ctx;
    struct many *many = RedisModule_Alloc(sizeof *many);
    *many = *from;
    many->client = RedisModule_BlockClient(ctx, NULL, NULL, NULL, 0);
    RedisModule_SetDisconnectCallback(many->client, when_gone);
    many->ctx = RedisModule_GetThreadSafeContext(many->client);
    many->name = RedisModule_HoldString(NULL, from->name);
    many->next = waiting;
    waiting = many;
    if (many->value)
        value_hold(many->value);
    counters.jobs++;
    step(ctx, many);
}

void many_run(struct many *many)
{
    if (many->count > MANY_AT_ONCE && job_can_wait(many->ctx)) {
        start_steps(many);
        return;
    }
    while (!many->ended)
        run_slice(many, many->ctx);
    end(many, many->ctx);
}
