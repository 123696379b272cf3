/* SPDX-License-Identifier: MIT */
/* Universes, sets and released sets: what stands between the public header and release/, and filters of sets. */
#include "filter.h"

#include <stdio.h>
#include <unistd.h>

#include "mechanism.h"
#include "room.h"
#include "rounding.h"
#include "set.h"
#include "status.h"

/* ---- universes ---- */

int uf_universe_parse(const char *text, const uf_context *given, uf_universe **out, uf_error *why)
{
    uf_context ctx;
    if (!text || !out)
        return fail(why, UF_EINVAL, "no universe was given: write range:1-1000000, ipv4:10.0.0.0/8 or digits:10");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? universe_parse(text, &(struct mem){ctx.allocator}, out, why) : status;
}

int uf_universe_list(const uf_key *keys, size_t count, const uf_context *given, uf_universe **out, uf_error *why)
{
    uf_context ctx;
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
    if (!universe || !out)
        return fail(why, UF_EINVAL, "no universe was given");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? set_new(universe, &(struct mem){ctx.allocator}, out, why) : status;
}

int uf_set_add(uf_set *set, const uf_key *keys, size_t count, uf_error *why)
{
    if (!set || (!keys && count))
        return fail(why, UF_EINVAL, "no set or no keys were given");
    return set_add(set, keys, count, why);
}

int uf_set_release(const uf_set *set, const char *how, const uf_context *given, uf_set **out, uf_error *why)
{
    uf_context ctx;
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

/* Ranks become keys on their way to `put`, which returns a status. */
struct keys_out {
    const uf_universe *universe;
    int (*put)(void *arg, const uf_key *keys, size_t count);
    void *arg;
};

static int put_keys(void *arg, const uint64_t *ranks, size_t count)
{
    const struct keys_out *out = arg;
    char text[SET_BATCH][UNIVERSE_KEY];
    uf_key keys[SET_BATCH];
    for (size_t i = 0; i < count; i++)
        keys[i] = universe_key(out->universe, ranks[i], text[i]);
    return out->put(out->arg, keys, count);
}

struct caller {
    int (*put)(void *arg, const uf_key *keys, size_t count);
    void *arg;
};

static int put_to_caller(void *arg, const uf_key *keys, size_t count)
{
    const struct caller *caller = arg;
    return caller->put(caller->arg, keys, count) ? UF_ECANCELED : UF_OK;
}

int uf_set_each(const uf_set *set, int (*put)(void *arg, const uf_key *keys, size_t count), void *arg, uf_error *why)
{
    const uf_context ctx = UF_CONTEXT_INIT;
    if (!set || !put)
        return fail(why, UF_EINVAL, "no set or no function was given");
    struct caller caller = {put, arg};
    struct keys_out out = {set->universe, put_to_caller, &caller};
    int status = set_walk(set, 1, &ctx, put_keys, &out);
    return status == UF_OK ? UF_OK : fail(why, status, "the keys of the set: %s", uf_status_text(status));
}

/* ---- filters of sets ---- */

/* Bytes that a build takes: the filter, and 16 for each key of a static kind. 0 when the plan does not say. */
static double bytes_to_build(const struct filter_ops *ops, const uf_spec *spec, uint64_t count)
{
    uf_spec plan;
    double bits;
    if (uf_plan(spec, &plan, NULL) != UF_OK || uf_spec_get(&plan, "bits", &bits) != UF_OK)
        return 0;
    return bits / 8 + (ops->solve ? 16.0 * (double)count : 0);
}

/* The system hands out more memory than it has, and stops the process later: so the size of a release is compared with
 * what there is. */
static int check_memory(const struct filter_ops *ops, const uf_spec *spec, const uf_set *set, uf_error *why)
{
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), count = (double)set_count(set);
    double need = bytes_to_build(ops, spec, set_count(set));
    size_t members;
    char fits[64] = "a smaller universe";
    if (set->mark.mechanism == RELEASE_NONE || need <= have || have <= 0)
        return UF_OK;
    (void)set_members(set, &members);
    double epsilon = mechanism_epsilon_for(&set->mark, members, count * have / need);
    if (epsilon <= EPSILON_MOST)
        (void)snprintf(fits, sizeof fits, "epsilon %.4g or more, or a smaller universe", epsilon);
    return fail(why, UF_EIMPOSSIBLE,
                "a %s filter of this release of %.3g keys takes %.3g bytes, and this machine has %.3g: take %s",
                ops->name, count, need, have, fits);
}

static int put_to_builder(void *arg, const uf_key *keys, size_t count)
{
    return uf_builder_add(arg, keys, count);
}

static int build_from(const uf_set *set, unsigned threads, const uf_context *ctx, uf_builder *builder, uf_filter **out,
                      uf_error *why)
{
    struct keys_out keys = {set->universe, put_to_builder, builder};
    int status = set_walk(set, threads, ctx, put_keys, &keys);
    if (status != UF_OK)
        return fail(why, status, "adding the keys of the set failed: %s", uf_status_text(status));
    status = uf_builder_finish(builder, out, why);
    if (status != UF_OK)
        return status;
    (*out)->released = set->mark;
    if (set->mark.mechanism != RELEASE_NONE && room_applies((*out)->ops))
        room_open(*out, FULL_WARN, 0); /* it takes no keys, and does not tell how many it has */
    (*out)->test_random = set->test_random;
    return UF_OK;
}

/* The same release twice is the same bytes, keyed or not. */
static int fix_seed(uf_spec *spec, const uf_secret *secret, uf_error *why)
{
    struct spec parsed;
    const struct filter_ops *ops;
    int status = spec_read(spec->text, &parsed, &ops, why);
    if (status != UF_OK || spec_text(&parsed, "seed"))
        return status;
    spec_set_seed(&parsed, "seed", seed_from_secret(ops, &parsed, secret));
    return spec_print(&parsed, spec, why);
}

/* It takes no keys, so there is nothing to grow for. */
static int check_policy(const uf_set *set, const struct spec *spec, const struct filter_ops *ops, uf_error *why)
{
    uint32_t policy;
    int status = room_policy(spec, ops, &policy, why);
    if (status == UF_OK && policy == FULL_SCALE && set->mark.mechanism != RELEASE_NONE)
        return fail(why, UF_EINVAL, "full=scale makes no sense for a released set, whose filter takes no more keys");
    return status;
}

int uf_build_set(const uf_spec *want, const uf_set *set, const uf_context *given, uf_filter **out, uf_error *why)
{
    uf_context ctx;
    struct spec parsed;
    const struct filter_ops *ops;
    uf_spec spec;
    uf_builder *builder;
    if (!want || !set || !out)
        return fail(why, UF_EINVAL, "no spec or no set was given");
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = spec_read(want->text, &parsed, &ops, why);
    if (status == UF_OK)
        status = check_policy(set, &parsed, ops, why);
    if (status == UF_OK)
        status = spec_with_count(want, set_count(set), &spec, why);
    if (status == UF_OK && set->mark.mechanism != RELEASE_NONE && parsed.keyed && ctx.secret)
        status = fix_seed(&spec, ctx.secret, why);
    if (status == UF_OK)
        status = check_memory(ops, &spec, set, why);
    if (status == UF_OK)
        status = uf_builder_new(&spec, &ctx, &builder, why);
    if (status != UF_OK)
        return status;
    unsigned threads = ops->hash == HASH_FNV1 ? 1 : ctx.threads; /* order matters there */
    status = build_from(set, threads, &ctx, builder, out, why);
    uf_builder_free(builder);
    return status;
}
