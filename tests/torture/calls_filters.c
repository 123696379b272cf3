/* SPDX-License-Identifier: MIT */
/* Calls that build, ask, change and describe filters. */
#include "calls.h"

/* A call that fills a struct in. */
#define GET(name, type, ...)                               \
    CALL(name)                                             \
    {                                                      \
        type out;                                          \
        return ARMED(name(__VA_ARGS__, &out, sizeof out)); \
    }

/* ---- build ---- */

static int build_of(struct world *world, const char *text)
{
    uf_spec spec = spec_of(text);
    uf_filter *out = NULL;
    return filter_handed(ARMED(uf_build(&spec, world->good.key, CALL_WORDS, &world->ctx, &out, &world->why)), &out);
}

/* Kinds that are built in each of the ways there are; one after the other, by the number of the allocation. */
CALL(uf_build)
{
    static const char *const texts[] = {"ribbon",
                                        "partition:fpr=0.1,seed=0x1",
                                        "keyed(bloom:n=400)",
                                        "dpset:n=1000,epsilon=3",
                                        "ultra:epsilon=3,count_epsilon=1",
                                        "robust:fpr=0.1"};
    uint64_t most = 0;
    int status = UF_OK;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && status == UF_OK; i++) {
        status = build_of(world, texts[i]);
        most = world->calls > most ? world->calls : most;
    }
    world->calls = most;
    return status;
}

static uf_builder *builder_of(const struct world *world, const char *text, size_t count)
{
    uf_spec spec = spec_of(text);
    uf_builder *builder = NULL;
    uf_error why;
    assert_status(UF_OK, uf_builder_new(&spec, &world->ctx, &builder, &why), &why);
    assert_status(UF_OK, uf_builder_add(builder, world->keys.key, count, &why), &why);
    return builder;
}

static int built(uf_builder *builder, int status)
{
    uf_builder_free(builder);
    return status;
}

CALL(uf_builder_new)
{
    uf_spec spec = spec_of("keyed(ribbon)");
    uf_builder *out = NULL;
    int status = ARMED(uf_builder_new(&spec, &world->ctx, &out, &world->why));
    uf_builder_free(out);
    return HANDED(status, out);
}

CALL(uf_builder_add)
{
    uf_builder *builder = builder_of(world, "ribbon:seed=0x1", 0);
    return built(builder, ARMED(uf_builder_add(builder, world->keys.key, CALL_KEYS, &world->why)));
}

CALL(uf_builder_add_fixed)
{
    uf_builder *builder = builder_of(world, "blocked:seed=0x1", 0);
    return built(builder, ARMED(uf_builder_add_fixed(builder, world->packed, 8, CALL_KEYS, &world->why)));
}

CALL(uf_builder_add_offsets)
{
    uf_builder *builder = builder_of(world, "blocked:seed=0x1", 0);
    return built(builder,
                 ARMED(uf_builder_add_offsets(builder, world->packed, world->offsets, 4, CALL_KEYS, &world->why)));
}

CALL(uf_builder_finish)
{
    uf_builder *builder = builder_of(world, "ribbon:seed=0x1", CALL_KEYS);
    uf_filter *out = NULL;
    return built(builder, filter_handed(ARMED(uf_builder_finish(builder, &out, &world->why)), &out));
}

CALL(uf_builder_free)
{
    uf_builder *builder = builder_of(world, "ribbon:seed=0x1", CALL_KEYS);
    ARMED_VOID(uf_builder_free(builder));
    return UF_OK;
}

CALL(uf_builder_get_spec)
{
    uf_builder *builder = builder_of(world, "ribbon:seed=0x1", 0);
    uf_spec spec;
    return built(builder, ARMED(uf_builder_get_spec(builder, &spec)));
}

CALL(uf_builder_merge)
{
    uf_builder *into = builder_of(world, "blocked:seed=0x1", 10), *from = builder_of(world, "blocked:seed=0x1", 20);
    const int status = ARMED(uf_builder_merge(into, from, &world->why));
    uf_builder_free(from);
    return built(into, status);
}

CALL(uf_builder_write)
{
    uf_builder *builder = builder_of(world, "blocked:seed=0x1", CALL_KEYS);
    size_t bytes = 0;
    return built(builder, ARMED(uf_builder_write(builder, take_nothing, &bytes, &world->why)));
}

CALL(uf_builder_read)
{
    uf_builder *builder = builder_of(world, "blocked:seed=0x1", CALL_KEYS), *out = NULL;
    uf_spec spec = spec_of("blocked:seed=0x1");
    struct bytes bytes = {NULL, 0, 0};
    assert_status(UF_OK, uf_builder_write(builder, bytes_put, &bytes, NULL), NULL);
    int status = ARMED(uf_builder_read(&spec, bytes.data, bytes.size, &world->ctx, &out, &world->why));
    status = HANDED(status, out);
    uf_builder_free(out);
    bytes_free(&bytes);
    return built(builder, status);
}

/* ---- queries: no call fails, and members are found ---- */

CALL(uf_query)
{
    int found = ARMED(uf_query(world->learned, world->good.key[1]) & uf_query(world->keyed, world->keys.key[1]));
    return RIGHT(found);
}

static int all_ones(const uint8_t *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i] != 1)
            return 0;
    return 1;
}

CALL(uf_query_many)
{
    uint8_t answers[CALL_WORDS];
    ARMED_VOID(uf_query_many(world->learned, world->good.key, CALL_WORDS, answers));
    return RIGHT(all_ones(answers, CALL_WORDS));
}

CALL(uf_query_fixed)
{
    uint8_t answers[CALL_KEYS];
    ARMED_VOID(uf_query_fixed(world->counting, world->packed, 8, CALL_KEYS, answers));
    return RIGHT(all_ones(answers, CALL_KEYS));
}

CALL(uf_query_offsets)
{
    uint8_t answers[CALL_KEYS];
    int status = ARMED(uf_query_offsets(world->counting, world->packed, world->offsets, 4, CALL_KEYS, answers));
    return status ? status : RIGHT(all_ones(answers, CALL_KEYS));
}

CALL(uf_count)
{
    int count = ARMED(uf_count(world->counting, world->keys.key[1]));
    return RIGHT(count == 1);
}

GET(uf_get_view, uf_view, world->parted, UF_VIEW_LAYOUT)

CALL(uf_digest_many)
{
    uf_digest digests[CALL_KEYS];
    int status = ARMED(uf_digest_many(world->keyed, world->keys.key, CALL_KEYS, digests, &world->why));
    return status ? status : RIGHT(!memcmp(digests, world->digests, sizeof digests));
}

CALL(uf_query_digests)
{
    uint8_t answers[CALL_KEYS];
    int status = ARMED(uf_query_digests(world->keyed, world->digests, CALL_KEYS, answers, &world->why));
    return status ? status : RIGHT(all_ones(answers, CALL_KEYS));
}

/* ---- changes: on a filter that has to grow for them, which is whole afterwards and has what it had ---- */

static int changed(const struct world *world, uf_filter *filter, int status)
{
    uint8_t answers[CALL_KEYS];
    uf_query_many(filter, world->keys.key, CALL_KEYS, answers);
    uf_free(filter);
    return all_ones(answers, CALL_KEYS) ? status : WRONG_ANSWER;
}

/* A call on a copy of one of the filters. */
#define CHANGE(name, which, call)                       \
    CALL(name)                                          \
    {                                                   \
        uf_filter *filter = fresh(world, world->which); \
        return changed(world, filter, ARMED(call));     \
    }

CALL(uf_insert)
{
    uf_filter *filter = fresh(world, world->growing);
    int status = UF_OK;
    ARM();
    for (size_t i = 0; i < CALL_KEYS && status == UF_OK; i++)
        status = uf_insert(filter, world->keys.key[CALL_KEYS + i], &world->why);
    DISARM();
    return changed(world, filter, status);
}

CHANGE(uf_insert_many, growing, uf_insert_many(filter, world->keys.key + CALL_KEYS, CALL_KEYS, &world->why))
CHANGE(uf_insert_fixed, growing, uf_insert_fixed(filter, world->packed, 8, CALL_KEYS, &world->why))
CHANGE(uf_insert_offsets, growing, uf_insert_offsets(filter, world->packed, world->offsets, 4, CALL_KEYS, &world->why))

CALL(uf_add)
{
    uf_filter *filter = fresh(world, world->growing);
    int status = 0;
    ARM();
    for (size_t i = 0; i < CALL_KEYS && status >= 0; i++)
        status = uf_add(filter, world->keys.key[CALL_KEYS + i], &world->why);
    DISARM();
    return changed(world, filter, status < 0 ? status : UF_OK);
}

CHANGE(uf_add_many, growing,
       uf_add_many(filter, world->keys.key + CALL_KEYS, CALL_KEYS, (int8_t[CALL_KEYS]){0}, &world->why))
CHANGE(uf_add_fixed, growing, uf_add_fixed(filter, world->packed, 8, CALL_KEYS, (int8_t[CALL_KEYS]){0}, &world->why))
CHANGE(uf_add_offsets, growing,
       uf_add_offsets(filter, world->packed, world->offsets, 4, CALL_KEYS, (int8_t[CALL_KEYS]){0}, &world->why))
CHANGE(uf_add_digests, keyed, uf_add_digests(filter, world->digests, CALL_KEYS, (int8_t[CALL_KEYS]){0}, &world->why))

static int freed(uf_filter *filter, int status)
{
    uf_free(filter);
    return status;
}

CALL(uf_remove)
{
    uf_filter *filter = fresh(world, world->counting);
    return freed(filter, ARMED(uf_remove(filter, world->keys.key[0], &world->why)));
}

CALL(uf_remove_many)
{
    uf_filter *filter = fresh(world, world->counting);
    uint8_t removed[CALL_KEYS];
    return freed(filter, ARMED(uf_remove_many(filter, world->keys.key, CALL_KEYS, removed, &world->why)));
}

CALL(uf_remove_fixed)
{
    uf_filter *filter = fresh(world, world->counting);
    return freed(filter, ARMED(uf_remove_fixed(filter, world->packed, 8, CALL_KEYS, NULL, &world->why)));
}

CALL(uf_remove_digests)
{
    uf_filter *filter = fresh(world, world->counting);
    uf_digest digests[CALL_KEYS];
    assert_status(UF_OK, uf_digest_many(filter, world->keys.key, CALL_KEYS, digests, NULL), NULL);
    return freed(filter, ARMED(uf_remove_digests(filter, digests, CALL_KEYS, NULL, &world->why)));
}

CHANGE(uf_rotate, window, uf_rotate(filter, &world->why))
CHANGE(uf_merge, counting, uf_merge(filter, world->counting, &world->why))

CALL(uf_split)
{
    uf_filter *out = NULL;
    return filter_handed(ARMED(uf_split(world->parted, 2, 1, &world->ctx, &out, &world->why)), &out);
}

CALL(uf_join)
{
    uf_filter *part[2] = {NULL, NULL}, *out = NULL;
    for (unsigned i = 0; i < 2; i++)
        assert_status(UF_OK, uf_split(world->parted, 2, i, &world->ctx, &part[i], NULL), NULL);
    int status = ARMED(uf_join((const uf_filter *const *)part, 2, &world->ctx, &out, &world->why));
    status = filter_handed(status, &out);
    uf_free(part[0]);
    uf_free(part[1]);
    return status;
}

CALL(uf_copy)
{
    uf_filter *out = NULL;
    return filter_handed(ARMED(uf_copy(world->learned, &world->ctx, &out, &world->why)), &out);
}

CALL(uf_free)
{
    uf_filter *filter = fresh(world, world->growing);
    ARMED_VOID(uf_free(filter));
    return UF_OK;
}

CALL(uf_release)
{
    uf_spec how = spec_of("ultra:epsilon=3");
    uf_filter *out = NULL;
    return filter_handed(ARMED(uf_release(world->exact, &how, &world->ctx, &out, &world->why)), &out);
}

CALL(uf_mark_counted)
{
    uf_filter *filter = fresh(world, world->exact);
    ARMED_VOID(uf_mark_counted(filter));
    return changed(world, filter, UF_OK);
}

static int go_on(void *arg, uint64_t done, uint64_t total)
{
    (void)arg, (void)done, (void)total;
    return 0;
}

CALL(uf_set_progress)
{
    uf_filter *filter = fresh(world, world->counting);
    ARMED_VOID(uf_set_progress(filter, go_on, NULL));
    return changed(world, filter, UF_OK);
}

CHANGE(uf_tune, keyed, uf_tune(filter, UF_KNOB_SHARED, 1))

CALL(uf_distance)
{
    uint64_t bits = 0;
    return ARMED(uf_distance(world->counting, world->counting, &bits));
}

/* ---- what is known ---- */

CALL(uf_get_info)
{
    uf_filter *shared = fresh(world, world->keyed);
    uf_info info;
    assert_status(UF_OK, uf_tune(shared, UF_KNOB_SHARED, 1), NULL);
    return changed(world, shared, ARMED(uf_get_info(shared, &info, sizeof info)));
}

GET(uf_get_claim, uf_claim, world->learned)

CALL(uf_get_generations)
{
    uf_generation out[8];
    int status = ARMED(uf_get_generations(world->window, out, sizeof out[0], 8));
    return status < 0 ? status : UF_OK;
}

CALL(uf_get_overlap)
{
    uf_overlap out;
    return ARMED(uf_get_overlap(world->counting, world->counting, &out, sizeof out, &world->why));
}

GET(uf_get_sizes, uf_sizes, world->learned)

CALL(uf_get_plan)
{
    uf_spec spec = {""};
    ARMED_VOID(uf_get_plan(world->learned, &spec));
    return RIGHT(spec.text[0]);
}

CALL(uf_get_key_id)
{
    char id[UF_KEY_ID_SIZE] = "";
    ARMED_VOID(uf_get_key_id(world->keyed, id));
    return RIGHT(id[0]);
}

GET(uf_get_released, uf_released, world->exact)
GET(uf_get_learned, uf_learned, world->learned)

CALL(uf_get_regions)
{
    uf_region out[UF_MOST_REGIONS];
    int status = ARMED(uf_get_regions(world->learned, out, sizeof out[0], UF_MOST_REGIONS));
    return status < 0 ? status : UF_OK;
}

CALL(uf_get_normal)
{
    const int normal = ARMED((int)uf_get_normal(world->counting));
    return RIGHT(!normal);
}

CHANGE(uf_set_normal, counting, uf_set_normal(filter, UF_NORMAL_TRIM))

GET(uf_get_note, uf_note, world->counting)
CHANGE(uf_set_note, counting, uf_set_note(filter, "name", "comment", 1, &world->why))

CALL(uf_get_attached)
{
    const void *data;
    size_t bytes;
    return ARMED(uf_get_attached(world->dcso, &data, &bytes));
}

CHANGE(uf_set_attached, dcso, uf_set_attached(filter, "data", 4, &world->why))

#define ROW(name)          \
    {                      \
#name, call_##name \
    }

const struct driver filter_drivers[] = {ROW(uf_build),          ROW(uf_builder_new),
                                        ROW(uf_builder_add),    ROW(uf_builder_add_fixed),
                                        ROW(uf_builder_finish), ROW(uf_builder_add_offsets),
                                        ROW(uf_builder_free),   ROW(uf_builder_get_spec),
                                        ROW(uf_builder_merge),  ROW(uf_builder_write),
                                        ROW(uf_builder_read),   ROW(uf_query),
                                        ROW(uf_query_many),     ROW(uf_query_fixed),
                                        ROW(uf_query_offsets),  ROW(uf_count),
                                        ROW(uf_get_view),       ROW(uf_digest_many),
                                        ROW(uf_query_digests),  ROW(uf_insert),
                                        ROW(uf_insert_many),    ROW(uf_insert_fixed),
                                        ROW(uf_insert_offsets), ROW(uf_add),
                                        ROW(uf_add_many),       ROW(uf_add_fixed),
                                        ROW(uf_add_offsets),    ROW(uf_add_digests),
                                        ROW(uf_remove),         ROW(uf_remove_many),
                                        ROW(uf_remove_fixed),   ROW(uf_remove_digests),
                                        ROW(uf_rotate),         ROW(uf_merge),
                                        ROW(uf_split),          ROW(uf_join),
                                        ROW(uf_copy),           ROW(uf_free),
                                        ROW(uf_release),        ROW(uf_mark_counted),
                                        ROW(uf_set_progress),   ROW(uf_tune),
                                        ROW(uf_distance),       ROW(uf_get_info),
                                        ROW(uf_get_claim),      ROW(uf_get_generations),
                                        ROW(uf_get_overlap),    ROW(uf_get_sizes),
                                        ROW(uf_get_plan),       ROW(uf_get_key_id),
                                        ROW(uf_get_released),   ROW(uf_get_learned),
                                        ROW(uf_get_regions),    ROW(uf_get_normal),
                                        ROW(uf_set_normal),     ROW(uf_get_note),
                                        ROW(uf_set_note),       ROW(uf_get_attached),
                                        ROW(uf_set_attached),   {NULL, NULL}};
