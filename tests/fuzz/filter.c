/* SPDX-License-Identifier: MIT */
/*
 * Filter files of every kind, with checksums that fit, and what is done with those that load. The input:
 *
 *     u8 how to load · u8 two things to do then · a file (sealed.h)
 *
 * A key that does not fit is taken for one that does, so that seeds may change.
 */
#include "sealed.h"

#include <stdlib.h>
#include <string.h>

enum { MEGABYTE = 1 << 20 };

enum how { HOW_BYTES, HOW_COMPACT, HOW_PIECES, HOW_VIEW, HOW_WAYS, HOW_SIZES = 4, HOW_NODES = 8, HOW_LOCKED = 16 };

enum action {
    ACT_CHANGE = 1,
    ACT_REMOVE = 2,
    ACT_MERGE = 4,
    ACT_ROTATE = 8,
    ACT_DESCRIBE = 16,
    ACT_RELEASE = 32,
    ACT_SPLIT = 64
};

static unsigned form_of(unsigned how)
{
    return (how % HOW_WAYS == HOW_COMPACT ? SEALED_COMPACT : 0) | (how & HOW_SIZES ? SEALED_SIZES : 0) |
           (how & HOW_NODES ? SEALED_NODES : 0);
}

/* ---- loading ---- */

static int load_pieces(const struct sealed *file, unsigned how, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    uf_loader *loader;
    int status = uf_loader_new(ctx, how, &loader, why);
    const size_t step = 1 + file->size / 3;
    for (size_t at = 0; status == UF_OK && at < file->size; at += step)
        status = uf_loader_feed(loader, file->data + at, file->size - at < step ? file->size - at : step, why);
    if (status == UF_OK)
        status = uf_loader_finish(loader, out, why);
    uf_loader_free(loader);
    return status;
}

static int load(const struct sealed *file, unsigned how, const uf_context *ctx, uf_filter **out, uf_error *why)
{
    const unsigned flags = how & HOW_LOCKED ? UF_WITHOUT_KEY : UF_FORMAT_UF;
    switch (how % HOW_WAYS) {
    case HOW_PIECES:
        return load_pieces(file, flags, ctx, out, why);
    case HOW_VIEW:
        return uf_load_view(file->data, file->size, ctx, out, why);
    default:
        return uf_load_bytes(file->data, file->size, flags, ctx, out, why);
    }
}

/* ---- what it says ---- */

static void describe(const uf_filter *filter)
{
    uf_info info;
    uf_claim claim;
    uf_sizes sizes;
    uf_spec plan, again;
    uf_note note;
    uf_learned learned;
    uf_region regions[UF_MOST_REGIONS];
    uf_generation generations[UF_MOST_GENERATIONS];
    uf_released released;
    char id[UF_KEY_ID_SIZE];
    fuzz_check(uf_get_info(filter, &info, sizeof info) == UF_OK || !uf_is_locked(filter));
    (void)uf_get_claim(filter, &claim, sizeof claim);
    (void)uf_get_sizes(filter, &sizes, sizeof sizes);
    (void)uf_get_note(filter, &note, sizeof note);
    (void)uf_get_learned(filter, &learned, sizeof learned);
    (void)uf_get_regions(filter, regions, sizeof *regions, UF_MOST_REGIONS);
    (void)uf_get_generations(filter, generations, sizeof *generations, UF_MOST_GENERATIONS);
    (void)uf_get_released(filter, &released, sizeof released);
    uf_get_key_id(filter, id);
    uf_get_plan(filter, &plan);
    fuzz_check(uf_spec_parse(plan.text, &again, NULL) == UF_OK);
    fuzz_check(!(claim.fpr < 0 || claim.fpr > 1) && !(claim.fnr < 0 || claim.fnr > 1) && !(claim.epsilon < 0));
}

static void ask(uf_filter *filter)
{
    const uf_key *keys = fuzz_keys();
    uint8_t answers[FUZZ_KEYS];
    uf_query_many(filter, keys, FUZZ_KEYS, answers);
    for (size_t i = 0; i < FUZZ_KEYS; i++)
        fuzz_check(answers[i] <= 1 && uf_query(filter, keys[i]) == answers[i]);
}

/* ---- what is done with it ---- */

static void change(uf_filter *filter)
{
    const uf_key *keys = fuzz_keys();
    for (size_t i = 0; i < FUZZ_KEYS; i++) {
        int before = uf_query(filter, keys[i]),
            status = i & 1 ? uf_add(filter, keys[i], NULL) : uf_insert(filter, keys[i], NULL);
        fuzz_check(status < 0 || uf_query(filter, keys[i]));
        fuzz_check(status != 1 || !before);
        fuzz_check(status == UF_OK || status == 1 || uf_query(filter, keys[i]) == before);
        if (status == UF_EUNSUPPORTED || status == UF_EREADONLY || status == UF_EKEY)
            return;
    }
}

static void take_out(uf_filter *filter)
{
    const uf_key *keys = fuzz_keys();
    for (size_t i = 0; i < FUZZ_KEYS; i++) {
        int status = uf_remove(filter, keys[i], NULL);
        fuzz_check(status != UF_EABSENT || !uf_query(filter, keys[i]));
        if (status == UF_EUNSUPPORTED || status == UF_EREADONLY || status == UF_EKEY)
            return;
    }
}

static void merge(uf_filter *filter, const uf_context *ctx)
{
    uf_filter *twin = NULL;
    uf_overlap overlap;
    if (uf_copy(filter, ctx, &twin, NULL) != UF_OK)
        return;
    (void)uf_get_overlap(filter, twin, &overlap, sizeof overlap, NULL);
    int status = uf_merge(twin, filter, NULL);
    for (size_t i = 0; status == UF_OK && i < FUZZ_KEYS; i++)
        fuzz_check(uf_query(twin, fuzz_keys()[i]) >= uf_query(filter, fuzz_keys()[i]));
    uf_free(twin);
}

static void release(const uf_filter *filter, const uf_context *ctx)
{
    uf_spec how;
    uf_filter *copy = NULL;
    uf_context own = *ctx;
    uint64_t random = 1;
    own.random = fuzz_random;
    own.random_arg = &random;
    if (uf_spec_parse("ultra:epsilon=3", &how, NULL) == UF_OK && uf_release(filter, &how, &own, &copy, NULL) == UF_OK)
        uf_free(copy);
}

static void split(const uf_filter *filter, const uf_context *ctx)
{
    uf_filter *parts[2] = {NULL, NULL}, *whole = NULL;
    int status = uf_split(filter, 2, 0, ctx, &parts[0], NULL);
    if (status == UF_OK)
        status = uf_split(filter, 2, 1, ctx, &parts[1], NULL);
    if (status == UF_OK) {
        fuzz_check(uf_join((const uf_filter *const *)parts, 2, ctx, &whole, NULL) == UF_OK);
        for (size_t i = 0; i < FUZZ_KEYS; i++)
            fuzz_check(uf_query(whole, fuzz_keys()[i]) == uf_query(filter, fuzz_keys()[i]));
    }
    uf_free(whole);
    uf_free(parts[0]);
    uf_free(parts[1]);
}

/* ---- written again ---- */

struct out {
    unsigned char *data; /* SEALED_MOST and some more; borrowed */
    size_t size, room;
};

static int collect(void *arg, const void *data, size_t bytes)
{
    struct out *out = arg;
    if (bytes > out->room - out->size)
        return 1;
    if (bytes)
        memcpy(out->data + out->size, data, bytes);
    out->size += bytes;
    return 0;
}

static int write_to(const uf_filter *filter, unsigned how, unsigned char *room, size_t bytes, struct out *out)
{
    *out = (struct out){room, 0, bytes};
    return uf_write(filter, how, collect, out, NULL);
}

/* Keys that a filter with full=refuse or full=scale has counted are set right when its bits say that they are more. */
static int counts_keys(const uf_filter *filter)
{
    uf_info info;
    return uf_get_info(filter, &info, sizeof info) != UF_OK || (info.full && strcmp(info.full, "warn") != 0);
}

/* There is one file for each filter: what loads is written as it was. */
static void write_same(const uf_filter *filter, const struct sealed *file, unsigned how)
{
    static unsigned char room[2 * SEALED_MOST];
    struct out out;
    uf_info info;
    if (!file->plain || uf_get_info(filter, &info, sizeof info) != UF_OK ||
        (info.full && strcmp(info.full, "warn") != 0))
        return;
    unsigned format = how % HOW_WAYS == HOW_COMPACT ? UF_FORMAT_COMPACT : UF_FORMAT_UF;
    fuzz_check(write_to(filter, format, room, sizeof room, &out) == UF_OK);
    fuzz_check(out.size == file->size && !memcmp(out.data, file->data, out.size));
}

/* And whatever was done with it, it can be saved and loaded again. */
static void write_again(const uf_filter *filter, const uf_context *ctx)
{
    static unsigned char room[2][2 * SEALED_MOST];
    struct out first, second;
    uf_filter *again = NULL;
    if (write_to(filter, UF_FORMAT_COMPACT, room[0], sizeof room[0], &first) != UF_OK)
        return;
    fuzz_check(uf_load_bytes(first.data, first.size, UF_WITHOUT_KEY, ctx, &again, NULL) == UF_OK);
    fuzz_check(write_to(again, UF_FORMAT_COMPACT, room[1], sizeof room[1], &second) == UF_OK);
    fuzz_check(counts_keys(filter) || (first.size == second.size && !memcmp(first.data, second.data, first.size)));
    uf_free(again);
}

static void use(uf_filter *filter, unsigned actions, const uf_context *ctx)
{
    uf_sizes sizes;
    (void)uf_get_sizes(filter, &sizes, sizeof sizes);
    fuzz_plant(uf_get_normal(filter) & UF_NORMAL_TRIM, sizes.capacity > 1000000);
    ask(filter);
    if (actions & ACT_DESCRIBE)
        describe(filter);
    if (actions & ACT_SPLIT)
        split(filter, ctx);
    if (actions & ACT_CHANGE)
        change(filter);
    if (actions & ACT_ROTATE)
        (void)uf_rotate(filter, NULL);
    if (actions & ACT_REMOVE)
        take_out(filter);
    if (actions & ACT_MERGE)
        merge(filter, ctx);
    if (actions & ACT_RELEASE)
        release(filter, ctx);
    if (actions & (ACT_CHANGE | ACT_REMOVE | ACT_ROTATE))
        write_again(filter, ctx);
}

static double score(void *arg, uf_key key)
{
    (void)arg;
    return key.size ? (double)key.size : 0.5;
}

fuzz_head_of fuzz_filter_head;
size_t fuzz_filter_head(const uint8_t *data, size_t size)
{
    return sealed_head(data, size, 2);
}

int fuzz_filter(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned how = tape_byte(&tape), two = tape_byte(&tape), actions = 1u << two % 8 | 1u << two / 8 % 8;
    struct sealed file = sealed_filter(&tape, form_of(how));
    struct accounts accounts = {.limit = file.size + MEGABYTE, .strict = 1};
    uf_learning learning = UF_LEARNING_INIT;
    uf_context ctx = UF_CONTEXT_INIT;
    uf_filter *filter = NULL;
    uf_error why;
    learning.score = score;
    ctx.allocator = accounts_allocator(&accounts);
    ctx.secret = fuzz_secret();
    ctx.learning = &learning;
    fuzz_bypass = 1;
    int status = load(&file, how, &ctx, &filter, &why);
    fuzz_check((status == UF_OK) == (filter != NULL) && why.status == status && (status == UF_OK) == !why.text[0]);
    accounts.strict = 0;
    accounts.limit = 16 * MEGABYTE;
    if (filter) {
        write_same(filter, &file, how);
        use(filter, actions, &ctx);
    }
    uf_free(filter);
    fuzz_check(!accounts.blocks && !accounts.live);
    fuzz_bypass = 0;
    free(file.data);
    return 0;
}
