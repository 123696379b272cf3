/* SPDX-License-Identifier: MIT */
/* The table of kinds, argument checks, and dispatch: what stands between the public header and a kind. */
#include "filter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "chain.h"
#include "cpu.h"
#include "hash_inline.h"
#include "keying.h"
#include "learned.h"
#include "number.h"
#include "room.h"
#include "status.h"

/* ---- kinds ---- */

static const struct filter_ops *const kinds[] = {&kind_blocked,  &kind_bloom,     &kind_ribbon,    &kind_dcso,
                                                 &kind_counting, &kind_deletable, &kind_tombstone, &kind_dpset,
                                                 &kind_ultra,    &kind_learned,   &kind_sandwich,  &kind_partition,
                                                 &kind_uptown,   &kind_downtown,  &kind_robust};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct filter_ops *kind_by_name(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i]->name, name))
            return kinds[i];
    return NULL;
}

const struct filter_ops *kind_by_id(uint64_t id)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i]->id == id)
            return kinds[i];
    return id == kind_chain.id ? &kind_chain : NULL;
}

const char *uf_kind_name(size_t index)
{
    return index < KINDS ? kinds[index]->name : NULL;
}

const char *uf_kind_about(const char *kind)
{
    const struct filter_ops *ops = kind ? kind_by_name(kind) : NULL;
    return ops ? ops->about : NULL;
}

const char *uf_version(void)
{
    return UF_VERSION;
}

/* ---- specs ---- */

static int takes(const struct filter_ops *ops, const struct spec *spec, const char *name)
{
    if (!strcmp(name, "seed"))
        return ops->hash == HASH_XXH3;
    if (!strcmp(name, "prf"))
        return has_key(ops, spec);
    if (!strcmp(name, "full"))
        return room_applies(ops);
    for (const char *const *legal = ops->names; *legal; legal++)
        if (!strcmp(*legal, name))
            return 1;
    return 0;
}

/* "a, b, c" of the names that a kind takes. */
static void append_name(const char *name, char *out, size_t size)
{
    size_t used = strlen(out);
    if (used + strlen(name) + 3 <= size)
        strcat(strcat(out, used ? ", " : ""), name);
}

static void list_names(const struct filter_ops *ops, const struct spec *spec, char *out, size_t size)
{
    out[0] = 0;
    for (const char *const *name = ops->names; *name; name++)
        append_name(*name, out, size);
    if (ops->hash == HASH_XXH3)
        append_name("seed", out, size);
    if (room_applies(ops))
        append_name("full", out, size);
    if (has_key(ops, spec))
        append_name("prf", out, size);
}

static int check_keyed(const struct spec *spec, const struct filter_ops *ops, uf_error *why)
{
    enum hash_kind kind;
    if (!has_key(ops, spec))
        return UF_OK;
    if (spec->keyed && ops->keyed)
        return fail(why, UF_EINVAL, "%s is keyed already: write it without the brackets", ops->name);
    if (ops->hash != HASH_XXH3)
        return fail(why, UF_EINVAL, "%s cannot be keyed: its hash is part of its format", ops->name);
    return keying_kind(spec, &kind, why);
}

/* "a, b and c" of all kinds. */
static void list_kinds(char *out, size_t size)
{
    out[0] = 0;
    for (size_t i = 0; i < KINDS; i++) {
        size_t used = strlen(out);
        const char *before = !i ? "" : i + 1 < KINDS ? ", " : " and ";
        (void)snprintf(out + used, size - used, "%s%s", before, kinds[i]->name);
    }
}

static int no_such_kind(const char *kind, uf_error *why)
{
    char list[256];
    list_kinds(list, sizeof list);
    if (!strcmp(kind, "keyed"))
        return fail(why, UF_EINVAL, "keyed needs a kind in brackets, as in keyed(bloom:n=1e6,fpr=0.01)");
    return fail(why, UF_EINVAL, "there is no kind '%s': the kinds are %s", kind, list);
}

int spec_read(const char *text, struct spec *out, const struct filter_ops **ops, uf_error *why)
{
    char legal[160];
    int status = spec_parse(text, out, why);
    if (status != UF_OK)
        return status;
    *ops = kind_by_name(out->kind);
    if (!*ops)
        return no_such_kind(out->kind, why);
    list_names(*ops, out, legal, sizeof legal);
    for (unsigned i = 0; i < out->count; i++)
        if (!takes(*ops, out, out->param[i].name))
            return fail(why, UF_EINVAL, "%s has no parameter '%s': it takes %s", out->kind, out->param[i].name, legal);
    uint64_t seed;
    uint32_t policy;
    if (spec_get_seed(out, "seed", &seed, why) < 0)
        return UF_EINVAL;
    status = room_policy(out, *ops, &policy, why);
    return status == UF_OK ? check_keyed(out, *ops, why) : status;
}

int uf_spec_parse(const char *text, uf_spec *out, uf_error *why)
{
    struct spec spec;
    const struct filter_ops *ops;
    if (!text || !out)
        return fail(why, UF_EINVAL, "no spec was given");
    int status = spec_read(text, &spec, &ops, why);
    return status == UF_OK ? spec_print(&spec, out, why) : status;
}

int uf_spec_set(uf_spec *spec, const char *name, const char *value, uf_error *why)
{
    struct spec parsed;
    uf_spec changed;
    if (!spec || !name)
        return fail(why, UF_EINVAL, "no spec or no name was given");
    int status = spec_parse(spec->text, &parsed, why);
    if (status == UF_OK && !value)
        spec_remove(&parsed, name);
    else if (status == UF_OK)
        status = spec_set_text(&parsed, name, value, why);
    if (status == UF_OK)
        status = spec_print(&parsed, &changed, why);
    return status == UF_OK ? uf_spec_parse(changed.text, spec, why) : status;
}

int uf_spec_get(const uf_spec *spec, const char *name, double *out)
{
    struct spec parsed;
    if (!spec || !name || !out || spec_parse(spec->text, &parsed, NULL) != UF_OK)
        return UF_EINVAL;
    return spec_get_number(&parsed, name, out, NULL) == 1 ? UF_OK : UF_EINVAL;
}

int spec_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    uint32_t policy;
    int status = room_policy(spec, ops, &policy, why);
    if (status != UF_OK)
        return status;
    return policy == FULL_SCALE ? chain_plan(ops, spec, why) : ops->plan(spec, why);
}

int uf_plan(const uf_spec *want, uf_spec *plan, uf_error *why)
{
    struct spec spec;
    const struct filter_ops *ops;
    if (!want || !plan)
        return fail(why, UF_EINVAL, "no spec was given");
    int status = spec_read(want->text, &spec, &ops, why);
    if (status == UF_OK)
        status = spec_plan(ops, &spec, why);
    if (status == UF_OK && has_key(ops, &spec) && !spec_text(&spec, "prf"))
        status = spec_set_text(&spec, "prf", keying_name(HASH_SIPHASH), why);
    return status == UF_OK ? spec_print(&spec, plan, why) : status;
}

/* ---- contexts and handles ---- */

int context_read(const uf_context *given, uf_context *out, uf_error *why)
{
    *out = (uf_context)UF_CONTEXT_INIT;
    if (given && (given->size < sizeof(size_t) || given->size > sizeof *out))
        return fail(why, UF_EINVAL, "the context has a size of %zu: start from UF_CONTEXT_INIT", given->size);
    if (given)
        memcpy(out, given, given->size);
    out->size = sizeof *out;
    out->threads = out->threads ? out->threads : 1;
    if (!out->allocator.alloc != !out->allocator.release)
        return fail(why, UF_EINVAL, "an allocator needs both alloc and release");
    int cpu = cpu_choose(out->cpu);
    if (cpu < 0)
        return fail(why, UF_EUNSUPPORTED, "this machine lacks the instruction set number %d that was asked for",
                    out->cpu);
    out->cpu = cpu;
    return UF_OK;
}

int filter_new(const struct filter_ops *ops, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    struct mem mem = {ctx->allocator};
    uf_filter *filter = mem_alloc(&mem, 1, sizeof *filter);
    if (!filter)
        return fail(why, UF_ENOMEM, "no memory for a filter");
    filter->ops = ops;
    filter->calls = ops->calls;
    filter->mem = mem;
    filter->cpu = ctx->cpu;
    filter->hasher.kind = ops->hash;
    *out = filter;
    return UF_OK;
}

int filter_allocate(uf_filter *filter, uf_error *why)
{
    filter->words = mem_alloc(&filter->mem, filter->word_count, sizeof *filter->words);
    return filter->words
               ? UF_OK
               : fail(why, UF_ENOMEM, "no memory for a filter of %zu bytes", filter->word_count * sizeof(uint64_t));
}

static unsigned nodes_of(const uf_filter *filter)
{
    unsigned nodes = 1;
    for (unsigned i = 0; i < filter->children; i++)
        nodes += nodes_of(filter->child[i]);
    return nodes;
}

int filter_add_child(uf_filter *filter, uf_filter *child, uf_error *why)
{
    if (nodes_of(filter) + nodes_of(child) > FILTER_MOST_NODES)
        return fail(why, UF_EUNSUPPORTED, "there is room for %d filters inside one another", FILTER_MOST_NODES);
    struct uf_filter **grown = mem_alloc(&filter->mem, filter->children + 1, sizeof *grown);
    if (!grown)
        return fail(why, UF_ENOMEM, "no memory for a filter inside another");
    if (filter->children)
        memcpy(grown, filter->child, filter->children * sizeof *grown);
    mem_free(&filter->mem, filter->child, filter->children, sizeof *grown);
    grown[filter->children++] = child;
    filter->child = grown;
    return UF_OK;
}

void uf_free(uf_filter *filter)
{
    if (!filter)
        return;
    struct mem mem = filter->mem;
    for (unsigned i = 0; i < filter->children; i++)
        uf_free(filter->child[i]);
    mem_free(&mem, filter->child, filter->children, sizeof(struct uf_filter *));
    if (filter->map && filter->map_bytes)
        munmap(filter->map, filter->map_bytes);
    else if (!filter->map)
        mem_free(&mem, filter->words, filter->word_count, sizeof *filter->words);
    mem_free(&mem, filter->attached, filter->attached_bytes, 1);
    mem_free(&mem, filter, 1, sizeof *filter);
}

/* ---- queries ---- */

int uf_query(const uf_filter *filter, uf_key key)
{
    if (__builtin_expect(!filter->calls.query, 0))
        return filter->ops->query_key(filter, key);
    return filter->calls.query(filter, hash_any(&filter->hasher, key));
}

void uf_query_many(const uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers)
{
    if (!filter->calls.query_many) {
        filter->ops->query_keys(filter, keys, count, answers);
        return;
    }
    struct hash_source source = source_of_keys(&filter->hasher, keys);
    filter->calls.query_many(filter, &source, count, answers);
}

/* Keys of one width as keys of any. */
static void query_fixed_keys(const uf_filter *filter, const unsigned char *data, size_t key_bytes, size_t count,
                             uint8_t *answers)
{
    uf_key keys[256];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < 256 ? count - done : 256;
        for (size_t i = 0; i < step; i++)
            keys[i] = (uf_key){data + (done + i) * key_bytes, key_bytes};
        filter->ops->query_keys(filter, keys, step, answers + done);
        done += step;
    }
}

void uf_query_fixed(const uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *answers)
{
    if (!filter->calls.query_many) {
        query_fixed_keys(filter, keys, key_bytes, count, answers);
        return;
    }
    struct hash_source source = source_of_fixed(&filter->hasher, keys, key_bytes);
    filter->calls.query_many(filter, &source, count, answers);
}

/* ---- changes ---- */

static int insert(uf_filter *filter, struct hash_source *source, size_t count)
{
    if (!filter->calls.insert_many || is_released(filter))
        return UF_EUNSUPPORTED; /* a key that joins after the noise would be there without any */
    if (filter->map)
        return UF_EREADONLY;
    return room_insert(filter, source, count);
}

int uf_insert_many(uf_filter *filter, const uf_key *keys, size_t count)
{
    struct hash_source source = source_of_keys(&filter->hasher, keys);
    return insert(filter, &source, count);
}

int uf_insert_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count)
{
    struct hash_source source = source_of_fixed(&filter->hasher, keys, key_bytes);
    return insert(filter, &source, count);
}

int uf_insert(uf_filter *filter, uf_key key)
{
    return uf_insert_many(filter, &key, 1);
}

enum { REMOVE_BATCH = 256 };

/* Of the keys that were removed, how many are gone: others were in it more than once, or are taken for members. */
static uint64_t count_gone(const uf_filter *filter, const struct hash128 *hash, const signed char *verdict,
                           size_t count)
{
    struct hash_source source = source_of_hashes(hash);
    uint8_t in[REMOVE_BATCH];
    uint64_t gone = 0;
    filter->calls.query_many(filter, &source, count, in);
    for (size_t i = 0; i < count; i++)
        gone += verdict[i] == UF_OK && !in[i];
    return gone;
}

static int remove_keys(uf_filter *filter, struct hash_source *source, size_t count, uint8_t *removed)
{
    signed char verdict[REMOVE_BATCH];
    struct hash128 hash[REMOVE_BATCH];
    int first = UF_OK;
    if (!filter->ops->remove_many || filter->shared || is_released(filter))
        return UF_EUNSUPPORTED;
    if (filter->map)
        return UF_EREADONLY;
    for (size_t done = 0; done < count;) {
        size_t step = count - done < sizeof verdict ? count - done : sizeof verdict;
        source->fill(source, hash, step);
        struct hash_source ready = source_of_hashes(hash);
        filter->ops->remove_many(filter, &ready, step, verdict);
        if (filter->room.policy == FULL_REFUSE)
            room_removed(filter, count_gone(filter, hash, verdict, step));
        for (size_t i = 0; i < step; i++) {
            first = first == UF_OK ? verdict[i] : first;
            if (removed)
                removed[done + i] = verdict[i] == UF_OK;
        }
        done += step;
    }
    return first;
}

int uf_remove_many(uf_filter *filter, const uf_key *keys, size_t count, uint8_t *removed)
{
    struct hash_source source = source_of_keys(&filter->hasher, keys);
    return remove_keys(filter, &source, count, removed);
}

int uf_remove_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *removed)
{
    struct hash_source source = source_of_fixed(&filter->hasher, keys, key_bytes);
    return remove_keys(filter, &source, count, removed);
}

int uf_remove(uf_filter *filter, uf_key key)
{
    return uf_remove_many(filter, &key, 1, NULL);
}

/* The first parameter in which two plans differ, as "name=a against name=b". 1 when there is one. */
static int plans_differ(const struct spec *a, const struct spec *b, uf_error *why)
{
    for (unsigned i = 0; i < a->count; i++) {
        const char *other = spec_text(b, a->param[i].name);
        if (!other || strcmp(other, a->param[i].value)) {
            fail(why, UF_EMISMATCH, "the filters differ in %s (%s against %s): build the second one like the first",
                 a->param[i].name, a->param[i].value, other ? other : "none");
            return 1;
        }
    }
    return 0;
}

static void plan_of(const uf_filter *filter, struct spec *plan)
{
    *plan = (struct spec){.count = 0};
    strcpy(plan->kind, filter->ops->name);
    filter->ops->describe(filter, plan);
    if (filter->hasher.kind != HASH_FNV1)
        spec_set_seed(plan, "seed", filter->hasher.seed);
    plan->keyed = is_keyed(filter) && !filter->ops->keyed;
    if (filter->room.policy != room_default(plan->keyed) && room_applies(filter->ops) && !is_released(filter))
        (void)spec_set_text(plan, "full", room_name(filter->room.policy), NULL);
    if (is_keyed(filter))
        (void)spec_set_text(plan, "prf", keying_name(filter->hasher.kind), NULL);
}

/* Two plans can be alike and yet have hashes that are not. */
static int keys_differ(const uf_filter *a, const uf_filter *b, uf_error *why)
{
    char id[2][17];
    uf_get_key_id(a, id[0]);
    uf_get_key_id(b, id[1]);
    if (is_keyed(a) != is_keyed(b))
        fail(why, UF_EMISMATCH, "one of the filters is keyed and the other is not");
    else if (!keying_same(&a->hasher.stamp, &b->hasher.stamp))
        fail(why, UF_EMISMATCH, "the filters were made with different keys, %s and %s", id[0], id[1]);
    else
        return 0;
    return 1;
}

int uf_merge(uf_filter *into, const uf_filter *from, uf_error *why)
{
    struct spec a, b;
    if (is_released(into) || is_released(from))
        return fail(why, UF_EUNSUPPORTED,
                    "a released filter cannot be merged: the union would tell more than either promises; merge the "
                    "sets and release once");
    if (into->ops == &kind_chain || from->ops == &kind_chain)
        return fail(why, UF_EUNSUPPORTED,
                    "a filter that grows (%s with full=scale) cannot be merged: insert the keys of one into the other",
                    chain_kind(into->ops == &kind_chain ? into : from));
    if (into->ops != from->ops)
        return fail(why, UF_EMISMATCH, "the filters are of different kinds: %s and %s", into->ops->name,
                    from->ops->name);
    if (!into->ops->merge)
        return fail(why, UF_EUNSUPPORTED, "%s filters cannot be merged: build one from all the keys", into->ops->name);
    if (into->map)
        return fail(why, UF_EREADONLY, "a mapped filter cannot change");
    plan_of(into, &a);
    plan_of(from, &b);
    spec_remove(&a, "full"); /* that of `into` decides */
    if (plans_differ(&a, &b, why) || keys_differ(into, from, why))
        return UF_EMISMATCH;
    return room_merge(into, from, why);
}

int uf_tune(uf_filter *filter, int knob, int value)
{
    if (value != 0 && value != 1)
        return UF_EINVAL;
    switch (knob) {
    case UF_KNOB_SHARED:
        if (value && !filter->ops->insert_shared)
            return UF_EUNSUPPORTED;
        filter->shared = value;
        room_doubt(filter);
        return UF_OK;
    case UF_KNOB_EARLY_EXIT:
        for (unsigned i = 0; i < filter->children; i++)
            (void)uf_tune(filter->child[i], knob, value);
        filter->early_exit = value;
        return UF_OK;
    default:
        return UF_EINVAL;
    }
}

/* ---- what is known ---- */

void uf_get_info(const uf_filter *filter, uf_info *out)
{
    *out = (uf_info){.kind = filter->ops->name,
                     .bytes = payload_bytes(filter),
                     .count_estimate = NAN,
                     .fill = NAN,
                     .fpr_now = NAN,
                     .fnr_now = NAN,
                     .removed_estimate = NAN,
                     .deletable_share = NAN,
                     .copies = NAN,
                     .saturated = NAN,
                     .count = NAN};
    filter->ops->info(filter, out);
    room_info(filter, out);
    if (is_released(filter))
        released_info(filter, out);
}

void uf_get_plan(const uf_filter *filter, uf_spec *out)
{
    struct spec plan;
    plan_of(filter, &plan);
    (void)spec_print(&plan, out, NULL); /* a handful of numbers always fits */
}

void uf_get_key_id(const uf_filter *filter, char out[17])
{
    out[0] = 0;
    if (is_keyed(filter))
        keying_id_text(&filter->hasher.stamp, out);
}

/* A private kind promises to everyone, those with the key included; a learned one is known by its model, unless that
 * has seen nothing but what a PRF made of the keys. */
static void keyed_claim(uf_claim *out)
{
    out->adversary = "anyone without its key, even with this file and all answers at hand";
    out->not_protected = "how many keys there are; anything, from whoever has its key; and a false positive that was "
                         "found by asking is one until the filter is built anew";
    out->proof = "docs/threat-model.md#keyed";
    out->adversarial_fpr = out->fpr;
}

void uf_get_claim(const uf_filter *filter, uf_claim *out)
{
    *out = (uf_claim){
        .epsilon = NAN,
        .fpr = NAN,
        .adversarial_fpr = NAN,
        .unit = "none",
        .adversary = "keys chosen without knowledge of this file; whoever has it can find false positives",
        .not_protected = "the keys: whoever has this file can test any guess against it",
        .proof = "",
    };
    filter->ops->claim(filter, out);
    if (is_keyed(filter) && !filter->ops->declared && (!filter->ops->learned || filter->ops->learned->permuted))
        keyed_claim(out);
    if (filter->test_random)
        out->adversary = "nobody: its noise came from test randomness, which whoever made it can repeat";
    if (is_released(filter))
        released_claim(filter, out);
}
