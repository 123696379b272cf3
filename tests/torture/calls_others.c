/* SPDX-License-Identifier: MIT */
/* Calls on specs, kinds, models, watches, universes and sets. */
#include <unistd.h>

#include "calls.h"

/* ---- specs and kinds ---- */

CALL(uf_version)
{
    ARM();
    const char *version = uf_version();
    DISARM();
    return RIGHT(!strcmp(version, UF_VERSION));
}

CALL(uf_status_text)
{
    ARM();
    const char *text = uf_status_text(UF_ENOMEM);
    DISARM();
    return RIGHT(text && *text);
}

CALL(uf_spec_parse)
{
    uf_spec spec;
    return ARMED(uf_spec_parse("keyed(blocked:n=1e6,fpr=0.01,prf=aes)", &spec, &world->why));
}

CALL(uf_spec_set)
{
    uf_spec spec = spec_of("bloom");
    return ARMED(uf_spec_set(&spec, "n", "1000", &world->why));
}

CALL(uf_spec_get)
{
    uf_spec spec = spec_of("bloom:n=5");
    double n = 0;
    return ARMED(uf_spec_get(&spec, "n", &n));
}

CALL(uf_spec_get_text)
{
    uf_spec spec = spec_of("bloom:n=5");
    char text[16];
    return ARMED(uf_spec_get_text(&spec, "n", text, sizeof text));
}

CALL(uf_spec_kind)
{
    uf_spec spec = spec_of("keyed(bloom)");
    ARM();
    const char *kind = uf_spec_kind(&spec);
    DISARM();
    return RIGHT(kind && !strcmp(kind, "bloom"));
}

CALL(uf_spec_is_keyed)
{
    uf_spec spec = spec_of("keyed(bloom)");
    int keyed = ARMED(uf_spec_is_keyed(&spec));
    return RIGHT(keyed == 1);
}

CALL(uf_spec_takes)
{
    uf_spec spec = spec_of("bloom");
    int takes = ARMED(uf_spec_takes(&spec, "n"));
    return RIGHT(takes == 1);
}

CALL(uf_plan)
{
    uf_spec spec = spec_of("dpset:n=1000,epsilon=3"), plan;
    return ARMED(uf_plan(&spec, &plan, &world->why));
}

CALL(uf_plan_sizes)
{
    uf_spec spec = spec_of("ribbon:n=100000");
    uf_sizes sizes;
    return ARMED(uf_plan_sizes(&spec, &sizes, sizeof sizes, &world->why));
}

CALL(uf_designs)
{
    static uf_design out[UF_MOST_DESIGNS];
    size_t count;
    return ARMED(uf_designs(3, 1000, 0, 0, out, sizeof out[0], UF_MOST_DESIGNS, &count, &world->why));
}

CALL(uf_get_limit)
{
    uf_limit limit;
    return ARMED(uf_get_limit(3, &limit, sizeof limit));
}

CALL(uf_kind_name)
{
    ARM();
    const char *name = uf_kind_name(0);
    DISARM();
    return RIGHT(name != NULL);
}

CALL(uf_kind_about)
{
    ARM();
    const char *about = uf_kind_about("bloom");
    DISARM();
    return RIGHT(about != NULL);
}

CALL(uf_kind_traits)
{
    const int traits = ARMED((int)uf_kind_traits("bloom"));
    return RIGHT(traits & (int)UF_TRAIT_INSERTS);
}

/* ---- models and watches ---- */

CALL(uf_train)
{
    uf_training how = UF_TRAINING_INIT;
    uf_model *out = NULL;
    how.positives = world->good.key, how.positive_count = CALL_WORDS;
    how.negatives = world->bad.key, how.negative_count = CALL_WORDS;
    how.valid = world->valid.key, how.valid_count = CALL_WORDS;
    int status = ARMED(uf_train(&how, &world->ctx, &out, &world->why));
    uf_model_free(out);
    return HANDED(status, out);
}

CALL(uf_model_score)
{
    ARM();
    int32_t score = uf_model_score(world->model, world->good.key[0]);
    DISARM();
    return RIGHT(score != INT32_MIN);
}

CALL(uf_model_score_many)
{
    int32_t scores[CALL_WORDS];
    ARMED_VOID(uf_model_score_many(world->model, world->good.key, CALL_WORDS, scores));
    return RIGHT(scores[7] == uf_model_score(world->model, world->good.key[7]));
}

CALL(uf_model_get_info)
{
    uf_model_info out;
    return ARMED(uf_model_get_info(world->model, &out, sizeof out));
}

CALL(uf_model_save)
{
    int status = ARMED(uf_model_save(world->model, world->new_path, &world->why));
    const int there = !access(world->new_path, F_OK);
    (void)unlink(world->new_path);
    return there == (status == UF_OK) ? status : WRONG_ANSWER;
}

CALL(uf_model_load)
{
    uf_model *out = NULL;
    int status = ARMED(uf_model_load(world->model_path, &world->ctx, &out, &world->why));
    uf_model_free(out);
    return HANDED(status, out);
}

static uf_model *model_of(struct world *world, uf_error *why)
{
    uf_model *out = NULL;
    (void)uf_model_load_bytes(world->model_file.data, world->model_file.size, &world->ctx, &out, why);
    return out;
}

CALL(uf_model_load_bytes)
{
    ARM();
    uf_model *out = model_of(world, &world->why);
    DISARM();
    const int status = out ? UF_OK : world->why.status;
    uf_model_free(out);
    return status;
}

CALL(uf_model_free)
{
    uf_model *model = model_of(world, NULL);
    ARMED_VOID(uf_model_free(model));
    return UF_OK;
}

static uf_watch *watch_of(const struct world *world, uf_error *why)
{
    uf_watch *out = NULL;
    (void)uf_watch_new(world->learned, NULL, &world->ctx, &out, why);
    return out;
}

CALL(uf_watch_new)
{
    ARM();
    uf_watch *out = watch_of(world, &world->why);
    DISARM();
    const int status = out ? UF_OK : world->why.status;
    uf_watch_free(out);
    return status;
}

CALL(uf_watch_query)
{
    uf_watch *watch = watch_of(world, NULL);
    uint8_t answers[CALL_WORDS];
    unsigned found = 0;
    ARMED_VOID(uf_watch_query(watch, world->good.key, CALL_WORDS, answers));
    for (size_t i = 0; i < CALL_WORDS; i++)
        found += answers[i];
    uf_watch_free(watch);
    return RIGHT(found == CALL_WORDS);
}

CALL(uf_watch_false)
{
    uf_watch *watch = watch_of(world, NULL);
    ARMED_VOID(uf_watch_false(watch, world->bad.key, 3));
    uf_watch_free(watch);
    return UF_OK;
}

CALL(uf_get_watch)
{
    uf_watch *watch = watch_of(world, NULL);
    uf_watched out;
    int status = ARMED(uf_get_watch(watch, &out, sizeof out));
    uf_watch_free(watch);
    return status;
}

CALL(uf_get_watch_regions)
{
    uf_watch *watch = watch_of(world, NULL);
    uf_watched_region out[UF_MOST_REGIONS];
    int status = ARMED(uf_get_watch_regions(watch, out, sizeof out[0], UF_MOST_REGIONS));
    uf_watch_free(watch);
    return status < 0 ? status : UF_OK;
}

CALL(uf_watch_free)
{
    uf_watch *watch = watch_of(world, NULL);
    ARMED_VOID(uf_watch_free(watch));
    return UF_OK;
}

CALL(uf_get_backup_plan)
{
    uf_spec spec;
    return ARMED(uf_get_backup_plan(world->learned, 0.01, &spec, &world->why));
}

/* ---- universes and sets ---- */

struct sets {
    uf_universe *universe;
    uf_set *set, *released;
};

static struct sets sets_of(const struct world *world)
{
    struct sets sets = {NULL, NULL, NULL};
    uf_error why;
    assert_status(UF_OK, uf_universe_list(world->keys.key, 2 * CALL_KEYS, &world->ctx, &sets.universe, &why), &why);
    assert_status(UF_OK, uf_set_new(sets.universe, &world->ctx, &sets.set, &why), &why);
    assert_status(UF_OK, uf_set_add(sets.set, world->keys.key, CALL_KEYS, &why), &why);
    assert_status(UF_OK, uf_set_release(sets.set, "dime:epsilon=3", &world->ctx, &sets.released, &why), &why);
    return sets;
}

static void sets_free(struct sets *sets)
{
    uf_set_free(sets->released);
    uf_set_free(sets->set);
    uf_universe_free(sets->universe);
}

CALL(uf_universe_parse)
{
    uf_universe *out = NULL;
    int status = ARMED(uf_universe_parse("ipv4:10.0.0.0/8", &world->ctx, &out, &world->why));
    uf_universe_free(out);
    return HANDED(status, out);
}

CALL(uf_universe_list)
{
    uf_universe *out = NULL;
    int status = ARMED(uf_universe_list(world->keys.key, CALL_KEYS, &world->ctx, &out, &world->why));
    uf_universe_free(out);
    return HANDED(status, out);
}

/* A call on a universe, which cannot fail, in `expression`. */
#define ON_SETS(name, expression)          \
    CALL(name)                             \
    {                                      \
        struct sets sets = sets_of(world); \
        ARM();                             \
        const int result = (expression);   \
        DISARM();                          \
        sets_free(&sets);                  \
        return result;                     \
    }

ON_SETS(uf_universe_size, RIGHT(uf_universe_size(sets.universe) == 2 * CALL_KEYS))
ON_SETS(uf_universe_rank, uf_universe_rank(sets.universe, world->keys.key[3], &(uint64_t){0}))
ON_SETS(uf_universe_key, RIGHT(uf_universe_key(sets.universe, 3, (char[UF_UNIVERSE_KEY_SIZE]){0}).size))
ON_SETS(uf_set_count, RIGHT(uf_set_count(sets.set) == CALL_KEYS))
ON_SETS(uf_set_add, uf_set_add(sets.set, world->keys.key + CALL_KEYS, CALL_KEYS, &world->why))

static int has(const struct world *world, const uf_set *set)
{
    const int answer = uf_set_has(set, world->keys.key[1]);
    return answer < 0 ? answer : UF_OK;
}

ON_SETS(uf_set_has, has(world, sets.released))

static int count_keys(void *arg, const uf_key *keys, size_t count)
{
    (void)keys;
    *(size_t *)arg += count;
    return 0;
}

ON_SETS(uf_set_each, uf_set_each(sets.released, count_keys, &(size_t){0}, &world->why))

CALL(uf_universe_free)
{
    uf_universe *universe = NULL;
    assert_status(UF_OK, uf_universe_list(world->keys.key, CALL_KEYS, &world->ctx, &universe, NULL), NULL);
    ARMED_VOID(uf_universe_free(universe));
    return UF_OK;
}

CALL(uf_set_new)
{
    struct sets sets = sets_of(world);
    uf_set *out = NULL;
    int status = ARMED(uf_set_new(sets.universe, &world->ctx, &out, &world->why));
    status = HANDED(status, out);
    uf_set_free(out);
    sets_free(&sets);
    return status;
}

CALL(uf_set_release)
{
    struct sets sets = sets_of(world);
    uf_set *out = NULL;
    int status = ARMED(uf_set_release(sets.set, "nickel:epsilon=3", &world->ctx, &out, &world->why));
    status = HANDED(status, out);
    uf_set_free(out);
    sets_free(&sets);
    return status;
}

CALL(uf_set_free)
{
    struct sets sets = sets_of(world);
    ARMED_VOID(uf_set_free(sets.released));
    sets.released = NULL;
    sets_free(&sets);
    return UF_OK;
}

CALL(uf_build_set)
{
    struct sets sets = sets_of(world);
    uf_spec spec = spec_of("ribbon");
    uf_filter *out = NULL;
    int status = ARMED(uf_build_set(&spec, sets.released, &world->ctx, &out, &world->why));
    status = HANDED(status, out);
    uf_free(out);
    sets_free(&sets);
    return status;
}

#define ROW(name)          \
    {                      \
#name, call_##name \
    }

const struct driver other_drivers[] = {ROW(uf_version),
                                       ROW(uf_status_text),
                                       ROW(uf_spec_parse),
                                       ROW(uf_spec_set),
                                       ROW(uf_spec_get),
                                       ROW(uf_spec_get_text),
                                       ROW(uf_spec_kind),
                                       ROW(uf_spec_is_keyed),
                                       ROW(uf_spec_takes),
                                       ROW(uf_plan),
                                       ROW(uf_plan_sizes),
                                       ROW(uf_designs),
                                       ROW(uf_get_limit),
                                       ROW(uf_kind_name),
                                       ROW(uf_kind_about),
                                       ROW(uf_kind_traits),
                                       ROW(uf_train),
                                       ROW(uf_model_score),
                                       ROW(uf_model_score_many),
                                       ROW(uf_model_get_info),
                                       ROW(uf_model_save),
                                       ROW(uf_model_load),
                                       ROW(uf_model_load_bytes),
                                       ROW(uf_model_free),
                                       ROW(uf_watch_new),
                                       ROW(uf_watch_query),
                                       ROW(uf_watch_false),
                                       ROW(uf_get_watch),
                                       ROW(uf_get_watch_regions),
                                       ROW(uf_watch_free),
                                       ROW(uf_get_backup_plan),
                                       ROW(uf_universe_parse),
                                       ROW(uf_universe_list),
                                       ROW(uf_universe_size),
                                       ROW(uf_universe_rank),
                                       ROW(uf_universe_key),
                                       ROW(uf_universe_free),
                                       ROW(uf_set_new),
                                       ROW(uf_set_add),
                                       ROW(uf_set_release),
                                       ROW(uf_set_count),
                                       ROW(uf_set_has),
                                       ROW(uf_set_each),
                                       ROW(uf_set_free),
                                       ROW(uf_build_set),
                                       {NULL, NULL}};
