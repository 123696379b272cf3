/* SPDX-License-Identifier: MIT */
/* A part of a blocked filter: see blocked_part.h. Hashes are turned into those of the part, and blocked does the rest.
 */
#include "blocked_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blocked.h"
#include "kinds.h"
#include "number.h"
#include "scatter.h"
#include "status.h"

enum { SLICE = 256 };

struct blocked_part {
    struct blocked inside; /* first: what blocked sees, with the share of this part as n */
    uint64_t n;            /* of the whole */
    struct part part;
    struct filter_calls calls; /* of blocked, on this machine */
};

#define PART(filter) CONST_PARAMS(struct blocked_part, filter)

struct part part_of(const struct uf_filter *filter)
{
    return PART(filter)->part;
}

uint64_t part_blocks(const struct uf_filter *filter)
{
    return PART(filter)->inside.blocks;
}

/* ---- specs ---- */

/* "3/16", in one way only. */
static int parse_part(const char *text, struct part *out)
{
    const char *slash = strchr(text, '/');
    char first[SPEC_VALUE], again[SPEC_VALUE];
    uint64_t index, count;
    if (!slash)
        return 0;
    memcpy(first, text, (size_t)(slash - text)); /* a value of a spec fits */
    first[slash - text] = 0;
    if (!number_parse_count(first, &index) || !number_parse_count(slash + 1, &count) || count > PARTS_MOST ||
        index >= count)
        return 0;
    *out = (struct part){(uint32_t)index, (uint32_t)count};
    (void)snprintf(again, sizeof again, "%u/%u", out->index, out->count);
    return !strcmp(again, text);
}

static int not_possible(const char *name, const char *value, uf_error *why)
{
    if (!strcmp(name, "part"))
        return fail(why, UF_EINVAL,
                    "part=%s is not a part: write its number and how many there are, from 0/16 to 15/16 for sixteen of "
                    "them, and at most %d",
                    value, PARTS_MOST);
    return fail(why, UF_EINVAL, "parts=%s is not possible: it is how many parts the filter can be cut into, 1 to %d",
                value, PARTS_MOST);
}

/* Levels and generations come and go; the blocks of a part are those of one array. */
static int check_others(const struct spec *spec, uf_error *why)
{
    const char *full = spec_text(spec, "full"), *name = spec_text(spec, "part") ? "part" : "parts";
    if (spec_text(spec, "part") && spec_text(spec, "parts"))
        return fail(why, UF_EINVAL, "part=%s says how many parts there are: leave parts out", spec_text(spec, "part"));
    if (full && !strcmp(full, "scale"))
        return fail(why, UF_EINVAL, "%s and full=scale do not go together: plan n for all keys of the whole", name);
    if (spec_text(spec, "window"))
        return fail(why, UF_EINVAL, "%s and window do not go together: a filter in parts has no generations", name);
    return UF_OK;
}

int parts_of(const struct spec *spec, struct part *out, uf_error *why)
{
    const char *part = spec_text(spec, "part"), *parts = spec_text(spec, "parts");
    uint64_t count;
    *out = (struct part){0, 0};
    if (!part && !parts)
        return PARTS_NONE;
    if (part && !parse_part(part, out))
        return not_possible("part", part, why);
    if (parts && (!number_parse_count(parts, &count) || count < 1 || count > PARTS_MOST))
        return not_possible("parts", parts, why);
    if (!part)
        out->count = (uint32_t)count;
    if (check_others(spec, why) != UF_OK)
        return UF_EINVAL;
    return part ? PARTS_PART : PARTS_WHOLE;
}

/* A size that was asked for is not exceeded. */
static int round_request(struct spec *spec, uint64_t step, uf_error *why)
{
    uint64_t bits = 0;
    int given = plan_request_bits(spec, &bits, why);
    if (given <= 0)
        return given;
    if (bits < step)
        return fail(why, UF_EIMPOSSIBLE,
                    "bits=%llu are too few for so many parts: each has a block of %d bits at least, which makes %llu",
                    (unsigned long long)bits, BLOCK_BITS, (unsigned long long)step);
    spec_remove(spec, "bits_per_key");
    spec_set_number(spec, "bits", (double)(bits / step * step));
    return UF_OK;
}

/* A rate that was asked for is kept. */
static int round_plan(struct spec *spec, const struct plan_rules *rules, uint64_t step, uf_error *why)
{
    struct plan_shape shape;
    int status = plan_read(spec, rules, &shape, why);
    if (status != UF_OK)
        return status;
    uint64_t bits = ceil_div(shape.units * BLOCK_BITS, step) * step;
    if (bits > PLAN_MAX_BITS)
        return fail(why, UF_EIMPOSSIBLE, "so many parts take %llu bits, more than the 2^46 (8 TiB) a filter can have",
                    (unsigned long long)bits);
    spec_set_number(spec, "bits", (double)bits);
    plan_set_fpr(spec, rate_blocked(shape.n, bits / BLOCK_BITS, shape.k));
    return UF_OK;
}

int parts_plan(struct spec *spec, const struct plan_rules *rules, uf_error *why)
{
    struct part part;
    int there = parts_of(spec, &part, why);
    if (there <= PARTS_NONE)
        return there < 0 ? there : plan_resolve(spec, rules, why);
    uint64_t step = (uint64_t)part.count * BLOCK_BITS;
    int status = round_request(spec, step, why);
    if (status == UF_OK)
        status = plan_resolve(spec, rules, why);
    return status == UF_OK ? round_plan(spec, rules, step, why) : status;
}

static int part_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    return kind_blocked.plan(ops, spec, why);
}

/* ---- shape and bytes ---- */

static uint64_t share_of(uint64_t n, uint32_t parts)
{
    double mean = (double)n / parts;
    return (uint64_t)fmin((double)n, ceil(mean + 8 * sqrt(mean) + 64.0 / 3));
}

static int set_shape(struct uf_filter *filter, uint64_t n, uint64_t blocks, unsigned k, struct part part, uf_error *why)
{
    if (blocks > SIZE_MAX / 8 / BLOCK_WORDS)
        return fail(why, UF_ENOMEM, "a part of %llu blocks does not fit into this machine's memory",
                    (unsigned long long)blocks);
    *PARAMS(struct blocked_part, filter) =
        (struct blocked_part){.inside = {.blocks = blocks, .n = share_of(n, part.count), .k = k}, .n = n, .part = part};
    filter->word_count = (size_t)(blocks * BLOCK_WORDS);
    return UF_OK;
}

static int part_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    uint64_t n = 0, bits = 0, k = 0;
    struct part part;
    int there = parts_of(plan, &part, why);
    if (there < 0)
        return there;
    if (there != PARTS_PART || spec_get_count(plan, "n", &n, why) != 1 ||
        spec_get_count(plan, "bits", &bits, why) != 1 || spec_get_count(plan, "k", &k, why) != 1)
        return fail(why, UF_EINVAL, "the plan lacks n, bits, k or part");
    return set_shape(filter, n, bits / BLOCK_BITS / part.count, (unsigned)k, part, why);
}

static void part_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct blocked_part *part = PART(filter);
    write_uint(writer, part->n, 8);
    write_uint(writer, part->inside.blocks, 8);
    write_uint(writer, part->inside.k, 4);
    write_uint(writer, part->part.count, 4);
    write_uint(writer, part->part.index, 4);
}

static int part_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    uint64_t n = read_uint(reader, 8), blocks = read_uint(reader, 8), k = read_uint(reader, 4);
    uint64_t count = read_uint(reader, 4), index = read_uint(reader, 4);
    if (n > UINT64_C(1) << 53 || (k != 8 && k != 16) || count < 1 || count > PARTS_MOST || index >= count ||
        blocks < 1 || blocks > PLAN_MAX_BITS / BLOCK_BITS / count)
        return fail(why, UF_EFORMAT,
                    "is damaged: no blocked filter has n=%llu, k=%llu and, in part %llu of %llu, %llu blocks",
                    (unsigned long long)n, (unsigned long long)k, (unsigned long long)index, (unsigned long long)count,
                    (unsigned long long)blocks);
    return set_shape(filter, n, blocks, (unsigned)k, (struct part){(uint32_t)index, (uint32_t)count}, why);
}

/* ---- keys ---- */

INLINE int is_own(const struct part *part, struct hash128 hash)
{
    return mul_high(hash.hi, part->count) == part->index;
}

INLINE struct hash128 inner(const struct part *part, struct hash128 hash)
{
    return (struct hash128){hash.lo, hash.hi * part->count};
}

/* The next hashes: those of this part, as blocked gets them, and where they were. */
struct slice {
    struct hash128 hash[SLICE];
    uint16_t place[SLICE];
    size_t own;
};

static size_t take_slice(const struct part *part, struct hash_source *source, size_t left, struct slice *out)
{
    size_t count = left < SLICE ? left : SLICE;
    source->fill(source, out->hash, count);
    out->own = 0;
    for (size_t i = 0; i < count; i++)
        if (is_own(part, out->hash[i])) {
            out->hash[out->own] = inner(part, out->hash[i]);
            out->place[out->own++] = (uint16_t)i;
        }
    return count;
}

static int part_query(const struct uf_filter *filter, struct hash128 hash)
{
    const struct blocked_part *part = PART(filter);
    return is_own(&part->part, hash) ? part->calls.query(filter, inner(&part->part, hash)) : 0;
}

static void part_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    const struct blocked_part *part = PART(filter);
    struct slice slice;
    uint8_t found[SLICE];
    for (size_t done = 0, step; done < count; done += step) {
        step = take_slice(&part->part, source, count - done, &slice);
        struct hash_source ready = source_of_hashes(slice.hash);
        part->calls.query_many(filter, &ready, slice.own, found);
        memset(answers + done, 0, step);
        for (size_t i = 0; i < slice.own; i++)
            answers[done + slice.place[i]] = found[i];
    }
}

static int part_add(struct uf_filter *filter, struct hash128 hash)
{
    const struct blocked_part *part = PART(filter);
    return is_own(&part->part, hash) ? part->calls.add(filter, inner(&part->part, hash)) : UF_EPART;
}

static int part_add_one_within(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    const struct blocked_part *part = PART(filter);
    return is_own(&part->part, hash) ? part->calls.add_one_within(filter, inner(&part->part, hash), spare) : UF_EPART;
}

/* spare: NULL without a limit. Returns how many belong elsewhere. */
static uint64_t add_slices(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                           struct spare *spare)
{
    const struct blocked_part *part = PART(filter);
    struct slice slice;
    int8_t came[SLICE];
    uint64_t own = 0;
    for (size_t done = 0, step; done < count; done += step) {
        step = take_slice(&part->part, source, count - done, &slice);
        struct hash_source ready = source_of_hashes(slice.hash);
        own += slice.own;
        if (spare)
            part->calls.add_within(filter, &ready, slice.own, came, spare);
        else
            part->calls.add_many(filter, &ready, slice.own, verdict ? came : NULL);
        if (!verdict)
            continue;
        memset(verdict + done, UF_EPART, step);
        for (size_t i = 0; i < slice.own; i++)
            verdict[done + slice.place[i]] = came[i];
    }
    return count - own;
}

static void part_add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    (void)add_slices(filter, source, count, verdict, NULL);
}

static uint64_t part_admit(struct uf_filter *filter, struct hash_source *source, size_t count)
{
    return add_slices(filter, source, count, NULL, NULL);
}

static void part_add_within(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                            struct spare *spare)
{
    (void)add_slices(filter, source, count, verdict, spare);
}

static size_t part_own(const struct uf_filter *filter, struct hash128 *hash, size_t count)
{
    const struct part part = part_of(filter);
    size_t own = 0;
    for (size_t i = 0; i < count; i++)
        if (is_own(&part, hash[i]))
            hash[own++] = hash[i];
    return own;
}

static void part_apply(struct uf_filter *filter, const struct item *items, size_t count)
{
    PART(filter)->calls.apply(filter, items, count);
}

/* Places are blocks, as blocked has them. Every key is one of this part. */
static uint64_t part_places(const struct uf_filter *filter)
{
    return part_blocks(filter);
}

INLINE void push(const void *self, struct hash128 hash, const struct scatter *to)
{
    const struct blocked_part *part = self;
    scatter_push(to, mul_high(inner(&part->part, hash).hi, part->inside.blocks), hash.lo);
}

static void part_scatter(const struct uf_filter *filter, struct hash_source *source, size_t count,
                         const struct scatter *to)
{
    scatter_run(PART(filter), source, count, to, push);
}

static const struct filter_calls calls = {.query = part_query,
                                          .query_many = part_query_many,
                                          .add_many = part_add_many,
                                          .add = part_add,
                                          .apply = part_apply,
                                          .add_within = part_add_within,
                                          .add_one_within = part_add_one_within};

static void part_bind(struct uf_filter *filter)
{
    kind_blocked.bind(filter);
    PARAMS(struct blocked_part, filter)->calls = filter->calls;
    filter->calls = calls;
}

static void part_merge(struct uf_filter *into, const struct uf_filter *from, size_t first, size_t count)
{
    kind_blocked.merge(into, from, first, count);
}

/* ---- figures ---- */

static void part_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct blocked_part *part = PART(filter);
    const uint64_t blocks = part->inside.blocks * part->part.count;
    char text[SPEC_VALUE];
    (void)snprintf(text, sizeof text, "%u/%u", part->part.index, part->part.count);
    spec_set_number(plan, "n", (double)part->n);
    plan_set_fpr(plan, rate_blocked(part->n, blocks, part->inside.k));
    spec_set_number(plan, "bits", (double)(blocks * BLOCK_BITS));
    spec_set_number(plan, "k", part->inside.k);
    (void)spec_set_text(plan, "part", text, NULL);
}

static void part_info(const struct uf_filter *filter, uf_info *out)
{
    kind_blocked.info(filter, out);
    out->part = part_of(filter).index;
    out->parts = part_of(filter).count;
}

/* Over seeds each part is as full as the others: so its rate is that of the whole. */
static void part_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct blocked_part *part = PART(filter);
    out->fpr = rate_blocked(part->n, part->inside.blocks * part->part.count, part->inside.k);
    out->proof = "docs/partitions.md";
}

static void part_capacity(const struct uf_filter *filter, struct planned *out)
{
    kind_blocked.capacity(filter, out);
}

static void part_survey(const struct uf_filter *filter, struct survey *out)
{
    kind_blocked.survey(filter, out);
}

static uint64_t part_limit(struct uf_filter *filter)
{
    return kind_blocked.limit(filter);
}

static double part_most_rate(const struct uf_filter *filter)
{
    return kind_blocked.most_rate(filter);
}

static const char *const names[] = {"n", "fpr", "bits", "bits_per_key", "k", "parts", "part", NULL};

/* Not in the table of kinds: specs say part=P/N of blocked. Threads do not share it: several parts run beside each
 * other instead. */
const struct filter_ops kind_blocked_part = {
    .name = "blocked",
    .about = "a part of a blocked filter",
    .names = names,
    .id = 34,
    .hash = HASH_XXH3,
    .block_bits = BLOCK_BITS,
    .calls = {.query = part_query, .query_many = part_query_many},
    .plan = part_plan,
    .shape = part_shape,
    .bind = part_bind,
    .admit = part_admit,
    .own = part_own,
    .places = part_places,
    .scatter = part_scatter,
    .capacity = part_capacity,
    .survey = part_survey,
    .limit = part_limit,
    .most_rate = part_most_rate,
    .merge = part_merge,
    .encode = part_encode,
    .decode = part_decode,
    .describe = part_describe,
    .info = part_info,
    .claim = part_claim,
};
