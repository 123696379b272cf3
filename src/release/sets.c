/* SPDX-License-Identifier: MIT */
/* Universes and sets as the public header has them. */
#include "context.h"
#include "set.h"
#include "set_keys.h"
#include "status.h"

/* ---- universes ---- */

int uf_universe_parse(const char *text, const uf_context *given, uf_universe **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!text || !out)
        return fail(why, UF_EINVAL, "no universe was given: write range:1-1000000, ipv4:10.0.0.0/8 or digits:10");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? universe_parse(text, &(struct mem){ctx.allocator}, out, why) : status;
}

int uf_universe_list(const uf_key *keys, size_t count, const uf_context *given, uf_universe **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if ((!keys && count) || !out)
        return fail(why, UF_EINVAL, "no keys were given");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? universe_list(keys, count, &(struct mem){ctx.allocator}, out, why) : status;
}

uint64_t uf_universe_size(const uf_universe *universe)
{
    return universe->size;
}

int uf_universe_rank(const uf_universe *universe, uf_key key, uint64_t *rank)
{
    uint64_t found;
    if (!universe_rank(universe, key, &found))
        return UF_EINVAL;
    *rank = found;
    return UF_OK;
}

uf_key uf_universe_key(const uf_universe *universe, uint64_t rank, char buffer[24])
{
    return rank < universe->size ? universe_key(universe, rank, buffer) : (uf_key){NULL, 0};
}

void uf_universe_free(uf_universe *universe)
{
    universe_free(universe);
}

/* ---- sets ---- */

int uf_set_new(const uf_universe *universe, const uf_context *given, uf_set **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!universe || !out)
        return fail(why, UF_EINVAL, "no universe was given");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? set_new(universe, &(struct mem){ctx.allocator}, out, why) : status;
}

int uf_set_add(uf_set *set, const uf_key *keys, size_t count, uf_error *why)
{
    error_clear(why);
    if (!set || (!keys && count))
        return fail(why, UF_EINVAL, "no set or no keys were given");
    return set_add(set, keys, count, why);
}

int uf_set_release(const uf_set *set, const char *how, const uf_context *given, uf_set **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!set || !how || !out)
        return fail(why, UF_EINVAL, "no set or no mechanism was given: write dime:epsilon=3 or nickel:epsilon=3");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? set_release(set, how, &ctx, out, why) : status;
}

uint64_t uf_set_count(const uf_set *set)
{
    return set_count(set);
}

int uf_set_has(const uf_set *set, uf_key key)
{
    uint64_t rank;
    return universe_rank(set->universe, key, &rank) ? set_has(set, rank) : 0;
}

void uf_set_free(uf_set *set)
{
    set_free(set);
}

/* ---- keys of a set ---- */

struct caller {
    int (*each)(void *arg, const uf_key *keys, size_t count);
    void *arg;
    int reason; /* what it returned that was not 0 */
};

static int give_to_caller(void *arg, const uf_key *keys, size_t count)
{
    struct caller *caller = arg;
    caller->reason = caller->each(caller->arg, keys, count);
    return caller->reason ? UF_ECANCELED : UF_OK;
}

int uf_set_each(const uf_set *set, int (*each)(void *arg, const uf_key *keys, size_t count), void *arg, uf_error *why)
{
    const uf_context ctx = UF_CONTEXT_INIT;
    error_clear(why);
    if (!set || !each)
        return fail(why, UF_EINVAL, "no set or no function was given");
    struct caller caller = {each, arg, 0};
    int status = set_walk_keys(set, 1, &ctx, give_to_caller, &caller);
    if (status == UF_ECANCELED)
        return fail_because(why, status, caller.reason, "the callback that takes the keys returned %d", caller.reason);
    return status == UF_OK ? UF_OK : fail(why, status, "the keys of the set: %s", uf_status_text(status));
}
