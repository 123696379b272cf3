/* SPDX-License-Identifier: MIT */
#include "digests.h"

#include "listeners.h"
#include "open.h"
#include "reply.h"

/* The digests of a command. NULL: the reply was given. */
static const uf_digest *read_digests(RedisModuleCtx *ctx, const RedisModuleString *blob, size_t *count)
{
    uf_error why;
    uf_key bytes = argument_key(blob);
    *count = bytes.size / sizeof(uf_digest);
    if (bytes.size % sizeof(uf_digest))
        (void)reply_set(&why, UF_EINVAL, "digests are of 16 bytes each, and %zu bytes are no multiple of that",
                        bytes.size);
    else if (*count > MOST_DIGESTS)
        (void)reply_set(&why, UF_EINVAL, "%zu digests are too many for one call: %d at most, then the next call",
                        *count, MOST_DIGESTS);
    else
        return bytes.data;
    (void)reply_why(ctx, &why);
    return NULL;
}

static size_t slice_of(size_t done, size_t count)
{
    return count - done < ITEMS_SLICE ? count - done : ITEMS_SLICE;
}

static void set_bits(unsigned char *bits, const uint8_t *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bits[i / 8] |= (unsigned char)(answers[i] << (7 - i % 8));
}

static void ask(RedisModuleCtx *ctx, const struct value *value, const uf_digest *digests, size_t count)
{
    unsigned char bits[MOST_DIGESTS / 8] = {0};
    uint8_t answers[ITEMS_SLICE];
    uf_error why = {0, 0, ""};
    for (size_t done = 0, step; done < count; done += step) {
        step = slice_of(done, count);
        if (items_query_digests(value, digests + done, step, answers, &why) != UF_OK) {
            (void)reply_why(ctx, &why);
            return;
        }
        set_bits(bits + done / 8, answers, step);
    }
    (void)RedisModule_ReplyWithStringBuffer(ctx, (const char *)bits, (count + 7) / 8);
}

int command_uf_dexists(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct value *value = NULL;
    size_t count;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    const uf_digest *digests = read_digests(ctx, argv[2], &count);
    if (!digests)
        return REDISMODULE_OK;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], REDISMODULE_READ);
    enum found found = open_value(key, FAMILY_UF, &value);
    if (found == FOUND)
        ask(ctx, value, digests, count);
    else
        (void)open_refuse(ctx, found);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

static char letter_of(int8_t verdict)
{
    return (char)(verdict >= 0 ? '0' + verdict : verdict == UF_EPART ? 'p' : '-');
}

/* What stops all of them is one error. */
static void add(struct change *change, const uf_digest *digests, size_t count)
{
    char letters[MOST_DIGESTS];
    int8_t verdict[ITEMS_SLICE];
    uf_error why = {0, 0, ""};
    int heard = listeners_want(change->ctx);
    for (size_t done = 0, step; done < count; done += step) {
        step = slice_of(done, count);
        if (!items_per_item(items_add_digests(change, digests + done, step, verdict, heard, &why))) {
            (void)reply_why(change->ctx, &why);
            return;
        }
        for (size_t i = 0; i < step; i++)
            letters[done + i] = letter_of(verdict[i]);
    }
    (void)RedisModule_ReplyWithStringBuffer(change->ctx, letters, count);
}

int command_uf_dadd(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    struct change change = {ctx, argv[1], NULL, 0};
    size_t count;
    if (argc != 3)
        return RedisModule_WrongArity(ctx);
    const uf_digest *digests = read_digests(ctx, argv[2], &count);
    if (!digests)
        return REDISMODULE_OK;
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[1], WRITING);
    enum found found = open_value(key, FAMILY_UF, &change.value);
    if (found != FOUND) {
        (void)open_refuse(ctx, found);
    } else if (!open_is_frozen(ctx, change.value)) {
        add(&change, digests, count);
        items_tell(&change, "uf.add");
    }
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}
