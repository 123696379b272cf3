/* SPDX-License-Identifier: MIT */
/*
 * Random inserts, removals and queries on every kind, beside an exact multiset that knows what each kind promises:
 *
 *     every kind   what the model has is found; what was never inserted is found at about the rate that info tells;
 *                  what the filter does not find is refused with UF_EABSENT; a kind that cannot do a thing says so
 *     counting     and a key is there as often as it was inserted; with the last one out, the bytes are those of an
 *                  empty filter
 *     deletable    and a key that went is not found; one inserted twice never goes
 *     tombstone    but for the share that info tells, what the model has is found; a removed key is never found again
 *
 * Only keys that are in are removed, and such as the filter itself says are not: that is what the kinds ask for. The
 * controls remove false positives, and must be caught losing members.
 *
 * 10^6 operations for each kind, 10^7 with UF_TEST_FULL=1, 3 * 10^4 with UF_TEST_SMALL=1; seeds are fixed.
 */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "random.h"
#include "subjects.h"

enum { KEYS = 1 << 15, ROUND = 100000, MOST_BATCH = 20 };

/* What an id has been through. */
struct entry {
    unsigned copies; /* in the filter; as the kind counts them */
    int ever;        /* inserted at any time */
    int buried;      /* removed from a tombstone: for good */
};

struct model {
    const char *kind;
    uf_filter *filter;
    struct entry *entry; /* KEYS of them */
    size_t present;      /* ids with copies */
    int grows, removes, buries, counts;
    int careless; /* removes false positives too */
    uint64_t random;
    /* what happened */
    uint64_t inserts, removals, queries, stuck, absent, unasked, missed, lost;
};

/* Eight bytes, the same on every machine. The names of ids are their numbers, mixed, so that no hash has it easy. */
struct name {
    unsigned char bytes[8];
};

static struct name name_of(uint64_t id)
{
    struct name name;
    uint64_t state = id, mixed = next_random(&state);
    for (unsigned i = 0; i < 8; i++)
        name.bytes[i] = (unsigned char)(mixed >> 8 * i);
    return name;
}

static int found(const struct model *model, size_t id)
{
    struct name name = name_of(id);
    return uf_query(model->filter, (uf_key){name.bytes, 8});
}

/* ---- one operation, and what the model makes of its outcome ---- */

static void check_inserted(struct model *model, size_t id, int status)
{
    struct entry *entry = &model->entry[id];
    assert_that(status == UF_OK || (model->buries && status == UF_ESTUCK), "%s: insert gave %d", model->kind, status);
    if (status == UF_ESTUCK) {
        assert_false(found(model, id)); /* removed, or hidden by those that are */
        model->stuck++;
        return;
    }
    assert_that(found(model, id), "%s: a key that was just inserted is not found", model->kind);
    assert_false(entry->buried);
    model->present += !entry->copies;
    entry->copies = model->buries ? 1 : entry->copies + 1;
    entry->ever = 1;
    model->inserts++;
}

static void check_removed(struct model *model, size_t id, int was, int status)
{
    struct entry *entry = &model->entry[id];
    if (status == UF_EABSENT) {
        assert_that(!was, "%s: a key that is found was refused as absent", model->kind);
        model->absent++;
        return;
    }
    assert_that(was, "%s: removing a key that is not found gave %d", model->kind, status);
    if (status == UF_ESTUCK) {
        assert_that(found(model, id) && !model->buries, "%s: a key that stays is not found", model->kind);
        model->stuck++;
        return;
    }
    assert_status(UF_OK, status, NULL);
    model->removals++;
    if (!entry->copies)
        return; /* a control, and its own fault */
    assert_that(model->counts || entry->copies == 1 || model->careless, "%s: a key inserted twice was removed",
                model->kind);
    if (!model->counts)
        assert_that(!found(model, id), "%s: a key that was just removed is found", model->kind);
    entry->copies--;
    entry->buried = model->buries;
    model->present -= !entry->copies;
}

static void check_found(struct model *model, size_t id)
{
    const struct entry *entry = &model->entry[id];
    int yes = found(model, id);
    model->queries++;
    if (entry->buried)
        assert_that(!yes, "%s: a removed key is found", model->kind);
    if (!entry->copies || yes)
        return;
    if (model->buries)
        model->missed++;
    else
        model->lost++;
    assert_that(model->careless || model->buries, "%s: member %zu is not found", model->kind, id);
}

/* ---- random operations ---- */

/* An id to insert: mostly one that is not in, so that duplicates are some and not most. */
static size_t pick_fresh(struct model *model)
{
    size_t id = 0;
    for (int try = 0; try < 4; try++) {
        id = (size_t)random_below(&model->random, KEYS);
        if (!model->entry[id].copies)
            break;
    }
    return id;
}

static void insert_one(struct model *model)
{
    size_t id = pick_fresh(model);
    struct name name = name_of(id);
    int status = uf_insert(model->filter, (uf_key){name.bytes, 8}, NULL);
    if (model->grows)
        check_inserted(model, id, status);
    else
        assert_status(UF_EUNSUPPORTED, status, NULL);
}

/* Several at once; for kinds that may refuse some, what became of each is asked. */
static void insert_batch(struct model *model)
{
    size_t count = (size_t)random_below(&model->random, MOST_BATCH), id[MOST_BATCH];
    struct name names[MOST_BATCH];
    int refused = 0;
    for (size_t i = 0; i < count; i++)
        names[i] = name_of(id[i] = pick_fresh(model));
    int status = uf_insert_fixed(model->filter, names, 8, count, NULL);
    if (!model->grows) {
        assert_status(UF_EUNSUPPORTED, status, NULL);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        int in = found(model, id[i]);
        check_inserted(model, id[i], in ? UF_OK : UF_ESTUCK);
        refused |= !in;
    }
    assert_status(refused ? UF_ESTUCK : UF_OK, status, NULL);
}

/* 1 when the kind is to be asked to remove this id: a member, or what it says is none. */
static int may_remove(struct model *model, size_t id)
{
    if (model->careless || model->entry[id].copies || !found(model, id))
        return 1;
    model->unasked++; /* a false positive: removing it would be a mistake */
    return 0;
}

static void remove_one(struct model *model)
{
    size_t id = (size_t)random_below(&model->random, KEYS);
    struct name name = name_of(id);
    if (!model->removes) {
        assert_status(UF_EUNSUPPORTED, uf_remove(model->filter, (uf_key){name.bytes, 8}, NULL), NULL);
        return;
    }
    if (!may_remove(model, id))
        return;
    int was = found(model, id);
    check_removed(model, id, was, uf_remove(model->filter, (uf_key){name.bytes, 8}, NULL));
}

/* Several at once, all different. What each was before is asked first. */
static void remove_batch(struct model *model)
{
    size_t count = 0, first = (size_t)random_below(&model->random, KEYS - MOST_BATCH), id[MOST_BATCH];
    struct name names[MOST_BATCH];
    uint8_t removed[MOST_BATCH];
    int was[MOST_BATCH], refused = 0;
    if (!model->removes)
        return;
    for (size_t i = 0; i < MOST_BATCH; i++)
        if (may_remove(model, first + i)) {
            names[count] = name_of(id[count] = first + i);
            was[count] = found(model, first + i);
            count++;
        }
    int status = uf_remove_fixed(model->filter, names, 8, count, removed, NULL);
    for (size_t i = 0; i < count; i++) {
        int now = found(model, id[i]); /* one of the batch may hide another of it from a tombstone */
        int gone = was[i] && !now && !removed[i] ? UF_EABSENT : now ? UF_ESTUCK : UF_EABSENT;
        was[i] = gone == UF_EABSENT && !removed[i] ? 0 : was[i];
        check_removed(model, id[i], was[i], removed[i] ? UF_OK : gone);
        refused |= !removed[i];
    }
    assert_true((status == UF_OK) == !refused);
}

/* The filter goes through a file and comes back as it was. */
static void reload(struct model *model)
{
    struct bytes file = bytes_of(model->filter, UF_FORMAT_UF);
    uf_free(model->filter);
    assert_status(UF_OK, uf_load_bytes(file.data, file.size, UF_FORMAT_UF, NULL, &model->filter, NULL), NULL);
    bytes_free(&file);
}

static void step(struct model *model)
{
    uint64_t dice = random_below(&model->random, 10000);
    int crowded = model->present > KEYS / 2;
    if (dice == 0)
        reload(model);
    else if (dice < 3000)
        crowded ? remove_one(model) : insert_one(model);
    else if (dice < 3300)
        crowded ? remove_batch(model) : insert_batch(model);
    else if (dice < 5500)
        remove_one(model);
    else if (dice < 5600)
        remove_batch(model);
    else
        check_found(model, (size_t)random_below(&model->random, KEYS));
}

/* ---- rounds: a fresh filter each, so that what cannot be undone does not pile up ---- */

static void start(struct model *model, const char *spec)
{
    struct name *names = calloc(KEYS / 4, sizeof *names);
    uf_key *keys = calloc(KEYS / 4, sizeof *keys);
    assert_true(names && keys);
    memset(model->entry, 0, KEYS * sizeof *model->entry);
    model->present = KEYS / 4;
    for (size_t i = 0; i < KEYS / 4; i++) {
        names[i] = name_of(i);
        keys[i] = (uf_key){names[i].bytes, 8};
        model->entry[i] = (struct entry){1, 1, 0};
    }
    model->filter = build(spec, keys, KEYS / 4, NULL);
    model->grows = uf_insert_many(model->filter, NULL, 0, NULL) == UF_OK;
    model->removes = uf_remove_many(model->filter, NULL, 0, NULL, NULL) == UF_OK;
    model->buries = !strcmp(model->kind, "tombstone");
    model->counts = !strcmp(model->kind, "counting");
    free(names);
    free(keys);
}

/* All members are found, but for what info says is missed; strangers are found at the rate that info tells. Hidden
 * members cannot be removed, so they are counted against all that ever were in. Five standard deviations, as this is
 * looked at often; rates within 3 sigma are stat/'s. */
static void check_all(struct model *model)
{
    uf_info info;
    double hidden = 0, wrong = 0, ever = 0;
    uf_get_info(model->filter, &info, sizeof info);
    for (size_t id = 0; id < KEYS; id++) {
        const struct entry *entry = &model->entry[id];
        hidden += entry->copies > 0 && !found(model, id);
        ever += entry->ever;
        wrong += !entry->ever && found(model, id);
    }
    double fnr = isnan(info.fnr_now) ? 0 : info.fnr_now, expected = (KEYS - ever) * info.fpr_now;
    model->lost += model->careless && hidden > 0;
    if (model->careless)
        return;
    assert_that(hidden <= ever * fnr + 5 * sqrt(ever * fnr) + 3 * (fnr > 0),
                "%s: %g members are hidden at a rate of %g", model->kind, hidden, fnr);
    assert_that(fabs(wrong - expected) <= 5 * sqrt(expected) + 3 || !strcmp(model->kind, "dcso"),
                "%s: %g strangers are found where %g are expected", model->kind, wrong, expected);
}

/* A counting filter from which everything is removed is an empty one. */
static void empty_out(struct model *model, const char *spec)
{
    uf_info info;
    uf_filter *empty = build(spec, NULL, 0, NULL);
    uf_get_info(model->filter, &info, sizeof info);
    for (size_t id = 0; id < KEYS && info.saturated == 0; id++)
        for (struct name name = name_of(id); model->entry[id].copies; model->entry[id].copies--)
            assert_status(UF_OK, uf_remove(model->filter, (uf_key){name.bytes, 8}, NULL), NULL);
    if (info.saturated == 0)
        assert_same_bytes(model->filter, empty, "everything removed, and nothing inserted");
    uf_free(empty);
}

static void run(struct model *model, const char *parameters, uint64_t operations)
{
    model->entry = calloc(KEYS, sizeof *model->entry);
    assert_non_null(model->entry);
    for (uint64_t done = 0; done < operations; done += ROUND) {
        char spec[128], seed[40] = "";
        if (strcmp(model->kind, "dcso") != 0)
            (void)snprintf(seed, sizeof seed, ",seed=0x%llx", (unsigned long long)(done / ROUND + 1));
        (void)snprintf(spec, sizeof spec, "%s:%s%s", model->kind, parameters, seed);
        start(model, spec);
        for (uint64_t i = 0; i < ROUND && done + i < operations; i++)
            step(model);
        check_all(model);
        if (model->counts && !model->careless)
            empty_out(model, spec);
        uf_free(model->filter);
    }
    free(model->entry);
    print_message("%-9s %llu in, %llu out, %llu refused as absent, %llu as stuck, %llu false positives left alone, "
                  "%llu queries, %llu missed, %llu lost\n",
                  model->kind, (unsigned long long)model->inserts, (unsigned long long)model->removals,
                  (unsigned long long)model->absent, (unsigned long long)model->stuck,
                  (unsigned long long)model->unasked, (unsigned long long)model->queries,
                  (unsigned long long)model->missed, (unsigned long long)model->lost);
}

/* Kinds that need to be told more than a size and a rate have tests of their own. */
static int is_plain(const char *kind)
{
    uf_spec plan;
    char text[64];
    (void)snprintf(text, sizeof text, "%s:n=1000,fpr=0.01", kind);
    plan = spec_of(text);
    return uf_plan(&plan, &plan, NULL) == UF_OK;
}

static void test_kind(void **state)
{
    struct model model = {.kind = *state, .random = 0x5eed};
    if (!is_plain(model.kind)) {
        print_message("skipped: %s needs more than n and fpr\n", model.kind);
        return;
    }
    int remembers = !strcmp(model.kind, "tombstone"); /* n is how many were ever in it */
    run(&model, remembers ? "n=32768,removed=16384,fpr=0.01" : "n=16384,fpr=0.01",
        test_small()  ? 30000
        : test_full() ? 10000000
                      : 1000000);
    assert_int_equal(model.lost, 0);
    if (model.removes) /* the test has seen what it is about */
        assert_true(model.removals > model.queries / 20 && model.absent > model.queries / 20);
}

/* The control: whoever removes false positives loses members, and this test notices. */
static void test_careless(void **state)
{
    struct model model = {.kind = *state, .random = 0x5eed, .careless = 1};
    run(&model, "n=16384,fpr=0.05", 30000);
    assert_true(model.lost > 0);
}

int main(void)
{
    static struct CMUnitTest tests[64];
    static char names[64][40];
    static const char *const careless[] = {"counting", "deletable"};
    size_t count = 0;
    for (size_t i = 0; uf_kind_name(i) && count < 60; i++) {
        if (kind_is_private(uf_kind_name(i)) || kind_is_learned(uf_kind_name(i)))
            continue; /* they promise other things, or need more than keys */
        (void)snprintf(names[count], sizeof names[0], "%s", uf_kind_name(i));
        tests[count] = (struct CMUnitTest){names[count], test_kind, NULL, NULL, names[count]};
        count++;
    }
    for (size_t i = 0; i < 2; i++, count++) {
        (void)snprintf(names[count], sizeof names[0], "%s, control", careless[i]);
        tests[count] = (struct CMUnitTest){names[count], test_careless, NULL, NULL, (void *)(uintptr_t)careless[i]};
    }
    return _cmocka_run_group_tests("property", tests, count, NULL, NULL);
}
