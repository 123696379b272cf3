/* SPDX-License-Identifier: MIT */
/* Cutting a blocked filter into parts, and putting parts together again: kinds/blocked_part.h. */
#include <stdio.h>
#include <string.h>

#include "bits.h"
#include "blocked_part.h"
#include "capacity.h"
#include "context.h"
#include "describe.h"
#include "filter.h"
#include "keying.h"
#include "kinds.h"
#include "locked.h"
#include "rates.h"
#include "snapshot.h"
#include "status.h"

typedef unsigned long long number;

/* A filter of this plan that is what `like` is but for its words, of which it has `count` keys. */
static int make_like(const struct filter_ops *ops, const struct spec *plan, const uf_filter *like,
                     const uf_context *ctx, uf_filter **out, uf_error *why)
{
    int status = filter_make(ops, plan, &like->hasher, ctx, out, why);
    if (status != UF_OK)
        return status;
    (*out)->normal = like->normal;
    (*out)->early_exit = like->early_exit;
    (*out)->locked = like->locked;
    return UF_OK;
}

/* Once its words are there. The count is held against them, as when a file is read. */
static void settle(uf_filter *filter, uint32_t policy, uint64_t count)
{
    capacity_open(filter, policy, count);
    locked_bind(filter);
    capacity_check(filter);
}

/* ---- splitting ---- */

/* Of what was counted, the share of a part by its ones; those of all parts add up to the whole. */
static uint64_t share_of_count(const uf_filter *whole, size_t from, size_t words)
{
    uint64_t ones = bits_count(whole->words, whole->word_count), before = bits_count(whole->words, from);
    uint64_t after = before + bits_count(whole->words + from, words);
    double count = (double)capacity_count(whole), all = ones ? (double)ones : 1;
    return (uint64_t)(count * ((double)after / all)) - (uint64_t)(count * ((double)before / all));
}

static int check_split(const uf_filter *whole, uint32_t parts, uint32_t index, uf_error *why)
{
    const uint64_t blocks = whole->word_count * 64 / BLOCK_BITS;
    if (whole->ops == &kind_blocked_part)
        return fail(why, UF_EUNSUPPORTED, "this filter is part %u/%u of another one: join them all, then split that",
                    part_of(whole).index, part_of(whole).count);
    if (whole->ops != &kind_blocked)
        return fail(why, UF_EUNSUPPORTED, "%s filters cannot be split: those of kind blocked can",
                    whole->ops->series ? "filters that grow or have generations" : whole->ops->name);
    if (is_released(whole))
        return fail(why, UF_EUNSUPPORTED, "this filter holds a released set, which is handed out whole");
    if (parts < 1 || parts > PARTS_MOST || index >= parts)
        return fail(why, UF_EINVAL, "part %u of %u is not possible: parts are counted from 0, and there are 1 to %d",
                    index, parts, PARTS_MOST);
    if (blocks % parts)
        return fail(why, UF_EMISMATCH,
                    "this filter has %llu blocks, which %u parts cannot share evenly: build it with parts=%u",
                    (number)blocks, parts, parts);
    return UF_OK;
}

static int split(const uf_filter *whole, struct part part, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    struct spec plan;
    char text[SPEC_VALUE];
    plan_of(whole, &plan);
    (void)snprintf(text, sizeof text, "%u/%u", part.index, part.count);
    (void)spec_set_text(&plan, "part", text, NULL); /* a short one, in a spec with room */
    int status = make_like(&kind_blocked_part, &plan, whole, ctx, out, why);
    if (status != UF_OK)
        return status;
    const size_t words = (*out)->word_count, from = words * part.index;
    memcpy((*out)->words, whole->words + from, words * sizeof *whole->words);
    settle(*out, whole->capacity.policy, whole->capacity.policy == FULL_WARN ? 0 : share_of_count(whole, from, words));
    return UF_OK;
}

int uf_split(const uf_filter *whole, unsigned parts, unsigned index, const uf_context *given, uf_filter **out,
             uf_error *why)
{
    struct snapshot snapshot;
    uf_context ctx;
    error_clear(why);
    if (!whole || !out)
        return fail(why, UF_EINVAL, "no filter or no place for its part was given");
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = check_split(whole, parts, index, why);
    if (status == UF_OK)
        status = snapshot_take(whole, &snapshot, why);
    if (status != UF_OK)
        return status;
    status = split(snapshot.filter, (struct part){index, parts}, &ctx, out, why);
    snapshot_drop(&snapshot);
    return status;
}

/* ---- joining ---- */

/* The plan of the whole, from a part of it. */
static void plan_of_whole(const uf_filter *part, struct spec *plan)
{
    plan_of(part, plan);
    spec_remove(plan, "part");
}

static int check_kind(const uf_filter *filter, uf_error *why)
{
    if (!filter)
        return fail(why, UF_EINVAL, "one of the parts was not given");
    if (filter->ops != &kind_blocked_part)
        return fail(why, UF_EMISMATCH,
                    "one of the filters is not a part of another one but a whole: unite wholes with uf_merge "
                    "('ultrafilter merge')");
    return is_released(filter) ? fail(why, UF_EUNSUPPORTED, "a released filter has no parts") : UF_OK;
}

static int check_pair(const uf_filter *a, const uf_filter *b, uf_error *why)
{
    struct spec first, second;
    uf_spec text[2];
    if (part_of(a).count != part_of(b).count)
        return fail(why, UF_EMISMATCH, "one filter is a part of %u and another one of %u: they are not of one whole",
                    part_of(a).count, part_of(b).count);
    plan_of_whole(a, &first);
    plan_of_whole(b, &second);
    (void)spec_print(&first, &text[0], NULL);
    (void)spec_print(&second, &text[1], NULL);
    if (strcmp(text[0].text, text[1].text) != 0)
        return fail(why, UF_EMISMATCH, "parts %u and %u are not of one filter: %s against %s", part_of(a).index,
                    part_of(b).index, text[0].text, text[1].text);
    if (!keying_same(&a->hasher.stamp, &b->hasher.stamp))
        return fail(why, UF_EMISMATCH, "parts %u and %u were made with different keys", part_of(a).index,
                    part_of(b).index);
    if (a->normal != b->normal)
        return fail(why, UF_EMISMATCH,
                    "the keys of parts %u and %u were not normalised alike (lowercase, trim, carriage returns)",
                    part_of(a).index, part_of(b).index);
    if (a->locked != b->locked)
        return fail(why, UF_EKEY, "part %u is locked and part %u is not: unlock both, or neither",
                    part_of(a->locked ? a : b).index, part_of(a->locked ? b : a).index);
    return UF_OK;
}

/* "2, 5 and 7", or the first few of many. `found` has a 1 for those that are there. */
static int name_missing(const unsigned char *found, uint32_t parts, size_t missing, uf_error *why)
{
    char list[120] = "";
    size_t named = 0, used = 0;
    for (uint32_t i = 0; i < parts && used + 24 < sizeof list; i++)
        if (!found[i]) {
            const char *before = !named ? "" : named + 1 == missing ? " and " : ", ";
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", before, i);
            named++;
        }
    return fail(why, UF_EMISMATCH, "%s %s%s of %u %s missing: a whole needs each of its parts once",
                missing == 1 ? "part" : "parts", list, named < missing ? " and more" : "", parts,
                missing == 1 ? "is" : "are");
}

/* Each part once, and all of one whole. `found` has a place for each. */
static int check_all(const uf_filter *const *parts, size_t count, unsigned char *found, uf_error *why)
{
    size_t missing = part_of(parts[0]).count;
    for (size_t i = 0; i < count; i++) {
        int status = check_kind(parts[i], why);
        if (status == UF_OK)
            status = check_pair(parts[0], parts[i], why);
        if (status != UF_OK)
            return status;
        if (found[part_of(parts[i]).index]++)
            return fail(why, UF_EMISMATCH, "part %u of %u is there twice: a whole needs each of its parts once",
                        part_of(parts[i]).index, part_of(parts[i]).count);
        missing--;
    }
    return missing ? name_missing(found, part_of(parts[0]).count, missing, why) : UF_OK;
}

static int join(const uf_filter *const *parts, size_t count, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    struct spec plan;
    uint64_t counted = 0;
    plan_of_whole(parts[0], &plan);
    int status = make_like(&kind_blocked, &plan, parts[0], ctx, out, why);
    if (status != UF_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const size_t words = parts[i]->word_count;
        memcpy((*out)->words + words * part_of(parts[i]).index, parts[i]->words, words * sizeof *parts[i]->words);
        counted += parts[i]->capacity.policy == FULL_WARN ? 0 : capacity_count(parts[i]);
    }
    settle(*out, parts[0]->capacity.policy, counted);
    return UF_OK;
}

int uf_join(const uf_filter *const *parts, size_t count, const uf_context *given, uf_filter **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!parts || !count || !out)
        return fail(why, UF_EINVAL, "no parts or no place for the whole were given");
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = check_kind(parts[0], why);
    if (status != UF_OK)
        return status;
    const struct mem mem = {ctx.allocator};
    const size_t most = part_of(parts[0]).count;
    unsigned char *found = mem_alloc(&mem, most, 1);
    if (!found)
        return fail(why, UF_ENOMEM, "no memory for a list of %zu parts", most);
    status = check_all(parts, count, found, why);
    mem_free(&mem, found, most, 1);
    return status == UF_OK ? join(parts, count, &ctx, out, why) : status;
}
