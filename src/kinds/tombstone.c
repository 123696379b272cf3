/* SPDX-License-Identifier: MIT */
/*
 * tombstone: two Bloom filters, one of the keys that were inserted and one of those that were removed. A key is found
 * when it is in the first and not in the second.
 *
 *     words   the members' k partitions, then the removed keys' removed_k partitions (positions.h)
 *
 * The second filter looks at mixed bits of the same hash, so that it errs on other keys than the first. What it wrongly
 * takes for removed is hidden: after d removals
 *
 *     FNR = r,  r = (1 - (1 - 1/removed_part)^d)^removed_k       of the members are missed,
 *     FPR = m (1 - r)                                            of keys never inserted accepted, m as in bloom,
 *
 * and a removed key is never accepted. Measured, 10^4 keys and as many removals planned at 10 %, half of them removed:
 * FNR 0.0194 and FPR 0.0980; by the formulas 0.0192 and 0.0981.
 *
 * No tombstone is ever lifted. A removed key stays removed: to insert it again is refused (UF_ESTUCK), and so is any
 * key that the second filter takes for removed. A key inserted twice and removed once is gone. In a union a key that
 * either side has removed is removed. Neither filter shrinks: n is how many keys are ever inserted, `removed` how many
 * are ever removed.
 *
 * With full=refuse removals are refused (UF_EFULL) once more bits of the second filter are ones than `removed` keys of
 * chance set (partitions.h), so that whoever removes whatever else hides no more members than that fill does.
 */
#include <math.h>
#include <string.h>

#include "bitarray.h"
#include "bits.h"
#include "capacity.h"
#include "filter.h"
#include "partitions.h"
#include "plan.h"
#include "status.h"
#include "kinds.h"

struct tombstone {
    struct partitions members, removed;
    /* Not in files. */
    uint64_t ones; /* of the removed keys' filter, while `counted` */
    int counted;
};

/* ---- planning: each filter is planned as bloom is, from a spec of its own ---- */

static uint64_t unit_bits(unsigned k)
{
    return k;
}

static const struct plan_rules rules = {rate_bloom, POSITIONS_MOST_K, NULL, unit_bits, 0};

/* What the parameters of bloom are called for each of the two. */
static const char *const bloom_names[] = {"n", "fpr", "bits", "k"};
static const char *const removed_names[] = {"removed", "fnr", "removed_bits", "removed_k"};

enum { NAMES = 4 };

/* A spec of bloom's parameters, taken from those of `from` that are called `names`. */
static struct spec part_of(const struct spec *from, const char *const names[NAMES])
{
    struct spec part = {.count = 0};
    strcpy(part.kind, from->kind);
    for (unsigned i = 0; i < NAMES; i++)
        if (spec_text(from, names[i]))
            (void)spec_set_text(&part, bloom_names[i], spec_text(from, names[i]), NULL);
    return part;
}

static uint64_t count_in(const struct spec *spec, const char *name)
{
    uint64_t count = 0;
    (void)spec_get_count(spec, name, &count, NULL);
    return count;
}

/* Plans one of the two, and writes what was found back under its names. The rate of an empty one is not said. */
static int plan_part(struct spec *spec, struct spec *part, const char *const names[NAMES], uf_error *why)
{
    int status = plan_resolve(part, &rules, why);
    for (unsigned i = 0; status == UF_OK && i < NAMES; i++) {
        if (spec_text(part, bloom_names[i]))
            (void)spec_set_text(spec, names[i], spec_text(part, bloom_names[i]), NULL);
        else
            spec_remove(spec, names[i]);
    }
    return status;
}

static int plan_removed(struct spec *spec, uf_error *why)
{
    struct spec part = part_of(spec, removed_names);
    uf_error inner = {0, 0, ""};
    int status = plan_part(spec, &part, removed_names, &inner);
    return status == UF_OK
               ? status
               : fail(why, status, "for the removed keys, where n is removed and fpr is fnr: %s", inner.text);
}

/* In what is left of `bits`, unless that is 0; then in as many as it takes. */
static int plan_members(struct spec *spec, uint64_t bits, uint64_t taken, uf_error *why)
{
    struct spec part = part_of(spec, bloom_names);
    uf_error inner = {0, 0, ""};
    if (!bits)
        return plan_part(spec, &part, bloom_names, why);
    spec_set_number(&part, "bits", (double)(bits - taken));
    int status = plan_part(spec, &part, bloom_names, &inner);
    if (status == UF_OK)
        return status;
    return fail(why, status, "of bits=%llu the removed keys take %llu, and for the members: %s",
                (unsigned long long)bits, (unsigned long long)taken, inner.text);
}

/* Errors that a part would report in words that are not the user's. */
static int check_requestes(const struct spec *spec, uf_error *why)
{
    uint64_t count;
    double fnr = 0.5;
    for (const char *const *name = (const char *const[]){"removed", "removed_bits", "removed_k", NULL}; *name; name++)
        if (spec_get_count(spec, *name, &count, why) < 0)
            return UF_EINVAL;
    if (spec_get_number(spec, "fnr", &fnr, why) < 0)
        return UF_EINVAL;
    if (!(fnr > 0 && fnr < 1))
        return fail(why, UF_EINVAL, "fnr=%g is not a false-negative rate: it must be above 0 and below 1, such as 0.01",
                    fnr);
    return UF_OK;
}

/* The removed keys get bits in proportion to their number, or as many as the rate takes that the members have. */
static void default_rate(struct spec *spec, uint64_t bits)
{
    double removed = (double)count_in(spec, "removed"), n = (double)count_in(spec, "n");
    if (spec_text(spec, "fnr") || spec_text(spec, "removed_bits"))
        return;
    if (spec_text(spec, "fpr"))
        (void)spec_set_text(spec, "fnr", spec_text(spec, "fpr"), NULL);
    else if (!bits || !spec_text(spec, "n"))
        spec_set_number(spec, "fnr", PLAN_DEFAULT_FPR);
    else
        spec_set_number(spec, "removed_bits", floor((double)bits * (removed + 1) / (n + removed + 2)));
}

/* n, or `removed`, is known: the removed keys first, and the members in what is left. */
static int plan_in_turn(struct spec *spec, uint64_t bits, uf_error *why)
{
    if (!spec_text(spec, "removed") && spec_text(spec, "n"))
        (void)spec_set_text(spec, "removed", spec_text(spec, "n"), NULL);
    default_rate(spec, bits);
    int status = plan_removed(spec, why);
    if (status != UF_OK)
        return status;
    uint64_t taken = count_in(spec, "removed_bits");
    if (bits && taken >= bits)
        return fail(why, UF_EIMPOSSIBLE, "the removed keys take %llu bits and leave none of bits=%llu to the members",
                    (unsigned long long)taken, (unsigned long long)bits);
    return plan_members(spec, bits, taken, why);
}

/* Only the size is known: half of it for each, for as many removals as there are keys. */
static int plan_halves(struct spec *spec, uint64_t bits, uf_error *why)
{
    for (unsigned i = 1; i < NAMES; i++)
        if (spec_text(spec, removed_names[i]))
            return fail(why, UF_EINVAL, "%s needs n (keys) or removed (how many are taken out) beside it",
                        removed_names[i]);
    int status = plan_members(spec, bits, bits - bits / 2, why);
    if (status != UF_OK)
        return status;
    (void)spec_set_text(spec, "removed", spec_text(spec, "n"), NULL);
    spec_set_number(spec, "removed_bits", (double)(bits - count_in(spec, "bits")));
    return plan_removed(spec, why);
}

static int check_total(struct spec *spec, uf_error *why)
{
    uint64_t bits = count_in(spec, "bits") + count_in(spec, "removed_bits");
    if (bits > PLAN_MAX_BITS)
        return fail(why, UF_EIMPOSSIBLE, "members and removed keys need %llu bits; 2^46 (8 TiB) are the most",
                    (unsigned long long)bits);
    spec_set_number(spec, "bits", (double)bits);
    return UF_OK;
}

static int tombstone_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    uint64_t bits = 0;
    int status = check_requestes(spec, why), sized = 0;
    if (status == UF_OK)
        sized = plan_request_bits(spec, &bits, why);
    if (status != UF_OK || sized < 0)
        return status != UF_OK ? status : sized;
    if (sized && bits < 2)
        return fail(why, UF_EIMPOSSIBLE, "bits=%llu is too few: a tombstone filter has at least 2",
                    (unsigned long long)bits);
    int counted = spec_text(spec, "n") || spec_text(spec, "removed");
    if (!sized && !counted)
        return fail(why, UF_EINVAL, "say how large: n (keys) or bits, as in tombstone:n=1e6,fpr=0.01");
    spec_remove(spec, "bits_per_key");
    status = counted ? plan_in_turn(spec, sized ? bits : 0, why) : plan_halves(spec, bits, why);
    return status == UF_OK ? check_total(spec, why) : status;
}

static int set_shape(struct uf_filter *filter, uf_error *why)
{
    const struct tombstone *tombstone = CONST_PARAMS(struct tombstone, filter);
    filter->word_count = partitions_words(&tombstone->members) + partitions_words(&tombstone->removed);
    if (filter->word_count > SIZE_MAX / 8)
        return fail(why, UF_ENOMEM, "a filter of %zu words does not fit into this machine's memory",
                    filter->word_count);
    return UF_OK;
}

static int read_part(const struct spec *part, struct partitions *out, uf_error *why)
{
    struct plan_shape shape;
    int status = plan_read(part, &rules, &shape, why);
    return status == UF_OK ? partitions_set(out, shape.n, shape.units, shape.k, CELL_BIT, why) : status;
}

static int tombstone_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct tombstone *tombstone = PARAMS(struct tombstone, filter);
    tombstone->counted = 0;
    struct spec members = part_of(plan, bloom_names), removed = part_of(plan, removed_names);
    spec_set_number(&members, "bits", (double)(count_in(plan, "bits") - count_in(plan, "removed_bits")));
    int status = read_part(&members, &tombstone->members, why);
    if (status == UF_OK)
        status = read_part(&removed, &tombstone->removed, why);
    return status == UF_OK ? set_shape(filter, why) : status;
}

/* ---- queries ---- */

INLINE struct positions members_view(const struct uf_filter *filter)
{
    return partitions_view(&CONST_PARAMS(struct tombstone, filter)->members, filter->words);
}

INLINE struct positions removed_view(const struct uf_filter *filter)
{
    const struct tombstone *tombstone = CONST_PARAMS(struct tombstone, filter);
    return partitions_view(&tombstone->removed, filter->words + partitions_words(&tombstone->members));
}

/* The hash of a key for the filter of removed keys. */
INLINE struct hash128 second(struct hash128 hash)
{
    return (struct hash128){mix64(hash.hi), mix64(hash.lo)};
}

static int tombstone_query(const struct uf_filter *filter, struct hash128 hash)
{
    struct positions members = members_view(filter), removed = removed_view(filter);
    int in = cells_query(&members, hash, CELL_BIT, filter->early_exit);
    if (filter->early_exit && !in)
        return 0;
    return in & !cells_query(&removed, second(hash), CELL_BIT, filter->early_exit);
}

/* Some keys at a time, with what each of the two filters says. */
struct batch {
    struct hash128 hash[TILE_SLOTS], second[TILE_SLOTS];
    uint8_t hidden[TILE_SLOTS];
    size_t count;
};

/* The next of `left` keys. 0 when none is left. */
static size_t next_batch(struct batch *batch, struct hash_source *source, size_t left)
{
    batch->count = left < TILE_SLOTS ? left : TILE_SLOTS;
    source->fill(source, batch->hash, batch->count);
    for (size_t i = 0; i < batch->count; i++)
        batch->second[i] = second(batch->hash[i]);
    return batch->count;
}

static void ask_removed(const struct uf_filter *filter, struct batch *batch)
{
    struct hash_source source = source_of_hashes(batch->second);
    cells_query_many(removed_view(filter), &source, batch->count, batch->hidden, CELL_BIT, filter->early_exit);
}

static void ask_members(const struct uf_filter *filter, const struct batch *batch, uint8_t *answers)
{
    struct hash_source source = source_of_hashes(batch->hash);
    cells_query_many(members_view(filter), &source, batch->count, answers, CELL_BIT, filter->early_exit);
}

static void tombstone_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count,
                                 uint8_t *answers)
{
    struct batch batch;
    for (size_t done = 0; done < count; done += batch.count) {
        next_batch(&batch, source, count - done);
        ask_removed(filter, &batch);
        ask_members(filter, &batch, answers + done);
        for (size_t i = 0; i < batch.count; i++)
            answers[done + i] &= !batch.hidden[i];
    }
}

/* ---- inserts ---- */

/* Keys that would not be found afterwards are left out. Returns how many are kept, and puts those in front. */
static size_t keep_open(const struct uf_filter *filter, struct batch *batch)
{
    size_t kept = 0;
    ask_removed(filter, batch);
    for (size_t i = 0; i < batch->count; i++)
        if (!batch->hidden[i])
            batch->hash[kept++] = batch->hash[i];
    return kept;
}

INLINE uint64_t admit(struct uf_filter *filter, struct hash_source *source, size_t count, unsigned how)
{
    struct batch batch;
    uint64_t left_out = 0;
    for (size_t done = 0; done < count; done += batch.count) {
        next_batch(&batch, source, count - done);
        size_t kept = keep_open(filter, &batch);
        struct hash_source rest = source_of_hashes(batch.hash);
        bitarray_add_many(members_view(filter), &rest, kept, NULL, how);
        left_out += batch.count - kept;
    }
    return left_out;
}

static uint64_t tombstone_admit(struct uf_filter *filter, struct hash_source *source, size_t count)
{
    return filter->shared ? admit(filter, source, count, SET_ATOMIC) : admit(filter, source, count, SET);
}

/* spare NULL: there is room for all. */
INLINE void add_batches(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                        struct spare *spare, unsigned how)
{
    struct batch batch;
    int8_t found[TILE_SLOTS];
    for (size_t done = 0; done < count; done += batch.count) {
        next_batch(&batch, source, count - done);
        size_t kept = keep_open(filter, &batch), next = 0;
        struct hash_source rest = source_of_hashes(batch.hash);
        if (spare)
            bitarray_add_within(members_view(filter), &rest, kept, found, spare, filter->shared);
        else
            bitarray_add_many(members_view(filter), &rest, kept, found, how);
        for (size_t i = 0; i < batch.count; i++)
            verdict[done + i] = batch.hidden[i] ? UF_ESTUCK : found[next++];
    }
}

/* Without verdicts only builds, which start without removed keys: all that they insert are members. */
INLINE void add_members(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                        unsigned how)
{
    if (verdict)
        add_batches(filter, source, count, verdict, NULL, how);
    else
        bitarray_add_many(members_view(filter), source, count, NULL, how);
}

static void tombstone_add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    add_members(filter, source, count, verdict, SET);
}

static void tombstone_add_shared(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    add_members(filter, source, count, verdict, SET_ATOMIC);
}

static int tombstone_add(struct uf_filter *filter, struct hash128 hash)
{
    struct positions members = members_view(filter), removed = removed_view(filter);
    if (cells_query(&removed, second(hash), CELL_BIT, filter->early_exit))
        return UF_ESTUCK;
    return positions_add_one(&members, hash, bitarray_set, SET);
}

static uint64_t tombstone_places(const struct uf_filter *filter)
{
    return partitions_words(&CONST_PARAMS(struct tombstone, filter)->members);
}

static void tombstone_scatter(const struct uf_filter *filter, struct hash_source *source, size_t count,
                              const struct scatter *to)
{
    bitarray_scatter(members_view(filter), source, count, to);
}

static void tombstone_apply(struct uf_filter *filter, const struct item *items, size_t count)
{
    bitarray_apply(filter->words, items, count);
}

static void tombstone_add_within(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                                 struct spare *spare)
{
    add_batches(filter, source, count, verdict, spare, SET);
}

static int tombstone_add_one_within(struct uf_filter *filter, struct hash128 hash, struct spare *spare)
{
    struct positions removed = removed_view(filter);
    if (cells_query(&removed, second(hash), CELL_BIT, filter->early_exit))
        return UF_ESTUCK;
    return bitarray_add_one_within(members_view(filter), hash, spare, filter->shared);
}

/* ---- removals ---- */

/* What bury works on. */
struct graves {
    struct positions bits; /* first: position_prepare knows only this */
    uint64_t most, *ones;
};

/* A member that is not hidden yet gets its tombstone; for others there is nothing to do. */
INLINE void bury(const void *self, const void *slot, size_t index, void *out, unsigned variant)
{
    const struct graves *graves = self;
    const uint64_t *position = slot;
    signed char *verdict = (signed char *)out + index;
    unsigned fresh = 0;
    (void)variant;
    for (unsigned i = 0; i < graves->bits.k; i++)
        fresh += !(graves->bits.words[position[i] / 64] >> position[i] % 64 & 1);
    if (*verdict == UF_OK && !fresh)
        *verdict = UF_EABSENT;
    if (*verdict == UF_OK && *graves->ones + fresh > graves->most)
        *verdict = UF_EFULL;
    if (*verdict != UF_OK)
        return;
    bitarray_set(&graves->bits, slot, index, NULL, SET);
    *graves->ones += fresh;
}

/* One pass over the removed keys' filter, unless its ones are known; only where they matter. */
static struct graves open_graves(struct uf_filter *filter)
{
    struct tombstone *tombstone = PARAMS(struct tombstone, filter);
    struct graves graves = {removed_view(filter), UINT64_MAX, &tombstone->ones};
    int refuses = filter->capacity.policy == FULL_REFUSE;
    if (refuses)
        graves.most = partitions_limit(&tombstone->removed);
    if (!refuses || !tombstone->counted)
        tombstone->ones = refuses ? bits_count(graves.bits.words, partitions_words(&tombstone->removed)) : 0;
    tombstone->counted = refuses;
    return graves;
}

/* Its rate falls by what is hidden, but no member makes way: the measure, which is that of the members, stays. */
static uint64_t tombstone_remove_many(struct uf_filter *filter, struct hash_source *source, size_t count,
                                      signed char *verdicts)
{
    struct graves graves = open_graves(filter);
    struct batch batch;
    uint8_t in[TILE_SLOTS];
    for (size_t done = 0; done < count; done += batch.count) {
        next_batch(&batch, source, count - done);
        ask_members(filter, &batch, in);
        for (size_t i = 0; i < batch.count; i++)
            verdicts[done + i] = in[i] ? UF_OK : UF_EABSENT;
        struct hash_source seconds = source_of_hashes(batch.second);
        positions_run(&graves.bits, &seconds, batch.count, bury, verdicts + done, 0);
    }
    return 0;
}

static void tombstone_merge(struct uf_filter *into, const struct uf_filter *from, size_t first, size_t count)
{
    bits_or(into->words + first, from->words + first, count);
    PARAMS(struct tombstone, into)->counted = 0;
}

/* Removals that came by way of another filter hide members as any others do. */
static int tombstone_check_removed(const struct uf_filter *filter, uf_error *why)
{
    const struct partitions *removed = &CONST_PARAMS(struct tombstone, filter)->removed;
    struct fill fill = partitions_fill(removed, removed_view(filter).words, bits_count);
    if (fill.used <= partitions_limit(removed))
        return UF_OK;
    return fail(why, UF_EFULL,
                "the filter would hide %.3g of its members, as it has more removed keys than the %llu that were "
                "planned for: build it anew from the keys that stay, with a larger removed or with full=warn",
                fill.rate, (unsigned long long)removed->n);
}

/* ---- bytes ---- */

static void tombstone_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct tombstone *tombstone = CONST_PARAMS(struct tombstone, filter);
    partitions_encode(&tombstone->members, writer);
    partitions_encode(&tombstone->removed, writer);
}

static uint64_t bits_of(const struct tombstone *tombstone)
{
    return tombstone->members.part * tombstone->members.k + tombstone->removed.part * tombstone->removed.k;
}

static int tombstone_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct tombstone *tombstone = PARAMS(struct tombstone, filter);
    tombstone->counted = 0;
    int status = partitions_decode(&tombstone->members, reader, CELL_BIT, "tombstone", why);
    if (status == UF_OK)
        status = partitions_decode(&tombstone->removed, reader, CELL_BIT, "tombstone", why);
    if (status == UF_OK && bits_of(tombstone) > PLAN_MAX_BITS)
        status = fail(why, UF_EFORMAT, "is damaged: no tombstone filter has %llu bits",
                      (unsigned long long)bits_of(tombstone));
    return status == UF_OK ? set_shape(filter, why) : status;
}

static int tombstone_check(const struct uf_filter *filter, uf_error *why)
{
    const struct tombstone *tombstone = CONST_PARAMS(struct tombstone, filter);
    int status = partitions_check(&tombstone->members, filter->words, why);
    return status == UF_OK ? partitions_check(&tombstone->removed, removed_view(filter).words, why) : status;
}

/* ---- figures ---- */

static double rate_of_part(const struct partitions *part)
{
    return rate_bloom(part->n, part->part, part->k);
}

static void tombstone_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct tombstone *tombstone = CONST_PARAMS(struct tombstone, filter);
    partitions_describe(&tombstone->members, bits_of(tombstone), plan);
    spec_set_number(plan, "removed", (double)tombstone->removed.n);
    plan_set_rate(plan, "fnr", rate_of_part(&tombstone->removed));
    spec_set_number(plan, "removed_bits", (double)(tombstone->removed.part * tombstone->removed.k));
    spec_set_number(plan, "removed_k", tombstone->removed.k);
}

static void tombstone_info(const struct uf_filter *filter, uf_info *out)
{
    const struct tombstone *tombstone = CONST_PARAMS(struct tombstone, filter);
    struct fill members = partitions_fill(&tombstone->members, filter->words, bits_count);
    struct fill removed = partitions_fill(&tombstone->removed, removed_view(filter).words, bits_count);
    out->capacity = tombstone->members.n;
    out->bits = bits_of(tombstone);
    out->fill = members.share;
    out->fpr_now = members.rate * (1 - removed.rate);
    out->fnr_now = removed.rate;
    out->count_estimate = fmax(members.keys - removed.keys, 0);
    out->removed_estimate = removed.keys;
    out->deletable_share = 1;
}

static void tombstone_capacity(const struct uf_filter *filter, struct planned *out)
{
    partitions_capacity(&CONST_PARAMS(struct tombstone, filter)->members, out);
}

/* Removed keys stay, covered. */
static void tombstone_survey(const struct uf_filter *filter, struct survey *out)
{
    partitions_survey(&CONST_PARAMS(struct tombstone, filter)->members, filter->words, bits_count, out);
}

static uint64_t tombstone_limit(struct uf_filter *filter)
{
    return partitions_limit(&CONST_PARAMS(struct tombstone, filter)->members);
}

static double tombstone_most_rate(const struct uf_filter *filter)
{
    return partitions_most_rate(&CONST_PARAMS(struct tombstone, filter)->members);
}

static void keyed_claim(const struct uf_filter *filter, uf_claim *out)
{
    int refuses = filter->capacity.policy == FULL_REFUSE;
    out->adversary = refuses ? "anyone without its key, even with this file and all answers at hand; members, from "
                               "removals by anyone who has neither"
                             : "anyone without its key who asks, even with this file and all answers at hand, and no "
                               "more removals than planned";
    out->not_protected = refuses ? "how many keys there are; anything, from whoever has its key; a key that was found "
                                   "wrong by asking, until the filter is built anew; a member that someone removes by "
                                   "name; and the room for removals, which whoever may remove can use up"
                                 : "how many keys there are; anything, from whoever has its key; a key that was found "
                                   "wrong by asking, until the filter is built anew; and members, from whoever "
                                   "removes more keys than planned";
    out->proof = "docs/threat-model.md#removals";
    if (refuses)
        out->adversarial_fnr = partitions_most_rate(&CONST_PARAMS(struct tombstone, filter)->removed);
}

static void tombstone_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct tombstone *tombstone = CONST_PARAMS(struct tombstone, filter);
    int refuses = filter->capacity.policy == FULL_REFUSE;
    out->fpr = rate_of_part(&tombstone->members);
    out->fnr = rate_of_part(&tombstone->removed);
    out->removed_fpr = 0;
    out->fnr_against = UF_AGAINST_QUERIES | UF_AGAINST_INSERTS | (refuses ? UF_AGAINST_OWN_REMOVALS : 0);
    out->adversary = "keys chosen without knowledge of this file, and no more removals than planned";
    out->not_protected =
        "the keys, and which of them were removed: whoever has this file can test any guess against it";
    out->proof = "docs/kinds.md#tombstone";
    if (is_keyed(filter))
        keyed_claim(filter, out);
}

static const char *const names[] = {"n",       "fpr", "bits",         "bits_per_key", "k",
                                    "removed", "fnr", "removed_bits", "removed_k",    NULL};

const struct filter_ops kind_tombstone = {
    .name = "tombstone",
    .about = "two bloom filters: grows, merges, removes, then misses some members",
    .names = names,
    .id = 9,
    .hash = HASH_XXH3,
    .plan = tombstone_plan,
    .shape = tombstone_shape,
    .calls = {.query = tombstone_query,
              .query_many = tombstone_query_many,
              .add_many = tombstone_add_many,
              .add = tombstone_add,
              .apply = tombstone_apply,
              .add_within = tombstone_add_within,
              .add_one_within = tombstone_add_one_within},
    .add_shared = tombstone_add_shared,
    .admit = tombstone_admit,
    .remove_many = tombstone_remove_many,
    .places = tombstone_places,
    .scatter = tombstone_scatter,
    .capacity = tombstone_capacity,
    .survey = tombstone_survey,
    .limit = tombstone_limit,
    .most_rate = tombstone_most_rate,
    .check_removed = tombstone_check_removed,
    .merge = tombstone_merge,
    .encode = tombstone_encode,
    .decode = tombstone_decode,
    .check = tombstone_check,
    .describe = tombstone_describe,
    .info = tombstone_info,
    .claim = tombstone_claim,
};
